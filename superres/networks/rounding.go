package networks

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/lines"
)

// A weight is rounded to an integer with an eye on those that are rounded after it: these make up for what it loses or
// gains, as far as the values that they multiply go together. That is the method of E. Frantar et al.: GPTQ, accurate
// post-training quantization for generative pre-trained transformers, ICLR 2023, arXiv:2210.17323. It wants the second
// moments of all values of a sample's surroundings; here they are taken for the product of the moments of channels
// at one place, and those of places in one channel, which are small matrices.

// moments are the second moments of the values that a convolution multiplies.
type moments struct {
	means []float64 // of the channels
	// channels and taps are the upper Cholesky factors of the inverses of the moments of channels and of taps, by rows.
	// Without channels, these are taken for independent.
	channels, taps [][]float64
}

// mostSamples is the largest number of samples from which moments are computed, for each channel.
const mostSamples = 4000

// momentsOf returns the moments of the values that a convolution multiplies: of the given channels of some pictures, at
// taps of height×width. All sums are of integers, and exact. With alone, channels are taken for independent.
func momentsOf(pictures []*lines.Rows, channels, height, width, dilation int, alone bool) moments {
	spanY, spanX := (height-1)*dilation, (width-1)*dilation
	count := 0
	for p, r := range pictures {
		if isOrdinary(p) {
			count += max(r.W-spanX, 0) * max(r.H-spanY, 0)
		}
	}
	stride := max(1, count/mostSamples)
	var samples []float64 // the channels of one sample after another
	places, values := newSquare(height*width), make([]float64, height*width)
	seen := 0
	for p, r := range pictures {
		if !isOrdinary(p) {
			continue
		}
		for y := range max(r.H-spanY, 0) {
			for x := range max(r.W-spanX, 0) {
				if seen++; seen%stride != 0 {
					continue
				}
				row := r.Row(y + spanY/2)[(x+spanX/2)*r.Step:]
				for ch := range channels {
					samples = append(samples, float64(row[ch]))
				}
				addPlaces(places, values, r, x, y, channels, width, dilation, len(samples)/channels)
			}
		}
	}
	n := len(samples) / channels
	m := moments{means: make([]float64, channels)}
	for i, v := range samples {
		m.means[i%channels] += v
	}
	for ch := range m.means {
		m.means[ch] /= max(float64(n), 1)
	}
	m.taps = invertedFactor(places)
	if alone {
		return m
	}
	pairs := newSquare(channels)
	if n > 0 {
		var outer mat.SymDense
		outer.SymOuterK(1, mat.NewDense(n, channels, samples).T()) // exact, in any order
		for i := range pairs {
			for j := range pairs {
				pairs[i][j] = outer.At(i, j)
			}
		}
	}
	m.channels = invertedFactor(pairs)
	return m
}

// addPlaces adds to sum the products of the values at all pairs of taps, of a few channels. values is memory for one
// value a tap.
func addPlaces(sum [][]float64, values []float64, r *lines.Rows, x, y, channels, width, dilation, from int) {
	const most = 4
	for k := range min(most, channels) {
		ch := (from*most + k) % channels
		for t := range values {
			values[t] = float64(r.Row(y + t/width*dilation)[(x+t%width*dilation)*r.Step+ch])
		}
		for i, v := range values {
			for j, w := range values {
				sum[i][j] += float64(v * w)
			}
		}
	}
}

// newSquare returns a matrix of n×n zeros, by rows.
func newSquare(n int) [][]float64 {
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, n)
	}
	return rows
}

// invertedFactor returns the upper triangular U with UᵀU the inverse of a, a symmetric matrix that it overwrites. A
// hundredth of the mean of the diagonal is added to this, so that there is an inverse.
func invertedFactor(a [][]float64) [][]float64 {
	n, sum := len(a), 0.
	for i := range a {
		sum += a[i][i]
	}
	for i := range a {
		a[i][i] += sum/float64(n)/100 + 1
	}
	// With the order of rows and columns reversed, a = LLᵀ gives a⁻¹ = (L⁻¹)ᵀL⁻¹, and L⁻¹ reversed is U.
	l := newSquare(n)
	for i := range n {
		for j := range i + 1 {
			v := a[n-1-i][n-1-j]
			for k := range j {
				v -= float64(l[i][k] * l[j][k])
			}
			if i == j {
				l[i][i] = math.Sqrt(max(v, math.SmallestNonzeroFloat32))
			} else {
				l[i][j] = v / l[j][j]
			}
		}
	}
	u := newSquare(n)
	inverse := make([]float64, n) // a column of L⁻¹
	for j := range n {
		for i := j; i < n; i++ {
			v := 0.
			if i == j {
				v = 1
			}
			for k := j; k < i; k++ {
				v -= float64(l[i][k] * inverse[k])
			}
			inverse[i] = v / l[i][i]
			u[n-1-i][n-1-j] = inverse[i]
		}
	}
	return u
}

// round sets to to the weights of one output times a gain as integers, and returns what to add to its bias so that the
// mean of the sums stays the same.
func (m *moments) round(to []int16, weight []float64, gain float64) (bias float64) {
	taps := len(m.taps)
	rest := make([]float64, len(weight))
	for i, w := range weight {
		rest[i] = w * gain
	}
	for i := range rest {
		ch, tap := i/taps, i%taps
		exact := min(max(rest[i], -math.MaxInt16), math.MaxInt16)
		v := math.Round(exact)
		to[i] = int16(v)
		bias += float64((float64(weight[i]*gain) - v) * m.means[ch])
		if m.channels == nil {
			below := rest[ch*taps:][tap:taps]
			for t, f := range m.taps[tap][tap:] {
				below[t] -= float64((exact - v) / m.taps[tap][tap] * f)
			}
			continue
		}
		lost := (exact - v) / float64(m.channels[ch][ch]*m.taps[tap][tap])
		for other := ch; other < len(m.channels); other++ {
			share := float64(lost * m.channels[ch][other])
			below := rest[other*taps:][tap:taps]
			for t, f := range m.taps[tap][tap:] {
				below[t] -= float64(share * f)
			}
		}
	}
	return bias
}
