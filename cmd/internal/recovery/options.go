package recovery

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/learners/planted"
)

// flags are those of superres recover. They are read by readOptions.
func flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "recovery", Usage: "write report.html, trials.csv and trials.json to the folder `DIR`; trials it holds already are not run again"},
		&cli.StringSliceFlag{Name: "panel", Usage: "sizes `M,K,S` of the problems, or a, b, c, d for the paper's; may be repeated (default: the paper's four)"},
		&cli.StringFlag{Name: "n", Usage: "numbers of signals `N,N,...` (default: eight for each panel)"},
		&cli.IntFlag{Name: "trials", Value: 100, Usage: "`T` problems for each panel and N"},
		&cli.IntFlag{Name: "iterations", Value: 500, Usage: "`I` iterations at most"},
		&cli.StringFlag{Name: "learners", Value: "rop,blotless,simco,ksvd,mod", Usage: "`SPECS` of the learners: see superres learners"},
		&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the coder of the two-stage learners, which is told the true S"},
		&cli.Float64Flag{Name: "noise", Usage: "add white noise of `R` times the signals' root mean square"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
		parts.SweepFlag,
	}, console.WorkFlags)
}

// Options are what the flags ask for.
type Options struct {
	// Folder is where the report and the journals are: --output, recovery.
	Folder string
	// Panels are the sizes of the problems: --panel, the paper's four.
	Panels []planted.Panel
	// Sizes are the numbers of signals, ascending: --n. None are eight for each panel.
	Sizes []int
	// Trials is how many problems there are for each panel and number of signals:
	// --trials, 100.
	Trials int
	// Noise is that of the signals, relative to their root mean square: --noise, 0.
	Noise float64

	// Learners are the specs of the learners: --learners, rop, blotless, simco, ksvd, mod.
	Learners []string
	// Coder is the spec of the coder, without the sparsity of the problem: --coder, omp.
	Coder string
	// Iterations is how many of them a learner has at most: --iterations, 500.
	Iterations int
	// Seed is that of all random draws: --seed, 1.
	Seed uint64

	// Limits are those of the machine.
	Limits console.Limits

	// command is the command line as the report records it.
	command string
}

// readOptions reads the flags. The part, of --shard, is read by parts.SweepPart.
func readOptions(c *cli.Context) (opt Options, err error) {
	if c.NArg() > 0 {
		return opt, console.Usage("recover takes no argument, got %q", c.Args().First())
	}
	opt = Options{
		Folder: c.String("output"), Trials: c.Int("trials"), Noise: c.Float64("noise"), Coder: c.String("coder"), Iterations: c.Int("iterations"), Seed: c.Uint64("seed"),
		Learners: plugins.Specs(c.String("learners")), command: strings.Join(console.Settings(c), " "),
	}
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	switch {
	case opt.Trials < 1:
		return opt, console.Usage("--trials %d: expected at least 1", opt.Trials)
	case opt.Iterations < 1:
		return opt, console.Usage("--iterations %d: expected at least 1", opt.Iterations)
	case !(opt.Noise >= 0 && opt.Noise < 1e6):
		return opt, console.Usage("--noise %g: expected 0 or more", opt.Noise)
	case len(opt.Learners) == 0:
		return opt, console.Usage("--learners names none; superres learners lists them")
	}
	if err := plugins.CheckLearners(opt.Learners); err != nil {
		return opt, err
	}
	if text := c.String("n"); text != "" {
		if opt.Sizes, err = console.Counts(text); err != nil {
			return opt, console.Usage("--n %s: %v", text, err)
		}
		slices.Sort(opt.Sizes)
		opt.Sizes = slices.Compact(opt.Sizes)
	}
	opt.Panels, err = panels(c.StringSlice("panel"))
	return opt, err
}

// panels reads the values of --panel.
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
