package learning

import (
	"context"
	"fmt"
	"math"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/training"
)

// checks are pictures that nothing is learned from, and their reductions.
type checks struct {
	scale      int
	truth, low []*plane.Plane
}

func readChecks(ctx context.Context, o Trainer) (*checks, error) {
	c := &checks{scale: o.Scale}
	for _, src := range o.Checks {
		img, err := src.Open(ctx)
		if err != nil {
			return nil, err
		}
		whole := picture.Split(img).Channels
		w, h := whole[0].W/o.Scale, whole[0].H/o.Scale
		if min(w, h) < 4 {
			return nil, fmt.Errorf("%s: %w: %d×%d pixels are too few to be checked", src.Name, training.ErrPictures, whole[0].W, whole[0].H)
		}
		truth := each(whole, func(p *plane.Plane) *plane.Plane { return p.Crop(0, 0, w*o.Scale, h*o.Scale) })
		c.truth, c.low = append(c.truth, luma(truth)), append(c.low, luma(o.reduced(truth, o.Degradation)))
	}
	return c, nil
}

// score returns the mean PSNR with which a network restores the pictures, without a border
// of scale pixels, or 0 when there are none. Brightness is counted as MATLAB does, 219 of
// 255 levels.
func (c *checks) score(ctx context.Context, n *convolutional.Network) (float64, error) {
	sum := 0.0
	for i, low := range c.low {
		truth := c.truth[i]
		lack, err := residual(ctx, n, low)
		if err != nil {
			return 0, err
		}
		base := resample.Resize(low, truth.W, truth.H, resample.Bicubic)
		squares, count := 0.0, 0
		for y := c.scale; y < truth.H-c.scale; y++ {
			for x := c.scale; x < truth.W-c.scale; x++ {
				got := math.Round(255*float64(picture.Clamp(base.Row(y)[x]+lack.Row(y)[x]))) / 255
				e := 219. / 255 * (got - float64(truth.Row(y)[x]))
				squares += e * e
				count++
			}
		}
		sum -= 10 * math.Log10(max(squares/float64(count), 1e-10))
	}
	if len(c.low) == 0 {
		return 0, nil
	}
	return sum / float64(len(c.low)), nil
}

// tile is the side of the squares that fast works on, in samples.
const tile = 48

// residual returns what a network adds to an enlargement, computed by the loops of training.
func residual(ctx context.Context, n *convolutional.Network, low *plane.Plane) (*plane.Plane, error) {
	out := plane.New(low.W*n.Scale, low.H*n.Scale)
	shapes, layers, reach := shapesOf(n), parametersOf(n), n.Reach()
	cols, rows := (low.W+tile-1)/tile, (low.H+tile-1)/tile
	err := parallel.For(ctx, cols*rows, 1, func() func(lo, hi int) {
		p := newPass(shapes, tile)
		side := p.sides[0]
		return func(lo, hi int) {
			left, top := lo%cols*tile, lo/cols*tile
			for y := range side {
				row := low.Row(min(max(top-reach+y, 0), low.H-1))
				for x := range side {
					p.input[y*side+x] = row[min(max(left-reach+x, 0), low.W-1)]
				}
			}
			p.forward(layers)
			for y := range min(tile, low.H-top) {
				for x := range min(tile, low.W-left) {
					for k, v := range p.out(x, y) {
						out.Row((top+y)*n.Scale + k/n.Scale)[(left+x)*n.Scale+k%n.Scale] = v
					}
				}
			}
		}
	})
	return out, err
}
