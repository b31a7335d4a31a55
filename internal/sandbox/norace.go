//go:build !race

package sandbox

// raced reports whether the program was built with the race detector.
const raced = false
