package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"superres/superres/flaws"
)

// sample is a degraded picture with what is known of its enlargements by 2. Errors are of brightness in levels of
// 255.
type sample struct {
	Name, Kind string
	Traits     []int32
	Strength   float64 // see flaws.Flaws
	// Moments are the means of products of E, C and R: the truth, the result for clean pictures, and the robust
	// result, each less plain interpolation: EE, CC, RR, CR, EC, ER.
	Moments [6]float64
	// Interpolated and Enlarged are the mean squared errors of the picture as it came, enlarged by bicubic
	// interpolation and by Lanczos, and by the model for clean pictures and the robust one.
	Interpolated, Enlarged [2]float64
}

func (s sample) hasTraits() bool { return s.Traits != nil }

// squaredError returns that of a mixture with the shares a of the clean result and b of the robust one.
func (s sample) squaredError(a, b float64) float64 {
	m := s.Moments
	return m[0] + a*a*m[1] + b*b*m[2] + 2*a*b*m[3] - 2*a*m[4] - 2*b*m[5]
}

// slopes returns the slopes of squaredError.
func (s sample) slopes(a, b float64) (toA, toB float64) {
	m := s.Moments
	return 2 * (a*m[1] + b*m[3] - m[4]), 2 * (b*m[2] + a*m[3] - m[5])
}

// cleanWeight is how much more a clean sample counts. Samples of 91 pictures of T91 (PSNR less that of the better of
// bicubic and Lanczos interpolation, in dB; the least on photo alone):
//
//	weight       clean         sharpened  decimated  dithered  salt   all
//	4            2.88 (−0.97)  0.94       −0.18      0.66      0.98   1.11
//	16           2.89 (−2.05)  0.68       −0.19      0.66      0.99   1.05
//	48           2.90 (−2.09)  0.33       −0.23      0.65      0.98   0.98
//	photo alone  2.93          −1.48      −2.35      −2.11     −0.73  −0.43
const cleanWeight = 6

// weight is the weight of the squared error in learning: that of the best of the three results is 1, or cleanWeight.
func (s sample) weight() float64 {
	w := 1 / max(min(s.squaredError(1, 0), s.squaredError(0, 1), s.squaredError(0, 0)), 1)
	if s.Kind == "clean" || s.Kind == "drawing" {
		w *= cleanWeight
	}
	return w
}

func decibels(squared float64) float64 { return 10 * math.Log10(255*255/max(squared, 0.05)) }

// gain returns the PSNR of a squared error less that of the better of bicubic and Lanczos interpolation, in dB.
func (s sample) gain(squaredError float64) float64 {
	return decibels(squaredError) - decibels(min(s.Interpolated[0], s.Interpolated[1]))
}

// leastStrength is from where the choice before the judge took the robust result.
const leastStrength = 0.1

// row has means of the samples of a kind.
type row struct {
	count                              int
	clean, robust, choice, judge, best float64
	worseChoice, worseJudge, both      int
	least, below                       float64 // the least gain of the judge; and that on the clean result
}

func (r *row) add(s sample, shares flaws.Shares) {
	r.count++
	clean, robust := s.gain(s.Enlarged[0]), s.gain(s.Enlarged[1])
	judged := s.gain(s.squaredError(shares.Clean, shares.Robust))
	choice := clean
	if s.Strength >= leastStrength {
		choice = robust
	}
	best := math.Inf(-1)
	for a := range 11 {
		for b := range 11 - a {
			best = max(best, s.gain(s.squaredError(float64(a)/10, float64(b)/10)))
		}
	}
	r.clean, r.robust, r.choice = r.clean+clean, r.robust+robust, r.choice+choice
	r.judge, r.best = r.judge+judged, r.best+best
	if choice < -0.2 {
		r.worseChoice++
	}
	if judged < -0.2 {
		r.worseJudge++
	}
	if shares.Clean > 0 && shares.Robust > 0 {
		r.both++
	}
	r.least, r.below = min(r.least, judged), min(r.below, judged-clean)
}

// table has a row for each kind of sample, and one for all.
type table[R any] map[string]*R

// of returns the rows that a sample of a kind counts in.
func (t table[R]) of(kind string) (rows [2]*R) {
	for i, name := range []string{kind, "~all"} {
		if t[name] == nil {
			t[name] = new(R)
		}
		rows[i] = t[name]
	}
	return rows
}

// report writes a table of the gains on the better of bicubic and Lanczos, for each kind: by the two models and by the
// choice before the judge from the picture as it came, by the judge, and by the best shares.
func report(w io.Writer, samples []sample, judge *flaws.Perceptron) error {
	rows := table[row]{}
	for _, s := range samples {
		shares := judge.Shares(s.Traits)
		for _, r := range rows.of(s.Kind) {
			r.add(s, shares)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tpictures\tphoto\tphoto-real\tchoice\tjudge\tbest\tworse\tby judge\tleast\t"+
		"below photo\tboth\t")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		n := float64(r.count)
		share := func(k int) float64 { return 100 * float64(k) / n }
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t%.2f\t%.2f\t%.0f %%\t\n",
			name, r.count, r.clean/n,
			r.robust/n, r.choice/n, r.judge/n, r.best/n, share(r.worseChoice), share(r.worseJudge), r.least, r.below,
			share(r.both))
	}
	return t.Flush()
}
