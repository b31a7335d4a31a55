package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "convolve32",
	signature: "(dst []float32, dstStep int, src []float32, runs []int, step, k int, weight, bias []float32, n int)",
	lengths:   []string{"runs", "bias"},
	needs:     "len(bias) is a multiple of 16; len(runs), k and n are at least 1",
	assembly:  tier.convolve32,
})

// convolve32 holds tiles of samples by two vectors of channels, or one, in registers while all taps pass, each
// a number that is broadcast. The samples of a tile are at multiples of the step, and beyond the seventh at
// those of it from a second pointer.
func (t tier) convolve32() {
	tiles, widths := []int{14, 10, 8, 6, 4, 2, 1}, []int{2, 1}
	if t.lanes == 4 {
		tiles, widths = []int{6, 4, 2, 1}, []int{2}
	}
	acc, right := t.vecs(widths[0]*tiles[0]), t.vecs(widths[0])
	left := t.vec()
	c := convolution{
		pitch: lengthOf("bias"), step: pointer("step"), step3: GP64(), step5: GP64(),
		column: GP64(), to: GP64(), from: GP64(), n: GP64(),
	}
	XORQ(c.column, c.column)
	SHLQ(U8(2), c.step)
	SHLQ(U8(2), c.pitch)
	LEAQ(Mem{Base: c.step, Index: c.step, Scale: 2}, c.step3)
	LEAQ(Mem{Base: c.step, Index: c.step, Scale: 4}, c.step5)
	for _, w := range widths {
		block := w * t.bytes()
		top, out := label("columns"), label("done")
		Label(top)
		room := GP64()
		MOVQ(c.pitch, room)
		SUBQ(c.column, room)
		CMPQ(room, U32(block))
		JL(LabelRef(out))
		MOVQ(place(Param("src")), c.from)
		MOVQ(place(Param("dst")), c.to)
		ADDQ(c.column, c.to)
		MOVQ(place(Param("n")), c.n)
		for _, tall := range tiles {
			while(c.n, tall, func() {
				t.convolveTile(c, acc[:w*tall], right[:w], left)
				storeTile(c, acc[:w*tall], w, t.bytes())
			})
		}
		ADDQ(U32(block), c.column)
		JMP(LabelRef(top))
		Label(out)
	}
}

// convolution is what lies where while convolve32 runs: pointers, and offsets in bytes.
type convolution struct {
	pitch, step, step3, step5, column, to, from, n reg.GPVirtual
}

// sample is the address of sample i of a tile, of two pointers.
func (c convolution) sample(i int, first, seventh reg.GPVirtual) Mem {
	base := first
	if i >= 7 {
		base, i = seventh, i-7
	}
	switch i {
	case 0:
		return Mem{Base: base}
	case 1, 2, 4:
		return Mem{Base: base, Index: c.step, Scale: uint8(i)}
	case 3, 6:
		return Mem{Base: base, Index: c.step3, Scale: uint8(i / 3)}
	default:
		return Mem{Base: base, Index: c.step5, Scale: 1}
	}
}

// convolveTile writes the loops over all taps that sum up a tile in acc, for each sample as many vectors as right has.
func (t tier) convolveTile(c convolution, acc, right []reg.VecVirtual, left reg.VecVirtual) {
	w := len(right)
	tall := len(acc) / w
	start := pointer("bias")
	for j := range w {
		VMOVUPS(at(start, c.column, j*t.bytes()), acc[j])
		for i := 1; i < tall; i++ {
			VMOVAPS(acc[j], acc[i*w+j])
		}
	}
	runs, left32, weight, first, seventh := pointer("runs"), lengthOf("runs"), pointer("weight"), GP64(), GP64()
	ADDQ(c.column, weight)
	while(left32, 1, func() {
		k := pointer("k")
		MOVQ(from(runs, 0), first)
		LEAQ(Mem{Base: c.from, Index: first, Scale: 4}, first)
		if tall > 7 {
			LEAQ(Mem{Base: first, Index: c.step5, Scale: 1}, seventh)
			LEAQ(Mem{Base: seventh, Index: c.step, Scale: 2}, seventh)
		}
		loop := label("loop")
		Label(loop)
		for j := range w {
			VMOVUPS(from(weight, j*t.bytes()), right[j])
			PREFETCHT0(from(weight, ahead+j*t.bytes()))
		}
		for i := range tall {
			if w == 1 && t.lanes == 8 {
				VFMADD231PS_BCST(c.sample(i, first, seventh), right[0], acc[i])
				continue
			}
			VBROADCASTSS(c.sample(i, first, seventh), left)
			for j := range w {
				VFMADD231PS(right[j], left, acc[i*w+j])
			}
		}
		ADDQ(U8(4), first)
		if tall > 7 {
			ADDQ(U8(4), seventh)
		}
		ADDQ(c.pitch, weight)
		DECQ(k)
		JNZ(LabelRef(loop))
		ADDQ(U8(8), runs)
		DECQ(left32)
	})
}

// storeTile stores acc, a tile of w vectors of the given number of bytes for each sample, and goes on to the next tile.
func storeTile(c convolution, acc []reg.VecVirtual, w, bytes int) {
	tall := len(acc) / w
	move := pointer("dstStep")
	SHLQ(U8(2), move)
	for i := range tall {
		for j := range w {
			VMOVUPS(acc[i*w+j], from(c.to, j*bytes))
		}
		ADDQ(move, c.to)
	}
	IMUL3Q(U8(tall), c.step, move)
	ADDQ(move, c.from)
	SUBQ(U8(tall), c.n)
}

var _ = register(operation{
	name:      "correlate",
	signature: "(c []float32, cols int, a []float32, step, strideA int, b []float32, strideB, rows, n, k int)",
	needs:     "k is a multiple of 8, cols of 16; rows and n are at least 1",
	assembly:  tier.correlate,
})

// correlate holds tiles of some entries by two vectors of channels, or one, in registers while all samples pass.
func (t tier) correlate() {
	tall, widths := 8, []int{2, 1}
	if t.lanes == 4 {
		tall, widths = 4, []int{2}
	}
	acc, right, left := t.vecs(widths[0]*tall), t.vecs(widths[0]), t.vec()
	c, a, b, pitch, step, k := pointer("c"), pointer("a"), pointer("b"), pointer("cols"), pointer("step"), pointer("k")
	SHLQ(U8(2), pitch)
	SHLQ(U8(2), step)
	while(k, tall, func() {
		cols, column := pointer("cols"), GP64()
		XORQ(column, column)
		for _, w := range widths {
			while(cols, w*t.lanes32(), func() {
				tile := func(store bool) {
					at, corner := GP64(), c
					LEAQ(Mem{Base: corner, Index: column, Scale: 1}, at)
					for r := range tall {
						for j := range w {
							if store {
								VMOVUPS(acc[r*w+j], from(at, j*t.bytes()))
							} else {
								VMOVUPS(from(at, j*t.bytes()), acc[r*w+j])
								PREFETCHT0(from(at, ahead+j*t.bytes()))
							}
						}
						ADDQ(pitch, at)
					}
				}
				tile(false)
				rows, rowA, rowB := pointer("rows"), GP64(), GP64()
				MOVQ(a, rowA)
				LEAQ(Mem{Base: b, Index: column, Scale: 1}, rowB)
				while(rows, 1, func() {
					n, pa, pb := pointer("n"), GP64(), GP64()
					MOVQ(rowA, pa)
					MOVQ(rowB, pb)
					loop := label("loop")
					Label(loop)
					for j := range w {
						VMOVUPS(from(pb, j*t.bytes()), right[j])
					}
					for r := range tall {
						if w == 1 && t.lanes == 8 {
							VFMADD231PS_BCST(from(pa, 4*r), right[0], acc[r])
							continue
						}
						VBROADCASTSS(from(pa, 4*r), left)
						for j := range w {
							VFMADD231PS(right[j], left, acc[r*w+j])
						}
					}
					ADDQ(step, pa)
					ADDQ(pitch, pb)
					DECQ(n)
					JNZ(LabelRef(loop))
					stride := pointer("strideA")
					LEAQ(Mem{Base: rowA, Index: stride, Scale: 4}, rowA)
					stride = pointer("strideB")
					LEAQ(Mem{Base: rowB, Index: stride, Scale: 4}, rowB)
					DECQ(rows)
				})
				tile(true)
				ADDQ(U32(w*t.bytes()), column)
				SUBQ(U8(w*t.lanes32()), cols)
			})
		}
		for range tall {
			ADDQ(pitch, c)
		}
		ADDQ(U8(4*tall), a)
		SUBQ(U8(tall), k)
	})
}

var _ = register(operation{
	name:      "activate",
	signature: "(h, z, slope []float32)",
	lengths:   []string{"z", "slope"},
	needs:     "len(slope) is a multiple of 16, len(z) of len(slope)",
	assembly:  tier.activate,
})

// channels goes over vectors of channels: body is given the offset of one in bytes.
func (t tier) channels(slice string, body func(offset, pitch reg.GPVirtual)) {
	n, pitch, offset := lengthOf(slice), GP64(), GP64()
	MOVQ(n, pitch)
	SHLQ(U8(2), pitch)
	XORQ(offset, offset)
	while(n, t.lanes32(), func() {
		body(offset, pitch)
		ADDQ(U8(t.bytes()), offset)
		SUBQ(U8(t.lanes32()), n)
	})
}

func (t tier) activate() {
	h, z, slope, zero := pointer("h"), pointer("z"), pointer("slope"), t.zero()
	t.channels("slope", func(offset, pitch reg.GPVirtual) {
		s, i, end := t.load(at(slope, offset, 0)), GP64(), lengthOf("z")
		MOVQ(offset, i)
		SHLQ(U8(2), end)
		loop := label("loop")
		Label(loop)
		v, low := t.load(at(z, i, 0)), t.vec()
		VMINPS(zero, v, low)
		VMAXPS(zero, v, v)
		VFMADD231PS(s, low, v)
		VMOVUPS(v, at(h, i, 0))
		ADDQ(pitch, i)
		CMPQ(i, end)
		JL(LabelRef(loop))
	})
}

var _ = register(operation{
	name:      "activateBack",
	signature: "(d, z, slope, toSlope, toBias []float32)",
	lengths:   []string{"d", "slope"},
	needs:     "len(slope) is a multiple of 16, len(d) of len(slope)",
	assembly:  tier.activateBack,
})

func (t tier) activateBack() {
	d, z, slope, zero := pointer("d"), pointer("z"), pointer("slope"), t.zero()
	toSlope, toBias := pointer("toSlope"), pointer("toBias")
	t.channels("slope", func(offset, pitch reg.GPVirtual) {
		s, slopes, biases := t.load(at(slope, offset, 0)), t.load(at(toSlope, offset, 0)), t.load(at(toBias, offset, 0))
		i, end := GP64(), lengthOf("d")
		MOVQ(offset, i)
		SHLQ(U8(2), end)
		loop := label("loop")
		Label(loop)
		v, low, scaled := t.load(at(d, i, 0)), t.load(at(z, i, 0)), t.vec()
		below := t.compare(less, low, zero)
		VMINPS(zero, low, low)
		VFMADD231PS(low, v, slopes)
		VMULPS(s, v, scaled)
		t.choose(below, scaled, v)
		VADDPS(v, biases, biases)
		VMOVUPS(v, at(d, i, 0))
		ADDQ(pitch, i)
		CMPQ(i, end)
		JL(LabelRef(loop))
		VMOVUPS(slopes, at(toSlope, offset, 0))
		VMOVUPS(biases, at(toBias, offset, 0))
	})
}

var _ = register(operation{
	name:      "adam",
	signature: "(p, m, v, grad []float32, clip, rest1, rest2, rate, least float32)",
	lengths:   []string{"p"},
	needs:     "len(p) is a multiple of 16",
	assembly:  tier.adam,
})

func (t tier) adam() {
	p, m, v, grad := pointer("p"), pointer("m"), pointer("v"), pointer("grad")
	clip, rest1, rest2 := t.number32("clip"), t.number32("rest1"), t.number32("rest2")
	rate, least := t.number32("rate"), t.number32("least")
	n, i := lengthOf("p"), GP64()
	XORQ(i, i)
	while(n, t.lanes32(), func() {
		x, mean, square, old := t.load(at(grad, i, 0)), t.load(at(m, i, 0)), t.load(at(v, i, 0)), t.load(at(p, i, 0))
		VMULPS(clip, x, x)
		d := t.vec()
		VSUBPS(mean, x, d)
		VFMADD231PS(d, rest1, mean)
		VMULPS(x, x, x)
		VSUBPS(square, x, x)
		VFMADD231PS(x, rest2, square)
		VMOVUPS(mean, at(m, i, 0))
		VMOVUPS(square, at(v, i, 0))
		VSQRTPS(square, square)
		VADDPS(least, square, square)
		VMULPS(rate, mean, mean)
		VDIVPS(square, mean, mean)
		VSUBPS(mean, old, old)
		VMOVUPS(old, at(p, i, 0))
		ADDQ(U8(t.bytes()), i)
		SUBQ(U8(t.lanes32()), n)
	})
}
