package scoring

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"html/template"
	"image"
	"image/draw"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"superres/patches/plane"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
)

// A scene is cut into square regions, and every picture at the same lines into tiles. The
// page holds as many regions as there is room for, those that are nearest to the place
// where it opens first; the others are pages in a folder, which the page opens within
// itself where they are needed. A script of the page may use the pixels of such a region
// in full, while it may only show, and neither save nor enlarge, those of a picture file.

// mostPage is the largest page, in bytes; besides is how much of it is no picture.
const mostPage, besides = 10_000_000, 100_000

// mostReduced is how many pixels the reduced pictures of a page have together.
const mostReduced = 2 << 20

// side is that of a region, in pixels. Several pictures have smaller ones, so that the
// page has room for a region of each.
func (d *compared) side() int {
	if len(d.Pictures) > 2 {
		return 512
	}
	return 1024
}

// columns and regions are how many regions there are in a row, and in all.
func (d *compared) columns() int { return (d.scene.X + d.side() - 1) / d.side() }
func (d *compared) regions() int {
	return d.columns() * ((d.scene.Y + d.side() - 1) / d.side())
}

// region is a region's part of the scene.
func (d *compared) region(i int) image.Rectangle {
	at := image.Pt(i%d.columns(), i/d.columns()).Mul(d.side())
	return image.Rectangle{Min: at, Max: at.Add(image.Pt(d.side(), d.side()))}
}

// tile is what a region has of a picture, in the picture's own pixels: all that the
// region touches.
func (p *comparedPicture) tile(region image.Rectangle) image.Rectangle {
	lower := func(v, own, shown int) int { return v * own / shown }
	upper := func(v, own, shown int) int { return min((v*own+shown-1)/shown, own) }
	return image.Rect(
		lower(region.Min.X, p.Width, p.shown.X), lower(region.Min.Y, p.Height, p.shown.Y),
		upper(region.Max.X, p.Width, p.shown.X), upper(region.Max.Y, p.Height, p.shown.Y),
	).Intersect(image.Rect(0, 0, p.Width, p.Height))
}

// cut encodes the tiles of a picture and, where they are several, all of it reduced.
func (d *compared) cut(ctx context.Context, p *comparedPicture, img image.Image) (err error) {
	p.tiles = make([][]byte, d.regions())
	failures := make([]error, len(p.tiles))
	if err := parallel.For(ctx, len(p.tiles), 1, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if at := p.tile(d.region(i)); !at.Empty() {
					p.tiles[i], failures[i] = encoded8(ctx, part(img, at))
				}
			}
		}
	}); err != nil {
		return err
	}
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	if len(p.tiles) > 1 {
		p.reduced, err = d.reduce(ctx, p, img)
	}
	return err
}

// part returns the pixels of img at a place that is counted from its corner.
func part(img image.Image, at image.Rectangle) image.Image {
	at = at.Add(img.Bounds().Min)
	if at == img.Bounds() {
		return img
	}
	if m, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		return m.SubImage(at)
	}
	out := image.NewNRGBA64(image.Rectangle{Max: at.Size()})
	draw.Draw(out, out.Rect, img, at.Min, draw.Src)
	return out
}

// encoded8 encodes a picture as a PNG of 8 bits a sample, which is what a browser shows.
func encoded8(ctx context.Context, img image.Image) ([]byte, error) {
	if picture.IsDeep(img) {
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

// reduce encodes a picture in so few pixels that those of all have room in the page. It is
// a JPEG, or a PNG of a quarter of the pixels where there is transparency.
func (d *compared) reduce(ctx context.Context, p *comparedPicture, img image.Image) ([]byte, error) {
	opaque, format, pixels := picture.IsOpaque(img), imagefile.JPEG, mostReduced/float64(len(d.Pictures))
	if !opaque {
		format, pixels = imagefile.PNG, pixels/4
	}
	by := min(1, math.Sqrt(pixels/float64(p.Width*p.Height)))
	w, h := max(1, int(by*float64(p.Width))), max(1, int(by*float64(p.Height)))
	scaler := resample.New(p.Width, p.Height, w, h, resample.Bicubic)
	var out picture.Picture
	const together = 32
	for top := 0; top < h; top += together {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(together, h-top)
		lo, hi := scaler.Needs(top, top+n)
		rows := picture.SplitRows(plane.New, img, opaque, lo, hi)
		if top == 0 {
			for range rows.Channels {
				out.Channels = append(out.Channels, plane.New(w, h))
			}
			if rows.Alpha != nil {
				out.Alpha = plane.New(w, h)
			}
		}
		resample := func(to, from *plane.Plane) {
			scaler.Rows(&plane.Plane{W: w, H: n, Pix: to.Pix[top*w:][:n*w]}, from, lo, top)
		}
		for c, channel := range rows.Channels {
			resample(out.Channels[c], channel)
		}
		if rows.Alpha != nil {
			resample(out.Alpha, rows.Alpha)
		}
	}
	var b bytes.Buffer
	err := imagefile.Encode(&b, out.Image(), format, imagefile.EncodeOptions{Quality: 90})
	return b.Bytes(), err
}

// share says which regions the page holds, nearest first, and which are in the folder.
func (d *compared) share() {
	room := mostPage - besides
	for _, p := range d.Pictures {
		room -= base64.StdEncoding.EncodedLen(len(p.reduced))
	}
	order := make([]int, d.regions())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return d.far(i) - d.far(j) })
	d.held = map[int]bool{}
	for _, i := range order {
		for _, p := range d.Pictures {
			room -= base64.StdEncoding.EncodedLen(len(p.tiles[i])) + besidesTile
		}
		if room < 0 {
			break
		}
		d.held[i] = true
	}
	if len(d.held) == len(order) {
		d.Folder = ""
	}
	sum := crc32.NewIEEE()
	for _, p := range d.Pictures {
		for _, tile := range p.tiles {
			_, _ = sum.Write(tile) // never fails
		}
	}
	d.id = fmt.Sprintf("%08x", sum.Sum32())
}

// besidesTile is how many bytes an element has besides its picture.
const besidesTile = 1000

// far is the square of the distance from the place where the page opens to a region.
func (d *compared) far(region int) int {
	r, at := d.region(region), d.Place
	x, y := max(r.Min.X-at.X, at.X-r.Max.X+1, 0), max(r.Min.Y-at.Y, at.Y-r.Max.Y+1, 0)
	return x*x + y*y
}

// checkFolder names the folder of the regions, and refuses one that is there.
func (d *compared) checkFolder(overwrite bool) error {
	if d.regions() == 1 || d.Page == "-" {
		return nil
	}
	page := string(d.Page)
	d.Folder = paths.Name(strings.TrimSuffix(page, filepath.Ext(page)) + "_files")
	if _, err := os.Lstat(string(d.Folder)); err == nil && !overwrite {
		return console.Fail(console.ExitOutput, fmt.Errorf("%s exists; use --on-exist overwrite or another -o", d.Folder))
	}
	return nil
}

// regionTemplate is the page of a region. Opened alone it shows its part of each picture;
// within the page of the comparison it hands them over.
var regionTemplate = template.Must(template.New("region").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; script-src 'unsafe-inline'">
<title>{{.Title}}</title>
</head>
<body>
{{range .Tiles}}<img alt="{{.Name}}" data-picture="{{.Number}}" src="data:image/png;base64,{{.Data}}">
{{end}}<script>
if (parent !== window) parent.postMessage({ id: {{.ID}}, region: {{.Region}}, tiles: [...document.images].map(i => [+i.dataset.picture, i.src]) }, "*");
</script>
</body>
</html>
`))

// writeRegions writes the regions that are not in the page to the folder.
func (d *compared) writeRegions(ctx context.Context, overwrite bool) error {
	if d.Folder == "" {
		return nil
	}
	folder := string(d.Folder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return safefile.Unwritable(folder, err)
	}
	type tile struct {
		Name   string
		Number int
		Data   template.URL
	}
	for i := range d.regions() {
		if d.held[i] {
			continue
		}
		var tiles []tile
		for number, p := range d.Pictures {
			if data := p.tiles[i]; len(data) > 0 {
				tiles = append(tiles, tile{string(p.Name), number, template.URL(base64.StdEncoding.EncodeToString(data))})
			}
		}
		name := filepath.Join(folder, d.regionFile(i))
		err := safefile.WriteAtomicMode(d.most, name, overwrite, func(w io.Writer) error {
			return regionTemplate.Execute(console.Interruptible(ctx, w), map[string]any{
				"Title": fmt.Sprintf("superres diff: %v of %s", d.region(i), d.Pictures[0].Name), "ID": d.id, "Region": i, "Tiles": tiles,
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// regionFile is the name of the file of a region.
func (d *compared) regionFile(i int) string {
	return fmt.Sprintf("row%d-column%d.html", i/d.columns()+1, i%d.columns()+1)
}
