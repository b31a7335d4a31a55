package learners

// Sized is a learner that needs more memory than Memory takes for granted.
type Sized interface {
	// Memory estimates the bytes that Learn takes at its peak, beside Y, to learn
	// k atoms from n signals of m entries.
	Memory(m, n, k int) float64
}

// Memory estimates the bytes that l takes at its peak, beside Y, to learn k atoms
// from n signals of m entries with s non-zeros in a code at most. A learner that is
// not Sized is taken for a two-stage one: Y twice more and what an update needs of
// it, the Gram matrix before and after, and the codes in two orders.
func Memory(l Learner, m, n, k, s int) float64 {
	if sized, ok := l.(Sized); ok {
		return sized.Memory(m, n, k)
	}
	signals, atoms := float64(m)*float64(n), float64(k)
	const code = 48 // bytes of a non-zero in all its places
	return 8*3*signals + 8*atoms*(3*atoms+4*float64(m)) + code*float64(n)*float64(s)
}
