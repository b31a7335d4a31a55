// Package recovery is the command superres recover: it compares learners on signals generated from known dictionaries.
//
// Read it in this order: options.go, the options; recover.go, one call and the trials to run, which package planted
// carries out; findings.go, the results as data and as a page; map.go, the map on the page; table.go, the table
// trials.csv; verdict.go, the findings as sentences.
package recovery

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/internal/report"
	"superres/internal/safefile"
	"superres/learners"
	"superres/learners/planted"
)

// Command returns the command superres recover, which uses the streams s.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "recover", Usage: "compare learners on known dictionaries: the paper's Figure 1",
		ArgsUsage: "[FLAGS]",
		Description: `   superres recover --trials 10 -o figure1                 the figure, 10 problems a point
   superres recover --panel 16,32,3 --n 100,200,400 --trials 20
   superres recover --panel c --learners rop,blotless:inner=5 --noise 0.05
   superres recover --panel a --trials 10 --learners rop,mine=exec:./mine.py
   superres recover --map N=25:800,S=1:8 --trials 5 --learners rop,lasso,ksvd
   superres recover --panel c --n 400 --noise 0.1 --outliers 0.05 --use zipf --atoms 1.25

Every learner gets signals made from dictionaries that are known; rop and lasso are told
the signals and K, the others S too. A learner may have a label, as mine has above.
The error is 1 − |cos| of the angle between true and
found atoms, assigned to each other so that the sum is least, the mean over atoms and
problems. The page has a plot for each size of problem. On two processors the whole
figure, four sizes at eight N each with 100 problems a point, takes about 3 hours
(judged from 2 problems a point), with --trials 10 about 20 minutes.

exec:COMMAND is a learner of your own in any language, such as mine.py or "python3 mine.py":
testdata/external in the source tells how to write one. It gets the usual variables of the
environment alone (PATH, HOME, LANG, PYTHON*, CONDA_PREFIX, ...; others by "env NAME=VALUE
mine.py"), and all that it starts ends with it.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// run carries out superres recover: it reads the arguments, runs the trials, and writes and prints the report.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	tasks, err := opt.tasks()
	if err != nil {
		return err
	}
	if err := enoughMemory(tasks, opt.Limits.Memory); err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	return parts.Sweep[planted.Task, planted.Trial]{
		Dir: opt.Folder, Task: func(t planted.Trial) planted.Task { return t.Task }, Failed: failure,
		Weight: planted.Task.Weight,
		Run:    func(ctx context.Context, t planted.Task) (planted.Trial, error) { return t.Run(ctx) },
	}.Report(c, s, bar, tasks, safefile.AnyMode, func(trials []planted.Trial) (report.Document, parts.Files, error) {
		f := findings{command: opt.command, typed: console.Typed(c), trials: trials, labels: opt.Labels, axes: opt.Map}
		d := f.document()
		return d, parts.Files{"trials.csv": f.csv, "trials.json": d.JSON, "report.html": d.HTML,
			"table.tex": d.LaTeX}, nil
	})
}

// problems returns the problems to solve, as tasks without trial and learner: one for each cell of the map or, without
// a map, one for each panel and each number of signals.
func (opt Options) problems() (list []planted.Task) {
	for _, p := range opt.Panels {
		for _, n := range opt.sizes(p) {
			list = append(list, planted.Task{M: p.M, K: p.K, S: p.S, N: n, Model: opt.Model})
		}
	}
	if len(opt.Map) == 0 {
		return list
	}
	base := list[len(list)/2] // of the only panel, with the middle number of signals
	list = nil
	for _, y := range opt.Map[1].steps {
		for _, x := range opt.Map[0].steps {
			t := base
			opt.Map[1].set(&t, y)
			opt.Map[0].set(&t, x)
			list = append(list, t)
		}
	}
	return list
}

// tasks returns the trials to run, ordered by problem, then by trial and learner. A task names the versions of learner
// and coder, so that results of other versions are not taken for it.
func (opt Options) tasks() ([]planted.Task, error) {
	problems := opt.problems()
	count := float64(len(problems)) * float64(opt.Trials) * float64(len(opt.Learners))
	if count > parts.MaxTrials {
		return nil, console.Usage("%.0f trials are asked for, expected %d at most; use a smaller --trials or "+
			"several -o", count, parts.MaxTrials)
	}
	var tasks []planted.Task
	for _, t := range problems {
		if t.S > t.K { // on a map alone, as panels checks a panel
			return nil, console.Usage("--map: S = %d is more than K = %d", t.S, t.K)
		}
		var err error
		if t.Coder, err = plugins.WithSparsity(opt.Coder, t.S); err != nil {
			return nil, err
		}
		versions, err := plugins.Versions(opt.Learners, t.Coder)
		if err != nil {
			return nil, err
		}
		if opt.Atoms != 1 {
			t.Atoms = max(1, int(math.Round(opt.Atoms*float64(t.K)))) // 0, for opt.Atoms of 1, stands for K
		}
		t.Seed, t.Limit = opt.Seed, opt.Iterations
		for t.Trial = range opt.Trials {
			for i, name := range opt.Learners {
				t.Learner, t.Program, t.Revision = name, versions[i].Program, versions[i].Revision
				tasks = append(tasks, t)
			}
		}
	}
	return tasks, nil
}

// sizes returns the numbers of signals to try for panel p: from --n, else the paper's for p, else multiples of p.K.
func (opt Options) sizes(p planted.Panel) []int {
	if len(opt.Sizes) > 0 {
		return opt.Sizes
	}
	for _, f := range planted.Figure1 {
		if f.Panel == p {
			return f.N
		}
	}
	var list []int
	for _, f := range []int{2, 3, 5, 7, 10, 14, 20, 28} { // about the range of N/K in the paper's panels
		list = append(list, f*p.K)
	}
	return list
}

// enoughMemory fails if trials on all processors at once need more than memory bytes, to learn and to compare atoms.
func enoughMemory(tasks []planted.Task, memory int64) error {
	for _, t := range tasks {
		learner, err := learners.New(t.Learner)
		if err != nil {
			return err
		}
		workers := min(runtime.GOMAXPROCS(0), len(tasks))
		need := console.Process(float64(workers) * (8*float64(t.M)*float64(t.N) +
			learner.Memory(t.M, t.N, max(t.K, t.Atoms), t.S) +
			8*float64(t.K)*float64(t.K+2*t.M))) // the cosines of all pairs of atoms, and both dictionaries
		if err := console.EnoughMemory(memory, fmt.Sprintf("%s with M,K,S = %d,%d,%d and N = %d, %d trials at a time,",
			t.Learner, t.M, t.K, t.S, t.N, workers), need, ", a smaller -j or a smaller --n"); err != nil {
			return err
		}
	}
	return nil
}
