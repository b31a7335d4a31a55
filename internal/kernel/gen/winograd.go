package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "transformInput",
	signature: "(v []int16, stride int, src []int16, rows []int, step, n, channels int)",
	needs:     "n is at least 1, channels a multiple of 8, at least 8",
	assembly:  tier.transformInput,
	simd:      simdTransformInput,
	tiers:     []string{AVX2, AVX512BW, NEON, SIMD128},
})

var _ = register(operation{
	name:      "multiplyTiles",
	signature: "(sums []int32, sumStride int, v []int16, stride, n, channels int, weights, bias []int32)",
	lengths:   []string{"bias"},
	needs:     "n is at least 12, channels a multiple of 8, at least 8, len(bias) a multiple of 16, at least 16",
	assembly:  tier.multiplyTiles,
	simd:      simdMultiplyTiles,
	tiers:     []string{AVX2, AVXVNNI, AVX512BW, AVX512, NEON, SIMD128},
})

var _ = register(operation{
	name: "transformOutput",
	signature: "(dst []int16, second int, sums []int32, stride, n, outputs int, " +
		"positive, negative []float32, limits []int16, skip []int16, skipSecond, skipStep, dstStep int)",
	needs:    "n is at least 1, outputs a multiple of 16, at least 16",
	assembly: tier.transformOutput,
	simd:     simdTransformOutput,
	tiers:    []string{AVX2, AVX512BW, NEON, SIMD128},
})

// transformInput generates code that computes BᵀdB of the 4×4 samples d of each tile in a row of tiles, one group of
// channels after another. For each group, its inner loop goes along the tiles.
func (t tier) transformInput() {
	t.channelGroups(func() Op { return place(Param("channels")) },
		func(channel reg.GPVirtual, _ int, vec func() reg.VecVirtual) {
			if t.lanes == 8 {
				t.transformChannels(channel, []int{0, 1, 2, 3}, vec)
			} else { // AVX-512 has 32 registers, AVX2 has 16, enough for half of the rows of a tile
				t.transformChannels(channel, []int{0, 1}, vec)
				t.transformChannels(channel, []int{2, 3}, vec)
			}
		})
}

// channelGroups writes loops over the number of channels that limit returns: first for groups that fill a vector, then
// for the rest with half and quarter vectors. body writes the code for a group from channel on; vec returns a register.
func (t tier) channelGroups(
	limit func() Op, body func(channel reg.GPVirtual, channels int, vec func() reg.VecVirtual),
) {
	channel := GP64()
	XORQ(channel, channel)
	group := func(channels int, vec func() reg.VecVirtual) {
		next, top, out := GP64(), label("channels"), label("fewer")
		Label(top)
		LEAQ(from(channel, channels), next)
		CMPQ(next, limit())
		JGT(LabelRef(out))
		body(channel, channels, vec)
		ADDQ(U8(channels), channel)
		JMP(LabelRef(top))
		Label(out)
	}
	if t.lanes == 8 {
		group(32, ZMM)
	}
	group(16, YMM)
	group(8, XMM)
}

// columnOrder is the order of the rows in a stored column of a transform: multiplyTiles needs rows 1 and 2 first.
var columnOrder = [4]int{1, 2, 0, 3}

// transformChannels writes BᵀdB for a vector of channels of all tiles, but only for some rows of the result, given as
// indices of columnOrder. Two of the four columns of a tile are also columns of the tile before.
func (t tier) transformChannels(channel reg.GPVirtual, rows []int, vec func() reg.VecVirtual) {
	var src [4]reg.GPVirtual
	offsets, r := pointer("rows"), GP64()
	for y := range src {
		src[y] = pointer("src")
		MOVQ(from(offsets, 8*y), r)
		ADDQ(channel, r)
		LEAQ(Mem{Base: src[y], Index: r, Scale: 2}, src[y])
	}
	step := pointer("step")
	SHLQ(U8(1), step)
	to := [4]reg.GPVirtual{pointer("v")} // where each column of the transform is stored
	LEAQ(Mem{Base: to[0], Index: channel, Scale: 2}, to[0])
	entries := steps{one: pointer("stride"), three: GP64()}
	SHLQ(U8(1), entries.one)
	LEAQ(Mem{Base: entries.one, Index: entries.one, Scale: 2}, entries.three)
	for x := 1; x < 4; x++ {
		to[x] = GP64()
		LEAQ(Mem{Base: to[x-1], Index: entries.one, Scale: 4}, to[x])
	}
	columns := make([][4]reg.VecVirtual, 4)
	for x := range columns {
		for _, i := range rows {
			columns[x][columnOrder[i]] = vec()
		}
	}
	read := func(c [4]reg.VecVirtual) {
		for y, v := range c {
			if v != nil {
				VMOVUPS(from(src[transformRows[y][0]], 0), v)
				transformEntry(y, from(src[transformRows[y][1]], 0), v, v)
			}
		}
		for _, p := range src {
			if rows[0] == 0 { // only once if the rows are computed in two halves
				PREFETCHT0(from(p, prefetched))
			}
			ADDQ(step, p)
		}
	}
	write := func() {
		channels := GP64()
		for _, i := range rows {
			y := columnOrder[i]
			for x, with := range transformRows {
				v := vec()
				transformEntry(x, columns[with[1]][y], columns[with[0]][y], v)
				VMOVUPS(v, entries.at(to[x], i, 0))
			}
		}
		MOVQ(place(Param("channels")), channels)
		for _, p := range to {
			LEAQ(Mem{Base: p, Index: channels, Scale: 2}, p)
		}
	}
	read(columns[0])
	read(columns[1])
	left := pointer("n")
	while(left, 1, func() {
		read(columns[2])
		read(columns[3])
		write()
		for _, i := range rows {
			y := columnOrder[i]
			VMOVAPS(columns[2][y], columns[0][y])
			VMOVAPS(columns[3][y], columns[1][y])
		}
		DECQ(left)
	})
}

// transformRows lists for each row of Bᵀ its two non-zero columns, first the column that is added.
var transformRows = [4][2]int{{0, 2}, {1, 2}, {2, 1}, {3, 1}}

// transformEntry computes entry i of Bᵀ times a column from the two samples of transformRows: y − x, or in row 1 y + x.
func transformEntry(i int, x, y, to Op) {
	if i == 1 {
		VPADDW(x, y, to)
	} else {
		VPSUBW(x, y, to)
	}
}

// transformOutput makes the scaled and clipped 2×2 samples of tiles from sums, 32 outputs at a time, finally 16. It
// packs two vectors of sums into one vector of outputs; the order of sumLane makes the packed outputs adjacent.
func (t tier) transformOutput() { t.outputGroups(t.transformTiles) }

// outputGroups writes the loops over the outputs of tiles, in groups of 32 and finally of 16; output is a register with
// the first output of the group. body writes the code for one vector of outputs of all tiles, beginning next outputs
// further on. lanes are the byte offsets of the vectors of sums to use, counted from the sums of output.
func (t tier) outputGroups(body func(output reg.GPVirtual, next int, lanes []int)) {
	output := GP64()
	XORQ(output, output)
	for _, group := range []int{32, 16} {
		top, out := label("group"), label("fewer")
		Label(top)
		r := GP64()
		LEAQ(from(output, group), r)
		CMPQ(r, place(Param("outputs")))
		JGT(LabelRef(out))
		switch {
		case t.lanes == 8:
			body(output, 0, []int{0, 64}[:group/16])
		case group == 32:
			body(output, 0, []int{0, 64})
			body(output, 16, []int{32, 96})
		default:
			body(output, 0, []int{0, 32})
		}
		ADDQ(U8(group), output)
		JMP(LabelRef(top))
		Label(out)
	}
}

// transformTiles is the body of outputGroups for transformOutput.
func (t tier) transformTiles(output reg.GPVirtual, next int, lanes []int) {
	up, down, words := pointer("positive"), pointer("negative"), pointer("limits")
	LEAQ(Mem{Base: down, Index: output, Scale: 4}, down)
	var positive []reg.VecVirtual
	for _, lane := range lanes {
		positive = append(positive, t.load(Mem{Base: up, Index: output, Scale: 4, Disp: lane}))
	}
	var limits [4]Op
	for i := range limits {
		if limits[i] = from(words, 64*i); t.lanes == 8 {
			limits[i] = t.load(from(words, 64*i))
		}
	}
	columns := steps{one: pointer("stride"), three: GP64()}
	sums := [2]reg.GPVirtual{pointer("sums"), GP64()} // for each of the two rows
	LEAQ(Mem{Base: sums[0], Index: output, Scale: 4}, sums[0])
	LEAQ(Mem{Base: sums[0], Index: columns.one, Scale: 4}, sums[1])
	SHLQ(U8(2+1), columns.one)
	LEAQ(Mem{Base: columns.one, Index: columns.one, Scale: 2}, columns.three)
	dst, add, n := pointer("dst"), pointer("skip"), pointer("n")
	LEAQ(Mem{Base: dst, Index: output, Scale: 2, Disp: 2 * next}, dst)
	LEAQ(Mem{Base: add, Index: output, Scale: 2, Disp: 2 * next}, add)
	by, top := t.vec(), label("tile")
	Label(top)
	for y := range 2 {
		left, right := t.vecs(len(lanes)), t.vecs(len(lanes))
		for i, lane := range lanes {
			one, two := t.load(columns.at(sums[y], 1, lane)), t.load(columns.at(sums[y], 2, lane))
			VPADDD(two, one, left[i])
			VPSUBD(two, one, right[i])
			VPADDD(columns.at(sums[y], 0, lane), left[i], left[i])
			VPADDD(columns.at(sums[y], 3, lane), right[i], right[i])
		}
		for x, acc := range [][]reg.VecVirtual{left, right} {
			for i, v := range acc {
				t.scaleAndRound(v, positive[i], from(down, lanes[i]), by)
			}
			v := t.pack(acc)
			VPMINSW(limit(limits[0], v), v, v)
			VPMAXSW(limit(limits[1], v), v, v)
			without := label("without")
			CMPQ(place(Param("skipStep")), U8(0))
			JEQ(LabelRef(without))
			VPADDSW(tileOutput(add, "skipSecond", "skipStep", y, x), v, v)
			VPMINSW(limit(limits[2], v), v, v)
			VPMAXSW(limit(limits[3], v), v, v)
			Label(without)
			VMOVUPS(v, tileOutput(dst, "second", "dstStep", y, x))
		}
	}
	step := GP64()
	MOVQ(place(Param("dstStep")), step)
	LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
	MOVQ(place(Param("outputs")), step)
	LEAQ(Mem{Base: sums[0], Index: step, Scale: 4}, sums[0])
	LEAQ(Mem{Base: sums[1], Index: step, Scale: 4}, sums[1])
	MOVQ(place(Param("skipStep")), step)
	LEAQ(Mem{Base: add, Index: step, Scale: 4}, add)
	DECQ(n)
	JNZ(LabelRef(top))
}

// limit returns the lower part of limit that is as long as v.
func limit(limit Op, v reg.Register) Op {
	if r, ok := limit.(reg.VecVirtual); ok && v.Size() == 32 {
		return r.AsY()
	}
	return limit
}

// pack packs two vectors of integers, or the halves of one, to 16 bits, in turn four of the first, four of the second.
func (t tier) pack(acc []reg.VecVirtual) reg.Register {
	if len(acc) == 2 {
		VPACKSSDW(acc[1], acc[0], acc[0])
		return acc[0]
	}
	high, low := YMM(), acc[0].AsY()
	VEXTRACTI64X4(U8(1), acc[0], high)
	VPACKSSDW(high, low, low)
	return low
}

// tileOutput returns the memory of output (x, y) of a tile that begins at base. second and step name the parameters
// that hold the number of entries from row to row and from column to column.
func tileOutput(base reg.GPVirtual, second, step string, y, x int) Mem {
	if y+x == 0 {
		return from(base, 0)
	}
	entries := GP64()
	if y == 0 {
		MOVQ(place(Param(step)), entries)
	} else if MOVQ(place(Param(second)), entries); x == 1 {
		ADDQ(place(Param(step)), entries)
	}
	return Mem{Base: base, Index: entries, Scale: 2}
}
