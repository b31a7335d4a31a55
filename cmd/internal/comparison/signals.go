package comparison

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/learners"
)

// The protocols patches and signals compare dictionaries on held-out signals, not used for learning: how well at most
// --sparsity atoms represent these signals, and how much added noise of known strength is removed by coding them. Two
// dictionaries are not learned: an overcomplete DCT, and a sample of the training signals.

const (
	patchSide   = 8  // side of a patch in the protocol patches, in pixels
	windowSize  = 64 // entries of a signal cut from a long signal
	mostHeldOut = 2000
)

// denoiseLevels are the standard deviations of the noise added: for patches on the scale 0..255, for other signals in
// percent of the root mean square of the held-out signals.
var denoiseLevels = []float64{10, 25}

// gain says when to stop coding a noisy signal: at a residual of gain·σ·√M, where σ is the standard deviation of the
// noise, and σ·√M its expected length in M entries (Elad, Aharon 2006, doi:10.1109/TIP.2006.881969, section III-C).
const gain = 1.15

// signalResult is the result of a task on signals. Errors are root mean squares, in the units of the signals.
type signalResult struct {
	task
	HeldOut  float64   `json:"held_out"` // error of the held-out signals coded with at most S atoms
	Denoised []float64 `json:"denoised"` // error of the denoised held-out signals, by denoiseLevels
	Training float64   `json:"training"`
	Falling  bool      `json:"falling,omitempty"` // the training error still fell at the last iteration
	Seconds  float64   `json:"seconds"`
	Failure  string    `json:"failure,omitempty"`
}

// signalData are the signals for a run, one in each column.
type signalData struct {
	train, heldOut *mat.Dense
	square         bool // signals are square patches; false: sequences of values
}

// isSignals reports whether the protocol compares dictionaries on signals, not on restored pictures.
func (p protocol) isSignals() bool { return p.name == "patches" || p.name == "signals" }

// runSignals carries out superres compare for the protocol patches or signals.
func runSignals(c *cli.Context, s *console.Streams, opt *Options) error {
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	bar.Set("reading", 0)
	shared := &comparison{opt: *opt, data: data{mode: safefile.AnyMode}}
	var err error
	if shared.data.identity, err = shared.data.identify(c.Context, opt.Inputs, opt.Sources.Recursive); err != nil {
		return err
	}
	all, groups, err := readSignals(c.Context, *opt)
	if err != nil {
		return err
	}
	m, n := all.Dims()
	if n < 10 {
		return console.Failf(console.ExitInput, "%s: %d signals, expected 10 at least", strings.Join(opt.Inputs, " "),
			n)
	}
	most := min(n, opt.Protocol.patches)
	for _, name := range opt.Learners {
		learner, err := learners.New(name)
		if err != nil {
			return err
		}
		need := float64(shared.workers()) * (8*float64(m*most) + // 8 bytes for each value to learn from
			learner.Memory(m, most, opt.Protocol.atoms, opt.Protocol.sparsity))
		if err := console.EnoughMemory(opt.Limits.Memory, "learning by "+name, console.Process(need),
			", a smaller -j or fewer --patches"); err != nil {
			return err
		}
	}
	tasks, err := shared.tasks()
	if err != nil {
		return err
	}
	return parts.Sweep[task, signalResult]{
		Dir: opt.Folder, Task: func(r signalResult) task { return r.task }, Weight: task.weight,
		Failed: func(r signalResult) string { return failure(r.Learner, r.Run, r.Failure) },
		Run: func(ctx context.Context, t task) (signalResult, error) {
			r := signalResult{task: t}
			if err := r.measure(ctx, split(all, groups, t)); err != nil {
				return signalResult{task: t, Failure: console.Message(err)}, ctx.Err()
			}
			return r, nil
		},
	}.Report(c, s, bar, tasks, shared.data.mode, func(results []signalResult) (report.Document, parts.Files, error) {
		for i := range results {
			results[i].Learner = opt.label(results[i].Learner)
		}
		d := signalFindings{comparison: shared.labelled(), results: results, entries: m}.document()
		return d, files(d), nil
	})
}
