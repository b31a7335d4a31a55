package sequence

import (
	"cmp"
	"image/color"
	"math"
	"slices"
)

// A GIF has up to 255 colours and a transparent colour. The colours are chosen once, weighted by how often each
// occurs in the changed rectangles of the frames, so that a colour of the animation looks the same in all frames:
//
//	cells  of 4³ levels, each with its mean colour and its number of pixels
//	split  the box of cells with the largest squared error, at its mean, along the axis where
//	       it varies most, until there are 255 boxes (after Wu, Graphics Gems II, 1991)
//	move   each of the 255 colours to the mean of the cells nearest to it; repeat (Lloyd)
//	snap   a colour to the exact colour of most of its pixels, if one exists, so that areas of
//	       one colour keep it
//
// An animation of up to 255 colours keeps them all.

const (
	mostColours = 255
	cellBits    = 6 // bits of a sample that choose its cell
)

// bin holds the statistics of the colours in a cell.
type bin struct {
	n    int64    // number of pixels
	sum  [3]int64 // sums of red, green and blue over the pixels
	most uint32   // the colour of more than half of the pixels, if there is one, by the vote of Boyer and Moore
	lead int64    // the counter of the vote
}

// counts is the histogram of the colours of an animation.
type counts struct {
	exact map[uint32]bool // all colours so far; nil if more than mostColours
	bins  []bin
}

// add counts a pixel of the colour r, g, b in its cell, and notes the colour in c.exact, unless that is full. The vote
// of Boyer and Moore finds the colour (most) of more than half of the pixels of the cell, if there is one.
func (c *counts) add(r, g, b uint8) {
	const drop = 8 - cellBits
	one := &c.bins[int(r)>>drop<<(2*cellBits)|int(g)>>drop<<cellBits|int(b)>>drop]
	key := uint32(r)<<16 | uint32(g)<<8 | uint32(b)
	if c.exact != nil && (one.n == 0 || one.most != key) { // one.most is in exact already
		if c.exact[key] = true; len(c.exact) > mostColours {
			c.exact = nil
		}
	}
	one.n++
	one.sum[0] += int64(r)
	one.sum[1] += int64(g)
	one.sum[2] += int64(b)
	switch {
	case one.lead == 0:
		one.most, one.lead = key, 1
	case one.most == key:
		one.lead++
	default:
		one.lead--
	}
}

// spot is a cell at its mean colour, or a colour of the palette; n is its number of pixels. Levels are 0 to 255.
type spot struct {
	at [3]float64
	n  float64
	*bin
}

// palette returns at most mostColours colours, chosen as described at the top of this file, ordered by sortColours.
func (c *counts) palette() []color.NRGBA {
	if c.exact != nil {
		var list []color.NRGBA
		for key := range c.exact {
			list = append(list, colourOf(key))
		}
		return sortColours(list)
	}
	var cells []spot
	for i := range c.bins {
		if b := &c.bins[i]; b.n > 0 {
			n := float64(b.n)
			cells = append(cells, spot{[3]float64{float64(b.sum[0]) / n, float64(b.sum[1]) / n, float64(b.sum[2]) / n},
				n, b})
		}
	}
	centres := splitCells(cells)
	const rounds = 6 // of Lloyd's method
	var own []int
	for range rounds {
		own = assignCells(cells, centres)
		moveCentres(cells, own, centres)
	}
	return sortColours(snapCentres(cells, own, centres))
}

func colourOf(key uint32) color.NRGBA {
	return color.NRGBA{R: uint8(key >> 16), G: uint8(key >> 8), B: uint8(key), A: 255}
}

// sortColours sorts colours by the sum of their samples, and drops duplicates.
func sortColours(list []color.NRGBA) []color.NRGBA {
	slices.SortFunc(list, func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(int(a.R)+int(a.G)+int(a.B), int(b.R)+int(b.G)+int(b.B)), cmp.Compare(a.R, b.R),
			cmp.Compare(a.G, b.G))
	})
	return slices.Compact(list)
}

// box is a set of cells, with the axis (red, green or blue) along which they vary most, and their squared error.
type box struct {
	cells []spot
	axis  int
	mean  [3]float64
	error float64
}

// newBox returns the box of cells, with its mean colour, its squared error and the axis of the largest error.
func newBox(cells []spot) box {
	b := box{cells: cells}
	var n float64
	for _, s := range cells {
		n += s.n
		for i, v := range s.at {
			b.mean[i] += float64(s.n * v) // a rounded product: see distance
		}
	}
	var spread [3]float64
	for i := range b.mean {
		b.mean[i] /= n
	}
	for _, s := range cells {
		for i, v := range s.at {
			spread[i] += float64(s.n * (v - b.mean[i]) * (v - b.mean[i]))
		}
	}
	for i, v := range spread {
		b.error += v
		if v > spread[b.axis] {
			b.axis = i
		}
	}
	return b
}

// splitCells divides cells into at most mostColours boxes of similar colours, and returns the mean colour of each. It
// splits the box with the largest error, again and again, at the mean of the axis that newBox chose. It reorders cells.
func splitCells(cells []spot) []spot {
	boxes := []box{newBox(cells)}
	for len(boxes) < min(mostColours, len(cells)) {
		worst := 0
		for i, b := range boxes {
			if b.error > boxes[worst].error {
				worst = i
			}
		}
		b := boxes[worst]
		at := 0
		for i, s := range b.cells {
			if s.at[b.axis] < b.mean[b.axis] {
				b.cells[at], b.cells[i] = s, b.cells[at]
				at++
			}
		}
		if at == 0 || at == len(b.cells) {
			break // every box contains a single colour
		}
		boxes[worst] = newBox(b.cells[:at])
		boxes = append(boxes, newBox(b.cells[at:]))
	}
	var list []spot
	for _, b := range boxes {
		list = append(list, spot{at: b.mean})
	}
	return list
}

// assignCells returns, for every cell, the index of the nearest centre.
func assignCells(cells, centres []spot) []int {
	own := make([]int, len(cells))
	for i, s := range cells {
		least := math.Inf(1)
		for k := range centres {
			if d := distance(&s.at, &centres[k].at); d < least {
				least, own[i] = d, k
			}
		}
	}
	return own
}

// distance returns the squared distance between two colours. Each product is rounded, so that all processors agree.
func distance(a, b *[3]float64) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return float64(x*x) + float64(y*y) + float64(z*z)
}

// moveCentres moves each centre to the mean of the cells assigned to it: own[i] is the index of the centre of cells[i].
func moveCentres(cells []spot, own []int, centres []spot) {
	sums := make([]spot, len(centres))
	for i, s := range cells {
		to := &sums[own[i]]
		to.n += s.n
		for k, v := range s.at {
			to.at[k] += float64(s.n * v)
		}
	}
	for k, s := range sums {
		if s.n > 0 {
			centres[k].n = s.n
			for i := range s.at {
				centres[k].at[i] = s.at[i] / s.n
			}
		}
	}
}

// snapCentres returns the colours of the centres. If the vote in a cell proves that one colour has more than half of
// the pixels of a centre, the centre gets it, else its own, rounded. own[i] is the index of the centre of cells[i].
func snapCentres(cells []spot, own []int, centres []spot) []color.NRGBA {
	best := make([]*bin, len(centres))
	for i, s := range cells {
		if b := best[own[i]]; b == nil || s.lead > b.lead {
			best[own[i]] = s.bin
		}
	}
	list := make([]color.NRGBA, len(centres))
	for k, c := range centres {
		if b := best[k]; b != nil && 2*float64(b.lead) > c.n {
			list[k] = colourOf(b.most)
			continue
		}
		round := func(v float64) uint8 { return uint8(min(max(math.Round(v), 0), 255)) }
		list[k] = color.NRGBA{R: round(c.at[0]), G: round(c.at[1]), B: round(c.at[2]), A: 255}
	}
	return list
}

// mapping finds the palette colour nearest to a given colour, and remembers recent results.
//
// Note: it does not dither. Ordered dithering, which does not flicker either, made enlarged photographs 2 dB worse and
// their files a fifth larger, and looked no better.
type mapping struct {
	palette []color.NRGBA
	known   []mapped
}

// mapped is a colour and the index of its nearest palette colour.
type mapped struct {
	key   uint32 // 1<<24 | red<<16 | green<<8 | blue; 0: the entry is empty
	index uint8
}

const knownBits = 16 // mapping.known has 1<<knownBits entries

// index returns the index of the palette colour nearest to r, g, b, and keeps it in m.known, where key 0 is empty.
func (m *mapping) index(r, g, b uint8) uint8 {
	key := 1<<24 | uint32(r)<<16 | uint32(g)<<8 | uint32(b)
	e := &m.known[key*0x9e3779b1>>(32-knownBits)] // hashed by multiplication; a new colour replaces an old one
	if e.key == key {
		return e.index
	}
	e.key = key
	least := math.MaxInt
	for i, c := range m.palette {
		x, y, z := int(r)-int(c.R), int(g)-int(c.G), int(b)-int(c.B)
		if d := x*x + y*y + z*z; d < least {
			least, e.index = d, uint8(i)
		}
	}
	return e.index
}
