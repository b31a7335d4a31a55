package kernel

// Operations on rows of float32, entry by entry. Rows have any length. dst may be the same slice as an operand;
// operands have at least the length of dst.

// AddFloats sets dst to a + b.
func AddFloats(dst, a, b []float32) { eachFloat(dst, a, b, addFloats) }

// SubtractFloats sets dst to a − b.
func SubtractFloats(dst, a, b []float32) { eachFloat(dst, a, b, subtractFloats) }

// MultiplyFloats sets dst to a·b.
func MultiplyFloats(dst, a, b []float32) { eachFloat(dst, a, b, multiplyFloats) }

// DivideFloats sets dst to a/b.
func DivideFloats(dst, a, b []float32) { eachFloat(dst, a, b, divideFloats) }

// MinFloats sets dst to a if a is less than b, otherwise to b, also if either is NaN. So the result is NaN where b is,
// and where a and b are zeros of different signs it has the sign of b.
func MinFloats(dst, a, b []float32) { eachFloat(dst, a, b, minFloats) }

// MaxFloats sets dst to a if a is greater than b, otherwise to b: see MinFloats.
func MaxFloats(dst, a, b []float32) { eachFloat(dst, a, b, maxFloats) }

// eachFloat calls compute for pieces of a row. The length of each piece is a multiple of Lanes; zeros pad the last one.
func eachFloat(dst, a, b []float32, compute func(dst, a, b []float32)) {
	n := len(dst)
	a, b = a[:n], b[:n]
	whole := n / Lanes * Lanes
	for part := range entriesPerCall(whole, Lanes) {
		compute(dst[part.from:part.to], a[part.from:part.to], b[part.from:part.to])
	}
	if whole < n {
		var end [3][Lanes]float32
		copy(end[1][:], a[whole:])
		copy(end[2][:], b[whole:])
		compute(end[0][:], end[1][:], end[2][:])
		copy(dst[whole:], end[0][:])
	}
}

func addFloatsGeneric(dst, a, b []float32) {
	eachPair(dst, a, b, func(x, y float32) float32 { return x + y })
}

func subtractFloatsGeneric(dst, a, b []float32) {
	eachPair(dst, a, b, func(x, y float32) float32 { return x - y })
}

func multiplyFloatsGeneric(dst, a, b []float32) {
	eachPair(dst, a, b, func(x, y float32) float32 { return x * y })
}

func divideFloatsGeneric(dst, a, b []float32) {
	eachPair(dst, a, b, func(x, y float32) float32 { return x / y })
}

func minFloatsGeneric(dst, a, b []float32) { eachPair(dst, a, b, lesser) }
func maxFloatsGeneric(dst, a, b []float32) { eachPair(dst, a, b, greater) }

func eachPair(dst, a, b []float32, combine func(x, y float32) float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = combine(x, b[i])
	}
}

// ClipFloats sets dst to src, limited to the range least..most. A NaN stays, and a zero in the range keeps its sign.
func ClipFloats(dst, src []float32, least, most float32) {
	eachFloat(dst, src, src, func(dst, a, _ []float32) { clipFloats(dst, a, least, most) })
}

func clipFloatsGeneric(dst, src []float32, least, most float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = lesser(most, greater(least, v))
	}
}

// ScaleFloats sets dst to src·factor + offset, fused. Each sample has len(factor) channels, a multiple of Lanes that
// divides len(dst), and each channel its own factor and offset.
func ScaleFloats(dst, src, factor, offset []float32) {
	eachSample(dst, src, factor, offset, scaleFloats)
}

func scaleFloatsGeneric(dst, src, factor, offset []float32) {
	for i, v := range src[:len(dst)] {
		c := i % len(factor)
		dst[i] = fused(v, factor[c], offset[c])
	}
}

// InclineFloats sets dst to src, with negative entries multiplied by the slope of their channel.
func InclineFloats(dst, src, slope []float32) {
	eachSample(dst, src, slope, slope, func(dst, src, slope, _ []float32) { inclineFloats(dst, src, slope) })
}

func inclineFloatsGeneric(dst, src, slope []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = inclined(v, slope[i%len(slope)])
	}
}

// eachSample calls compute for pieces of a row, each of whole samples. p and q hold a value for each channel.
func eachSample(dst, src, p, q []float32, compute func(dst, src, p, q []float32)) {
	n := checkEntries(len(dst), len(p))
	src, q = src[:n], q[:len(p)]
	for part := range entriesPerCall(n, len(p)) {
		compute(dst[part.from:part.to], src[part.from:], p, q)
	}
}

// Product sets dst to the product of two matrices: a has n rows of inner entries, at least 1, aStep apart, and b has
// inner rows of cols entries, a multiple of Lanes, without gaps. The n rows of dst are dstStep apart. Each entry is one
// sum of fused products in order. dst must not overlap a or b.
func Product(dst []float32, dstStep int, a []float32, aStep, n, inner int, b []float32, cols int) {
	needOf(cols, Lanes)
	if n <= 0 || cols == 0 {
		return
	}
	if dstStep < cols || aStep < 0 || inner < 1 {
		panic("kernel: a product of matrices of no size")
	}
	_, _, _ = dst[(n-1)*dstStep+cols-1], a[(n-1)*aStep+inner-1], b[inner*cols-1] // panics if short
	zero, perCall := make([]float32, cols), max(1, multiplicationsPerCall/(inner*cols))
	for at := 0; at < n; at += perCall {
		convolve32(dst[at*dstStep:], dstStep, a[at*aStep:], oneRun[:], aStep, inner, b, cols, Lanes, zero,
			min(perCall, n-at))
	}
}

// oneRun is the list of runs for a product of matrices: one run at offset 0.
var oneRun = [1]int{0}

// Softmax sets each entry of dst to eˣ for the entry x of src, divided by the sum of all eˣ. The largest x is
// subtracted first, so that no eˣ overflows. The sum is computed as Lanes partial sums, of entries Lanes apart.
// Then the upper half of these is added to the lower half until one is left. dst may be src.
func Softmax(dst, src []float32) {
	if len(dst) == 0 {
		return
	}
	src = src[:len(dst)]
	most := src[0]
	for _, v := range src {
		most = greater(most, v)
	}
	for i, v := range src {
		dst[i] = v - most
	}
	Exp.Compute(dst, dst)
	var sums [Lanes]float32
	for i, v := range dst {
		sums[i%Lanes] += v
	}
	for half := Lanes / 2; half > 0; half /= 2 {
		addFloatsGeneric(sums[:half], sums[:], sums[half:])
	}
	for i, v := range dst {
		dst[i] = v / sums[0]
	}
}

// checkEntries returns n, the length of a row. It panics unless Lanes divides channels, and channels n.
func checkEntries(n, channels int) int {
	needOf(channels, Lanes)
	if channels == 0 || n%channels != 0 {
		panic("kernel: a row that its channels do not divide")
	}
	return n
}

// span is the part from..to-1 of a row.
type span struct{ from, to int }

// entriesPerCall divides n entries into pieces of whole samples, of at most 65,536 entries or one sample, so that a
// call of assembly takes far less than a millisecond.
func entriesPerCall(n, channels int) func(yield func(span) bool) {
	const most = 1 << 16
	step := max(most/channels, 1) * channels
	return func(yield func(span) bool) {
		for from := 0; from < n && yield(span{from, min(from+step, n)}); from += step {
		}
	}
}
