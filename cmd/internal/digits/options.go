package digits

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/settings"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/resample"
)

// table has the options of superres mnist, with their defaults.
func (opt *Options) table() settings.Table {
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Output, "", "write the results to `PATH`: an IDX file (FILE.idx3-ubyte, "+
			"FILE.idx, or either with .gz), or a folder of PNG files, called by the number in IMAGES and the label"),
		{Name: "sheet", To: settings.Text(&opt.Sheet, ""), Help: "draw truth, low resolution, result and " +
			"difference of the first images to `FILE`.png, or to the page FILE.html, with the errors"},
		{Name: "sheet-count", To: settings.Num(&opt.SheetCount, 20).AtLeast(1), Help: "draw `N` images on the sheet"},
		models.Option("model", settings.Text(&opt.Model, models.Digits), "`NAME|FILE`: see superres models"),
		{Name: "task", To: settings.OneOf(&opt.Task, "restore", "restore", "enlarge"),
			Help: "`WHAT` to do: restore (reduce, restore, score) or enlarge"},
		{Name: "scale", Aliases: []string{"s"}, To: settings.Maybe(&opt.Scale, 0).Between(2, superres.MaxScale),
			Help: "reduce and enlarge by `N`, 2 to 16; 0: the model's own scale, or 2"},
		pictures.DegradationOption(&opt.Degradation, "", "reduce by `HOW`: bicubic or box; by default what the "+
			"model was trained for, and box for plain interpolations"),
		console.OnExistOption("an output exists"),
		console.JSONOption(&opt.JSON, "print the summary as JSON"),
	}, opt.Choice.Options(), console.PictureOptions(&opt.Limits, &opt.Quiet))
}

// Options are what a call asks for. Most fields are set by the options of table, which has their defaults.
type Options struct {
	Images string // the IDX file of the images
	Labels string // the IDX file of their labels; empty: none
	Choice pictures.Choice

	Task        string
	Model       string // a name or a file
	Scale       *int   // nil: the model's own, or 2 where it has none
	Degradation resample.Degradation

	Output     string      // as it was named; empty: none
	File       string      // Output where it is an IDX file
	Folder     string      // Output, cleaned, where it is a folder of PNG files
	most       fs.FileMode // that new files get at most, by the files that are read
	Sheet      string
	SheetCount int
	Overwrite  bool

	JSON, Quiet bool
	Limits      console.Limits

	command, typed string // the call as the summary records it, and as it was typed
}

// complete reads the arguments and refuses what the options contradict.
func (opt *Options) complete(c *cli.Context) (err error) {
	opt.Images, opt.Labels, opt.Overwrite = c.Args().Get(0), c.Args().Get(1), console.Overwrites(c)
	switch {
	case c.NArg() == 0:
		return console.Usage("no images: name an IDX file of images, or the folder of MNIST's files; superres " +
			"mnist --help shows examples")
	case c.NArg() > 2:
		return console.Usage("%d files, expected a file of images and perhaps one of labels; got %q as well", c.NArg(), c.Args().Get(2))
	case slices.ContainsFunc(c.Args().Slice(), paths.IsStandard[string]):
		return console.Usage("standard input cannot be checked before it is used; give the file itself")
	case opt.Sheet != "" && !strings.EqualFold(filepath.Ext(opt.Sheet), ".png") && !opt.asPage():
		return console.Usage("--sheet %s: expected a name that ends in .png or .html", opt.Sheet)
	case opt.enlarges() && opt.Degradation != "":
		return console.Usage("--degradation: --task enlarge reduces nothing")
	case opt.enlarges() && opt.Output == "" && opt.Sheet == "":
		return console.Usage("nothing to do: --task enlarge scores nothing, so say where its results go with -o " +
			"or --sheet")
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

// inFolder finds MNIST's files in a folder: the test images, or else those for training, and their labels, if they
// are there.
func inFolder(folder string) (images, labels string, err error) {
	for _, set := range []string{"t10k", "train"} {
		if images = oneOf(folder, set+"-images-idx3-ubyte", set+"-images.idx3-ubyte"); images != "" {
			return images, oneOf(folder, set+"-labels-idx1-ubyte", set+"-labels.idx1-ubyte"), nil
		}
	}
	return "", "", console.Fail(console.ExitInput, fmt.Errorf("%s: no t10k-images-idx3-ubyte.gz there, and no "+
		"train-images-idx3-ubyte.gz; name the folder of MNIST's files, or a file of images", folder))
}

// oneOf is the first of some files that is in a folder, packed by gzip or not; empty: none.
func oneOf(folder string, names ...string) string {
	for _, name := range names {
		for _, ext := range []string{".gz", ""} {
			path := filepath.Join(folder, name+ext)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}

// asPage tells whether the sheet is a page.
func (opt *Options) asPage() bool { return strings.EqualFold(filepath.Ext(opt.Sheet), ".html") }

// enlarges tells whether the images themselves are enlarged, and nothing is scored.
func (opt *Options) enlarges() bool { return opt.Task == "enlarge" }

// fileOrFolder tells by its name, and by what is there, whether an output is an IDX file or a folder.
func fileOrFolder(out string) (file, folder string, err error) {
	isFolder := paths.IsFolder(out) || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
	switch {
	case out == "":
		return "", "", nil
	case paths.IsStandard(out):
		return "", "", console.Usage("-o -: expected a file or a folder; standard output gets the scores")
	case isFolder:
		return "", filepath.Clean(out), nil
	case pictures.IsIDX(out):
		return out, "", nil
	}
	return "", "", console.Usage("-o %s: expected an IDX file (its name ends in -ubyte, .idx, -ubyte.gz or "+
		".idx.gz), or a folder: %s%c", out, out, filepath.Separator)
}

// checkOutputs refuses, before any work, outputs that could not be written or would write over something else of this
// call. Those in a folder are looked at by inspect.
func (opt *Options) checkOutputs() error {
	opt.most = safefile.ModeOf(opt.Images, opt.Labels)
	return console.CheckOutputs(opt.Overwrite, []string{opt.Images, opt.Labels}, console.Output{Flag: "-o",
		Name: opt.File}, console.Output{Flag: "--sheet", Name: opt.Sheet})
}
