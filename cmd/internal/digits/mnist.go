// Package digits is the command superres mnist, and superres mnist download: it restores and scores the images of an
// IDX file.
//
// Read it in this order: options.go, the options; mnist.go, one call; inspect.go, the checks before anything is
// written; engine.go, which processes one image; job.go, which processes all in the order of the file; scores.go, the
// sums of their errors; report.go, sheet.go and sheetpage.go, the output. The download is apart from these:
// download.go is its command, and fetch.go fetches files from mirrors.
package digits

import (
	"runtime/debug"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// Command is superres mnist.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "mnist", Usage: "restore and score the images of an IDX file",
		ArgsUsage: "[FLAGS] IMAGES [LABELS]   or   FOLDER   or   download --dir DIR",
		Description: `   superres mnist mnist/                            its test images, and their labels
   superres mnist t10k-images-idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --sheet sheet.html
   superres mnist t10k-images-idx3-ubyte.gz -o restored.idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --limit 100 -o digits/     00000_7.png ...
   superres mnist --task enlarge t10k-images-idx3-ubyte.gz -o large.idx3-ubyte.gz
   superres mnist download --dir mnist/

Every image is reduced, restored by the model and scored by the protocol nfe,
beside nearest and bicubic: squared error of the grey values over the squared
truth, the mean over the images. With LABELS the errors of every class are shown,
too. With --task enlarge the images themselves are enlarged, and nothing is scored.
Both files may be packed by gzip; they are read to their ends before anything is
written. Images are worked on a few hundred at a time, whatever their number.

A black image has no error and is left out of the means. A file with the name of one
of MNIST's and other content is used, with a warning; a damaged one leaves nothing
behind. The figures are those of eval, to the last bit. One processor restores some
thousand digits a second, in 50 MB however many there are; the bytes are the same
with any -j.`,
		Flags:       opt.table().Flags(),
		Subcommands: []*cli.Command{downloadCommand(s)},
		Action:      func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// run does one call.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	console.LimitProcess(c.Context, opt.Limits)
	e, err := newEngine(*opt)
	if err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	if err := opt.checkOutputs(); err != nil {
		return err
	}
	j, err := inspect(c.Context, *opt, e, bar)
	if err != nil {
		return err
	}
	official, warnings := opt.verify()
	// Many small images take little memory and make much garbage. Collecting it as often as suits large pictures
	// would take longer than the work itself.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	began := time.Now()
	if err := j.run(c.Context); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	sum := j.summary()
	sum.Official, sum.OfficialLabels, sum.Warnings = official[0], official[1], warnings
	sum.Seconds, sum.PerSecond = seconds, float64(j.count)/seconds
	switch {
	case j.sheet == nil:
	case opt.asPage():
		err = j.sheet.page(opt.most, opt.Sheet, opt.Overwrite, sum)
	default:
		err = j.sheet.write(c.Context, opt.most, opt.Sheet, opt.Overwrite)
	}
	if err != nil {
		return err
	}
	bar.Clear()
	return sum.print(s, opt.Quiet, opt.JSON)
}
