package measure

import (
	"context"
	"image"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/picture"
)

// Area is a part of a picture, as planes with samples from 0 to 1: three Channels, even for grey, and Alpha, or nil.
type Area struct{ planes }

type planes = picture.Picture

// Parts returns img whole or, where a side is longer than 960 samples, three parts along that side: one, three or nine.
func Parts(img image.Image) (list []Area) {
	for _, part := range ListParts(img.Bounds()) {
		list = append(list, Cut(img, part))
	}
	return list
}

// ListParts returns the rectangles of the parts that Parts returns for a picture with the bounds b.
func ListParts(b image.Rectangle) (list []image.Rectangle) {
	for _, y := range windows(b.Dy()) {
		for _, x := range windows(b.Dx()) {
			list = append(list, image.Rect(x.lo, y.lo, x.hi, y.hi).Add(b.Min))
		}
	}
	return list
}

// window is the range [lo, hi) of samples along a side.
type window struct{ lo, hi int }

// windows returns three windows of 320 samples, at multiples of 8, of a side longer than 960, else all of the side.
func windows(side int) (list []window) {
	const count, part = 3, 320
	if side <= count*part {
		return []window{{0, side}}
	}
	for i := range count {
		at := i * (side - part) / (count - 1) &^ 7
		list = append(list, window{at, at + part})
	}
	return list
}

// Samples is the brightness of a part of a picture: W×H samples by rows, in units of 1/Unit of a level.
type Samples struct {
	W, H  int
	Pix   []int32
	Parts int // the number of parts of the picture, including this one
	// IsOpaque is false if the part has alpha. Hidden samples have the brightness of the samples around them.
	IsOpaque bool
}

// Unit is the number of units in a level.
const Unit = 4

// SamplesOf returns the brightness of each of the parts of a picture.
func SamplesOf(parts ...Area) (list []*Samples) {
	for _, part := range parts {
		w, h := part.Channels[0].W, part.Channels[0].H
		p := &Samples{w, h, make([]int32, w*h), len(parts), part.Alpha == nil}
		// The background context never ends, so there is no error.
		_ = parallel.For(context.Background(), h, 16, func() func(lo, hi int) {
			luma := make([]float32, w)
			return func(lo, hi int) {
				for y := lo; y < hi; y++ {
					part.LumaRow(luma, y)
					for x, v := range luma {
						p.Pix[y*w+x] = sampleOf(v)
					}
				}
			}
		})
		list = append(list, p)
	}
	return list
}

// sampleOf returns v, a brightness from 0 to 1, in units of 1/Unit of a level.
func sampleOf(v float32) int32 { return min(max(int32(float32(255*Unit*v)+0.5), 0), 255*Unit) }

// Spread calls visit with the positions (x, y) of squares of side×side samples of p that have margin more samples to
// the right and below. The first position is (x0, y0); the positions lie step samples apart. If there are more than
// about the number most in all parts of the picture together, Spread visits every second, third, … only.
func (p *Samples) Spread(x0, y0, step, margin, side, most int, visit func(x, y int)) {
	if p.W < x0+side+margin || p.H < y0+side+margin {
		return
	}
	cols, rows := (p.W-x0-side-margin)/step+1, (p.H-y0-side-margin)/step+1
	every := max(1, (cols*rows*p.Parts+most-1)/most)
	for i := 0; i < cols*rows; i += every {
		// Each row is shifted by one: else all positions would lie in the same columns if cols is a multiple of every.
		x := (i%cols + i/cols) % cols
		visit(x0+x*step, y0+i/cols*step)
	}
}

// Cut returns the given part of img, with 8 bits a sample.
func Cut(img image.Image, part image.Rectangle) Area {
	switch m := img.(type) {
	case *image.NRGBA:
		return Area{picture.Split(m.SubImage(part))}
	case *image.RGBA:
		return Area{picture.Split(m.SubImage(part))}
	}
	return Area{picture.Split(imaging.Crop(img, part))}
}
