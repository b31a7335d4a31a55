// Package recovery is the command superres recover: it compares learners on signals from known dictionaries.
//
// Read it in this order: options.go, the options; recover.go, one call; tasks.go, the trials to run, which package
// planted runs; findings.go, their results as data; table.go, the table trials.csv, from which another run continues;
// verdict.go, the findings in a sentence; page.go, the report.
package recovery

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/internal/safefile"
	"superres/learners/planted"
)

// Command is superres recover.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "recover", Usage: "compare learners on signals from known dictionaries: the paper's Figure 1",
		ArgsUsage: "[FLAGS]",
		Description: `   superres recover --trials 10 -o figure1                 the whole figure, 10 problems a point
   superres recover --panel 16,32,3 --n 100,200,400 --trials 20
   superres recover --panel c --learners rop,blotless:inner=5 --noise 0.05
   superres recover --panel a --trials 10 --learners rop,exec:./mine.py

Every learner gets signals made from dictionaries that are known; ROP is told the
signals and K, the others S too. The error is 1 − |cos| of the angle between true and
found atoms, assigned to each other so that the sum is least, the mean over atoms and
problems. The page has a plot for each size of problem. On two processors the whole
figure, four sizes at eight N each with 100 problems a point, takes about 3 hours
(judged from 2 problems a point), with --trials 10 about 20 minutes.

exec:COMMAND is a learner of your own in any language, such as mine.py or "python3 mine.py":
testdata/external in the source tells how to write one. It gets the usual variables of the
environment alone (PATH, HOME, LANG, PYTHON*, CONDA_PREFIX, ...; others by "env NAME=VALUE
mine.py"), and all that it starts ends with it.`,
		Flags:  opt.table().Flags(),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// run does one call.
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
	part, err := parts.SweepPart(c, opt.Folder)
	if err != nil {
		return err
	}
	trials, err := parts.Sweep[planted.Task, planted.Trial]{
		Command: "recover", Dir: opt.Folder, Part: part, Merge: parts.Merging(c),
		Task:    func(t planted.Trial) planted.Task { return t.Task },
		Failed:  func(t planted.Trial) bool { return t.Failure != "" },
		Shorter: "--trials 10 (of 100), --panel a (of four), or --n 100,400", Weight: planted.Task.Weight,
		Run:   func(ctx context.Context, t planted.Task) (planted.Trial, error) { return t.Run(ctx) },
		Table: readTable,
	}.Do(c.Context, tasks, bar)
	if err != nil || part.Of > 0 {
		return err
	}
	bar.Clear()
	f := findings{command: opt.command, typed: console.Typed(c), trials: trials}
	if err := console.WriteReports(
		opt.Folder, safefile.AnyMode,
		console.ReportAs(tableName, f.csv), console.ReportAs("trials.json", f.json),
		console.ReportAs("report.html", f.html),
	); err != nil {
		return err
	}
	if err := f.text(s.Out); err != nil {
		return err
	}
	bar.Line("%s: the report", filepath.Join(opt.Folder, "report.html"))
	if n := f.failures(); n > 0 {
		return console.Fail(console.ExitSome,
			fmt.Errorf("%d of %d trials failed: %s; the same command tries them again", n, len(trials),
				f.firstFailure()))
	}
	return nil
}
