// Package digits is the command superres mnist, and superres mnist download: it restores and
// scores the images of an IDX file.
package digits

import (
	"fmt"
	"image"
	"os"
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
	"superres/superres"
	"superres/superres/resample"
)

// Command is superres mnist.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "mnist", Usage: "restore and score the images of an IDX file", ArgsUsage: "[FLAGS] IMAGES [LABELS]   or   download --dir DIR",
		Description: `   superres mnist t10k-images-idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --sheet sheet.png --json
   superres mnist t10k-images-idx3-ubyte.gz -o restored.idx3-ubyte.gz
   superres mnist t10k-images-idx3-ubyte.gz t10k-labels-idx1-ubyte.gz --limit 100 -o digits/     00000_7.png ...
   superres mnist --task enlarge t10k-images-idx3-ubyte.gz -o large.idx3-ubyte.gz
   superres mnist download --dir mnist/

Every image is reduced, restored by the model and scored by the protocol nfe,
beside nearest and bicubic: squared error of the grey values over the squared
truth, the mean over the images. With LABELS the errors of every class are shown,
too. With --task enlarge the images themselves are enlarged, and nothing is scored.
Both files may be packed by gzip; they are read to their ends before anything is
written. Images are worked on a few hundred at a time, whatever their number.`,
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the results to `PATH`: an IDX file (FILE.idx3-ubyte, FILE.idx, or either with .gz), or a folder of PNG files, called by the number in IMAGES and the label"},
			&cli.StringFlag{Name: "sheet", Usage: "draw truth, low resolution, result and difference of the first images to `FILE`.png"},
			&cli.IntFlag{Name: "sheet-count", Value: 20, Usage: "draw `N` images on the sheet"},
			&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: "digits", Usage: "`NAME|FILE`: see superres models"},
			&cli.StringFlag{Name: "task", Value: "restore", Usage: "`WHAT` to do: restore (reduce, restore, score) or enlarge"},
			&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Usage: "reduce and enlarge by `N`, 2 to 16; 0: the model's own scale, or 2"},
			&cli.StringFlag{Name: "degradation", Usage: "reduce by `HOW`: bicubic or box; by default what the model was trained for, and box for plain interpolations"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when an output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "json", Usage: "print the summary as JSON"},
		}, pictures.IDXFlags...), console.PictureFlags...),
		Subcommands: []*cli.Command{downloadCommand(s)},
		Action:      func(c *cli.Context) error { return mnistBatch(c, s) },
	})
}

func mnistBatch(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	d := job{images: c.Args().Get(0), labels: c.Args().Get(1)}
	if err := d.checkFlags(c); err != nil {
		return err
	}
	if d.bar, err = console.NewProgress(c, s); err != nil {
		return err
	}
	defer d.bar.Clear()
	if err := d.checkOutputs(); err != nil {
		return err
	}
	if err := d.inspect(c.Context, limits.Pixels, limits.Memory); err != nil {
		return err
	}
	warnings := d.verify()
	// Many small images are little memory and much garbage: collecting it early, as
	// suits large pictures, takes longer than the work.
	defer debug.SetGCPercent(debug.SetGCPercent(200))
	began := time.Now()
	if err := d.all(c.Context); err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if d.sheet != "" {
		if err := d.writeSheet(c.Context); err != nil {
			return err
		}
	}
	d.bar.Clear()
	return d.report(c, s, warnings, seconds)
}

// checkFlags refuses what the flags alone show to be wrong, and opens the model.
func (d *job) checkFlags(c *cli.Context) (err error) {
	task := c.String("task")
	if err := console.OneOf("task", task, "restore", "enlarge"); err != nil {
		return err
	}
	if d.overwrite, err = console.Overwrites(c); err != nil {
		return err
	}
	d.scale, d.degradation = c.Int("scale"), resample.Degradation(c.String("degradation"))
	d.enlarge = task == "enlarge"
	d.sheet, d.sheetCount = c.String("sheet"), c.Int("sheet-count")
	switch {
	case c.NArg() == 0:
		return console.Usage("no images: name an IDX file of images; superres mnist --help shows examples")
	case c.NArg() > 2:
		return console.Usage("%d files, expected a file of images and perhaps one of labels; got %q as well", c.NArg(), c.Args().Get(2))
	case slices.Contains(c.Args().Slice(), "-"):
		return console.Usage("standard input cannot be checked before it is used; give the file itself")
	case d.scale != 0 && (d.scale < 2 || d.scale > superres.MaxScale):
		return console.Usage("--scale %d: expected 2 to %d", d.scale, superres.MaxScale)
	case d.sheet != "" && !strings.EqualFold(filepath.Ext(d.sheet), ".png"):
		return console.Usage("--sheet %s: expected a name that ends in .png", d.sheet)
	case d.sheetCount < 1:
		return console.Usage("--sheet-count %d: expected at least 1", d.sheetCount)
	case d.enlarge && d.degradation != "":
		return console.Usage("--degradation: --task enlarge reduces nothing")
	case d.enlarge && c.String("output") == "" && d.sheet == "":
		return console.Usage("nothing to do: --task enlarge scores nothing, so say where its results go with -o or --sheet")
	}
	if d.choice, err = pictures.ReadChoice(c); err != nil {
		return err
	}
	if err := d.placeOutput(c.String("output")); err != nil {
		return err
	}
	d.name = c.String("model")
	if d.model, err = models.Open(d.name); err != nil {
		return err
	}
	if d.scale == 0 {
		d.scale = max(2, d.model.Scale)
	}
	if d.enlarge {
		return nil
	}
	if d.degradation == "" {
		d.degradation = resample.Box
		if len(d.model.Stages) > 0 {
			d.degradation = d.model.Degradation
		}
	}
	for _, name := range []string{"nearest", "bicubic"} {
		if name == d.name {
			continue
		}
		m, err := models.Open(name)
		if err != nil {
			return err
		}
		d.columns, d.plain = append(d.columns, name), append(d.plain, m)
	}
	d.columns = append(d.columns, d.name)
	return d.degradation.Check()
}

// placeOutput decides by its name whether the output is an IDX file or a folder.
func (d *job) placeOutput(out string) error {
	asFolder := paths.IsFolder(out) || strings.HasSuffix(out, "/") || strings.HasSuffix(out, string(filepath.Separator))
	switch {
	case out == "":
	case out == "-":
		return console.Usage("-o -: expected a file or a folder; standard output gets the scores")
	case asFolder:
		d.folder = filepath.Clean(out)
	case pictures.IsIDX(out):
		d.file = out
	default:
		return console.Usage("-o %s: expected an IDX file (its name ends in -ubyte, .idx, -ubyte.gz or .idx.gz), or a folder: %s%c", out, out, filepath.Separator)
	}
	return nil
}

// checkOutputs refuses outputs that could not be written or would write over
// something else of this run. Those in a folder are looked at by inspect.
func (d *job) checkOutputs() error {
	seen := ""
	for _, o := range []struct{ flag, name string }{{"-o", d.file}, {"--sheet", d.sheet}} {
		if o.name == "" {
			continue
		}
		if err := d.free(o.flag, o.name); err != nil {
			return err
		}
		place := filepath.Join(paths.Real(filepath.Dir(o.name)), filepath.Base(o.name))
		if place == seen {
			return console.Fail(console.ExitOutput, fmt.Errorf("%s: both -o and --sheet write to it; give each a file of its own", o.name))
		}
		seen = place
		// Rather now than after all the work.
		if err := safefile.CheckWritable(o.name, d.overwrite); err != nil {
			return err
		}
	}
	return nil
}

// free refuses the name of an output that exists or is an input.
func (d *job) free(flag, name string) error {
	if _, err := os.Lstat(name); err != nil {
		return nil // it is missing, or writing will tell
	}
	for _, in := range []string{d.images, d.labels} {
		if in != "" && safefile.SameFile(in, name) {
			return console.Fail(console.ExitOutput, fmt.Errorf("%s: %s would write over the input; use another name", name, flag))
		}
	}
	if !d.overwrite {
		return console.Fail(console.ExitOutput, fmt.Errorf("%s exists; use --on-exist overwrite or another %s", name, flag))
	}
	return nil
}

// fits refuses images whose enlargement takes too much memory, and sets how many
// are worked on together.
func (d *job) fits(workers int, memory int64) error {
	w, h := d.width, d.height
	if !d.enlarge {
		if w < d.scale || h < d.scale {
			return console.Fail(console.ExitInput, fmt.Errorf("%s: images of %dx%d cannot be reduced by %d; use a smaller --scale", d.images, w, h, d.scale))
		}
		w, h = w/d.scale, h/d.scale
	}
	low := image.Config{Width: w, Height: h}
	var err error
	if d.outWidth, d.outHeight, err = d.model.Size(w, h, float64(d.scale)); err != nil {
		return err
	}
	out := int64(d.outWidth) * int64(d.outHeight)
	d.together = int(min(max(1<<23/out, 1), 256))
	// Small images take less than the model's estimate, which counts the buffers
	// of large ones.
	one := min(d.model.Memory(low, d.outWidth, d.outHeight, superres.Options{}), 400*out)
	need := 32<<20 + int64(min(workers, d.together))*one + 6*out*int64(d.together)
	if need > memory {
		return console.Fail(console.ExitLimit, fmt.Errorf("%s: images of %dx%d need %s, the limit is %s; use --max-memory or a smaller -j", d.images, d.width, d.height, console.Bytes(need), console.Bytes(memory)))
	}
	if d.sheet != "" {
		if size := d.sheetSize(); size.X*size.Y > 50e6 {
			return console.Fail(console.ExitLimit, fmt.Errorf("%s: the sheet would have %dx%d pixels, the limit is 50 megapixels; use a smaller --sheet-count, or no --sheet", d.sheet, size.X, size.Y))
		}
	}
	return nil
}
