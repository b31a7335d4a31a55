// Package learn is the command superres learn: it learns a dictionary from a matrix.
//
// Read it in this order: options.go, what the flags ask for; learn.go, one call; problem.go,
// what is learned from, read and measured against the memory; outputs.go, the files that
// are written; report.go, what is told of the result.
package learn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/learners"
	"superres/learners/external"
	"superres/learners/plugin"
)

// Command is superres learn.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "learn", Usage: "learn a dictionary from a matrix of your own", ArgsUsage: "[FLAGS] DATA -o DICT",
		Description: `   superres learn Y.npy -o D.npy
   superres learn --learner rop --atoms 32 --seed 1 -o D.npy Y.npy
   superres learn Y.csv -o D.csv --codes X.npz --trace trace.csv
   superres learn --transpose --array train data.npz -o D.npy     one signal a row
   superres learn --init D.npy Y.npy -o better.npy                go on from there

DATA is a matrix Y with one signal a column: .npy, .npz, or text with commas,
semicolons or blank space between the numbers, # before comments, and one line of
names at most; - is standard input. DICT gets the dictionary D with one atom a
column, --codes the codes X with one signal a column, so that Y ≈ D·X; their
extensions say how: .npy or .csv, or .npz, where D is the array "D" and X is sparse
(scipy.sparse.load_npz). Signals are taken as they are: no mean is taken off.
Arrays of .npy may hold floats, integers or bool, in either order. --trace writes a
line for every iteration. The same Y, flags and seed give the same bytes, from any of
these formats and with any -j.`,
		Flags:  flags(),
		Action: func(c *cli.Context) error { return run(c, s) },
	})
}

// run does one call.
func run(c *cli.Context, s *console.Streams) error {
	opt, err := readOptions(c)
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	return learn(c.Context, opt, s, bar)
}

// learn learns the dictionary, writes it and tells of it.
func learn(ctx context.Context, opt Options, s *console.Streams, bar *console.Progress) error {
	if opt.outputs.dictionary.Name == "-" {
		if err := s.TakesBinary(); err != nil {
			return err
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(opt.Limits.Memory)) // near the limit, garbage is collected sooner
	p, err := readProblem(opt, s.In)
	if err != nil {
		return err
	}
	if m, n := p.signals.Dims(); m > n && !opt.Quiet {
		how := "if DATA has one signal a row, as scikit-learn has its samples, use --transpose"
		if opt.Transpose {
			how = "if DATA has one signal a column, leave out --transpose"
		}
		fmt.Fprintf(s.Err, "superres: %s: %d signals of %d entries each, so fewer signals than entries; %s\n", safefile.OneLine(opt.dataName()), n, m, how)
	}
	p.settings.Trace = func(step learners.Step) { show(bar, step, opt.Iterations) }
	result, err := opt.learner.Learn(ctx, p.signals, p.settings)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, plugin.ErrSettings), errors.Is(err, external.ErrProgram):
		return err
	case err != nil:
		return console.Fail(console.ExitInput, fmt.Errorf("%s: %w; check the data, scale it if need be", opt.dataName(), err))
	}
	bar.Clear()
	if err := opt.outputs.save(ctx, s.Out, result); err != nil {
		return err
	}
	return newSummary(opt, p, result).tell(opt, s)
}

// show shows an iteration of so many.
func show(bar *console.Progress, step learners.Step, total int) {
	bar.Describe(fmt.Sprintf("RMSE %.4g", step.RMSE))
	bar.Set("learning", float64(step.Iteration)/float64(total))
	if tenth := max(1, total/10); bar.Plain() && step.Iteration%tenth == 0 {
		bar.Line("iteration %d of %d: RMSE %.4g, %.3g non-zeros a signal, %.1f s", step.Iteration, total, step.RMSE, step.NonZeros, step.Elapsed.Seconds())
	}
}
