package kernel

import "math"

// Row holds one number for each sample of a row, or a single number for all samples.
type Row struct {
	V    []float32 // V[x·Step] is the number of sample x
	Step int       // 1, or 0 for a single number
}

// AddPixels adds the result of a network to an enlargement. It sets dst to was, a row of the enlargement, plus the
// outputs of the last layer multiplied by share, clipped to the range from least to most. These three numbers may
// differ from sample to sample of the picture. For each k from 0 to scale−1, sample x covers the pixel p = x·scale+k:
//
//	v = was[p] + share[x]·((sums[x·step+k] + sums[(x+1)·step+outputs+k]) + sums[(x+2)·step+2·outputs+k])
//	dst[p] = min(max(v, least[x]), most[x])
//
// sums has step numbers for each column, from the column before sample 0 to the column after the last. In a column,
// three parts begin outputs numbers apart: the first is added to the sample on its right, the second to its own sample,
// the third to the sample on its left. Every product and every sum is rounded. NaN becomes least[x]. There are
// len(dst)/scale samples; scale is 2 to 4. dst may be was.
func AddPixels(dst, was, sums []float32, scale, step, outputs int, share, least, most Row) {
	n := len(dst) / scale
	if n == 0 {
		return
	}
	if scale < 2 || scale > 4 || step < 0 || outputs < 0 {
		panic("kernel: a scale or step that there is none of")
	}
	_, _ = was[n*scale-1], sums[(n+1)*step+2*outputs+scale-1] // panics if too short
	for _, r := range [3]Row{share, least, most} {
		if r.Step < 0 || r.Step > 1 {
			panic("kernel: a row has a number a sample, or one")
		}
		_ = r.V[(n-1)*r.Step] // panics if r has too few numbers
	}
	addPixels(dst, was, sums, n, scale, step, outputs, share.V, share.Step, least.V, least.Step, most.V, most.Step)
}

// addPixelsGeneric is the definition of AddPixels. In sums, the second and third summand are own and next further on.
func addPixelsGeneric(dst, was, sums []float32, n, scale, step, outputs int, share []float32, shareStep int,
	least []float32, leastStep int, most []float32, mostStep int) {
	own, next := step+outputs, 2*(step+outputs)
	p := 0
	for x := range n {
		part, lo, hi := share[x*shareStep], least[x*leastStep], most[x*mostStep]
		for k := x * step; k < x*step+scale; k++ {
			v := was[p] + float32(part*((sums[k]+sums[own+k])+sums[next+k]))
			if !(v > lo) { // or v is NaN
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

// BoundRange sets least[x] and most[x] to the limits of an extended range. If the 3×3 samples x..x+2 of the rows above,
// row and below range from a to b, the limits are a−(b−a) and b+(b−a). Each row has two samples more than least.
func BoundRange(least, most, above, row, below []float32) {
	if whole := boundWhole(least, most, above, row, below, boundRange); whole < len(least) {
		boundRangeGeneric(least[whole:], most[whole:], above[whole:], row[whole:], below[whole:])
	}
}

// boundWhole checks the lengths of the operands of BoundRange and BoundFlatAreas, and calls bound for the largest
// multiple of boundTogether samples, unless that is 0. It returns their number. The caller processes the rest.
func boundWhole(least, most, above, row, below []float32,
	bound func(least, most, above, row, below []float32)) (whole int) {
	n := len(least)
	_, _, _ = above[n+1], row[n+1], below[n+1] // panics if too short
	if n > 0 {
		_ = most[n-1] // panics if too short
	}
	if whole = n / boundTogether * boundTogether; whole > 0 {
		bound(least[:whole], most, above, row, below)
	}
	return whole
}

// boundRangeGeneric is the definition of BoundRange. It keeps extremes of two columns, to read each sample once.
func boundRangeGeneric(least, most, above, row, below []float32) {
	n := len(least)
	most, above, row, below = most[:n], above[:n+2], row[:n+2], below[:n+2]
	lo, hi := min(above[0], row[0], below[0]), max(above[0], row[0], below[0])
	lo1, hi1 := min(above[1], row[1], below[1]), max(above[1], row[1], below[1])
	for x := range least {
		u, v, w := above[x+2], row[x+2], below[x+2]
		lo2, hi2 := min(u, v, w), max(u, v, w)
		a, b := min(lo, lo1, lo2), max(hi, hi1, hi2)
		least[x], most[x] = a-(b-a), b+(b-a)
		lo, hi, lo1, hi1 = lo1, hi1, lo2, hi2
	}
}

// BoundFlatAreas looks at the 3×3 samples x..x+2 of the rows above, row and below. It sets least[x] to their minimum if
// three or more samples have that value, otherwise to −Inf, and most[x] to their maximum if three or more samples have
// that value, otherwise to +Inf. Each row has two samples more than least. No sample may be negative. Missing stands
// for a sample beyond the edge of the picture; the sample in the middle must not be Missing.
func BoundFlatAreas(least, most, above, row, below []float32) {
	if whole := boundWhole(least, most, above, row, below, boundFlatAreas); whole < len(least) {
		boundFlatAreasGeneric(least[whole:], most[whole:], above[whole:], row[whole:], below[whole:])
	}
}

// Missing stands for a missing sample. It is -0: its bits are greater than the bits of all samples if they are read as
// an unsigned number, and less if they are read as a signed number, so it is neither minimum nor maximum.
var Missing = float32(math.Copysign(0, -1))

// boundTogether is the number of samples that the assembly of BoundRange and BoundFlatAreas processes at a time.
const boundTogether = 8

// boundFlatAreasGeneric is the definition of BoundFlatAreas. It keeps two columns, so that it reads each sample once:
// their extremes as bits, lo and hi, and how many samples equal them, los and his.
func boundFlatAreasGeneric(least, most, above, row, below []float32) {
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

// column holds the bits of the minimum and of the maximum of three samples, and how many of the three equal lo, and hi.
type column struct {
	lo       uint32
	hi       int32
	los, his uint8
}

// columnOf returns the column of the samples u, v and w.
func columnOf(u, v, w float32) column {
	a, b, c := math.Float32bits(u), math.Float32bits(v), math.Float32bits(w)
	lo, hi := min(a, b, c), max(int32(a), int32(b), int32(c))
	return column{
		lo, hi, same(a, lo) + same(b, lo) + same(c, lo), same(int32(a), hi) + same(int32(b), hi) + same(int32(c), hi),
	}
}

func same[T uint32 | int32](a, b T) uint8 {
	if a == b {
		return 1
	}
	return 0
}
