package superres

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"superres/internal/usage"
	"superres/patches/plane"
)

// ResultSize returns the width and height of the result, in pixels, for a picture of w×h. If opt has a Scale, or
// neither Scale nor Width nor Height, each side is multiplied by the scale, as Size does. With Width or Height alone,
// the other side keeps the proportions. With both, the result has exactly that size, or, with Fit, the largest size of
// the picture's proportions within Width×Height, or, with Cover, the smallest that holds it. With Megapixels, it has
// that many pixels, but for the rounding of its sides. Sides are computed exactly, from the scale as it is written in
// decimal, rounded to the nearest pixel, halves up, and are at least 1.
//
// It is an error if a side would be shorter than in the picture, or more than MaxScale times as long.
func (m *Model) ResultSize(w, h int, opt Options) (int, int, error) {
	toW, toH := opt.Width, opt.Height
	if opt.Megapixels > 0 && toW == 0 && toH == 0 {
		factor := math.Sqrt(opt.Megapixels * 1e6 / (float64(w) * float64(h)))
		toW, toH = int(math.Round(float64(w)*factor)), int(math.Round(float64(h)*factor))
	}
	bounded := toW != 0 && toH != 0 && (opt.Fit || opt.Cover)
	byWidth := bounded && (big.NewRat(int64(toW), int64(w)).Cmp(big.NewRat(int64(toH), int64(h))) <= 0) == opt.Fit
	switch {
	case toW == 0 && toH == 0:
		return m.Size(w, h, opt.Scale)
	case toW < 0 || toH < 0:
		return 0, 0, usage.Errorf("superres: size %d×%d, expected more than nothing", toW, toH)
	case opt.Scale != 0:
		return 0, 0, usage.Errorf("superres: a scale and a size, expected one of them")
	case toH == 0, byWidth:
		toH = scaledSide(h, big.NewRat(int64(toW), int64(w)))
	case toW == 0, bounded:
		toW = scaledSide(w, big.NewRat(int64(toH), int64(h)))
	}
	switch {
	case toW < w || toH < h:
		return 0, 0, smallerError{usage.Errorf("superres: %d×%d would become %d×%d, and nothing is made smaller; "+
			"ask for a larger size", w, h, toW, toH)}
	case toW > MaxScale*w || toH > MaxScale*h:
		return 0, 0, usage.Errorf("superres: %d×%d would become %d×%d, more than %d times as large; "+
			"ask for a smaller size", w, h, toW, toH, MaxScale)
	}
	return toW, toH, nil
}

// ErrSmaller is wrapped by the error of ResultSize for a result that would be smaller than the picture.
var ErrSmaller = errors.New("superres: nothing is made smaller")

// smallerError is an error that wraps ErrSmaller, besides what its text wraps.
type smallerError struct{ error }

func (e smallerError) Unwrap() []error { return []error{e.error, ErrSmaller} }

// Size returns the width and height of the result, in pixels, for a picture of w×h enlarged by scale. scale 0 means the
// model's own scale, or 2 for a plain interpolation. It is an error if scale is not within MinScale to MaxScale.
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

// scaledSide returns n times factor, rounded to the nearest integer, halves up, and at least 1.
func scaledSide(n int, factor *big.Rat) int {
	// ⌊n·p/q + 1/2⌋ = ⌊(2·n·p + q)/2q⌋
	a := new(big.Int).Mul(big.NewInt(2*int64(n)), factor.Num())
	a.Add(a, factor.Denom())
	a.Div(a, new(big.Int).Lsh(factor.Denom(), 1))
	return max(1, int(a.Int64()))
}

// exactDecimal returns the finite number scale exactly as it is written in decimal: 1.005 becomes 201/200, though its
// float64 lies just below that, so that 100 pixels times 1.005 are 101.
func exactDecimal(scale float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(scale, 'g', -1, 64)) // which reads every finite number
	return r
}

// Options say how Upscale enlarges a picture. The zero value enlarges it by the model's own scale.
type Options struct {
	// Scale is the factor for each side, 1 to 16. 0 means the scale of the model, or 2 for a plain interpolation.
	Scale float64
	// Width and Height are the size of the result in pixels; they are set instead of Scale. If one of them is 0, that
	// side follows from the other and the proportions of the picture: see ResultSize.
	Width, Height int
	// Fit keeps the proportions of the picture, so that the result is the largest one within Width×Height.
	Fit bool
	// Cover keeps the proportions of the picture, so that the result is the smallest one that holds Width×Height. It is
	// set instead of Fit.
	Cover bool
	// Megapixels is the number of pixels of the result in millions; it is set instead of Scale, Width and Height. 0
	// means that they say the size.
	Megapixels float64
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
	// WrapX has the left and right edges of the picture meet, WrapY the upper and lower: the result is enlarged as if
	// the picture went on beyond one with the other, without Chroma. False: nothing is beyond.
	WrapX, WrapY bool
	// Alpha says how a picture with transparency is enlarged; pixel art keeps it as it is.
	Alpha Alpha
	// Blend mixes the colours of pixel art that meet in a pixel of its result. False: it makes no new colours.
	Blend bool
	// Report is set, before Upscale or Stream returns, to how the enlargement went. nil asks for no report, and
	// saves the time that it takes: some 10 ms for 6 million pixels on two processors.
	Report *Report
	// Progress is called with the share of the work that is done, 0 to 1, from one goroutine. It may be nil.
	Progress func(float64)

	strips bool // the result is handed over in strips; false: as a whole
}

// Alpha is a way to enlarge a picture with transparency.
type Alpha int

const (
	// AlphaSeparate enlarges transparency by itself, and colours as if the visible ones went on below wholly
	// transparent pixels.
	AlphaSeparate Alpha = iota
	// AlphaKeepRGB enlarges both by themselves, and keeps the colours of wholly transparent pixels, as textures of
	// games have them.
	AlphaKeepRGB
	// AlphaPremultiplied enlarges colours multiplied by opacity, as on black, and divides them by the enlarged opacity.
	AlphaPremultiplied
)

// SetSize asks for a result of exactly w×h pixels, in place of any other size.
func (o *Options) SetSize(w, h int) {
	o.Scale, o.Width, o.Height, o.Fit, o.Cover, o.Megapixels = 0, w, h, false, false, 0
}

// report returns Progress, or a function that does nothing.
func (o Options) report() func(float64) {
	if o.Progress == nil {
		return func(float64) {}
	}
	return o.Progress
}

// Chroma is the colour of a video frame; a grey picture has the brightness. Its planes are red minus brightness and
// blue minus brightness, from -1 to 1 where brightness is from 0 to 1.
type Chroma struct {
	// Low are the two planes before the enlargement, of the size of the picture. Upscale does not change them.
	Low [2]*plane.Plane
	// High are the two planes of the size of the result, in new memory. Upscale sets them.
	High [2]*plane.Plane
}

// MaxStrength is the greatest Options.Strength.
const MaxStrength = 1.3

// Report says how the enlargement of a picture went.
type Report struct {
	// LRPSNR says how well the result agrees with the picture: the peak signal-to-noise ratio, in dB, white being 1, of
	// the brightness of the result, reduced to the size of the picture by antialiased bicubic resampling, against the
	// brightness of the picture. It is at most MaxLRPSNR, and 0 where it is not known, as of pixel art.
	LRPSNR float64
}
