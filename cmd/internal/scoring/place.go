package scoring

import (
	"context"
	"image"
	"math"
	"superres/patches/plane"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/resample"
)

// position is a point of a scene, in pixels.
type position struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// Differences are summed in square cells of cellSide pixels. The place where pictures differ most is the middle of
// the window of windowCols × windowRows cells with the largest sum.
const (
	cellSide   = 32
	windowCols = 20
	windowRows = 14
)

// differences holds the sums of |A − B| over all colours, a sum for each cell of a scene.
type differences struct {
	scene      image.Point
	cols, rows int
	sums       []float64
}

func newDifferences(scene image.Point) *differences {
	cols, rows := (scene.X+cellSide-1)/cellSide, (scene.Y+cellSide-1)/cellSide
	return &differences{scene, cols, rows, make([]float64, cols*rows)}
}

// add adds the differences of two pictures, which cover coversA and coversB pixels of the scene from its upper left
// corner. A picture with fewer pixels than it covers is enlarged by bicubic interpolation. Working on one row of
// cells after the other bounds the memory.
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
		// Each cell is summed by one worker and in one order, so that the sums are the same bits for any number of
		// workers.
		parallel.Rows((w+cellSide-1)/cellSide, func(cell int) {
			left := cell * cellSide
			right := min(left+cellSide, w)
			for c := range channels {
				u, v := p[min(c, len(p)-1)], q[min(c, len(q)-1)]
				for row := range n {
					below := v.Row(row)[left:right]
					for i, s := range u.Row(row)[left:right] {
						cells[cell] += math.Abs(float64(s-below[i])) / float64(channels)
					}
				}
			}
		})
	}
	return nil
}

// peak returns the middle of the window with the largest sum: of equal windows the uppermost and then the leftmost.
// Where nothing differs it returns the middle of the scene.
func (d *differences) peak() position {
	w, h := min(windowCols, d.cols), min(windowRows, d.rows)
	largest, middle := 0.0, position{d.scene.X / 2, d.scene.Y / 2}
	for y := 0; y+h <= d.rows; y++ {
		for x := 0; x+w <= d.cols; x++ {
			sum := 0.0
			for row := y; row < y+h; row++ {
				for _, v := range d.sums[row*d.cols+x:][:w] {
					sum += v
				}
			}
			if sum > largest {
				largest = sum
				middle = position{min((2*x+w)*cellSide/2, d.scene.X), min((2*y+h)*cellSide/2, d.scene.Y)}
			}
		}
	}
	if w == d.cols {
		middle.X = d.scene.X / 2
	}
	if h == d.rows {
		middle.Y = d.scene.Y / 2
	}
	return middle
}

// scaledPicture gives rows of a picture in the size that it has in the scene.
type scaledPicture struct {
	img    image.Image
	opaque bool
	scaler *resample.Scaler // nil where the picture has that size already
}

func newScaled(img image.Image, covers image.Point) scaledPicture {
	c := scaledPicture{img: img, opaque: picture.IsOpaque(img)}
	if size := img.Bounds().Size(); size != covers {
		c.scaler = resample.New(size.X, size.Y, covers.X, covers.Y, resample.Bicubic)
	}
	return c
}

// rows returns n rows from top on, one plane a channel. Transparency is blended with mid-grey.
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
	if c.scaler == nil {
		return p.Channels
	}
	for i, channel := range p.Channels {
		w, _ := c.scaler.Size()
		p.Channels[i] = plane.New(w, n)
		c.scaler.Rows(p.Channels[i], channel, lo, top)
	}
	return p.Channels
}
