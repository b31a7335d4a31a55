// Package pixelart finds pictures that were drawn pixel by pixel in few colours, and enlarges them by a rule that makes
// no colour which was not there.
//
// The rule is that of EPX (E. Johnston, LucasArts, 1992) and Scale2x (A. Mazzoleni, 2001) for any scale: where the two
// neighbours beside a corner of a pixel P are alike, and P differs from them,
//
//	left = above, left ≠ below, above ≠ right,
//
// the triangle at that corner between the middles of the two sides gets their colour. At ×2 this is a quarter of the
// pixel, as with Scale2x. Corners of boxes stay: P must go on along the diagonal, to the pixel below left or above
// right, as an edge does that is meant to be oblique. What cannot be seen, whatever its colour, is alike.
package pixelart

import (
	"encoding/binary"
	"image"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/flaws/repair"
)

// grid is a picture with one key for each pixel: pixels look alike if their keys are equal.
type grid struct {
	w, h   int
	keys   []uint64
	pix    []uint8 // the samples of the picture, of bytes each for a pixel, without gaps between rows
	bytes  int
	result image.Image // a picture of the size of the result, of the same type, for enlarge
	to     []uint8     // the samples of result
}

// hidden is the key of a pixel that cannot be seen. No other has it: its alpha would be 0.
const hidden = 1 << 40

// newGrid returns the grid of img, with squares of k×k equal pixels taken once, and a result of w×h pixels.
func newGrid(img image.Image, k, w, h int) grid {
	g := grid{w: img.Bounds().Dx() / k, h: img.Bounds().Dy() / k}
	once := repair.TakeOnce(img, k)
	g.result = picture.Like(once, w, h)
	g.pix, _, g.bytes = picture.Samples(once)
	g.to, _, _ = picture.Samples(g.result)
	isHidden := func(p []uint8) bool { return false }
	switch g.bytes {
	case 4:
		isHidden = func(p []uint8) bool { return p[3] == 0 }
	case 8:
		isHidden = func(p []uint8) bool { return p[6] == 0 && p[7] == 0 }
	}
	g.keys = make([]uint64, g.w*g.h)
	parallel.Rows(g.h, func(y int) {
		for i := y * g.w; i < (y+1)*g.w; i++ {
			var key [8]uint8
			p := g.pix[i*g.bytes : (i+1)*g.bytes]
			copy(key[:], p)
			if g.keys[i] = binary.LittleEndian.Uint64(key[:]); isHidden(p) {
				g.keys[i] = hidden
			}
		}
	})
	return g
}

// Enlarge returns img, reduced to one pixel for each of its squares of equal pixels, enlarged to w×h pixels, each of
// which is one of img. With blend it is the mean of those that it covers, so that oblique edges are smooth and all
// pixels equally wide. The result has the type of repair.TakeOnce.
func Enlarge(img image.Image, w, h int, blend bool) image.Image {
	g := newGrid(img, max(repair.Repeated(img), 1), w, h)
	parts := 1 // of a pixel, along a side
	if blend {
		parts = blended
	}
	parallel.Rows(h, func(y int) {
		from := make([]int, parts*parts)
		for x := range w {
			for i := range from {
				from[i] = g.source(parts*x+i%parts, parts*y+i/parts, parts*w, parts*h)
			}
			g.mix(g.to[(y*w+x)*g.bytes:(y*w+x+1)*g.bytes], from)
		}
	})
	return g.result
}

// blended is the number of parts of a pixel, along a side, whose mean it is: edges have 17 levels.
const blended = 4

// source returns the index of the pixel that pixel (x, y) of an enlargement to w×h is taken from.
func (g grid) source(x, y, w, h int) int {
	inX, u := under(x, g.w, w)
	inY, v := under(y, g.h, h)
	// u/w and v/h are the place in the pixel, −1 to 1: beyond the line between the middles of two sides their sum is 1
	// or more.
	if abs(u)*h+abs(v)*w >= w*h {
		return g.corner(inX, inY, sign(u), sign(v))
	}
	return inY*g.w + inX
}

// mix sets the pixel to to the mean of the pixels of these indices, colours weighted by opacity.
func (g grid) mix(to []uint8, from []int) {
	if !slices.ContainsFunc(from, func(i int) bool { return g.keys[i] != g.keys[from[0]] }) {
		copy(to, g.pix[from[0]*g.bytes:])
		return
	}
	size := 1 // bytes of a sample
	if g.bytes == 2 || g.bytes == 8 {
		size = 2
	}
	sample := func(pix []uint8, s int) int {
		if size == 2 {
			return int(binary.BigEndian.Uint16(pix[2*s:]))
		}
		return int(pix[s])
	}
	samples := g.bytes / size
	for s := range samples {
		sum, weight := 0, 0
		for _, i := range from {
			p, of := g.pix[i*g.bytes:], 1
			if s < samples-1 { // a colour beside alpha, the last
				of = sample(p, samples-1)
			}
			sum, weight = sum+of*sample(p, s), weight+of
		}
		level := (2*sum + weight) / (2 * weight)
		if size == 2 {
			binary.BigEndian.PutUint16(to[2*s:], uint16(level))
		} else {
			to[s] = uint8(level)
		}
	}
}

// under returns which of in pixels the middle of pixel i of out pixels lies over, and where in it: from −out to out.
func under(i, in, out int) (pixel, place int) {
	at := (2*i + 1) * in // in halves of a pixel of in, times out
	pixel = at / (2 * out)
	return pixel, at - 2*out*pixel - out
}

// corner returns the index of the pixel that the corner of pixel (x, y) in the direction (dx, dy) is taken from.
func (g grid) corner(x, y, dx, dy int) int {
	beside, above := g.at(x+dx, y), g.at(x, y+dy)
	k, p, side := g.keys, y*g.w+x, g.keys[beside]
	if side == k[p] || side != k[above] || side == k[g.at(x, y-dy)] || side == k[g.at(x-dx, y)] ||
		k[p] != k[g.at(x+dx, y-dy)] && k[p] != k[g.at(x-dx, y+dy)] {
		return p
	}
	return beside
}

// at returns the index of the pixel (x, y), or of the nearest one if it is beyond an edge.
func (g grid) at(x, y int) int { return min(max(y, 0), g.h-1)*g.w + min(max(x, 0), g.w-1) }

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
