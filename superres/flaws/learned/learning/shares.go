package learning

import (
	"math"

	"superres/internal/elementary"
	"superres/superres/flaws/learned"
)

// sample is a degraded picture with what is known of its enlargements by 2. Errors are of brightness in levels of
// 255.
type sample struct {
	Kind   string
	Traits []int32
	// Truth is the mean square of the truth less plain interpolation, Products are the means of products of the
	// results less the same, and WithTruth those of each with the truth. The results are those of the clean and of
	// the robust model, of the picture as it is corrected.
	Truth     float64
	Products  [results][results]float64
	WithTruth [results]float64
	// Interpolated are the mean squared errors of the picture as it came, enlarged by bicubic interpolation and by
	// Lanczos.
	Interpolated [2]float64

	checked // where Check asks for it
}

const results = 2

func (s sample) hasTraits() bool { return s.Traits != nil }

// squaredError returns the mean squared error of a mixture.
func (s sample) squaredError(by learned.Shares) float64 {
	sum := s.Truth
	w := [results]float64{by.Clean, by.Robust}
	for i, v := range w {
		sum -= 2 * v * s.WithTruth[i]
		for j, u := range w {
			sum += v * u * s.Products[i][j]
		}
	}
	return sum
}

// slopes returns the slopes of squaredError by the shares.
func (s sample) slopes(by learned.Shares) learned.Shares {
	of := func(i int) float64 {
		return 2 * (by.Clean*s.Products[i][0] + by.Robust*s.Products[i][1] - s.WithTruth[i])
	}
	return learned.Shares{Clean: of(0), Robust: of(1)}
}

// leastError returns the least squared error of the three results.
func (s sample) leastError() float64 {
	return min(s.squaredError(learned.Shares{Clean: 1}), s.squaredError(learned.Shares{Robust: 1}), s.Truth)
}

// cleanWeight is how much more a clean sample counts. From the same samples, with bolder at 0, the gains of 43 pictures
// in colour on interpolation, and the mean loss of clean ones on photo, of which n lose more than 0.3 dB:
//
//	     clean         grain of 6 levels   sharpened by 0.7
//	20   −0.11, n = 5  1.20                0.70
//	40   −0.05, n = 3  1.04                0.32
const cleanWeight = 40

// worseWeight is how much it counts that a result has a larger error than interpolation, by the share that is more.
// With 0, 0.5 and 2, learned from 9,000 photographs alone, 2,000 parts of general-dev and open-valid gain 1.85, 1.86
// and 1.86 dB, and 7, 7 and 6 % of them are worse than interpolation by 0.2 dB.
//
// Learned from 25,000 parts, also with 156 more traits (how often three neighbouring second differences, of five steps,
// occur together, along them and across), the gains of the same 2,000 parts, and the share that is worse:
//
//	weight, cleanWeight     all    clean   sharpened   middle   decimated   grain   worse
//	2, 40                   1.78   3.63    1.29        0.88     −0.15       1.31    8 %
//	8, 40                   1.80   3.57    1.45        1.11     −0.03       1.31    6 %
//	2, 40, more traits      1.81   3.64    1.26        0.94     −0.15       1.44    8 %
//	8, 40, more traits      1.82   3.60    1.54        1.05     −0.04       1.43    6 %
//	8, 120, more traits     1.76   3.64    1.13        0.89     −0.08       1.39    7 %
const worseWeight = 2

// isClean reports whether nothing was done to the pictures of a kind but to reduce them.
func isClean(kind string) bool { return kind == "clean" || kind == "drawing" }

// loss returns the loss of a mixture and its slope by the squared error: of clean samples the error relative to
// the best of three results, so that the worst count most, and of others its fourth root, so that those of which
// nothing can be made count less, and what is worse than interpolation.
func (s sample) loss(by learned.Shares) (loss, slope float64) {
	least := max(s.leastError(), 1)
	relative := max(s.squaredError(by)/least, 1e-3)
	if isClean(s.Kind) {
		return cleanWeight / 4. * relative, cleanWeight / 4. / least
	}
	root := math.Sqrt(math.Sqrt(relative))
	loss, slope = root, root/relative/4/least
	interpolated := max(min(s.Interpolated[0], s.Interpolated[1]), 1)
	if worse := s.squaredError(by)/interpolated - 1; worse > 0 {
		loss, slope = loss+worseWeight*worse, slope+worseWeight/interpolated
	}
	return loss, slope
}

func decibels(squared float64) float64 { return 10 * elementary.Log10(255*255/max(squared, 0.05)) }

// gain returns how much the PSNR of a squared error is above the better of bicubic and Lanczos interpolation, in dB.
func (s sample) gain(squaredError float64) float64 {
	return decibels(squaredError) - decibels(min(s.Interpolated[0], s.Interpolated[1]))
}
