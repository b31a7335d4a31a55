//go:build race

package sandbox

// raced says that the program has the race detector in it.
const raced = true
