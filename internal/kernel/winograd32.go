package kernel

// This file has the transforms with which learning computes convolutions of 3×3 taps with a quarter of the products:
// Winograd's F(4×4, 3×3), with the matrices A, B and G of A. Lavin, S. Gray: Fast algorithms for convolutional neural
// networks, CVPR 2016, arXiv:1509.09308. A tile of 4×4 results needs 6×6 samples x. V = BᵀxB comes from the samples,
// and U = GgGᵀ from the taps g. For each of the 36 entries, the products of V and U are summed over the channels of the
// samples, which is Convolve32 with one row; the results are AᵀMA of the sums M. Correlate with one row computes the
// gradient U' of U from V and AdAᵀ, where d is the gradient of the results; GᵀU'G is the gradient of the taps.
//
// Each of the five functions applies one of these matrices along one direction of a tile, so a tile takes two calls.

// winogradMap is a linear map, applied to n groups of k entries, where k is a multiple of Lanes. The inputs of an entry
// lie srcGap apart in src, its results dstGap apart in dst. Groups begin srcStep and dstStep apart.
type winogradMap = func(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int)

// SpreadSamples sets 6 results to Bᵀ times 6 samples. src and dst must not overlap.
func SpreadSamples(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapTiles(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 6, spreadSamples)
}

// GatherSums sets 4 results to Aᵀ times 6 sums. src and dst must not overlap.
func GatherSums(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapTiles(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 4, gatherSums)
}

// SpreadGradients sets 6 results to A times 4 gradients. src and dst must not overlap.
func SpreadGradients(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapTiles(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 4, 6, spreadGradients)
}

// SpreadTaps sets 6 results to G times 3 taps. src and dst must not overlap.
func SpreadTaps(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapTiles(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 3, 6, spreadTaps)
}

// GatherTaps sets 3 results to Gᵀ times 6 gradients. src and dst must not overlap.
func GatherTaps(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapTiles(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 3, gatherTaps)
}

// mapTiles checks the operands of f, a map of each entry's ins inputs to outs results, and calls f if there are groups.
func mapTiles(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n, ins, outs int, f winogradMap) {
	needOf(k, Lanes)
	if k == 0 || n <= 0 {
		return
	}
	if min(dstGap, dstStep, srcGap, srcStep) < 0 {
		panic("kernel: a negative stride")
	}
	_, _ = dst[(outs-1)*dstGap+(n-1)*dstStep+k-1], src[(ins-1)*srcGap+(n-1)*srcStep+k-1] // panics if short
	f(dst, dstGap, dstStep, src, srcGap, srcStep, k, n)
}

// mapEach calls f for each of the k entries of each of n groups. f sets the outs results y from the ins inputs x.
func mapEach(
	dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n, ins, outs int, f func(y, x *[6]float32),
) {
	var x, y [6]float32
	for g := range n {
		for c := range k {
			for i := range ins {
				x[i] = src[g*srcStep+i*srcGap+c]
			}
			f(&y, &x)
			for i := range outs {
				dst[g*dstStep+i*dstGap+c] = y[i]
			}
		}
	}
}

// spread returns Bᵀ times 6 samples.
func spread(x [6]float32) [6]float32 {
	p, q := fused(-4, x[2], x[4]), fused(-4, x[1], x[3])
	r, s := x[4]-x[2], x[3]-x[1]
	return [6]float32{fused(4, x[0], fused(-5, x[2], x[4])), p + q, p - q, fused(2, s, r), fused(-2, s, r),
		fused(4, x[1], fused(-5, x[3], x[5]))}
}

// gather returns Aᵀ times 6 sums.
func gather(x [6]float32) [4]float32 {
	s, d, s2, d2 := x[1]+x[2], x[1]-x[2], x[3]+x[4], x[3]-x[4]
	return [4]float32{x[0] + s + s2, fused(2, d2, d), fused(4, s2, s), fused(8, d2, d) + x[5]}
}

func spreadSamplesGeneric(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapEach(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 6, func(y, x *[6]float32) { *y = spread(*x) })
}

func gatherSumsGeneric(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapEach(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 4, func(y, x *[6]float32) {
		sums := gather(*x)
		copy(y[:], sums[:])
	})
}

func spreadGradientsGeneric(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapEach(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 4, 6, func(y, x *[6]float32) {
		even, odd := x[0]+x[2], x[1]+x[3]
		even2, odd2 := fused(4, x[2], x[0]), 2*fused(4, x[3], x[1])
		*y = [6]float32{x[0], even + odd, even - odd, even2 + odd2, even2 - odd2, x[3]}
	})
}

func spreadTapsGeneric(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapEach(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 3, 6, func(y, x *[6]float32) {
		even, odd := float32((x[0]+x[2])*(-1./6)), float32(x[1]*(-1./6))
		even2, odd2 := fused(1./24, x[0], x[2]*(1./6)), float32(x[1]*(1./12))
		*y = [6]float32{x[0] * (1. / 4), even + odd, even - odd, even2 + odd2, even2 - odd2, x[2]}
	})
}

func gatherTapsGeneric(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int) {
	mapEach(dst, dstGap, dstStep, src, srcGap, srcStep, k, n, 6, 3, func(y, x *[6]float32) {
		s, d, s2, d2 := (x[1]+x[2])*(-1./6), x[2]-x[1], x[3]+x[4], x[3]-x[4]
		*y = [6]float32{fused(1./24, s2, fused(1./4, x[0], s)), fused(1./12, d2, d*(1./6)), fused(1./6, s2, s) + x[5]}
	})
}
