package kernel

// NewArray returns a slice of n zeros. If n is large and the system has huge pages, the slice uses them: with pages of
// 4 KB, a loop that reads several arrays at once spends much of its time on address translation.
func NewArray(n int) []float64 {
	v := make([]float64, n)
	hugePages(v)
	return v
}
