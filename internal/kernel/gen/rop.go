package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ahead is how many bytes ahead the large arrays are prefetched.
const ahead = 4096

// columns writes two nested loops: c.each over columns and, within its body, c.entries over the vectors of a column.
// offset counts bytes from the start of the first column, and index from the start of the current one.
type columns struct {
	t             tier
	ld, count     reg.GPVirtual // the bytes of a column, and how many columns are left
	offset, index reg.GPVirtual
}

// columns returns the writer of loops for the registers ld, the numbers in a column, and count, the number of columns.
func (t tier) columns(ld, count reg.GPVirtual) *columns {
	c := &columns{t, ld, count, GP64(), GP64()}
	SHLQ(U8(3), c.ld)
	XORQ(c.offset, c.offset)
	return c
}

func (c *columns) each(body func()) {
	while(c.count, 1, func() {
		body()
		DECQ(c.count)
	})
}

// entries writes a loop over the vectors of a column of c.ld bytes. Then offset is at the start of the next column.
func (c *columns) entries(body func()) {
	XORQ(c.index, c.index)
	top := label("entries")
	Label(top)
	body()
	ADDQ(U8(c.t.bytes()), c.offset)
	ADDQ(U8(c.t.bytes()), c.index)
	CMPQ(c.index, c.ld)
	JL(LabelRef(top))
}

// rewind moves offset back to the start of the column that entries has just gone through.
func (c *columns) rewind() { SUBQ(c.ld, c.offset) }

var _ = register(operation{
	name:      "ropUpdate",
	signature: "(q, z, e, p, old, u, shrink, w, length []float64, alpha float64)",
	lengths:   []string{"u", "shrink"},
	needs:     "len(u) is a multiple of 8",
	assembly:  tier.ropUpdate,
})

// ropUpdate writes the loops of ROPUpdate: p = ((2s−1)·q − z + 2w·u − e)/2, old = s·q, q ← αp + (1−αs)·q, which is
// `next`, z ← z + α(p − w·u), and length = ‖q‖².
func (t tier) ropUpdate() {
	q, z, e, p, old, u := pointer("q"), pointer("z"), pointer("e"), pointer("p"), pointer("old"), pointer("u")
	shrink, w, length := pointer("shrink"), pointer("w"), pointer("length")
	c := t.columns(lengthOf("u"), lengthOf("shrink"))
	alpha, ones, halves := t.number("alpha"), t.constant(one), t.constant(half)
	c.each(func() {
		s, ww, g, aw, keep := t.broadcast(from(shrink, 0)), t.broadcast(from(w, 0)), t.vec(), t.vec(), t.vec()
		VADDPD(s, s, g)
		VSUBPD(ones, g, g) // 2s − 1
		VMULPD(alpha, ww, aw)
		VADDPD(ww, ww, ww)
		VMOVAPD(ones, keep)
		VFNMADD231PD(alpha, s, keep) // 1 − αs
		sum := t.zero()
		c.entries(func() {
			PREFETCHT1(at(q, c.offset, ahead))
			PREFETCHT1(at(z, c.offset, ahead))
			PREFETCHT1(at(e, c.offset, ahead))
			a, b, d, next := t.load(at(q, c.offset, 0)), t.load(at(z, c.offset, 0)), t.load(at(u, c.index, 0)), t.vec()
			x := t.vec()
			VMULPD(ww, d, x)
			VSUBPD(at(e, c.offset, 0), x, x)
			VSUBPD(b, x, x)
			VFMADD231PD(g, a, x)
			VMULPD(halves, x, x)
			VMOVUPD(x, at(p, c.offset, 0))
			VMULPD(keep, a, next)
			VFMADD231PD(alpha, x, next)
			VMOVUPD(next, at(q, c.offset, 0))
			VMULPD(s, a, a)
			VMOVUPD(a, at(old, c.offset, 0))
			VFMADD231PD(alpha, x, b)
			VFNMADD231PD(aw, d, b)
			VMOVUPD(b, at(z, c.offset, 0))
			VFMADD231PD(next, next, sum)
		})
		VMOVSD(t.sum(sum), from(length, 0))
		ADDQ(U8(8), shrink)
		ADDQ(U8(8), w)
		ADDQ(U8(8), length)
	})
}

var _ = register(operation{
	name:      "shorten",
	signature: "(shrink, part, square []float64, penalty, c, r float64, out []float64)",
	lengths:   []string{"shrink"},
	needs:     "len(shrink) is a multiple of 8",
	assembly:  tier.shorten,
})

// shorten writes the loop of Shorten: now = max(0, 1 − t·(1−c+ct)), t = 1/(ρ√x), lost = 1 − now, part = now − r·lost,
// and sums of now²·x and lost²·x.
func (t tier) shorten() {
	shrink, part, square := pointer("shrink"), pointer("part"), pointer("square")
	n, out := lengthOf("shrink"), pointer("out")
	rho, c, r, ones := t.number("penalty"), t.number("c"), t.number("r"), t.constant(one)
	bar, length, rest := t.vec(), t.zero(), t.zero()
	VMULPD(rho, rho, bar)
	VDIVPD(bar, ones, bar)
	while(n, t.lanes, func() {
		x, s, now, lost, g := t.load(from(square, 0)), t.vec(), t.zero(), t.vec(), t.vec()
		VSQRTPD(x, s)
		VMULPD(rho, s, s)
		VDIVPD(s, ones, s)
		VSUBPD(c, ones, g)
		VFMADD231PD(c, s, g) // 1 − c + ct
		VFNMADD213PD(ones, g, s)
		t.where(greater, x, bar, s, now)
		VMOVUPD(now, from(shrink, 0))
		VSUBPD(now, ones, lost)
		VADDPD(now, now, g)
		VSUBPD(now, g, g)
		VFNMADD231PD(r, lost, g)
		VMOVUPD(g, from(part, 0))
		VMULPD(now, now, now)
		VFMADD231PD(x, now, length)
		VMULPD(lost, lost, lost)
		VFMADD231PD(x, lost, rest)
		for _, p := range []reg.GPVirtual{square, shrink, part} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes), n)
	})
	t.addTo(length, from(out, 0))
	t.addTo(rest, from(out, 8))
}

var _ = register(operation{
	name:      "ropResidual",
	signature: "(q, z, p, old, sum, shrink, part, out []float64, ld int, keep float64)",
	lengths:   []string{"shrink"},
	needs:     "ld is a multiple of 8",
	assembly:  tier.ropResidual,
})

// ropResidual adds part·q − keep·z to sum, and ‖p − s·q‖² and ‖old − s·q‖² of all columns, as pq and moved, to out.
func (t tier) ropResidual() {
	q, z, p, old, sum := pointer("q"), pointer("z"), pointer("p"), pointer("old"), pointer("sum")
	shrink, part, out := pointer("shrink"), pointer("part"), pointer("out")
	c := t.columns(pointer("ld"), lengthOf("shrink"))
	keep := t.number("keep")
	pq, moved := t.zero(), t.zero()
	c.each(func() {
		s, g := t.broadcast(from(shrink, 0)), t.broadcast(from(part, 0))
		c.entries(func() {
			a, x := t.load(at(q, c.offset, 0)), t.load(at(p, c.offset, 0))
			y, to := t.load(at(old, c.offset, 0)), t.load(at(sum, c.offset, 0))
			VFNMADD231PD(s, a, x)
			VFNMADD231PD(s, a, y)
			VFMADD231PD(x, x, pq)
			VFMADD231PD(y, y, moved)
			VFMADD231PD(g, a, to)
			VFNMADD231PD(at(z, c.offset, 0), keep, to)
			VMOVUPD(to, at(sum, c.offset, 0))
		})
		ADDQ(U8(8), shrink)
		ADDQ(U8(8), part)
	})
	t.addTo(pq, from(out, 0))
	t.addTo(moved, from(out, 8))
}

// addTo adds the sum of the lanes of v to the number at m.
func (t tier) addTo(v reg.VecVirtual, m Mem) {
	addNumber(t.sum(v), m)
}

// addNumber adds the number x to the number at m.
func addNumber(x reg.VecVirtual, m Mem) {
	VADDSD(m, x, x)
	VMOVSD(x, m)
}

var _ = register(operation{
	name:      "powerStep",
	signature: "(z, u, next []float64, cols int)",
	lengths:   []string{"u"},
	needs:     "len(u) is a multiple of 8",
	assembly:  tier.powerStep,
})

// powerStep writes the loops of PowerStep: the products of columns with u, then the columns times these, added to next.
// It takes four columns at a time, so that next is read and written only once for all four.
func (t tier) powerStep() {
	z, u, next := pointer("z"), pointer("u"), pointer("next")
	c := t.columns(lengthOf("u"), pointer("cols"))
	second, third, fourth := GP64(), GP64(), GP64()
	for _, w := range []int{4, 1} {
		while(c.count, w, func() {
			base := []reg.GPVirtual{z, second, third, fourth}[:w]
			if w == 4 {
				LEAQ(Mem{Base: z, Index: c.ld, Scale: 1}, second)
				LEAQ(Mem{Base: z, Index: c.ld, Scale: 2}, third)
				LEAQ(Mem{Base: second, Index: c.ld, Scale: 2}, fourth)
			}
			dots := t.zeros(w)
			XORQ(c.offset, c.offset)
			c.entries(func() {
				d := t.load(at(u, c.index, 0))
				for i := range w {
					PREFETCHT0(at(base[i], c.index, ahead))
					VFMADD231PD(at(base[i], c.index, 0), d, dots[i])
				}
			})
			var x []reg.VecVirtual
			for i := range w {
				x = append(x, t.broadcast(t.sum(dots[i])))
			}
			c.entries(func() {
				to := t.load(at(next, c.index, 0))
				for i := range w {
					VFMADD231PD(at(base[i], c.index, 0), x[i], to)
				}
				VMOVUPD(to, at(next, c.index, 0))
			})
			if w == 4 {
				LEAQ(Mem{Base: z, Index: c.ld, Scale: 4}, z)
			} else {
				ADDQ(c.ld, z)
			}
			SUBQ(U8(w), c.count)
		})
	}
}

var _ = register(operation{
	name:      "project",
	signature: "(z, q, u, shrink, w, out []float64)",
	lengths:   []string{"u", "shrink"},
	needs:     "len(u) is a multiple of 8",
	assembly:  tier.project,
})

// project writes the loops of Project: w = zᵀu, a sum of ‖s·q − w·u‖², which is w² if s is 0, and a sum of ‖z‖² − w².
func (t tier) project() {
	z, q, u, shrink, w, out := pointer("z"), pointer("q"), pointer("u"), pointer("shrink"), pointer("w"), pointer("out")
	c := t.columns(lengthOf("u"), lengthOf("shrink"))
	qz, length := t.zero(), t.zero()
	none, alone, taken := XMM(), XMM(), XMM() // 0, Σw² where s is zero, −Σw² everywhere
	for _, x := range []reg.VecVirtual{none, alone, taken} {
		VXORPD(x, x, x)
	}
	c.each(func() {
		dot := t.zero()
		c.entries(func() {
			PREFETCHT0(at(z, c.offset, ahead))
			zz := t.load(at(z, c.offset, 0))
			VFMADD231PD(at(u, c.index, 0), zz, dot)
			VFMADD231PD(zz, zz, length)
		})
		x := t.sum(dot)
		VMOVSD(x, from(w, 0))
		VFNMADD231SD(x, x, taken)
		used, unused, next := label("used"), label("unused"), label("next")
		VUCOMISD(from(shrink, 0), none)
		JPS(LabelRef(used)) // NaN
		JEQ(LabelRef(unused))
		Label(used)
		v, s := t.broadcast(x), t.broadcast(from(shrink, 0))
		c.rewind()
		c.entries(func() {
			part := t.vec()
			VMULPD(at(u, c.index, 0), v, part)
			VFMSUB231PD(at(q, c.offset, 0), s, part)
			VFMADD231PD(part, part, qz)
		})
		JMP(LabelRef(next))
		Label(unused)
		VFMADD231SD(x, x, alone)
		Label(next)
		ADDQ(U8(8), shrink)
		ADDQ(U8(8), w)
	})
	t.addTo(qz, from(out, 0))
	t.addTo(length, from(out, 8))
	addNumber(alone, from(out, 0))
	addNumber(taken, from(out, 8))
}

var _ = register(operation{
	name:      "rescale",
	signature: "(q, z, u, grow, w []float64, r float64)",
	lengths:   []string{"u", "grow"},
	needs:     "len(u) is a multiple of 8",
	assembly:  tier.rescale,
})

// rescale writes the loops of Rescale: a column of q becomes s·q, where s is its entry of grow. A column of z becomes
// w·u + r(z − w·u).
func (t tier) rescale() {
	q, z, u, grow, w := pointer("q"), pointer("z"), pointer("u"), pointer("grow"), pointer("w")
	c := t.columns(lengthOf("u"), lengthOf("grow"))
	r := t.number("r")
	c.each(func() {
		s, v := t.broadcast(from(grow, 0)), t.broadcast(from(w, 0))
		c.entries(func() {
			a, b, part := t.vec(), t.load(at(z, c.offset, 0)), t.vec()
			VMULPD(at(q, c.offset, 0), s, a)
			VMOVUPD(a, at(q, c.offset, 0))
			VMULPD(at(u, c.index, 0), v, part)
			VSUBPD(part, b, b)
			VFMADD231PD(r, b, part)
			VMOVUPD(part, at(z, c.offset, 0))
		})
		ADDQ(U8(8), grow)
		ADDQ(U8(8), w)
	})
}

var _ = register(operation{
	name:      "mask",
	signature: "(x, w, s []float64) (count int)",
	lengths:   []string{"w"},
	needs:     "len(w) is a multiple of 8",
	assembly:  tier.maskEntries,
	tiers:     []string{AVX2},
})

// maskEntries writes the loop of Mask: it copies w to x where s is not zero, else sets x to 0, and counts the copies.
func (t tier) maskEntries() {
	x, w, s, n := pointer("x"), pointer("w"), pointer("s"), lengthOf("w")
	const notEqual = 4 // or NaN
	none, total := t.zero(), GP64()
	XORQ(total, total)
	while(n, t.lanes, func() {
		used, v, bits := t.compare64(notEqual, t.load(from(s, 0)), none).v, t.vec(), GP32()
		VMASKMOVPD(from(w, 0), used, v) // 0 in the other lanes
		VMOVUPD(v, from(x, 0))
		VMOVMSKPD(used, bits)
		POPCNTL(bits, bits)
		ADDQ(bits.As64(), total)
		for _, p := range []reg.GPVirtual{x, w, s} {
			ADDQ(U8(t.bytes()), p)
		}
		SUBQ(U8(t.lanes), n)
	})
	Store(total, ReturnIndex(0))
}
