package pixelart

import (
	"image"

	"superres/superres/flaws/measure"
)

const (
	// mostColours is the greatest number of colours of pixel art that was enlarged to squares, mostNative of other
	// pixel art. leastEach is the least number of pixels for each colour, on average.
	mostColours, mostNative, leastEach = 256, 64, 6
	// mostSide is the longest side of pixel art that was enlarged, in its own pixels, mostOwn of other pixel art: it is
	// short, since charts in few colours look like pixel art. leastSide is the least length of the shorter side.
	mostSide, mostOwn, leastSide = 512, 128, 8
	// mostBetween is the greatest share of the changes of colour that may be steps between two distant colours, as
	// antialiasing draws them: see countSteps. mostSoft is the limit for pictures that are not enlarged, or have more
	// than mostNative colours, such as enlarged charts with antialiased text.
	mostBetween, mostSoft = 0.35, 0.08
	// In a picture that is not enlarged, with a side longer than mostDense, at least the share leastEqual of its pixels
	// must equal the pixel before, and IsDrawing must hold. Two small photographs dithered to 5 colours have 0.54 and
	// 0.56, thirty sprites 0.6 or more. Without this rule, five of 2,000 parts of photographs, all dithered, were taken
	// for pixel art; with it, none of 100 sprites, charts and codes is left out.
	mostDense, leastEqual = 48, 0.6
)

// Is reports whether img is pixel art: it has few colours and hard edges, and is either made of squares of equal
// pixels, or so small that each pixel was set by hand. Photographs are not pixel art, nor are drawings and text with
// antialiased edges. repeated is the result of repair.Repeated for img.
func Is(img image.Image, repeated int) bool {
	size := img.Bounds().Size()
	k, side, colours, between := max(repeated, 1), mostSide, mostColours, mostBetween // of pixels that are squares
	if k == 1 {
		side, colours, between = mostOwn, mostNative, mostSoft
	}
	if w, h := size.X/k, size.Y/k; max(w, h) > side || min(w, h) < leastSide {
		return false
	}
	g := newGrid(img, k, 0, 0)
	seen := map[uint64]bool{}
	for _, key := range g.keys {
		if seen[key] = true; len(seen) > colours {
			return false
		}
	}
	if k == 1 && max(g.w, g.h) > mostDense {
		equal := 0
		for i, key := range g.keys[1:] {
			if key == g.keys[i] {
				equal++
			}
		}
		if float64(equal) < leastEqual*float64(len(g.keys)) || !measure.IsDrawing(measure.Parts(img)) {
			return false
		}
	}
	if len(seen) > mostNative {
		between = mostSoft
	}
	steps, changes := g.countSteps()
	return len(seen) > 1 && leastEach*len(seen) <= len(g.keys) && float64(steps) <= between*float64(changes)
}

// countSteps returns changes, how many pixels differ from the pixel at the left, plus how many differ from the pixel
// above; and steps, how many of the changes are at a pixel between two distant colours: see isBetween. Changes within a
// straight edge are not counted, since no drawing has steps there. Pixels beyond the border equal the nearest pixel.
func (g grid) countSteps() (steps, changes int) {
	for y := range g.h {
		for x := range g.w {
			for _, d := range [2]image.Point{{X: 1}, {Y: 1}} {
				before, here, next := g.at(x-d.X, y-d.Y), y*g.w+x, g.at(x+d.X, y+d.Y)
				k, side := g.keys, image.Pt(d.Y, d.X) // side: to the pixels beside here and beside before
				one, other := k[g.at(x+side.X, y+side.Y)], k[g.at(x-side.X, y-side.Y)]
				oneBefore, otherBefore := k[g.at(x-d.X+side.X, y-d.Y+side.Y)], k[g.at(x-d.X-side.X, y-d.Y-side.Y)]
				if k[before] == k[here] || one == k[here] && other == k[here] && oneBefore == k[before] &&
					otherBefore == k[before] {
					continue
				}
				if changes++; g.isBetween(before, here, next) {
					steps++
				}
			}
		}
	}
	return steps, changes
}

// isBetween reports whether in each channel pixel b lies between pixels a and c, and in at least one channel differs by
// near or more from both, while a and c differ by far or more. It is false if one of the pixels is invisible.
func (g grid) isBetween(a, b, c int) bool {
	const far, near = 48, 8 // in levels, 0 to 255
	if g.keys[a] == hidden || g.keys[b] == hidden || g.keys[c] == hidden {
		return false
	}
	size, isFar := max(g.bytes/4, 1), false // bytes of a sample, in pixels of 1, 4 or 8 bytes
	if g.bytes == 2 {                       // grey of 16 bits
		size = 2
	}
	for i := 0; i < g.bytes; i += size { // with 16 bits a sample, the upper 8
		low, here, high := int(g.pix[a*g.bytes+i]), int(g.pix[b*g.bytes+i]), int(g.pix[c*g.bytes+i])
		if low > high {
			low, high = high, low
		}
		if here < low || here > high {
			return false
		}
		isFar = isFar || high-low >= far && here-low >= near && high-here >= near
	}
	return isFar
}
