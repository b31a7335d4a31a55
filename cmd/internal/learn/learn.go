// Package learn is the command superres learn: it learns a dictionary from a matrix.
package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/plugins"
	"superres/internal/matfile"
	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
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
The same data, flags and seed give the same bytes.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the dictionary to `FILE`.npy, .npz or .csv; - is standard output, as .npy"},
			&cli.StringFlag{Name: "codes", Usage: "write the codes to `FILE`.npy, .npz or .csv"},
			&cli.StringFlag{Name: "trace", Usage: "write a line for every iteration to `FILE`.csv"},
			&cli.StringFlag{Name: "learner", Value: "ksvd", Usage: "`SPEC` of the dictionary learner: see superres learners"},
			&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the sparse coder, for learners that need one: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Value: 3, Usage: "code signals with `S` atoms at most, unless the coder's spec says sparsity or lambda; 0: as it says"},
			&cli.IntFlag{Name: "atoms", Usage: "learn `K` atoms; 0: as many as --init has, or twice the entries of a signal, but no more than there are signals"},
			&cli.IntFlag{Name: "iterations", Value: 500, Usage: "iterate `N` times at most"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
			&cli.StringFlag{Name: "init", Usage: "begin with the dictionary in `FILE`; without: with signals drawn by the seed"},
			&cli.StringFlag{Name: "array", Usage: "take the array `NAME` of an .npz file with several"},
			&cli.BoolFlag{Name: "transpose", Usage: "DATA has one signal a row"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when an output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON"},
		}, console.WorkFlags...),
		Action: func(c *cli.Context) error { return run(c, s) },
	})
}

// learning is one run of learn.
type learning struct {
	c       *cli.Context
	s       *console.Streams
	bar     *console.Progress
	memory  int64 // the most bytes to take
	learner learners.Learner
	out     learnOutputs
	y       *mat.Dense
	opt     learners.Options
	coder   *watchedCoder
}

func run(c *cli.Context, s *console.Streams) (err error) {
	l := learning{c: c, s: s}
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	l.memory = limits.Memory
	if err := l.check(); err != nil {
		return err
	}
	if l.bar, err = console.NewProgress(c, s); err != nil {
		return err
	}
	defer l.bar.Clear()
	if l.learner, err = learners.New(c.String("learner")); err != nil {
		return err
	}
	if _, err = l.newCoder(math.MaxInt32); err != nil { // rather before the data is read
		return err
	}
	if l.out, err = learnOutputsOf(c); err != nil {
		return err
	}
	if err := l.read(); err != nil {
		return err
	}
	result, err := l.learner.Learn(c.Context, l.y, l.opt)
	switch {
	case c.Context.Err() != nil:
		return c.Context.Err()
	case errors.Is(err, plugin.ErrSettings):
		return err
	case err != nil:
		return console.Fail(console.ExitInput, fmt.Errorf("%s: %w; check the data, scale it if need be", dataName(c), err))
	}
	l.bar.Clear()
	if err := l.out.save(c.Context, s.Out, result); err != nil {
		return err
	}
	return l.report(result)
}

// check refuses what the flags alone show to be wrong.
func (l *learning) check() error {
	c := l.c
	switch {
	case c.NArg() == 0:
		return console.Usage("no data to learn from: name a .npy, .npz or .csv file; superres learn --help shows examples")
	case c.NArg() > 1:
		return console.Usage("%d files, expected one: %q and %q", c.NArg(), c.Args().Get(0), c.Args().Get(1))
	case c.Int("iterations") < 1:
		return console.Usage("--iterations %d: expected at least 1", c.Int("iterations"))
	}
	for _, name := range []string{"atoms", "sparsity"} {
		if c.Int(name) < 0 {
			return console.Usage("--%s %d: expected 0 or more", name, c.Int(name))
		}
	}
	return nil
}

// dataName is what errors call the data.
func dataName(c *cli.Context) string {
	if name := c.Args().First(); name != "-" {
		return name
	}
	return "standard input"
}

// read reads the data and the first dictionary, once it is clear that there is
// memory to learn from them, and completes the options.
func (l *learning) read() (err error) {
	c := l.c
	l.opt = learners.Options{Iterations: c.Int("iterations"), Seed: c.Uint64("seed"), Atoms: c.Int("atoms"), Trace: l.trace}
	if file := c.String("init"); file != "" {
		m, err := matfile.Open(file, matfile.Options{Column: "atom", Accept: func(rows, cols int) error {
			return l.fits(fmt.Sprintf("%s: a dictionary of %d×%d", file, rows, cols), 8*float64(rows)*float64(cols), "")
		}})
		if err != nil {
			return err
		}
		if l.opt.Init, err = sparse.NewDictionary(m); err != nil {
			return console.Fail(console.ExitInput, fmt.Errorf("%s: %w", file, err))
		}
		rows, atoms := l.opt.Init.Dims()
		for k := range atoms {
			if l.opt.Init.Norm(k) == 0 {
				return console.Fail(console.ExitInput, fmt.Errorf("%s: atom %d (counted from 0) is zero or nearly so; expected a direction", file, k))
			}
		}
		if l.opt.Atoms == 0 {
			l.opt.Atoms = atoms
		}
		if l.opt.Atoms != atoms {
			return console.Usage("--atoms %d, but %s has %d (it is %d×%d, with one atom a column); leave --atoms out", l.opt.Atoms, file, atoms, rows, atoms)
		}
	}
	want := matfile.Options{Array: c.String("array"), ArrayFlag: "--array", Transpose: c.Bool("transpose"), Column: "signal", Accept: l.accept}
	if c.Args().First() == "-" {
		l.y, err = l.readPipe(want)
	} else {
		l.y, err = matfile.Open(c.Args().First(), want)
	}
	if err != nil {
		return err
	}
	l.coder, err = l.newCoder(l.opt.Atoms)
	l.opt.Coder = l.coder
	return err
}

// readPipe reads the data from standard input.
func (l *learning) readPipe(want matfile.Options) (*mat.Dense, error) {
	data, err := console.ReadWhole(l.s.In, dataName(l.c), l.memory/2, "use a file or --max-memory")
	if err != nil {
		return nil, err
	}
	return matfile.Read(bytes.NewReader(data), int64(len(data)), dataName(l.c), want)
}

// accept completes the number of atoms for n signals of m entries and refuses what
// takes too much memory.
func (l *learning) accept(m, n int) error {
	if l.opt.Init != nil {
		if rows, k := l.opt.Init.Dims(); rows != m {
			return console.Usage("%s has atoms of %d entries (it is %d×%d), but the signals of %s have %d; use another --init, or --transpose when %s has one signal a row",
				l.c.String("init"), rows, rows, k, dataName(l.c), m, dataName(l.c))
		}
	}
	if l.opt.Atoms == 0 {
		l.opt.Atoms = min(2*m, n)
	}
	nonZeros := l.c.Int("sparsity")
	if nonZeros == 0 || nonZeros > m || plugins.SaysSparsity(l.c.String("coder")) {
		nonZeros = m
	}
	need := 64<<20 + 8*float64(m)*float64(n) + learners.Memory(l.learner, m, n, l.opt.Atoms, min(nonZeros, l.opt.Atoms))
	if l.out.codes.format == "npy" || l.out.codes.format == "csv" {
		need += 8 * float64(l.opt.Atoms) * float64(n)
	}
	return l.fits(fmt.Sprintf("%s: learning %d atoms from %d signals of %d entries", dataName(l.c), l.opt.Atoms, n, m), need,
		", fewer --atoms or fewer signals, or --transpose when there is one signal a row")
}

// fits refuses what needs more than the memory there is.
func (l *learning) fits(what string, need float64, advice string) error {
	return console.EnoughMemory(l.memory, what, need, advice)
}

// newCoder makes the coder.
func (l *learning) newCoder(atoms int) (*watchedCoder, error) {
	spec, err := plugins.CoderSpec(l.c, l.c.String("coder"), atoms)
	if err != nil {
		return nil, err
	}
	coder, err := sparse.New(spec)
	return &watchedCoder{Coder: coder, spec: spec}, err
}

// watchedCoder is a coder that knows whether it was used.
type watchedCoder struct {
	sparse.Coder
	spec string
	used atomic.Bool
}

func (w *watchedCoder) Code(ctx context.Context, d *sparse.Dictionary, y *mat.Dense) (*sparse.Codes, error) {
	w.used.Store(true)
	return w.Coder.Code(ctx, d, y)
}

// trace shows an iteration.
func (l *learning) trace(step learners.Step) {
	total := l.opt.Iterations
	l.bar.Describe(fmt.Sprintf("RMSE %.4g", step.RMSE))
	l.bar.Set("learning", float64(step.Iteration)/float64(total))
	if tenth := max(1, total/10); l.bar.Plain() && step.Iteration%tenth == 0 {
		l.bar.Line("iteration %d of %d: RMSE %.4g, %.3g non-zeros a signal, %.1f s", step.Iteration, total, step.RMSE, step.NonZeros, step.Elapsed.Seconds())
	}
}
