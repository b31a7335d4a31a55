package scoring

import (
	"image"
	"io"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
)

// Diff returns the command superres diff, which uses the streams s.
func Diff(s *console.Streams) *cli.Command {
	var opt DiffOptions
	return console.Command(&cli.Command{
		Name: "diff", Usage: "put pictures of one scene into a page that compares them", ArgsUsage: "[FLAGS] A B...",
		Description: `   superres diff truth.png enlarged.png                      diff.html: slider, difference, scores
   superres diff truth.png bicubic.png photo.png -o page.html
   superres diff photo.jpg photo_2x.jpg                      a picture and its enlargement
   superres diff --json truth.png enlarged.png

The page uses no network. It opens where the pictures differ most, a pixel for a pixel
of the page, and has a divider between two pictures, every picture alone, a map of the
differences, and zoom, by mouse, fingers and keys; what is seen can be saved. A is the
reference: the others are scored against it as eval does, protocol matlab-y, and by the
mean and the largest absolute difference of colours, in levels of 0..255. Pictures of
another size, but of the same shape, are shown as large as the largest, in squares or
bicubic, and are not scored. Transparency is shown over squares, counts in the map, as
over grey, and not in the scores; profiles are left aside.

The page has 50 MB at most. Of larger pictures it holds the surroundings of the place
where it opens, and all of them reduced.

Up to nine pictures are taken. What is behind the # of the page's address is what it
shows, so that a view can be passed on. A picture of another shape is refused.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return runDiff(c, s, opt) },
	})
}

// runDiff carries out superres diff: it reads the arguments from c, and writes the page and the scores.
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
	if err := d.arrange(); err != nil {
		return err
	}
	if err := d.load(c.Context, opt, bar); err != nil {
		return err
	}
	d.chooseRegions()
	bar.Clear()
	table, err := s.WriteOutput(opt.Page, safefile.ModeOf(opt.Inputs...), opt.Overwrite, func(w io.Writer) error {
		return d.write(safefile.Interruptible(c.Context, w))
	})
	if err != nil {
		return err
	}
	if opt.JSON {
		return console.WriteJSON(table, d)
	}
	return d.document().Text(table)
}

// table returns the options of superres diff, with their defaults.
func (opt *DiffOptions) table() settings.Table {
	return append(settings.Table{
		console.OutputOption(&opt.Page, "diff.html", "write the page to `FILE`.html; - is standard output, and "+
			"the table goes to standard error"),
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, 2).Between(1, superres.MaxScale),
			Help: "how much was enlarged, `N`, 1 to 16: the border that scores leave out"},
		console.OnExistOption("the output exists"),
		console.JSONOption(&opt.JSON, "print JSON"),
	}, console.PictureOptions(&opt.Limits, nil)...)
}

// DiffOptions are the arguments of superres diff. The method table sets most fields, and defines their defaults.
type DiffOptions struct {
	Inputs    []string // two to nine pictures; the first is the reference
	Page      string   // the file of the page, or "-" for standard output
	Overwrite bool
	Scale     int // scores leave out a border of this many pixels
	JSON      bool
	Limits    console.Limits
}

// mostCompared is the greatest number of pictures on a page, because the keys 1 to 9 choose a picture.
const mostCompared = 9

// complete sets the fields that come from the arguments of c. It fails unless there are 2 to mostCompared pictures.
func (opt *DiffOptions) complete(c *cli.Context) error {
	opt.Inputs, opt.Overwrite = c.Args().Slice(), console.Overwrites(c)
	switch {
	case len(opt.Inputs) < 2:
		return console.Usage("expected two pictures or more; superres diff --help shows examples")
	case len(opt.Inputs) > mostCompared:
		return console.Usage("%d pictures, expected %d at most", len(opt.Inputs), mostCompared)
	}
	return nil
}

// arrange sets d.scene to the greatest width and height, and covers of every picture to the size at which it is shown:
// the size of the largest picture, but for what rounding or cropping took. It fails if the sides of a picture are in
// another proportion than the sides of the largest: see coveredSize.
func (d *comparison) arrange() error {
	largest := d.Pictures[0]
	for _, p := range d.Pictures {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
		d.scene = image.Pt(max(d.scene.X, p.Width), max(d.scene.Y, p.Height))
	}
	for _, p := range d.Pictures {
		var ok bool
		if p.covers, ok = coveredSize(image.Pt(p.Width, p.Height), image.Pt(largest.Width, largest.Height),
			d.Scale); !ok {
			return console.Failf(console.ExitInput, "%s is %d×%d, which is not the shape of %s, %d×%d; give "+
				"pictures of one scene, turned and cropped alike", p.Name, p.Width, p.Height, largest.Name,
				largest.Width, largest.Height)
		}
	}
	return nil
}

// coveredSize returns the size, in pixels of a scene, at which a picture of a given size is shown. If size differs from
// scene by less than scale pixels, as for a reference cropped for scoring, the result is size. Else, if n times size,
// where n is the largest integer that fits, differs from scene by less than n pixels, the result is n times size. Else
// it is scene. ok is false if the shapes of picture and scene differ by more than rounding a side by a pixel explains.
func coveredSize(size, scene image.Point, scale int) (covered image.Point, ok bool) {
	near := func(n, of, by int) bool { return n <= of && of-n < by || n > of && n-of < by } // |n − of| < by
	if near(size.X, scene.X, scale) && near(size.Y, scene.Y, scale) {
		return size, true
	}
	if n := max(scene.X/size.X, scene.Y/size.Y); near(n*size.X, scene.X, n) && near(n*size.Y, scene.Y, n) {
		return size.Mul(n), true
	}
	// The least and the greatest factor by which a side of n pixels, before rounding, can have been enlarged.
	least := func(n, to int) float64 { return float64(to) / float64(n+1) }
	most := func(n, to int) float64 { return float64(to) / (float64(n) - 0.999) } // not 1, as n may be 1
	ok = least(size.X, scene.X) <= most(size.Y, scene.Y) && least(size.Y, scene.Y) <= most(size.X, scene.X)
	return scene, ok
}
