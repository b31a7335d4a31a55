package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"superres/superres/flaws"
	"superres/superres/flaws/learned"
)

// sample is a degraded picture with what is known of its enlargements by 2. Errors are of brightness in levels of
// 255.
type sample struct {
	Name, Kind string
	Traits     []int32
	Strength   float64 // see flaws.Flaws
	// Truth is the mean square of the truth less plain interpolation, Products are the means of products of the
	// results less the same, and WithTruth those of each with the truth. The results are those of the clean and of
	// the robust model, of the picture as it is corrected.
	Truth     float64
	Products  [results][results]float64
	WithTruth [results]float64
	// Interpolated and Enlarged are the mean squared errors of the picture as it came, enlarged by bicubic
	// interpolation and by Lanczos, and by the model for clean pictures and the robust one; Auto is that of what this
	// program makes of it by default.
	Interpolated, Enlarged [2]float64
	Auto                   float64
}

const results = 2

func (s sample) hasTraits() bool { return s.Traits != nil }

// squaredError returns that of a mixture.
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

// leastError returns that of the three results.
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

// loss returns the loss of a mixture and its slope by the squared error: of clean samples the error relative to that of
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

func decibels(squared float64) float64 { return 10 * math.Log10(255*255/max(squared, 0.05)) }

// gain returns the PSNR of a squared error less that of the better of bicubic and Lanczos interpolation, in dB.
func (s sample) gain(squaredError float64) float64 {
	return decibels(squaredError) - decibels(min(s.Interpolated[0], s.Interpolated[1]))
}

// row has means of the samples of a kind.
type row struct {
	count                                    int
	clean, robust, choice, judge, best, auto float64
	worseChoice, worseAuto, both             int
	least, below                             float64 // the least gain of auto; and that on the clean result
}

func (r *row) add(s sample, shares learned.Shares) {
	r.count++
	clean, robust := s.gain(s.Enlarged[0]), s.gain(s.Enlarged[1])
	judged, auto := s.gain(s.squaredError(shares)), s.gain(s.Auto)
	choice := clean
	if s.Strength >= flaws.LeastStrength {
		choice = robust
	}
	best := math.Inf(-1)
	for a := range 11 {
		for b := range 11 - a {
			by := learned.Shares{Clean: float64(a) / 10, Robust: float64(b) / 10}
			best = max(best, s.gain(s.squaredError(by)))
		}
	}
	r.clean, r.robust, r.choice = r.clean+clean, r.robust+robust, r.choice+choice
	r.judge, r.best, r.auto = r.judge+judged, r.best+best, r.auto+auto
	if choice < -0.2 {
		r.worseChoice++
	}
	if auto < -0.2 {
		r.worseAuto++
	}
	if shares.Clean > 0 && shares.Robust > 0 {
		r.both++
	}
	r.least, r.below = min(r.least, auto), min(r.below, auto-clean)
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
// choice by strength alone from the picture as it came, by the judge, by the best shares, and by the program that made
// the samples, which gives noisy and compressed pictures to photo-real whatever the judge says.
func report(w io.Writer, samples []sample, judge *learned.Perceptron) error {
	rows := table[row]{}
	for _, s := range samples {
		shares := judge.Shares(s.Traits)
		for _, r := range rows.of(s.Kind) {
			r.add(s, shares)
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\tpictures\tphoto\tphoto-real\tchoice\tjudge\tbest\tauto\tworse\tby auto\tleast\t"+
		"below photo\tboth\t")
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		n := float64(r.count)
		share := func(k int) float64 { return 100 * float64(k) / n }
		fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.0f %%\t%.0f %%\t%.2f\t%.2f\t%.0f %%\t\n",
			name, r.count, r.clean/n, r.robust/n, r.choice/n, r.judge/n, r.best/n, r.auto/n, share(r.worseChoice),
			share(r.worseAuto), r.least, r.below, share(r.both))
	}
	return t.Flush()
}
