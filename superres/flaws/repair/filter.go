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
	grid    = 32 // frequencies along a side, by which taps are computed
)

type taps [][]int64

// reach returns how far the filter reaches, in samples.
func (t taps) reach() int { return len(t) - 1 }

// countOf returns how many taps of a filter equal the one x samples across and y down from its middle.
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

// turnsOf returns the cosines of the n parts of a whole turn, times 2¹⁴.
func turnsOf(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(math.Round(elementary.Cos(2*math.Pi*float64(i)/float64(n)) * (1 << 14)))
	}
	return list
}

// newTaps returns the taps of a filter from its gains at frequencies of 0/n, 1/n, … ½ cycles a sample across and down,
// in steps of 2⁻²⁰.
func newTaps(reach, n int, gain func(u, v int) int64) (t taps) {
	turns := turnsOf(n)
	across := make([][]int64, n) // of each row of frequencies, the taps across, in steps of 2⁻²⁰
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
	// What is missing of the mean goes to all taps alike, so that it changes no frequency but the lowest.
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

// rowsEach is how many rows repaint has painted at a time.
const rowsEach = 64

func brightness(p picture.Picture) []*plane.Plane { return []*plane.Plane{p.Luma()} }

// repaint returns a picture of the kind and the size of img, whose rows paint paints, in new memory. paint is called
// concurrently, for the rows [lo, hi).
func repaint(img image.Image, paint func(out *picture.Canvas, lo, hi int)) image.Image {
	size := img.Bounds().Size()
	out := picture.NewCanvas(size.X, size.Y, picture.IsGrey(img), picture.IsDeep(img))
	parallel.Rows((size.Y+rowsEach-1)/rowsEach, func(i int) {
		paint(out, i*rowsEach, min((i+1)*rowsEach, size.Y))
	})
	return out.Image
}

// paintRow paints row y with the samples of its channels, grey or red, green and blue.
func paintRow(out *picture.Canvas, y int, channels [][]float32) {
	if len(channels) == 1 {
		out.Put(y, 0, channels[0])
	} else {
		out.RGB(y, channels[0], channels[1], channels[2])
	}
}

// filter paints the rows [lo, hi) of img. It filters the planes that listPlanes takes from the picture: one for each
// channel, or one for all, to which what that changes is added alike.
func (t taps) filter(out *picture.Canvas, img image.Image, lo, hi int,
	listPlanes func(picture.Picture) []*plane.Plane) {
	h := img.Bounds().Dy()
	from := max(lo-t.reach(), 0)
	p := picture.SplitRows(plane.New, img, true, from, min(hi+t.reach(), h))
	var changes []func(y int) []float32
	for _, one := range listPlanes(p) {
		changes = append(changes, t.newChange(one, from, h))
	}
	for y := lo; y < hi; y++ {
		var add []float32
		var painted [][]float32
		for i, channel := range p.Channels {
			if i < len(changes) {
				add = changes[i](y)
			}
			row := channel.Row(y - from)
			kernel.AddFloats(row, row, add)
			painted = append(painted, row)
		}
		paintRow(out, y, painted)
	}
}

// newChange returns what t adds to row y of a picture of h rows, of which p has those from row from on. The result is
// good until the next call.
func (t taps) newChange(p *plane.Plane, from, h int) func(y int) []float32 {
	w, reach := p.W, t.reach()
	padded := w + 2*reach
	rows := make([]float32, padded*p.H) // each row mirrored at its ends
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

// parts returns the taps, less the one that leaves a picture as it is, as kernel.Combine takes them, for rows of padded
// samples: the row itself, then the sums of those 1, 2, … above and below.
func (t taps) parts(padded int) (at []int, weights []float32) {
	reach := t.reach()
	for dy, row := range t {
		for dx := -reach; dx <= reach; dx++ {
			v := row[max(dx, -dx)]
			if dx == 0 && dy == 0 {
				v -= 1 << tapBits
			}
			at, weights = append(at, dy*padded+reach+dx), append(weights, float32(v)/(1<<tapBits))
		}
	}
	return at, weights
}

// mirror returns the sample of n that stands for sample i, beyond the ends too: …1 0 0 1 … n−1 n−1 n−2….
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
