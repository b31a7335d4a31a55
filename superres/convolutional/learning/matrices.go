package learning

import "superres/internal/kernel"

// Where the processor multiplies matrices (AMX), layers of 3×3 taps are computed from numbers in bfloat16, without
// tiles of samples: see kernel.ConvolveBFloat16. Sums, parameters and what lies between layers stay in float32, and so
// do the products of the last fiftieth of the steps. With a tenth, a thirtieth or none of them in float32, 6,000 steps
// of 32 channels and 10 layers at ×4 end at the same 31.72 dB of 8 pictures that were held out.
//
// A step of 8 patches with margin 4 at ×4, on two cores of Intel's Emerald Rapids, took, in ms:
//
//	channels, layers, patch   64×16, 24   32×22, 32
//	float32, by tiles              82.6        31.2
//	bfloat16                       28.8        16.5
//
// In the cache of one core the convolution of 32 or 64 channels does 900 to 1000 GMAC/s, and the gradient of its
// weights 1100; of 48 channels 700 and 950, where they did 590 and 610 before odd tiles were computed four at a time.
// Beside a busy neighbour on the same core all of these fall to a quarter. Of a step, they are half of the time or
// more; the rest is in reading and writing what lies between layers.

// leastSide is the least side of the patches, in samples, for which the products of a pass may be in bfloat16.
const leastSide = 16

// matrices has the buffers for the products of a pass in bfloat16.
type matrices struct {
	samples []uint16 // of the input of a layer
	columns []uint16 // of the same, the samples of each channel one after another
	pairs   []uint32 // of neighbouring samples of the gradient of a layer's output
	blocks  map[blockLayout]blocks
}

// blockLayout says where the outputs of a layer lie, which are side×side samples: input is the number of samples in a
// row of what they are computed from, of in channels, output a row of the result, of out channels.
type blockLayout struct{ side, input, in, output, out int }

// blocks are the blocks of 16 samples in a row into which the outputs of a layer are divided, for
// kernel.ConvolveBFloat16. The last block of a row overlaps the one before it.
type blocks struct{ from, to []int32 }

func (b blockLayout) divide() (list blocks) {
	for y := range b.side {
		for x := 0; x < b.side; x += leastSide {
			x := min(x, b.side-leastSide)
			list.from = append(list.from, int32((y*b.input+x)*b.in))
			list.to = append(list.to, int32((y*b.output+x)*b.out))
		}
	}
	for last := len(list.from) - 1; len(list.from)%kernel.Together > 0; { // the last is computed several times
		list.from, list.to = append(list.from, list.from[last]), append(list.to, list.to[last])
	}
	return list
}

// newMatrices returns buffers for inputs and gradients of at most full×full samples of channels channels.
func newMatrices(full, channels int) *matrices {
	return &matrices{
		samples: make([]uint16, full*full*channels+kernel.TileDepth),
		columns: make([]uint16, channels*columnOf(full)),
		pairs:   make([]uint32, (2*full+2+tiledLength(full))*channels),
		blocks:  map[blockLayout]blocks{},
	}
}

// bytes returns the memory of m in bytes, 0 for nil.
func (m *matrices) bytes() int64 {
	if m == nil {
		return 0
	}
	return 2*int64(len(m.samples)+len(m.columns)) + 4*int64(len(m.pairs))
}

// tiledLength returns the number of full×full samples, rounded up to whole tiles of products.
func tiledLength(full int) int { return kernel.PadTo(full*full, kernel.TileDepth) }

// columnOf returns the number of entries from a column of full×full samples to the next. A multiple of the size of a
// page would make all columns share a few places of the cache.
func columnOf(full int) int { return kernel.PadTo(full*full, 1024) + kernel.TileDepth }

// convolve sets dst to the convolution of src by packed weights.
func (m *matrices) convolve(dst, src []float32, layout blockLayout, packed []uint32, bias []float32) {
	list, known := m.blocks[layout]
	if !known {
		list = layout.divide()
		m.blocks[layout] = list
	}
	kernel.RoundBFloat16(m.samples, src[:layout.input*(layout.side+2)*layout.in])
	kernel.ConvolveBFloat16(dst, m.samples, layout.in, layout.input*layout.in, 3, 3*layout.in, packed, bias, list.from,
		list.to)
}

// correlate adds to to, 9 blocks of k×out weights, their gradient from the inputs src, full×full samples of k
// channels, and the gradient d of the outputs. The first of those is d[first], and the next row begins row samples
// later; beside a row there are zeros.
func (m *matrices) correlate(to, src []float32, full, k int, d []float32, first, row, out int) {
	n, column, side := tiledLength(full), columnOf(full), full-2
	for s := 0; s < full*full; s += kernel.TileDepth {
		s := min(s, full*full-kernel.TileDepth)
		for i := 0; i < k; i += kernel.Lanes {
			kernel.TransposeBFloat16(m.columns[i*column+s:], column, src[s*k+i:], k)
		}
	}
	// The pair of a sample and the next one lies where the sample lies in rows of full samples, after as many zeros as
	// the taps reach back. The first pair of a row has the zero before it.
	before := 2*full + 2
	clear(m.pairs[:before*out])
	for y := range side {
		at := (before + y*full - 1) * out
		from := first + y*row*out
		kernel.PairBFloat16(m.pairs[at:][:(side+1)*out], d[from-out:], d[from:])
		clear(m.pairs[at+(side+1)*out:][:out])
	}
	clear(m.pairs[(before+side*full-1)*out : (before+n)*out])
	starts := make([]int, 9)
	for tap := range starts {
		starts[tap] = (before - tap/3*full - tap%3) * out
	}
	kernel.CorrelateBFloat16(to, out, m.columns, column, m.pairs, starts, k, n)
}
