package learning

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/internal/picture"
	"superres/patches"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/training"
)

// sampler draws pairs of low- and high-resolution patches from pictures: every
// pair that is not flat has the same chance, and the draw depends on the seed and
// the order of the pictures alone (reservoir sampling).
type sampler struct {
	opt   Trainer
	rng   *rand.Rand
	seen  int       // pairs that were not flat
	low   []float64 // the pairs kept: patch after patch
	high  []float64
	total training.Digest
}

func newSampler(opt Trainer) *sampler {
	return &sampler{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 1))}
}

// sizes returns the samples of a low- and of a high-resolution patch.
func (o Trainer) sizes() (low, high int) {
	low = o.Patch * o.Patch
	return low, low * o.Scale * o.Scale
}

// add offers all pairs of the picture and of its reductions.
func (s *sampler) add(img image.Image) {
	whole := picture.Split(img).Luma()
	s.total.Add(whole)
	s.addPlane(whole)
	for _, r := range s.opt.Reductions {
		w, h := int(math.Round(float64(whole.W)*r)), int(math.Round(float64(whole.H)*r))
		if w >= 1 && h >= 1 {
			s.addPlane(picture.Round8(resample.Resize(whole, w, h, resample.Bicubic)))
		}
	}
}

func (s *sampler) addPlane(truth *plane.Plane) {
	scale := s.opt.Scale
	grid := patches.Grid{W: truth.W / scale, H: truth.H / scale, Size: s.opt.Patch, Step: 1}
	if grid.Check() != nil {
		return // too small to hold a patch
	}
	truth = truth.Crop(0, 0, grid.W*scale, grid.H*scale)
	low := picture.Round8(s.opt.Degradation.Reduce(truth, scale))
	if !s.opt.WholePatches {
		plain := resample.Resize(low, truth.W, truth.H, resample.Bicubic)
		for i, v := range plain.Pix {
			truth.Pix[i] -= v
		}
	}
	high := grid.Scale(scale)
	n, m := s.opt.sizes()
	l, h := make([]float32, n), make([]float32, m)
	for i := range grid.Len() {
		x, y := grid.At(i)
		grid.Patch(low, x, y, l)
		mean := mean(l)
		if deviation(l, mean) < s.opt.Flat {
			continue
		}
		s.seen++
		at := len(s.low) / n
		if at >= s.opt.Patches {
			if at = s.rng.IntN(s.seen); at >= s.opt.Patches {
				continue
			}
		} else {
			s.low, s.high = append(s.low, make([]float64, n)...), append(s.high, make([]float64, m)...)
		}
		high.Patch(truth, x*scale, y*scale, h)
		for j, v := range l {
			s.low[at*n+j] = float64(v)
			if !s.opt.KeepMean {
				s.low[at*n+j] -= mean
			}
		}
		for j, v := range h {
			s.high[at*m+j] = float64(v)
			if !s.opt.KeepMean && s.opt.WholePatches {
				s.high[at*m+j] -= mean
			}
		}
	}
}

// mean is the mean of samples.
func mean(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}

// deviation is the root mean square distance from the mean.
func deviation(v []float32, mean float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += (float64(x) - mean) * (float64(x) - mean)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// pairs returns Y = [Y_L; Y_H], one pair a column, and forgets the pairs.
func (s *sampler) pairs() (*mat.Dense, error) {
	n, m := s.opt.sizes()
	count := len(s.low) / n
	if count == 0 {
		return nil, fmt.Errorf("coupled: %w: no patch pair was found, they are flat or smaller than %d×%d", training.ErrPictures, s.opt.Patch*s.opt.Scale, s.opt.Patch*s.opt.Scale)
	}
	y := mat.NewDense(n+m, count, nil)
	for j := range count {
		for i, v := range s.low[j*n : (j+1)*n] {
			y.Set(i, j, v)
		}
		for i, v := range s.high[j*m : (j+1)*m] {
			y.Set(n+i, j, v)
		}
	}
	s.low, s.high = nil, nil
	return y, nil
}
