package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// linearMap is a map of winograd32.go of package kernel: each of its results is a linear combination of its inputs.
type linearMap struct {
	name     string
	from, to int
	compute  func(m *mapping)
}

// mapping writes the code of a linear map: in holds its inputs, and store stores result i.
type mapping struct {
	*code
	in    []vector
	store func(i int, v vector)
}

func (m *mapping) plus(a, b vector) vector  { return m.of(opAdd, a, b) }
func (m *mapping) minus(a, b vector) vector { return m.of(opSub, a, b) }

func (m *mapping) times(f float32, a vector) vector { return m.of(opMul, a, m.constant(f)) }

func (m *mapping) fuse(f float32, a, b vector) vector { return m.code.fuse(m.constant(f), a, b) }

// define registers an operation that multiplies vectors by the matrix l. The components of a vector lie srcGap
// numbers apart, the components of its result dstGap. k vectors begin at numbers side by side, and there are n such
// groups, srcStep and dstStep numbers apart. The result is empty: it lets a variable of the package call define.
func (l linearMap) define() struct{} {
	return portable(l.name, "(dst []float32, dstGap, dstStep int, src []float32, srcGap, srcStep, k, n int)", nil,
		"k is a multiple of 16, k and n are at least 1", func(c *code) {
			dst, dstGap, dstStep := c.param("dst"), c.bytesOf("dstGap"), c.bytesOf("dstStep")
			src, srcGap, srcStep := c.param("src"), c.bytesOf("srcGap"), c.bytesOf("srcStep")
			c.repeat(c.param("n"), func() {
				k, from, to := c.param("k"), c.copyOf(src), c.copyOf(dst)
				c.while(k, c.lanes32(), func() {
					m := mapping{code: c, store: c.storing(to, dstGap)}
					places := c.eachGap(from, srcGap)
					for range l.from {
						base, offset := places()
						m.in = append(m.in, c.loadPlace(base, offset))
					}
					l.compute(&m)
					c.increase(from, c.bytes())
					c.increase(to, c.bytes())
					c.increase(k, -c.lanes32())
				})
				c.plus(src, srcStep)
				c.plus(dst, dstStep)
			})
		})
}

// storing returns a function that stores vectors, one after the other, at addresses gap bytes apart.
func (c *code) storing(to, gap integer) func(i int, v vector) {
	places, next := c.eachGap(to, gap), 0
	return func(i int, v vector) {
		if i != next {
			panic("results are stored in their order")
		}
		next++
		base, m := places()
		if c.arm != nil {
			c.store(v, base, 0)
		} else {
			VMOVUPS(v.VecVirtual, m)
		}
	}
}

// loadPlace returns the vector at an address from eachGap: base on arm64, m on amd64.
func (c *code) loadPlace(base integer, m Mem) vector {
	if c.arm != nil {
		return c.load(base, 0)
	}
	return vector{VecVirtual: c.tier.load(m)}
}

// eachGap returns a function that returns the addresses base, base + gap, base + 2·gap and so on, with gap in bytes: on
// arm64 as an integer, on amd64 as a memory operand.
func (c *code) eachGap(base, gap integer) func() (integer, Mem) {
	i, far := -1, c.newNumber()
	return func() (integer, Mem) {
		i++
		if c.arm != nil {
			if i == 0 {
				c.set(far, base)
			} else {
				c.plus(far, gap)
			}
			return far, Mem{}
		}
		switch {
		case i == 0:
			return far, Mem{Base: base.GPVirtual}
		case i < 3:
			return far, Mem{Base: base.GPVirtual, Index: gap.GPVirtual, Scale: uint8(i)}
		case i == 3:
			LEAQ(Mem{Base: base.GPVirtual, Index: gap.GPVirtual, Scale: 2}, far.GPVirtual)
			return far, Mem{Base: far.GPVirtual, Index: gap.GPVirtual, Scale: 1}
		case i > 4:
			ADDQ(gap.GPVirtual, far.GPVirtual)
		}
		return far, Mem{Base: far.GPVirtual, Index: gap.GPVirtual, Scale: 2}
	}
}

// spreadRows is spreadSamples for 6 rows of samples, given by their offsets.
var _ = portable("spreadRows",
	"(dst []float32, dstGap, dstStep int, src []float32, rows []int, srcStep, k, n int)", nil,
	"k is a multiple of 16, k and n are at least 1", func(c *code) {
		dst, gap, index := c.param("dst"), c.bytesOf("dstGap"), c.zeroNumber()
		src, list := c.param("src"), c.param("rows")
		var rows []integer
		for i := range 6 {
			rows = append(rows, c.entry(src, list, 8*i))
		}
		c.repeat(c.param("n"), func() {
			k, to, at := c.param("k"), c.copyOf(dst), c.copyOf(index)
			c.while(k, c.lanes32(), func() {
				m := mapping{code: c, store: c.storing(to, gap)}
				for _, r := range rows {
					c.prefetch(r, at)
					m.in = append(m.in, c.loadAt(r, at))
				}
				m.spread()
				c.increase(at, c.bytes())
				c.increase(to, c.bytes())
				c.increase(k, -c.lanes32())
			})
			c.plus(index, c.bytesOf("srcStep"))
			c.plus(dst, c.bytesOf("dstStep"))
		})
	})

// gatherRows goes along the channels of each sample, by an index that rises to 0 and pointers to the ends of rows.
var _ = portable("gatherRows", "(dst []float32, rows []int, dstStep int, src []float32, gap int, "+
	"slope, skip []float32, skipRows []int, skipStep, n int)", []string{"slope"},
	"len(slope) is a multiple of 16, n at least 1", func(c *code) {
		var to, add []integer
		from, slope := c.param("src"), c.param("slope")
		c.plus(slope, c.bytesOf(lengthName("slope")))
		ends := func(base, list string) (ends []integer) {
			first, rows := c.param(base), c.param(list)
			c.plus(first, c.bytesOf(lengthName("slope")))
			for i := range 4 {
				ends = append(ends, c.entry(first, rows, 8*i))
			}
			return ends
		}
		to, add = ends("dst", "rows"), ends("skip", "skipRows")
		gap, n := c.bytesOf("gap"), c.param("n")
		c.repeat(n, func() {
			index := c.zeroNumber()
			c.minus(index, c.bytesOf(lengthName("slope")))
			c.untilZero(index, c.bytes(), func() {
				places := c.eachGap(from, gap)
				m := mapping{code: c}
				for range 6 {
					base, place := places()
					m.in = append(m.in, c.loadPlace(base, place))
				}
				s := c.loadAt(slope, index)
				m.store = func(i int, v vector) {
					c.prefetch(to[i], index)
					c.storeAt(c.of(opAdd, c.inclined(v, s), c.loadAt(add[i], index)), to[i], index)
				}
				m.gather()
				c.increase(from, c.bytes())
			})
			for i := range to {
				c.plus(to[i], c.bytesOf("dstStep"))
				c.plus(add[i], c.bytesOf("skipStep"))
			}
		})
	})

// eachChannel writes a loop over a slice with one entry a channel; body gets the byte offset of each vector.
func (c *code) eachChannel(slice string, body func(column integer)) {
	column, left := c.zeroNumber(), c.lengthOf(slice)
	c.while(left, c.lanes32(), func() {
		body(column)
		c.increase(column, c.bytes())
		c.increase(left, -c.lanes32())
	})
}

// inclined returns v, with lanes of negative sign multiplied by slope.
func (c *code) inclined(v, slope vector) vector { return c.ifNegative(v, c.of(opMul, v, slope), v) }

// spread writes the input transform of Winograd's F(4×4,3×3) along one direction: Bᵀ times the six samples of m.in.
func (m *mapping) spread() {
	a, b, c, d, e, f := m.in[0], m.in[1], m.in[2], m.in[3], m.in[4], m.in[5]
	m.store(0, m.fuse(4, a, m.fuse(-5, c, e)))
	p, q := m.fuse(-4, c, e), m.fuse(-4, b, d)
	m.store(1, m.plus(p, q))
	m.store(2, m.minus(p, q))
	p, q = m.minus(e, c), m.minus(d, b)
	m.store(3, m.fuse(2, q, p))
	m.store(4, m.fuse(-2, q, p))
	m.store(5, m.fuse(4, b, m.fuse(-5, d, f)))
}

// gather writes the output transform of Winograd's F(4×4,3×3) along one direction: Aᵀ times the six sums of m.in.
func (m *mapping) gather() {
	s, d := m.plus(m.in[1], m.in[2]), m.minus(m.in[1], m.in[2])
	s2, d2 := m.plus(m.in[3], m.in[4]), m.minus(m.in[3], m.in[4])
	m.store(0, m.plus(m.plus(m.in[0], s), s2))
	m.store(1, m.fuse(2, d2, d))
	m.store(2, m.fuse(4, s2, s))
	m.store(3, m.plus(m.fuse(8, d2, d), m.in[5]))
}

var (
	_ = linearMap{"spreadSamples", 6, 6, (*mapping).spread}.define()
	_ = linearMap{"gatherSums", 6, 4, (*mapping).gather}.define()

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
	}}.define()

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
	}}.define()

	_ = linearMap{"gatherTaps", 6, 3, func(m *mapping) {
		s, d := m.times(-1./6, m.plus(m.in[1], m.in[2])), m.minus(m.in[2], m.in[1])
		s2, d2 := m.plus(m.in[3], m.in[4]), m.minus(m.in[3], m.in[4])
		m.store(0, m.fuse(1./24, s2, m.fuse(1./4, m.in[0], s)))
		m.store(1, m.fuse(1./12, d2, m.times(1./6, d)))
		m.store(2, m.plus(m.fuse(1./6, s2, s), m.in[5]))
	}}.define()
)
