package kernel

import "sync"

// Plain Go multiplies one number at a time. But a product of 64 bits can hold two of 32 bits: with samples a and b,
//
//	(a + b·2³²)·w = a·w + b·w·2³²,
//
// so that sums of the products of packed pairs of samples are packed pairs of sums (L. Lamport: Multiple byte
// processing with full-word instructions, CACM 18(8), 1975, doi:10.1145/360933.360994). All arithmetic is modulo 2⁶⁴.
// The lower half holds the lower sum, because a sum with its bias fits into 32 bits; if it is negative, it has borrowed
// 1 from the upper half, which unpack gives back. Sums and differences, and so Winograd's transforms, work on packed
// pairs too, even if they wrap around on the way. On amd64, enlarging takes a quarter of the time that it took with
// products of 32 bits, and 13 times the time that it takes with AVX2.

const (
	packedSamples = 2 * packedPairs // how many samples, or tiles, are packed together
	packedPairs   = tilesPerCall / 2
)

// pack returns the pair of two samples, packSame the pair of v and v.
func pack(low, high int16) int64 { return int64(low) + int64(high)<<32 }

func packSame(v int32) int64 { return int64(v) + int64(v)<<32 }

// unpack returns the two sums in a pair.
func unpack(pair int64) (low, high int32) {
	low = int32(pair)
	return low, int32((pair - int64(low)) >> 32)
}

// packed is the working memory for layers in plain Go. Its slices grow when needed.
type packed struct {
	weights        [][2]int64 // for each entry of a transform, pair of outputs and input: the weights of both outputs
	columns, input []int64    // pairs of samples, or pairs of their transforms
	products       []int64    // pairs of sums
	sums           []int32
	transformed    []int32 // the filter transform that is unpacked in weights
}

var packedMemory = sync.Pool{New: func() any { return new(packed) }}

// multiply sets products to the matrix product of input and weights. input has packedPairs rows of inputs values, and
// products has packedPairs rows of outputs values. weights has, for each two outputs, a pair of weights for each input.
func multiply(products, input []int64, weights [][2]int64, inputs, outputs int) {
	for o := 0; o < outputs; o += 2 {
		w := weights[:inputs]
		weights = weights[inputs:]
		for s := 0; s < packedPairs; s += 2 {
			to, next := products[s*outputs+o:][:2], products[(s+1)*outputs+o:][:2]
			to[0], to[1], next[0], next[1] = multiplyTwo(input[s*inputs:][:inputs], input[(s+1)*inputs:][:inputs], w)
		}
	}
}

// multiplyTwo returns the scalar products of v with the two columns of w, as v0 and v1, and of u, as u0 and u1. It is a
// separate function with exactly four sums, because then the compiler keeps all of them in registers of amd64. With six
// sums it takes a third more time, and inlined nearly twice the time.
//
//go:noinline
func multiplyTwo(v, u []int64, w [][2]int64) (v0, v1, u0, u1 int64) {
	v, u = v[:len(w)], u[:len(w)]
	for i := range w {
		pair, x, y := &w[i], v[i], u[i]
		v0 += x * pair[0]
		v1 += x * pair[1]
		u0 += y * pair[0]
		u1 += y * pair[1]
	}
	return v0, v1, u0, u1
}

// packWeights unpacks the weights of a layer, given in the order of Filter.Weights, into p.weights: for each two
// outputs, for each input, a pair. rows is the number of runs of a sample, and words the number of words in a run.
func (p *packed) packWeights(weights []int32, rows, words, outputs int) {
	inputs := 2 * rows * words
	p.weights = resize(p.weights, inputs*outputs/2)
	for first := 0; first < outputs; first += Lanes {
		for i := 0; i < inputs; i += 2 {
			for o, word := range (*[Lanes]int32)(weights) {
				to := p.weights[(first+o)/2*inputs+i:][:2]
				to[0][o%2], to[1][o%2] = int64(int16(word)), int64(word>>16)
			}
			weights = weights[Lanes:]
		}
	}
}

// eachSums computes the sums of a layer, packedSamples samples at a time, and calls use with each group of sums, all
// outputs of a sample side by side, and the number of its first sample. The last two groups may overlap. A pair
// holds two samples that are packedPairs samples apart.
func eachSums(samples int, src []int16, rows []int, step, words int, weights, bias []int32,
	use func(first int, sums []int32)) {
	p := packedMemory.Get().(*packed)
	run, outputs := 2*words, len(bias)
	inputs := len(rows) * run
	p.packWeights(weights, len(rows), words, outputs)
	p.input = resize(p.input, packedPairs*inputs)
	p.products, p.sums = resize(p.products, packedPairs*outputs), resize(p.sums, packedSamples*outputs)
	for s := 0; s < samples; s += packedSamples {
		first := min(s, samples-packedSamples)
		to := p.input
		for j := range packedPairs {
			for _, row := range rows {
				at := row + (first+j)*step
				low, high := src[at:][:run], src[at+packedPairs*step:][:run]
				into := to[:run]
				for i := range into {
					into[i] = pack(low[i], high[i])
				}
				to = to[run:]
			}
		}
		multiply(p.products, p.input, p.weights, inputs, outputs)
		for j := range packedPairs {
			from := p.products[j*outputs:][:len(bias)]
			low, high := p.sums[j*outputs:][:len(bias)], p.sums[(j+packedPairs)*outputs:][:len(bias)]
			for o, v := range bias {
				low[o], high[o] = unpack(from[o] + packSame(v))
			}
		}
		use(first, p.sums)
	}
	packedMemory.Put(p)
}

// convolveGeneric does in plain Go what Convolve does.
func convolveGeneric(dst []int16, samples int, src []int16, rows []int, step, words int, weights, bias []int32,
	positive, negative []float32, limits []int16, skip []int16, skipStep, dstStep int) {
	eachSums(samples, src, rows, step, words, weights, bias, func(first int, sums []int32) {
		scaleSums(dst[first*dstStep:], packedSamples, sums, positive[:len(bias)], negative, limits,
			skip[first*skipStep:], skipStep, dstStep)
	})
}

// residualGeneric does in plain Go what Residual does.
func residualGeneric(dst []float32, samples int, src []int16, rows []int, step, words int, weights, bias []int32,
	scale []float32) {
	eachSums(samples, src, rows, step, words, weights, bias, func(first int, sums []int32) {
		floatSums(dst[first*len(bias):], sums, scale[:len(bias)])
	})
}

// scaleSums sets dst to the outputs of Convolve for sums: see scaleAndClip and, for the order of limits, Filter.limits.
func scaleSums(dst []int16, samples int, sums []int32, positive, negative []float32, limits, skip []int16, skipStep,
	dstStep int) {
	outputs := len(positive)
	negative = negative[:outputs]
	clip, least := float32(limits[0]), float32(limits[limitLanes])
	most, lowest := int32(limits[2*limitLanes]), int32(limits[3*limitLanes])
	for s := range samples {
		to, add, from := dst[s*dstStep:][:outputs], skip[s*skipStep:][:outputs], sums[s*outputs:][:outputs]
		for o, scale := range positive {
			if from[o] < 0 {
				scale = negative[o]
			}
			v := float32(float32(from[o]) * scale) // the conversion keeps compilers from fusing the product with a sum
			// Comparisons take half the time of min and max, which must also handle NaN.
			if v > clip {
				v = clip
			} else if v < least {
				v = least
			}
			to[o] = int16(min(max(round(v)+int32(add[o]), lowest), most))
		}
	}
}

// floatSums sets dst to the sums, multiplied by the scale of each output.
func floatSums(dst []float32, sums []int32, scale []float32) {
	for ; len(sums) > 0; dst, sums = dst[len(scale):], sums[len(scale):] {
		to, from := dst[:len(scale)], sums[:len(scale)]
		for o, by := range scale {
			to[o] = float32(from[o]) * by
		}
	}
}

// packTransform unpacks the filter transform of f into p.weights, unless p.weights already holds it: for each of the
// 16 entries, for each two outputs, for each channel, the weights of both outputs.
func (p *packed) packTransform(f *Filter) {
	if len(p.transformed) > 0 && &p.transformed[0] == &f.transformed[0] {
		return
	}
	channels := f.tileChannels()
	p.weights = resize(p.weights, 16*f.Outputs/2*channels)
	for e := range 16 {
		for o := range f.Outputs {
			to := p.weights[(e*f.Outputs/2+o/2)*channels:][:channels]
			lane := sumLane(o, f.Outputs)
			for i := 0; i < channels; i += 2 {
				word := f.transformed[((e/2*channels/2+i/2)*2+e%2)*f.Outputs+lane] // for the order, see Filter
				to[i][o%2], to[i+1][o%2] = int64(int16(word)), int64(word>>16)
			}
		}
	}
	p.transformed = f.transformed
}

// sumTiles returns the sums of tilesPerCall tiles of 2×2 samples, from sample first on: all outputs of one sample
// after the other, in the upper row and then in the lower. Tiles s and s+packedPairs are computed together, as pairs.
func (p *packed) sumTiles(src []int16, rows []int, first int, f *Filter) []int32 {
	channels, outputs := f.tileChannels(), f.Outputs
	p.packTransform(f)
	p.transformTiles(src[first*f.Step:], (*[4]int)(rows), f.Step, channels)
	inputs, sums := packedPairs*channels, packedPairs*outputs
	p.products, p.sums = resize(p.products, 16*sums), resize(p.sums, 4*tilesPerCall*outputs)
	for e := range 16 {
		multiply(p.products[e*sums:], p.input[e*inputs:], p.weights[e*outputs/2*channels:], channels, outputs)
	}
	for x := range 4 { // Aᵀ along columns, of which entry stores the second and third row before the first and last
		m := p.products[4*x*sums:][:4*sums]
		b, c, a, d := m[:sums], m[sums:][:sums], m[2*sums:][:sums], m[3*sums:][:sums]
		for i := range b {
			b[i], c[i] = a[i]+b[i]+c[i], b[i]-c[i]+d[i]
		}
	}
	for y := range 2 { // Aᵀ along rows
		for s := range packedPairs {
			at := y*sums + s*outputs
			a, b := p.products[at:][:outputs], p.products[at+4*sums:][:outputs]
			c, d := p.products[at+8*sums:][:outputs], p.products[at+12*sums:][:outputs]
			low := p.sums[(y*2*tilesPerCall+2*s)*outputs:][:2*outputs]
			high := p.sums[(y*2*tilesPerCall+2*s+2*packedPairs)*outputs:][:2*outputs]
			setQuarters(low[:outputs], high[:outputs], f.Bias, a, b, c, 1)
			setQuarters(low[outputs:], high[outputs:], f.Bias, b, d, c, -1)
		}
	}
	return p.sums
}

// setQuarters unpacks the pairs (a + b + sign·c)/4 + bias into low and high: sums of tiles are four times too large.
func setQuarters(low, high, bias []int32, a, b, c []int64, sign int64) {
	a, b, c, high, bias = a[:len(low)], b[:len(low)], c[:len(low)], high[:len(low)], bias[:len(low)]
	for i := range low {
		l, h := unpack(a[i] + b[i] + sign*c[i] + 4*packSame(bias[i]))
		low[i], high[i] = l>>2, h>>2
	}
}

// transformTiles sets p.input to the input transform of tilesPerCall tiles: a pair holds a tile and the tile
// packedPairs further on. Samples begin step entries apart, in four rows at the offsets rows of src. p.columns gets
// the samples transformed along columns.
func (p *packed) transformTiles(src []int16, rows *[4]int, step, channels int) {
	const columns = 2*packedPairs + 2 // the columns of samples that half of the tiles cover
	size, plane := columns*channels, packedPairs*channels
	p.columns, p.input = resize(p.columns, 4*size), resize(p.input, 16*plane)
	for x := range columns {
		var low, high [4][]int16
		for y, row := range rows {
			low[y], high[y] = src[row+x*step:][:channels], src[row+(x+2*packedPairs)*step:][:channels]
		}
		at := p.columns[x*channels:]
		differences(at[:channels], low[0], low[2], high[0], high[2])
		sums(at[size:][:channels], low[1], low[2], high[1], high[2])
		differences(at[2*size:][:channels], low[2], low[1], high[2], high[1])
		differences(at[3*size:][:channels], low[3], low[1], high[3], high[1])
	}
	for y := range 4 {
		for s := range packedPairs {
			at := p.columns[y*size+2*s*channels:]
			a, b := at[:channels], at[channels:][:channels]
			c, d := at[2*channels:][:channels], at[3*channels:][:channels]
			to := p.input[entry(y, 0)*plane+s*channels:]
			v0, v1 := to[:channels], to[4*plane:][:channels]
			v2, v3 := to[8*plane:][:channels], to[12*plane:][:channels]
			for i := range a {
				b, c := b[i], c[i]
				v0[i], v1[i], v2[i], v3[i] = a[i]-c, b+c, c-b, d[i]-b
			}
		}
	}
}

// differences sets dst to the packed pairs of a − b and c − d.
func differences(dst []int64, a, b, c, d []int16) {
	a, b, c, d = a[:len(dst)], b[:len(dst)], c[:len(dst)], d[:len(dst)]
	for i := range dst {
		dst[i] = int64(a[i]) - int64(b[i]) + (int64(c[i])-int64(d[i]))<<32
	}
}

// sums sets dst to the packed pairs of a + b and c + d.
func sums(dst []int64, a, b, c, d []int16) {
	a, b, c, d = a[:len(dst)], b[:len(dst)], c[:len(dst)], d[:len(dst)]
	for i := range dst {
		dst[i] = int64(a[i]) + int64(b[i]) + (int64(c[i])+int64(d[i]))<<32
	}
}

// convolvePacked computes two rows of outputs in plain Go, as convolve does, for the tilesPerCall tiles from first on.
func (w *Winograd) convolvePacked(dst []int16, to [2]int, src []int16, rows []int, first int, f *Filter, skip []int16,
	skipTo [2]int, skipStep int) {
	const samples = 2 * tilesPerCall
	sums := w.packed.sumTiles(src, rows, first, f)
	for i := range 2 {
		scaleSums(dst[to[i]+first*f.outputStep():], samples, sums[i*samples*f.Outputs:], f.PositiveScale[:f.Outputs],
			f.NegativeScale, w.limits[:], skip[skipTo[i]+first*skipStep:], skipStep, f.outputStep())
	}
}
