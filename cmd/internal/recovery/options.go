package recovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/settings"
	"superres/learners/planted"
)

// table has the options of superres recover, with their defaults.
func (opt *Options) table() settings.Table {
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Folder, "recovery", "write report.html, trials.csv and trials.json to the "+
			"folder `DIR`; trials it holds already are not run again"),
		{Name: "panel", To: settings.List(&opt.panels, nil), Help: "sizes `M,K,S` of the problems, or a, b, c, d " +
			"for the paper's; may be repeated (default: the paper's four)"},
		{Name: "n", To: settings.Parsed(
			&opt.Sizes, "", readSizes,
		), Help: "numbers of signals `N,N,...` (default: eight " +
			"for each panel)"},
		{Name: "trials", To: settings.Num(&opt.Trials, 100).AtLeast(1), Help: "`T` problems for each panel and N"},
		{Name: "iterations", To: settings.Num(&opt.Iterations, 500).AtLeast(1), Help: "`I` iterations at most"},
		plugins.LearnerOption("learners", settings.Parsed(&opt.Learners, "rop,blotless,simco,ksvd,mod", readLearners),
			"`SPECS` of the learners: see superres learners"),
		plugins.CoderOption(&opt.Coder, "omp", "`SPEC` of the coder of the two-stage learners, which is told the "+
			"true S"),
		{Name: "noise", To: settings.Num(&opt.Noise, 0).If("0 or more", func(v float64) bool {
			return v >= 0 &&
				v < 1e6
		}), Help: "add white noise of `R` times the signals' root mean square"},
		console.SeedOption(&opt.Seed),
		parts.SweepOption(),
	}, console.WorkOptions(&opt.Limits, nil))
}

// Options are the arguments of superres recover. The method table sets most fields, and has their defaults.
type Options struct {
	Folder string // of the report and of the journals of finished trials
	Panels []planted.Panel
	Sizes  []int // numbers of signals, ascending; none: eight for each panel
	Trials int
	Noise  float64 // relative to the signals' root mean square

	Learners   []string // specs
	Coder      string   // a spec, without the sparsity of the problem
	Iterations int
	Seed       uint64
	Limits     console.Limits

	panels  []string // the values of --panel
	command string   // the command line as the report records it
}

// complete sets Panels and command from c. It fails where c has arguments, or a learner or a panel is not valid.
func (opt *Options) complete(c *cli.Context) (err error) {
	if c.NArg() > 0 {
		return console.Usage("recover takes no argument, got %q", c.Args().First())
	}
	opt.command = strings.Join(console.Settings(c), " ")
	if err := plugins.CheckLearners(opt.Learners); err != nil {
		return err
	}
	opt.Panels, err = panels(opt.panels)
	return err
}

// shorter names the flags that would shorten the run, to follow "shorter by". It leaves out what the options have done
// already, and is empty if they have done it all.
func (opt *Options) shorter() string {
	var list []string
	if few := 10; opt.Trials > few {
		list = append(list, fmt.Sprintf("--trials %d (of %d)", few, opt.Trials))
	}
	if len(opt.Panels) > 1 {
		list = append(list, fmt.Sprintf("--panel %s (of %d)", panelName(opt.Panels[0]), len(opt.Panels)))
	}
	if len(opt.Sizes) == 0 {
		list = append(list, "--n 100,400")
	}
	if last := len(list) - 1; last > 0 {
		return strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return strings.Join(list, "")
}

// panelName returns the text by which --panel asks for p.
func panelName(p planted.Panel) string {
	for _, known := range planted.Figure1 {
		if known.Panel == p {
			return known.Name
		}
	}
	return fmt.Sprintf("%d,%d,%d", p.M, p.K, p.S)
}

// readLearners returns the specs in text, the value of --learners. It fails where there is none.
func readLearners(text string) ([]string, error) {
	list := plugins.Specs(text)
	if len(list) == 0 {
		return nil, console.Usage("--learners names none; superres learners lists them")
	}
	return list, nil
}

// readSizes returns the numbers in text, the value of --n, ascending and each once. It returns nil for an empty text.
func readSizes(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	list, err := console.Counts(text)
	if err != nil {
		return nil, console.Usage("--n %s: %v", text, err)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// panels returns the panels that given, the values of --panel, names, or the paper's four where given is empty.
func panels(given []string) ([]planted.Panel, error) {
	var list []planted.Panel
	for _, p := range planted.Figure1 {
		if len(given) == 0 || slices.Contains(given, p.Name) {
			list = append(list, p.Panel)
		}
	}
	for _, text := range given {
		if slices.ContainsFunc(planted.Figure1, func(p planted.Preset) bool { return p.Name == text }) {
			continue
		}
		sizes, err := console.Counts(text)
		if err != nil || len(sizes) != 3 {
			return nil, console.Usage("--panel %s: expected M,K,S such as 16,32,3, or a, b, c or d", text)
		}
		p := planted.Panel{M: sizes[0], K: sizes[1], S: sizes[2]}
		if p.S > p.K || p.M*p.K > 1<<24 {
			return nil, console.Usage("--panel %s: expected S at most K, and sizes within reason", text)
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}
