package learn

import (
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
	"superres/learners"
	"superres/learners/sparse"
)

// flags are those of superres learn. They are read by readOptions.
func flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the dictionary to `FILE`.npy, .npz or .csv; - is standard output, as .npy"},
		&cli.StringFlag{Name: "codes", Usage: "write the codes to `FILE`.npy, .npz or .csv"},
		&cli.StringFlag{Name: "trace", Usage: "write a line for every iteration to `FILE`.csv"},
		&cli.StringFlag{Name: "learner", Value: "ksvd", Usage: "`SPEC` of the dictionary learner: see superres learners"},
		&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the sparse coder, for learners that need one: see superres coders"},
		&cli.IntFlag{Name: "sparsity", Value: 3, Usage: "code signals with `S` atoms at most, unless the coder's spec says sparsity or lambda; 0: as it says"},
		&cli.IntFlag{Name: "atoms", Usage: "learn `K` atoms; 0: as many as --init has, or twice the entries of a signal, but no more than there are signals"},
		&cli.IntFlag{Name: "iterations", Value: 500, Usage: "iterate `N` times at most"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
		&cli.StringFlag{Name: "init", Aliases: []string{"continue"}, Usage: "begin with the dictionary in `FILE` and go on from there, as --continue does; without: with signals drawn by the seed"},
		&cli.StringFlag{Name: "sweep", Usage: "choose among the sparsities `S,S,...`, or other settings of the coder, as lambda=V,V,..., by signals held out; -o may be left out"},
		&cli.Float64Flag{Name: "holdout", Value: 0.2, Usage: "for --sweep: hold out this `SHARE` of the signals, drawn by the seed"},
		&cli.StringSliceFlag{Name: "report", Usage: "for --sweep: write its table to `FILE`.html, with its plot, .csv or .json; may be repeated"},
		&cli.StringFlag{Name: "array", Usage: "take the array `NAME` of an .npz file with several"},
		&cli.BoolFlag{Name: "transpose", Usage: "DATA has one signal a row"},
		&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when an output exists: fail or overwrite"},
		&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON"},
	}, console.WorkFlags)
}

// Options are what the flags ask for.
type Options struct {
	// Data is the file of the matrix, or "-" for standard input.
	Data string
	// Array is the array of an .npz file: --array, the only one.
	Array string
	// Transpose takes a row for a signal: --transpose, false.
	Transpose bool
	// Init is the file of the first dictionary: --init, none.
	Init string

	// Learner is the spec of the learner: --learner, ksvd.
	Learner string
	// Coder is the coder of learners that need one: --coder and --sparsity, omp with 3
	// atoms.
	Coder plugins.Coder
	// Atoms is how many are learned: --atoms. The default, 0, is as many as Init has, or
	// twice the entries of a signal, but no more than there are signals.
	Atoms int
	// Iterations is how often the learner iterates at most: --iterations, 500.
	Iterations int
	// Seed is of all random draws: --seed, 1.
	Seed uint64
	// Sweep are the settings to choose among: --sweep, none.
	Sweep Sweep
	// Holdout is the share of the signals that are held out for the choice: --holdout, 0.2.
	Holdout float64
	// Limits are those of the machine.
	Limits console.Limits

	// JSON prints the summary as JSON: --json, false.
	JSON bool
	// Quiet leaves out the summary for people: --quiet, false.
	Quiet bool

	// learner is what Learner names.
	learner learners.Learner
	// outputs are what is written: --output, --codes, --trace, --report and --on-exist.
	outputs outputs
	// command is the command line as a report records it, and typed as it was typed.
	command, typed string
}

// readOptions reads the flags.
func readOptions(c *cli.Context) (opt Options, err error) {
	opt = Options{
		Data: c.Args().First(), Array: c.String("array"), Transpose: c.Bool("transpose"), Init: c.String("init"),
		Learner: c.String("learner"), Coder: plugins.ReadCoder(c), Atoms: c.Int("atoms"), Iterations: c.Int("iterations"), Seed: c.Uint64("seed"),
		Holdout: c.Float64("holdout"), JSON: c.Bool("json"), Quiet: c.Bool("quiet"), typed: console.Typed(c),
	}
	recording := console.Recording{Without: []string{"codes", "trace", "report", "json"}}
	if !opt.Coder.SparsityGiven {
		recording.Without = append(recording.Without, "sparsity") // a sweep refuses it, or takes it to be meant
	}
	opt.command, _ = recording.Command(c)
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	switch {
	case c.NArg() == 0:
		return opt, console.Usage("no data to learn from: name a .npy, .npz or .csv file; superres learn --help shows examples")
	case c.NArg() > 1:
		return opt, console.Usage("%d files, expected one: %q and %q", c.NArg(), c.Args().Get(0), c.Args().Get(1))
	case opt.Iterations < 1:
		return opt, console.Usage("--iterations %d: expected at least 1", opt.Iterations)
	case opt.Atoms < 0:
		return opt, console.Usage("--atoms %d: expected 0 or more", opt.Atoms)
	case opt.Coder.Sparsity < 0:
		return opt, console.Usage("--sparsity %d: expected 0 or more", opt.Coder.Sparsity)
	case !(opt.Holdout > 0 && opt.Holdout < 1):
		return opt, console.Usage("--holdout %g: expected a share between 0 and 1, such as 0.2", opt.Holdout)
	case !c.IsSet("sweep") && (c.IsSet("holdout") || c.IsSet("report")):
		return opt, console.Usage("--holdout and --report are for --sweep; give it the values to choose among")
	}
	if opt.learner, err = learners.New(opt.Learner); err != nil {
		return opt, err
	}
	spec, err := opt.Coder.Over(math.MaxInt32) // how many atoms there are is known later
	if err != nil {
		return opt, err
	}
	if _, err := sparse.New(spec); err != nil {
		return opt, err
	}
	if c.IsSet("sweep") {
		if opt.Sweep, err = readSweep(c.String("sweep"), opt.Coder); err != nil {
			return opt, err
		}
	}
	opt.outputs = outputs{
		dictionary: output{console.Output{Flag: "-o", Name: c.String("output")}, "npy"},
		codes:      output{Output: console.Output{Flag: "--codes", Name: c.String("codes")}},
		trace:      output{Output: console.Output{Flag: "--trace", Name: c.String("trace")}},
	}
	for _, name := range c.StringSlice("report") {
		opt.outputs.reports = append(opt.outputs.reports, console.Output{Flag: "--report", Name: name})
	}
	if opt.outputs.overwrite, err = console.Overwrites(c); err != nil {
		return opt, err
	}
	err = opt.outputs.check(opt)
	return opt, err
}

// dataName is what messages call the data.
func (opt Options) dataName() string {
	if paths.IsStandard(opt.Data) {
		return "standard input"
	}
	return opt.Data
}
