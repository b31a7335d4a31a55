package kernel

// NewArray returns a slice of n zeros, for large n, in huge pages if the system has them. With pages of 4 KB, a loop
// that reads several arrays at once spends much of its time on address translation.
func NewArray(n int) []float64 {
	v := make([]float64, n)
	hugePages(v)
	return v
}
