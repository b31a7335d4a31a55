package kernel

// ResidualTwoRows is Residual for two rows of samples. rows has the offsets in src of the runs in the four rows from
// which both are computed; the rows of outputs begin at the offsets to of dst. No sample in src may be above Clip in
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
	for first := 0; first < samples; first += 2 * tilesPerCall {
		at := min(first, samples-2*tilesPerCall)
		if current == 0 {
			work.residualPacked(dst, to, src, rows, at, f)
			continue
		}
		out, second := dst[to[0]+at*f.Outputs:], to[1]-to[0]
		if f.IsWide && f.exceeds(WideTileInput, src, rows, at, 2*tilesPerCall) {
			stride := work.sumWide(src, rows, at, f)
			if len(work.wide.distances) > 0 {
				transformWideResidual(out, second, work.sums, work.wide.sums, stride, tilesPerCall, f.Outputs,
					work.positive[:])
				continue
			}
			transformResidual(out, second, work.sums, stride, tilesPerCall, f.Outputs, work.positive[:])
			continue
		}
		stride := work.sum(src, rows, at, f)
		transformResidual(out, second, work.sums, stride, tilesPerCall, f.Outputs, work.positive[:])
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
