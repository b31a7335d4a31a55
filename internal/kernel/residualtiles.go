package kernel

// ResidualTwoRows is Residual for two rows of samples. rows has the offsets in src of the runs in the four rows from
// which both are computed; the rows of outputs begin at the offsets to of dst. No sample in src may be above Most in
// magnitude, unless the filter is wide.
func ResidualTwoRows(dst []float32, to [2]int, src []int16, rows []int, samples int, f *Filter, work *Winograd) {
	if len(rows) != 4 {
		panic("kernel: two rows of samples are made of four")
	}
	if f.transformed == nil || !hasWinograd() || !f.biasFits() {
		for i := range 2 {
			Residual(dst[to[i]:], src, rows[i:i+3], samples, f)
		}
		return
	}
	for i := range 2 {
		f.check(len(dst)-to[i], f.Outputs, len(src), rows[i:i+3], samples, 2*f.Words)
		_ = dst[to[i]]
	}
	work.prepare(f)
	if current > 0 && !f.IsWide {
		work.residual(dst, to, src, rows, 0, samples, f)
		return
	}
	for first := 0; first < samples; first += tileSamples {
		at := min(first, samples-tileSamples)
		switch exceeds := f.IsWide && f.exceeds(WideTileInput, src, rows, at, tileSamples); {
		case current == 0 || exceeds && !hasWideTiles():
			work.residualPacked(dst, to, src, rows, at, f)
		case exceeds:
			work.residualWide(dst, to, src, rows, at, f)
		default:
			work.residual(dst, to, src, rows, at, tileSamples, f)
		}
	}
}

// residual computes the outputs of samples from first on.
func (w *Winograd) residual(dst []float32, to [2]int, src []int16, rows []int, first, samples int, f *Filter) {
	channels := f.tileChannels()
	inputs, sums := w.take(channels, f.Outputs)
	residualTiles(dst[to[0]+first*f.Outputs:], to[1]-to[0], samples, src[first*f.Step:], rows, f.Step, channels,
		w.input, inputs, w.sums, sums, f.transformed, w.bias[:f.Outputs], w.positive[:])
}

// residualWide is residual for tileSamples samples of which some are large.
func (w *Winograd) residualWide(dst []float32, to [2]int, src []int16, rows []int, first int, f *Filter) {
	out, second := dst[to[0]+first*f.Outputs:], to[1]-to[0]
	stride := w.sumWide(src, rows, first, f)
	if len(w.wide.distances) > 0 {
		transformWideResidual(out, second, w.sums, w.wide.sums, stride, tilesPerCall, f.Outputs, w.positive[:])
		return
	}
	transformResidual(out, second, w.sums, stride, tilesPerCall, f.Outputs, w.positive[:])
}

// residualTilesGeneric is convolveTiles for the last layer.
func residualTilesGeneric(dst []float32, second, samples int, src []int16, rows []int, step, channels int, v []int16,
	stride int, sums []int32, sumStride int, weights, bias []int32, scale []float32) {
	for first := 0; first < samples; first += tileSamples {
		at, outputs := min(first, samples-tileSamples), len(bias)
		transformInput(v, stride, src[at*step:], rows, step, tilesPerCall, channels)
		multiplyTiles(sums, sumStride, v, stride, tilesPerCall, channels, weights, bias)
		transformResidual(dst[at*outputs:], second, sums, sumStride, tilesPerCall, outputs, scale)
	}
}

// transformResidualGeneric is transformOutput for the last layer: it sets dst to the outputs, neither rounded nor
// clipped. Those of the second row lie second entries after those of the first.
func transformResidualGeneric(dst []float32, second int, sums []int32, stride, n, outputs int, scale []float32) {
	eachTileSum(sums, stride, n, outputs, func(s, y, x, o, i int, sum int32) {
		dst[y*second+(2*s+x)*outputs+o] = float32(sum) * scale[i]
	})
}

// transformWideResidualGeneric is transformResidual for sums of two parts, low + high·2^tileBits.
func transformWideResidualGeneric(dst []float32, second int, low, high []int32, stride, n, outputs int,
	scale []float32) {
	lows := make([]int32, 0, 4*n*outputs)
	eachTileSum(low, stride, n, outputs, func(s, y, x, o, i int, sum int32) { lows = append(lows, sum) })
	eachTileSum(high, stride, n, outputs, func(s, y, x, o, i int, sum int32) {
		dst[y*second+(2*s+x)*outputs+o] = float32(int64(lows[0])+int64(sum)<<tileBits) * scale[i]
		lows = lows[1:]
	})
}

// eachTileSum applies Aᵀ to the rows that multiplyTiles left, and calls use with the sum of output o at (x, y) of tile
// s, which is number i among the sums.
func eachTileSum(sums []int32, stride, n, outputs int, use func(s, y, x, o, i int, sum int32)) {
	for s := range n {
		for o := range outputs {
			i := sumLane(o, outputs)
			for y := range 2 {
				var row [4]int32
				for x := range row {
					row[x] = sums[(2*x+y)*stride+s*outputs+i]
				}
				for x, sum := range transformOutputColumn(row) {
					use(s, y, x, o, i, sum)
				}
			}
		}
	}
}
