package recovery

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/internal/settings"
	"superres/learners/planted"
)

// table returns the options of superres recover, with their defaults.
func (opt *Options) table() settings.Table {
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Folder, "recovery", "write report.html, table.tex, trials.csv and trials.json "+
			"to the folder `DIR`; trials it holds already are not run again"),
		{Name: "panel", To: settings.List(&opt.panels, nil), Help: "sizes `M,K,S` of the problems, or a, b, c, d " +
			"for the paper's; may be repeated (default: the paper's four)"},
		{Name: "n", To: settings.Parsed(&opt.Sizes, "", readSizes),
			Help: "numbers of signals `N,N,...` (default: eight for each panel)"},
		{Name: "trials", To: settings.Num(&opt.Trials, 100).AtLeast(1), Help: "`T` problems for each panel and N"},
		{Name: "iterations", To: settings.Num(&opt.Iterations, 500).AtLeast(1), Help: "`I` iterations at most"},
		plugins.LearnerOption("learners", settings.Parsed(&opt.Learners, "rop,blotless,simco,ksvd,mod", readLearners),
			"`SPECS` of the learners: see superres learners"),
		plugins.CoderOption(&opt.Coder, "omp", "`SPEC` of the coder of the two-stage learners, which is told the "+
			"true S"),
		{Name: "noise", To: settings.Num(&opt.Model.Noise, 0).If("0 to less than a million", func(v float64) bool {
			return v >= 0 && v < 1e6
		}), Help: "add white noise of `R` times the signals' root mean square"},
		{Name: "coefficients", To: settings.OneOf(&opt.Model.Coefficients, "gaussian", planted.Coefficients...),
			Help: "draw the non-zeros of codes from `NAME`: " + strings.Join(planted.Coefficients, ", ")},
		{Name: "use", To: settings.OneOf(&opt.Model.Use, "equal", planted.Uses...), Help: "use atoms as `NAME` " +
			"says: equal, each as often; zipf, atom k in proportion to 1/k"},
		{Name: "coherence", To: settings.Num(&opt.Model.Coherence, 0).If("0 to less than 1", func(v float64) bool {
			return v >= 0 && v < 1
		}), Help: "give atoms the share `R` of their energy along one direction"},
		{Name: "outliers", To: settings.Num(&opt.Model.Outliers, 0).Between(0, 1), Help: "put noise in the place of " +
			"the share `R` of the signals"},
		{Name: "by-chance", To: settings.Bool(&opt.Model.ByChance, false), Help: "draw the number of non-zeros of " +
			"each signal, so that S is the mean"},
		{Name: "atoms", To: settings.Num(&opt.Atoms, 1).If("above 0, 4 at most", func(v float64) bool {
			return v > 0 && v <= 4
		}), Help: "tell learners to find `R` times the true number of atoms"},
		{Name: "map", To: settings.Text(&opt.mapped, ""), Help: "draw the share recovered over two `AXES`, such as " +
			"N=25:800,S=1:8, of N, S, K, M, noise, coherence, outliers; the rest is that of the only --panel"},
		console.SeedOption(&opt.Seed),
		parts.SweepOption(),
	}, console.WorkOptions(&opt.Limits, nil))
}

// Options are the arguments of superres recover. The method table sets most fields, and defines their defaults.
type Options struct {
	Folder string // the folder for the report and the journals of trials
	Panels []planted.Panel
	Sizes  []int // numbers of signals, ascending; none: eight for each panel
	Trials int
	Model  planted.Model
	Atoms  float64 // how many atoms a learner is told to find, as a multiple of the true number
	Map    []axis  // the two axes of a map; none: the report is about the panels

	Learners   []string          // specs
	Labels     map[string]string // labels of learners, by spec
	Coder      string            // a spec; tasks add the sparsity of the problem
	Iterations int
	Seed       uint64
	Limits     console.Limits

	panels  []string // the values of --panel
	mapped  string   // the value of --map
	command string   // the command line as the report records it
}

// complete sets the fields of opt that depend on c or on several options. It fails if c has arguments that do not
// continue the value of --map, or if a learner or a panel is not valid.
func (opt *Options) complete(c *cli.Context) (err error) {
	if c.NArg() > 0 && opt.mapped == "" {
		return console.Usage("recover takes no argument, got %q", c.Args().First())
	}
	if opt.Map, err = readMap(append([]string{opt.mapped}, c.Args().Slice()...)); err != nil {
		return err
	}
	opt.command = console.CommandLine(c)
	opt.Learners, opt.Labels = plugins.Labelled(opt.Learners)
	if err := plugins.CheckLearners(opt.Learners); err != nil {
		return err
	}
	if opt.Panels, err = panels(opt.panels); err != nil {
		return err
	}
	if len(opt.Map) > 0 {
		if len(opt.panels) == 0 { // opt.Panels has the paper's four
			opt.Panels = opt.Panels[:1]
		}
		if len(opt.Panels) > 1 || len(opt.Sizes) > 1 {
			return console.Usage("--map varies one problem: expected one --panel and one --n at most")
		}
	}
	return nil
}

// readLearners returns the specs in text, the value of --learners. It fails if there are none.
func readLearners(text string) ([]string, error) {
	list := plugins.Specs(text)
	if len(list) == 0 {
		return nil, console.Usage("--learners names none; superres learners lists them")
	}
	return list, nil
}

// readSizes returns the numbers in text, the value of --n, sorted and without repetitions; nil for an empty text.
func readSizes(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	list, err := console.Counts(text, 1)
	if err != nil {
		return nil, console.Usage("--n %s: %v", text, err)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// panels returns the panels that the values of --panel, names, stand for, each once; the paper's four panels if names
// is empty. A name is the letter of one of the paper's panels, or M,K,S.
func panels(names []string) ([]planted.Panel, error) {
	var list []planted.Panel
	for _, p := range planted.Figure1 {
		if len(names) == 0 || slices.Contains(names, p.Name) {
			list = append(list, p.Panel)
		}
	}
	for _, text := range names {
		if slices.ContainsFunc(planted.Figure1, func(p planted.Preset) bool { return p.Name == text }) {
			continue
		}
		sizes, err := console.Counts(text, 1)
		if err != nil || len(sizes) != 3 {
			return nil, console.Usage("--panel %s: expected M,K,S such as 16,32,3, or a, b, c or d", text)
		}
		p := planted.Panel{M: sizes[0], K: sizes[1], S: sizes[2]}
		if p.S > p.K || p.M*p.K > 1<<24 { // a dictionary of more than 128 MiB
			return nil, console.Usage("--panel %s: expected S at most K, and sizes within reason", text)
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}
