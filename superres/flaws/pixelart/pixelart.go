// Package pixelart finds pictures that were drawn pixel by pixel in few colours, and enlarges them by a rule that
// introduces no new colours.
//
// The rule is EPX (E. Johnston, LucasArts, 1992), also known as Scale2x (A. Mazzoleni, 2001), for any scale. Where the
// two neighbours at a corner of a pixel P are alike, and P differs from them, as at the corner above left if
//
//	left = above, left ≠ below, above ≠ right,
//
// the triangle at that corner, up to the line between the middles of the two sides, gets the colour of the two
// neighbours. At ×2 the triangle covers one pixel of the result, as with Scale2x. Corners of boxes stay: the colour of
// P must continue diagonally, in the pixel below left or above right, as it does along an oblique edge. All invisible
// pixels are alike, whatever their colour.
package pixelart

import (
	"encoding/binary"
	"image"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/superres/flaws/repair"
)

// grid is a picture with a key for each pixel: pixels with equal keys look alike.
type grid struct {
	w, h   int
	keys   []uint64
	pix    []uint8 // the samples of the picture, bytes for each pixel, without gaps between rows
	bytes  int
	result image.Image // memory for the enlargement, which Enlarge fills
	to     []uint8     // the samples of result
}

// hidden is the key of invisible pixels. No visible pixel has it: its alpha would be 0.
const hidden = 1 << 40

// newGrid returns the grid of img, where each square of k×k equal pixels is one pixel, with an empty result of w×h.
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
				g.keys[i] = hidden // all invisible pixels are alike, whatever their colour
			}
		}
	})
	return g
}

// Enlarge reduces img to one pixel for each of its squares of equal pixels and enlarges that picture to w×h pixels by
// EPX. Without blend, each pixel of the result is a pixel of img. With blend, it is the mean of 16 points in its area,
// so that oblique edges are smooth and all pixels equally wide. The result has the type that repair.TakeOnce returns.
func Enlarge(img image.Image, w, h int, blend bool) image.Image {
	g := newGrid(img, max(repair.Repeated(img), 1), w, h)
	parts := 1 // number of parts of a pixel, along a side
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

// blended is the number of parts of a pixel, along a side, that are averaged: an edge can have 17 different levels.
const blended = 4

// source returns the index of the pixel of g that has the colour of pixel (x, y) in an enlargement to w×h pixels.
func (g grid) source(x, y, w, h int) int {
	inX, u := under(x, g.w, w)
	inY, v := under(y, g.h, h)
	// u/w and v/h, each from −1 to 1, are the position relative to the middle of the pixel. The sum of their magnitudes
	// is 1 or more beyond the line between the middles of two sides.
	if abs(u)*h+abs(v)*w >= w*h {
		return g.corner(inX, inY, sign(u), sign(v))
	}
	return inY*g.w + inX
}

// mix sets pixel to the mean of the pixels of g with the indices in from. Opacity weights the colours.
func (g grid) mix(pixel []uint8, from []int) {
	if !slices.ContainsFunc(from, func(i int) bool { return g.keys[i] != g.keys[from[0]] }) {
		copy(pixel, g.pix[from[0]*g.bytes:])
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
			p, opacity := g.pix[i*g.bytes:], 1
			if s < samples-1 { // a colour, not alpha, which comes last
				opacity = sample(p, samples-1)
			}
			sum, weight = sum+opacity*sample(p, s), weight+opacity
		}
		level := (2*sum + weight) / (2 * weight)
		if size == 2 {
			binary.BigEndian.PutUint16(pixel[2*s:], uint16(level))
		} else {
			pixel[s] = uint8(level)
		}
	}
}

// under returns which pixel in a row of n pixels lies under the middle of pixel i of the same row enlarged to m pixels,
// and the place of that middle in the pixel: from −m at the left edge to m at the right.
func under(i, n, m int) (pixel, place int) {
	at := (2*i + 1) * n // in 1/(2·m) of a pixel of the shorter row
	pixel = at / (2 * m)
	return pixel, at - 2*m*pixel - m
}

// corner returns the index of the pixel that colours the corner of pixel (x, y) in the direction (dx, dy), each −1 or
// 1. By EPX it is the neighbour beside it if that is like the other neighbour at the corner, but not like (x, y) or the
// two opposite neighbours, and (x, y) is no corner of a box; otherwise it is (x, y) itself.
func (g grid) corner(x, y, dx, dy int) int {
	beside, above := g.at(x+dx, y), g.at(x, y+dy)
	k, p, side := g.keys, y*g.w+x, g.keys[beside]
	if side == k[p] || side != k[above] || side == k[g.at(x, y-dy)] || side == k[g.at(x-dx, y)] ||
		k[p] != k[g.at(x+dx, y-dy)] && k[p] != k[g.at(x-dx, y+dy)] { // the corner of a box
		return p
	}
	return beside
}

// at returns the index of the pixel (x, y), or of the nearest pixel if (x, y) is outside.
func (g grid) at(x, y int) int { return min(max(y, 0), g.h-1)*g.w + min(max(x, 0), g.w-1) }

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
