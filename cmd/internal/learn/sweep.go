package learn

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/learners"
	"superres/learners/sparse"
)

// setting is the result of a sweep for one value. The errors are root mean squares (RMSE), in the units of the data.
type setting struct {
	value
	// Value is the value of the parameter, and Coder the spec of the coder with that value.
	Value float64 `json:"value"`
	Coder string  `json:"coder"`
	// Training is the error of the signals learned from, and HeldOut of the signals held out, both coded over the
	// learned dictionary by Coder.
	Training float64 `json:"training"`
	HeldOut  float64 `json:"held_out"`
	// Hidden is the error of entries, of signals held out, hidden from the coder, and HiddenSE its standard error.
	Hidden   float64 `json:"hidden"`
	HiddenSE float64 `json:"hidden_se"`
	// NonZeros is the mean number of non-zeros in the code of a signal held out.
	NonZeros float64 `json:"nonzeros"`
	// Iterations is how many iterations the learner did, 0 if it does not count them, and Stop why it stopped.
	Iterations int    `json:"iterations,omitempty"`
	Stop       string `json:"stop"`
	// Falling says that the error of learning still fell at the last iteration.
	Falling bool `json:"falling,omitempty"`
	// Seconds is the time that learning and coding took.
	Seconds float64 `json:"seconds"`

	// square is Hidden squared, a mean over the signals held out, and squareSE the standard error of that mean.
	square, squareSE float64
}

// falling says that the error still fell at the last iteration; empty where it did not.
func (s setting) falling() string {
	if !s.Falling {
		return ""
	}
	return "The error still fell at the last iteration; more --iterations may change it."
}

// acceptSweep returns a usage error if a sweep cannot choose with k atoms and n signals of m entries: no entry to hide,
// fewer than 2 signals held out, none to learn from, or a sparsity above k.
func (opt Options) acceptSweep(k, m, n int) error {
	heldOut := opt.heldOut(n)
	switch {
	case m < 2:
		return console.Usage("%s: signals of 1 entry, of which none can be hidden; --sweep expects 2 at least",
			opt.dataName())
	case heldOut < 2 || heldOut == n:
		return console.Usage("%s: %s, of which --holdout %g holds out %d; --sweep expects 2 at least, and 1 to "+
			"learn from", opt.dataName(), console.Count(n, "signal"), opt.Holdout, heldOut)
	}
	if s := opt.Sweep.most(); s > k {
		return console.Usage("--sweep: sparsity %d is more than the %d atoms", s, k)
	}
	return nil
}

// sweepMemory estimates the bytes that a sweep takes besides the n signals of m entries: copies of both parts, and the
// larger of learning k atoms from the training part and coding both parts with s non-zeros a signal.
func (opt Options) sweepMemory(m, n, k, s int) float64 {
	heldOut := opt.heldOut(n)
	training, atoms := n-heldOut, 8*float64(m)*float64(k)
	held, working := sparse.Memory(m, k, training, s)
	hiding, hidden := sparse.Memory(m, k, heldOut, s)
	coding := atoms + held + max(working, atoms+8*float64(m)*float64(heldOut)+hiding+hidden)
	return 8*float64(m)*float64(n) + max(opt.learner.Memory(m, training, k, s), coding)
}

// runSweep learns from a part of the signals with each value of the sweep, and returns the errors and the best value.
func runSweep(ctx context.Context, opt Options, p problem, bar *console.Progress) (findings, error) {
	m, n := p.signals.Dims()
	parts := newSplit(p.signals, opt.heldOut(n), opt.Seed)
	_, heldOut := parts.heldOut.Dims()
	f := findings{
		Command: opt.command, Version: console.Version, typed: opt.typed, Data: opt.Data, Learner: opt.Learner,
		Param: opt.Sweep.Param, Seed: opt.Seed,
		Entries: m, Training: n - heldOut, HeldOut: heldOut, Atoms: p.settings.Atoms, RMS: mat.Norm(parts.heldOut,
			2) / math.Sqrt(float64(m*heldOut)),
	}
	count := len(opt.Sweep.Values)
	all := count
	if opt.outputs.dictionary.Name != "" {
		all++
	}
	var learned *learners.Result // with this value, or with the first, if all have one dictionary
	for i, v := range opt.Sweep.Values {
		began := time.Now()
		p.codeBy(v)
		if !f.OneForAll {
			var err error
			if learned, err = opt.learn(ctx, parts.training, p.settings, progress{bar, i, all}); err != nil {
				return f, fmt.Errorf("with %s %s, without the %d signals held out: %w", f.Param, shortest(v.number),
					heldOut, err)
			}
			f.OneForAll = !p.coder.used.Load()
		}
		s, err := measure(ctx, v, learned, parts)
		if err != nil {
			return f, fmt.Errorf("with %s %s: %w", f.Param, shortest(v.number), err)
		}
		if math.IsInf(s.square+s.squareSE, 0) || math.IsNaN(s.square+s.squareSE) {
			return f, console.Failf(console.ExitInput, "%s: with %s %s errors are too large to be "+
				"squared; scale the data", opt.dataName(), f.Param, shortest(v.number))
		}
		s.Seconds = time.Since(began).Seconds()
		f.Settings = append(f.Settings, s)
		if bar.Plain() {
			bar.Line("%s %s, %d of %d: RMSE %.4g of hidden entries, %s", f.Param, shortest(v.number), i+1, count,
				s.Hidden, console.Elapsed(s.Seconds))
		}
	}
	f.Least, f.Best = pick(f.Settings)
	f.Warnings = f.warnings()
	return f, nil
}

// measure codes both parts of the signals over the dictionary of d by v.coder, and returns the errors.
func measure(ctx context.Context, v value, d *learners.Result, parts split) (setting, error) {
	s := setting{value: v, Value: v.number, Coder: v.spec, Iterations: d.Steps[len(d.Steps)-1].Iteration,
		Stop: string(d.Stop), Falling: d.Falling()}
	training, _, err := codedErrors(ctx, v.coder, d.Dictionary, parts.training)
	if err != nil {
		return s, err
	}
	heldOut, codes, err := codedErrors(ctx, v.coder, d.Dictionary, parts.heldOut)
	if err != nil {
		return s, err
	}
	hidden, err := hiddenErrors(ctx, v.coder, d.Dictionary, parts.heldOut, parts.folds)
	if err != nil {
		return s, err
	}
	mean, _ := report.Mean(training)
	s.Training = math.Sqrt(mean)
	mean, _ = report.Mean(heldOut)
	s.HeldOut, s.NonZeros = math.Sqrt(mean), codes.NonZeros()
	mean, sd := report.Mean(hidden)
	s.square, s.squareSE = mean, sd/math.Sqrt(float64(len(hidden)))
	s.Hidden = math.Sqrt(mean)
	if mean > 0 {
		s.HiddenSE = s.squareSE / (2 * s.Hidden) // standard error of the square root, to first order
	}
	return s, nil
}

// pick returns the indices of the setting with the least error of hidden entries, and of the best setting: the one with
// the fewest non-zeros among those whose error is within one standard error of the least.
//
// L. Breiman, J. Friedman, R. Olshen, C. Stone: Classification and Regression Trees, 1984, section 3.4.3.
func pick(settings []setting) (least, best int) {
	for i, s := range settings {
		if s.square < settings[least].square {
			least = i
		}
	}
	most := settings[least].square + settings[least].squareSE
	best = least
	for i, s := range settings {
		if b := settings[best]; s.square <= most && (s.NonZeros < b.NonZeros || s.NonZeros == b.NonZeros &&
			s.square < b.square) {
			best = i
		}
	}
	return least, best
}
