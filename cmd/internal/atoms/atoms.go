// Package atoms is the command superres dict, which measures and draws the atoms of models and dictionaries.
//
// Read atoms.go first, the command and its options; then describe.go, which finds the atoms, and report.go, the output.
package atoms

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/settings"
)

// Command returns the command superres dict.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "dict", Usage: "measure the atoms of a model or dictionary, and draw them",
		ArgsUsage: "[FLAGS] MODEL|FILE",
		Description: `   superres dict coupled                 sizes, norms, coherence, condition
   superres dict coupled -o atoms.png    and the atoms as a picture
   superres dict D.npy -o atoms.png      of a dictionary such as superres learn writes

MODEL is a name that superres models lists or the file of a model; FILE is a
dictionary with one atom a column: .npy, .npz or text.
|cos| is of the angle between two atoms, for all pairs; the rank counts the singular
values above a millionth of the largest, the condition is the ratio of the largest
to the smallest of them.

In the picture an atom of a model is its low half, pixels as large as they are, beside
its high half; mid-grey is zero, and each half is stretched by its largest entry.
Atoms of a dictionary are squares where that is possible, else columns. Of a model
with several coupled stages the first is drawn.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, opt) },
	})
}

// table returns the options of superres dict, with their defaults.
func (opt *Options) table() settings.Table {
	return settings.Table{
		console.OutputOption(&opt.Drawing, "", "draw the atoms to `FILE`.png, .jpg, .bmp or .tif; - is standard "+
			"output, as PNG, and the table goes to standard error"),
		{Name: "zoom", To: settings.Num(&opt.Zoom, 0).Between(0, 64), Help: "draw an entry as `N`×N pixels; 0: what " +
			"fits a screen"},
		console.OnExistOption("the output exists"),
		console.JSONOption(&opt.JSON, "print JSON"),
		console.QuietOption(&opt.Quiet),
		console.MemoryOption(&opt.Limits),
	}
}

// Options are the settings for one run of the command. The options in table set most fields.
type Options struct {
	Name        string // a model, or the file of a model or dictionary
	Drawing     string // the file of the drawing, or "-" for standard output; empty: no drawing
	Overwrite   bool
	Zoom        int            // the side of an entry in the drawing, in pixels; 0: fits a screen
	Limits      console.Limits // only the memory limit is used
	JSON, Quiet bool

	format imagefile.Format // format of the drawing
}

// complete sets opt.Name, opt.format and opt.Overwrite from c. It fails if the options for the drawing contradict.
func (opt *Options) complete(c *cli.Context) (err error) {
	if opt.Name, err = console.OneArgument(c, "model"); err != nil {
		return err
	}
	opt.format = "png"
	if opt.Drawing == "" && opt.Zoom > 0 {
		return console.Usage("--zoom is of the drawing; say where it goes with -o FILE.png")
	}
	if opt.Drawing != "" && !paths.IsStandard(opt.Drawing) {
		if opt.format, err = imagefile.FormatOf(opt.Drawing); err != nil {
			return console.Usage("-o %s: expected a name that ends in .png, .jpg, .bmp or .tif",
				filepath.Base(opt.Drawing))
		}
	}
	opt.Overwrite, err = console.SoleOutput(c, opt.Name)
	return err
}

// run carries out superres dict: it measures the atoms, draws them and prints the report.
func run(c *cli.Context, s *console.Streams, opt Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	if err := s.TakesBinary(opt.Drawing); err != nil {
		return err
	}
	describe := describeModel
	if models.IsFile(opt.Name) && !models.IsModel(opt.Name) { // the file of a dictionary
		describe = describeMatrix
	}
	d, err := describe(c.Context, opt)
	if err != nil {
		return err
	}
	for _, dict := range d.Dictionaries {
		dict.measure()
	}
	return d.report(c.Context, opt, s)
}
