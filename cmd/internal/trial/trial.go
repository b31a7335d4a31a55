// Package trial is the command superres try, which enlarges one part of a picture with every available model.
//
// Read it in this order: trial.go, the flags and the enlargements; sheet.go, the page and the sheet.
package trial

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/disintegration/imaging"
	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres"
)

// Command returns the command superres try.
func Command(s *console.Streams) *cli.Command {
	var opt options
	return console.Command(&cli.Command{
		Name: "try", Usage: "enlarge a part of a picture by all models, to choose one", ArgsUsage: "[FLAGS] PHOTO",
		Description: `   superres try photo.jpg                     try.html, a page, and try.png, a sheet
   superres try photo.jpg --at 1200,800 -s 4
   superres try photo.jpg -o choice.html --models photo,realesr-general-x4v3

The part is the one with the most detail, or lies around the pixel of --at. Models are
those of superres models, your networks among them. The seconds are for the whole
picture, by those of its part; LR-PSNR says how well the result, reduced again, agrees
with the picture. On the page two results can be laid over one another.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return try(c, s, opt) },
	})
}

// options are the settings for one call; the options in table set them.
type options struct {
	page, names string       // the file of the page; the names of models with commas between, or empty: see --models
	at          *image.Point // centre of the part; nil: choose the part with most detail
	scale       int
	limits      console.Limits
}

// table returns the options of superres try, with their defaults.
func (opt *options) table() settings.Table {
	return append(settings.Table{
		console.OutputOption(&opt.page, "try.html", "write the page to `FILE`.html, and the sheet to "+
			"FILE.png beside it"),
		{Name: "at", To: settings.Parsed(&opt.at, "", readPlace), Help: "take the part around the pixel `X,Y`"},
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.scale, 2).Between(1, superres.MaxScale),
			Help: "enlarge by `N`, 1 to 16"},
		{Name: "models", To: settings.Text(&opt.names, ""), Words: models.Words,
			Help: "try the models `NAME,NAME...`; by default all but digits and those for another --effort"},
		console.OnExistOption("the output exists"),
	}, console.PictureOptions(&opt.limits, nil)...)
}

// readPlace reads X,Y from text. It returns nil for an empty text.
func readPlace(text string) (*image.Point, error) {
	if text == "" {
		return nil, nil
	}
	across, down, _ := strings.Cut(text, ",")
	x, err1 := strconv.Atoi(across)
	y, err2 := strconv.Atoi(down)
	if err1 != nil || err2 != nil || x < 0 || y < 0 {
		return nil, console.Usage("--at %s: expected X,Y, a pixel of the picture", text)
	}
	return &image.Point{X: x, Y: y}, nil
}

// result is the part of the picture, enlarged by one model.
type result struct {
	name, about string
	image       image.Image
	seconds     float64 // estimate for the whole picture
	lrPSNR      float64 // in dB; 0: unknown
	err         error
}

// try carries out superres try: it enlarges the part with each model, and writes the page and the sheet.
func try(c *cli.Context, s *console.Streams, opt options) error {
	if c.NArg() != 1 {
		return console.Usage("%d pictures, expected one; superres try --help shows examples", c.NArg())
	}
	if !strings.HasSuffix(strings.ToLower(opt.page), ".html") {
		return console.Usage("-o %s: expected a name that ends in .html", opt.page)
	}
	sheet, overwrite := opt.page[:len(opt.page)-len(".html")]+".png", console.Overwrites(c)
	for _, name := range []string{opt.page, sheet} {
		if err := safefile.CheckWritable(name, overwrite); err != nil {
			return err
		}
	}
	path := c.Args().First()
	file, err := os.Open(path)
	if err != nil {
		return console.Fail(console.ExitInput, safefile.Unreadable(path, err))
	}
	defer file.Close()
	img, how, err := superres.Decode(c.Context, file)
	if err != nil {
		return console.Fail(console.ExitInput, fmt.Errorf("%s: %w", path, err))
	}
	part := partOf(img, opt.at)
	if part.Empty() {
		return console.Usage("--at: the pixel is not in the picture of %d×%d", img.Bounds().Dx(), img.Bounds().Dy())
	}
	how.Scale = float64(opt.scale)
	names := strings.Split(opt.names, ",")
	if opt.names == "" {
		names = models.Compared()
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	var list []result
	for i, name := range names {
		bar.Describe(name)
		bar.Set("trying", float64(i)/float64(len(names)))
		r := enlarge(c.Context, img, part, name, how)
		if c.Context.Err() != nil {
			return c.Context.Err()
		}
		if r.err != nil && opt.names != "" {
			return r.err
		}
		list = append(list, r)
	}
	bar.Clear()
	d, err := document(path, img.Bounds().Size(), part, opt.scale, list)
	if err != nil {
		return err
	}
	mode := safefile.ModeOf(path)
	if err := safefile.WriteAtomicMode(mode, sheet, overwrite, func(w io.Writer) error {
		return imaging.Encode(w, draw(list), imaging.PNG)
	}); err != nil {
		return err
	}
	if err := safefile.WriteAtomicMode(mode, opt.page, overwrite, d.HTML); err != nil {
		return err
	}
	return d.Text(s.Out)
}

// side is the side of the part in pixels; around is the width of the margin around it that the models see as well.
const side, around = 96, 48

// partOf returns the part of img around pixel (nil: the busiest), relative to img's corner; empty if pixel is outside.
func partOf(img image.Image, pixel *image.Point) image.Rectangle {
	b := img.Bounds()
	size := image.Pt(min(side, b.Dx()), min(side, b.Dy()))
	if pixel != nil {
		if !pixel.Add(b.Min).In(b) {
			return image.Rectangle{}
		}
		x := min(max(pixel.X-size.X/2, 0), b.Dx()-size.X)
		y := min(max(pixel.Y-size.Y/2, 0), b.Dy()-size.Y)
		return image.Rectangle{Max: size}.Add(image.Pt(x, y))
	}
	return picture.Busiest(img, size.X, size.Y)
}

// enlarge returns the part of img, enlarged by the model called name with opt, and the seconds that all of img would
// take, in proportion. An error is stored in result.err.
func enlarge(ctx context.Context, img image.Image, part image.Rectangle, name string, opt superres.Options) result {
	r := result{name: name, about: models.About(name)}
	m, err := models.Opener{Auto: true}.Open(ctx, name)
	if err != nil {
		r.err = err
		return r
	}
	b := img.Bounds()
	seen := part.Inset(-around).Intersect(image.Rectangle{Max: b.Size()}) // the part with its margin
	scale := int(opt.Scale)
	opt.Report = new(superres.Report)
	began := time.Now()
	large, err := m.Upscale(ctx, imaging.Crop(img, seen.Add(b.Min)), opt)
	if err != nil {
		r.err = fmt.Errorf("%s: %w", name, err)
		return r
	}
	r.seconds = time.Since(began).Seconds() * float64(b.Dx()*b.Dy()) / float64(seen.Dx()*seen.Dy())
	at := part.Sub(seen.Min)
	r.image = imaging.Crop(large, image.Rectangle{Min: at.Min.Mul(scale), Max: at.Max.Mul(scale)})
	r.lrPSNR = opt.Report.LRPSNR
	return r
}
