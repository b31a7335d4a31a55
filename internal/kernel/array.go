package kernel

// Array returns n zeros for a large array: on huge pages where the system has them to
// give, because a page of 4 KB holds hardly a moment's work.
func Array(n int) []float64 {
	v := make([]float64, n)
	hugePages(v)
	return v
}

// AdviseHeap asks for huge pages for what the first n bytes of the heap will hold, by an
// array of that size that is given up at once. Call it before anything else: a program
// that fills some planes and ends spends a seventh of its time on pages of 4 KB. Where
// it has no effect it does no harm.
func AdviseHeap(n int) { Array(n / 8) }
