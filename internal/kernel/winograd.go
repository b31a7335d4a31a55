package kernel

import (
	"math"
	"runtime"
)

// A layer of 3×3 taps takes fewer products when four samples, of two rows, are made together
// (S. Winograd's F(2×2,3×3); A. Lavin, S. Gray: Fast algorithms for convolutional neural
// networks, CVPR 2016, arXiv:1509.09308): of each 4×4 samples d and of the taps g,
//
//	Aᵀ(GgGᵀ ∘ BᵀdB)A, A, B and G small matrices of 0, ±1 and ±½,
//
// 16 products in the place of 36. With 2G in the place of G all are integers, and what comes
// out is four times the sum. So it is that of Convolve to the last bit, whatever wraps around on
// the way, as long as four times it fits 32 bits, and the operands of the products fit 16; with
// four times the bias in it, by the sum over the place that all four samples take, and a quarter
// of the factors.

// wideLimit is the magnitude of what goes into BᵀdB at most, of which it has sums of four.
const wideLimit = math.MaxInt16 / 4

// MostTurned is the magnitude of the sums that ConvolveTwo finds at most.
const MostTurned = 1<<29 - 1

// Turn prepares a filter of 3×3 taps for ConvolveTwo, where what goes into it is at most Limit
// in magnitude, and tells whether its weights allow that: (2G)g(2G)ᵀ fits 16 bits, and the
// sums are at most MostTurned in magnitude whatever goes in. A bias that makes them larger may be set
// afterwards; it makes ConvolveTwo slow.
func (f *Filter) Turn() bool {
	f.turned, f.room = nil, nil
	if f.Rows != 3 || f.Step%Lanes != 0 || 2*f.Words != 3*f.Step || Limit > wideLimit {
		return false
	}
	turned, room := make([]int32, 16*f.Outputs*f.Step/2), make([]int32, f.Outputs)
	for o := range f.Outputs {
		all := int64(0)
		for i := range f.Step {
			var taps [3][3]int32
			for y := range taps {
				for x := range taps[y] {
					w := f.weight(y, x*f.Step+i, o)
					taps[y][x] = w
					all += int64(max(w, -w))
				}
			}
			for at, w := range TurnedTaps(taps) {
				if w != int32(int16(w)) {
					return false
				}
				word := &turned[(((at%4*f.Outputs/Lanes+o/Lanes)*f.Step/2+i/2)*4+at/4)*Lanes+o%Lanes]
				*word |= int32(uint16(w)) << (i % 2 * 16)
			}
		}
		left := MostTurned - all*Limit
		if left < 0 {
			return false
		}
		room[o] = int32(left)
	}
	f.turned, f.room = turned, room
	return f.roomy()
}

// roomy tells whether the biases leave the sums at most MostTurned.
func (f *Filter) roomy() bool {
	for o, v := range f.Bias[:f.Outputs] {
		if max(v, -v) > f.room[o] {
			return false
		}
	}
	return true
}

// weight is that of an entry of a run to an output.
func (f *Filter) weight(row, entry, output int) int32 {
	word := f.Weights[((output/Lanes*f.Rows+row)*f.Words+entry/2)*Lanes+output%Lanes]
	if entry%2 == 0 {
		return int32(int16(word))
	}
	return word >> 16
}

// TurnedTaps is (2G)g(2G)ᵀ, row after row, of which Turn asks that it fits 16 bits.
func TurnedTaps[T int32 | float64](g [3][3]T) (turned [16]T) {
	once := func(a, b, c T) [4]T { return [4]T{2 * a, a + b + c, a - b + c, 2 * c} }
	var columns [3][4]T
	for x := range columns {
		columns[x] = once(g[0][x], g[1][x], g[2][x])
	}
	for y := range 4 {
		row := once(columns[0][y], columns[1][y], columns[2][y])
		copy(turned[4*y:], row[:])
	}
	return turned
}

// Squares is what ConvolveTwo works with. It is one goroutine's.
type Squares struct {
	turned []int16 // BᵀdB: for each of 4 columns, for each square, for each row, the channels
	sums   []int32 // for each column, for each of two rows that are turned back, for each square

	bias         [MaxOutputs]int32   // four times that of the filter
	above, below [MaxOutputs]float32 // a quarter of them
}

// SquaresBytes is what a Squares takes for filters of so many channels.
func SquaresBytes(channels int) int64 {
	n := squaresTogether * channels
	return int64(4*2*apart(4*n, 2) + 8*4*apart(n, 4) + 3*4*MaxOutputs)
}

// squaresTogether is how many squares of 2×2 samples are made together at most: so many that the
// calls cost little, so few that all stays in the second cache.
const squaresTogether = 48

// ConvolveTwo is Convolve for two rows of samples: rows has where the runs begin of the four
// rows of src they are made of, and to where they begin in dst, and in skip, if it is not nil,
// skipTo. Nothing of src is above Limit in magnitude.
func ConvolveTwo(dst []int16, to [2]int, src []int16, rows []int, samples int, f *Filter, skip []int16, skipTo [2]int, work *Squares) {
	if f.turned == nil || !makesSquares() || !f.roomy() || samples < 2*LeastSamples {
		for i := range 2 {
			add := skip
			if skip != nil {
				add = skip[skipTo[i]:]
			}
			Convolve(dst[to[i]:], src, rows[i:i+3], samples, f, add)
		}
		return
	}
	f.checkTwo(dst, to, src, rows, samples, skip, skipTo)
	skipStep := f.Outputs
	if skip == nil {
		skip, skipStep, skipTo = noSkip[:], 0, [2]int{}
	}
	for o := range f.Outputs {
		work.bias[o], work.above[o], work.below[o] = 4*f.Bias[o], f.Above[o]/4, f.Below[o]/4
	}
	all := (samples + 1) / 2
	parts := (all + squaresTogether - 1) / squaresTogether
	n := min((all+parts-1)/parts, samples/2)
	for at := 0; at < samples; at += 2 * n {
		// The last ones end where the row ends, and some are made again.
		work.convolve(dst, to, src, rows, min(at, samples-2*n), n, f, skip, skipTo, skipStep)
	}
}

// convolve makes n squares, from sample at on.
func (w *Squares) convolve(dst []int16, to [2]int, src []int16, rows []int, at, n int, f *Filter, skip []int16, skipTo [2]int, skipStep int) {
	inputs, outputs := apart(4*n*f.Step, 2), apart(n*f.Outputs, 4)
	if len(w.turned) < 4*inputs {
		w.turned = make([]int16, 4*inputs)
	}
	if len(w.sums) < 8*outputs {
		w.sums = make([]int32, 8*outputs)
	}
	turn(w.turned, inputs, src[at*f.Step:], rows, n, f.Step)
	part := len(f.turned) / 4
	for x := range 4 {
		bias := &noBias
		if x == 1 {
			bias = &w.bias
		}
		squares(w.sums[2*x*outputs:], outputs, w.turned[x*inputs:], n, f.Step, f.turned[x*part:][:part], bias[:f.Outputs])
	}
	turnBack(dst[to[0]+at*f.Outputs:], to[1]-to[0], w.sums, outputs, n, f.Outputs, w.above[:], w.below[:], skip[skipTo[0]+at*skipStep:], skipTo[1]-skipTo[0], skipStep)
}

// apart is from where to where it is from a place to the next, of so many entries of so many
// bytes, so that what belongs to a square lies in different sets of the first cache.
func apart(entries, size int) int {
	const page, line = 4096, 64
	return (PadTo(entries*size, page) + 5*line) / size
}

// noBias is what the sums begin with, but for one place.
var noBias [MaxOutputs]int32

// makesSquares tells whether the tier in use has assembly for squares, without which they would take
// longer than one sample after the other.
func makesSquares() bool { return current > 0 && runtime.GOARCH == "amd64" }

// checkTwo panics unless the operands fit.
func (f *Filter) checkTwo(dst []int16, to [2]int, src []int16, rows []int, samples int, skip []int16, skipTo [2]int) {
	if len(rows) != 4 {
		panic("kernel: two rows of samples are made of four")
	}
	for i := range 2 {
		f.check(len(dst)-to[i], len(src), rows[i:i+3], samples)
		_ = dst[to[i]]
		if skip != nil {
			_ = skip[skipTo[i]]
			_ = skip[skipTo[i]+samples*f.Outputs-1]
		}
	}
	_ = f.Below[f.Outputs-1]
}

// turnGeneric sets v to BᵀdB of n squares of 4×4 samples, two apart: for each of 4 columns, so many
// entries from one to the next, for each square, for each row, the channels.
func turnGeneric(v []int16, stride int, src []int16, rows []int, n, channels int) {
	for s := range n {
		for c := range channels {
			var d [4][4]int16 // columns turned
			for x := range 4 {
				at := (2*s+x)*channels + c
				d[x] = turnOnce(src[rows[0]+at], src[rows[1]+at], src[rows[2]+at], src[rows[3]+at])
			}
			for y := range 4 {
				for x, t := range turnOnce(d[0][y], d[1][y], d[2][y], d[3][y]) {
					v[x*stride+(4*s+y)*channels+c] = t
				}
			}
		}
	}
}

// turnOnce is Bᵀ times a column.
func turnOnce(a, b, c, d int16) [4]int16 { return [4]int16{a - c, b + c, c - b, b - d} }

// squaresGeneric sets dst, and what is a stride further, to the two rows of Aᵀ times the products
// of a column of n squares, of which those in the second row begin with a bias.
func squaresGeneric(dst []int32, stride int, v []int16, n, channels int, weights, bias []int32) {
	for s := range n {
		for o := range bias {
			var m [4]int32
			m[1] = bias[o]
			for y := range m {
				for c := range channels {
					w := weights[(((o/Lanes)*channels/2+c/2)*4+y)*Lanes+o%Lanes]
					if c%2 == 0 {
						w = int32(int16(w))
					} else {
						w >>= 16
					}
					m[y] += w * int32(v[(4*s+y)*channels+c])
				}
			}
			back := backOnce(m)
			dst[s*len(bias)+o], dst[stride+s*len(bias)+o] = back[0], back[1]
		}
	}
}

// turnBackGeneric makes of the sums of n squares, eight so many entries apart, the outputs of four
// samples each, those of the second row so many entries behind.
func turnBackGeneric(dst []int16, second int, sums []int32, stride, n, outputs int, above, below []float32, skip []int16, skipSecond, skipStep int) {
	for s := range n {
		for o := range outputs {
			for y := range 2 {
				var row [4]int32
				for x := range row {
					row[x] = sums[(2*x+y)*stride+s*outputs+o]
				}
				for x, sum := range backOnce(row) {
					at := y*second + (2*s+x)*outputs + o
					dst[at] = shortened(sum, above[o], below[o], skip[y*skipSecond+(2*s+x)*skipStep+o])
				}
			}
		}
	}
}

// backOnce is Aᵀ times a column.
func backOnce(m [4]int32) [2]int32 { return [2]int32{m[0] + m[1] + m[2], m[1] - m[2] - m[3]} }
