package kernel

// Operations on rows of float32, entry by entry. Rows have any length; dst may be one of the others, which have at least
// its length.

// AddFloats sets dst to a + b.
func AddFloats(dst, a, b []float32) { eachFloat(dst, a, b, addFloats) }

// SubtractFloats sets dst to a − b.
func SubtractFloats(dst, a, b []float32) { eachFloat(dst, a, b, subtractFloats) }

// MultiplyFloats sets dst to a·b.
func MultiplyFloats(dst, a, b []float32) { eachFloat(dst, a, b, multiplyFloats) }

// DivideFloats sets dst to a/b.
func DivideFloats(dst, a, b []float32) { eachFloat(dst, a, b, divideFloats) }

// MinFloats sets dst to a if that is less than b, otherwise to b, also where one is NaN. So b's NaN are kept, and of
// zeros of both signs b's.
func MinFloats(dst, a, b []float32) { eachFloat(dst, a, b, minFloats) }

// MaxFloats is MinFloats for a that is greater.
func MaxFloats(dst, a, b []float32) { eachFloat(dst, a, b, maxFloats) }

// eachFloat calls by for the parts of a row, of which each is a multiple of Lanes. The end of a row is computed in
// memory of its own.
func eachFloat(dst, a, b []float32, by func(dst, a, b []float32)) {
	n := len(dst)
	a, b = a[:n], b[:n]
	whole := n / Lanes * Lanes
	for part := range entriesPerCall(whole, Lanes) {
		by(dst[part.from:part.to], a[part.from:part.to], b[part.from:part.to])
	}
	if whole < n {
		var end [3][Lanes]float32
		copy(end[1][:], a[whole:])
		copy(end[2][:], b[whole:])
		by(end[0][:], end[1][:], end[2][:])
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

func eachPair(dst, a, b []float32, of func(x, y float32) float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i, x := range a {
		dst[i] = of(x, b[i])
	}
}

// ClipFloats limits the entries of src to least..most. NaN stay, and so do zeros of a sign that equal a limit.
func ClipFloats(dst, src []float32, least, most float32) {
	eachFloat(dst, src, src, func(dst, a, _ []float32) { clipFloats(dst, a, least, most) })
}

func clipFloatsGeneric(dst, src []float32, least, most float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = lesser(most, greater(least, v))
	}
}

// ScaleFloats sets dst to src·factor + offset, fused. Entries belong to samples of len(factor) channels, a multiple of
// Lanes, which divides len(dst).
func ScaleFloats(dst, src, factor, offset []float32) {
	eachSample(dst, src, src, factor, offset, func(dst, a, _, factor, offset []float32) {
		scaleFloats(dst, a, factor, offset)
	})
}

func scaleFloatsGeneric(dst, src, factor, offset []float32) {
	for i, v := range src[:len(dst)] {
		c := i % len(factor)
		dst[i] = fused(v, factor[c], offset[c])
	}
}

// InclineFloats sets dst to src, times the slope of the channel where the sign is negative.
func InclineFloats(dst, src, slope []float32) {
	eachSample(dst, src, src, slope, slope, func(dst, a, _, slope, _ []float32) { inclineFloats(dst, a, slope) })
}

func inclineFloatsGeneric(dst, src, slope []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = inclined(v, slope[i%len(slope)])
	}
}

// AddScaledFloats sets dst to a + b·factor, fused, with a factor for each channel as ScaleFloats has them.
func AddScaledFloats(dst, a, b, factor []float32) {
	eachSample(dst, a, b, factor, factor, func(dst, a, b, factor, _ []float32) { addScaledFloats(dst, a, b, factor) })
}

func addScaledFloatsGeneric(dst, a, b, factor []float32) {
	for i, v := range a[:len(dst)] {
		dst[i] = fused(b[i], factor[i%len(factor)], v)
	}
}

// eachSample calls by for parts of rows of whole samples.
func eachSample(dst, a, b, p, q []float32, by func(dst, a, b, p, q []float32)) {
	n := checkEntries(len(dst), len(p))
	a, b, q = a[:n], b[:n], q[:len(p)]
	for part := range entriesPerCall(n, len(p)) {
		by(dst[part.from:part.to], a[part.from:], b[part.from:], p, q)
	}
}

// ScaleSamples multiplies each sample of src, of step channels, a multiple of Lanes, by a number of its own: that of
// sample i is factor[i·factorStep]. There are len(dst)/step samples.
func ScaleSamples(dst, src []float32, step int, factor []float32, factorStep int) {
	n := checkEntries(len(dst), step) / step
	if n == 0 {
		return
	}
	_, _ = src[n*step-1], factor[(n-1)*factorStep]
	scaleSamples(dst, src, step, factor, factorStep, n)
}

func scaleSamplesGeneric(dst, src []float32, step int, factor []float32, factorStep, n int) {
	for i, v := range src[:n*step] {
		dst[i] = v * factor[i/step*factorStep]
	}
}

// SumSamples adds n samples of src, which begin step entries apart, to sums, sample after sample. len(sums) is a
// multiple of Lanes.
func SumSamples(sums, src []float32, step, n int) {
	if needOf(len(sums), Lanes); n > 0 && len(sums) > 0 {
		_ = src[(n-1)*step+len(sums)-1]
		sumSamples(sums, src, step, n)
	}
}

func sumSamplesGeneric(sums, src []float32, step, n int) {
	for x := range n {
		for c, v := range src[x*step:][:len(sums)] {
			sums[c] += v
		}
	}
}

// SumSquares adds the squares of n samples' distance from mean, which has a value for each channel, to sums, fused and
// sample after sample.
func SumSquares(sums, mean, src []float32, step, n int) {
	if needOf(len(sums), Lanes); n > 0 && len(sums) > 0 {
		_, _ = src[(n-1)*step+len(sums)-1], mean[len(sums)-1]
		sumSquares(sums, mean, src, step, n)
	}
}

func sumSquaresGeneric(sums, mean, src []float32, step, n int) {
	for x := range n {
		for c, v := range src[x*step:][:len(sums)] {
			d := v - mean[c]
			sums[c] = fused(d, d, sums[c])
		}
	}
}

// Product sets dst to n rows, dstStep entries apart, of the product of two matrices: of n rows of inner entries, aStep
// apart, and of inner rows of cols entries, a multiple of Lanes, side by side in b. Each entry is one sum of fused
// products in order. dst must not overlap the others.
func Product(dst []float32, dstStep int, a []float32, aStep, n, inner int, b []float32, cols int) {
	needOf(cols, Lanes)
	if n <= 0 || cols == 0 {
		return
	}
	if dstStep < cols || aStep < 0 || inner < 1 {
		panic("kernel: a product of matrices of no size")
	}
	_, _, _ = dst[(n-1)*dstStep+cols-1], a[(n-1)*aStep+inner-1], b[inner*cols-1]
	zero, perCall := make([]float32, cols), max(1, multiplicationsPerCall/(inner*cols))
	for at := 0; at < n; at += perCall {
		convolve32(dst[at*dstStep:], dstStep, a[at*aStep:], oneRun[:], aStep, inner, b, zero, min(perCall, n-at))
	}
}

// oneRun are the runs of a product of matrices.
var oneRun = [1]int{0}

// SumFloats returns the sum of a row: of entries Lanes apart in order, and of these sums the halves, the quarters and
// so on.
func SumFloats(v []float32) float32 {
	return reduce(v, 0, addFloatsGeneric, func(sums, v []float32) { SumSamples(sums, v, Lanes, len(v)/Lanes) })
}

// MaxFloat returns the greatest entry of a row, least if there is none. Of NaN there must be none.
func MaxFloat(v []float32, least float32) float32 {
	return reduce(v, least, maxFloatsGeneric, func(sums, v []float32) {
		for ; len(v) > 0; v = v[Lanes:] {
			maxFloatsGeneric(sums, sums, v)
		}
	})
}

// reduce reduces a row, filled up to a multiple of Lanes with a value.
func reduce(v []float32, fill float32, pair func(dst, a, b []float32), whole func(sums, v []float32)) float32 {
	sums, end := make([]float32, Lanes), make([]float32, Lanes)
	for i := range sums {
		sums[i], end[i] = fill, fill
	}
	n := len(v) / Lanes * Lanes
	whole(sums, v[:n])
	copy(end, v[n:])
	pair(sums, sums, end)
	for half := Lanes / 2; half > 0; half /= 2 {
		pair(sums[:half], sums, sums[half:])
	}
	return sums[0]
}

// Softmax sets dst to eˣ of the entries of src, divided by their sum. dst may be src.
func Softmax(dst, src []float32) {
	if len(dst) == 0 {
		return
	}
	most := MaxFloat(src[:len(dst)], src[0])
	for i, v := range src[:len(dst)] {
		dst[i] = v - most
	}
	Exp.Compute(dst, dst)
	sum := SumFloats(dst)
	for i, v := range dst {
		dst[i] = v / sum
	}
}

// Normalize sets dst to src, less its mean and divided by its deviation √(variance + epsilon), times factor plus
// offset, fused, entry by entry. dst may be src.
func Normalize(dst, src, factor, offset []float32, epsilon float32) {
	if len(dst) == 0 {
		return
	}
	n := float32(len(dst))
	mean := SumFloats(src[:len(dst)]) / n
	for i, v := range src[:len(dst)] {
		dst[i] = v - mean
	}
	deviation := sqrt(sumOfSquares(dst)/n + epsilon)
	for i, v := range dst {
		dst[i] = fused(v/deviation, factor[i], offset[i])
	}
}

// sumOfSquares returns the sum of the squares of a row, in the order of SumFloats.
func sumOfSquares(v []float32) float32 {
	var none [Lanes]float32
	return reduce(v, 0, func(dst, a, b []float32) {
		if len(dst) == Lanes { // the end of the row
			sumSquaresGeneric(dst, none[:], b, Lanes, 1)
			return
		}
		addFloatsGeneric(dst, a, b)
	}, func(sums, v []float32) { SumSquares(sums, none[:], v, Lanes, len(v)/Lanes) })
}

// checkEntries returns n, the number of entries of a row. It panics unless that is a multiple of channels, which is to
// be a multiple of Lanes.
func checkEntries(n, channels int) int {
	needOf(channels, Lanes)
	if channels == 0 || n%channels != 0 {
		panic("kernel: a row that its channels do not divide")
	}
	return n
}

// span is the part from..to-1 of a row.
type span struct{ from, to int }

// entriesPerCall divides n entries into parts of whole samples that take assembly far less than a millisecond.
func entriesPerCall(n, channels int) func(yield func(span) bool) {
	const most = 1 << 16
	step := max(most/channels, 1) * channels
	return func(yield func(span) bool) {
		for from := 0; from < n && yield(span{from, min(from+step, n)}); from += step {
		}
	}
}
