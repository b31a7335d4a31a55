package superres

import (
	"math"

	"superres/internal/kernel"
)

// regressors are the linear maps R_k, rounded to bytes.
type regressors struct {
	coefs []int8    // R_k after R_k, InputDims×OutputDims; room for a vector after the last
	steps []float32 // of each: what 1 stands for
}

// packRegressors rounds linear maps of n coefficients to bytes.
func packRegressors(maps []float32, n int) regressors {
	r := regressors{make([]int8, len(maps), len(maps)+kernel.Lanes), make([]float32, len(maps)/n)}
	for k := range r.steps {
		r.steps[k] = packRow(r.coefs[k*n:(k+1)*n], maps[k*n:(k+1)*n])
	}
	return r
}

// withRoom returns coefficients with room for a vector after the last.
func withRoom(coefs []int8) []int8 {
	if n := len(coefs); cap(coefs) < n+kernel.Lanes {
		return append(make([]int8, 0, n+kernel.Lanes), coefs...)
	}
	return coefs
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
