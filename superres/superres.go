package superres

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"sync"
	"sync/atomic"

	"superres/internal/chroma"
	"superres/internal/imagefile"
	"superres/internal/picture"
	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/flaws"
	"superres/superres/flaws/pixelart"
	"superres/superres/score"
	"superres/superres/stage"
)

// Upscale returns img enlarged to the size that ResultSize gives, in new memory. A grey picture comes back as
// *image.Gray or *image.Gray16, any other picture as *image.NRGBA or *image.NRGBA64, with its transparency, if any. The
// result has the same bytes for every number of workers and every height of a band.
//
// If the scale is not the model's own, the picture is enlarged in several passes, by the model and by its siblings
// (models for other scales), to the size of the result or just beyond it, and from there reduced exactly, with
// antialiasing. A model that removes noise and compression, or has a network, makes at least one pass, so that it
// restores a picture even if the result is no larger. A network of scale 1 makes one pass only, and its result is
// interpolated to the size asked for.
//
// It is an error if img is empty, or an option is out of its range. When ctx ends, Upscale returns ctx.Err().
func (m *Model) Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	e, part, err := m.chosenFor(ctx, img, opt)
	if err != nil {
		return nil, err
	}
	if err := e.enlarge(ctx, opt.report()); err != nil {
		return nil, err
	}
	if !part.Empty() { // the picture was extended across its edges, which meet
		return picture.Wrapped(e.out.Image, part), nil
	}
	return e.out.Image, nil
}

// Streams reports whether Stream can enlarge a picture. It cannot if the picture has transparency, because that is
// enlarged after all of the colour, or if the model has the effort max, which works on the whole picture.
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
	e, part, err := m.chosenFor(ctx, img, opt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	top := 0 // the row of the result with which the next strip begins
	e.emit = func(strip image.Image) {
		if ctx.Err() != nil {
			return
		}
		if !part.Empty() { // the picture has a margin: part is the result without it
			rows := strip.Bounds().Add(image.Pt(0, top))
			if top = rows.Max.Y; !rows.Overlaps(part) {
				return
			}
			strip = picture.Wrapped(strip, rows.Intersect(part).Sub(rows.Min))
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

// If opposite edges of a picture meet, as in a tile of a texture or a panorama of 360°, the picture gets a margin
// before it is enlarged. The margin repeats the opposite edge, is at least as wide as the model's reach, and is cut off
// from the result. It begins where a pixel edge of the picture and a pixel edge of the result coincide, so that the
// pixels of the result lie where they would lie without a margin.

// Margin returns the width of the margin at the left and right, and its height above and below, in pixels of a picture
// of the given size that is enlarged to the size of result: the reach of the models, rounded up to where pixel edges of
// both coincide. It is 0 in a direction without opt.WrapX or opt.WrapY.
func (m *Model) Margin(size, result image.Point, opt Options) (margin image.Point) {
	reach := m.Reach(size.X, size.Y, result.X, result.Y)
	if opt.Mix != nil {
		reach = max(reach, opt.Mix.Model.Reach(size.X, size.Y, result.X, result.Y))
	}
	along := func(wraps bool, in, out int) int {
		if !wraps {
			return 0
		}
		step := stage.Step(in, out)
		return (reach + step - 1) / step * step
	}
	return image.Pt(along(opt.WrapX, size.X, result.X), along(opt.WrapY, size.Y, result.Y))
}

// wrap gives img a margin that repeats the opposite edges. It returns pic, the picture with the margin; picOpt, the
// options for enlarging pic; and part, the rectangle of that enlargement that is the result.
func (m *Model) wrap(img image.Image, opt Options) (pic image.Image, picOpt Options, part image.Rectangle, err error) {
	in := img.Bounds().Size()
	w, h, err := m.ResultSize(in.X, in.Y, opt)
	if err != nil {
		return nil, opt, part, err
	}
	margin := m.Margin(in, image.Pt(w, h), opt)
	if opt.Mix != nil {
		mix := *opt.Mix
		if mix.Area.Empty() {
			mix.Area = image.Rectangle{Max: in}
		}
		mix.Area = mix.Area.Add(margin)
		opt.Mix = &mix
	}
	whole := image.Pt((in.X+2*margin.X)*w/in.X, (in.Y+2*margin.Y)*h/in.Y)
	opt.SetSize(whole.X, whole.Y)
	at := image.Pt(margin.X*w/in.X, margin.Y*h/in.Y)
	part = image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	return picture.Wrapped(img, image.Rectangle{Min: margin.Mul(-1), Max: in.Add(margin)}), opt, part, nil
}

// prepare checks the options and returns an enlarger for img. The model PixelArt enlarges img already here, unless
// opt.Chroma is set, the size stays, or m.squares is set and opt.Blend is not: then squares stay squares.
func (m *Model) prepare(img image.Image, opt Options) (*enlarger, error) {
	least := 2
	switch {
	case m.IsPlain():
		least = 0 // any
	case m.Network != nil:
		least = 1
	}
	if m.Scale < least {
		return nil, fmt.Errorf("superres: a model of scale %d, expected %d or more", m.Scale, least)
	}
	b := img.Bounds()
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), opt)
	if err != nil {
		return nil, err
	}
	if opt.Strength != nil && !(*opt.Strength >= 0 && *opt.Strength <= MaxStrength) {
		return nil, usage.Errorf("superres: strength %g, expected 0 to %g", *opt.Strength, MaxStrength)
	}
	if m.pixels && (!m.squares || opt.Blend) && opt.Chroma == nil && (w != b.Dx() || h != b.Dy()) {
		img, opt.Report = pixelart.Enlarge(img, w, h, opt.Blend), nil // pixel art has no LRPSNR
	}
	return m.newEnlarger(img, w, h, opt, &stage.Pool{})
}

// defaultModel is the function that opens the model for the function Upscale; nil: no default model is set.
var defaultModel atomic.Pointer[func() (*Model, error)]

// SetDefault makes the function Upscale use the model that open returns. open is called at most once, when Upscale
// first needs the model. Package superres/models, when it is imported, sets its model auto.
func SetDefault(open func() (*Model, error)) {
	once := sync.OnceValues(open)
	defaultModel.Store(&once)
}

// Upscale returns img enlarged by the default model, as Model.Upscale does. The default is the model auto of package
// superres/models, which the program must import; SetDefault sets another. The model is opened by the first call, in
// some milliseconds. Upscale may be called concurrently.
func Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	open := defaultModel.Load()
	if open == nil {
		return nil, Unusable(errors.New("there is no default model; import superres/superres/models"))
	}
	m, err := (*open)()
	if err != nil {
		return nil, err
	}
	return m.Upscale(ctx, img, opt)
}

// Version is the version of this module, by semantic versioning. The package comment says what it promises.
const Version = "0.1.0"

// Restore reduces img by scale with the model's degradation, to a picture of 8 bits, enlarges the reduced picture by
// scale, and returns the scores of the result against img. PSNR and SSIM leave out a border of scale pixels.
func (m *Model) Restore(ctx context.Context, img image.Image, scale int) (score.Metrics, error) {
	low, err := score.Reduce(img, scale, m.Degradation)
	if err != nil {
		return score.Metrics{}, err
	}
	high, err := m.Upscale(ctx, low, Options{Scale: float64(scale)})
	if err != nil {
		return score.Metrics{}, err
	}
	return score.Compare(img, high, scale, scale)
}

// RestoreExact reduces the brightness of img by scale with the model's degradation and enlarges it by scale. It returns
// the normalised squared error (NFE) and the result. Nothing is rounded to 8 bits before the error is computed, but
// samples are limited to 0..1, as in Table 1 of the paper of package coupled. A side of img below scale is an error.
func (m *Model) RestoreExact(ctx context.Context, img image.Image, scale int) (float64, *image.Gray, error) {
	if b := img.Bounds(); b.Dx() < scale || b.Dy() < scale || scale < 1 {
		return 0, nil, fmt.Errorf("superres: a %d×%d picture cannot be reduced by %d", b.Dx(), b.Dy(), scale)
	}
	truth := picture.Split(img).Luma()
	low := m.Degradation.Reduce(truth, scale)
	high, err := m.enlargePlane(ctx, low, low.W*scale, low.H*scale)
	if err != nil {
		return 0, nil, err
	}
	for i, v := range high.Pix {
		high.Pix[i] = picture.Clamp(v)
	}
	result := picture.Picture{Channels: []*plane.Plane{high}}.Image().(*image.Gray)
	return score.NFE(truth.Crop(0, 0, high.W, high.H), high), result, nil
}

// chosenFor chooses a model for img and returns an enlarger for the picture, which the choice may have corrected: see
// Choice.Picture. If img gets a margin, part is the rectangle of the enlargement without the margin, else it is empty.
// Colour that image/jpeg leaves at less than the resolution of brightness is interpolated first.
func (m *Model) chosenFor(
	ctx context.Context, img image.Image, opt Options,
) (e *enlarger, part image.Rectangle, err error) {
	if img.Bounds().Empty() {
		return nil, part, errors.New("superres: the picture is empty")
	}
	if ycc, ok := img.(*image.YCbCr); ok {
		opt.Subsampled = opt.Subsampled || ycc.SubsampleRatio == image.YCbCrSubsampleRatio420
		img = chroma.Smooth(img)
	}
	if (opt.WrapX || opt.WrapY) && opt.Chroma == nil {
		if img, opt, part, err = m.wrap(img, opt); err != nil {
			return nil, part, err
		}
	}
	if m.robust == nil {
		e, err = m.prepare(img, opt)
		return e, part, err
	}
	in := img.Bounds().Size()
	w, h, err := m.ResultSize(in.X, in.Y, opt)
	if err != nil {
		return nil, part, err
	}
	out := image.Pt(w, h)
	x := &flaws.Examination{Picture: img, Quality: opt.Quality, WebP: opt.WebP, MostCopies: MostCopies(in, out)}
	first := flaws.StepCopies
	if opt.Chroma != nil {
		first = flaws.StepMeasure // for a frame of video, estimate the flaws, and prove none
	} else if opt.Mix != nil {
		first = flaws.StepSalt // without StepCopies, which may make the picture smaller
	}
	c, err := m.Choose(ctx, x, first, flaws.StepSoftening)
	if err != nil {
		return nil, part, err
	}
	e, err = c.Model.prepare(c.Picture, c.Apply(opt, out))
	return e, part, err
}

// Decode reads a picture file to the end of r. It returns the picture, turned upright, and Options for Upscale in which
// Subsampled, Quality and WebP are set as the file says. It reads PNG, JPEG, GIF, BMP, TIFF and WebP of at most 50
// million pixels, and only the first picture of a file with several. Subsampled colour is interpolated smoothly, as in
// the program superres; image/jpeg repeats its samples instead. When ctx ends, Decode returns ctx.Err().
func Decode(ctx context.Context, r io.Reader) (image.Image, Options, error) {
	pic, err := imagefile.Decode(ctx, r, "superres", imagefile.Limits{FirstFrame: true, Strip: true})
	if err != nil {
		return nil, Options{}, err
	}
	return pic.Image, Options{Subsampled: pic.Subsampled, Quality: pic.Quality, WebP: pic.Quantiser}, nil
}
