package measure

import (
	"image"
	"slices"

	"superres/patches/plane"
)

// In what was drawn pixel by pixel, such as pixel art, charts, codes of squares, letters and ordered dithering, edges
// go on straight between the same two colours, and the same few samples stand side by side again and again. Neither is
// so in a photograph, in few colours or many, with dithering by error diffusion or without.
//
// Of the single samples of 237 drawings of these kinds, of 12 to 160 pixels a side, and of 96 photographs of 60 to 320
// in 8 to 64 colours, the limits of EstimatePalette alone take 67 drawings for photographs; with those here IsDrawing
// takes 15, mostly smooth maps of heat and ordered dithering without lines, and two photographs for drawings. A
// drawing that is taken for a photograph loses 7 dB and more, a photograph that is taken for a drawing 0.4 to 2. None
// of 22 photographs in all their colours, and in grey, is taken for a drawing.
const (
	// The greatest shares, in a photograph, of edges that go straight on, and of patterns of 5×5 samples that are there
	// three times or more in a window. In pictures whose samples are taken once the share of patterns is at most
	// mostTaken, as more of them are drawings, with ordered dithering, too.
	mostStraight, mostPatterned, mostTaken = 0.3, 0.55, 0.35
	// drawnWindow is the side of the windows of a picture in which patterns are compared, in its middle.
	drawnWindow = 128
	// Where colours are as far apart from those beside them as if all were picked at random, the squared distance of
	// neighbours that differ is twice the variance of the colours, and more. So it is by coarse dithering, too, but
	// there more of them lie between two equal ones.
	leastUnrelated, mostAlternating = 1.65, 0.17
	// mostSprite is the most colours of a picture with transparency that counts as drawn, whatever it looks like.
	mostSprite = 64
	// leastEach is the least number of pixels for each colour of a drawing; photographs in true colour have one or two.
	leastEach = 4
)

// Outlines counts what tells drawings from photographs.
type Outlines struct {
	edges, straight    int64 // neighbours that differ, and those of them that are followed by the same two colours
	patterns, repeated int64 // patterns of 5×5 samples of several colours, and those that are there three times or more
}

// transparent is the key of a pixel of which nothing is visible.
const transparent = -1

// key returns the colour of pixel i in 24 bits, or transparent.
func (p Area) key(i int) int32 {
	if p.Alpha != nil && p.Alpha.Pix[i] == 0 {
		return transparent
	}
	key := level(p.Channels[0].Pix[i])
	if len(p.Channels) < 3 {
		return key * (1<<16 | 1<<8 | 1)
	}
	return key<<16 | level(p.Channels[1].Pix[i])<<8 | level(p.Channels[2].Pix[i])
}

// keys returns the keys of all pixels.
func (p Area) keys() []int32 {
	keys := make([]int32, len(p.Channels[0].Pix))
	for i := range keys {
		keys[i] = p.key(i)
	}
	return keys
}

// middleOf returns the window in the middle of a picture of w×h pixels.
func middleOf(w, h int) image.Rectangle {
	x, y := max(0, w-drawnWindow)/2, max(0, h-drawnWindow)/2
	return image.Rect(x, y, min(w, x+drawnWindow), min(h, y+drawnWindow))
}

// Add counts a window of a picture.
func (o *Outlines) Add(p Area, window image.Rectangle) {
	o.add(p.keys(), p.Channels[0].W, window)
}

// add counts a window of a picture of w pixels a row with the colours keys.
func (o *Outlines) add(keys []int32, w int, window image.Rectangle) {
	addEdge := func(at, across, along int) {
		a, b := keys[at], keys[at+across]
		if a == b {
			return
		}
		o.edges++
		if keys[at+along] == a && keys[at+across+along] == b {
			o.straight++
		}
	}
	// Patterns with the same hash are compared, if there are enough of them for one to be there often enough.
	const side, often = 5, 3
	type place struct {
		at   int
		hash uint32
	}
	var places []place // of patterns of several colours
	var alike [1 << 15]uint8
	for y := window.Min.Y; y <= window.Max.Y-side; y++ {
		for x := window.Min.X; x <= window.Max.X-side; x++ {
			at := y*w + x
			addEdge(at, 1, w)
			addEdge(at, w, 1)
			hash, isPlain := uint32(0), true
			for i := range side {
				for _, key := range keys[at+i*w:][:side] {
					hash = hash*0x9e3779b1 + uint32(key)
					isPlain = isPlain && key == keys[at]
				}
			}
			if hash >>= 17; !isPlain {
				places = append(places, place{at, hash})
				alike[hash] = min(alike[hash]+1, often)
			}
		}
	}
	o.patterns += int64(len(places))
	counts := map[[side * side]int32]int64{}
	for _, p := range places {
		if alike[p.hash] < often {
			continue
		}
		var pattern [side * side]int32
		for i := range pattern {
			pattern[i] = keys[p.at+i/side*w+i%side]
		}
		counts[pattern]++
	}
	for _, n := range counts {
		if n >= often {
			o.repeated += n
		}
	}
}

// Join adds what another has counted.
func (o *Outlines) Join(other Outlines) {
	o.edges, o.straight = o.edges+other.edges, o.straight+other.straight
	o.patterns, o.repeated = o.patterns+other.patterns, o.repeated+other.repeated
}

// AreDrawn reports whether the outlines come from a drawing.
func (o Outlines) AreDrawn() bool { return o.areDrawn(mostPatterned) }

// areDrawn reports whether the outlines come from a drawing, of which the share of repeated patterns is more than
// patterned, if its edges do not tell.
func (o Outlines) areDrawn(patterned float64) bool {
	if o.edges == 0 || o.patterns == 0 {
		return false
	}
	straight, repeated := float64(o.straight)/float64(o.edges), float64(o.repeated)/float64(o.patterns)
	return straight > mostStraight || repeated > patterned
}

// IsDrawing reports whether a picture with the parts shown, whose samples have been taken once, was drawn pixel by
// pixel: pixel art, a chart or a code of squares. A photograph, in few colours too, is none.
func IsDrawing(shown []Area) bool {
	p := palette{numbers: map[int32]int{}}
	isFew := !slices.ContainsFunc(shown, func(part Area) bool { return !p.add(part) })
	if isFew && (p.isSmallSprite() || p.pixels >= int64(leastEach*len(p.colours))) {
		return p.isDrawn(mostTaken)
	}
	var o Outlines
	for _, part := range shown {
		o.Add(part, middleOf(part.Channels[0].W, part.Channels[0].H))
	}
	return o.areDrawn(mostTaken)
}

// CountEqual returns how many neighbours in a part of a picture are equal, across and down, and how many there are.
func CountEqual(channels []*plane.Plane, part image.Rectangle) (equal, pairs int64) {
	count := func(x, y, dx, dy int) {
		for _, c := range channels {
			if c.Row(y)[x] != c.Row(y + dy)[x+dx] {
				return
			}
		}
		equal++
	}
	for y := part.Min.Y; y < part.Max.Y-1; y++ {
		for x := part.Min.X; x < part.Max.X-1; x++ {
			count(x, y, 1, 0)
			count(x, y, 0, 1)
			pairs += 2
		}
	}
	return equal, pairs
}
