// Package comparison is the command superres compare: it compares learners on pictures and writes the error report.
//
// Read it in this order: options.go and protocols.go, the options; compare.go, one call; data.go, the pictures to
// learn from and those to restore; tasks.go, the runs to do; learning.go, one run; restoring.go, the pictures it
// restores, and detail.go, the parts of them that are shown. The report is findings.go, its tables as data;
// verdict.go, the findings in a sentence; formats.go, the tables as text, CSV, Markdown, LaTeX and JSON; and page.go,
// the page.
package comparison

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
)

// Command is superres compare.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "compare", Usage: "compare learners: the error report, with the paper's Table 1",
		ArgsUsage: "[FLAGS] DATA",
		Description: `   superres compare mnist/                               the paper's Table 1
   superres compare --protocol pooled --learners rop,ksvd mnist/
   superres compare --protocol open --images mnist/t10k-images-idx3-ubyte.gz --limit 100 mnist/
   superres compare --protocol images photos/                  r picture in five is restored
   superres compare --protocol images --images set5/ photos/

Every learner gets the same patches, the same first dictionary and the same number of
atoms; those that need a coder the same coder. DATA is the folder of MNIST's training
file, or that file; for images, the pictures to learn from.

Protocols: single, the 144 patches of r training digit, for the first ten in turn;
pooled, 144 patches that are not flat of the first 2,000 training digits, ten seeds;
open, 4,000 of all but the digits of Table 1; images, 4,000 of photographs.

The report has the pictures side by side, the same detail of each by all of them,
tables, curves and dictionaries. For images it compares coupled stages, which is the
paper's kind, with and without back-projection, all of the same small size and
different in the learner alone, beside nearest, bicubic and lanczos.

exec:COMMAND is a learner of your own: see superres recover --help.`,
		Flags:  opt.table().Flags(),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// comparison holds what all runs have in common: the options and the pictures.
type comparison struct {
	opt  Options
	data data
}

// run does one call.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	bar.Set("reading", 0)
	read, err := readData(c.Context, *opt, bar)
	if err != nil {
		return err
	}
	if opt.Protocol.name == "single" {
		opt.Protocol.runs = len(read.train) // a digit a run, and there may be fewer
	}
	cmp := &comparison{*opt, read}
	if runs := float64(opt.Protocol.runs) * float64(len(opt.Learners)); runs > parts.MaxTrials {
		return console.Usage("%.0f runs are asked for, expected %d at most; use fewer --seeds", runs, parts.MaxTrials)
	}
	tasks, err := cmp.tasks()
	if err != nil {
		return err
	}
	part, err := parts.SweepPart(c, opt.Folder)
	if err != nil {
		return err
	}
	var baselines []baseline
	if part.Of == 0 {
		if baselines, err = cmp.baselines(c.Context); err != nil {
			return err
		}
	}
	results, err := parts.Sweep[task, result]{
		Command: "compare", Dir: opt.Folder, Part: part, Merge: parts.Merging(c),
		Task: func(r result) task { return r.task }, Failed: func(r result) bool { return r.Failure != "" },
		Weight: task.weight, Run: cmp.run,
	}.Do(c.Context, tasks, bar)
	if err != nil || part.Of > 0 {
		return err
	}
	bar.Clear()
	f := newFindings(cmp, baselines, results)
	if err := console.WriteReports(opt.Folder, read.mode,
		console.ReportAs("table.csv", f.csv), console.ReportAs("table.md", f.markdown),
		console.ReportAs("table.tex", f.latex),
		console.ReportAs("runs.json", f.json), console.ReportAs("report.html", f.html),
	); err != nil {
		return err
	}
	if err := f.text(s.Out); err != nil {
		return err
	}
	bar.Line("%s: the report", filepath.Join(opt.Folder, "report.html"))
	for _, r := range results {
		if r.Failure != "" {
			return console.Fail(console.ExitSome,
				fmt.Errorf("%s failed: %s; the same command tries it again", r.Learner, r.Failure))
		}
	}
	return nil
}
