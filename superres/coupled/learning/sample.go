package learning

import (
	"context"
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

// sampler samples pairs of low- and high-resolution patches from pictures (reservoir sampling): all pairs that are not
// flat are equally likely. Only the seed, the pictures and their order decide which pairs are in the sample.
type sampler struct {
	Trainer
	rng  *rand.Rand
	seen int       // number of pairs so far that were not flat
	low  []float64 // the pairs in the sample, patch after patch
	high []float64
	hash training.Digest
}

func newSampler(t Trainer) *sampler {
	return &sampler{Trainer: t, rng: rand.New(rand.NewPCG(t.Seed, 1))}
}

// read draws pairs from all pictures and their reductions, and adds the pictures to s.hash.
func (s *sampler) read(ctx context.Context, sources []training.Source, progress training.Progress) error {
	return training.Read(ctx, sources, "reading pictures", progress, func(_ int, img image.Image) error {
		luma := picture.Split(img).Luma()
		s.hash.Add(luma)
		s.add(luma)
		for _, r := range s.Reductions {
			w, h := int(math.Round(float64(luma.W)*r)), int(math.Round(float64(luma.H)*r))
			if w >= 1 && h >= 1 {
				s.add(picture.Round8(resample.Resize(luma, w, h, resample.Bicubic)))
			}
		}
		return nil
	})
}

// add offers all pairs of patches of a picture to the sample, which takes or drops each at random; a full sample
// replaces a pair. truth is the brightness of the picture. add drops pairs with little contrast, below Flat, and
// pictures smaller than a patch. With Detail, high patches hold what truth adds to the interpolation.
func (s *sampler) add(truth *plane.Plane) {
	grid := patches.Grid{W: truth.W / s.Scale, H: truth.H / s.Scale, Size: s.Patch, Step: 1}
	if grid.Check() != nil {
		return // too small to hold a patch
	}
	truth = truth.Crop(0, 0, grid.W*s.Scale, grid.H*s.Scale)
	low := picture.Round8(s.Degradation.Reduce(truth, s.Scale))
	if s.Detail {
		for i, v := range resample.Resize(low, truth.W, truth.H, resample.Bicubic).Pix {
			truth.Pix[i] -= v
		}
	}
	high := grid.Scale(s.Scale)
	n, m := s.sizes()
	l, h := make([]float32, n), make([]float32, m)
	for i := range grid.Len() {
		x, y := grid.At(i)
		grid.Patch(low, x, y, l)
		mean := meanOf(l)
		if deviation(l, mean) < s.Flat {
			continue
		}
		s.seen++
		at := len(s.low) / n
		if at >= s.Patches {
			if at = s.rng.IntN(s.seen); at >= s.Patches {
				continue
			}
		} else {
			s.low, s.high = append(s.low, make([]float64, n)...), append(s.high, make([]float64, m)...)
		}
		high.Patch(truth, x*s.Scale, y*s.Scale, h)
		for j, v := range l {
			s.low[at*n+j] = float64(v)
			if s.Mean {
				s.low[at*n+j] -= mean
			}
		}
		for j, v := range h {
			s.high[at*m+j] = float64(v)
			if s.Mean && !s.Detail { // residuals lack the mean already
				s.high[at*m+j] -= mean
			}
		}
	}
}

func meanOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}

// deviation returns the standard deviation of samples with the given mean.
func deviation(v []float32, mean float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += (float64(x) - mean) * (float64(x) - mean)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// pairs returns Y = [Y_L; Y_H] in new memory, with one pair in each column, and releases the sample.
func (s *sampler) pairs() (*mat.Dense, error) {
	n, m := s.sizes()
	count := len(s.low) / n
	if count == 0 {
		return nil, fmt.Errorf("coupled: %w: no patch pair was found, they are flat or smaller than %d×%d",
			training.ErrPictures, s.Patch*s.Scale, s.Patch*s.Scale)
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
