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

// Options say how Upscale enlarges a picture. The zero value enlarges it by the model's own scale.
type Options struct {
	// Scale is the factor for each side, 1 to 16. 0 means the scale of the model, or 2 for a plain interpolation.
	Scale float64
	// Width and Height are the size of the result in pixels; they are set instead of Scale. If one of them is 0, that
	// side follows from the other and the proportions of the picture: see ResultSize.
	Width, Height int
	// Fit keeps the proportions of the picture, so that the result is the largest one within Width×Height.
	Fit bool
	// Strength is the share, in the result, of what the model adds to interpolated brightness, and to colour if
	// it has a network for red, green and blue: 0 to 1.3. nil means 1.
	Strength *float64
	// Subsampled says that the picture comes from a file which keeps colour at half the resolution of brightness in
	// both directions (4:2:0), as most JPEG files and all lossy WebP files do. Colour is then enlarged from that
	// resolution. Upscale sees this itself in an *image.YCbCr, as image/jpeg decodes a file.
	Subsampled bool
	// Quality is the quality of the JPEG file that the picture comes from, 1 to 100; 0: another file, or unknown. Like
	// WebP, it counts only for a model that chooses by the flaws of each picture: see WithRobust.
	Quality int
	// WebP is the quantiser index of the lossy WebP file that the picture comes from, 1 to 127; 0: another file.
	WebP float64
	// Mix has parts of the picture enlarged by a second model. nil means none.
	Mix *Mix
	// Chroma is the colour of a grey picture; it is enlarged together with the picture. nil means that there is none.
	Chroma *Chroma
	// Depth is the number of bits of a sample of the result, 8 or 16. 0 means as many as in the picture.
	Depth int
	// BandRows is the number of rows of the picture that are worked on at a time. It changes how much memory is
	// taken, never the result. 0 means a number that suits the model and the size.
	BandRows int
	// Report is set, before Upscale or Stream returns, to how the enlargement went. nil asks for no report, and
	// saves the time that it takes: some 10 ms for 6 million pixels on two processors.
	Report *Report
	// Progress is called with the share of the work that is done, 0 to 1, from one goroutine. It may be nil.
	Progress func(float64)

	strips bool // the result is handed over in strips; false: as a whole
}

// report returns Progress, or a function that does nothing.
func (o Options) report() func(float64) {
	if o.Progress == nil {
		return func(float64) {}
	}
	return o.Progress
}

// Chroma is the colour of a video frame, whose brightness is a grey picture. Its planes are red minus brightness and
// blue minus brightness, from -1 to 1 where brightness is from 0 to 1.
type Chroma struct {
	// Low are the two planes before the enlargement, of the size of the picture. Upscale does not change them.
	Low [2]*plane.Plane
	// High are the two planes of the size of the result, in new memory. Upscale sets them.
	High [2]*plane.Plane
}

// The range of scales, and the greatest strength.
const (
	MinScale    = 1
	MaxScale    = 16
	MaxStrength = 1.3
)

// Upscale returns img enlarged to the size that ResultSize gives, in new memory. A grey picture comes back as
// *image.Gray or *image.Gray16, all others as *image.NRGBA or *image.NRGBA64, with the transparency that they have.
// The result has the same bytes whatever the number of workers and of rows in a band.
//
// A scale other than the model's is reached in passes by the model, and by its siblings for other scales, until the
// size is met or passed, and an exact antialiased reduction from there. A model that takes noise and compression away,
// and one with a network, has at least one pass, so that a picture is restored where the result is no larger; a network
// of scale 1 has no more, and its result is interpolated to a larger size.
//
// It is an error if img is empty, or an option is out of its range. When ctx ends, Upscale returns ctx.Err().
func (m *Model) Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	e, err := m.chosenFor(ctx, img, opt)
	if err != nil {
		return nil, err
	}
	if err := e.enlarge(ctx, opt.report()); err != nil {
		return nil, err
	}
	return e.out.Image, nil
}

// Streams reports whether Stream can enlarge a picture. It cannot if the picture has transparency, which is enlarged
// after all of its colour, or if the model has the effort max, which works on the whole picture.
func (m *Model) Streams(img image.Image) bool { return picture.IsOpaque(img) && !m.maxEffort }

// Stream enlarges a picture as Upscale does, but calls emit with strips of whole rows of the result, from the top, so
// that the result is never in memory as a whole. The strips have the types that Upscale returns; each is in new memory,
// which emit may keep. Stream ends at the first error of emit, and returns it.
func (m *Model) Stream(ctx context.Context, img image.Image, opt Options, emit func(strip image.Image) error) error {
	if !m.Streams(img) {
		const text = "superres: a picture that cannot be enlarged in strips: it has transparency, or the effort is max"
		return errors.New(text)
	}
	opt.strips = true
	e, err := m.chosenFor(ctx, img, opt)
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
	err = e.enlarge(ctx, opt.report())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// prepare checks the options and returns an enlarger for the picture.
func (m *Model) prepare(img image.Image, opt Options) (*enlarger, error) {
	if least := m.leastScale(); m.Scale < least {
		return nil, fmt.Errorf("superres: a model of scale %d, expected %d or more", m.Scale, least)
	}
	b := img.Bounds()
	if b.Dx() < 1 || b.Dy() < 1 {
		return nil, errors.New("superres: the picture is empty")
	}
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), opt)
	if err != nil {
		return nil, err
	}
	if opt.Chroma != nil {
		if !picture.IsGrey(img) || opt.strips {
			return nil, errors.New("superres: chroma is for grey pictures that are not enlarged in strips")
		}
		for _, p := range opt.Chroma.Low {
			if p == nil || p.W != b.Dx() || p.H != b.Dy() {
				return nil, errors.New("superres: chroma that is not of the size of its picture")
			}
		}
	}
	if opt.Strength != nil && !(*opt.Strength >= 0 && *opt.Strength <= MaxStrength) {
		return nil, usage.Errorf("superres: strength %g, expected 0 to %g", *opt.Strength, MaxStrength)
	}
	var mixer *mixer
	if s := (sizes{b.Dx(), b.Dy(), w, h}); opt.Mix != nil {
		if mixer, err = m.newMixer(opt.Mix, s); err != nil {
			return nil, err
		}
	}
	e := m.newEnlarger(img, w, h, opt, &stage.Pool{})
	if e.changed {
		e.mixer = mixer
	}
	return e, nil
}
