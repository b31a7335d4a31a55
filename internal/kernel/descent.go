package kernel

import "math"

// This file has the operations that train convolutional networks. The activations of a layer are stored sample by
// sample: all channels of one sample, then all channels of the next sample in its row. stride is the number of entries
// from one row of samples to the next. A convolution of side×side taps over step channels reads, for each sample, k =
// side·step consecutive entries in each of side rows. So a convolution is a matrix product with rows that overlap in
// memory, and nothing is copied.

// Convolve32 sets dst to n samples of len(bias) channels, a multiple of Lanes:
//
//	dst_(x,o) = bias_o + Σ_r Σ_j src[r·stride + x·step + j]·weight[(r·k + j)·len(bias) + o]
//
// over the rows r and the k entries j of each. Every entry is one sum in this order, with the same bits at any place.
func Convolve32(dst, src []float32, step, stride, rows, k int, weight, bias []float32, n int) {
	needOf(len(bias), Lanes)
	if n <= 0 || len(bias) == 0 {
		return
	}
	if step < 0 || stride < 0 || rows < 1 || k < 1 {
		panic("kernel: a convolution without taps")
	}
	_, _, _ = dst[n*len(bias)-1], src[(rows-1)*stride+(n-1)*step+k-1], weight[rows*k*len(bias)-1] // panics if short
	var memory [16]int
	runs := memory[:0]
	for r := range rows {
		runs = append(runs, r*stride)
	}
	convolve32(dst, len(bias), src, runs, step, k, weight, len(bias), Lanes, bias, n)
}

// convolve32Generic is Convolve32 for runs of k entries. The runs of the first sample begin at the offsets in runs, and
// the runs of the next step further on. In weight, the Lanes weights of an entry lie side by side, the weights of the
// next entry pitch further on, the next Lanes outputs gap further on.
func convolve32Generic(dst []float32, dstStep int, src []float32, runs []int, step, k int, weight []float32, pitch,
	gap int, bias []float32, n int) {
	for x := range n {
		sums := dst[x*dstStep:][:len(bias)]
		copy(sums, bias)
		for r, at := range runs {
			for j, v := range src[at+x*step:][:k] {
				for o := 0; o < len(bias); o += Lanes {
					addFused(sums[o:][:Lanes], weight[(r*k+j)*pitch+o/Lanes*gap:][:Lanes], v)
				}
			}
		}
	}
}

// addFused adds v times weights to sums, each rounded once, with the code of fused, which compilers do not inline.
// The condition says that rounding to float64 first may change the result.
func addFused(sums, weights []float32, v float32) {
	wide := float64(v)
	weights = weights[:len(sums)]
	for o, z := range sums {
		sum := wide*float64(weights[o]) + float64(z)
		if bits := math.Float64bits(sum); bits<<35 == 1<<63 || bits<<1-1 < 897<<53-1 {
			sums[o] = fusedSlowly(v, weights[o], z)
		} else {
			sums[o] = float32(sum)
		}
	}
}

// Correlate adds the gradient of the weights of a layer to c, summed over the given number of rows of n samples. a
// holds the inputs of the layer, and b the gradients of its outputs:
//
//	c[j·cols + o] += Σ_y Σ_x a[y·strideA + x·step + j]·b[y·strideB + x·cols + o]
//
// over rows y and samples x, for entries j below k and channels o below cols. k is a multiple of Rows32, cols of Lanes.
func Correlate(c []float32, cols int, a []float32, step, strideA int, b []float32, strideB, rows, n, k int) {
	needOf(cols, Lanes)
	needOf(k, Rows32)
	if rows <= 0 || n <= 0 || k == 0 || cols == 0 {
		return
	}
	if step < 0 || strideA < 0 || strideB < 0 {
		panic("kernel: a negative stride")
	}
	_, _, _ = c[k*cols-1], a[(rows-1)*strideA+(n-1)*step+k-1], b[(rows-1)*strideB+n*cols-1] // panics if short
	correlate(c, cols, a, step, strideA, b, strideB, rows, n, k)
}

// correlateGeneric is the definition of Correlate: it adds to c the products of inputs and gradients of each sample.
func correlateGeneric(c []float32, cols int, a []float32, step, strideA int, b []float32, strideB, rows, n, k int) {
	for y := range rows {
		for x := range n {
			right := b[y*strideB+x*cols:][:cols]
			for j, v := range a[y*strideA+x*step:][:k] {
				to := c[j*cols:][:len(right)]
				for o, w := range right {
					to[o] += v * w
				}
			}
		}
	}
}

// Activate sets h to z if z is positive, and to slope·z otherwise. Samples have len(slope) channels, a multiple of
// Lanes, and each channel has a slope.
func Activate(h, z, slope []float32) {
	if needOf(len(slope), Lanes); len(z) == 0 {
		return
	}
	needOf(len(z), len(slope))
	_ = h[len(z)-1] // panics if h is too short
	activate(h, z, slope)
}

// activateGeneric is the definition of Activate, for samples of len(slope) channels, one after the other.
func activateGeneric(h, z, slope []float32) {
	for at := 0; at < len(z); at += len(slope) {
		for o, s := range slope {
			v := z[at+o]
			h[at+o] = max(v, 0) + s*min(v, 0)
		}
	}
}

// ActivateBack replaces d, the gradient of the result of Activate, by the gradient of z, Activate's operand: slope·d
// where z < 0. It adds the gradients of the slopes to toSlope, and the sum of the new d of each channel to toBias.
func ActivateBack(d, z, slope, toSlope, toBias []float32) {
	if needOf(len(slope), Lanes); len(d) == 0 {
		return
	}
	needOf(len(d), len(slope))
	_, _, _ = z[len(d)-1], toSlope[len(slope)-1], toBias[len(slope)-1] // panics if too short
	activateBack(d, z, slope, toSlope, toBias)
}

// activateBackGeneric is the definition of ActivateBack: d becomes the gradient of z; the slope acts on negative z.
func activateBackGeneric(d, z, slope, toSlope, toBias []float32) {
	for at := 0; at < len(d); at += len(slope) {
		for o, s := range slope {
			v := d[at+o]
			if low := z[at+o]; low < 0 {
				toSlope[o] += v * low
				v *= s
			}
			d[at+o] = v
			toBias[o] += v
		}
	}
}

// Adam updates the parameters p from their gradient g, times a factor clip. m and v are running means of the
// gradient and its square, rest1 and rest2 are 1−β₁ and 1−β₂, rate is the learning rate, and least is Adam's ε:
//
//	g ← clip·g,  m ← m + (1−β₁)(g − m),  v ← v + (1−β₂)(g² − v),  p ← p − rate·m/(√v + least).
//
// g itself is not changed. The number of parameters is a multiple of Lanes. D. Kingma, J. Ba: Adam, a method for
// stochastic optimization, ICLR 2015, arXiv:1412.6980.
func Adam(p, m, v, g []float32, clip, rest1, rest2, rate, least float32) {
	if needOf(len(p), Lanes); len(p) == 0 {
		return
	}
	last := len(p) - 1
	_, _, _ = m[last], v[last], g[last] // panics if too short
	adam(p, m, v, g, clip, rest1, rest2, rate, least)
}

// adamGeneric is the definition of Adam: m and v are running means of x, the clipped gradient, and x².
func adamGeneric(p, m, v, g []float32, clip, rest1, rest2, rate, least float32) {
	for i := range p {
		x := clip * g[i]
		m[i] += rest1 * (x - m[i])
		v[i] += rest2 * (x*x - v[i])
		p[i] -= rate * m[i] / (float32(math.Sqrt(float64(v[i]))) + least)
	}
}
