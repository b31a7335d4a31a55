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

// A scene is cut into square regions, and every picture along the same lines into tiles. The page holds as many
// regions as its size allows, those nearest to the place where it opens. Each of the others is a page of its own in a
// folder, which the main page loads into a frame when it is needed. That is because a script may read all pixels that
// such a page hands over, while of a picture file it may only show them, and neither save nor enlarge them.

// maxPageBytes is the size of the largest page, of which markupBytes are for text and scripts. The img element of a
// tile takes up to elementBytes besides the encoded tile.
const maxPageBytes, markupBytes, elementBytes = 10_000_000, 100_000, 1000

// maxReducedPixels bounds the sum of the pixels of all reduced pictures of a page.
const maxReducedPixels = 2 << 20

// side returns the side of a region in pixels. It is smaller for three pictures and more, so that the page has room
// for a region of each.
func (d *comparison) side() int {
	if len(d.Pictures) > 2 {
		return 512
	}
	return 1024
}

// columns returns the number of regions in a row, and regions the number of regions in the scene.
func (d *comparison) columns() int { return (d.scene.X + d.side() - 1) / d.side() }
func (d *comparison) regions() int {
	return d.columns() * ((d.scene.Y + d.side() - 1) / d.side())
}

// region returns the square of region i, in pixels of the scene. It may reach beyond the right and lower edges.
func (d *comparison) region(i int) image.Rectangle {
	corner := image.Pt(i%d.columns(), i/d.columns()).Mul(d.side())
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(d.side(), d.side()))}
}

// tile returns the part of p that region, in pixels of the scene, touches: a rectangle in p's own pixels, or an empty
// one.
func (p *comparedPicture) tile(region image.Rectangle) image.Rectangle {
	lower := func(v, own, shown int) int { return v * own / shown }
	upper := func(v, own, shown int) int { return min((v*own+shown-1)/shown, own) }
	return image.Rect(
		lower(region.Min.X, p.Width, p.covers.X), lower(region.Min.Y, p.Height, p.covers.Y),
		upper(region.Max.X, p.Width, p.covers.X), upper(region.Max.Y, p.Height, p.covers.Y),
	).Intersect(image.Rect(0, 0, p.Width, p.Height))
}

// cut sets p.tiles to the encoded tiles of img and, where there are several, p.reduced to all of img in fewer pixels.
func (d *comparison) cut(ctx context.Context, p *comparedPicture, img image.Image) (err error) {
	p.tiles = make([][]byte, d.regions())
	failures := make([]error, len(p.tiles))
	if err := parallel.For(ctx, len(p.tiles), 1, func() func(lo, hi int) {
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if tile := p.tile(d.region(i)); !tile.Empty() {
					p.tiles[i], failures[i] = encodePNG8(ctx, crop(img, tile))
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

// crop returns the part r of img, where r is relative to the upper left corner of img. It may share img's memory.
func crop(img image.Image, r image.Rectangle) image.Image {
	r = r.Add(img.Bounds().Min)
	if r == img.Bounds() {
		return img
	}
	if m, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		return m.SubImage(r)
	}
	out := image.NewNRGBA64(image.Rectangle{Max: r.Size()})
	draw.Draw(out, out.Rect, img, r.Min, draw.Src)
	return out
}

// encodePNG8 returns img as a PNG with 8 bits a sample, since browsers show no more.
func encodePNG8(ctx context.Context, img image.Image) ([]byte, error) {
	if picture.IsDeep(img) {
		nearest, err := embedded.Open(string(resample.Nearest))
		if err != nil {
			return nil, err
		}
		if img, err = nearest.Upscale(ctx, img, superres.Options{Scale: 1, Depth: 8}); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := imagefile.Encode(safefile.Interruptible(ctx, &b), img, "png", imagefile.EncodeOptions{})
	return b.Bytes(), err
}

// reduce returns img, whose size is in p, encoded with at most its share of maxReducedPixels: as JPEG or, where img has
// transparency, as PNG with at most a quarter of that share.
func (d *comparison) reduce(ctx context.Context, p *comparedPicture, img image.Image) ([]byte, error) {
	opaque, format, pixels := picture.IsOpaque(img), imagefile.JPEG, maxReducedPixels/float64(len(d.Pictures))
	if !opaque {
		format, pixels = imagefile.PNG, pixels/4
	}
	by := min(1, math.Sqrt(pixels/float64(p.Width*p.Height)))
	w, h := max(1, int(by*float64(p.Width))), max(1, int(by*float64(p.Height)))
	scaler := resample.New(p.Width, p.Height, w, h, resample.Bicubic)
	var out picture.Picture
	const rowsPerPass = 32
	for top := 0; top < h; top += rowsPerPass {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(rowsPerPass, h-top)
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

// chooseRegions sets d.inPage to as many regions as fit into the page, beginning with those nearest to d.Place, and
// d.id. It empties d.Folder where all regions fit.
func (d *comparison) chooseRegions() {
	bytesLeft := maxPageBytes - markupBytes
	for _, p := range d.Pictures {
		bytesLeft -= base64.StdEncoding.EncodedLen(len(p.reduced))
	}
	order := parallel.Numbers(d.regions())
	slices.SortStableFunc(order, func(i, j int) int { return d.distance(i) - d.distance(j) })
	d.inPage = map[int]bool{}
	for _, i := range order {
		for _, p := range d.Pictures {
			bytesLeft -= base64.StdEncoding.EncodedLen(len(p.tiles[i])) + elementBytes
		}
		if bytesLeft < 0 {
			break
		}
		d.inPage[i] = true
	}
	if len(d.inPage) == len(order) {
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

// distance returns the square of the distance in pixels from d.Place to the nearest pixel of a region.
func (d *comparison) distance(region int) int {
	r, p := d.region(region), d.Place
	x, y := max(r.Min.X-p.X, p.X-r.Max.X+1, 0), max(r.Min.Y-p.Y, p.Y-r.Max.Y+1, 0)
	return x*x + y*y
}

// checkFolder sets d.Folder, unless there is a single region or the page goes to standard output. Without overwrite it
// fails where the folder exists.
func (d *comparison) checkFolder(overwrite bool) error {
	if d.regions() == 1 || paths.IsStandard(d.Page) {
		return nil
	}
	page := string(d.Page)
	d.Folder = paths.Name(strings.TrimSuffix(page, filepath.Ext(page)) + "_files")
	if _, err := os.Lstat(string(d.Folder)); err == nil && !overwrite {
		return console.Failf(console.ExitOutput, "%s exists; use --on-exist overwrite or another -o", d.Folder)
	}
	return nil
}

// regionTemplate is the file of a region that is not in the page. Opened alone it shows the region's tile of each
// picture; in a frame of the main page it posts the tiles to the main page.
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
if (parent !== window) parent.postMessage({ id: {{.ID}}, region: {{.Region}}, ` +
	`tiles: [...document.images].map(i => [+i.dataset.picture, i.src]) }, "*");
</script>
</body>
</html>
`))

// writeRegions writes a file into d.Folder for each region that the page does not hold. It creates the folder.
func (d *comparison) writeRegions(ctx context.Context, overwrite bool) error {
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
		if d.inPage[i] {
			continue
		}
		var tiles []tile
		for number, p := range d.Pictures {
			if data := p.tiles[i]; len(data) > 0 {
				tiles = append(tiles, tile{string(p.Name), number,
					template.URL(base64.StdEncoding.EncodeToString(data))})
			}
		}
		name := filepath.Join(folder, d.regionFile(i))
		err := safefile.WriteAtomicMode(d.mode, name, overwrite, func(w io.Writer) error {
			return regionTemplate.Execute(safefile.Interruptible(ctx, w), map[string]any{
				"Title": fmt.Sprintf("superres diff: %v of %s", d.region(i), d.Pictures[0].Name), "ID": d.id,
				"Region": i, "Tiles": tiles,
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// regionFile returns the file name of region i, such as row1-column2.html.
func (d *comparison) regionFile(i int) string {
	return fmt.Sprintf("row%d-column%d.html", i/d.columns()+1, i%d.columns()+1)
}
