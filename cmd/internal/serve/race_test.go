//go:build race

package serve

// raced says whether the test runs under the race detector, which takes several times the memory.
const raced = true
