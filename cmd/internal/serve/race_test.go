//go:build race

package serve

// raced says that the race detector is in the test, which takes several times the memory.
const raced = true
