package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "transformInput",
	signature: "(v []int16, stride int, src []int16, rows []int, n, channels int)",
	needs:     "n is at least 1, channels a multiple of 16, at least 16",
	assembly:  tier.transformInput,
	tiers:     []string{AVX2, AVX512BW},
})

var _ = register(operation{
	name:      "multiplyTiles",
	signature: "(dst []int32, stride int, v []int16, n, channels int, weights, bias []int32)",
	lengths:   []string{"bias"},
	needs:     "n is at least 6, channels even, len(bias) a multiple of 16, at least 16",
	assembly:  tier.multiplyTiles,
	tiers:     []string{AVX2, AVX512BW, AVX512},
})

var _ = register(operation{
	name: "transformOutput",
	signature: "(dst []int16, second int, sums []int32, stride, n, outputs int, " +
		"positive, negative []float32, skip []int16, skipSecond, skipStep int)",
	needs:    "n is at least 1, outputs a multiple of 16, at least 16",
	assembly: tier.transformOutput,
	tiers:    []string{AVX2, AVX512BW},
})

// places has the addresses of a table of 4 columns and up to 4 rows.
type places struct {
	base [4]reg.GPVirtual // of the columns
	rows steps            // from a row to the next
}

// column sets the addresses of the columns: that of the first, and stride bytes from each to the next.
func (p *places) column(first, stride reg.GPVirtual) {
	for i := range p.base {
		if p.base[i] = first; i > 0 {
			p.base[i] = GP64()
			MOVQ(p.base[i-1], p.base[i])
			ADDQ(stride, p.base[i])
		}
	}
}

// at returns the memory offset bytes behind row y of column x.
func (p places) at(y, x, offset int) Mem {
	return p.rows.at(p.base[x], y, offset)
}

// add moves the whole table by a number of bytes.
func (p places) add(bytes Op) {
	for _, b := range p.base {
		ADDQ(bytes, b)
	}
}

// transformInput works on as many channels of a tile as fill a vector, and on the rest with half a vector. It
// makes one row of the transform after the other.
func (t tier) transformInput() {
	var src, to places // of src, rows of samples are the columns
	rows, r := pointer("rows"), GP64()
	for i := range src.base {
		src.base[i] = pointer("src")
		MOVQ(from(rows, 8*i), r)
		LEAQ(Mem{Base: src.base[i], Index: r, Scale: 2}, src.base[i])
	}
	src.rows = steps{one: pointer("channels"), three: GP64()}
	SHLQ(U8(1), src.rows.one)
	LEAQ(Mem{Base: src.rows.one, Index: src.rows.one, Scale: 2}, src.rows.three)
	MOVQ(place(Param("stride")), r)
	SHLQ(U8(1), r)
	to.column(pointer("v"), r)
	to.rows = src.rows
	n := pointer("n")
	while(n, 1, func() {
		left := pointer("channels")
		if t.lanes == 8 {
			transformChannels(src, to, left, 32, ZMM)
		}
		transformChannels(src, to, left, 16, YMM)
		src.add(src.rows.one)
		to.add(to.rows.three)
		DECQ(n)
	})
}

// transformChannels transforms groups of channels of a tile, as long as enough are left.
func transformChannels(src, to places, left reg.GPVirtual, channels int, vec func() reg.VecVirtual) {
	while(left, channels, func() {
		for y, with := range [4][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
			d := make([]reg.VecVirtual, 4)
			for x := range d {
				d[x] = vec()
				VMOVUPS(src.at(x, with[0], 0), d[x])
				transformEntry(y, src.at(x, with[1], 0), d[x], d[x])
			}
			for x, with := range [4][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
				v := vec()
				transformEntry(x, d[with[1]], d[with[0]], v)
				VMOVUPS(v, to.at(y, x, 0))
			}
		}
		src.add(U8(2 * channels))
		to.add(U8(2 * channels))
		SUBQ(U8(channels), left)
	})
}

// transformEntry is entry i of Bᵀ times a column: y − x, or their sum.
func transformEntry(i int, x, y, to Op) {
	if i == 1 {
		VPADDW(x, y, to)
	} else {
		VPSUBW(x, y, to)
	}
}

// multiplyTiles keeps the sums of one column of some tiles in registers, as many as they hold, of 16 to 48
// outputs. The last tiles of a row end where it ends, and some are made again.
func (t tier) multiplyTiles() {
	shapes := []struct{ tall, wide int }{{2, 3}, {3, 2}, {6, 1}}
	if t.lanes == 4 {
		shapes = []struct{ tall, wide int }{{3, 1}}
	}
	acc := t.vecs(24)
	if t.lanes == 4 {
		acc = acc[:12]
	}
	output, left := GP64(), lengthOf("bias")
	XORQ(output, output)
	for _, s := range shapes {
		while(left, s.wide*t.lanes32(), func() {
			along("n", s.tall, func(tile reg.GPVirtual) { t.multiplyTile(acc, tile, output, s.tall, s.wide) })
			ADDQ(U8(s.wide*t.lanes32()), output)
			SUBQ(U8(s.wide*t.lanes32()), left)
		})
	}
}

// multiplyTile makes the sums of tall tiles for wide vectors of outputs.
func (t tier) multiplyTile(acc []reg.VecVirtual, tile, output reg.GPVirtual, tall, wide int) {
	at := func(y, s, i int) reg.VecVirtual { return acc[(y*tall+s)*wide+i] }
	for _, y := range []int{0, 2, 3} {
		for s := range tall {
			for i := range wide {
				t.clear(at(y, s, i))
			}
		}
	}
	bias := pointer("bias")
	LEAQ(Mem{Base: bias, Index: output, Scale: 4}, bias)
	for i := range wide {
		VMOVUPS(from(bias, i*t.bytes()), at(1, 0, i))
		for s := 1; s < tall; s++ {
			VMOVAPS(at(1, 0, i), at(1, s, i))
		}
	}
	rows, r := steps{one: pointer("channels"), three: GP64()}, GP64()
	channels := rows.one
	SHLQ(U8(1), channels)
	LEAQ(Mem{Base: channels, Index: channels, Scale: 2}, rows.three)
	base := make([]reg.GPVirtual, tall)
	for s := range base {
		if s == 0 {
			base[s] = pointer("v")
			MOVQ(tile, r)
			IMULQ(channels, r)
			LEAQ(Mem{Base: base[s], Index: r, Scale: 4}, base[s])
			continue
		}
		base[s] = GP64()
		LEAQ(Mem{Base: base[s-1], Index: channels, Scale: 4}, base[s])
	}
	// A block of 16 outputs has, for each pair of channels, those of the four places.
	weights, block := pointer("weights"), GP64()
	MOVQ(channels, block)
	SHLQ(U8(6), block) // channels/2 pairs of 4·64 bytes
	MOVQ(output, r)
	if t.lanes == 4 {
		ANDQ(I8(-16), r)
	}
	IMULQ(block, r)
	SHRQ(U8(4), r)
	ADDQ(r, weights)
	if t.lanes == 4 { // the second half of a block
		MOVQ(output, r)
		ANDQ(U8(8), r)
		LEAQ(Mem{Base: weights, Index: r, Scale: 4}, weights)
	}
	words := pointer("channels")
	SHRQ(U8(1), words)
	top := label("words")
	Label(top)
	for y := range 4 {
		var w []reg.VecVirtual
		for i := range wide {
			m := Mem{Base: weights, Disp: 64 * y}
			if i > 0 {
				m.Index, m.Scale = block, uint8(i)
			}
			w = append(w, t.load(m))
		}
		for s := range tall {
			x := t.broadcast32(rows.at(base[s], y, 0))
			for i := range wide {
				t.dotPairs(w[i], x, at(y, s, i))
			}
		}
	}
	for _, b := range base {
		ADDQ(U8(4), b)
	}
	ADDQ(U32(256), weights)
	DECQ(words)
	JNZ(LabelRef(top))
	dst, line, second := pointer("dst"), lengthOf("bias"), pointer("stride")
	outputs(dst, line, tile, output, 4)
	LEAQ(Mem{Base: dst, Index: second, Scale: 4}, second)
	for s := range tall {
		for i := range wide {
			VPADDD(at(1, s, i), at(0, s, i), at(0, s, i))
			VPADDD(at(2, s, i), at(0, s, i), at(0, s, i))
			VPSUBD(at(2, s, i), at(1, s, i), at(1, s, i))
			VPSUBD(at(3, s, i), at(1, s, i), at(1, s, i))
			VMOVUPS(at(0, s, i), from(dst, i*t.bytes()))
			VMOVUPS(at(1, s, i), from(second, i*t.bytes()))
		}
		ADDQ(line, dst)
		ADDQ(line, second)
	}
}

// transformOutput works on 16 outputs of a tile at once.
func (t tier) transformOutput() {
	wide := 16 / t.lanes32()
	output, r := GP64(), GP64()
	XORQ(output, output)
	top := label("outputs")
	Label(top)
	first := pointer("sums")
	LEAQ(Mem{Base: first, Index: output, Scale: 4}, first)
	stride := pointer("stride")
	sums := places{rows: steps{one: stride}}
	SHLQ(U8(2), stride)
	LEAQ(Mem{Base: stride, Index: stride, Scale: 1}, r)
	sums.column(first, r)
	dst, skip := pointer("dst"), pointer("skip")
	LEAQ(Mem{Base: dst, Index: output, Scale: 2}, dst)
	LEAQ(Mem{Base: skip, Index: output, Scale: 2}, skip)
	finish := t.scaleAndClip(output, wide)
	n := pointer("n")
	while(n, 1, func() {
		to, add, by := GP64(), GP64(), GP64()
		for y := range 2 {
			left, right := t.vecs(wide), t.vecs(wide)
			for i := range wide {
				VMOVUPS(sums.at(y, 0, i*t.bytes()), left[i])
				VMOVUPS(sums.at(y, 1, i*t.bytes()), right[i])
				VPADDD(right[i], left[i], left[i])
				VPADDD(sums.at(y, 2, i*t.bytes()), left[i], left[i])
				VPSUBD(sums.at(y, 2, i*t.bytes()), right[i], right[i])
				VPSUBD(sums.at(y, 3, i*t.bytes()), right[i], right[i])
			}
			MOVQ(dst, to)
			MOVQ(skip, add)
			if y == 1 {
				entriesOn(to, place(Param("second")), by)
				entriesOn(add, place(Param("skipSecond")), by)
			}
			finish(left, to, add)
			entriesOn(to, place(Param("outputs")), by)
			entriesOn(add, place(Param("skipStep")), by)
			finish(right, to, add)
		}
		MOVQ(place(Param("outputs")), by)
		LEAQ(Mem{Base: dst, Index: by, Scale: 4}, dst)
		SHLQ(U8(2), by)
		sums.add(by)
		MOVQ(place(Param("skipStep")), by)
		LEAQ(Mem{Base: skip, Index: by, Scale: 4}, skip)
		DECQ(n)
	})
	ADDQ(U8(16), output)
	CMPQ(output, place(Param("outputs")))
	JLT(LabelRef(top))
}

// entriesOn moves a pointer by a number of entries of 16 bits; by is worked with.
func entriesOn(p reg.GPVirtual, entries Mem, by reg.GPVirtual) {
	MOVQ(entries, by)
	LEAQ(Mem{Base: p, Index: by, Scale: 2}, p)
}
