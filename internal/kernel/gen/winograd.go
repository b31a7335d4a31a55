package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "turn",
	signature: "(v []int16, stride int, src []int16, rows []int, n, channels int)",
	needs:     "n is at least 1, channels a multiple of 16, at least 16",
	assembly:  tier.turn,
	tiers:     []string{AVX2, AVX512BW},
})

var _ = register(operation{
	name:      "products",
	signature: "(dst []int32, samples int, src []int16, rows []int, step, words int, weights, bias []int32)",
	lengths:   []string{"rows", "bias"},
	needs:     "samples is at least 24, len(bias) a multiple of 16, at least 16",
	assembly:  tier.products,
	tiers:     []string{AVX2, AVX512BW, AVX512},
})

var _ = register(operation{
	name:      "turnBack",
	signature: "(dst []int16, second int, sums []int32, stride, n, outputs int, above, below []float32, skip []int16, skipSecond, skipStep int)",
	needs:     "n is at least 1, outputs a multiple of 16, at least 16",
	assembly:  tier.turnBack,
	tiers:     []string{AVX2, AVX512BW},
})

// places are where something lies for each of 16 places, so many bytes from one to the next.
type places struct {
	base            [4]reg.GPVirtual
	stride, stride3 reg.GPVirtual
}

// placesAt takes the first place and the stride.
func placesAt(first, stride reg.GPVirtual) places {
	p := places{stride: stride, stride3: GP64()}
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, p.stride3)
	p.base[0] = first
	for i := 1; i < 4; i++ {
		p.base[i] = GP64()
		LEAQ(Mem{Base: p.base[i-1], Index: stride, Scale: 4}, p.base[i])
	}
	return p
}

// at is in row y of the places the one in column x.
func (p places) at(y, x, offset int) Mem {
	m := Mem{Base: p.base[y], Disp: offset}
	switch x {
	case 1, 2:
		m.Index, m.Scale = p.stride, uint8(x)
	case 3:
		m.Index, m.Scale = p.stride3, 1
	}
	return m
}

func (p places) add(bytes Op) {
	for _, b := range p.base {
		ADDQ(bytes, b)
	}
}

// turn works on the channels of a square that fill a vector at once, and on those that are left
// in half of one; on one row of what comes out after the other.
func (t tier) turn() {
	var src places
	rows, r := pointer("rows"), GP64()
	for i := range src.base {
		src.base[i] = pointer("src")
		MOVQ(from(rows, 8*i), r)
		LEAQ(Mem{Base: src.base[i], Index: r, Scale: 2}, src.base[i])
	}
	src.stride, src.stride3 = pointer("channels"), GP64()
	SHLQ(U8(1), src.stride)
	LEAQ(Mem{Base: src.stride, Index: src.stride, Scale: 2}, src.stride3)
	stride := pointer("stride")
	SHLQ(U8(1), stride)
	to := placesAt(pointer("v"), stride)
	n := pointer("n")
	while(n, 1, func() {
		left := pointer("channels")
		if t.lanes == 8 {
			turnSome(src, to, left, 32, ZMM)
		}
		turnSome(src, to, left, 16, YMM)
		src.add(src.stride)
		DECQ(n)
	})
}

func turnSome(src, to places, left reg.GPVirtual, channels int, vec func() reg.VecVirtual) {
	while(left, channels, func() {
		for y, with := range [4][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
			d := make([]reg.VecVirtual, 4)
			for x := range d {
				d[x] = vec()
				VMOVUPS(src.at(with[0], x, 0), d[x])
				turnOnce(y, src.at(with[1], x, 0), d[x], d[x])
			}
			for x, with := range [4][2]int{{0, 2}, {1, 2}, {2, 1}, {1, 3}} {
				v := vec()
				turnOnce(x, d[with[1]], d[with[0]], v)
				VMOVUPS(v, to.at(y, x, 0))
			}
		}
		src.add(U8(2 * channels))
		to.add(U8(2 * channels))
		SUBQ(U8(channels), left)
	})
}

// turnOnce is entry i of Bᵀ times a column: y − x, or their sum.
func turnOnce(i int, x, y, to Op) {
	if i == 1 {
		VPADDW(x, y, to)
	} else {
		VPSUBW(x, y, to)
	}
}

// products stores the sums as they are.
func (t tier) products() {
	t.filter(func(acc []reg.VecVirtual, sample, output reg.GPVirtual, tall int) {
		dst, line := pointer("dst"), lengthOf("bias")
		outputs(dst, line, sample, output, 4)
		wide := len(acc) / tall
		for s := range tall {
			for i := range wide {
				VMOVUPS(acc[s*wide+i], from(dst, i*t.bytes()))
			}
			ADDQ(line, dst)
		}
	})
}

// turnBack works on 16 outputs of a square at once.
func (t tier) turnBack() {
	wide := 16 / t.lanes32()
	output := GP64()
	XORQ(output, output)
	top := label("outputs")
	Label(top)
	first, stride := pointer("sums"), pointer("stride")
	LEAQ(Mem{Base: first, Index: output, Scale: 4}, first)
	SHLQ(U8(2), stride)
	sums := placesAt(first, stride)
	dst, skip := pointer("dst"), pointer("skip")
	LEAQ(Mem{Base: dst, Index: output, Scale: 2}, dst)
	LEAQ(Mem{Base: skip, Index: output, Scale: 2}, skip)
	up, down := pointer("above"), pointer("below")
	LEAQ(Mem{Base: up, Index: output, Scale: 4}, up)
	LEAQ(Mem{Base: down, Index: output, Scale: 4}, down)
	finish := t.shortening(up, down, wide)
	n := pointer("n")
	while(n, 1, func() {
		var acc [2][2][]reg.VecVirtual // row, column
		for y := range acc {
			for x := range acc[y] {
				acc[y][x] = t.vecs(wide)
			}
		}
		for i := range wide {
			for x := range 4 {
				u := [2]reg.VecVirtual{t.load(sums.at(0, x, i*t.bytes())), t.load(sums.at(1, x, i*t.bytes()))}
				VPADDD(u[1], u[0], u[0])
				VPADDD(sums.at(2, x, i*t.bytes()), u[0], u[0])
				VPSUBD(sums.at(2, x, i*t.bytes()), u[1], u[1])
				VPSUBD(sums.at(3, x, i*t.bytes()), u[1], u[1])
				for y, v := range u {
					first, second := acc[y][0][i], acc[y][1][i]
					switch x {
					case 0:
						VMOVAPS(v, first)
					case 1:
						VPADDD(v, first, first)
						VMOVAPS(v, second)
					case 2:
						VPADDD(v, first, first)
						VPSUBD(v, second, second)
					case 3:
						VPSUBD(v, second, second)
					}
				}
			}
		}
		to, add, by := GP64(), GP64(), GP64()
		for y := range acc {
			MOVQ(dst, to)
			MOVQ(skip, add)
			if y == 1 {
				entriesOn(to, place(Param("second")), by)
				entriesOn(add, place(Param("skipSecond")), by)
			}
			for x := range acc[y] {
				if x == 1 {
					entriesOn(to, place(Param("outputs")), by)
					entriesOn(add, place(Param("skipStep")), by)
				}
				finish(acc[y][x], to, add)
			}
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
