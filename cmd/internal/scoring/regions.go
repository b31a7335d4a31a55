package scoring

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"math"
	"slices"

	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/patches/plane"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
)

// The scene, as large as the largest picture, is cut into square regions, and every picture into tiles along the same
// lines. The page holds the regions nearest to the place where it opens that fit; elsewhere it shows reduced pictures.

// maxPageBytes is the greatest size of a page, and markupBytes the part of it for text and scripts. The img element of
// a tile takes up to elementBytes in addition to the encoded tile.
const maxPageBytes, markupBytes, elementBytes = 50_000_000, 100_000, 1000

// maxReducedPixels is the greatest total number of pixels of all reduced pictures on a page.
const maxReducedPixels = 2 << 20

// side returns the side of a region in pixels. It is small enough for one region of every picture to fit into the page.
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

// region returns the square of region i, in pixels of the scene. It may extend beyond the scene on the right and below.
func (d *comparison) region(i int) image.Rectangle {
	corner := image.Pt(i%d.columns(), i/d.columns()).Mul(d.side())
	return image.Rectangle{Min: corner, Max: corner.Add(image.Pt(d.side(), d.side()))}
}

// tile returns the part of p that touches region, a rectangle of the scene; in pixels of p, and empty if none touches.
func (p *comparedPicture) tile(region image.Rectangle) image.Rectangle {
	// From v, a position along a side as the scene shows it, to pixels of p: rounded down, or rounded up to the end.
	lower := func(v, own, shown int) int { return v * own / shown }
	upper := func(v, own, shown int) int { return min((v*own+shown-1)/shown, own) }
	return image.Rect(
		lower(region.Min.X, p.Width, p.covers.X), lower(region.Min.Y, p.Height, p.covers.Y),
		upper(region.Max.X, p.Width, p.covers.X), upper(region.Max.Y, p.Height, p.covers.Y),
	).Intersect(image.Rect(0, 0, p.Width, p.Height))
}

// cut sets p.tiles to the parts of img within the regions of the scene, as PNG (empty: img does not reach the region),
// and, if there are several regions, p.reduced to all of img with fewer pixels.
func (d *comparison) cut(ctx context.Context, p *comparedPicture, img image.Image) (err error) {
	p.tiles = make([][]byte, d.regions())
	failures := make([]error, len(p.tiles))
	const grain = 1 // tiles that a worker takes at a time
	if err := parallel.For(ctx, len(p.tiles), grain, func() func(lo, hi int) {
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

// crop returns the part r of img, where r is relative to the upper left corner of img. It shares the memory of img.
func crop(img image.Image, r image.Rectangle) image.Image {
	return img.(interface { // all types of decoded pictures have it
		SubImage(image.Rectangle) image.Image
	}).SubImage(r.Add(img.Bounds().Min))
}

// encodePNG8 returns img as a PNG with 8 bits per sample, since browsers show no more.
func encodePNG8(ctx context.Context, img image.Image) ([]byte, error) {
	if picture.IsDeep(img) { // at scale 1, only the depth changes
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

// reduce returns img, whose size is in p, encoded with at most an equal share of maxReducedPixels: as JPEG or, if img
// has transparency, as PNG with at most a quarter of the share, since a PNG takes more bytes for a pixel.
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

// chooseRegions sets d.inPage to as many regions as fit into the page, beginning with the nearest to d.Place.
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
}

// distance returns the squared distance, in pixels, between d.Place and the nearest pixel of a region.
func (d *comparison) distance(region int) int {
	r, p := d.region(region), d.Place
	x, y := max(r.Min.X-p.X, p.X-r.Max.X+1, 0), max(r.Min.Y-p.Y, p.Y-r.Max.Y+1, 0)
	return x*x + y*y
}
