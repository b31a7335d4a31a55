package kernel

// The bits of the form of a square patch: what makes it canonical. First it is
// mirrored across and down, then its rows become columns, and its sign is changed.
const (
	FlipX int32 = 1 << iota
	FlipY
	Turned
	Negative
)

// Forms sets, for every lane, mean to the first of the four moments
//
//	m_c = Σ_i weights[4i+c]·raw[offsets_i + lane]
//
// of a patch and forms to the bits that its others say: Negative when m_3 < 0, and with
// the signs of m_1, m_2 changed then, FlipX when m_1 < 0, FlipY when m_2 < 0, Turned
// when |m_2| > |m_1|. Every product and every sum, in the order of the entries, is
// rounded, so that all machines find the same. The number of lanes, len(forms), is a multiple of Lanes.
func Forms(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	n := len(forms)
	needOf(n, Lanes)
	if n == 0 {
		return
	}
	inside(offsets, n, len(raw))
	_, _ = mean[n-1], weights[:4*len(offsets)]
	if len(offsets) == 0 {
		panic("kernel: a patch without entries")
	}
	formsOf(forms, mean[:n], raw, offsets, weights)
}

// Orbit is how many entries of a patch are in an orbit: those at x, y mirrored and
// turned, some of them the same. Number i of them is that at x, y turned when Turned is
// in i, then mirrored down for FlipY and across for FlipX.
const Orbit = 8

// Orient brings patches into their canonical form: every lane is taken less its mean,
// mirrored, turned and its sign changed as its form says. Entry e of a patch in src
// begins at the offset that from has for it, and in dst at that of to. Both list
// orbits, Orbit entries each. The number of lanes, len(forms), is a multiple of Lanes.
func Orient(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	if n := fits(dst, to, src, from, forms); n > 0 {
		_ = mean[n-1]
		orient(dst, to, src, from, forms, mean)
	}
}

// Restore undoes Orient, but for the mean, and takes integers: scale is what 1 stands for
// in every lane.
func Restore(dst []float32, to, src, from, forms []int32, scale []float32) {
	if n := fits(dst, to, src, from, forms); n > 0 {
		_ = scale[n-1]
		restore(dst, to, src, from, forms, scale)
	}
}

// fits returns the number of lanes, or 0 when there is nothing to do.
func fits[T float32 | int32](dst []float32, to []int32, src []T, from, forms []int32) int {
	n := len(forms)
	needOf(n, Lanes)
	needOf(len(to), Orbit)
	if len(from) != len(to) {
		panic("kernel: lists of different lengths")
	}
	if n == 0 || len(to) == 0 {
		return 0
	}
	inside(to, n, len(dst))
	inside(from, n, len(src))
	return n
}
