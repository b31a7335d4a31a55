package kernel

// AddFloats sets dst to a + b, SubtractFloats to a − b, and MultiplyFloats to a·b, entry by entry. a and b have at
// least len(dst) entries. dst may be one of them.
func AddFloats(dst, a, b []float32) { eachFloat(dst, a, b, addFloats, addFloatsGeneric) }

// SubtractFloats is described with AddFloats.
func SubtractFloats(dst, a, b []float32) { eachFloat(dst, a, b, subtractFloats, subtractFloatsGeneric) }

// MultiplyFloats is described with AddFloats.
func MultiplyFloats(dst, a, b []float32) { eachFloat(dst, a, b, multiplyFloats, multiplyFloatsGeneric) }

// eachFloat calls by for the part of a row that vectors make, and rest for the end.
func eachFloat(dst, a, b []float32, by, rest func(dst, a, b []float32)) {
	n := len(dst)
	a, b = a[:n], b[:n]
	whole := n / Lanes * Lanes
	for part := range entriesPerCall(whole, Lanes) {
		by(dst[part.from:part.to], a[part.from:], b[part.from:])
	}
	rest(dst[whole:], a[whole:], b[whole:])
}

func addFloatsGeneric(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

func subtractFloatsGeneric(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] - b[i]
	}
}

func multiplyFloatsGeneric(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = a[i] * b[i]
	}
}

// Interpolate sets dst to a function of the finite entries of src. table has its values from −most to most, 2 or more
// at equal distances, between which it is a line; outside, lines of the slopes below and above go on from the first and
// the last value. Every product and sum is rounded to float32. dst may be src.
func Interpolate(dst, src, table []float32, most, below, above float32) {
	n := len(dst)
	src = src[:n]
	if len(table) < 2 || len(table) > 1<<20 || !(most > 0) {
		panic("kernel: a table of no values, of too many, or of no range")
	}
	middle := float32(len(table)-1) / 2
	perUnit := middle / most
	whole := n / Lanes * Lanes
	for part := range entriesPerCall(whole, Lanes) {
		interpolate(dst[part.from:part.to], src[part.from:], table, most, perUnit, middle, below, above)
	}
	interpolateGeneric(dst[whole:], src[whole:], table, most, perUnit, middle, below, above)
}

func interpolateGeneric(dst, src, table []float32, most, perUnit, middle, below, above float32) {
	src = src[:len(dst)]
	last := len(table) - 2
	for i, v := range src {
		inside := min(max(v, -most), most)
		place := float32(inside*perUnit) + middle
		k := min(int(place), last)
		low, slope := table[k], above
		if v < 0 {
			slope = below
		}
		dst[i] = low + float32((place-float32(k))*(table[k+1]-low)) + float32((v-inside)*slope)
	}
}
