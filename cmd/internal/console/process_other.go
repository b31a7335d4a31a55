//go:build !linux

package console

// limitData does nothing: only Linux counts the heap of Go in RLIMIT_DATA.
func limitData(int64) {}
