package pictures

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/settings"
	"superres/mnist"
	"superres/superres/resample"
	"superres/superres/training"
)

// Sources lists the pictures that a command learns from or scores: picture files, folders, and IDX files.
type Sources struct {
	Command       string // name of the command, for messages
	Recursive     bool
	Choice        Choice
	Limits        console.Limits
	BytesPerPixel int64     // bytes of memory per pixel at the command's peak
	Notes         io.Writer // receives notes on pictures left out; nil: no notes
}

// Options returns --recursive and the options from Choice, which set fields of s.
func (s *Sources) Options() settings.Table {
	return append(settings.Table{console.RecursiveOption(&s.Recursive)}, s.Choice.Options()...)
}

// Complete sets the fields of s that Options leaves out. bytesPerPixel is the memory per pixel at the command's peak.
func (s *Sources) Complete(c *cli.Context, l console.Limits, bytesPerPixel int64) {
	s.Command, s.Limits, s.BytesPerPixel, s.Notes = c.Command.Name, l, bytesPerPixel, Notes(c)
}

// Notes returns the writer for notes on pictures left out by the command of c: standard error, or nil with --quiet.
func Notes(c *cli.Context) io.Writer {
	if c.Bool("quiet") {
		return nil
	}
	return c.App.ErrWriter
}

// List returns the pictures that names stand for: files, folders and IDX files. It fails if there are none. It notes
// how many pictures in folders are of kinds that superres cannot read, and options for IDX files without such files.
func (s Sources) List(ctx context.Context, names []string) ([]training.Source, error) {
	limits := Frugal(s.Limits, s.BytesPerPixel)
	var list []training.Source
	var others []Other
	for _, name := range names {
		if IsIDX(name) {
			digits, err := s.IDX(ctx, name)
			if err != nil {
				return nil, err
			}
			list = append(list, digits...)
			continue
		}
		if paths.IsStandard(name) {
			return nil, console.Usage("%s does not read standard input; "+
				"name files or folders (a file of this name is ./-)", s.Command)
		}
		inputs, more, err := Expand(name, s.Recursive)
		if err != nil {
			return nil, err
		}
		others = append(others, more...)
		for _, in := range inputs {
			list = append(list, training.Source{Name: in.Path, Open: func(ctx context.Context) (image.Image, error) {
				return Open(ctx, in.Path, limits)
			}})
		}
	}
	if len(list) == 0 {
		return nil, console.Fail(console.ExitInput, errors.New("no picture is left to work on; check --index, "+
			"--skip-index and --limit"))
	}
	TellSkipped(s.Notes, others)
	s.Choice.TellIdle(s.Notes, names)
	return list, nil
}

// Open returns the picture in the file at path, read within limits. It turns a panic while reading into an error.
func Open(ctx context.Context, path string, limits imagefile.Limits) (img image.Image, err error) {
	err = console.Picture(path, func() error {
		pic, err := imagefile.Open(ctx, path, limits)
		if err == nil {
			img = pic.Image
		}
		return err
	})
	return img, err
}

// Frugal returns limits for reading a picture without metadata. They keep the memory of the command within l, if its
// peak is bytesPerPixel bytes for each pixel, besides the file that is held in memory.
func Frugal(l console.Limits, bytesPerPixel int64) imagefile.Limits {
	return imagefile.Limits{Pixels: l.Pixels, Strip: true, Accept: func(cfg image.Config, held int64) error {
		if need := int64(cfg.Width)*int64(cfg.Height)*bytesPerPixel + held; need > l.Memory {
			return fmt.Errorf("%d×%d needs %s, the limit is %s; use --max-memory", cfg.Width, cfg.Height,
				console.Bytes(need), console.Bytes(l.Memory))
		}
		return nil
	}}
}

// TellIdle prints a note to w if options of ch are set but names contains no IDX file. w may be nil: no note.
func (ch Choice) TellIdle(w io.Writer, names []string) {
	if chosen := ch.Take != nil || ch.Skip != nil || ch.Limit > 0; chosen && w != nil &&
		!slices.ContainsFunc(names, IsIDX) {
		fmt.Fprintln(w, "superres: --index, --skip-index and --limit choose images of IDX files, and none is "+
			"named: all pictures are taken")
	}
}

// DegradationOption returns the option --degradation, which sets *target, by default to preset, without checking it.
func DegradationOption(target *resample.Degradation, preset resample.Degradation, help string) *settings.Option {
	return &settings.Option{Name: "degradation", To: settings.Text(target, preset), Help: help,
		Words: settings.Offer(string(resample.Cubic), string(resample.Box))}
}

// Choice selects images in IDX files. Take and Skip apply first, then Limit.
type Choice struct {
	Take  []int // indices of the images to take, from 0; nil: all
	Skip  []int // indices of images to leave out
	Limit int   // greatest number of images to take; 0: no limit
}

// Among applies the choice to the file called name, which has total images. taken reports whether image i is chosen;
// call it once for each i, in order. count is the number of chosen images. Among fails if an index is too large.
func (ch Choice) Among(name string, total int) (taken func(i int) bool, count int, err error) {
	set := func(list []int) map[int]bool {
		m := map[int]bool{}
		for _, i := range list {
			if i >= total {
				err = console.Usage("%s has %d images, there is no image %d", name, total, i)
			}
			m[i] = true
		}
		return m
	}
	take, skip := set(ch.Take), set(ch.Skip)
	count = total - len(skip)
	if ch.Take != nil {
		maps.DeleteFunc(take, func(i int, _ bool) bool { return skip[i] })
		count = len(take)
	}
	if ch.Limit > 0 {
		count = min(count, ch.Limit)
	}
	left := count
	return func(i int) bool {
		if left == 0 || ch.Take != nil && !take[i] || skip[i] {
			return false
		}
		left--
		return true
	}, count, err
}

// Options returns --index, --skip-index and --limit, which set the fields of ch.
func (ch *Choice) Options() settings.Table {
	return settings.Table{
		{Name: "index", To: settings.Parsed(&ch.Take, "", indices("index")),
			Help: "of IDX files take only the images `I,J,...` (from 0)"},
		{Name: "skip-index", To: settings.Parsed(&ch.Skip, "", indices("skip-index")),
			Help: "of IDX files leave out the images `I,J,...`"},
		{Name: "limit", To: settings.Num(&ch.Limit, 0).AtLeast(0), Help: "of IDX files take the first `N` that " +
			"are left; 0: all"},
	}
}

// IDX returns the chosen images of the IDX file called name, all read into memory: a byte for each pixel, and 256 bytes
// for each image. It fails if they take more than half of the memory limit.
func (s Sources) IDX(ctx context.Context, name string) ([]training.Source, error) {
	f, err := mnist.OpenImages(name)
	if err != nil {
		return nil, console.Fail(console.ExitInput, err)
	}
	defer f.Close()
	taken, count, err := s.Choice.Among(name, f.Count())
	if err != nil {
		return nil, err
	}
	if need := int64(count) * (int64(f.Width())*int64(f.Height()) + 256); need > s.Limits.Memory/2 {
		return nil, console.Failf(console.ExitLimit, "%s: %d images of %d×%d need %s, more than half of the limit "+
			"of %s; use --limit or --max-memory", name, count, f.Width(), f.Height(), console.Bytes(need),
			console.Bytes(s.Limits.Memory))
	}
	cfg := image.Config{Width: f.Width(), Height: f.Height()}
	if err := Frugal(s.Limits, s.BytesPerPixel).Accept(cfg, 0); err != nil {
		return nil, console.Failf(console.ExitLimit, "%s: %w", name, err)
	}
	var list []training.Source
	at := 0
	for img, err := range f.All() {
		if err != nil {
			return nil, console.Fail(console.ExitInput, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := at
		at++
		if !taken(i) {
			continue
		}
		own := *img
		own.Pix = slices.Clone(img.Pix)
		list = append(list, training.Source{Name: fmt.Sprintf("%s[%d]", filepath.Base(name), i),
			Open: func(context.Context) (image.Image, error) { return &own, nil }})
	}
	return list, nil
}

// indices returns a function that parses image numbers separated by commas for the option called name; "" gives nil.
func indices(name string) func(text string) ([]int, error) {
	return func(text string) ([]int, error) {
		if text == "" {
			return nil, nil
		}
		list, err := console.Counts(text, 0)
		if err != nil {
			return nil, console.Usage("--%s: %v", name, err)
		}
		return list, nil
	}
}
