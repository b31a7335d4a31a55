package flaws

import (
	"math"

	"superres/superres/flaws/learned"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// Flaws holds the degradations of a picture.
type Flaws struct {
	// Flaws holds what was measured in the samples; its Loss can also come from the index of a WebP file.
	measure.Flaws
	// WebP is the quantiser index of the lossy WebP file that the picture was read from, 1 to 127; 0: another file.
	WebP float64
	// Repeated is k if the picture consisted of squares of k×k equal samples, 2 to 16; 0: samples were not repeated.
	// Unless IsPixelArt is set, one sample of each square was kept.
	Repeated int
	// IsDrawn reports that the picture is a drawing of squares of equal pixels: no other flaw is set and none mended.
	IsDrawn bool
	// IsPixelArt reports that the picture was drawn pixel by pixel in few colours. Then no other flaw than Repeated is
	// set, and Examination.Picture keeps its squares.
	IsPixelArt bool
	// Salt is the share of samples that were replaced because they were salt or pepper.
	Salt float64
	// Unsharp is the mask that was undone.
	Unsharp repair.Unsharp
}

// outOfWebP returns f with WebP set to index, and with Loss raised to the loss estimated from index, if that is more.
// index, 1 to 127, is the mean quantiser index of the segments of a lossy WebP file. For 13 pictures, reduced by 2 and
// by 4, the estimate is within 7 % of their mean loss at all qualities of cwebp up to 95, within 30 % of single losses.
func (f Flaws) outOfWebP(index float64) Flaws {
	f.WebP = index
	f.Loss = max(f.Loss, 0.9+float64(0.115*index))
	return f
}

// leastSharpening is the least factor of sharpening that is undone. Below sureSharpening, in a picture without noise
// and compression, another estimate must also speak for sharpening: see isDoubted. Of 161 clean pictures of T91 and
// general-dev, three seem sharpened by more than 1.05; two lose 1.9 and 0.25 dB if that is undone, and no other
// estimate speaks for it there. The table has the gains on interpolation of degraded parts of photographs, in dB at ×2,
// if sharpening is undone from 1.1 without asking another estimate, if it is undone from 1.22, and as it is:
//
//	               sharpened  block means  sharpened a little  several
//	1.1            2.20       1.63         0.90                2.06
//	1.22           2.00       1.54         0.76                2.03
//	as it is       2.18       1.59         0.89                2.06
//
// That was with 1.25 for sureSharpening and a softener of twelve layers. With the softener of nine, a clean picture of
// 133×69 samples, of 89 in colour, loses 4 dB with 1.25 or 1.3. With 1.35 none loses 1 dB, and 89 pictures sharpened by
// 0.6 in brightness gain 1.68 dB in place of 1.75.
const (
	leastSharpening = 1.1
	sureSharpening  = 1.35
)

// A picture in which no noise and compression was measured, and in which nothing was undone, may still get a strength
// of leastQuestioned or more from learned.Assessor. If measure.Quiet is less than mostQuiet times the noise for that
// strength, it is taken for clean: it has texture, such as the rows of holes in a picture of T91, which loses 1.58 dB
// at ×2 where they are taken for grain of nine levels. Of 4,000 parts of pictures of general-dev, open-valid and T91,
// degraded as in package learning, eleven are below mostQuiet: ten of that picture, clean or sharpened, which lose 0.8
// to 1.7 dB without this rule, and one that gains 0.1. The strength gains 1.2 dB for a JPEG file with a ratio of 0.22.
const (
	leastQuestioned = 0.25
	mostQuiet       = 0.2
)

// leastJudgedSide is the least side of a picture that the perceptrons judge; smaller pictures are only softened. The
// table has the gains on interpolation in dB of RGB for three such limits: of 91 pictures of T91, reduced by 2 and
// enlarged by 2 (4 have a side of less than 56 samples, 17 of less than 72), then of 70 pictures of general-dev at ×4
// (13 and 27). n is how many clean pictures of T91 lose more than 0.3 dB against model photo; no picture of general-dev
// does. "Every second" means that only every second sample was kept:
//
//	     T91, ×2: clean    sharpened  every second  blurred by 2   general-dev, ×4
//	72   2.77, n = 2       0.84       0.01          2.41           2.47  1.12  0.10  1.16
//	56   2.76, n = 2       0.85       0.05          2.75           2.47  1.13  0.16  1.29
//	46   2.75, n = 3       0.87       0.05          2.84           2.47  1.14  0.21  1.34
const leastJudgedSide = 56

// leastSoftenedSide is the least side of a picture that is softened. The table compares 56, the limit for judging, with
// 16. It has the gains on interpolation in dB of RGB at ×4: of 91 pictures of T91, 67 of which have a side of less than
// 56 samples, then of 83 of general-dev, open-valid and T91, 17 of which are that small. Clean pictures do not change.
// "Every fourth" means that only every fourth sample was kept:
//
//	     clean  sharpened by 0.7  then JPEG 85   every fourth
//	56   2.22   −0.40    0.71     −0.47   0.52   −1.56  −0.24
//	16   2.22    0.76    1.16      0.27   0.77   −0.06   0.18
const leastSoftenedSide = 16

// LeastStrength is the strength from which a picture counts as noisy or compressed.
const LeastStrength = 0.1

// UnknownTrust is the trust in the reduction of a picture about which nothing is known. The table has, for three
// values, the gains on interpolation at ×2 of 26 WebP files in colour, in dB of brightness: of qualities 30 and 70, and
// of the same qualities where sharpening by 0.7 came first:
//
//	0     0.66  1.05    0.66  0.75
//	0.5   0.71  1.13    0.41  0.37
//	1     0.75  1.19   −0.14 −0.42
const UnknownTrust = 0.5

// trustIn returns the trust in the reduction of a picture with noise or compression. blur is the filter that undoes its
// blur, and sharpening the factor of its sharpening. Trust is 0 for a picture blurred by more than 0.2 pixels; else it
// falls from 1 for sharpening by leastSharpening or less to 0 at 1.25, in steps of 1/32.
func trustIn(blur repair.Correction, sharpening float64) float64 {
	const mostBlur, most = 0.2, 1.25
	if blur.Blur() > mostBlur {
		return 0
	}
	trust := (most - sharpening) / (most - leastSharpening)
	return min(max(math.Round(trust*learned.ShareSteps)/learned.ShareSteps, 0), 1)
}

// leastWebP is the strength from which the robust model enlarges a lossy WebP file without the judge, at the strength
// that follows from the file. The judge has learned from no WebP files, and takes edges in them for sharpened edges.
// Gains of 34 pictures of open-valid, Kodak and general-dev on interpolation at ×2, in dB, with the judge and without:
//
//	quality 30, 50, 70, 85             0.64  0.81  1.00  1.61    0.69  0.89  1.05  1.29
//	blurred by 0.8, quality 70         0.36                      0.49
//	sharpened by 0.7, qualities 40, 70 0.46  0.29                0.31  0.27
const leastWebP = 0.125

func (f Flaws) isLossyWebP() bool { return f.WebP > 0 && f.Strength() >= leastWebP }

// corrected returns f as it is after c was applied to the picture: noise and loss are multiplied by the gain of c for
// noise. Loss also includes the error of rounding, 0.29 levels, if the gain raises it above half a level.
func (f Flaws) corrected(c repair.Correction) Flaws {
	gain := c.NoiseGain()
	f.Noise, f.Likely, f.Loss = f.Noise*gain, f.Likely*gain, f.Loss*gain
	if rounding := gain * 0.29; rounding > 0.5 {
		f.Loss = math.Sqrt(float64(f.Loss*f.Loss) + float64(rounding*rounding))
	}
	return f
}
