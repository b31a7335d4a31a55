package learn

import (
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
	"superres/internal/settings"
	"superres/learners"
	"superres/learners/sparse"
)

// table returns the options of superres learn, with their defaults.
func (opt *Options) table() settings.Table {
	out := &opt.outputs
	out.dictionary.Flag, out.dictionary.format = "-o", "npy"
	out.codes.Flag, out.trace.Flag = "--codes", "--trace"
	return slices.Concat(settings.Table{
		console.OutputOption(&out.dictionary.Name, "", "write the dictionary to `FILE`.npy, .npz or .csv; - is "+
			"standard output, as .npy"),
		{Name: "codes", To: settings.Text(&out.codes.Name, ""), Effect: settings.Neutral,
			Help: "write the codes to `FILE`.npy, .npz or .csv"},
		{Name: "trace", To: settings.Text(&out.trace.Name, ""), Effect: settings.Neutral,
			Help: "write a line for every iteration to `FILE`.csv"},
		plugins.LearnerOption("learner", settings.Text(&opt.Learner, "ksvd"),
			"`SPEC` of the dictionary learner: see superres learners"),
	}, opt.Coder.Options("`SPEC` of the sparse coder, for learners that need one: see superres coders",
		"code signals with `S` atoms at most, unless the coder's spec says sparsity or lambda; 0: no limit "+
			"but what the spec says"), settings.Table{
		{Name: "atoms", To: settings.Maybe(&opt.Atoms, 0).AtLeast(0), Help: "learn `K` atoms; 0: as many as " +
			"--init has, or twice the entries of a signal, but no more than there are signals"},
		{Name: "iterations", To: settings.Num(&opt.Iterations, 500).AtLeast(0), Help: "iterate `N` times at most; 0: " +
			"learn nothing, and write with --codes the codes of DATA over the dictionary of --init"},
		console.SeedOption(&opt.Seed),
		{Name: "init", Aliases: []string{"continue"}, To: settings.Text(&opt.Init, ""),
			Help: "begin with the dictionary in `FILE` and go on from there, as --continue does; without: with " +
				"signals drawn by the seed"},
		{Name: "parts", To: settings.Num(&opt.Parts, 0).If("0, or at least 1000 signals",
			func(v int) bool { return v == 0 || v >= 1000 }), Help: "learn from parts of `N` signals of a .npy file, " +
			"one after the other, so that memory need not hold the file; --iterations are then on each part, 1 by " +
			"default for online and 10 for others; 0: from all signals at once"},
		{Name: "resume", To: settings.Bool(&opt.Resume, false), Effect: settings.Neutral,
			Help: "with --parts: go on where a run that was stopped or killed has ended"},
		{Name: "array", To: settings.Text(&opt.Array, ""), Help: "take the array `NAME` of an .npz file with several"},
		{Name: "transpose", To: settings.Bool(&opt.Transpose, false), Help: "DATA has one signal a row"},
		console.OnExistOption("an output exists"),
		{Name: "json", To: settings.Bool(&opt.JSON, false), Effect: settings.Neutral,
			Help: "print the summary as JSON"},
	}, console.WorkOptions(&opt.Limits, &opt.Quiet))
}

// Options are the settings for one run of the command. The options in table set most fields.
type Options struct {
	Data      string // the file of the matrix, or "-" for standard input
	Array     string
	Transpose bool
	Init      string

	Learner    string
	Coder      plugins.Coder
	Atoms      *int // nil: as many as in Init, or twice the entries of a signal, but at most the number of signals
	Iterations int
	Seed       uint64
	Parts      int // number of signals in memory at once; 0: all
	Resume     bool
	Limits     console.Limits

	JSON, Quiet bool
	oriented    bool // --transpose is given, with the value true or false

	learner learners.Learner // the learner that the spec Learner describes
	outputs outputs
	command string // the command line; --resume demands the one of the interrupted run
}

// complete sets the fields of opt that depend on c or on several options. Contradictory options are a usage error.
func (opt *Options) complete(c *cli.Context) (err error) {
	given := console.OptionsOf(c.Command)
	opt.Data = c.Args().First()
	opt.oriented = given.Given("transpose")
	opt.Coder.Complete(given)
	opt.command, _ = console.Recorded(c)
	switch {
	case c.NArg() == 0:
		return console.Usage("no data to learn from: name a .npy, .npz or .csv file; superres learn --help shows " +
			"examples")
	case c.NArg() > 1:
		return console.Usage("%d files, expected one: %q and %q", c.NArg(), c.Args().Get(0), c.Args().Get(1))
	}
	if opt.codes() { // nothing is learned: --iterations 0
		if err := opt.checkCoding(given); err != nil {
			return err
		}
	}
	if opt.learner, err = learners.New(opt.Learner); err != nil {
		return err
	}
	if err := opt.completeParts(given); err != nil {
		return err
	}
	spec, err := opt.Coder.Over(math.MaxInt32) // the number of atoms is not known yet
	if err != nil {
		return err
	}
	if _, err := sparse.New(spec); err != nil {
		return err
	}
	opt.outputs.overwrite = console.Overwrites(c)
	return opt.outputs.check(*opt)
}

// dataName returns the name of the data in messages: the file name or "standard input".
func (opt Options) dataName() string {
	if paths.IsStandard(opt.Data) {
		return "standard input"
	}
	return opt.Data
}
