// Package recovery is the command superres recover: it compares learners on signals from
// known dictionaries.
package recovery

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// Command is superres recover.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "recover", Usage: "compare learners on signals from known dictionaries: the paper's Figure 1", ArgsUsage: "[FLAGS]",
		Description: `   superres recover --trials 10 -o figure1                 the whole figure, 10 problems a point
   superres recover --panel 16,32,3 --n 100,200,400 --trials 20
   superres recover --panel c --learners rop,blotless:inner=5 --noise 0.05`,
		Flags: append([]cli.Flag{
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
		}, console.WorkFlags...),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return console.Usage("recover takes no argument, got %q", c.Args().First())
			}
			return recoverDictionaries(c, s)
		},
	})
}

func recoverDictionaries(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	tasks, err := recoverTasks(c)
	if err != nil {
		return err
	}
	if err := trialsFit(tasks, limits.Memory); err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	dir := c.String("output")
	part, err := parts.SweepPart(c, dir)
	if err != nil {
		return err
	}
	trials, err := parts.Sweep[planted.Task, planted.Trial]{
		Command: c.Command.Name, Dir: dir, Part: part, Task: func(t planted.Trial) planted.Task { return t.Task }, Failed: func(t planted.Trial) bool { return t.Failure != "" },
		Weight: planted.Task.Weight, Run: func(ctx context.Context, t planted.Task) (planted.Trial, error) { return t.Run(ctx) },
	}.Do(c.Context, tasks, bar)
	if err != nil || part.Of > 0 {
		return err
	}
	bar.Clear()
	r := recoveryReport{command: strings.Join(console.Settings(c), " "), trials: trials}
	if err := console.WriteReports(dir, console.ReportAs("trials.csv", r.csv), console.ReportAs("trials.json", r.json), console.ReportAs("report.html", r.html)); err != nil {
		return err
	}
	if err := r.text(s.Out); err != nil {
		return err
	}
	bar.Line("%s: the report", filepath.Join(dir, "report.html"))
	if n := r.failures(); n > 0 {
		return console.Fail(console.ExitSome, fmt.Errorf("%d of %d trials failed: %s; the same command tries them again", n, len(trials), r.firstFailure()))
	}
	return nil
}

// trialsFit refuses trials that take more memory than there is, beside one another:
// to learn, and to compare every atom with every other.
func trialsFit(tasks []planted.Task, memory int64) error {
	for _, t := range tasks {
		learner, err := learners.New(t.Learner)
		if err != nil {
			return err
		}
		together := float64(min(runtime.GOMAXPROCS(0), len(tasks)))
		need := together * (8*float64(t.M)*float64(t.N) + learners.Memory(learner, t.M, t.N, t.K, t.S) + 8*float64(t.K)*float64(t.K+2*t.M))
		if need > float64(memory) {
			return console.Fail(
				console.ExitLimit, fmt.Errorf("%s with M,K,S = %d,%d,%d and N = %d needs %s for %.0f trials at a time, the limit is %s; use --max-memory, a smaller -j or a smaller --n",
					t.Learner, t.M, t.K, t.S, t.N, console.Bytes(int64(min(need, 1<<60))), together, console.Bytes(memory)))

		}
	}
	return nil
}

// recoverTasks makes the trials that the flags ask for.
func recoverTasks(c *cli.Context) ([]planted.Task, error) {
	trials, iterations, noise := c.Int("trials"), c.Int("iterations"), c.Float64("noise")
	switch {
	case trials < 1:
		return nil, console.Usage("--trials %d: expected at least 1", trials)
	case iterations < 1:
		return nil, console.Usage("--iterations %d: expected at least 1", iterations)
	case !(noise >= 0 && noise < 1e6):
		return nil, console.Usage("--noise %g: expected 0 or more", noise)
	}
	names := plugins.Specs(c.String("learners"))
	if len(names) == 0 {
		return nil, console.Usage("--learners names none; superres learners lists them")
	}
	if err := plugins.CheckLearners(names); err != nil {
		return nil, err
	}
	var given []int
	if text := c.String("n"); text != "" {
		var err error
		if given, err = console.Counts(text); err != nil {
			return nil, console.Usage("--n %s: %v", text, err)
		}
		slices.Sort(given)
		given = slices.Compact(given)
	}
	panels, err := panels(c.StringSlice("panel"))
	if err != nil {
		return nil, err
	}
	sizes := func(p planted.Panel) []int {
		if len(given) > 0 {
			return given
		}
		return usualSizes(p)
	}
	most := 0.0
	for _, p := range panels {
		most += float64(trials) * float64(len(names)) * float64(len(sizes(p)))
	}
	if most > parts.MaxTrials {
		return nil, console.Usage("%.0f trials are asked for, expected %d at most; use a smaller --trials or several -o", most, parts.MaxTrials)
	}
	var tasks []planted.Task
	for _, p := range panels {
		coder, err := plugins.WithSparsity(c.String("coder"), p.S)
		if err != nil {
			return nil, err
		}
		if _, err := sparse.New(coder); err != nil {
			return nil, err
		}
		for _, n := range sizes(p) {
			for trial := range trials {
				for _, name := range names {
					tasks = append(tasks, planted.Task{
						M: p.M, K: p.K, S: p.S, N: n, Noise: noise, Trial: trial, Seed: c.Uint64("seed"),
						Learner: name, Coder: coder, Limit: iterations,
					})
				}
			}
		}
	}
	return tasks, nil
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

// usualSizes returns the numbers of signals at which a panel is drawn: those of the
// paper's panels, else multiples of K.
func usualSizes(p planted.Panel) []int {
	for _, f := range planted.Figure1 {
		if f.Panel == p {
			return f.N
		}
	}
	var list []int
	for _, f := range []int{2, 3, 5, 7, 10, 14, 20, 28} {
		list = append(list, f*p.K)
	}
	return list
}
