package flaws

import (
	"bytes"
	"context"
	_ "embed" // the judge
	"fmt"
	"image"
	"math"
	"sync"

	"superres/internal/picture"
)

// Shares are the shares, 0 to 1, of a result: of the model for clean pictures, of the robust model, and of plain
// interpolation, which has the rest.
type Shares struct{ Clean, Robust float64 }

// shareSteps is the number of steps of a share from 0 to 1. Two models take longer than one, so that less than
// leastShare steps of one is given to the other, and less than leastPlain of interpolation to the greater share. With
// leastShare 3 in place of 6, 32 of 84 clean pictures and 47 of those sharpened by 0.7 are mixtures in place of 10 and
// 13; clean ones have 0.005 dB of RGB less, and sharpened ones 0.07 more.
const (
	shareSteps = 32
	leastShare = 6
	leastPlain = 3
)

// Shares returns the shares of three results that come nearest to the truth, from the traits of a picture: p is a
// judge, whose outputs are scores, of which the powers of two are in the proportion of the shares.
//
// It learned from pictures that were degraded in known ways, reduced by 2 and enlarged by all three: see
// cmd/internal/judge, which has the command and the figures.
func (p *Perceptron) Shares(traits []int32) Shares {
	var powers [scores]int64
	score := p.Outputs(traits)
	most := max(score[0], score[1], score[2])
	total := int64(0)
	for i, s := range score {
		powers[i] = powerOfTwo((s - most) >> (2*secondBits - 8))
		total += powers[i]
	}
	steps := func(i int) int64 { return (2*shareSteps*powers[i] + total) / (2 * total) }
	clean, robust := steps(0), steps(1)
	if shareSteps-clean-robust < leastPlain {
		if clean >= robust {
			clean = shareSteps - robust
		} else {
			robust = shareSteps - clean
		}
	}
	switch {
	case clean >= robust && robust < leastShare:
		clean, robust = clean+robust, 0
	case robust > clean && clean < leastShare:
		clean, robust = 0, clean+robust
	}
	return Shares{float64(clean) / shareSteps, float64(robust) / shareSteps}
}

// noPlain is the strength of noise and compression from which all of a result is that of models: noise of 20 levels is
// taken for single samples at times, and would lose 0.08 dB. Pictures of every second pixel are taken for noisy ones of
// up to 13 levels, and 22 % of them are worse than interpolation by 0.2 dB of RGB, where 29 % were without any of it.
const noPlain = 0.4

// withPlain returns s with a share of plain interpolation, for a picture with noise and compression of a strength.
func (s Shares) withPlain(plain, strength float64) Shares {
	if strength >= noPlain {
		return s
	}
	return Shares{(1 - plain) * s.Clean, (1 - plain) * s.Robust}
}

// leastAlone is the least share of interpolation alone that counts where nothing was corrected: of the pictures to
// which a judge gives less, most are clean. With it and leastDoubted, brightness of clean pictures at ×2 is −0.019 in
// place of −0.023 dB on photo (70 of general-dev) and −0.026 in place of −0.049 (91 of T91), the worst −0.47 and −1.58;
// reduced by block means 28 others lose 0.005 dB. A least share of 12/32 for the robust model would have −0.013 and
// −0.020, but block means would lose 0.047.
const leastAlone = 7. / shareSteps

// withoutDoubts returns s without a share of interpolation alone below leastAlone: the greater share has it.
func (s Shares) withoutDoubts() Shares {
	switch {
	case 1-s.Clean-s.Robust >= leastAlone:
	case s.Clean >= s.Robust:
		s.Clean = 1 - s.Robust
	default:
		s.Robust = 1 - s.Clean
	}
	return s
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
	return float64((root*root*strengthSteps+1<<19)>>20) / strengthSteps
}

// leastSharpening is the least sharpening that is undone.
const leastSharpening = 1.1

// leastDoubted is the least sharpening that is undone in a picture without noise and compression. A clean one of T91,
// of small petals, has 1.21, and loses 1.9 dB; one that was sharpened by 0.7 has 1.25, and would lose 3.6.
const leastDoubted = 1.22

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
		panic(fmt.Sprintf("flaws: an embedded perceptron: %v", err))
	}
	return p
}

// one is 1 as powerOfTwo has it.
const one = 1 << 20

// powerOfTwo returns one times two to the power of v/256, v < 10,000, to within 0.3 %. For the part p of v/256 after
// the point it takes 1 + p·(0.657 + 0.344·p).
func powerOfTwo(v int64) int64 {
	whole, part := v>>8, v&255
	if whole < -20 {
		return 0
	}
	power := one + part*(43_056+88*part)/16
	if whole < 0 {
		return power >> -whole
	}
	return power << whole
}

// leastJudgedSide is the least side of a picture that is judged; smaller ones are softened alone. By it, the gains on
// interpolation, in dB of RGB, of 91 pictures of T91 reduced by 2 and enlarged by 2, of which 4 have less than 56
// samples along a side and 17 less than 72, and of 70 of general-dev by 4, of which 13 and 27 have; and how many clean
// ones lose more than 0.3 on photo, of general-dev none:
//
//	     T91, ×2: clean    sharpened  every second  blurred by 2   general-dev, ×4
//	72   2.77, n = 2       0.84       0.01          2.41           2.47  1.12  0.10  1.16
//	56   2.76, n = 2       0.85       0.05          2.75           2.47  1.13  0.16  1.29
//	46   2.75, n = 3       0.87       0.05          2.84           2.47  1.14  0.21  1.34
const leastJudgedSide = 56

// leastSoftenedSide is the least side of a picture that is softened. By 56, as for judging, and by 16, the gains on
// interpolation, in dB of RGB at ×4, of 91 pictures of T91, of which 67 have less than 56 samples along a side, and of
// 83 of general-dev, open-valid and T91, of which 17 have. None of the clean ones is changed by that.
//
//	     clean  sharpened by 0.7  then JPEG 85   every fourth
//	56   2.22   −0.40    0.71     −0.47   0.52   −1.56  −0.24
//	16   2.22    0.76    1.16      0.27   0.77   −0.06   0.18
const leastSoftenedSide = 16

// isJudged reports whether img is large enough to tell.
func isJudged(img image.Image) bool {
	return min(img.Bounds().Dx(), img.Bounds().Dy()) >= leastJudgedSide
}

// FindBlur returns the correction of blur that suits the picture img with the flaws f, as the perceptron of Corrector
// tells it: none for pictures that are too small to tell, and for those with transparency.
func (f Flaws) FindBlur(img image.Image) Correction {
	if !isJudged(img) {
		return Correction{}
	}
	return f.findBlur(img, sumTraits(img).traits(f))
}

// findBlur is FindBlur for a picture that is large enough, from its traits.
func (f Flaws) findBlur(img image.Image, traits []int32) Correction {
	if !picture.IsOpaque(img) {
		return Correction{}
	}
	return corrector().Correction(traits).Limited(f)
}

// Judged is what suits a picture.
type Judged struct {
	// Picture is the picture as corrected by Correction, and Flaws are those that it has then.
	Picture    image.Image
	Flaws      Flaws
	Correction Correction
	// Strength, 0 to 1, is that at which the robust model enlarges Picture: that of Flaws from LeastStrength on, else
	// see Perceptron.Strength.
	Strength float64
	// Trust, 0 to 1, is how likely Picture was reduced cleanly, neither blurred nor sharpened. It is for a robust model
	// that does all of the picture, and 0 where others have a share.
	Trust  float64
	Shares Shares
}

// soften is Soften of the softener of this program, which leaves a picture with transparency alone. isFlawed is true
// for a picture with noise or compression.
func soften(ctx context.Context, img image.Image, isFlawed bool) (Softening, error) {
	s, err := softener()
	if err != nil {
		return Softening{}, err
	}
	favour := float64(cleanFavour)
	if isFlawed {
		favour = flawedFavour
	}
	to, err := s.Soften(ctx, img, favour)
	if !picture.IsOpaque(img) {
		to.Correction, to.Plain = Correction{}, 0
	}
	return to, err
}

// LeastStrength is the strength from which a picture counts as noisy or compressed.
const LeastStrength = 0.1

// UnknownTrust is the trust in the reduction of a picture that nothing is known of. By trust, gains of 26 WebP files in
// colour at ×2 on interpolation, of qualities 30 and 70, in dB of brightness, and of those sharpened by 0.7 before:
//
//	0     0.66  1.05    0.66  0.75
//	0.5   0.71  1.13    0.41  0.37
//	1     0.75  1.19   −0.14 −0.42
const UnknownTrust = 0.5

// trustIn returns the trust in the reduction of a picture with noise or compression that seems blurred, or sharpened by
// the factor sharpening: 1 up to leastSharpening, from there on less, and 0 from 1.25, in steps of 1/32.
func trustIn(blur Correction, sharpening float64) float64 {
	const surely, mostBlur = 1.25, 0.2
	if blur.Blur() > mostBlur {
		return 0
	}
	trust := (surely - sharpening) / (surely - leastSharpening)
	return min(max(math.Round(trust*shareSteps)/shareSteps, 0), 1)
}

// leastWebP is the strength from which a lossy WebP file is given to the robust model, whose strength the file itself
// tells: the judge has learned from none, and takes what they do to edges for sharpening. Gains of 34 pictures of
// open-valid, Kodak and general-dev at ×2 on interpolation, in dB, judged, and given to the robust model:
//
//	quality 30, 50, 70, 85             0.64  0.81  1.00  1.61    0.69  0.89  1.05  1.29
//	blurred by 0.8, quality 70         0.36                      0.49
//	sharpened by 0.7, qualities 40, 70 0.46  0.29                0.31  0.27
const leastWebP = 0.125

func (f Flaws) isLossyWebP() bool { return f.WebP > 0 && f.Strength() >= leastWebP }

// forRobust returns what suits the picture img, corrected by c, with the flaws f, if the robust model does all of it.
func (f Flaws) forRobust(img image.Image, c Correction, trust float64) Judged {
	return Judged{img, f, c, f.Strength(), trust, Shares{Robust: 1}}
}

// Unjudged returns what suits the picture img with the flaws f by their strength alone. img may be nil.
func (f Flaws) Unjudged(img image.Image) Judged {
	if f.Strength() >= LeastStrength {
		return f.forRobust(img, Correction{}, UnknownTrust)
	}
	return Judged{Picture: img, Flaws: f, Strength: f.Strength(), Shares: Shares{Clean: 1}}
}

// Judge returns what suits the picture img with the flaws f. A picture of LeastStrength and more is for the robust
// model, or in part for interpolation. It fails only with ctx.Err(), or in a program without package convolutional.
func (f Flaws) Judge(ctx context.Context, img image.Image) (Judged, error) {
	switch {
	case !isJudged(img):
		return f.judgeSmall(ctx, img)
	case f.Palette > 0: // the judge has learned from palettes of grey alone
		return f.forRobust(img, Correction{}, UnknownTrust), nil
	}
	t := sumTraits(img).traits(f)
	blur := f.findBlur(img, t)
	isLossy := f.isLossyWebP()
	if !blur.IsNone() {
		img, f = blur.Apply(img), f.Corrected(blur)
	}
	isFlawed := f.Strength() >= LeastStrength
	switch {
	case isLossy:
		return f.forRobust(img, blur, UnknownTrust), nil
	case isFlawed && !blur.IsNone():
		return f.forRobust(img, blur, trustIn(blur, 0)), nil
	}
	said, err := soften(ctx, img, isFlawed)
	if err != nil {
		return Judged{}, err
	}
	if isFlawed {
		softening := said.Correction.Limited(f)
		j := f.forRobust(img, blur, trustIn(blur, softening.Sharpening()))
		j.Shares = j.Shares.withPlain(said.Plain, j.Strength)
		return j.softened(softening), nil
	}
	if !blur.IsNone() {
		t = sumTraits(img).traits(f)
	}
	t = withSaid(t, said)
	j := f.unflawed(img, blur, t, said)
	if said.isDrawing {
		j.Shares = Shares{Clean: 1}
		return j, nil
	}
	if j.Shares = judge().Shares(t).withPlain(said.Plain, 0); j.Correction.IsNone() {
		j.Shares = j.Shares.withoutDoubts()
	}
	return j, nil
}

// judgeSmall is Judge for a picture that is too small to be judged: it goes by its strength, and by what the softener
// says of it.
func (f Flaws) judgeSmall(ctx context.Context, img image.Image) (Judged, error) {
	j := f.Unjudged(img)
	if b := img.Bounds(); min(b.Dx(), b.Dy()) < leastSoftenedSide || f.Palette > 0 || f.isLossyWebP() {
		return j, nil
	}
	said, err := soften(ctx, img, j.Strength >= LeastStrength)
	if err != nil {
		return j, err
	}
	j.Shares = j.Shares.withPlain(said.Plain, j.Strength)
	return j.softened(said.Correction.Limited(f)), nil
}

// unflawed returns what suits the picture img, whose blur was undone by blur, but for the shares, if it has neither
// noise nor compression. t are all its traits.
func (f Flaws) unflawed(img image.Image, blur Correction, t []int32, said Softening) Judged {
	j := Judged{Picture: img, Flaws: f, Correction: blur, Strength: assessor().Strength(t)}
	softening := said.Correction.Limited(f)
	if !blur.IsNone() || softening.Sharpening() < leastDoubted {
		return j
	}
	return j.softened(softening)
}

// softened returns j softened by c, if that changes enough.
func (j Judged) softened(c Correction) Judged {
	if c.Sharpening() >= leastSharpening {
		j.Picture, j.Flaws, j.Correction = c.Apply(j.Picture), j.Flaws.Corrected(c), c
		j.Strength = c.StrengthAfter(j.Strength)
	}
	return j
}

// Learned returns what Judge does of a picture without noise and compression but for its shares, whatever it has, with
// its traits, which are nil where it is too small: what the judge learns from.
func (f Flaws) Learned(ctx context.Context, img image.Image) (j Judged, traits []int32, err error) {
	blur := f.FindBlur(img)
	if !blur.IsNone() {
		img, f = blur.Apply(img), f.Corrected(blur)
	}
	traits, said, err := AllTraits(ctx, img, f)
	if traits == nil || err != nil {
		return j, nil, err
	}
	return f.unflawed(img, blur, traits, said), traits, nil
}
