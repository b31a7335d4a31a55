package learning

import (
	"math"

	"superres/internal/elementary"
	"superres/superres/flaws/learned"
)

// sample is a degraded picture with statistics of its enlargements by 2. Errors are of brightness, in levels.
type sample struct {
	Kind   string
	Traits []int32
	// The two results are the enlargements of the corrected picture by the clean and by the robust model, each less
	// plain interpolation. Truth is the mean square of the truth less plain interpolation. Products holds the mean
	// products of any two results, WithTruth the mean products of each result with the truth less plain interpolation.
	Truth     float64
	Products  [results][results]float64
	WithTruth [results]float64
	// Interpolated holds the mean squared errors of bicubic and Lanczos interpolation of the uncorrected picture.
	Interpolated [2]float64

	checked // set for Check only
}

const results = 2

func (s sample) hasTraits() bool { return s.Traits != nil }

// squaredError returns the mean squared error of the mixture of the results with the given shares.
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

// slopes returns the derivatives of squaredError with respect to each of the shares.
func (s sample) slopes(by learned.Shares) learned.Shares {
	of := func(i int) float64 {
		return 2 * (by.Clean*s.Products[i][0] + by.Robust*s.Products[i][1] - s.WithTruth[i])
	}
	return learned.Shares{Clean: of(0), Robust: of(1)}
}

// leastError returns the least squared error among the clean model, the robust model and plain interpolation.
func (s sample) leastError() float64 {
	return min(s.squaredError(learned.Shares{Clean: 1}), s.squaredError(learned.Shares{Robust: 1}), s.Truth)
}

// cleanWeight is the weight of a clean sample relative to others. The table compares two values, with bolder at 0: the
// mean loss in dB of 43 clean pictures in colour against photo, and the number n that lose more than 0.3 dB; then the
// gains on interpolation of the same pictures after two kinds of damage:
//
//	     clean         grain of 6 levels   sharpened by 0.7
//	20   −0.11, n = 5  1.20                0.70
//	40   −0.05, n = 3  1.04                0.32
const cleanWeight = 40

// worseWeight is the weight of a penalty in the loss: the squared error of a result divided by the error of
// interpolation, less 1, if that is positive. With 0, 0.5 and 2, learned from 9,000 photographs and no drawings, 2,000
// parts of general-dev and open-valid gain 1.85, 1.86 and 1.86 dB, and 7, 7 and 6 % of them are worse than
// interpolation by 0.2 dB.
//
// The table has the gains of the same 2,000 parts after learning from 25,000 parts, and the share of parts that are
// worse. Some rows have 156 more traits: how often three neighbouring second differences, in five steps, occur
// together:
//
//	weight, cleanWeight     all    clean   sharpened   middle   decimated   grain   worse
//	2, 40                   1.78   3.63    1.29        0.88     −0.15       1.31    8 %
//	8, 40                   1.80   3.57    1.45        1.11     −0.03       1.31    6 %
//	2, 40, more traits      1.81   3.64    1.26        0.94     −0.15       1.44    8 %
//	8, 40, more traits      1.82   3.60    1.54        1.05     −0.04       1.43    6 %
//	8, 120, more traits     1.76   3.64    1.13        0.89     −0.08       1.39    7 %
const worseWeight = 2

// isClean reports whether pictures of the given kind were only reduced, without damage.
func isClean(kind string) bool { return kind == "clean" || kind == "drawing" }

// loss returns the loss of a mixture and its derivative with respect to the squared error. For clean samples the loss
// is the error relative to the least error of the three results, so the worst count most. For other samples it is the
// fourth root of that ratio, so that hopeless samples count less, plus a penalty: see worseWeight.
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

// gain returns the PSNR for a squared error less the PSNR of the better of bicubic and Lanczos interpolation, in dB.
func (s sample) gain(squaredError float64) float64 {
	return decibels(squaredError) - decibels(min(s.Interpolated[0], s.Interpolated[1]))
}
