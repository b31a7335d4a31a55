package pixelart

import (
	"image"

	"superres/superres/flaws/measure"
)

const (
	// The most colours of pixel art, where all its pixels are enlarged to squares and where they are not, and the least
	// number of its pixels for each colour.
	mostColours, mostNative, leastEach = 256, 64, 6
	// mostSide is the longest side of pixel art in its own pixels, mostOwn that of pixel art that is not enlarged,
	// which charts in few colours are like, and leastSide the shortest.
	mostSide, mostOwn, leastSide = 512, 128, 8
	// mostBetween is the greatest share, among the places where colours change, of those with a step between two
	// colours that are far apart, as antialiasing makes it. Of pictures that are not enlarged, or have more than
	// mostNative colours, as charts with antialiased text that were enlarged to squares, it is mostSoft.
	mostBetween, mostSoft = 0.35, 0.08
	// A picture that is not enlarged, with a side longer than mostDense, has at least leastEqual of its pixels equal to
	// the one before: of small photographs that were dithered to 5 colours 0.54 and 0.56 are, of thirty sprites 0.6. It
	// is a drawing by its outlines, too. Without that, five of 2,000 parts of photographs were taken for pixel art, all
	// dithered, and none of 100 sprites, charts and codes is left out by it.
	mostDense, leastEqual = 48, 0.6
)

// Is reports whether img is pixel art: of few colours with hard edges, and of squares of equal pixels or so small that
// each pixel was set. Photographs, and drawings and text with antialiased edges, are none. repeated is repair.Repeated
// of img.
func Is(img image.Image, repeated int) bool {
	size := img.Bounds().Size()
	k, side, colours, between := max(repeated, 1), mostSide, mostColours, mostBetween
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

// countSteps returns how many pixels differ from the one before, across or down, and how many of these lie, in all
// samples, between that and the next, which differ much. Where an edge goes straight on to both sides it has no steps
// in any drawing, and does not count.
func (g grid) countSteps() (steps, changes int) {
	for y := range g.h {
		for x := range g.w {
			for _, d := range [2]image.Point{{X: 1}, {Y: 1}} {
				before, here, next := g.at(x-d.X, y-d.Y), y*g.w+x, g.at(x+d.X, y+d.Y)
				k, side := g.keys, image.Pt(d.Y, d.X)
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

// isBetween reports whether each sample of pixel b is between those of a and c, one of which is far from the other.
// What cannot be seen is no colour.
func (g grid) isBetween(a, b, c int) bool {
	const far, near = 48, 8 // levels of 255
	if g.keys[a] == hidden || g.keys[b] == hidden || g.keys[c] == hidden {
		return false
	}
	one, isFar := max(g.bytes/4, 1), false
	if g.bytes == 2 {
		one = 2
	}
	for i := 0; i < g.bytes; i += one { // of 16 bits, the first 8
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
