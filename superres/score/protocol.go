package score

import (
	"image"
	"math"
	"slices"

	"superres/internal/usage"
)

// Protocol is the name of a way to score pictures. Scores of different protocols cannot be compared.
type Protocol string

// The protocols.
//
//   - MatlabY, for photographs: the reference is cropped to a multiple of the scale and reduced by MATLAB's antialiased
//     bicubic to an 8-bit picture. The result is rounded to 8 bits. Y of BT.601 in its limited range,
//     rounded, is compared, without a border of scale pixels: by PSNR with peak 255, and by SSIM with an 11×11 Gaussian
//     of σ 1.5, K 0.01 and 0.03, where the window fits.
//   - MatlabGrey is MatlabY, except for grey pictures: if R = G = B everywhere in both pictures, it compares their
//     levels 0..255 unchanged, as most papers do. Y spans 219 levels, so PSNR of Y is 20 log10(255/219) = 1.32 dB more,
//     apart from rounding.
//   - Normalised, for digits: ‖Î − I‖²_F / ‖I‖²_F of the grey values, no border.
const (
	MatlabY    Protocol = "matlab-y"
	MatlabGrey Protocol = "matlab-grey"
	Normalised Protocol = "nfe"
)

// Names returns the names of the protocols.
func Names() []string { return []string{string(MatlabY), string(MatlabGrey), string(Normalised)} }

// Check returns an error if the protocol is unknown.
func (p Protocol) Check() error {
	if !slices.Contains(Names(), string(p)) {
		return usage.Errorf("score: %s", usage.Unknown("protocol", string(p), Names()))
	}
	return nil
}

// Measures returns the name of the protocol's measures, for the head of a table.
func (p Protocol) Measures() string {
	switch p {
	case Normalised:
		return "normalised squared error"
	case MatlabGrey:
		return "PSNR dB / SSIM of Y, of grey pictures as they are"
	}
	return "PSNR dB / SSIM of Y"
}

// Compare scores test, a picture enlarged by scale, against ref. test has the size of ref, or is less than scale pixels
// smaller at the right and bottom. Measures that the protocol does not use are NaN.
func (p Protocol) Compare(ref, test image.Image, scale int) (Metrics, error) {
	if err := p.Check(); err != nil {
		return Metrics{}, err
	}
	if p == Normalised {
		e, err := NormalisedError(ref, test, scale)
		return Metrics{PSNR: math.NaN(), SSIM: math.NaN(), NFE: e}, err
	}
	m, err := compare(ref, test, scale, scale, p == MatlabGrey) // without a border of scale pixels
	m.NFE = math.NaN()
	return m, err
}
