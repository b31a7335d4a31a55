package superres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"image"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/patches"
)

// Source is one training picture: its name, for messages, and how to get it. Open
// may be called more than once and must give the same picture every time.
type Source struct {
	Name string
	Open func(context.Context) (image.Image, error)
}

// sampler draws pairs of low- and high-resolution patches from pictures: every
// pair that is not flat has the same chance, and the draw depends on the seed and
// the order of the pictures alone (reservoir sampling).
type sampler struct {
	opt   TrainOptions
	rng   *rand.Rand
	seen  int       // pairs that were not flat
	low   []float64 // the pairs kept: patch after patch
	high  []float64
	total hash.Hash
}

func newSampler(opt TrainOptions) *sampler {
	return &sampler{opt: opt, rng: rand.New(rand.NewPCG(opt.Seed, 1)), total: sha256.New()}
}

// sizes returns the samples of a low- and of a high-resolution patch.
func (o TrainOptions) sizes() (low, high int) {
	low = o.Patch * o.Patch
	return low, low * o.Scale * o.Scale
}

// add offers all pairs of the picture and of its reductions.
func (s *sampler) add(img image.Image) {
	whole := split(img).luma()
	s.hash(whole)
	s.addPlane(whole)
	for _, r := range s.opt.Reductions {
		w, h := int(math.Round(float64(whole.W)*r)), int(math.Round(float64(whole.H)*r))
		if w >= 1 && h >= 1 {
			s.addPlane(round8(Resize(whole, w, h, Bicubic)))
		}
	}
}

// hash adds a picture to the hash of all, and returns its own.
func (s *sampler) hash(p *patches.Plane) string {
	buf := make([]byte, 0, 8+4*len(p.Pix))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(p.W))
	buf = binary.LittleEndian.AppendUint32(buf, uint32(p.H))
	for _, v := range p.Pix {
		buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(v))
	}
	s.total.Write(buf)
	own := sha256.Sum256(buf)
	return hex.EncodeToString(own[:8])
}

func (s *sampler) addPlane(truth *patches.Plane) {
	scale := s.opt.Scale
	grid := patches.Grid{W: truth.W / scale, H: truth.H / scale, Size: s.opt.Patch, Step: 1}
	if grid.Check() != nil {
		return // too small to hold a patch
	}
	truth = truth.Crop(0, 0, grid.W*scale, grid.H*scale)
	low := round8(s.opt.Degradation.Reduce(truth, scale))
	if s.opt.Detail {
		plain := Resize(low, truth.W, truth.H, Bicubic)
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
		mean := meanOf(l)
		if spread(l, mean) < s.opt.Flat {
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
			if s.opt.Mean {
				s.low[at*n+j] -= mean
			}
		}
		for j, v := range h {
			s.high[at*m+j] = float64(v)
			if s.opt.Mean && !s.opt.Detail {
				s.high[at*m+j] -= mean
			}
		}
	}
}

// spread is the root mean square distance from the mean.
func spread(v []float32, mean float64) float64 {
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
		return nil, fmt.Errorf("superres: %w: no patch pair was found, they are flat or smaller than %d×%d", ErrPictures, s.opt.Patch*s.opt.Scale, s.opt.Patch*s.opt.Scale)
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

func (s *sampler) sum() string { return hex.EncodeToString(s.total.Sum(nil)) }
