package kernel

// Combine sets dst to a weighted sum of pieces of src that are as long as dst:
//
//	dst[x] = Σ_k weight[k]·src[at[k]+x]
//
// in the order of k, with every product and every sum rounded to float32; without pieces it is 0. Pieces that begin one
// sample apart filter a row, pieces one row apart filter columns. dst may have any length, and must not overlap src.
func Combine(dst, src []float32, at []int, weight []float32) {
	if !combinable(len(dst), src, at, weight) {
		clear(dst)
		return
	}
	combine(dst, src, at, weight)
}

// combineGeneric is the definition of Combine. at holds the index in src at which each piece begins.
func combineGeneric(dst, src []float32, at []int, weight []float32) {
	clear(dst)
	for k, w := range weight {
		for x, v := range src[at[k]:][:len(dst)] {
			dst[x] += float32(w * v)
		}
	}
}

// CombineOnto does what Combine does, but adds the pieces to base and clips the result to 0..1:
//
//	dst[x] = min(max(base[x] + Σ_k weight[k]·src[at[k]+x], 0), 1)
//
// NaN becomes 0. dst may be base.
func CombineOnto(dst, base, src []float32, at []int, weight []float32) {
	base = base[:len(dst)]
	if !combinable(len(dst), src, at, weight) {
		at, weight = at[:0], weight[:0] // no pieces: base is only clipped
		if len(dst) == 0 {
			return
		}
	}
	combineOnto(dst, base, src, at, weight)
}

// combineOntoGeneric is the definition of CombineOnto: it adds the weighted pieces to base and clips the sums to 0..1.
func combineOntoGeneric(dst, base, src []float32, at []int, weight []float32) {
	copy(dst, base)
	for k, w := range weight {
		for x, v := range src[at[k]:][:len(dst)] {
			dst[x] += float32(w * v)
		}
	}
	for x, v := range dst {
		switch {
		case v >= 1:
			dst[x] = 1
		case !(v > 0): // or NaN
			dst[x] = 0
		}
	}
}

// combinable checks the operands of Combine. It returns false if there is nothing to add, because n is 0 or there are
// no pieces. It panics if a piece of n entries does not lie in src, or has no weight.
func combinable(n int, src []float32, at []int, weight []float32) bool {
	if len(at) != len(weight) {
		panic("kernel: the numbers of parts and of weights differ")
	}
	for _, from := range at {
		_ = src[from : from+n] // panics if the piece does not lie in src
	}
	return n > 0 && len(at) > 0
}
