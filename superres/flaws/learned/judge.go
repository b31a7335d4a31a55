package learned

import (
	"bytes"
	_ "embed" // the judge
	"fmt"
	"slices"
	"sync"

	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// Shares are the shares, 0 to 1, of a result: of the model for clean pictures, of the robust model, and of plain
// interpolation, which has the rest.
type Shares struct{ Clean, Robust float64 }

// ShareSteps is the number of steps of a share from 0 to 1. Two models take longer than one, so that less than
// leastShare steps of one is given to the other, and less than leastPlain of interpolation to the greater share. With
// leastShare 3 in place of 6, 32 of 84 clean pictures and 47 of those sharpened by 0.7 are mixtures in place of 10 and
// 13; clean ones have 0.005 dB of RGB less, and sharpened ones 0.07 more.
const (
	ShareSteps = 32
	leastShare = 6
	leastPlain = 3
)

// Shares returns the shares of three results that come nearest to the truth, from the traits of a picture: p is a
// judge, whose outputs are scores, of which the powers of two are in the proportion of the shares.
//
// It learned from pictures that were degraded in known ways, reduced by 2 and enlarged by all three: see
// package learning.
func (p *Perceptron) Shares(traits []int32) Shares {
	var powers [scores]int64
	score := p.Outputs(traits)
	most := max(score[0], score[1], score[2])
	total := int64(0)
	for i, s := range score {
		powers[i] = repair.PowerOfTwo((s - most) >> (2*secondBits - 8))
		total += powers[i]
	}
	steps := func(i int) int64 { return (2*ShareSteps*powers[i] + total) / (2 * total) }
	clean, robust := steps(0), steps(1)
	if ShareSteps-clean-robust < leastPlain {
		if clean >= robust {
			clean = ShareSteps - robust
		} else {
			robust = ShareSteps - clean
		}
	}
	switch {
	case clean >= robust && robust < leastShare:
		clean, robust = clean+robust, 0
	case robust > clean && clean < leastShare:
		clean, robust = 0, clean+robust
	}
	return Shares{float64(clean) / ShareSteps, float64(robust) / ShareSteps}
}

// noPlain is the strength of noise and compression from which models make all of a result: noise of 20 levels is
// taken for single samples at times, and would lose 0.08 dB. Pictures of every second pixel are taken for noisy ones of
// up to 13 levels, and 22 % of them are worse than interpolation by 0.2 dB of RGB, where 29 % were without any of it.
const noPlain = 0.4

// WithPlain returns s with a share of plain interpolation, for a picture with noise and compression of a strength.
func (s Shares) WithPlain(plain, strength float64) Shares {
	if strength >= noPlain {
		return s
	}
	return Shares{(1 - plain) * s.Clean, (1 - plain) * s.Robust}
}

// Doubts about a picture of which nothing was corrected. Most of those to which a judge gives less than leastAlone of
// interpolation alone are clean, and so are most where the model for clean pictures has mostlyClean or more, the
// strength is below LeastGrain, and none of the softener's classes is likelier than none by unlikely, in base-2
// logarithms. What clean pictures at ×2 lose in brightness on photo, in dB, in the mean: 70 of general-dev, 91 of T91
// and 158 regular textures, façades, walls and cloth. And how 28 pictures change in RGB with white grain of 6 levels,
// reduced by block means, and sharpened, and 180 with grain of 3 to 15 levels that was blurred:
//
//	                         general-dev  T91     textures   grain    means    sharpened  blurred grain
//	all shares               −0.023       −0.049
//	leastAlone               −0.019       −0.026  −0.0064     0        0       0           0
//	both                     −0.008       −0.022  −0.0008    −0.007   +0.003  +0.020      −0.002
//	both at all strengths    −0.008       −0.019  −0.0008    −0.025   +0.003              −0.097
//
// Of T91, one carries 0.017, which flaws.Examination takes for clean since. Of block means the softener says enough: a
// least share of 12/32 for the robust model in all pictures would have −0.013 and −0.020, but block means would lose
// 0.047.
const (
	leastAlone  = 7. / ShareSteps
	mostlyClean = 13. / ShareSteps
	LeastGrain  = 1. / 16
	unlikely    = -5 * traitOne / 2
)

// WithoutDoubts returns s without shares that are doubtful, for a picture of which nothing was corrected, which the
// softener said something of, and that the robust model would enlarge at a strength.
func (s Shares) WithoutDoubts(said Softening, strength float64) Shares {
	switch {
	case said.isLikely():
	case s.Clean >= mostlyClean && strength < LeastGrain:
		s = Shares{Clean: 1}
	case 1-s.Clean-s.Robust >= leastAlone:
	case s.Clean >= s.Robust:
		s.Clean = 1 - s.Robust
	default:
		s.Robust = 1 - s.Clean
	}
	return s
}

// isLikely reports whether any sharpening is likely enough to speak for a share of the robust model.
func (s Softening) isLikely() bool {
	return slices.ContainsFunc(s.Traits, func(v int32) bool { return v >= unlikely })
}

// Strength returns the strength, 0 to 1, at which the robust model comes nearest to the truth, from the traits of a
// picture: the square of the only output of p, in steps of 1/64. It learned from what that model makes of 16,500
// degraded parts of pictures at eleven strengths. What Flaws.Strength has is the deviation of white noise and the loss
// of JPEG files; grain, salt and what is left of sharpening are not in it. Of 1,500 parts of pictures of general-dev
// and open-valid, which nothing was learned from, the robust model for the effort fast has, in dB more than
// interpolation,
//
//	                without  by Flaws.Strength  by p   at the best
//	grain           −0.03     0.03              1.31    1.82
//	salt             0.43     0.43              1.31    1.46
//	noise           −1.09     2.53              2.82    3.01
//	JPEG             0.26     0.98              1.00    1.10
//	dithered        −0.94     2.49              3.07    3.20
//	sharpened JPEG  −0.73    −0.13              0.26    0.66
//	several          0.64     1.24              1.48    1.66
//	clean            2.03     2.03              1.96    2.03
//	all              0.47     1.11              1.42    1.61
func (p *Perceptron) Strength(traits []int32) float64 {
	root := min(max(p.Outputs(traits)[0]>>(2*secondBits-10), 0), 1<<10)
	return float64((root*root*measure.StrengthSteps+1<<19)>>20) / measure.StrengthSteps
}

const scores = 3 // clean, robust, plain

//go:embed judge.bin
var judgeFile []byte

var judge = sync.OnceValue(func() *Perceptron { return embedded(judgeFile) })

// Judge returns the judge of this program: see Perceptron.Shares. It must not be changed.
func Judge() *Perceptron { return judge() }

//go:embed strength.bin
var strengthFile []byte

var assessor = sync.OnceValue(func() *Perceptron { return embedded(strengthFile) })

// Assessor returns what tells strengths in this program: see Perceptron.Strength. It must not be changed.
func Assessor() *Perceptron { return assessor() }

// embedded returns the perceptron of an embedded file.
func embedded(file []byte) *Perceptron {
	p, err := ReadPerceptron(bytes.NewReader(file))
	if err != nil {
		panic(fmt.Sprintf("learned: an embedded perceptron: %v", err))
	}
	return p
}
