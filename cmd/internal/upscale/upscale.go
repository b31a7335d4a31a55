// Package upscale is the command superres upscale: it enlarges picture files.
//
// Read it in this order: options.go, what the flags ask for; upscale.go, one call; plan.go,
// the inputs and their outputs; work.go, pictures in work beside one another; enlarge.go,
// one picture; account.go and events.go, what is told.
package upscale

import (
	"os"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// Command is superres upscale.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "upscale", Usage: "enlarge picture files", ArgsUsage: "[FLAGS] IN...",
		Description: `   superres upscale photo.jpg                      writes photo_2x.jpg beside it
   superres upscale -s 3 photo.png -o large.png    any scale from 1 to 16
   superres upscale --fit 3840x2160 photo.png      the largest that a screen holds
   superres upscale -o large/ photos/ more/*.png   folders and files into one folder
   superres upscale -r --resume -o large/ photos/  goes on where it was interrupted
   superres upscale --dry-run -r photos/           what would be made, and nothing else
   superres upscale - < in.png > out.png           a pipe
   superres upscale --effort fast photos/          in a third of the time
   superres upscale -m bicubic photo.jpg           plain interpolation, for comparison`,
		Flags:  flags(),
		Action: func(c *cli.Context) error { return run(c, s) },
	})
}

// run does one call. Whatever becomes of it, the events end in a summary.
func run(c *cli.Context, s *console.Streams) error {
	json := c.Bool("json") && c.String("output") != "-"
	told := newAccount(s, json)
	err := upscale(c, s, told)
	told.summary(c.Context, err)
	return err
}

func upscale(c *cli.Context, s *console.Streams, told *account) error {
	opt, err := readOptions(c)
	if err != nil {
		return err
	}
	engines, err := newEngines(opt)
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	past, err := newResumption(opt, engines)
	if err != nil {
		return err
	}
	defer past.Close()
	b, err := newBatch(opt, c.Bool("json"), past)
	if err != nil {
		return err
	}
	if err := opt.Keep.check(b.jobs); err != nil {
		return err
	}
	told.start(bar, opt, b.total(), c.Bool("quiet"))
	e := enlarger{opt: opt, engines: engines, past: past, streams: s}
	if opt.DryRun {
		return e.show(c.Context, b, told)
	}
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
	if err := past.Open(b.roots, b.working()); err != nil {
		return err
	}
	return e.all(c.Context, b, told)
}
