package repair

import (
	"image"
	"math"

	"superres/internal/elementary"
	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// A correction is a filter of (2·reach + 1)² taps, in steps of 2⁻¹⁴, the same in all four quadrants.
const (
	reach   = 7
	tapBits = 14
	grid    = 32 // number of frequencies along a side from which taps are computed
)

type taps [][]int64

// reach returns how far the filter reaches, in samples.
func (t taps) reach() int { return len(t) - 1 }

// countOf returns how many taps of a filter equal, by symmetry, the tap x samples across and y down from its middle.
func countOf(x, y int) int64 {
	count := int64(1)
	if x > 0 {
		count *= 2
	}
	if y > 0 {
		count *= 2
	}
	return count
}

// turnsOf returns the cosines of 0/n, 1/n, … (n − 1)/n of a full turn, times 2¹⁴.
func turnsOf(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(math.Round(elementary.Cos(2*math.Pi*float64(i)/float64(n)) * (1 << 14)))
	}
	return list
}

// newTaps returns the taps of a symmetric filter: t[y][x] for x across and y down from its middle, each 0 to reach.
// gain returns its gain, in steps of 2⁻²⁰, at u/n cycles a sample across and v/n down, each 0 to ½.
func newTaps(reach, n int, gain func(u, v int) int64) (t taps) {
	turns := turnsOf(n)          // cosines of a full turn, times 2¹⁴
	across := make([][]int64, n) // for each row of frequencies, the taps across, in steps of 2⁻²⁰
	gains := make([]int64, n)
	for v := range across {
		for u := range gains {
			gains[u] = gain(min(u, n-u), min(v, n-v))
		}
		across[v] = make([]int64, reach+1)
		for x := range across[v] {
			sum := int64(0)
			for u, g := range gains {
				sum += g * turns[u*x%n]
			}
			across[v][x] = sum / (int64(n) << 14)
		}
	}
	total := int64(0)
	for y := range reach + 1 {
		t = append(t, make([]int64, reach+1))
		for x := range t[y] {
			sum := int64(0)
			for v := range n {
				sum += across[v][x] * turns[v*y%n]
			}
			t[y][x] = sum / (int64(n) << 14) >> (20 - tapBits)
			total += countOf(x, y) * t[y][x]
		}
	}
	// The taps must sum to 1. The rest is spread evenly over all taps, so that only the lowest frequency changes.
	width := int64(2*reach + 1)
	each := (1<<tapBits - total) / (width * width)
	for y := range t {
		for x := range t[y] {
			t[y][x] += each
		}
	}
	t[0][0] += 1<<tapBits - total - each*width*width
	return t
}

// rowsEach is how many rows one call of paint in repaint paints.
const rowsEach = 64

func brightness(p picture.Picture) []*plane.Plane { return []*plane.Plane{p.Luma()} }

// repaint returns a new picture with the size and the type of samples of img. Concurrent calls of paint, which each
// paint the rows [lo, hi) into out, cover all rows.
func repaint(img image.Image, paint func(out *picture.Canvas, lo, hi int)) image.Image {
	size := img.Bounds().Size()
	out := picture.NewCanvas(size.X, size.Y, picture.IsGrey(img), picture.IsDeep(img))
	parallel.Rows((size.Y+rowsEach-1)/rowsEach, func(i int) {
		paint(out, i*rowsEach, min((i+1)*rowsEach, size.Y))
	})
	return out.Image
}

// paintRow sets row y of out to the samples of the given channels: one for grey, or red, green and blue.
func paintRow(out *picture.Canvas, y int, channels [][]float32) {
	if len(channels) == 1 {
		out.Put(y, 0, channels[0])
	} else {
		out.RGB(y, channels[0], channels[1], channels[2])
	}
}

// filter paints into out the rows [lo, hi) of img, an opaque picture, filtered by t. listPlanes returns the planes that
// are filtered: one for each channel, or a single one, such as the brightness, with changes that all channels get.
func (t taps) filter(out *picture.Canvas, img image.Image, lo, hi int,
	listPlanes func(picture.Picture) []*plane.Plane) {
	h := img.Bounds().Dy()
	from := max(lo-t.reach(), 0)
	p := picture.SplitRows(plane.New, img, true, from, min(hi+t.reach(), h)) // true: img is opaque
	var changes []func(y int) []float32
	for _, one := range listPlanes(p) {
		changes = append(changes, t.newChange(one, from, h))
	}
	for y := lo; y < hi; y++ {
		var add []float32
		var painted [][]float32
		for i, channel := range p.Channels {
			if i < len(changes) { // else the changes of the single plane once more
				add = changes[i](y)
			}
			row := channel.Row(y - from)
			kernel.AddFloats(row, row, add)
			painted = append(painted, row)
		}
		paintRow(out, y, painted)
	}
}

// newChange returns a function that returns the filtered row y of a picture of h rows less the row itself. p holds the
// rows of the picture that are needed, beginning with row from. The function's result is valid until its next call.
func (t taps) newChange(p *plane.Plane, from, h int) func(y int) []float32 {
	w, reach := p.W, t.reach()
	padded := w + 2*reach
	rows := make([]float32, padded*p.H) // each row, extended at both ends by its mirror image
	for y := range p.H {
		row, to := p.Row(y), rows[y*padded:][:padded]
		copy(to[reach:], row)
		for x := range reach {
			to[x], to[padded-1-x] = row[mirror(x-reach, w)], row[mirror(w+reach-1-x, w)]
		}
	}
	rowAt := func(y int) []float32 { return rows[(mirror(y, h)-from)*padded:][:padded] }
	at, weights := t.parts(padded)
	pairs, add := make([]float32, (reach+1)*padded), make([]float32, w)
	return func(y int) []float32 {
		copy(pairs, rowAt(y))
		for dy := 1; dy <= reach; dy++ {
			kernel.AddFloats(pairs[dy*padded:][:padded], rowAt(y-dy), rowAt(y+dy))
		}
		kernel.Combine(add, pairs, at, weights)
		return add
	}
}

// parts returns the taps, less the identity filter, as kernel.Combine takes them, for rows of padded samples, reach
// more at each end: offsets and weights of the row itself, then of the sums of the rows 1, 2, … above and below.
func (t taps) parts(padded int) (at []int, weights []float32) {
	reach := t.reach()
	for dy, row := range t {
		for dx := -reach; dx <= reach; dx++ {
			v := row[max(dx, -dx)] // the filter is symmetric
			if dx == 0 && dy == 0 {
				v -= 1 << tapBits
			}
			at, weights = append(at, dy*padded+reach+dx), append(weights, float32(v)/(1<<tapBits))
		}
	}
	return at, weights
}

// mirror returns the index, below n, for index i where n samples are mirrored at both ends: …1 0 0 1 … n−1 n−1 n−2….
func mirror(i, n int) int {
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}
