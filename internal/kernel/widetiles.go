package kernel

// wideTiles is the memory of tiles of samples that are divided into two parts.
type wideTiles struct {
	low, high []int16 // of the four rows from which tiles are made
	active    []int16 // of which those are not 0 whose channels have high parts
	sums      []int32 // of the high parts
	distances []int
}

// tileBits is the number of bits of the low part of a sample of which tiles are made.
const tileBits = 13

// convolveWide is convolve for a wide layer.
func (w *Winograd) convolveWide(dst []int16, to [2]int, src []int16, rows []int, first int, f *Filter, skip []int16,
	skipTo [2]int, skipStep int) {
	const n = tilesPerCall
	sums := w.sumWide(src, rows, first, f)
	out, second := dst[to[0]+first*f.outputStep():], to[1]-to[0]
	add, skipSecond := skip[skipTo[0]+first*skipStep:], skipTo[1]-skipTo[0]
	if len(w.wide.distances) == 0 {
		transformOutput(out, second, w.sums, sums, n, f.Outputs, w.positive[:], w.negative[:], w.limits[:], add,
			skipSecond, skipStep, f.outputStep())
		return
	}
	transformWideOutput(out, second, w.sums, w.wide.sums, sums, n, f.Outputs, w.positive[:], w.negative[:], w.limits[:],
		add, skipSecond, skipStep, f.outputStep())
}

// sumWide divides samples, computes the sums of the low parts and, for those channels alone that have any, of the high
// parts, and returns the stride between the entries of the sums. It sets distances to what multiplyPairsOfTiles takes;
// if that is empty there are no high parts.
func (w *Winograd) sumWide(src []int16, rows []int, first int, f *Filter) (stride int) {
	const n, samples = tilesPerCall, 2*tilesPerCall + 2
	channels := f.tileChannels()
	inputs, sums := w.take(channels, f.Outputs)
	line, part := samples*channels, &w.wide
	part.low, part.high = resize(part.low, 4*line), resize(part.high, 4*line)
	part.active, part.sums = resize(part.active, channels), resize(part.sums, 8*sums)
	clear(part.active)
	for j, row := range rows {
		splitSamples(part.low[j*line:], part.high[j*line:], part.active, src[row+first*f.Step:], f.Step, samples)
	}
	part.distances = part.distances[:0]
	last := 0
	for i := range channels / 2 {
		if part.active[2*i]|part.active[2*i+1] != 0 {
			part.distances = append(part.distances, i-last)
			last = i
		}
	}
	starts := [4]int{0, line, 2 * line, 3 * line}
	transformInput(w.input, inputs, part.low, starts[:], channels, n, channels)
	multiplyTiles(w.sums, sums, w.input, inputs, n, channels, f.transformed, w.bias[:f.Outputs])
	if len(part.distances) > 0 {
		transformInput(w.input, inputs, part.high, starts[:], channels, n, channels)
		multiplyPairsOfTiles(part.sums, sums, w.input, inputs, n, channels, f.transformed, noBias[:f.Outputs],
			part.distances)
	}
	return sums
}

// splitSamplesGeneric divides the first len(active) channels of samples, which begin step entries apart in src, into
// low and high parts, x = low + high·2^tileBits with low of -2^(tileBits-1) up, and below the opposite. It sets active
// to what it is or the high parts of all samples of the channel.
func splitSamplesGeneric(low, high, active, src []int16, step, samples int) {
	for s := range samples {
		for c, x := range src[s*step:][:len(active)] {
			h := (x>>(tileBits-1) + 1) >> 1
			low[s*len(active)+c], high[s*len(active)+c] = x-h<<tileBits, h
			active[c] |= h
		}
	}
}

// multiplyPairsOfTilesGeneric is multiplyTiles for some pairs of channels: distances has the number of pairs from the
// first to the first of them, and from each of them to the next.
func multiplyPairsOfTilesGeneric(sums []int32, sumStride int, v []int16, stride, n, channels int, weights, bias []int32,
	distances []int) {
	some := make([]int16, len(v))
	pair := 0
	for _, d := range distances {
		pair += d
		for e := range 16 {
			for s := range n {
				at := e*stride + s*channels + 2*pair
				some[at], some[at+1] = v[at], v[at+1]
			}
		}
	}
	multiplyTilesGeneric(sums, sumStride, some, stride, n, channels, weights, bias)
}

// transformWideOutputGeneric is transformOutput for sums of two parts, low + high·2^tileBits.
func transformWideOutputGeneric(dst []int16, second int, low, high []int32, stride, n, outputs int, positive,
	negative []float32, limits []int16, skip []int16, skipSecond, skipStep, dstStep int) {
	for s := range n {
		for o := range outputs {
			i := sumLane(o, outputs)
			for y := range 2 {
				var lows, highs [4]int32
				for x := range 4 {
					at := (2*x+y)*stride + s*outputs + i
					lows[x], highs[x] = low[at], high[at]
				}
				l, h := transformOutputColumn(lows), transformOutputColumn(highs)
				for x := range 2 {
					sum := float32(int64(l[x]) + int64(h[x])<<tileBits)
					scale := positive[i]
					if sum < 0 {
						scale = negative[i]
					}
					dst[y*second+(2*s+x)*dstStep+o] = clipScaled(float32(sum*scale), limits,
						skip[y*skipSecond+(2*s+x)*skipStep+o])
				}
			}
		}
	}
}
