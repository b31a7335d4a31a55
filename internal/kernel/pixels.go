package kernel

import "math"

// AddPixels adds to a row of an enlargement what the last layer of a network finds for it,
// limited for each sample of the picture: a sample x has the pixels x·scale .. x·scale+scale−1,
//
//	v = was[p] + ((sums[x·step+k] + sums[(x+1)·step+outputs+k]) + sums[(x+2)·step+2·outputs+k])
//	dst[p] = min(max(v, least[x·stride]), most[x·stride]),   p = x·scale+k
//
// so that in sums, with step numbers from one column to the next, a column has what it adds to
// the sample on its right, then what it adds to its own, then to the one on its left. There are
// len(dst)/scale samples, scale is 2 to 4, stride 0 or 1. dst may be was.
func AddPixels(dst, was, sums []float32, scale, step, outputs int, least, most []float32, stride int) {
	n := len(dst) / scale
	if n == 0 {
		return
	}
	if scale < 2 || scale > 4 || stride < 0 || stride > 1 || step < 0 || outputs < 0 {
		panic("kernel: a scale, stride or step that there is none of")
	}
	_, _, _, _ = was[n*scale-1], sums[(n+1)*step+2*outputs+scale-1], least[(n-1)*stride], most[(n-1)*stride]
	addPixels(dst, was, sums, n, scale, step, outputs, least, most, stride)
}

func addPixelsGeneric(dst, was, sums []float32, n, scale, step, outputs int, least, most []float32, stride int) {
	own, next := step+outputs, 2*(step+outputs)
	p := 0
	for x := range n {
		lo, hi := least[x*stride], most[x*stride]
		for k := x * step; k < x*step+scale; k++ {
			v := was[p] + ((sums[k] + sums[own+k]) + sums[next+k])
			if !(v > lo) {
				v = lo
			}
			if v > hi {
				v = hi
			}
			dst[p] = v
			p++
		}
	}
}

// Ties finds where three of 3×3 samples have the least of their values, or the greatest. It
// sets least[x] to that of row[x .. x+2] and of as many of the rows above and below if three of
// the nine have it, else to −Inf, most[x] to the greatest likewise, else to +Inf. The rows have
// two samples more than least and most. No sample is negative; Missing stands for one that there
// is not, but never for the one in the middle.
func Ties(least, most, above, row, below []float32) {
	n := len(least)
	_, _, _ = above[n+1], row[n+1], below[n+1]
	if n > 0 {
		_ = most[n-1]
	}
	whole := n / tiesTogether * tiesTogether
	if whole > 0 {
		ties(least[:whole], most, above, row, below)
	}
	tiesGeneric(least[whole:], most[whole:n], above[whole:], row[whole:], below[whole:])
}

// Missing is no sample: −0. Its bits are more than those of all samples, and less if they are
// taken for a number with a sign.
var Missing = float32(math.Copysign(0, -1))

// tiesTogether is how many samples assembly takes at a time.
const tiesTogether = 8

func tiesGeneric(least, most, above, row, below []float32) {
	if len(least) == 0 {
		return
	}
	a, b := columnOf(above[0], row[0], below[0]), columnOf(above[1], row[1], below[1])
	for x := range least {
		c := columnOf(above[x+2], row[x+2], below[x+2])
		lo, hi := min(a.lo, b.lo, c.lo), max(a.hi, b.hi, c.hi)
		los := same(a.lo, lo)*a.los + same(b.lo, lo)*b.los + same(c.lo, lo)*c.los
		his := same(a.hi, hi)*a.his + same(b.hi, hi)*b.his + same(c.hi, hi)*c.his
		least[x], most[x] = lowest, highest
		if los > 2 {
			least[x] = math.Float32frombits(lo)
		}
		if his > 2 {
			most[x] = math.Float32frombits(uint32(hi))
		}
		a, b = b, c
	}
}

var lowest, highest = float32(math.Inf(-1)), float32(math.Inf(1))

// column are the least and the greatest of three samples, as bits, and how many have them.
type column struct {
	lo       uint32
	hi       int32
	los, his uint8
}

func columnOf(u, v, w float32) column {
	a, b, c := math.Float32bits(u), math.Float32bits(v), math.Float32bits(w)
	lo, hi := min(a, b, c), max(int32(a), int32(b), int32(c))
	return column{lo, hi, same(a, lo) + same(b, lo) + same(c, lo), same(int32(a), hi) + same(int32(b), hi) + same(int32(c), hi)}
}

func same[T uint32 | int32](a, b T) uint8 {
	if a == b {
		return 1
	}
	return 0
}
