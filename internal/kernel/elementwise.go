package kernel

// Operations on rows of samples whose channels lie together, entry by entry: entry i is of channel i mod the number of
// channels.

// AddScaled sets dst to x·a + y·b, with one factor of a and of b for each channel. Both products and their sum are
// rounded to float32; the sum is clipped to -clip..clip and rounded to the nearest integer, half to even. The number of
// channels, len(a), is a multiple of Lanes, and len(dst) a multiple of it. Factors are finite and at most 2⁶⁴ in
// magnitude; clip is at least 0. dst may be x or y.
func AddScaled(dst, x, y []int16, a, b []float32, clip int16) {
	if n := checkEntries(len(dst), len(a), clip); n > 0 {
		_, _, _ = x[n-1], y[n-1], b[len(a)-1]
		for part := range entriesPerCall(n, len(a)) {
			addScaled(dst[part.from:part.to], x[part.from:], y[part.from:], a, b, float32(clip))
		}
	}
}

// MultiplyScaled sets dst to (x·y)·a, with one factor of a for each channel. The product of the integers is rounded to
// float32, and so is that with the factor, which is clipped to -clip..clip and rounded to the nearest integer, half to
// even. Lengths, factors and clip are those of AddScaled. dst may be x or y.
func MultiplyScaled(dst, x, y []int16, a []float32, clip int16) {
	if n := checkEntries(len(dst), len(a), clip); n > 0 {
		_, _ = x[n-1], y[n-1]
		for part := range entriesPerCall(n, len(a)) {
			multiplyScaled(dst[part.from:part.to], x[part.from:], y[part.from:], a, float32(clip))
		}
	}
}

// checkEntries returns n, the number of entries of a row. It panics unless that is a multiple of channels, which is to
// be a multiple of Lanes, or if clip is negative.
func checkEntries(n, channels int, clip int16) int {
	needOf(channels, Lanes)
	if channels == 0 || n%channels != 0 || clip < 0 {
		panic("kernel: a row that its channels do not divide, or clipped to less than nothing")
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

func addScaledGeneric(dst, x, y []int16, a, b []float32, clip float32) {
	for len(dst) > 0 {
		to, u, v := dst[:len(a)], x[:len(a)], y[:len(a)]
		for c, f := range a {
			sum := float32(float32(u[c])*f) + float32(float32(v[c])*b[c])
			to[c] = int16(round(min(max(sum, -clip), clip)))
		}
		dst, x, y = dst[len(a):], x[len(a):], y[len(a):]
	}
}

func multiplyScaledGeneric(dst, x, y []int16, a []float32, clip float32) {
	for len(dst) > 0 {
		to, u, v := dst[:len(a)], x[:len(a)], y[:len(a)]
		for c, f := range a {
			product := float32(float32(int32(u[c])*int32(v[c])) * f)
			to[c] = int16(round(min(max(product, -clip), clip)))
		}
		dst, x, y = dst[len(a):], x[len(a):], y[len(a):]
	}
}

// PartBits is the number of bits of the low part of a number of which SplitHigh and SplitLow make two samples, and
// MostSplit the largest magnitude of such a number. High parts are at most MostHigh in magnitude, low parts −MostLow to
// MostLow−1.
const (
	PartBits  = 10
	MostLow   = 1 << (PartBits - 1)
	MostSplit = MostHigh << PartBits
	MostHigh  = 1<<12 - 1
)

// SplitHigh sets dst to the high parts of integers, and SplitLow to the low parts: n = low + high·2^PartBits. n is
// a + b + c, times slope where that is negative, times factor, each rounded to float32, clipped to
// -MostSplit..MostSplit and rounded to the nearest integer, half to even. There is a slope and a factor for each
// channel; their number, len(slope), is a multiple of Lanes, and len(dst) a multiple of it. All values are finite.
func SplitHigh(dst []int16, a, b, c, slope, factor []float32) {
	split(dst, a, b, c, slope, factor, splitHigh)
}

// SplitLow is described with SplitHigh.
func SplitLow(dst []int16, a, b, c, slope, factor []float32) {
	split(dst, a, b, c, slope, factor, splitLow)
}

func split(dst []int16, a, b, c, slope, factor []float32, by func(_ []int16, a, b, c, slope, factor []float32)) {
	if n := checkEntries(len(dst), len(slope), 0); n > 0 {
		_, _, _, _ = a[n-1], b[n-1], c[n-1], factor[len(slope)-1]
		for part := range entriesPerCall(n, len(slope)) {
			by(dst[part.from:part.to], a[part.from:], b[part.from:], c[part.from:], slope, factor)
		}
	}
}

func splitHighGeneric(dst []int16, a, b, c, slope, factor []float32) {
	eachSplit(dst, a, b, c, slope, factor, func(to *int16, _, high int32) { *to = int16(high) })
}

func splitLowGeneric(dst []int16, a, b, c, slope, factor []float32) {
	eachSplit(dst, a, b, c, slope, factor, func(to *int16, low, _ int32) { *to = int16(low) })
}

// eachSplit calls set with the parts of each number.
func eachSplit(dst []int16, a, b, c, slope, factor []float32, set func(to *int16, low, high int32)) {
	for len(dst) > 0 {
		to, u, v, w := dst[:len(slope)], a[:len(slope)], b[:len(slope)], c[:len(slope)]
		for i, s := range slope {
			sum := u[i] + v[i] + w[i]
			if sum < 0 {
				sum *= s
			}
			n := round(min(max(float32(sum*factor[i]), -MostSplit), MostSplit))
			high := (n + MostLow) >> PartBits
			set(&to[i], n-high<<PartBits, high)
		}
		dst, a, b, c = dst[len(slope):], a[len(slope):], b[len(slope):], c[len(slope):]
	}
}

// Lookup sets every entry of dst to a value of a function of its channel: dst[i] = table[src[i] + 32768]. There is one
// table for each channel, and len(dst) is a multiple of their number, which is one of 4. dst may be src.
func Lookup(dst, src []int16, tables []*[1 << 16]int16) {
	src = src[:len(dst)]
	const least = 1 << 15
	needOf(len(tables), 4)
	for len(tables) > 0 && len(dst) >= len(tables) {
		for c := 0; c+3 < len(tables); c += 4 {
			t, from, to := (*[4]*[1 << 16]int16)(tables[c:]), (*[4]int16)(src[c:]), (*[4]int16)(dst[c:])
			a, b := t[0][uint16(from[0])^least], t[1][uint16(from[1])^least]
			to[0], to[1], to[2], to[3] = a, b, t[2][uint16(from[2])^least], t[3][uint16(from[3])^least]
		}
		dst, src = dst[len(tables):], src[len(tables):]
	}
}

// CountClipped returns the number of entries whose magnitude is at least magnitude, which is at least 0.
func CountClipped(v []int16, magnitude int16) (count int) {
	whole := len(v) / Lanes * Lanes
	for part := range entriesPerCall(whole, Lanes) {
		count += countClipped(v[part.from:part.to], int(magnitude))
	}
	return count + countClippedGeneric(v[whole:], int(magnitude))
}

func countClippedGeneric(v []int16, magnitude int) (count int) {
	for _, x := range v {
		count += int(uint64(magnitude-1-max(int(x), -int(x))) >> 63) // 1 if that is negative
	}
	return count
}

// MaxMagnitude returns the largest magnitude of an entry, 0 if there are none.
func MaxMagnitude(v []int16) int {
	whole, most := len(v)/(4*Lanes)*(4*Lanes), 0
	for part := range entriesPerCall(whole, 4*Lanes) {
		most = max(most, maxMagnitude(v[part.from:part.to]))
	}
	return max(most, maxMagnitudeGeneric(v[whole:]))
}

func maxMagnitudeGeneric(v []int16) (most int) {
	for _, x := range v {
		most = max(most, int(x), -int(x))
	}
	return most
}
