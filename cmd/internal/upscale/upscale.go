// Package upscale is the command superres upscale, which enlarges picture files. Package enlarging does the work on
// each file; this package plans, runs and reports a call on many files.
//
// Read it in this order: options.go, the options, and idle.go, which finds options without effect in a call; words.go,
// which refuses arguments that were meant as options; upscale.go, one call, and session.go, its state; planner.go,
// which finds inputs and names outputs, with resume.go for pictures already done and results.go for earlier results;
// batch.go, the resulting plan; work.go, which enlarges pictures in parallel, within the memory limits of memory.go;
// dryrun.go, which only shows the plan; book.go, which unpacks and packs comics; report.go for people, events.go for
// programs, and pace.go, which estimates progress. service.go is for package serve, and help.go is the help.
package upscale

import (
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
)

// Command returns the command superres upscale.
func Command(s *console.Streams) *cli.Command {
	opt := new(Options)
	return command(s, opt, &cli.Command{
		Name: "upscale", Usage: "enlarge picture files", Description: description, Flags: console.Flags(opt.table()),
	}, examples, groups)
}

// Restore returns the command superres restore, which is upscale at scale 1.
func Restore(s *console.Streams) *cli.Command {
	opt := &Options{restores: true}
	table := slices.DeleteFunc(opt.table(), func(o *settings.Option) bool { return o.Group == sizes })
	opt.Size.Scale = 1 // after table has set the default
	return command(s, opt, &cli.Command{
		Name: "restore", Usage: "take noise, compression and blur away, at the same size", Description: restoring,
		Flags: console.Flags(table),
	}, restoringExamples, groups[1:]) // all groups but sizes
}

// command makes c enlarge with opt, and returns c. The short help shows examples, the full help options by groups.
func command(s *console.Streams, opt *Options, c *cli.Command, examples string, groups []string) *cli.Command {
	c.ArgsUsage = "[FLAGS] IN..."
	c.Action = func(c *cli.Context) error { return run(c, s, opt, nil) }
	c.OnUsageError = func(c *cli.Context, err error, _ bool) error { return run(c, s, opt, err) }
	return console.Leveled(c, examples, groups...)
}

// run does one call, unless reading the options failed with err. In either case it writes the event "summary".
func run(c *cli.Context, s *console.Streams, opt *Options, err error) error {
	r := newReport(s, opt.json && !paths.IsStandard(opt.Naming.Out))
	if err == nil {
		err = opt.complete(console.OptionsOf(c.Command), c.Args().Slice())
	}
	if err == nil {
		err = opt.checkWords(console.OptionsOf(c.Command))
	}
	if err == nil {
		err = enlargeAll(c, s, *opt, r)
	}
	r.summary(c.Context, err)
	return err
}

// enlargeAll plans the call and carries out the plan, or, with --dry-run, shows it.
func enlargeAll(c *cli.Context, s *console.Streams, opt Options, r *report) error {
	opt.opener.Auto, opt.opener.Memory = true, opt.Limits.Memory
	if opt.mapFile != "" {
		if err := safefile.CheckWritable(opt.mapFile, opt.OnExist == "overwrite"); err != nil {
			return err
		}
		opt.Map = func(m image.Image) error {
			r.note(opt.mapFile + ": " + mapLegend)
			return safefile.WriteAtomic(opt.mapFile, opt.OnExist == "overwrite",
				func(w io.Writer) error { return png.Encode(w, m) })
		}
	}
	opt.Open = func(name string) (*superres.Model, error) { return opt.opener.Open(c.Context, name) }
	enlarger, err := enlarging.New(opt.Settings)
	if err != nil {
		return err
	}
	opt.takeSize(enlarger)
	if text := console.Slowness(); text != "" && (opt.Verbose || !opt.quiet && console.IsTerminal(s.Err)) {
		fmt.Fprintln(s.Err, "superres:", text)
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	programs := &decoders.Set{Given: opt.decoders, Time: opt.DecodeTime, Memory: opt.Limits.Memory}
	book, done, err := openBook(c.Context, &opt, programs, func(text string) {
		if !opt.quiet {
			bar.Pause()
			fmt.Fprintln(s.Err, "superres:", text)
		}
	})
	if book != nil {
		defer func() { book.close(opt.Resume && c.Context.Err() != nil) }()
	}
	if err != nil || done {
		return err
	}
	past, err := newResumption(opt, enlarger)
	if err != nil {
		return err
	}
	defer past.Close()
	e := &session{Enlarger: enlarger, opt: opt, past: past, streams: s, in: enlarging.NewStandard(s.In),
		ctx: c.Context, others: programs}
	if opt.Video, err = e.isVideo(); err != nil {
		return err
	}
	e.opt = opt
	b, err := newBatch(c.Context, e, opt.json)
	if err != nil {
		return err
	}
	for _, j := range b.jobs {
		if err := opt.checkDepth(j.format); err != nil {
			return err
		}
	}
	if len(b.problems) == 0 || opt.DryRun {
		if err := e.findFFmpeg(c.Context, b.jobs, r); err != nil {
			return err
		}
	}
	if b.piped() && !opt.DryRun {
		if err := s.TakesBinary("-"); err != nil {
			return err
		}
	}
	r.start(bar, opt, b.total(), opt.quiet)
	if e.others.Used && opt.Naming.Format == "" && !(b.total() == 1 && imagefile.NamedFormat(opt.Naming.Out) != "") {
		r.note(decoders.Rule)
	}
	for _, line := range opt.idle(&b, enlarger) {
		r.note(line)
	}
	if opt.DryRun {
		return e.show(c.Context, &b, r)
	}
	b.clearLeftovers() // even if there is no picture to enlarge
	if err := b.problem(); err != nil {
		return err
	}
	missing := b.missingFolders()
	defer func() {
		if made, _, _, _ := r.counts(); made == 0 {
			for _, folder := range missing {
				_ = os.Remove(folder) // fails if the folder is not empty
			}
		}
	}()
	if err := b.makeFolders(); err != nil {
		return err
	}
	if err := past.Open(b.working.list, b.most); err != nil {
		return err
	}
	if b.total() > 1 || opt.Resume && len(b.jobs) > 0 && b.jobs[0].format == pictures.Container {
		console.OnInterrupt(c.Context, "%s", goingOn(opt, book))
	}
	err = e.enlargeJobs(c.Context, &b, r)
	if book != nil && c.Context.Err() == nil && (err == nil || console.ExitCode(err) == console.ExitSome) {
		if bound := book.bind(&b, opt); bound != nil {
			if opt.Resume {
				book.remove = nil // keeps the pages, as the disk may be full
			}
			return bound
		}
		if bar.Line("%s", book.out); err != nil {
			r.note(book.out + " has the pages that failed as they were")
		}
	}
	return err
}

// mapLegend says what the colours of --map mean, which superres.BoundsMap draws.
const mapLegend = "nine of ten pixels are off by at most, in levels of 255: black 0, blue 1, red 5, orange 11, " +
	"yellow 20, white 32 or more"

// goingOn returns a line that says how the user can finish the remaining pictures after an interruption.
func goingOn(opt Options, book *book) string {
	switch {
	case opt.Resume || opt.OnExist == "skip" && book == nil:
		return "the same command does the rest"
	case book != nil || opt.OnExist == "overwrite":
		return "the same command starts over; with --resume it does only the rest"
	}
	return "to do the rest, give the same command with --on-exist skip"
}
