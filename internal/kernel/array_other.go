//go:build !linux

package kernel

func hugePages([]float64) {}
