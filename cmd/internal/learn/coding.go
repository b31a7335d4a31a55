package learn

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/internal/settings"
	"superres/learners"
)

// codes reports whether the run learns nothing and only codes the signals over the dictionary of --init.
func (opt Options) codes() bool { return opt.Iterations == 0 }

// checkCoding returns an error if the options in given contradict --iterations 0.
func (opt Options) checkCoding(given settings.Table) error {
	const what = "--iterations 0 only codes the signals"
	switch {
	case opt.Init == "":
		return console.Usage("%s: name the dictionary with --init", what)
	case opt.outputs.codes.Name == "":
		return console.Usage("%s: say where the codes go with --codes", what)
	}
	for _, name := range []string{"output", "trace", "learner"} {
		if given.Given(name) {
			return console.Usage("%s, and learns nothing: leave out --%s", what, name)
		}
	}
	return nil
}

// code returns the codes of y over the dictionary of --init. The result has only one step, with the error of the codes.
func (opt Options) code(ctx context.Context, y *mat.Dense, with learners.Options) (*learners.Result, error) {
	began := time.Now()
	codes, err := with.Coder.Code(ctx, with.Init, y)
	if err != nil {
		return nil, err
	}
	rest := codes.Rebuild(with.Init)
	rest.Sub(y, rest)
	m, n := y.Dims()
	step := learners.Step{RMSE: mat.Norm(rest, 2) / math.Sqrt(float64(m)*float64(n)), NonZeros: codes.NonZeros(),
		Elapsed: time.Since(began)}
	return &learners.Result{Dictionary: with.Init, Codes: codes, Steps: []learners.Step{step}}, nil
}

// codesText returns the text of the summary, one line, for a run that only coded.
func (s summary) codesText() string {
	return fmt.Sprintf("%s: codes of %d×%d data by %s over %s of %s, %s: RMSE %.4g, %.3g non-zeros a signal", s.Codes,
		s.Entries, s.Signals, s.Coder, console.Count(s.Atoms, "atom"), s.Dictionary, console.Elapsed(s.Seconds), s.RMSE,
		s.NonZeros)
}
