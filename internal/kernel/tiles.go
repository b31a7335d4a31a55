package kernel

// convolveTilesGeneric computes, by tiles, the outputs of two rows of the given number of samples from four rows of
// samples, which begin at the offsets rows of src. step, dstStep and skipStep are the numbers of entries from sample to
// sample in src, dst and skip. In dst, the second row of outputs begins `second` entries after the first; in skip,
// `skipSecond` entries. v and sums are memory for the input transform and the sums of tilesPerCall tiles, with stride
// and sumStride entries from one value of a transform to the next. weights is the filter transform, bias four times
// the filter's, positive and negative a quarter of its scales, limits Filter.limits. The last tiles end with the rows.
func convolveTilesGeneric(dst []int16, second, samples int, src []int16, rows []int, step, channels int, v []int16,
	stride int, sums []int32, sumStride int, weights, bias []int32, positive, negative []float32, limits []int16,
	skip []int16, skipSecond, skipStep, dstStep int) {
	for first := 0; first < samples; first += tileSamples {
		at := min(first, samples-tileSamples)
		transformInput(v, stride, src[at*step:], rows, step, tilesPerCall, channels)
		multiplyTiles(sums, sumStride, v, stride, tilesPerCall, channels, weights, bias)
		transformOutput(dst[at*dstStep:], second, sums, sumStride, tilesPerCall, len(bias), positive, negative, limits,
			skip[at*skipStep:], skipSecond, skipStep, dstStep)
	}
}

// transformInputGeneric sets v to the input transform BᵀdB of n tiles for Winograd's F(2×2,3×3): see winograd.go. A
// tile has 4×4 samples, step entries apart, in four rows that begin at the offsets rows of src. It begins two samples
// after the tile before. For each of the 16 entries of the transform (in the order of the function entry, stride apart)
// v has, for each tile, the channels. Unlike in the paper by Lavin and Gray, the last row of Bᵀ and the last column of
// Aᵀ are negated, which cancels out. So the output transform only adds the last products, as assembly does while it
// multiplies, where the paper subtracts them.
func transformInputGeneric(v []int16, stride int, src []int16, rows []int, step, n, channels int) {
	for s := range n {
		for c := range channels {
			var d [4][4]int16 // d[x] is the transform of column x
			for x := range 4 {
				i := (2*s+x)*step + c
				d[x] = transformInputColumn(src[rows[0]+i], src[rows[1]+i], src[rows[2]+i], src[rows[3]+i])
			}
			for y := range 4 {
				for x, t := range transformInputColumn(d[0][y], d[1][y], d[2][y], d[3][y]) {
					v[entry(y, x)*stride+s*channels+c] = t
				}
			}
		}
	}
}

// transformInputColumn returns Bᵀ, with its last row negated, times the column (a, b, c, d).
func transformInputColumn(a, b, c, d int16) [4]int16 { return [4]int16{a - c, b + c, c - b, d - b} }

// multiplyTilesGeneric multiplies the input transform of n tiles by the filter transform, entry by entry, sums over
// the channels, and applies Aᵀ to each of the four columns, which leaves two rows. A word of weights holds the weights
// of two channels, in the order of Filter.transformed. sums gets these 4×2 entries, column after column and sumStride
// apart. The sum in the second row and second column begins with the bias: it counts once in each of the four outputs.
func multiplyTilesGeneric(sums []int32, sumStride int, v []int16, stride, n, channels int, weights, bias []int32) {
	for s := range n {
		for o := range bias {
			for x := range 4 {
				var column [4]int32
				if x == 1 {
					column[1] = bias[o]
				}
				for y := range column {
					e := entry(y, x)
					for i := range channels / 2 {
						w := weights[((e/2*channels/2+i)*2+e%2)*len(bias)+o]
						at := e*stride + s*channels + 2*i
						column[y] += int32(v[at])*int32(int16(w)) + int32(v[at+1])*(w>>16)
					}
				}
				for y, sum := range transformOutputColumn(column) {
					sums[(2*x+y)*sumStride+s*len(bias)+o] = sum
				}
			}
		}
	}
}

// transformOutputGeneric applies Aᵀ to the 2 rows of 4 sums of n tiles, column by column stride apart, and sets dst
// to their 2×2 outputs, scaled and clipped to limits, which Filter.limits returns. The sums of a tile, positive and
// negative are ordered by sumLane. In dst, the second row of outputs begins `second` entries after the first; in
// skip, `skipSecond` entries. If skipStep is 0, skip holds zeros, and the last two limits have no effect.
func transformOutputGeneric(dst []int16, second int, sums []int32, stride, n, outputs int, positive,
	negative []float32, limits []int16, skip []int16, skipSecond, skipStep, dstStep int) {
	eachTileSum(sums, stride, n, outputs, func(s, y, x, o, i int, sum int32) {
		dst[y*second+(2*s+x)*dstStep+o] = scaleAndClip(sum, positive[i], negative[i], limits,
			skip[y*skipSecond+(2*s+x)*skipStep+o])
	})
}

// transformOutputColumn returns Aᵀ, with its last column negated, times the column m: see transformInputGeneric.
func transformOutputColumn(m [4]int32) [2]int32 {
	return [2]int32{m[0] + m[1] + m[2], m[1] - m[2] + m[3]}
}

// eachTileSum applies Aᵀ to the 2 rows of 4 sums that multiplyTiles has left of each of n tiles, and calls use with
// the result for output o at (x, y) of tile s. i is the position of the output in sums, positive and negative.
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
