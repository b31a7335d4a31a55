package measure

import (
	"image"
	"slices"

	"superres/patches/plane"
)

// In pictures drawn pixel by pixel, such as pixel art, charts, QR codes, letters and ordered dithering, edges run
// straight between the same two colours, and the same patterns of a few samples recur again and again. In photographs
// this is rare, even in few colours and with dithering by error diffusion.
//
// To choose the limits, 237 drawings of these kinds, of 12 to 160 pixels a side, and 96 photographs of 60 to 320 pixels
// a side in 8 to 64 colours were enlarged by repetition, and one of each square of repeated samples was kept. The
// limits of EstimatePalette alone take 67 drawings for photographs. With the limits here, IsDrawing takes 15 drawings
// for photographs, mostly smooth heat maps and ordered dithering without lines, and two photographs for drawings. A
// drawing taken for a photograph loses 7 dB and more, a photograph taken for a drawing 0.4 to 2. None of 22 photographs
// in all their colours, and in grey, is taken for a drawing.
const (
	// The greatest shares, in a photograph, of edges that run straight, and of patterns of 5×5 samples that occur three
	// times or more in a window. IsDrawing takes mostTaken for the share of patterns: it judges pictures from which
	// repeated samples were removed, and more of these are drawings, also with ordered dithering.
	mostStraight, mostPatterned, mostTaken = 0.3, 0.55, 0.35
	// drawnWindow is the side of the window, in the middle of a picture, in which patterns are compared.
	drawnWindow = 128
	// In a drawing, the mean squared distance of neighbours that differ may be leastUnrelated times the variance of the
	// colours or more: it is twice that variance if all colours were picked at random. In coarse dithering it is, too,
	// but there more than mostAlternating of the pixels that differ from a neighbour lie between two equal ones.
	leastUnrelated, mostAlternating = 1.65, 0.17
	// A picture with transparency and at most mostSprite colours counts as drawn, no matter how it looks.
	mostSprite = 64
	// leastEach is the least number of pixels for each colour of a drawing; photographs in true colour have one or two.
	leastEach = 4
)

// Outlines holds the counts that tell drawings from photographs.
type Outlines struct {
	edges, straight    int64 // pairs of neighbours that differ; how many of them have an equal pair beside them
	patterns, repeated int64 // patterns of 5×5 samples, not all equal, and how many of them occur three times or more
}

// transparent is the key of an invisible pixel.
const transparent = -1

// key returns the colour of pixel i in 24 bits, with red in the upper 8, or transparent.
func (p Area) key(i int) int32 {
	if p.Alpha != nil && p.Alpha.Pix[i] == 0 {
		return transparent
	}
	return level(p.Channels[0].Pix[i])<<16 | level(p.Channels[1].Pix[i])<<8 | level(p.Channels[2].Pix[i])
}

// keys returns Area.key of all pixels.
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

// Add adds the edges and patterns in a window of p to the counts.
func (o *Outlines) Add(p Area, window image.Rectangle) {
	o.add(p.keys(), p.Channels[0].W, window)
}

// add counts the edges and patterns in a window of a picture in o. keys holds the keys of all pixels, w in a row.
func (o *Outlines) add(keys []int32, w int, window image.Rectangle) {
	const side, often = 5, 3
	addEdge := func(at, across, along int) { // of the pair at and at+across; the next pair is along entries on
		a, b := keys[at], keys[at+across]
		if a == b {
			return
		}
		o.edges++
		if keys[at+along] == a && keys[at+across+along] == b {
			o.straight++
		}
	}
	// Only patterns with a hash that occurs often enough are compared.
	hashes := make([]uint32, len(keys)) // of side keys in a row; of the whole pattern once it was visited
	for i := 0; i <= len(keys)-side; i++ {
		for _, key := range keys[i:][:side] {
			hashes[i] = hashes[i]*0x9e3779b1 + uint32(key)
		}
	}
	places := make([]int32, 0, window.Dx()*window.Dy()) // first pixels of the patterns of several colours
	var alike [1 << 15]uint8                            // how many patterns have this hash of 15 bits, at most often
	for y := window.Min.Y; y <= window.Max.Y-side; y++ {
		for x := window.Min.X; x <= window.Max.X-side; x++ {
			at := y*w + x
			addEdge(at, 1, w)
			addEdge(at, w, 1)
			hash, isPlain := uint32(0), slices.Equal(keys[at:][:side-1], keys[at+1:][:side-1])
			for i := range side {
				hash = hash*0x85ebca6b + hashes[at+i*w]
				isPlain = isPlain && slices.Equal(keys[at:][:side], keys[at+i*w:][:side])
			}
			if hash >>= 17; !isPlain {
				places = append(places, int32(at))
				hashes[at], alike[hash] = hash, min(alike[hash]+1, often)
			}
		}
	}
	o.patterns += int64(len(places))
	counts := map[[side * side]int32]int64{}
	for _, at := range places {
		if alike[hashes[at]] < often {
			continue
		}
		var pattern [side * side]int32
		for i := range pattern {
			pattern[i] = keys[int(at)+i/side*w+i%side]
		}
		counts[pattern]++
	}
	for _, n := range counts {
		if n >= often {
			o.repeated += n
		}
	}
}

// Join adds the counts of other to o.
func (o *Outlines) Join(other Outlines) {
	o.edges, o.straight = o.edges+other.edges, o.straight+other.straight
	o.patterns, o.repeated = o.patterns+other.patterns, o.repeated+other.repeated
}

// AreDrawn reports whether the counts come from a drawing, not a photograph.
func (o Outlines) AreDrawn() bool { return o.areDrawn(mostPatterned) }

// areDrawn reports whether the counts come from a drawing: the share of straight edges exceeds mostStraight, or the
// share of patterns that occur three times or more exceeds patterned. It is false for a picture of one colour.
func (o Outlines) areDrawn(patterned float64) bool {
	if o.edges == 0 || o.patterns == 0 {
		return false
	}
	straight, repeated := float64(o.straight)/float64(o.edges), float64(o.repeated)/float64(o.patterns)
	return straight > mostStraight || repeated > patterned
}

// IsDrawing reports whether a picture was drawn pixel by pixel, such as pixel art, a chart or a QR code. parts are the
// results of Parts for the picture, once its repeated samples are removed. Outlines decide and, if the picture has few
// colours (mostColours, leastEach), also the other signs of palette.isDrawn.
func IsDrawing(parts []Area) bool {
	p := palette{numbers: map[int32]int{}}
	isFew := !slices.ContainsFunc(parts, func(part Area) bool { return !p.add(part) })
	if isFew && (p.isSmallSprite() || p.pixels >= int64(leastEach*len(p.colours))) {
		return p.isDrawn(mostTaken)
	}
	var o Outlines
	for _, part := range parts {
		o.Add(part, middleOf(part.Channels[0].W, part.Channels[0].H))
	}
	return o.areDrawn(mostTaken)
}

// CountEqual counts the pairs of a pixel of channels in part and its right or lower neighbour: the equal pairs, and
// all. The pixels in the last row and the last column of part count only as neighbours.
func CountEqual(channels []*plane.Plane, part image.Rectangle) (equal, pairs int64) {
	w := channels[0].W
	// count counts the pair of pixels at and at+step, equal in the first channel, if they are equal in all others.
	count := func(at, step int) {
		for _, c := range channels[1:] {
			if c.Pix[at] != c.Pix[at+step] {
				return
			}
		}
		equal++
	}
	for y := part.Min.Y; y < part.Max.Y-1; y++ {
		row, below := channels[0].Row(y)[:part.Max.X], channels[0].Row(y + 1)[:part.Max.X]
		for x := part.Min.X; x < part.Max.X-1; x++ {
			if row[x] == row[x+1] {
				count(y*w+x, 1)
			}
			if row[x] == below[x] {
				count(y*w+x, w)
			}
		}
	}
	return equal, 2 * int64(max(part.Dx()-1, 0)*max(part.Dy()-1, 0))
}
