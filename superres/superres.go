package superres

import (
	"context"
	"errors"
	"fmt"
	"image"

	"superres/internal/picture"
	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Options tell Upscale what to do. The zero value enlarges by the model's own
// scale.
type Options struct {
	// Scale is by how much each side is enlarged, 1 to 16; 0: the model's own, or 2.
	Scale float64
	// Width and Height are the size of the result in pixels, instead of a scale; 0: in
	// proportion to the other, see ResultSize.
	Width, Height int
	// Fit keeps the shape of the picture and stays within Width×Height.
	Fit bool
	// Strength is how much of what the model adds to interpolated brightness the result has, 0
	// to 1.3; nil: all of it, 1.
	Strength *float64
	// Subsampled tells that the picture comes out of a file that keeps colour at half the
	// resolution of brightness in both directions, 4:2:0, as most JPEG and all lossy WebP files
	// do, and has it enlarged smoothly from that.
	Subsampled bool
	// Mix has parts of the picture enlarged as another model does it; nil: none.
	Mix *Mix
	// Chroma is the colour of a grey picture, which is enlarged beside it; nil: it has none.
	Chroma *Chroma
	// Depth is how many bits a sample of the result has, 8 or 16; 0: as the picture.
	Depth int
	// BandRows is how many rows of the picture are worked on together. It decides about
	// memory, never about the result; 0: as suits.
	BandRows int
	// Progress is called with the share done, 0..1, from one goroutine; it may be nil.
	Progress func(float64)

	strips bool // the result is never whole
}

// progress is Progress, or what takes its place.
func (o Options) progress() func(float64) {
	if o.Progress == nil {
		return func(float64) {}
	}
	return o.Progress
}

// Chroma is the colour of video, which keeps it apart from brightness: a grey picture is the brightness, and these
// planes are red minus brightness and blue minus brightness, in the same units.
type Chroma struct {
	// Low are R−Y and B−Y at each pixel of the picture. They are not changed.
	Low [2]*plane.Plane
	// High are those at each pixel of the result, in new memory. Upscale sets them.
	High [2]*plane.Plane
}

// The range of scales, and the greatest strength.
const (
	MinScale    = 1
	MaxScale    = 16
	MaxStrength = 1.3
)

// Upscale returns img enlarged, to the size that ResultSize gives. Grey stays grey,
// 16 bits a sample stay 16, and a picture with transparency comes back with it; other
// pictures come back as *image.NRGBA or *image.NRGBA64. The result is the same
// whatever the number of workers and of rows that are worked on together.
//
// A scale that is not the model's is reached by running the model, and its siblings
// for other scales, as often as needed to go past it, and an exact antialiased
// reduction from there.
//
// It fails when img is empty, the scale or the size is out of range, or ctx ends.
func (m *Model) Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	e, err := m.enlarger(img, opt)
	if err != nil {
		return nil, err
	}
	if err := e.enlarge(ctx, opt.progress()); err != nil {
		return nil, err
	}
	return e.out.Image, nil
}

// Streams tells whether the enlargement of a picture can be had in strips: not with
// transparency, which is enlarged behind colour, nor as a mean over the flips and turns.
func (m *Model) Streams(img image.Image) bool { return picture.IsOpaque(img) && !m.eight }

// Stream is Upscale for a picture that Streams, and hands the result over in strips of whole
// rows, from the top, without having all of it in memory: of the types that Upscale returns,
// opaque, each of its own memory. It ends at the first error of emit and returns it.
func (m *Model) Stream(ctx context.Context, img image.Image, opt Options, emit func(strip image.Image) error) error {
	if !m.Streams(img) {
		return errors.New("superres: a picture that cannot be enlarged in strips: it has transparency, or the effort is max")
	}
	opt.strips = true
	e, err := m.enlarger(img, opt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.emit = func(strip image.Image) {
		if ctx.Err() != nil {
			return
		}
		if err := emit(strip); err != nil {
			cancel(err)
		}
	}
	err = e.enlarge(ctx, opt.progress())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// enlarger checks the options and makes what enlarges the picture.
func (m *Model) enlarger(img image.Image, opt Options) (*enlarger, error) {
	if len(m.Stages) > 0 && m.Scale < 2 {
		return nil, fmt.Errorf("superres: a model with stages and scale %d", m.Scale)
	}
	b := img.Bounds()
	if b.Dx() < 1 || b.Dy() < 1 {
		return nil, errors.New("superres: the picture is empty")
	}
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), opt)
	if err != nil {
		return nil, err
	}
	if opt.Chroma != nil && (!picture.IsGrey(img) || opt.strips) {
		return nil, errors.New("superres: chroma is for grey pictures that are not enlarged in strips")
	}
	if opt.Strength != nil && !(*opt.Strength >= 0 && *opt.Strength <= MaxStrength) {
		return nil, usage.Errorf("superres: strength %g, expected 0 to %g", *opt.Strength, MaxStrength)
	}
	e := m.newEnlarger(img, w, h, opt, &stage.Pool{})
	if opt.Mix != nil && e.enlarges() {
		e.mixer, err = m.newMixer(opt.Mix, e.sizes)
	}
	return e, err
}

// Size returns the size of the result for a picture of w×h and a scale (0: the
// model's own, or 2). It fails when the scale is not in MinScale..MaxScale.
func (m *Model) Size(w, h int, scale float64) (int, int, error) {
	switch {
	case scale == 0 && m.Scale > 0:
		scale = float64(m.Scale)
	case scale == 0:
		scale = 2
	case !(scale >= MinScale && scale <= MaxScale):
		return 0, 0, usage.Errorf("superres: scale %g, expected %d to %d", scale, MinScale, MaxScale)
	}
	factor := exactDecimal(scale)
	return scaledSide(w, factor), scaledSide(h, factor), nil
}
