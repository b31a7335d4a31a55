package resample

import (
	"context"
	"fmt"
	"math"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/patches/plane"
)

// Kernel is the name of an interpolation kernel.
type Kernel string

// The kernels. Enlarging or reducing with Bicubic is MATLAB's imresize: the cubic of Keys with a = −½, widened to
// reduce (antialiasing), with mirrored edges. Lanczos has three lobes and is widened in the same way. Nearest takes the
// sample that covers the centre of the new sample.
const (
	Nearest Kernel = "nearest"
	Bicubic Kernel = "bicubic"
	Lanczos Kernel = "lanczos"
	// Triangle interpolates linearly between two samples, as libraries do for the colour of JPEG files.
	Triangle Kernel = "triangle"
)

// Check returns an error if the kernel is unknown.
func (k Kernel) Check() error {
	_, err := k.filter()
	return err
}

// filter returns the kernel function and its half width. R. Keys: Cubic convolution interpolation for digital image
// processing, IEEE Trans. ASSP 29 (1981), doi:10.1109/TASSP.1981.1163711.
func (k Kernel) filter() (imaging.ResampleFilter, error) {
	switch k {
	case Nearest:
		return imaging.NearestNeighbor, nil
	case Bicubic:
		return imaging.CatmullRom, nil
	case Lanczos:
		return imaging.Lanczos, nil
	case Triangle:
		return imaging.Linear, nil
	}
	unknown := usage.Unknown("kernel", string(k), []string{"bicubic", "lanczos", "nearest", "triangle"})
	return imaging.ResampleFilter{}, usage.Errorf("resample: %s", unknown)
}

// Resize returns p resampled to w×h with the kernel, in new memory. It panics if a side of p or of the result is less
// than 1, or the kernel is unknown.
func Resize(p *plane.Plane, w, h int, k Kernel) *plane.Plane {
	out := plane.New(w, h)
	New(p.W, p.H, w, h, k).Rows(out, p, 0, 0)
	return out
}

// Scaler resamples planes of one size to another, some rows at a time. A row has the same bits no matter which other
// rows are computed in the same call. A Scaler is immutable and safe for concurrent use.
type Scaler struct {
	inW, inH, outW, outH int
	fixed                *polyphase // nil: across and down are used
	across, down         taps
}

// New returns a Scaler from inW×inH to outW×outH. It panics if a side is less than 1 or the kernel is unknown.
func New(inW, inH, outW, outH int, k Kernel) *Scaler {
	if inW < 1 || inH < 1 || outW < 1 || outH < 1 {
		panic(fmt.Sprintf("resample: %d×%d to %d×%d", inW, inH, outW, outH))
	}
	s := &Scaler{inW: inW, inH: inH, outW: outW, outH: outH}
	if k == Bicubic {
		s.fixed = newPolyphase(inW, inH, outW, outH)
	}
	if s.fixed == nil {
		s.across, s.down = k.taps(inW, outW), k.taps(inH, outH)
	}
	return s
}

// Axis says where the samples of a new axis lie on an old axis: sample i lies at First + i·Step, in units of samples of
// the old axis, the first of which is at 0. New uses Step = in/out and First = (Step−1)/2: the edges coincide.
type Axis struct{ First, Step float64 }

// NewAt is New with the new samples at the positions across and down. Video needs it, as samples of colour lie either
// on samples of brightness or between them. NewAt panics unless the Step of across and of down is more than 0.
func NewAt(inW, inH, outW, outH int, k Kernel, across, down Axis) *Scaler {
	if inW < 1 || inH < 1 || outW < 1 || outH < 1 || !(across.Step > 0) || !(down.Step > 0) {
		panic(fmt.Sprintf("resample: %d×%d to %d×%d, %v, %v", inW, inH, outW, outH, across, down))
	}
	s := &Scaler{inW: inW, inH: inH, outW: outW, outH: outH}
	s.across, s.down = k.tapsAt(inW, outW, across), k.tapsAt(inH, outH, down)
	return s
}

// Size returns the width and the height of the result.
func (s *Scaler) Size() (w, h int) { return s.outW, s.outH }

// Needs returns the range [lo, hi) of rows of the old plane from which the rows [y0, y1) of the result are computed.
func (s *Scaler) Needs(y0, y1 int) (lo, hi int) {
	if f := s.fixed; f != nil {
		before, after := f.reach()
		if f.reduce {
			y0, y1 = y0*f.scale, (y1-1)*f.scale+1
		} else {
			y0, y1 = y0/f.scale, (y1-1)/f.scale+1
		}
		return max(y0-before, 0), min(y1+after, s.inH)
	}
	lo, hi = s.inH, 0
	for _, i := range s.down.index[y0*s.down.count : y1*s.down.count] { // count old rows for each new row
		lo, hi = min(lo, int(i)), max(hi, int(i)+1)
	}
	return lo, hi
}

// Rows sets dst to dst.H rows of the result, beginning with row y0. src holds rows of the old plane, beginning with row
// top, at least the rows that Needs returns. dst and src have the widths given to New, and must share no memory.
func (s *Scaler) Rows(dst, src *plane.Plane, top, y0 int) {
	switch {
	case s.fixed == nil:
		s.sumRows(dst, src, top, y0)
	case s.fixed.reduce:
		s.fixed.reduceRows(dst, src, top, s.inH, y0)
	default:
		s.fixed.enlargeRows(dst, nil, src, top, s.inH, y0)
	}
}

// AddTo sets dst to base plus the whole enlargement of src, with each sum limited to 0..1. dst may be base. It panics
// unless the Scaler enlarges by an integer 2 to 4 with Bicubic.
func (s *Scaler) AddTo(dst, base, src *plane.Plane) {
	if s.fixed == nil || s.fixed.reduce {
		panic("resample: AddTo of a scaler that is no bicubic enlargement by 2 to 4")
	}
	s.fixed.enlargeRows(dst, base, src, 0, s.inH, 0)
}

// sumRows is Rows for any kernel and size, with sums in float64: first along the rows that are needed, then along
// columns. The faster code for fixed scales must agree with it.
func (s *Scaler) sumRows(out, src *plane.Plane, top, y0 int) {
	lo, hi := s.Needs(y0, y0+out.H)
	mid := plane.New(out.W, hi-lo)
	parallel.Rows(mid.H, func(y int) {
		row, to := src.Row(lo+y-top), mid.Row(y)
		for x := range to {
			sum := 0.0
			weight, index := s.across.sumOf(x)
			for i, v := range weight {
				sum += float64(v * float64(row[index[i]]))
			}
			to[x] = float32(sum)
		}
	})
	// A range has 16 rows. The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), out.H, 16, func() func(from, to int) {
		sum := make([]float64, out.W)
		return func(from, to int) {
			for y := from; y < to; y++ {
				clear(sum)
				weight, index := s.down.sumOf(y0 + y)
				for i, v := range weight {
					for x, old := range mid.Row(int(index[i]) - lo) {
						sum[x] += float64(v * float64(old))
					}
				}
				row := out.Row(y)
				for x, v := range sum {
					row[x] = float32(v)
				}
			}
		}
	})
}

// taps holds, for each new sample of an axis, the indices and the weights of the old samples that are summed.
type taps struct {
	count  int
	weight []float64
	index  []int32
}

// sumOf returns the weights and the indices of the old samples that are summed to new sample i.
func (t taps) sumOf(i int) ([]float64, []int32) {
	return t.weight[i*t.count : (i+1)*t.count], t.index[i*t.count : (i+1)*t.count]
}

// taps returns the taps from an axis of oldSize samples to an axis of newSize samples. With scale = newSize/oldSize,
// new sample i lies at u = (i+½)/scale − ½ on the old axis. To reduce, the kernel is stretched by 1/scale. Weights sum
// to 1. Indices beyond an edge are mirrored, including the edge sample. With Nearest, a new sample is one old sample.
func (k Kernel) taps(oldSize, newSize int) taps {
	filter, err := k.filter()
	if err != nil {
		panic(err.Error())
	}
	if k == Nearest || oldSize == newSize {
		t := taps{count: 1, weight: make([]float64, newSize), index: make([]int32, newSize)}
		for i := range newSize {
			t.weight[i], t.index[i] = 1, int32(Under(i, oldSize, newSize))
		}
		return t
	}
	scale := float64(newSize) / float64(oldSize)
	return weigh(filter, oldSize, newSize, min(scale, 1), func(i int) float64 { return (float64(i)+0.5)/scale - 0.5 })
}

// tapsAt returns the taps from an axis of oldSize samples to newSize samples at the positions of a.
func (k Kernel) tapsAt(oldSize, newSize int, a Axis) taps {
	filter, err := k.filter()
	if err != nil {
		panic(err.Error())
	}
	at := func(i int) float64 { return a.First + float64(a.Step*float64(i)) }
	if k == Nearest {
		t := taps{count: 1, weight: make([]float64, newSize), index: make([]int32, newSize)}
		for i := range newSize {
			t.weight[i], t.index[i] = 1, int32(min(max(math.Floor(at(i)+0.5), 0), float64(oldSize-1)))
		}
		return t
	}
	return weigh(filter, oldSize, newSize, min(1/a.Step, 1), at)
}

// weigh returns the taps for newSize samples at the positions u = at(i) on an axis of oldSize samples: the values of
// the filter, divided by their sum. shrink is the number of new samples for each old sample, at most 1; to reduce, it
// widens the filter. Indices beyond an edge are mirrored.
func weigh(filter imaging.ResampleFilter, oldSize, newSize int, shrink float64, at func(i int) float64) taps {
	half := filter.Support / shrink
	count := int(math.Ceil(2*half)) + 1
	t := taps{count: count, weight: make([]float64, newSize*count), index: make([]int32, newSize*count)}
	for i := range newSize {
		u := at(i)
		first := int(math.Floor(u-half)) + 1
		weight, index := t.sumOf(i)
		sum := 0.0
		for j := range weight {
			from := first + j
			weight[j] = filter.Kernel(shrink * (u - float64(from)))
			sum += weight[j]
			index[j] = int32(Mirror(from, oldSize))
		}
		for j := range weight {
			weight[j] /= sum
		}
	}
	return t
}

// Under returns the index of the sample, of oldSize samples, that lies under the centre of sample i of newSize samples.
func Under(i, oldSize, newSize int) int { return (2*i + 1) * oldSize / (2 * newSize) }

// Mirror returns the index, 0 to n-1, for index i on an axis of n samples that is mirrored with its edge samples.
func Mirror(i, n int) int {
	for i < 0 || i >= n {
		if i < 0 {
			i = -i - 1
		} else {
			i = 2*n - 1 - i
		}
	}
	return i
}
