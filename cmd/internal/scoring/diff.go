package scoring

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// Diff is superres diff.
func Diff(s *console.Streams) *cli.Command {
	var opt DiffOptions
	return console.Command(&cli.Command{
		Name: "diff", Usage: "put pictures of one scene into a page that compares them", ArgsUsage: "[FLAGS] A B...",
		Description: `   superres diff truth.png enlarged.png                      diff.html: slider, difference, scores
   superres diff truth.png bicubic.png photo.png -o page.html
   superres diff photo.jpg photo_2x.jpg                      a picture and its enlargement
   superres diff --json truth.png enlarged.png

The page uses no network. It opens where the pictures differ most, a pixel for a pixel
of the screen, and has a divider between two pictures, every picture alone, a map of the
differences, and zoom, by mouse, fingers and keys; what is seen can be saved. A is the
reference: the others are scored against it as eval does, protocol matlab-y, and by the
mean and the largest absolute difference of colours, in levels of 0..255. Pictures of
another size, but of the same shape, are shown as large as the largest, in squares or
bicubic, and are not scored. Transparency is shown over squares, counts in the map, as
over grey, and not in the scores; profiles are left aside.

The page has 10 MB at most. Of larger pictures it holds the surroundings of the place
where it opens, and all of them reduced; the rest is in a folder beside it, diff_files/,
which goes where the page goes. With -o - there is no folder, and the rest is left out.

Up to nine pictures are taken. What is behind the # of the page's address is what it
shows, so that a view can be passed on. A picture of another shape is refused.`,
		Flags:  opt.table().Flags(),
		Action: func(c *cli.Context) error { return runDiff(c, s, opt) },
	})
}

// runDiff does one call of superres diff.
func runDiff(c *cli.Context, s *console.Streams, opt DiffOptions) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	if err := console.CheckOutputs(opt.Overwrite, opt.Inputs, console.Output{Flag: "-o", Name: opt.Page}); err != nil {
		return err
	}
	console.LimitProcess(c.Context, opt.Limits)
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	d, err := readSizes(c.Context, opt)
	if err != nil {
		return err
	}
	d.mode = safefile.ModeOf(opt.Inputs...)
	if err := d.arrange(); err != nil {
		return err
	}
	if err := d.checkFolder(opt.Overwrite); err != nil {
		return err
	}
	if err := d.load(c.Context, opt, bar); err != nil {
		return err
	}
	d.chooseRegions()
	if err := d.writeRegions(c.Context, opt.Overwrite); err != nil {
		return err
	}
	bar.Clear()
	page := func(w io.Writer) error { return d.write(console.Interruptible(c.Context, w)) }
	table := s.Out
	if paths.IsStandard(opt.Page) {
		table = s.Err
		err = page(s.Out)
	} else {
		err = safefile.WriteAtomicMode(d.mode, opt.Page, opt.Overwrite, page)
	}
	if err != nil {
		return err
	}
	if opt.JSON {
		return console.WriteJSON(table, d)
	}
	_, err = fmt.Fprint(table, d.text())
	return err
}
