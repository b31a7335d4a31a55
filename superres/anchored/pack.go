package anchored

import (
	"math"
	"slices"

	"superres/internal/kernel"
)

// regressors are the linear maps R_k, rounded to bytes.
type regressors struct {
	maps  []uint8   // R_k after R_k, as kernel.Maps has them; room after the last
	steps []float32 // of each: what 1 stands for
}

// packRegressors rounds linear maps, InputDims×OutputDims, to bytes, and lays them out.
func (p params) packRegressors(maps []float32) regressors {
	n, size := p.InputDims*p.OutputDims, p.coefs()
	count := len(maps) / n
	r := regressors{make([]uint8, count*size, count*size+kernel.MapRoom), make([]float32, count)}
	row := make([]int8, n)
	for k := range count {
		r.steps[k] = packRow(row, maps[k*n:(k+1)*n])
		to := r.maps[k*size : (k+1)*size]
		for i := range to {
			to[i] = kernel.Offset
		}
		for i, v := range row {
			in, out := i/p.OutputDims, i%p.OutputDims
			to[(in/kernel.Quad*p.OutputDims+out)*kernel.Quad+in%kernel.Quad] += uint8(v)
		}
	}
	return r
}

// The samples of a patch, the coordinates of a block and the entries of V, U and W are
// rounded to 16 bits. Their products have sums of 31 bits at most: a sum is no larger than
// the length of the patch times that of a column, which are below these.
const (
	patchLength  = 65000
	columnLength = 32000
)

// peakOf is what n coordinates may be rounded to.
func peakOf(n int) int { return min(math.MaxInt16, int(patchLength/math.Sqrt(float64(n)))) }

// packPairs rounds a matrix, rows of cols entries, to 16 bits, for kernel.MulPairs: into
// dst, rows of stride words, from column at on. It returns what 1 stands for. The longest
// column decides: of V and U that is one in whose direction patches vary least, which
// must not be hidden by others. Those are up to a thousand times shorter (see basis), so
// that their directions turn a little; anchors and regressors are learned as they are then.
func packPairs(dst []int32, stride, at int, matrix []float32, cols int) float32 {
	squares := make([]float64, cols)
	for i, v := range matrix {
		squares[i%cols] += float64(v) * float64(v)
	}
	unit := math.Sqrt(slices.Max(squares)) / columnLength
	if unit == 0 {
		return 0
	}
	for i, v := range matrix {
		row, col := i/cols, i%cols
		entry := int32(math.Round(float64(v) / unit))
		dst[row/2*stride+at+col] |= (entry & 0xffff) << (row % 2 * 16)
	}
	return float32(unit)
}

// paddedMaps returns maps with room after the last.
func paddedMaps(maps []uint8) []uint8 {
	if n := len(maps); cap(maps) < n+kernel.MapRoom {
		return append(make([]uint8, 0, n+kernel.MapRoom), maps...)
	}
	return maps
}

// packAnchors rounds directions to bytes. The anchors are rounded before regressors
// are learned for them, so nothing is lost.
func packAnchors(anchors []float32, dims int) []int8 {
	out := make([]int8, len(anchors))
	for at := 0; at < len(anchors); at += dims {
		packRow(out[at:at+dims], anchors[at:at+dims])
	}
	return out
}

// unpackAnchors returns rounded directions at length 1.
func unpackAnchors(anchors []int8, dims int) []float32 {
	out, row := make([]float32, len(anchors)), make([]float32, dims)
	for at := 0; at < len(anchors); at += dims {
		for i := range row {
			row[i] = float32(anchors[at+i])
		}
		direction(out[at:at+dims], row)
	}
	return out
}

// packRow rounds values to bytes and returns what 1 stands for: max|v|/127. The error
// of a value is at most half of that.
func packRow(dst []int8, v []float32) (step float32) {
	for _, x := range v {
		step = max(step, float32(math.Abs(float64(x))))
	}
	step /= 127
	for i, x := range v {
		if step > 0 {
			dst[i] = int8(max(-127, min(127, math.Round(float64(x)/float64(step)))))
		}
	}
	return step
}
