package kernel

// NewArray returns n zeros for a large array: on huge pages where the system has them to
// give, because a page of 4 KB holds hardly a moment's work.
func NewArray(n int) []float64 {
	v := make([]float64, n)
	hugePages(v)
	return v
}
