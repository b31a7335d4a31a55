package superres

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"superres/internal/usage"
	"superres/patches/plane"
)

// ResultSize returns the width and height of the result, in pixels, for a picture of w×h. If opt has a Scale, or no
// size at all, each side is multiplied by the scale, as Size does. With Width or Height alone, the other side keeps the
// proportions. With both, the result has exactly that size; with Fit as well, it has the largest size that keeps the
// proportions and lies within Width×Height; with Cover, the smallest size that keeps them and contains Width×Height.
// With Megapixels and neither Width nor Height, it has that many million pixels, apart from the rounding of its sides.
// Sides are exact for the scale as it is written in decimal, rounded to the nearest pixel, halves up, and at least 1.
//
// It is an error if a side would be shorter than in the picture, or more than MaxScale times as long.
func (m *Model) ResultSize(w, h int, opt Options) (int, int, error) {
	toW, toH := opt.Width, opt.Height
	if opt.Megapixels > 0 && toW == 0 && toH == 0 {
		factor := math.Sqrt(opt.Megapixels * 1e6 / (float64(w) * float64(h)))
		toW, toH = int(math.Round(float64(w)*factor)), int(math.Round(float64(h)*factor))
	}
	// With Fit the side that grows less decides the scale, with Cover the side that grows more.
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

// smallerError has the text of the error in it, and wraps that error and ErrSmaller.
type smallerError struct{ error }

func (e smallerError) Unwrap() []error { return []error{e.error, ErrSmaller} }

// Size returns the width and height of the result, in pixels, for a picture of w×h enlarged by scale. A scale of 0
// means the model's own, or 2 for a plain interpolation. It is an error if scale is not within MinScale to MaxScale.
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

// exactDecimal returns the shortest decimal fraction that is read as the float64 scale, which must be finite: 1.005
// becomes 201/200, though its float64 lies just below that, so that 100 pixels times 1.005 are 101 pixels.
func exactDecimal(scale float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(scale, 'g', -1, 64)) // never fails for a finite number
	return r
}

// Options say how Upscale enlarges a picture. The zero value enlarges it by the model's own scale.
type Options struct {
	// Scale is the factor for each side, 1 to 16. 0 means the scale of the model, or 2 for a plain interpolation.
	Scale float64
	// Width and Height are the size of the result in pixels; they are set instead of Scale. If only Width or only
	// Height is 0, that side follows from the other and the proportions of the picture: see ResultSize.
	Width, Height int
	// Fit keeps the proportions of the picture: the result is the largest that lies within Width×Height.
	Fit bool
	// Cover keeps the proportions of the picture: the result is the smallest that contains Width×Height. Not with Fit.
	Cover bool
	// Megapixels is the number of pixels of the result in millions; it is set instead of Scale, Width and Height. 0
	// means that those three fields give the size.
	Megapixels float64
	// Strength is the factor, 0 to 1.3, for what the model adds to interpolated brightness, and to interpolated colour
	// if the model has a network for red, green and blue. nil means 1.
	Strength *float64
	// Subsampled says that the picture comes from a file which keeps colour at half the resolution of brightness in
	// both directions (4:2:0), as most JPEG files and all lossy WebP files do. Colour is then enlarged from that
	// resolution. For an *image.YCbCr, as image/jpeg decodes a file, Upscale finds this out itself.
	Subsampled bool
	// Quality is the quality of the JPEG file that the picture comes from, 1 to 100; 0: another file, or unknown. Only
	// a model with a robust model, which chooses by the flaws of each picture, uses Quality and WebP: see WithRobust.
	Quality int
	// WebP is the quantiser index of the lossy WebP file that the picture comes from, 1 to 127; 0: another file.
	WebP float64
	// Mix has parts of the picture enlarged by a second model. nil means none.
	Mix *Mix
	// Chroma is the colour of a grey picture; it is enlarged together with the picture. nil means that there is none.
	Chroma *Chroma
	// Depth is the number of bits of a sample of the result, 8 or 16. 0 means as many as in the picture.
	Depth int
	// BandRows is the number of rows of the picture that are enlarged at a time. It changes how much memory is taken,
	// never the result. 0 means a number that suits the model and the size.
	BandRows int
	// WrapX says that the left and right edges of the picture meet, WrapY that the upper and lower edges do: the
	// picture is enlarged as if it continued at the opposite edge. Both are ignored with Chroma.
	WrapX, WrapY bool
	// Alpha says how a picture with transparency is enlarged. The model PixelArt ignores it.
	Alpha Alpha
	// Blend mixes the colours of pixel art that fall on one pixel of the result. False adds no colours to the result.
	Blend bool
	// Report is filled in, before Upscale or Stream returns, with how the enlargement went. nil asks for no report, and
	// saves the time that it takes: some 10 ms for 6 million pixels on two processors.
	Report *Report
	// Progress is called with the share of the work that is done, 0 to 1, from one goroutine. It may be nil.
	Progress func(float64)

	strips bool // the result is returned in strips, by Stream; false: as a whole
}

// Alpha is a way to enlarge a picture with transparency.
type Alpha int

const (
	// AlphaSeparate enlarges transparency and colour separately, after visible colours have spread into hidden pixels.
	AlphaSeparate Alpha = iota
	// AlphaKeepRGB enlarges transparency and colour separately, and keeps the stored colours of fully transparent
	// pixels, which textures of games use.
	AlphaKeepRGB
	// AlphaPremultiplied enlarges colours times opacity, as if on black, and divides them by the enlarged opacity.
	AlphaPremultiplied
)

// SetSize asks for a result of exactly w×h pixels, and clears all other fields about the size.
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

// Chroma is the colour of a video frame; the grey picture to enlarge is the brightness of that frame. Its planes are
// red minus brightness and blue minus brightness, from -1 to 1 where brightness is from 0 to 1.
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
	// brightness of the picture. It is at most MaxLRPSNR, and 0 if it was not computed, as for pixel art.
	LRPSNR float64
}
