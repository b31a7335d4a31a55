package scoring

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
	"superres/superres/score"
)

// Diff is superres diff.
func Diff(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "diff", Usage: "put pictures of one scene into a page that compares them", ArgsUsage: "[FLAGS] A B...",
		Description: `   superres diff truth.png enlarged.png                      diff.html: slider, difference, scores
   superres diff truth.png bicubic.png photo.png -o page.html
   superres diff photo.jpg photo_2x.jpg                      a picture and its enlargement
   superres diff --json truth.png enlarged.png

The page is one file, with the pictures in it, and uses no network. It has a divider
between two pictures, every picture alone, a map of the differences, and zoom, by
mouse and by keys. A is the reference: the others are scored against it as eval does,
protocol matlab-y, and by the mean and the largest absolute difference of colours, in
levels of 0..255. Pictures of another size, but of the same shape, are shown as large
as the largest, their pixels repeated, and are not scored. Transparency is shown over
squares, counts in the map, as over grey, and not in the scores; profiles are left aside.

Up to nine pictures are taken. What is behind the # of the page's address is what it
shows, so that a view can be passed on. A picture of another shape is refused.`,
		Flags:  diffFlags(),
		Action: func(c *cli.Context) error { return runDiff(c, s) },
	})
}

// runDiff does one call of superres diff.
func runDiff(c *cli.Context, s *console.Streams) error {
	opt, err := readDiffOptions(c)
	if err != nil {
		return err
	}
	if err := console.CheckOutputs(opt.Overwrite, opt.Inputs, console.Output{Flag: "-o", Name: opt.Page}); err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	d, err := load(c.Context, opt, bar)
	if err != nil {
		return err
	}
	if err := d.arrange(); err != nil {
		return err
	}
	bar.Clear()
	page := func(w io.Writer) error { return d.write(console.Interruptible(c.Context, w)) }
	table := s.Out
	if opt.Page == "-" {
		table = s.Err
		err = page(s.Out)
	} else {
		err = safefile.WriteAtomic(opt.Page, opt.Overwrite, page)
	}
	if err != nil {
		return err
	}
	if opt.JSON {
		enc := json.NewEncoder(table)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	_, err = fmt.Fprint(table, d.text())
	return err
}

// compared is all that a page shows.
type compared struct {
	// Page is the file of the page.
	Page paths.Name `json:"page"`
	// Protocol is how the pictures are scored.
	Protocol score.Protocol `json:"protocol"`
	// Scale is how much was enlarged.
	Scale int `json:"scale"`
	// Pictures are in the order they were named in. The first is the reference.
	Pictures []*comparedPicture `json:"pictures"`

	// scene is how large the largest picture is, in pixels.
	scene image.Point
}

// comparedPicture is one picture of a page.
type comparedPicture struct {
	// Name is what the page calls it.
	Name paths.Name `json:"name"`
	// Width and Height are its own size, in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Cell has its scores against the reference.
	Cell
	// Mean and Largest are how far its colours are from those of the reference, in levels
	// of 0..255. Nil is not compared.
	Mean    *float64 `json:"mean_absolute_difference,omitempty"`
	Largest *float64 `json:"largest_difference,omitempty"`
	// Note says why there are no scores. It is empty where there are.
	Note string `json:"note,omitempty"`

	// png is the picture as the page has it, with 8 bits a sample.
	png []byte
	// shown is how much of the scene it covers, in pixels.
	shown image.Point
}

// load reads the pictures, one besides the reference at a time, and scores them.
func load(ctx context.Context, opt DiffOptions, bar *console.Progress) (*compared, error) {
	d := &compared{Page: paths.Name(opt.Page), Protocol: score.MatlabY, Scale: opt.Scale}
	left := opt.Limits // the rest is taken by the page
	var ref image.Image
	for i, path := range opt.Inputs {
		bar.Set("comparing", float64(i)/float64(len(opt.Inputs)))
		pic, err := imagefile.Open(ctx, path, pictures.Frugal(left, 80))
		if err != nil {
			return nil, err
		}
		size := pic.Image.Bounds().Size()
		p := &comparedPicture{Name: paths.Name(shortName(path, opt.Inputs)), Width: size.X, Height: size.Y}
		if i == 0 {
			ref = pic.Image
			p.Note = "the reference"
		} else {
			d.score(p, ref, pic.Image)
		}
		if p.png, err = encoded8(ctx, pic.Image); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		left.Memory -= int64(len(p.png))
		d.Pictures = append(d.Pictures, p)
	}
	return d, nil
}

// shortName is the last part of a path, or all of it where another has the same.
func shortName(path string, among []string) string {
	base := filepath.Base(path)
	same := func(other string) bool { return filepath.Base(other) == base }
	if i := slices.IndexFunc(among, same); slices.ContainsFunc(among[i+1:], same) {
		return safefile.OneLine(filepath.ToSlash(path))
	}
	return safefile.OneLine(base)
}

// score scores a picture, or notes why it cannot be scored.
func (d *compared) score(p *comparedPicture, ref, test image.Image) {
	m, err := d.Protocol.Compare(ref, test, d.Scale)
	if err == nil {
		var by score.Difference
		if by, err = score.Differ(ref, test, d.Scale); err == nil {
			p.Cell, p.Mean, p.Largest = CellOf(m), &by.Mean, &by.Max
			return
		}
	}
	p.Note = "not scored: " + console.Message(err)
}

// encoded8 encodes a picture as a PNG of 8 bits a sample, which is what a browser shows.
func encoded8(ctx context.Context, img image.Image) ([]byte, error) {
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		same, err := embedded.Open(string(resample.Nearest))
		if err != nil {
			return nil, err
		}
		if img, err = same.Upscale(ctx, img, superres.Options{Scale: 1, Depth: 8}); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := imagefile.Encode(console.Interruptible(ctx, &b), img, "png", imagefile.EncodeOptions{})
	return b.Bytes(), err
}
