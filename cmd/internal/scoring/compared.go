package scoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/safefile"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/score"
)

// comparison is the result of a call of superres diff, which writes it to the page and, with --json, as JSON.
type comparison struct {
	Page     paths.Name     `json:"page"`     // the path of the page, or "-"
	Protocol score.Protocol `json:"protocol"` // how the pictures are scored
	Scale    int            `json:"scale"`    // factor of enlargement; scores leave out a border of Scale pixels
	// Place is where the pictures differ most, in pixels of the scene; the page opens centred on it.
	Place position `json:"opens_at"`
	// Pictures are in the order of the command line. The first is the reference.
	Pictures []*comparedPicture `json:"pictures"`

	scene  image.Point  // width and height of the largest picture, in pixels
	inPage map[int]bool // by region number: true if the page contains the region
}

// comparedPicture is a picture on the page, with its scores against the reference.
type comparedPicture struct {
	Name paths.Name `json:"name"` // its name on the page
	// Width and Height are the size of the picture in its file, in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Cell holds the scores of the picture against the reference.
	Cell
	// Mean and Largest are the mean and the greatest absolute difference between the colours of the picture and of the
	// reference, on the scale 0..255. They are nil if the picture was not scored.
	Mean    *float64 `json:"mean_absolute_difference,omitempty"`
	Largest *float64 `json:"largest_difference,omitempty"`
	Note    string   `json:"note,omitempty"` // says why there are no scores; empty if there are

	// tiles[i] is the part of the picture within region i, as PNG with 8 bits per sample; empty if that lies outside.
	tiles [][]byte
	// reduced is the entire picture with fewer pixels, as JPEG or, with transparency, as PNG; empty with one region.
	reduced []byte
	covers  image.Point // the size of the part of the scene that the picture covers
}

// Peak memory in bytes per pixel: while a picture is read; of the reference, which stays; while a picture is scored.
const (
	readBytes      = 16
	referenceBytes = 8
	scoreBytes     = 80
)

// errSize stops pictures.Open after the header, when only the size of a picture is needed.
var errSize = errors.New("the size is known")

// readSizes returns a comparison with the names and the sizes of the pictures in opt.Inputs. It reads only headers.
func readSizes(ctx context.Context, opt DiffOptions) (*comparison, error) {
	d := &comparison{Page: paths.Name(opt.Page), Protocol: score.MatlabY, Scale: opt.Scale}
	for _, path := range opt.Inputs {
		p := &comparedPicture{Name: paths.Name(shortName(path, opt.Inputs))}
		limits := pictures.Frugal(opt.Limits, readBytes)
		acceptMemory := limits.Accept
		limits.Accept = func(cfg image.Config, inUse int64) error {
			if err := acceptMemory(cfg, inUse); err != nil {
				return err
			}
			p.Width, p.Height = cfg.Width, cfg.Height
			return errSize // ends pictures.Open after the header
		}
		if _, err := pictures.Open(ctx, path, limits); err != nil && !errors.Is(err, errSize) {
			return nil, err
		}
		d.Pictures = append(d.Pictures, p)
	}
	return d, nil
}

// load reads the pictures in opt.Inputs one after another, scores each against the first, cuts each into tiles, and
// sets d.Place. It fails if a picture cannot be read or no longer has the size that readSizes found.
func (d *comparison) load(ctx context.Context, opt DiffOptions, bar *console.Progress) error {
	left := opt.Limits // left.Memory shrinks with the reference and each encoded tile, which stay in memory
	var ref image.Image
	differ := &differences{scene: d.scene, cols: (d.scene.X + cellSide - 1) / cellSide,
		rows: (d.scene.Y + cellSide - 1) / cellSide}
	differ.sums = make([]float64, differ.cols*differ.rows)
	for i, path := range opt.Inputs {
		bar.Set("comparing", float64(i)/float64(len(opt.Inputs)))
		err := console.Picture(path, func() error {
			img, err := pictures.Open(ctx, path, pictures.Frugal(left, readBytes))
			if err != nil {
				return err
			}
			p := d.Pictures[i]
			if img.Bounds().Size() != image.Pt(p.Width, p.Height) {
				return console.Failf(console.ExitInput, "%s: changed while it was read", path)
			}
			if i == 0 {
				ref = img
				p.Note = "the reference"
				left.Memory -= int64(p.Width) * int64(p.Height) * referenceBytes
			} else {
				d.score(p, ref, img, left.Memory)
				if err := differ.add(ctx, ref, img, d.Pictures[0].covers, p.covers); err != nil {
					return err
				}
			}
			if err := d.cut(ctx, p, img); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			left.Memory -= p.bytes()
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.Place = differ.peak()
	return nil
}

// bytes returns the total size of the encoded tiles and the reduced picture.
func (p *comparedPicture) bytes() int64 {
	sum := len(p.reduced)
	for _, tile := range p.tiles {
		sum += len(tile)
	}
	return int64(sum)
}

// shortName returns the last element of path, or all of path if another path in among has the same last element.
func shortName(path string, among []string) string {
	base := filepath.Base(path)
	same := func(other string) bool { return filepath.Base(other) == base }
	if i := slices.IndexFunc(among, same); slices.ContainsFunc(among[i+1:], same) {
		return safefile.OneLine(filepath.ToSlash(path))
	}
	return safefile.OneLine(base)
}

// score sets the scores of p, a picture with the pixels in test, against ref. If scoring needs more than memory bytes,
// or the two pictures cannot be compared, it sets p.Note to the reason instead.
func (d *comparison) score(p *comparedPicture, ref, test image.Image, memory int64) {
	if ref.Bounds().Size().Sub(test.Bounds().Size()) == (image.Point{}) { // otherwise Compare refuses them
		if need := int64(p.Width) * int64(p.Height) * scoreBytes; need > memory {
			p.Note = fmt.Sprintf("not scored: that needs %s more; use --max-memory", console.Bytes(need-memory))
			return
		}
	}
	m, err := d.Protocol.Compare(ref, test, d.Scale)
	by, err2 := score.Differ(ref, test, d.Scale)
	if err = cmp.Or(err, err2); err != nil {
		p.Note = "not scored: " + console.Message(err)
		return
	}
	p.Cell, p.Mean, p.Largest = CellOf(m), &by.Mean, &by.Max
}

// position is a point in pixels of the largest picture, from its upper left corner.
type position struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Differences are summed over square cells of cellSide pixels. The place where pictures differ most is the centre of
// mass of the differences in the window of windowCols × windowRows cells that has the largest sum.
const (
	cellSide   = 32
	windowCols = 20 // 640 pixels
	windowRows = 14 // 448 pixels
)

// differences holds for each cell of a scene the sum of |A − B| over the pixels of the cell and over all pairs of the
// reference A and another picture B. |A − B| is the mean over the colour channels, with samples from 0 to 1.
type differences struct {
	scene      image.Point
	cols, rows int
	sums       []float64
}

// add adds the differences between a and b to d.sums. The pictures cover coversA and coversB pixels of the scene, from
// its upper left corner; a smaller picture is enlarged by bicubic interpolation, one row of cells at a time, so that
// memory is bounded. add returns an error only if ctx has ended.
func (d *differences) add(ctx context.Context, a, b image.Image, coversA, coversB image.Point) error {
	x, y := newScaled(a, coversA), newScaled(b, coversB)
	w, h := min(coversA.X, coversB.X), min(coversA.Y, coversB.Y)
	for top := 0; top < h; top += cellSide {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(cellSide, h-top)
		p, q := x.rows(top, n), y.rows(top, n)
		channels := max(len(p), len(q))
		cells := d.sums[top/cellSide*d.cols:]
		// One worker sums each cell, in a fixed order, so that the sums have the same bits for any number of workers.
		parallel.Rows((w+cellSide-1)/cellSide, func(cell int) {
			left := cell * cellSide
			right := min(left+cellSide, w)
			for c := range channels {
				u, v := p[min(c, len(p)-1)], q[min(c, len(q)-1)] // grey stands for every colour
				for row := range n {
					other := v.Row(row)[left:right]
					for i, s := range u.Row(row)[left:right] {
						cells[cell] += math.Abs(float64(s-other[i])) / float64(channels)
					}
				}
			}
		})
	}
	return nil
}

// peak returns the centre of mass of the differences in the window with the largest sum; among equal windows, it takes
// the uppermost, then the leftmost. In a direction in which the window is as long as the scene, and in both directions
// if the pictures do not differ, peak returns the middle of the scene.
func (d *differences) peak() position {
	w, h := min(windowCols, d.cols), min(windowRows, d.rows)
	largest, centre := 0.0, position{d.scene.X / 2, d.scene.Y / 2}
	for y := 0; y+h <= d.rows; y++ {
		for x := 0; x+w <= d.cols; x++ {
			sum, across, down := 0.0, 0.0, 0.0 // float64(…) below rounds each product, so that all processors agree
			for row := y; row < y+h; row++ {
				for i, v := range d.sums[row*d.cols+x:][:w] {
					sum += v
					across += float64(v * (float64(x+i) + 0.5))
					down += float64(v * (float64(row) + 0.5))
				}
			}
			if sum > largest {
				largest = sum
				centre.X = min(int(across/sum*cellSide), d.scene.X)
				centre.Y = min(int(down/sum*cellSide), d.scene.Y)
			}
		}
	}
	if w == d.cols {
		centre.X = d.scene.X / 2
	}
	if h == d.rows {
		centre.Y = d.scene.Y / 2
	}
	return centre
}

// scaledPicture gives rows of img, enlarged to the size at which the page shows img.
type scaledPicture struct {
	img    image.Image
	opaque bool
	scaler *resample.Scaler // nil if img has the size already
}

func newScaled(img image.Image, covers image.Point) scaledPicture {
	c := scaledPicture{img: img, opaque: picture.IsOpaque(img)}
	if size := img.Bounds().Size(); size != covers {
		c.scaler = resample.New(size.X, size.Y, covers.X, covers.Y, resample.Bicubic)
	}
	return c
}

// rows returns the enlarged rows [top, top+n) of the picture, as one plane for each colour channel, with samples 0 to
// 1. Transparent pixels are blended with mid-grey, 0.5.
func (c scaledPicture) rows(top, n int) []*plane.Plane {
	lo, hi := top, top+n
	if c.scaler != nil {
		lo, hi = c.scaler.Needs(top, top+n)
	}
	p := picture.SplitRows(plane.New, c.img, c.opaque, lo, hi)
	if p.Alpha != nil {
		for _, channel := range p.Channels {
			for i, a := range p.Alpha.Pix {
				channel.Pix[i] = 0.5 + a*(channel.Pix[i]-0.5)
			}
		}
	}
	if c.scaler == nil { // the page does not show it larger than it is
		return p.Channels
	}
	for i, channel := range p.Channels {
		w, _ := c.scaler.Size()
		p.Channels[i] = plane.New(w, n)
		c.scaler.Rows(p.Channels[i], channel, lo, top)
	}
	return p.Channels
}
