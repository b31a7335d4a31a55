package kernel

import "math"

// Filters of 3×3 taps are computed by tiles of 4×4 outputs: see winograd32.go. A row of tiles is computed from 6 rows
// of samples, some tiles at a time: V = BᵀxB, first along columns, then along rows; for each of the 36 places of a tile
// the sum M, over the channels in order, of the products of V and the transformed weights; AᵀMA, first along rows, then
// along columns. The last tile may go beyond the last column, where samples are 0. The sum of place biasPlace counts
// once in each output, so it begins with the bias.

const (
	tileSide   = 4            // outputs along a side of a tile
	tileTaken  = tileSide + 2 // samples along a side, from which a tile is computed
	tilePlaces = tileTaken * tileTaken
	biasPlace  = tileTaken + 1
)

// tilesTogether is the number of tiles that one call multiplies by the weights of a place.
const tilesTogether = 12

// blockFloats is the largest number of values in a row of a block of neighbouring tiles, unless tilesTogether tiles
// have more. The rows of a block stay in the second-level cache with the weights of 6 places: all tiles of the block
// are multiplied by these weights before the next weights are read.
const blockFloats = 9600

// transformWeights returns the transformed weights GgGᵀ, computed in float64 and rounded once: for each place, for
// each group of Lanes outputs, for each input, one weight for each output of the group. outputs is t.Outputs rounded
// up to a multiple of Lanes; the added outputs have weights of 0.
func transformWeights(t Taps, outputs int) []float32 {
	u := make([]float32, tilePlaces*t.Inputs*outputs)
	spread := func(a, b, c float64) [tileTaken]float64 { // G times the column (a, b, c)
		even, odd, even2 := -(a+c)/6, -b/6, a/24+c/6
		return [tileTaken]float64{a / 4, even + odd, even - odd, even2 - odd/2, even2 + odd/2, c}
	}
	for first := 0; first < t.Outputs; first += Lanes {
		for i := range t.Inputs {
			var places [tilePlaces][Lanes]float32
			for o := range min(Lanes, t.Outputs-first) {
				w := t.Weight[((first+o)*t.Inputs+i)*9:][:9]
				var columns [3][tileTaken]float64
				for x := range columns {
					columns[x] = spread(float64(w[x]), float64(w[3+x]), float64(w[6+x]))
				}
				for y := range tileTaken {
					for x, v := range spread(columns[0][y], columns[1][y], columns[2][y]) {
						places[y*tileTaken+x][o] = float32(v)
					}
				}
			}
			for place := range places {
				copy(u[((place*outputs+first)*t.Inputs/Lanes+i)*Lanes:], places[place][:])
			}
		}
	}
	return u
}

// tileStride returns the number of values from one place of tilesTogether tiles, of this many channels, to the next.
func tileStride(channels int) int { return paddedStride(tilesTogether*channels, 4) }

// FloatWorkBytes returns the bytes that a FloatWork takes for filters of at most this many channels and outputs.
func FloatWorkBytes(channels int) int64 {
	n := PadTo(channels, Lanes)
	row := max(blockFloats, (tileSide*tilesTogether+2)*n)                  // the largest gap of convolveTiles
	return 4 * int64((tileTaken+1+tileSide)*row+2*tileTaken*tileStride(n)) // sums and kept; samples and results
}

// convolveTiles does what ConvolveFloats does, for filters with tiles. It computes a block of columns at a time:
// sumTiles gives 6 rows of sums, from which gatherRows makes 4 rows of outputs. If fewer rows are wanted, it makes the
// 4 rows in work and copies the wanted ones.
func (f *FloatFilter) convolveTiles(dst []float32, to []int, outputStep int, src []float32, rows []int, samples int,
	skip []float32, skipTo []int, skipStep int, work *FloatWork) {
	var skipAt [tileSide]int
	if skip == nil {
		skip, skipStep = f.zero, 0
	} else if copy(skipAt[:], skipTo); len(to) < tileSide {
		for k := len(to); k < tileSide; k++ {
			skipAt[k] = skipTo[0] // any row: its outputs are not wanted
		}
	}
	slopes := f.slopes()
	channels := max(PadTo(f.taps.Inputs, Lanes), f.Outputs)
	// A block has as many whole groups of tilesTogether tiles as blockFloats allows. The 1 is for the 2 columns in gap.
	block := max(blockFloats/(tileSide*tilesTogether+1)/channels, 1) * tileSide * tilesTogether
	gap := (block + 2) * channels // from row to row: 3 taps need 2 columns more than there are outputs
	for first := 0; first < samples; first += block {
		n := min(samples-first, block)
		f.sumTiles(src[first*f.step:], rows, n, gap, work)
		row := n * f.Outputs
		add := skip[first*skipStep:]
		if len(to) == tileSide {
			gatherRows(dst[first*outputStep:], to, outputStep, work.sums, gap, slopes, add, skipAt[:], skipStep, n)
			continue
		}
		work.kept = resize(work.kept, tileSide*row)
		gatherRows(work.kept, []int{0, row, 2 * row, 3 * row}, f.Outputs, work.sums, gap, slopes, add,
			skipAt[:], skipStep, n)
		for k, at := range to {
			for x := range n {
				copy(dst[at+(first+x)*outputStep:], work.kept[k*row+x*f.Outputs:][:f.Outputs])
			}
		}
	}
}

// sumTiles sets work.sums to 6 rows of sums, for n columns of outputs; row i begins at i·gap. Before that it puts the
// transformed rows of samples into work.sums, too: row i at (i+1)·gap, one row behind its row of sums. So sums
// overwrite only samples that are no longer needed.
func (f *FloatFilter) sumTiles(src []float32, rows []int, n, gap int, work *FloatWork) {
	tiles, in, out := (n+tileSide-1)/tileSide, PadTo(f.taps.Inputs, Lanes), f.Outputs
	inStride, outStride := tileStride(in), tileStride(out)
	work.sums = resize(work.sums, (tileTaken+1)*gap)
	work.samples, work.results = resize(work.samples, tileTaken*inStride), resize(work.results, tileTaken*outStride)
	if f.step == in { // no entries between samples: transform the row as one sample
		spreadRows(work.sums[gap:], gap, 0, src, rows, 0, (n+2)*in, 1)
	} else {
		spreadRows(work.sums[gap:], gap, in, src, rows, f.step, in, n+2)
	}
	for y := range tileTaken {
		sums, row := work.sums[y*gap:][:gap], work.sums[(y+1)*gap:][:gap]
		clear(row[(n+2)*in : (tileSide*tiles+2)*in]) // where the last tile goes beyond the last column
		for first := 0; first < tiles; first += tilesTogether {
			together := min(tilesTogether, tiles-first)
			spreadSamples(work.samples, inStride, in, row[first*tileSide*in:], in, tileSide*in, in, together)
			for x := range tileTaken {
				place, bias := y*tileTaken+x, f.zero
				if place == biasPlace {
					bias = f.bias
				}
				convolve32(work.results[x*outStride:], out, work.samples[x*inStride:], oneRun[:], in, f.taps.Inputs,
					f.tiles[place*f.taps.Inputs*out:], Lanes, f.taps.Inputs*Lanes, bias, together)
			}
			gatherSums(sums[first*tileSide*out:], out, tileSide*out, work.results, outStride, out, out, together)
		}
	}
}

// spreadRowsGeneric is SpreadSamples, Bᵀ of Winograd times 6 samples, for rows that begin at the offsets rows in src.
func spreadRowsGeneric(dst []float32, dstGap, dstStep int, src []float32, rows []int, srcStep, k, n int) {
	for g := range n {
		for c := range k {
			var x [tileTaken]float32
			for i, at := range rows {
				x[i] = src[at+g*srcStep+c]
			}
			for i, v := range spread(x) {
				dst[i*dstGap+g*dstStep+c] = v
			}
		}
	}
}

// gatherRowsGeneric makes 4 rows of outputs from 6 rows of sums in src, gap apart, of n samples of len(slope) channels,
// by Aᵀ of Winograd, as GatherSums does. It multiplies outputs of negative sign by the slope of their channel, adds
// skip, and stores the rows in dst at the offsets rows.
func gatherRowsGeneric(dst []float32, rows []int, dstStep int, src []float32, gap int, slope, skip []float32,
	skipRows []int, skipStep, n int) {
	for x := range n {
		for o, s := range slope {
			var sums [tileTaken]float32
			for i := range sums {
				sums[i] = src[i*gap+x*len(slope)+o]
			}
			for i, v := range gather(sums) {
				dst[rows[i]+x*dstStep+o] = inclined(v, s) + skip[skipRows[i]+x*skipStep+o]
			}
		}
	}
}

// inclined returns v times slope if the sign of v is negative, otherwise v.
func inclined(v, slope float32) float32 {
	if math.Signbit(float64(v)) {
		return float32(v * slope)
	}
	return v
}
