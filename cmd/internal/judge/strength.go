package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/flaws/learned"
	"superres/superres/stage"
)

// strengthSteps is the number of strengths that are tried, from 0 to 1, less one. Their square roots are equally far
// apart.
const strengthSteps = 10

// strengthSample is a degraded picture, with its blur undone, with what the robust model makes of it at each strength.
type strengthSample struct {
	Name, Kind string
	Traits     []int32
	// Measured is the strength of what flaws.Measure finds.
	Measured float64
	// Errors are the mean squared errors of brightness in levels of 255, and Interpolated the least by interpolation.
	Errors       [strengthSteps + 1]float64
	Interpolated float64
}

func (s strengthSample) hasTraits() bool { return s.Traits != nil }

// errorAt returns the squared error at the strength whose square root is root, and its slope by root.
func (s strengthSample) errorAt(root float64) (squared, slope float64) {
	at := min(max(root, 0), 1) * strengthSteps
	i := min(int(at), strengthSteps-1)
	slope = s.Errors[i+1] - s.Errors[i]
	return s.Errors[i] + (at-float64(i))*slope, slope * strengthSteps
}

// strength returns a sample for the estimate of strengths, which depends on its number and the seed alone. The robust
// model is the fast one, since the same strengths suit it, and it takes a tenth of the time.
func (s *sampler) strength(ctx context.Context, number int) (out strengthSample, err error) {
	rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
	truth, low, name, kind, damage := s.pickReduced(rng, number)
	damage.Apply(rng, low)
	img := image.Image(greyOf(low))
	out = strengthSample{Name: name, Kind: kind, Interpolated: math.Inf(1)}
	for _, m := range []*superres.Model{s.bicubic, s.lanczos} {
		big, err := enlargeGrey(ctx, m, img)
		if err != nil {
			return out, err
		}
		out.Interpolated = min(out.Interpolated, meanSquare(big, truth))
	}
	x := &flaws.Examination{Picture: img, AsClean: true}
	if err := x.Run(ctx, flaws.StepMeasure, flaws.StepSharpening); err != nil {
		return out, err
	}
	img, out.Measured = x.Picture, x.Left.Strength()
	if out.Traits = x.AllTraits(); out.Traits == nil {
		return out, nil
	}
	for i := range out.Errors {
		root := float64(i) / strengthSteps
		m, err := s.fast.Tune(stage.Tuning{Strength: root * root})
		if err != nil {
			return out, err
		}
		big, err := enlargeGrey(ctx, m, img)
		if err != nil {
			return out, err
		}
		out.Errors[i] = meanSquare(big, truth)
	}
	return out, nil
}

// rounding is the squared error of rounding to levels, below which nothing matters.
const rounding = 0.1

// fitStrengths returns the perceptron by whose strengths the samples lose least. Its only output is the square root of
// the strength. With the traits and the 28,500 samples of before, it had 1.29 dB over interpolation on 2,000 parts of
// general-dev and open-valid; with an output for each strength, of which the greatest is taken, 1.27 if they are
// learned as errors, 1.21 as shares of a mean loss; from half the samples, or from the root of the measured strength
// on, 1.28.
func (o fitting) fitStrengths(samples []strengthSample) *learned.Perceptron {
	l := lesson{start: []float64{0.4}}
	for _, s := range samples {
		l.traits = append(l.traits, s.Traits)
	}
	l.slopes = func(i int, outputs, slope []float64) {
		s := samples[i]
		squared, d := s.errorAt(outputs[0])
		squared += rounding
		slope[0] = careOf(s.Kind) * math.Sqrt(math.Sqrt(squared/(slices.Min(s.Errors[:])+rounding))) / 4 * d / squared
		switch { // beyond the range of strengths, it leads back
		case outputs[0] < 0:
			slope[0] = min(slope[0], 0) - 0.1
		case outputs[0] > 1:
			slope[0] = max(slope[0], 0) + 0.1
		}
	}
	return o.fit(l)
}

// reportStrengths writes a table of the gains on interpolation, in dB, for each kind: of the robust model without
// strength, at that which is measured, at that of a perceptron, and at the best.
func reportStrengths(w io.Writer, samples []strengthSample, p *learned.Perceptron) error {
	type row struct{ count, none, measured, said, best, least float64 }
	rows := table[row]{}
	for _, s := range samples {
		gain := func(squared float64) float64 { return decibels(squared) - decibels(s.Interpolated) }
		measured, _ := s.errorAt(math.Sqrt(s.Measured))
		said, _ := s.errorAt(math.Sqrt(p.Strength(s.Traits)))
		for _, r := range rows.of(s.Kind) {
			r.count, r.none, r.measured = r.count+1, r.none+gain(s.Errors[0]), r.measured+gain(measured)
			r.said, r.best = r.said+gain(said), r.best+gain(slices.Min(s.Errors[:]))
			r.least = min(r.least, gain(said)-gain(measured))
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tpictures\tat 0\tmeasured\tlearned\tbest\tleast gain\t")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		fmt.Fprintf(t, "%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", name, r.count, r.none/r.count,
			r.measured/r.count, r.said/r.count, r.best/r.count, r.least)
	}
	return t.Flush()
}
