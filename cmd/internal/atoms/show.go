package atoms

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/settings"
)

// showCommand returns the command superres dict show.
func showCommand(s *console.Streams) *cli.Command {
	var opt ShowOptions
	return console.Command(&cli.Command{
		Name: "show", Usage: "measure the atoms of a model or dictionary, and draw them",
		ArgsUsage: "[FLAGS] MODEL|DICT [PICTURES...]",
		Description: `   superres dict show coupled                       sizes, norms, coherence, condition
   superres dict show coupled -o atoms.png          and the atoms as a picture
   superres dict show my.npz -o atoms.png photos/  and how often these pictures use them
   superres dict show -o atoms.png D.npy

MODEL is a name that superres models lists or the file of a model; DICT is a
dictionary with one atom a column, such as superres learn writes: .npy, .npz or text.
|cos| is of the angle between two atoms, for all pairs; the rank counts the singular
values above a millionth of the largest, the condition is the ratio of the largest
to the smallest of them. PICTURES are taken as upscale takes them, and coded once.
In the picture an atom of a model is its low half, pixels as large as they are, beside
its high half; mid-grey is zero, and each half is stretched by its largest entry.
Atoms of a dictionary are squares where that is possible, else columns. Of a model
with several coupled stages the first is drawn. They are in
the order of their numbers, or, with PICTURES, of their use.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return runShow(c, s, opt) },
	})
}

// table returns the options of superres dict show, with their defaults.
func (opt *ShowOptions) table() settings.Table {
	d := &opt.Drawing
	return slices.Concat(settings.Table{
		console.OutputOption(&d.Name, "", "draw the atoms to `FILE`.png, .jpg, .bmp or .tif; - is standard "+
			"output, as PNG, and the table goes to standard error"),
		{Name: "zoom", To: settings.Num(&d.Zoom, 0).Between(0, 64), Help: "draw an entry as `N`×N pixels; 0: what " +
			"fits a screen"},
		console.OnExistOption("the output exists"),
		console.JSONOption(&opt.JSON, "print JSON, with the use of every atom"),
	}, opt.Sources.Options(), console.PictureOptions(&opt.Limits, &opt.Quiet))
}

// ShowOptions are the settings of one run of the command. Most fields are set by the options of table.
type ShowOptions struct {
	Name     string   // a model, the file of a model or dictionary, or "-" for standard input
	Pictures []string // the pictures for which the use of the atoms is counted
	Sources  pictures.Sources

	Drawing Drawing
	Limits  console.Limits

	JSON, Quiet bool
}

// Drawing has the options for the drawing of atoms.
type Drawing struct {
	Name      string // the file, or "-" for standard output; empty: no drawing
	Overwrite bool
	Zoom      int // the side of an entry, in pixels; 0: one that fits a screen
	format    imagefile.Format
}

// complete sets the fields that need the arguments of c, and returns an error if nothing can be drawn as asked.
func (opt *ShowOptions) complete(c *cli.Context) (err error) {
	opt.Name, opt.Pictures = c.Args().First(), c.Args().Tail()
	if c.NArg() == 0 {
		return console.Usage("no model to show: name one that superres models lists, or a file; superres dict " +
			"show --help shows examples")
	}
	opt.Sources.Complete(c, opt.Limits, 60)
	return opt.Drawing.complete(c)
}

// complete sets the format by the name of the file, and returns an error if the file cannot be written.
func (d *Drawing) complete(c *cli.Context) (err error) {
	d.format = "png"
	if d.Name == "" && d.Zoom > 0 {
		return console.Usage("--zoom is of the drawing; say where it goes with -o FILE.png")
	}
	if d.Name != "" && !paths.IsStandard(d.Name) {
		if d.format, err = imagefile.FormatOf(d.Name); err != nil {
			return console.Usage("-o %s: expected a name that ends in .png, .jpg, .bmp or .tif", filepath.Base(d.Name))
		}
	}
	d.Overwrite, err = console.SoleOutput(c, c.Args().First())
	return err
}

// runShow runs the command superres dict show.
func runShow(c *cli.Context, s *console.Streams, opt ShowOptions) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	return show(c.Context, opt, s, bar)
}

// show measures the atoms, counts their use, draws them and prints the report.
func show(ctx context.Context, opt ShowOptions, s *console.Streams, bar *console.Progress) error {
	if err := s.TakesBinary(opt.Drawing.Name); err != nil {
		return err
	}
	d, err := describe(ctx, opt, s.In)
	if err != nil {
		return err
	}
	for _, dict := range d.Dictionaries {
		dict.measure()
	}
	if len(opt.Pictures) > 0 {
		if err := d.countUsage(ctx, opt, bar); err != nil {
			return err
		}
	}
	bar.Clear()
	return d.report(ctx, opt, s)
}
