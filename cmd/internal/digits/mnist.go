// Package digits is the command superres mnist, which restores and scores the images in an IDX file, MNIST's format.
//
// Read it in this order: mnist.go, the command and its options; inspect.go, the checks before any output is written;
// job.go, the work, in the order of the file; report.go, the errors of images; sheet.go, a page with the first images.
package digits

import (
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
	"superres/superres/resample"
)

// Command returns the command superres mnist.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "mnist", Usage: "restore and score the images of an IDX file",
		ArgsUsage: "[FLAGS] IMAGES [LABELS]  or  FOLDER",
		Description: `   superres mnist mnist/                            its test images, and their labels
   superres mnist t10k-images-idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --sheet sheet.html
   superres mnist t10k-images-idx3-ubyte.gz -o restored.idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --limit 100 -o digits/     00000_7.png ...

Every image is reduced, restored by the model and scored by the protocol nfe,
beside nearest and bicubic: squared error of the grey values over the squared
truth, the mean over the images. With LABELS the errors of every class are shown, too.
Both files may be packed by gzip; they are read to their ends before anything is
written. Images are worked on a few hundred at a time, whatever their number.

A black image has no error and is left out of the means. A file with the name of one
of MNIST's and other content is used, with a warning; a damaged one leaves nothing
behind. The figures are those of eval, to the last bit. One processor restores some
thousand digits a second, in 50 MB however many there are; the bytes are the same
with any -j.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// run carries out superres mnist: it reads the arguments, processes the images and prints the summary.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	console.LimitProcess(c.Context, opt.Limits)
	e, err := newEngine(c.Context, *opt)
	if err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	opt.most = safefile.ModeOf(opt.Images, opt.Labels)
	if err := console.CheckOutputs(opt.Overwrite, []string{opt.Images, opt.Labels}, console.Output{Flag: "-o",
		Name: opt.File}, console.Output{Flag: "--sheet", Name: opt.Sheet}); err != nil { // inspect checks a folder
		return err
	}
	j, err := inspect(c.Context, *opt, e, bar)
	if err != nil {
		return err
	}
	official, warnings := opt.verify()
	// Small images leave much garbage. To collect it as often as for large pictures would take longer than the work.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	began := time.Now()
	if err := j.run(c.Context); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	sum := j.summary()
	sum.Official, sum.OfficialLabels, sum.Warnings = official[0], official[1], warnings
	sum.Seconds, sum.PerSecond = seconds, float64(j.count)/seconds
	if j.sheet != nil {
		if err := j.sheet.page(opt.most, opt.Sheet, opt.Overwrite, sum); err != nil {
			return err
		}
	}
	bar.Clear()
	return sum.print(s, opt.Quiet, opt.JSON)
}

// table returns the options of superres mnist, with their defaults.
func (opt *Options) table() settings.Table {
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Output, "", "write the results to `PATH`: an IDX file (FILE.idx3-ubyte, "+
			"FILE.idx, or either with .gz), or a folder of PNG files, called by the number in IMAGES and the label"),
		{Name: "sheet", To: settings.Text(&opt.Sheet, ""), Help: "show truth, low resolution, result and " +
			"difference of the first images, and the errors, on the page `FILE`.html"},
		{Name: "sheet-count", To: settings.Num(&opt.SheetCount, 20).AtLeast(1), Help: "show `N` images on the sheet"},
		models.Option("model", settings.Text(&opt.Model, models.Digits), "`NAME|FILE`: see superres models"),
		{Name: "scale", Aliases: []string{"s"}, To: settings.Maybe(&opt.Scale, 0).Between(2, superres.MaxScale),
			Help: "reduce and enlarge by `N`, 2 to 16; 0: the model's own scale, or 2"},
		{Name: "transpose-images", To: settings.Bool(&opt.Transposed, false), Help: "turn rows of pixels into " +
			"columns first, as the letters of EMNIST need"},
		pictures.DegradationOption(&opt.Degradation, "", "reduce by `HOW`: bicubic or box; by default what the "+
			"model was trained for, and box for plain interpolations"),
		console.OnExistOption("an output exists"),
		console.JSONOption(&opt.JSON, "print the summary as JSON"),
	}, opt.Choice.Options(), console.PictureOptions(&opt.Limits, &opt.Quiet))
}

// Options are the settings for one run of the command. The options in table set most fields.
type Options struct {
	Images string // the IDX file of the images
	Labels string // the IDX file of the labels; empty: no labels
	Choice pictures.Choice

	Transposed  bool   // the images in the file are transposed
	Model       string // the name of a model, or its file
	Scale       *int   // nil: the scale of the model, but at least 2
	Degradation resample.Degradation

	Output     string      // the value of -o; empty: no output
	File       string      // Output if it is an IDX file, else empty
	Folder     string      // Output, cleaned, if it is a folder of PNG files, else empty
	most       fs.FileMode // greatest permissions of new files: a permission that an input lacks is not given
	Sheet      string
	SheetCount int
	Overwrite  bool

	JSON, Quiet bool
	Limits      console.Limits

	command, typed string // the command line as the report records it, and as the user typed it
}

// complete sets the fields of opt that depend on c or on several options. Contradictory options are a usage error.
func (opt *Options) complete(c *cli.Context) (err error) {
	opt.Images, opt.Labels, opt.Overwrite = c.Args().Get(0), c.Args().Get(1), console.Overwrites(c)
	switch {
	case c.NArg() == 0:
		return console.Usage("no images: name an IDX file of images, or the folder of MNIST's files; superres " +
			"mnist --help shows examples")
	case c.NArg() > 2:
		return console.Usage("%d files, expected a file of images and perhaps one of labels; got %q as well", c.NArg(),
			c.Args().Get(2))
	case slices.ContainsFunc(c.Args().Slice(), paths.IsStandard[string]):
		return console.Usage("standard input cannot be checked before it is used; give the file itself")
	case opt.Sheet != "" && !strings.EqualFold(filepath.Ext(opt.Sheet), ".html"):
		return console.Usage("--sheet %s: expected a name that ends in .html", opt.Sheet)
	}
	if opt.File, opt.Folder, err = fileOrFolder(opt.Output); err != nil {
		return err
	}
	opt.command, _ = console.Recorded(c)
	opt.typed = console.Typed(c)
	if paths.IsFolder(opt.Images) {
		if opt.Labels != "" {
			return console.Usage("%s is a folder, in which the labels are found too; leave out %s", opt.Images,
				opt.Labels)
		}
		opt.Images, opt.Labels, err = inFolder(opt.Images)
	}
	return err
}

// inFolder returns the paths of MNIST's test images in folder and of their labels, "" if there are no labels. If there
// are no test images, it returns the paths for the training images. It fails if there are no images at all.
func inFolder(folder string) (images, labels string, err error) {
	for _, set := range []string{"t10k", "train"} {
		if images = pictures.FindIDX(folder, set+"-images-idx3-ubyte", set+"-images.idx3-ubyte"); images != "" {
			return images, pictures.FindIDX(folder, set+"-labels-idx1-ubyte", set+"-labels.idx1-ubyte"), nil
		}
	}
	return "", "", console.Failf(console.ExitInput, "%s: no t10k-images-idx3-ubyte.gz there, and no "+
		"train-images-idx3-ubyte.gz; name the folder of MNIST's files, or a file of images", folder)
}

// fileOrFolder returns arg as file if it names an IDX file, or as folder if it exists as one or ends in a separator.
func fileOrFolder(arg string) (file, folder string, err error) {
	isFolder := paths.IsFolder(arg) || strings.HasSuffix(arg, "/") || strings.HasSuffix(arg, string(filepath.Separator))
	switch {
	case arg == "":
		return "", "", nil
	case paths.IsStandard(arg):
		return "", "", console.Usage("-o -: expected a file or a folder; standard output gets the scores")
	case isFolder:
		return "", filepath.Clean(arg), nil
	case pictures.IsIDX(arg):
		return arg, "", nil
	}
	return "", "", console.Usage("-o %s: expected an IDX file (its name ends in -ubyte, .idx, -ubyte.gz or "+
		".idx.gz), or a folder: %s%c", arg, arg, filepath.Separator)
}
