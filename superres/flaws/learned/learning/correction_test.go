package learning

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/dsp/fourier"

	"superres/internal/degrade"
	"superres/internal/elementary"
	"superres/superres/flaws"
	"superres/superres/flaws/learned"
	"superres/superres/flaws/repair"
	"superres/superres/resample"
)

// correctionSample is a degraded picture with the correction that would undo its blur or sharpening.
type correctionSample struct {
	Kind   string
	Traits []int32
	Gains  [len(repair.Correction{})]float64 // base-2 logarithms
	// Powers holds the part of each band in the variance of the picture. Rest is about the squared error that the
	// enlargement of an undamaged picture has. Both are in levels².
	Powers [len(repair.Correction{})]float64
	Rest   float64
	Noise  float64 // measured, with the loss of compression
}

func (c correctionSample) hasTraits() bool { return c.Traits != nil }

// correction returns a sample for corrections; number and the seed decide which sample.
func (s *sampler) correction(ctx context.Context, number int) (out correctionSample, err error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
	truth, low, kind, damage := s.pickReduced(rng)
	before := &degrade.Plane{W: low.W, H: low.H, Pix: slices.Clone(low.Pix)}
	degrade.Degradation{Blur: damage.Blur, Sharpen: damage.Sharpen, Radius: damage.Radius}.Apply(rng, before)
	damage.Apply(rng, low)
	img := greyOf(low)
	x := &flaws.Examination{Picture: img}
	if err := x.Run(ctx, flaws.StepMeasure, flaws.StepMeasure); err != nil {
		return out, err
	}
	out = correctionSample{Kind: kind, Noise: elementary.Hypot(x.Found.Noise, x.Found.Loss)}
	ideal := resample.Cubic.Reduce(truth, scale)
	out.Gains, out.Powers = gainsOf(before, levelsOf(ideal))
	// Models leave about 0.45 of the squared error of interpolation, with or without a correction.
	const left = 0.45
	big := levelsOf(resize(ideal, truth.W, truth.H))
	for i, v := range levelsOf(truth).Pix {
		e := float64(v - big.Pix[i])
		out.Rest += left * e * e / float64(len(big.Pix))
	}
	out.Traits = x.Traits()
	return out, nil
}

// leastGain and mostGain are the limits of gains.
const leastGain, mostGain = 1. / 3, 16

// gainsOf returns, for each band of frequencies, the gain that brings p nearest to truth, and the power of p.
func gainsOf(p, truth *degrade.Plane) (gains, powers [len(repair.Correction{})]float64) {
	of, to := spectrum(p), spectrum(truth)
	var product, square [len(gains)]float64
	for v, row := range of {
		for u, a := range row {
			across, down := float64(min(u, p.W-u))/float64(p.W), float64(min(v, p.H-v))/float64(p.H)
			band := int(math.Round(2 * float64(len(gains)) * elementary.Hypot(across, down)))
			if band == 0 {
				continue
			}
			b, i := to[v][u], min(band, len(gains))-1
			product[i] += real(a)*real(b) + imag(a)*imag(b)
			square[i] += real(a)*real(a) + imag(a)*imag(a)
		}
	}
	norm := 0.14 * float64(p.W*p.H) * float64(p.W*p.H) // the mean square of the fading is 9/64
	for i := range gains {
		powers[i] = square[i] / norm
		gains[i] = elementary.Log2(min(max(product[i]/(square[i]+1e-9), leastGain), mostGain))
	}
	return gains, powers
}

// spectrum returns the Fourier transform of p, after its mean was subtracted and its samples faded to 0 at the sides.
func spectrum(p *degrade.Plane) [][]complex128 {
	fade := func(i, n int) float64 { return 0.5 - 0.5*elementary.Cos(2*math.Pi*(float64(i)+0.5)/float64(n)) }
	mean := 0.0
	for _, v := range p.Pix {
		mean += float64(v) / float64(len(p.Pix))
	}
	across, down := fourier.NewCmplxFFT(p.W), fourier.NewCmplxFFT(p.H)
	rows := make([][]complex128, p.H)
	for y := range rows {
		rows[y] = make([]complex128, p.W)
		for x := range rows[y] {
			rows[y][x] = complex((float64(p.Pix[y*p.W+x])-mean)*fade(x, p.W)*fade(y, p.H), 0)
		}
		across.Coefficients(rows[y], rows[y])
	}
	column := make([]complex128, p.H)
	for x := range p.W {
		for y, row := range rows {
			column[y] = row[x]
		}
		down.Coefficients(column, column)
		for y, row := range rows {
			row[x] = column[y]
		}
	}
	return rows
}

// careOf returns the weight of the samples of a kind in learning. The table compares weights. Gain is the value of
// learned.doubtful, in octaves, with which clean pictures lose about equally little. Mean and greatest are of
// correctionSample.lost, in dB, for 1,493 parts of pictures of general-dev and T91: the mean over all parts, which is
// 1.94 without corrections, and the greatest value of a clean part.
//
//	clean, drawings   JPEG, noise …   gain    mean   greatest
//	20              3                  0.2     1.25   0.05
//	6               2                  0.35    1.14   0.04
//	3               1                  0.5     1.14   0.12
func careOf(kind string) float64 {
	if isClean(kind) {
		return 3
	}
	return 1
}

// gainAt returns the gain in a band of a correction with the base-2 logarithm v there, limited as
// repair.Correction.Limited does, and the derivative of the gain with respect to v.
func (c correctionSample) gainAt(band int, v float64) (gain, slope float64) {
	v = min(max(v, -9), 9)
	f := float64(band+1) / float64(len(c.Gains))
	e, r := repair.NoiseWeight*c.Noise*c.Noise*f*f, elementary.Exp2(-v)
	d := r*r + e
	return (r + e) / d, -math.Ln2 * r * (e - r*r - 2*e*r) / (d * d)
}

// squaredError returns about the squared error of the picture after a correction and enlargement: Rest, plus the error
// that the correction leaves in each band; and the derivatives of the sum with respect to the logarithms in correction.
func (c correctionSample) squaredError(correction []float64) (sum float64, slopes [len(repair.Correction{})]float64) {
	sum = c.Rest + 0.1
	for i, v := range correction {
		gain, slope := c.gainAt(i, v)
		off := gain - elementary.Exp2(c.Gains[i])
		sum += c.Powers[i] * off * off
		slopes[i] = 2 * c.Powers[i] * off * slope
	}
	return sum, slopes
}

// lost returns by how many dB the error after a correction exceeds the error after the best correction.
func (c correctionSample) lost(correction []float64) float64 {
	sum, _ := c.squaredError(correction)
	return 10 * elementary.Log10(sum/(c.Rest+0.1))
}

// fitCorrections returns the perceptron with the corrections that leave the samples with the least error.
func fitCorrections(o fitting, samples []correctionSample) *learned.Perceptron {
	l := lesson{start: make([]float64, len(repair.Correction{}))}
	for _, s := range samples {
		l.traits = append(l.traits, s.Traits)
	}
	l.slopes = func(i int, outputs, slope []float64) {
		const steepest = 5
		sum, slopes := samples[i].squaredError(outputs)
		for k, v := range slopes {
			slope[k] = careOf(samples[i].Kind) * min(max(v/sum, -steepest), steepest)
		}
	}
	return o.fit(l)
}
