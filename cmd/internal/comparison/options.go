package comparison

import (
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/internal/settings"
	"superres/learners/sparse"
)

// table returns the options of superres compare, with their defaults.
func (opt *Options) table() settings.Table {
	number := func(name string, to **int, help string) *settings.Option {
		return &settings.Option{Name: name, To: settings.Maybe(to, 0).AtLeast(0), Help: help +
			"; 0: as the protocol says"}
	}
	asked := &opt.asked
	var names []string
	for _, p := range protocols {
		names = append(names, p.name)
	}
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Folder, "comparison", "write report.html, table.csv, table.tex and "+
			"runs.json to the folder `DIR`; what it holds already is not run again"),
		{Name: "protocol", To: settings.OneOf(&asked.protocol, "single", names...),
			Help: "learn as `NAME` says: single, pooled, open, patches or signals"},
		{Name: "images", To: settings.Text(&opt.Images, ""), Help: "restore the pictures in `PATH`, a file, a " +
			"folder or an IDX file (default: the four digits of Table 1)"},
		plugins.LearnerOption("learners", settings.Parsed(&opt.Learners, "", func(text string) ([]string, error) {
			return plugins.Specs(text), nil
		}), "`SPECS` of the learners (default: all that take any number of atoms)"),
		models.Option("models", settings.Text(&asked.models, ""), "compare with the models `NAMES|FILES` too"),
		plugins.CoderOption(&opt.Coder, "omp", "`SPEC` of the coder, of learning and restoring"),
		number("sparsity", &asked.sparsity, "code with `S` atoms at most"),
		number("atoms", &asked.atoms, "learn `K` atoms"), number("patches", &asked.patches, "learn from `N` patches"),
		number("iterations", &asked.iterations, "iterate `N` times at most"),
		number("seeds", &asked.seeds, "run with `N` training pictures or seeds"),
		{Name: "back-projection", To: settings.Maybe(&asked.back, -1).AtLeast(0),
			Help: "back-project `N` times where that is done; 0: never; -1: as the protocol says"},
		console.SeedOption(&opt.Seed), console.RecursiveOption(&opt.Sources.Recursive), parts.SweepOption(),
	}, opt.choice.Options(), console.PictureOptions(&opt.Limits, nil))
}

// asked holds the values of options that change a protocol. A nil pointer keeps the setting of the protocol.
type asked struct {
	protocol, models                                  string
	sparsity, atoms, patches, iterations, seeds, back *int
}

// Options are the arguments of superres compare. The method table sets most fields, and defines their defaults.
type Options struct {
	Inputs  []string // MNIST's training file or its folder; or pictures or a file of signals to learn from
	Images  string   // pictures to restore; empty: the digits of Table 1
	Sources pictures.Sources

	Protocol protocol // changed by the settings in asked
	Learners []string // specs, such as "ksvd"
	// Labels are the names of learners in the report, by spec; a learner without a label is called by its spec.
	Labels map[string]string
	Coder  string // a spec that includes the sparsity, such as "omp:sparsity=3"
	Seed   uint64
	Models []string // baselines besides the plain interpolations

	Folder string // the folder for the report and the journals
	Limits console.Limits

	asked  asked
	choice pictures.Choice // which images to use in the IDX files of Images
	// chosen holds the values of --index and --skip-index, and limit the value of --limit. Both are part of every task.
	chosen         string
	limit          int
	command, typed string // the command line with all settings; as the user typed it
}

// complete sets the fields of opt that depend on c and on asked. It fails if learners or the coder are not valid.
func (opt *Options) complete(c *cli.Context) (err error) {
	opt.Inputs, opt.limit = c.Args().Slice(), opt.choice.Limit
	opt.command, opt.typed = console.CommandLine(c), console.Typed(c)
	opt.chosen = c.String("index") + "|" + c.String("skip-index")
	if opt.Protocol, err = opt.asked.read(c.NArg()); err != nil {
		return err
	}
	if opt.Coder, err = plugins.WithSparsity(opt.Coder, opt.Protocol.sparsity); err != nil {
		return err
	}
	if _, err := sparse.New(opt.Coder); err != nil {
		return err
	}
	if len(opt.Learners) == 0 {
		opt.Learners = plugins.All()
	}
	opt.Models = plugins.Specs(opt.asked.models)
	opt.Learners, opt.Labels = plugins.Labelled(opt.Learners)
	if err := plugins.CheckLearners(opt.Learners); err != nil {
		return err
	}
	opt.Sources.Complete(c, opt.Limits, 100) // bytes of memory for each pixel while pictures are read
	if opt.Images != "" {
		opt.Sources.Choice = opt.choice
	}
	return nil
}

// read returns the protocol a.protocol, with the numbers that a sets. It fails if it takes another number of inputs.
func (a asked) read(inputs int) (p protocol, err error) {
	for _, one := range protocols {
		if one.name == a.protocol {
			p = one
		}
	}
	switch {
	case inputs == 0 && p.photo:
		return p, console.Usage("no pictures to learn from; superres compare --help shows examples")
	case inputs != 1 && p.name == "signals":
		return p, console.Usage("expected one file with signals: a matrix (.csv, .npy, .npz), or the header of a " +
			"WFDB record (.hea)")
	case inputs != 1 && !p.photo:
		return p, console.Usage("expected the folder of MNIST's training file, or that file; superres compare " +
			"--help shows examples")
	}
	for _, f := range []struct{ from, to *int }{
		{a.sparsity, &p.sparsity}, {a.atoms, &p.atoms}, {a.patches, &p.patches}, {a.iterations, &p.iterations},
		{a.seeds, &p.runs}, {a.back, &p.back},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	return p, nil
}

// protocol is a procedure to compare learners: the data to learn from, and the default settings.
type protocol struct {
	name string // its value of --protocol
	runs int    // runs of each learner, each with another training digit or another seed
	// patches is the number of pairs of patches to learn from, and atoms the number of atoms to learn.
	patches, atoms int
	// sparsity is the greatest number of atoms in the code of a patch, iterations the greatest number of iterations.
	sparsity, iterations int
	back                 int // the number of back-projections in the second restoration
	// flat is the least standard deviation, on the scale 0..255, of a patch to learn from; 0: all patches are used.
	flat float64
	// refit says that the high halves of atoms hold the difference between a patch and its interpolation, fitted to the
	// codes after learning, as in superres train; false: they hold the patches themselves, as in the paper.
	refit bool
	photo bool // the data are any number of pictures; false: one file or folder
}

// fixed returns the names of the dictionaries that are not learned: a DCT and, for signals, a sample of the signals.
func (p protocol) fixed() []string {
	if p.isSignals() {
		return []string{fixedDCT, fixedSamples}
	}
	return []string{fixedDCT}
}

// protocols lists all protocols. Their settings must not change: stored results name only the protocol.
var protocols = []protocol{
	{name: "single", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20},
	{name: "pooled", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20, flat: 10},
	{name: "open", runs: 1, patches: 4000, atoms: 256, sparsity: 1, iterations: 100, back: 20, flat: 10, refit: true},
	{name: "patches", runs: 5, patches: 4000, atoms: 128, sparsity: 4, iterations: 50, photo: true},
	{name: "signals", runs: 5, patches: 4000, atoms: 128, sparsity: 4, iterations: 50},
}

// scale is the factor by which pictures are reduced and enlarged, as in the paper.
const scale = 2
