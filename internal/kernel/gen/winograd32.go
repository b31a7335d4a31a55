package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A map of winograd32.go sets some vectors to sums of others.
type linearMap struct {
	name     string
	from, to int
	compute  func(m *mapping)
}

// mapping writes a linear map of the vectors in.
type mapping struct {
	tier
	in        []reg.VecVirtual
	constants map[float32]reg.VecVirtual
	store     func(i int, v reg.VecVirtual)
}

// plus returns a + b in a new register.
func (m *mapping) plus(a, b reg.VecVirtual) reg.VecVirtual {
	v := m.vec()
	VADDPS(b, a, v)
	return v
}

// minus returns a − b in a new register.
func (m *mapping) minus(a, b reg.VecVirtual) reg.VecVirtual {
	v := m.vec()
	VSUBPS(b, a, v)
	return v
}

// times returns f·a in a new register.
func (m *mapping) times(f float32, a reg.VecVirtual) reg.VecVirtual {
	v := m.vec()
	VMULPS(m.constants[f], a, v)
	return v
}

// fuse returns f·a + b in a new register.
func (m *mapping) fuse(f float32, a, b reg.VecVirtual) reg.VecVirtual {
	v := m.vec()
	VMOVAPS(b, v)
	VFMADD231PS(m.constants[f], a, v)
	return v
}

// define registers an operation that applies a map to each of k entries in n groups. constants are the factors that
// compute uses.
func (l linearMap) define(constants ...float32) struct{} {
	return register(operation{
		name:      l.name,
		signature: "(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int)",
		needs:     "k is a multiple of 16, k and n are at least 1",
		assembly: func(t tier) {
			dst, dstGap, dstStep := pointer("dst"), pointer("dstGap"), pointer("dstStep")
			src, srcGap, srcStep, n := pointer("src"), pointer("srcGap"), pointer("srcStep"), pointer("n")
			for _, r := range []reg.GPVirtual{dstGap, dstStep, srcGap, srcStep} {
				SHLQ(U8(2), r)
			}
			m := mapping{tier: t, constants: map[float32]reg.VecVirtual{}}
			for _, f := range constants {
				m.constants[f] = t.constant32(math.Float32bits(f))
			}
			while(n, 1, func() {
				k, from, to := pointer("k"), GP64(), GP64()
				MOVQ(src, from)
				MOVQ(dst, to)
				loop := label("loop")
				Label(loop)
				m.in = nil
				for _, a := range eachGap(from, srcGap, l.from) {
					m.in = append(m.in, t.load(a()))
				}
				places := eachGap(to, dstGap, l.to)
				next := 0
				m.store = func(i int, v reg.VecVirtual) {
					if i != next {
						panic(l.name + ": results are stored in their order")
					}
					VMOVUPS(v, places[i]())
					next++
				}
				l.compute(&m)
				ADDQ(U8(t.bytes()), from)
				ADDQ(U8(t.bytes()), to)
				SUBQ(U8(t.lanes32()), k)
				JNZ(LabelRef(loop))
				ADDQ(srcStep, src)
				ADDQ(dstStep, dst)
				DECQ(n)
			})
		},
	})
}

// eachGap returns, for each of count places that are gap bytes apart, a function that writes what its address needs and
// returns that. They must be called in their order.
func eachGap(base, gap reg.GPVirtual, count int) (list []func() Mem) {
	far := GP64()
	for i := range count {
		list = append(list, func() Mem {
			switch i {
			case 0:
				return Mem{Base: base}
			case 1, 2:
				return Mem{Base: base, Index: gap, Scale: uint8(i)}
			case 3:
				LEAQ(Mem{Base: base, Index: gap, Scale: 2}, far)
				return Mem{Base: far, Index: gap, Scale: 1}
			case 4:
				return Mem{Base: far, Index: gap, Scale: 2}
			default:
				ADDQ(gap, far)
				return Mem{Base: far, Index: gap, Scale: 2}
			}
		})
	}
	return list
}

var (
	_ = linearMap{"spreadSamples", 6, 6, func(m *mapping) {
		a, b, c, d, e, f := m.in[0], m.in[1], m.in[2], m.in[3], m.in[4], m.in[5]
		m.store(0, m.fuse(4, a, m.fuse(-5, c, e)))
		p, q := m.fuse(-4, c, e), m.fuse(-4, b, d)
		m.store(1, m.plus(p, q))
		m.store(2, m.minus(p, q))
		p, q = m.minus(e, c), m.minus(d, b)
		q = m.plus(q, q)
		m.store(3, m.plus(p, q))
		m.store(4, m.minus(p, q))
		m.store(5, m.fuse(4, b, m.fuse(-5, d, f)))
	}}.define(4, -5, -4)

	_ = linearMap{"gatherSums", 6, 4, func(m *mapping) {
		s, d := m.plus(m.in[1], m.in[2]), m.minus(m.in[1], m.in[2])
		s2, d2 := m.plus(m.in[3], m.in[4]), m.minus(m.in[3], m.in[4])
		m.store(0, m.plus(m.plus(m.in[0], s), s2))
		m.store(1, m.fuse(2, d2, d))
		m.store(2, m.fuse(4, s2, s))
		m.store(3, m.plus(m.fuse(8, d2, d), m.in[5]))
	}}.define(2, 4, 8)

	_ = linearMap{"spreadGradients", 4, 6, func(m *mapping) {
		even, odd := m.plus(m.in[0], m.in[2]), m.plus(m.in[1], m.in[3])
		m.store(0, m.in[0])
		m.store(1, m.plus(even, odd))
		m.store(2, m.minus(even, odd))
		even, odd = m.fuse(4, m.in[2], m.in[0]), m.fuse(4, m.in[3], m.in[1])
		odd = m.plus(odd, odd)
		m.store(3, m.plus(even, odd))
		m.store(4, m.minus(even, odd))
		m.store(5, m.in[3])
	}}.define(4)

	_ = linearMap{"spreadTaps", 3, 6, func(m *mapping) {
		g, h, i := m.in[0], m.in[1], m.in[2]
		m.store(0, m.times(1./4, g))
		even, odd := m.times(-1./6, m.plus(g, i)), m.times(-1./6, h)
		m.store(1, m.plus(even, odd))
		m.store(2, m.minus(even, odd))
		even, odd = m.fuse(1./24, g, m.times(1./6, i)), m.times(1./12, h)
		m.store(3, m.plus(even, odd))
		m.store(4, m.minus(even, odd))
		m.store(5, i)
	}}.define(1./4, 1./6, -1./6, 1./12, 1./24)

	_ = linearMap{"gatherTaps", 6, 3, func(m *mapping) {
		s, d := m.times(-1./6, m.plus(m.in[1], m.in[2])), m.minus(m.in[2], m.in[1])
		s2, d2 := m.plus(m.in[3], m.in[4]), m.minus(m.in[3], m.in[4])
		m.store(0, m.fuse(1./24, s2, m.fuse(1./4, m.in[0], s)))
		m.store(1, m.fuse(1./12, d2, m.times(1./6, d)))
		m.store(2, m.plus(m.fuse(1./6, s2, s), m.in[5]))
	}}.define(1./4, 1./6, -1./6, 1./12, 1./24)
)
