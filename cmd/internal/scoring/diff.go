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
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/models"
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
squares, counts in the map, as over grey, and not in the scores; profiles are left aside.`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "diff.html", Usage: "write the page to `FILE`.html; - is standard output, and the table goes to standard error"},
			&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "how much was enlarged, `N`, 1 to 16: the border that scores leave out"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		}, console.PictureFlags...),
		Action: func(c *cli.Context) error { return runDiff(c, s) },
	})
}

// mostCompared is how many pictures the keys 1 to 9 choose from.
const mostCompared = 9

// comparedPicture is one picture of a page. A score that is nil is not defined.
type comparedPicture struct {
	Name   string `json:"name"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Cell
	Mean    *float64 `json:"mean_absolute_difference,omitempty"`
	Largest *float64 `json:"largest_difference,omitempty"`
	Note    string   `json:"note,omitempty"` // why there are no scores

	png   []byte      // 8 bits a sample
	shown image.Point // how much of the scene it covers
}

// compared is all that a page shows.
type compared struct {
	Page     string             `json:"page"`
	Protocol score.Protocol     `json:"protocol"`
	Scale    int                `json:"scale"`
	Pictures []*comparedPicture `json:"pictures"` // the first is the reference

	scene image.Point
}

func runDiff(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	names := c.Args().Slice()
	d := &compared{Page: c.String("output"), Protocol: score.MatlabY, Scale: c.Int("scale")}
	switch {
	case len(names) < 2:
		return console.Usage("expected two pictures or more; superres diff --help shows examples")
	case len(names) > mostCompared:
		return console.Usage("%d pictures, expected %d at most", len(names), mostCompared)
	case d.Scale < 1 || d.Scale > superres.MaxScale:
		return console.Usage("--scale %d: expected 1 to %d", d.Scale, superres.MaxScale)
	}
	overwrite, err := console.SoleOutput(c, names...)
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	if err := d.load(c, names, limits, bar); err != nil {
		return err
	}
	if err := d.arrange(); err != nil {
		return err
	}
	bar.Clear()
	table := s.Out
	if d.Page == "-" {
		table = s.Err
		err = d.write(console.Interruptible(c.Context, s.Out))
	} else {
		err = safefile.WriteAtomic(d.Page, overwrite, func(w io.Writer) error { return d.write(console.Interruptible(c.Context, w)) })
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		enc := json.NewEncoder(table)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	_, err = fmt.Fprint(table, d.text())
	return err
}

// load reads the pictures, one besides the reference at a time, and scores them.
func (d *compared) load(c *cli.Context, paths []string, limits console.Limits, bar *console.Progress) error {
	var ref image.Image
	held := int64(0) // bytes of the page
	for i, path := range paths {
		bar.Set("comparing", float64(i)/float64(len(paths)))
		left := limits
		left.Memory -= held
		read := pictures.Frugal(left, 80)
		pic, err := imagefile.Open(c.Context, path, read)
		if err != nil {
			return err
		}
		size := pic.Image.Bounds().Size()
		p := &comparedPicture{Name: shortName(path, paths), Width: size.X, Height: size.Y}
		if i == 0 {
			ref = pic.Image
			p.Note = "the reference"
		} else {
			d.score(p, ref, pic.Image)
		}
		if p.png, err = encoded8(c.Context, pic.Image); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		held += int64(len(p.png))
		d.Pictures = append(d.Pictures, p)
	}
	return nil
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
	row, table := scoreRow{}, Scores{Protocol: d.Protocol, Scale: d.Scale}
	err := table.score(&row, ref, test)
	if err == nil {
		var by score.Difference
		if by, err = score.Differ(ref, test, d.Scale); err == nil {
			p.Cell, p.Mean, p.Largest = row.Cells[0], &by.Mean, &by.Max
			return
		}
	}
	p.Note = "not scored: " + console.Message(err)
}

// encoded8 encodes a picture as a PNG of 8 bits a sample, which is what a browser shows.
func encoded8(ctx context.Context, img image.Image) ([]byte, error) {
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		same, err := models.Open(string(resample.Nearest))
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

// arrange finds out how large the pictures are to be shown: as large as the largest.
func (d *compared) arrange() error {
	largest := d.Pictures[0]
	for _, p := range d.Pictures {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
		d.scene = image.Pt(max(d.scene.X, p.Width), max(d.scene.Y, p.Height))
	}
	for _, p := range d.Pictures {
		var ok bool
		if p.shown, ok = shownSize(image.Pt(p.Width, p.Height), image.Pt(largest.Width, largest.Height), d.Scale); !ok {
			return console.Fail(
				console.ExitInput, fmt.Errorf("%s is %d×%d, which is not the shape of %s, %d×%d; give pictures of one scene, turned and cropped alike",
					p.Name, p.Width, p.Height, largest.Name, largest.Width, largest.Height))

		}
	}
	return nil
}

// shownSize returns how much of a scene a picture covers: its own size where it differs
// by less than scale, as a reference that is cropped for scoring does, a multiple of its
// size where that is so near, and all of the scene otherwise; not ok when both have
// different shapes, even if a side were rounded by a pixel.
func shownSize(size, scene image.Point, scale int) (shown image.Point, ok bool) {
	near := func(n, of, by int) bool { return n <= of && of-n < by || n > of && n-of < by }
	if near(size.X, scene.X, scale) && near(size.Y, scene.Y, scale) {
		return size, true
	}
	if n := max(scene.X/size.X, scene.Y/size.Y); near(n*size.X, scene.X, n) && near(n*size.Y, scene.Y, n) {
		return size.Mul(n), true
	}
	// The least and the most that a side of n pixels can have been enlarged by.
	least := func(n, to int) float64 { return float64(to) / float64(n+1) }
	most := func(n, to int) float64 { return float64(to) / (float64(n) - 0.999) }
	ok = least(size.X, scene.X) <= most(size.Y, scene.Y) && least(size.Y, scene.Y) <= most(size.X, scene.X)
	return scene, ok
}
