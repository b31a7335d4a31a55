// Package upscale is the command superres upscale: it enlarges picture files.
//
// Read it in this order: options.go, what the flags ask for, and fidelity.go, those of what
// an output has beside its pixels, idle.go, those that mean nothing in a call; upscale.go,
// one call; engine.go, the models; plan.go, the inputs and their outputs, resume.go, which of
// them are done, and batch.go, what is to be done; work.go, pictures in work
// beside one another, room.go, the memory that they share, and
// overrun.go, what stops those that take more; enlarge.go, one picture, and
// clock.go, the time it may take; several.go, animations and files with pages; video.go,
// streams of frames, and frames.go, their frames; shimmer.go, the model for what moves, and
// inorder.go, frames beside one another; dryrun.go, the batch on trial. account.go and events.go
// are what is told, pace.go how far the batch is. help.go is the help.
package upscale

import (
	"os"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
)

// Command is superres upscale.
func Command(s *console.Streams) *cli.Command {
	opt := new(Options)
	return console.Leveled(&cli.Command{
		Name: "upscale", Usage: "enlarge picture files", ArgsUsage: "[FLAGS] IN...",
		Description:  description,
		Flags:        opt.table().Flags(),
		Action:       func(c *cli.Context) error { return run(c, s, opt, nil) },
		OnUsageError: func(c *cli.Context, err error, _ bool) error { return run(c, s, opt, err) },
	}, examples, groups...)
}

// run does one call, unless its options have been refused with an error. Whatever becomes of it,
// the events end in a summary.
func run(c *cli.Context, s *console.Streams, opt *Options, err error) error {
	told := newAccount(s, opt.json && opt.Naming.Out != "-")
	if err == nil {
		err = opt.complete(settings.Of(c.Command), c.Args().Slice())
	}
	if err == nil {
		err = upscale(c, s, *opt, told)
	}
	told.summary(c.Context, err)
	return err
}

func upscale(c *cli.Context, s *console.Streams, opt Options, told *account) error {
	engines, err := newEngines(opt)
	if err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	past, err := newResumption(opt, engines)
	if err != nil {
		return err
	}
	defer past.Close()
	if opt.Frames, err = areFrames(opt, s); err != nil {
		return err
	}
	b, err := newBatch(opt, opt.json, past)
	if err != nil {
		return err
	}
	if err := checkDepth(opt.Keep, b.jobs); err != nil {
		return err
	}
	if b.piped() && !opt.DryRun {
		if err := s.CheckOpen(); err != nil {
			return err
		}
		if err := s.TakesBinary(); err != nil {
			return err
		}
	}
	told.start(bar, opt, b.total(), opt.quiet)
	for _, line := range opt.idle(&b, engines.first) {
		told.note(line)
	}
	e := enlarger{opt: opt, engines: engines, past: past, streams: s}
	if opt.DryRun {
		return e.show(c.Context, &b, told)
	}
	b.clearLeftovers() // also where there is nothing else to do, or nothing can be done
	if err := b.err(); err != nil {
		return err
	}
	made, err := b.makeFolders()
	defer func() {
		if told.done() == 0 {
			for _, folder := range made {
				_ = os.Remove(folder) // unless there is something in it
			}
		}
	}()
	if err != nil {
		return err
	}
	defer b.occupy()()
	if err := past.Open(b.roots.list, b.working.list, b.most); err != nil {
		return err
	}
	return e.all(c.Context, &b, told)
}
