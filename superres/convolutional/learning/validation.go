package learning

import (
	"context"
	"fmt"
	"image"
	"math"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/training"
)

// validation holds the brightness of pictures that are not trained on, at full and at low resolution.
type validation struct {
	scale      int
	truth, low []*plane.Plane
	colour     [][]*plane.Plane // colour differences of low; nil if grey or not seen by the network
}

// readValidation reads s.Validation and returns the pictures with reduced copies.
func (s *session) readValidation(ctx context.Context) (*validation, error) {
	v := &validation{scale: s.Scale}
	silent := func(string, int, int) {}
	return v, training.Read(ctx, s.Validation, "", silent, func(_ int, img image.Image) error {
		channels := picture.Split(img).Channels
		w, h := channels[0].W/s.Scale, channels[0].H/s.Scale
		if min(w, h) < 4 {
			return fmt.Errorf("%w: %d×%d pixels are too few to be checked", training.ErrPictures, channels[0].W,
				channels[0].H)
		}
		truth := convert(channels, func(p *plane.Plane) *plane.Plane { return p.Crop(0, 0, w*s.Scale, h*s.Scale) })
		low := s.reduce(truth, s.Degradation)
		lowLuma := luma(low)
		v.truth, v.low = append(v.truth, luma(truth)), append(v.low, lowLuma)
		var colour []*plane.Plane
		if s.SeesColour && len(low) == 3 {
			d := differences(low, lowLuma)
			colour = d[:]
		}
		v.colour = append(v.colour, colour)
		return nil
	})
}

// score returns the mean PSNR in dB of the pictures, enlarged by n from their low-resolution copies, or 0 without
// pictures; a picture without errors counts as 100 dB. A border of scale pixels is left out, and luma has 219 levels
// of the 255, as MATLAB computes it.
func (v *validation) score(ctx context.Context, n *convolutional.Network) (float64, error) {
	if len(v.low) == 0 {
		return 0, nil
	}
	sum := 0.0
	for i, low := range v.low {
		truth := v.truth[i]
		added, err := computeResidual(ctx, n, low, v.colour[i]...)
		if err != nil {
			return 0, err
		}
		base := resample.Resize(low, truth.W, truth.H, resample.Bicubic)
		squares, count := 0.0, 0
		for y := v.scale; y < truth.H-v.scale; y++ {
			for x := v.scale; x < truth.W-v.scale; x++ {
				got := math.Round(255*float64(picture.Clamp(base.Row(y)[x]+added.Row(y)[x]))) / 255
				e := 219. / 255 * (got - float64(truth.Row(y)[x]))
				squares += e * e
				count++
			}
		}
		sum -= 10 * elementary.Log10(max(squares/float64(count), 1e-10))
	}
	return sum / float64(len(v.low)), nil
}

// tile is the side, in low-resolution samples, of the tiles that computeResidual divides a picture into.
const tile = 48

// computeResidual returns what n adds to the interpolation of low, tile by tile, in float32 and with the code that
// trains networks. colour has red and blue minus brightness if n sees colour, and is empty for a grey picture.
func computeResidual(
	ctx context.Context, n *convolutional.Network, low *plane.Plane, colour ...*plane.Plane,
) (*plane.Plane, error) {
	out := plane.New(low.W*n.Scale, low.H*n.Scale)
	shapes, reach := shapesOf(n), n.Reach()
	var layers []*layer
	for i, s := range shapes {
		layers = append(layers, newLayer(s, n.Layers[i], false, false, nil))
	}
	cols, rows := (low.W+tile-1)/tile, (low.H+tile-1)/tile
	err := parallel.For(ctx, cols*rows, 1, func() func(lo, hi int) { // a range is one tile
		p := newPass(shapes, n.Every(), tile, reach)
		side := p.sides[0]
		return func(lo, hi int) {
			left, top := lo%cols*tile, lo/cols*tile
			for y := range side {
				v, inputs := min(max(top-reach+y, 0), low.H-1), shapes[0].in
				for x := range side {
					u, to := min(max(left-reach+x, 0), low.W-1), p.input[(y*side+x)*inputs:][:inputs]
					clear(to)
					for k, c := range colour {
						to[k] = c.Row(v)[u] / 2
					}
					to[inputs-1] = low.Row(v)[u]
				}
			}
			p.forward(layers)
			for y := range min(tile, low.H-top) {
				for x := range min(tile, low.W-left) {
					for k, v := range p.output(x, y) {
						out.Row((top+y)*n.Scale + k/n.Scale)[(left+x)*n.Scale+k%n.Scale] = v
					}
				}
			}
		}
	})
	return out, err
}
