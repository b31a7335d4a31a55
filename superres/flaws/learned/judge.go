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

// Shares are the shares, 0 to 1, of the clean and the robust model in a result; the rest is plain, of interpolation.
type Shares struct{ Clean, Robust float64 }

// ShareSteps is the number of steps of a share from 0 to 1. Two models take longer than one, so a share of a model
// below leastShare steps goes to the other model, and a share of interpolation below leastPlain steps to the model with
// more. With 3 for leastShare in place of 6, 32 of 84 clean pictures, and 47 of the same pictures sharpened by 0.7, are
// mixtures, not 10 and 13; clean pictures lose 0.005 dB of RGB, and sharpened pictures gain 0.07.
const (
	ShareSteps = 32
	leastShare = 6
	leastPlain = 3
)

// Shares returns, from the traits of a picture, the shares of the clean model, the robust model and interpolation in
// the mixture of their results that is expected to come nearest to the truth. p must be a judge: its outputs are scores
// of these three, in this order, and shares are in proportion to 2^score, except that small shares go to a model with
// more: see ShareSteps. A judge learns from pictures degraded in known ways and reduced by 2: see package learning.
func (p *Perceptron) Shares(traits []int32) Shares {
	var powers [scores]int64
	score := p.Outputs(traits)
	most := max(score[0], score[1], score[2])
	total := int64(0)
	for i, s := range score {
		powers[i] = repair.PowerOfTwo((s - most) >> (2*secondBits - 8)) // from steps of 2⁻²⁴ to 1/256
		total += powers[i]
	}
	steps := func(i int) int64 { return (2*ShareSteps*powers[i] + total) / (2 * total) }
	clean, robust := steps(0), steps(1)
	if ShareSteps-clean-robust < leastPlain { // the share of interpolation
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

// noPlain is the strength of noise and compression from which interpolation has no share. The softener sometimes takes
// a picture with strong noise for a picture reduced without a filter; a share of interpolation would lose 0.08 dB at 20
// levels. Pictures of every second pixel seem to have noise of up to 13 levels; 22 % of these pictures are worse than
// interpolation by 0.2 dB of RGB; without a share of interpolation, 29 % would be.
const noPlain = 0.4

// WithPlain returns s with its shares multiplied by 1 − plain, or s itself from a strength of flaws of noPlain on.
func (s Shares) WithPlain(plain, strength float64) Shares {
	if strength >= noPlain {
		return s
	}
	return Shares{(1 - plain) * s.Clean, (1 - plain) * s.Robust}
}

// Limits for pictures in which nothing was corrected: see WithoutDoubts. If the share of interpolation is below
// leastAlone, most are clean, and the greater share gets it. If the share of the clean model is mostlyClean or more,
// the strength below LeastGrain, and no class of the softener has a trait (Softening.Traits) of unlikely or more, that
// model gets all. The table has mean gains in dB: of clean pictures at ×2 in brightness on the clean model photo alone
// (70 of general-dev, 91 of T91, 158 regular textures), and in RGB, on all shares without limits, of 28 pictures with
// white grain of 6 levels, reduced by block means, or sharpened, and of 180 with blurred grain of 3 to 15 levels:
//
//	                         general-dev  T91     textures   grain    means    sharpened  blurred grain
//	all shares               −0.023       −0.049              0        0       0           0
//	leastAlone               −0.019       −0.026  −0.0064     0        0       0           0
//	both limits              −0.008       −0.022  −0.0008    −0.007   +0.003  +0.020      −0.002
//	both at all strengths    −0.008       −0.019  −0.0008    −0.025   +0.003              −0.097
//
// Blank: not measured. One picture of T91 causes 0.017 dB of the loss; flaws.Examination has since taken it for clean.
const (
	leastAlone  = 7. / ShareSteps
	mostlyClean = 13. / ShareSteps
	LeastGrain  = 1. / 16
	unlikely    = -5 * traitOne / 2
)

// WithoutDoubts returns the shares for a picture in which nothing was corrected: s if it was sharpened, as far as is
// known; else all for the clean model if it is probably clean; else s, but with a plain share below leastAlone given to
// the model with more. strength is the one at which the robust model would work.
func (s Shares) WithoutDoubts(sharpened bool, strength float64) Shares {
	switch {
	case sharpened:
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

// IsLikely reports whether some class of sharpening is likely enough for a judge to give the robust model a share.
func (s Softening) IsLikely() bool {
	return slices.ContainsFunc(s.Traits, func(v int32) bool { return v >= unlikely })
}

// Strength returns, from the traits of a picture, the strength, 0 to 1, at which the robust model is expected to come
// nearest to the truth: the square of the only output of p, in steps of 1/64. p has learned from the results of that
// model at eleven strengths for 16,500 degraded parts of pictures. Flaws.Strength, which the table compares, follows
// from white noise and the loss of JPEG files, but not from grain, salt and remains of sharpening. The table has the
// gains on interpolation, in dB, of the robust model for the effort fast, for 1,500 parts of pictures of general-dev
// and open-valid, from which nothing was learned (at the best: with the best strength for each part):
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
	root := min(max(p.Outputs(traits)[0]>>(2*secondBits-10), 0), 1<<10) // in steps of 2⁻¹⁰
	return float64((root*root*measure.StrengthSteps+1<<19)>>20) / measure.StrengthSteps
}

const scores = 3 // clean, robust, plain

//go:embed judge.bin
var judgeFile []byte

var judge = sync.OnceValue(func() *Perceptron { return embedded(judgeFile) })

// Judge returns the judge of this program, which must not be changed: see Perceptron.Shares.
func Judge() *Perceptron { return judge() }

//go:embed strength.bin
var strengthFile []byte

var assessor = sync.OnceValue(func() *Perceptron { return embedded(strengthFile) })

// Assessor returns the perceptron of this program for strengths, which must not be changed: see Perceptron.Strength.
func Assessor() *Perceptron { return assessor() }

// embedded returns the perceptron in an embedded file.
func embedded(file []byte) *Perceptron {
	p, err := ReadPerceptron(bytes.NewReader(file))
	if err != nil {
		panic(fmt.Sprintf("learned: an embedded perceptron: %v", err))
	}
	return p
}
