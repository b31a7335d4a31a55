package learning

import "superres/internal/kernel"

// Layers of 3×3 taps are computed by tiles of 4×4 samples of their output, with a quarter of the products and in less
// than half of the time: see kernel.SpreadSamples. Several rows of tiles are computed together: few enough to stay in
// the cache, and enough to use each loaded weight often.

const (
	tileSide  = 4                     // samples of the output along a side of a tile
	tileTaken = tileSide + 2          // samples of the input
	places    = tileTaken * tileTaken // values of a transformed tile, for each channel
)

// isTiled reports whether a layer is computed by tiles.
func (s shape) isTiled() bool { return s.side == 3 && s.in%kernel.Lanes == 0 }

// tilesOf returns the number of tiles in a row, or a column, of side samples.
func tilesOf(side int) int { return (side + tileSide - 1) / tileSide }

// tilesTogether is the least number of tiles that are computed together, if a patch has that many. With 64 channels and
// patches of 24×24 samples, training takes four fifths of the time that it takes with a row of tiles at a time.
const tilesTogether = 64

// tiledRows returns the number of rows, of the given number of samples, that a pass gives to convolve or correlate
// in one call: whole rows of tiles, enough for tilesTogether tiles.
func tiledRows(samples int) int {
	n := tilesOf(samples)
	return (tilesTogether + n - 1) / n * tileSide
}

// tiledSize returns how many samples, row after row, a layer reads of its input when its output is rounded up to whole
// tiles: up to the last sample of the last tile. The input has full×full samples, and the output (full−2)×(full−2).
func tiledSize(full int) int {
	count := tilesOf(full - 2)
	return (tileSide*count+1)*full + tileSide*count + 2
}

// spreadTaps transforms the weights of 3×3 taps and writes the result to dst. block is the number of weights of a tap:
// weights has 9 blocks, and dst 36, one for each place. buffer is scratch memory.
func spreadTaps(dst, weights, buffer []float32, block int) {
	kernel.SpreadTaps(buffer, 3*block, 0, weights, 3*block, 0, 3*block, 1)
	kernel.SpreadTaps(dst, block, tileTaken*block, buffer, block, 3*block, block, tileTaken)
}

// tiles holds the buffers for the tiles that are computed together.
type tiles struct {
	rows             []float32 // rows of samples, transformed along columns
	samples, results []float32 // the places of all tiles: of each place, the values of all tiles one after another
	valid            []float32 // rows of samples with zeros beyond them
	taps, half       []float32 // the gradient of transformed taps, and of taps transformed along rows alone
	zero             []float32
}

// newTiles returns buffers for layers with up to side samples in a row of output, and with up to `channels` in and out.
func newTiles(side, channels int) *tiles {
	n := tilesOf(side)
	row := (tileSide*n + 2) * channels
	all := tilesTogether + n // a call has no more than this many tiles
	make := func(n int) []float32 { return make([]float32, n) }
	return &tiles{
		rows: make(tileTaken * row), samples: make(places * all * channels), results: make(places * all * channels),
		valid: make(tileSide * row), taps: make(places * channels * channels),
		half: make(3 * tileTaken * channels * channels),
		zero: make(channels),
	}
}

// bytes returns the memory of t in bytes.
func (t *tiles) bytes() int64 {
	return 4 * int64(len(t.rows)+len(t.samples)+len(t.results)+len(t.valid)+len(t.taps)+len(t.half)+len(t.zero))
}

// spreadSamples transforms the given number of rows of n tiles each from src into t.samples, first along columns,
// into t.rows, then along rows. src has k channels, and its rows begin pitch entries apart.
func (t *tiles) spreadSamples(src []float32, pitch, k, n, rows int) {
	row, all := (tileSide*n+2)*k, rows*n*k // entries of a row in t.rows, and of one place of all tiles
	for y := range rows {
		kernel.SpreadSamples(t.rows, row, 0, src[y*tileSide*pitch:], pitch, 0, row, 1)
		for j := range tileTaken {
			kernel.SpreadSamples(t.samples[j*tileTaken*all+y*n*k:], all, k, t.rows[j*row:], k, tileSide*k, k, n)
		}
	}
}

// convolve sets some rows of dst, at most tiledRows(samples), to the convolution of src with transformed taps. Rows
// of dst have the given number of samples of len(bias) channels and begin dstPitch entries apart. src has k
// channels, begins srcPitch entries apart and is read for whole tiles. The last rows of tiles may go beyond the rows
// of dst; what they give there is dropped.
func (t *tiles) convolve(
	dst []float32, dstPitch int, src []float32, srcPitch, k int, taps, bias []float32, rows, samples int,
) {
	n, lines, out := tilesOf(samples), tilesOf(rows), len(bias)
	t.spreadSamples(src, srcPitch, k, n, lines)
	zero, all := t.zero[:out], lines*n
	for i := range places {
		with := zero
		if i == tileTaken+1 { // the place that adds to every result exactly once
			with = bias
		}
		kernel.Convolve32(t.results[i*all*out:], t.samples[i*all*k:], k, 0, 1, k, taps[i*k*out:], with, all)
	}
	row := tileSide * n * out
	for line := range lines {
		results := t.results[line*n*out:]
		for j := range tileTaken {
			kernel.GatherSums(t.rows[j*row:], out, tileSide*out, results[j*tileTaken*all*out:], all*out, out, out, n)
		}
		top := line * tileSide
		if rows-top >= tileSide {
			kernel.GatherSums(dst[top*dstPitch:], dstPitch, 0, t.rows, row, 0, samples*out, 1)
			continue
		}
		kernel.GatherSums(t.valid, row, 0, t.rows, row, 0, samples*out, 1)
		for y := range rows - top {
			copy(dst[(top+y)*dstPitch:][:samples*out], t.valid[y*row:])
		}
	}
}

// correlate adds to t.taps the gradient of transformed taps. d holds the gradients of at most tiledRows(samples)
// rows of output samples with out channels, and src the input for these rows, with k channels; their rows begin
// dPitch and srcPitch entries apart. Gradients beyond the rows and samples of d count as 0.
func (t *tiles) correlate(d []float32, dPitch, out int, src []float32, srcPitch, k, rows, samples int) {
	n, lines := tilesOf(samples), tilesOf(rows)
	t.spreadSamples(src, srcPitch, k, n, lines)
	row, all := tileSide*n*out, lines*n
	for line := range lines {
		top := line * tileSide
		from, pitch := d[top*dPitch:], dPitch
		if rows-top < tileSide {
			clear(t.valid[:tileSide*row])
			for y := range rows - top {
				copy(t.valid[y*row:], from[y*dPitch:][:samples*out])
			}
			from, pitch = t.valid, row
		}
		kernel.SpreadGradients(t.rows, row, 0, from, pitch, 0, samples*out, 1)
		for j := range tileTaken {
			clear(t.rows[j*row+samples*out : (j+1)*row])
			kernel.SpreadGradients(t.results[j*tileTaken*all*out+line*n*out:], all*out, out, t.rows[j*row:], out,
				tileSide*out, out, n)
		}
	}
	for i := range places {
		kernel.Correlate(t.taps[i*k*out:], out, t.samples[i*all*k:], k, 0, t.results[i*all*out:], 0, 1, all, k)
	}
}

// gatherTaps computes the gradient of the taps, 9 blocks in dst, from t.taps. block is the number of weights of a tap.
func (t *tiles) gatherTaps(dst []float32, block int) {
	kernel.GatherTaps(t.half, block, 3*block, t.taps, block, tileTaken*block, block, tileTaken)
	kernel.GatherTaps(dst, 3*block, 0, t.half, 3*block, 0, 3*block, 1)
}
