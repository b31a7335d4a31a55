//go:build !linux

package kernel

func hugePages([]float64) {}

// AdviseHeap does nothing on this system.
func AdviseHeap(int) {}
