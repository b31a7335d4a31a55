// Package learn is the command superres learn: it learns a dictionary from a matrix.
//
// Read it in this order: options.go, the flags; learn.go, one call; problem.go, which reads the data and checks that
// memory suffices; coding.go, coding over an existing dictionary; outputs.go, the files written; report.go, the summary
// of a run; and parts.go, which learns from a file larger than memory.
package learn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/learners"
	"superres/learners/external"
)

// Command returns the command superres learn.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "learn", Usage: "learn a dictionary from a matrix of your own", ArgsUsage: "[FLAGS] DATA -o DICT",
		Description: `   superres learn Y.npy -o D.npy
   superres learn --learner rop --atoms 32 --seed 1 -o D.npy Y.npy
   superres learn Y.csv -o D.csv --codes X.npz --trace trace.csv
   superres learn --transpose --array train data.npz -o D.npy     one signal a row
   superres learn --continue D.npy Y.npy -o better.npy            go on from there
   superres learn --init D.npy --iterations 0 --codes X.npy Z.npy  only code signals
   superres learn --learner online --parts 65536 Y.npy -o D.npy    Y larger than memory

DATA is a matrix Y with one signal a column: .npy, .npz, or text with commas,
semicolons or blank space between the numbers, # before comments, and two lines of
names at most; a first line or column of a text that counts, or has times, is refused,
and taken from .npy alone; - is standard input. DICT gets the dictionary D with one atom a
column, --codes the codes X with one signal a column, so that Y ≈ D·X; their
extensions say how: .npy or .csv, or .npz, where D is the array "D" and X is sparse
(scipy.sparse.load_npz). Signals are taken as they are: no mean is taken off.
Arrays of .npy may hold floats, integers or bool, in either order. --trace writes a
line for every iteration. The same Y, flags and seed give the same bytes, from any of
these formats and with any -j.

--parts learns from a .npy file of any size, a part after the other. A part is made of
runs of 256 signals from all over the file, in an order drawn by the seed. Online learning
keeps its sums over all parts; every other learner begins with the dictionary of the part
before. Each line of --trace is a part, with the RMSE of 4,096 of its signals before it is
learned from, so of signals held out. What is done is kept beside the dictionary, in
DICT.resume, until the run ends: --resume goes on from there, and gives the same bytes.

exec:COMMAND is a learner or coder of your own: see superres recover --help.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, opt) },
	})
}

// run carries out superres learn: it learns the dictionary, writes the outputs and prints the summary.
func run(c *cli.Context, s *console.Streams, opt Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	ctx, bar := c.Context, console.NewProgress(c, s)
	defer bar.Clear()
	if err := s.TakesBinary(opt.outputs.dictionary.Name); err != nil {
		return err
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(opt.Limits.Memory)) // near the limit, Go collects garbage sooner
	if opt.Parts > 0 {
		return learnParts(ctx, opt, s, bar)
	}
	p, err := readProblem(opt, s.In)
	if err != nil {
		return err
	}
	if m, n := p.signals.Dims(); m > n && !opt.Quiet && !opt.codes() && opt.Transpose {
		fmt.Fprintf(s.Err, "superres: %s: %s; if DATA has one signal a column, leave out --transpose\n",
			safefile.OneLine(opt.dataName()), fewSignals(m, n))
	}
	p.settings.Trace = func(step learners.Step) { showStep(bar, step, opt.Iterations) }
	do := opt.learner.Learn
	if opt.codes() {
		do = opt.code
	}
	result, err := do(ctx, p.signals, p.settings)
	if err != nil {
		return opt.failed(ctx, err)
	}
	bar.Clear()
	if err := opt.outputs.save(ctx, s.Out, result); err != nil {
		return err
	}
	return newSummary(opt, p, result).tell(opt, s)
}

// failed returns the error for the user if learning failed with err. It blames the data unless ctx has ended, or err is
// about settings, a program of the user's or an output.
func (opt Options) failed(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, usage.ErrSettings), errors.Is(err, external.ErrProgram), errors.Is(err, safefile.ErrOutput):
		return err
	}
	return console.Failf(console.ExitInput, "%s: %w; check the data, scale it if need be", opt.dataName(), err)
}

// showStep shows the iteration, of total, and the error of step in bar. A plain bar gets a line after each tenth.
func showStep(bar *console.Progress, step learners.Step, total int) {
	bar.Describe(fmt.Sprintf("RMSE %.4g", step.RMSE))
	bar.Set("learning", float64(step.Iteration)/float64(total))
	if tenth := max(1, total/10); bar.Plain() && step.Iteration > 0 && step.Iteration%tenth == 0 {
		bar.Line("iteration %d of %d: RMSE %.4g, %.3g non-zeros a signal, %s", step.Iteration, total,
			step.RMSE, step.NonZeros, console.Elapsed(step.Elapsed.Seconds()))
	}
}
