package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "mul",
	signature: "(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int)",
	needs:     "rows is a multiple of 4, cols of 8",
	assembly:  tier.mul,
})

// mul writes C = AᵀB, by tiles of 4 rows of C. A tile stays in registers during the loop over the inner dimension, so
// every entry is one chain of fused multiply-adds in the same order, in a tile of any width.
func (t tier) mul() {
	c, ldc, lda, ldb, rows := pointer("c"), pointer("ldc"), pointer("lda"), pointer("ldb"), pointer("rows")
	aRows := pointer("a")
	for _, r := range []reg.GPVirtual{ldc, lda, ldb} {
		SHLQ(U8(3), r)
	}
	widths := []int{4, 2, 1}
	if t.lanes == 4 {
		widths = []int{2}
	}
	// All widths of tiles share one set of registers.
	acc := make([]reg.VecVirtual, 4*widths[0])
	for i := range acc {
		acc[i] = t.vec()
	}
	while(rows, 4, func() {
		cols, b, to := pointer("cols"), pointer("b"), GP64()
		MOVQ(c, to)
		for _, w := range widths {
			while(cols, w*t.lanes, func() {
				t.mulTile(acc[:4*w], to, ldc, aRows, lda, b, ldb)
				ADDQ(U32(w*t.bytes()), b)
				ADDQ(U32(w*t.bytes()), to)
				SUBQ(U32(w*t.lanes), cols)
			})
		}
		ADDQ(U8(32), aRows)
		LEAQ(Mem{Base: c, Index: ldc, Scale: 4}, c)
		SUBQ(U8(4), rows)
	})
}

// mulTile computes in acc, and stores at to, 4 rows of C = AᵀB, from 4 columns of A at aRows and columns of B at b.
func (t tier) mulTile(acc []reg.VecVirtual, to, ldc, aRows, lda, b, ldb reg.GPVirtual) {
	w := len(acc) / 4
	for _, v := range acc {
		t.clear(v)
	}
	inner, a, row := pointer("inner"), GP64(), GP64()
	MOVQ(aRows, a)
	MOVQ(b, row)
	while(inner, 1, func() {
		var right []reg.VecVirtual
		for i := range w {
			right = append(right, t.load(from(row, i*t.bytes())))
		}
		for r := range 4 {
			left := t.broadcast(from(a, 8*r))
			for i := range w {
				VFMADD231PD(right[i], left, acc[r*w+i])
			}
		}
		ADDQ(lda, a)
		ADDQ(ldb, row)
		DECQ(inner)
	})
	out := GP64()
	MOVQ(to, out)
	for r := range 4 {
		for i := range w {
			VMOVUPD(acc[r*w+i], from(out, i*t.bytes()))
		}
		if r < 3 {
			ADDQ(ldc, out)
		}
	}
}

var _ = register(operation{
	name:      "maxAbs",
	signature: "(v []float64) float64",
	lengths:   []string{"v"},
	needs:     "len(v) is a multiple of 8",
	assembly:  tier.maxAbs,
})

// maxAbs returns the largest magnitude in v. Four registers keep the largest so far, and are combined at the end.
func (t tier) maxAbs() {
	v, n := pointer("v"), lengthOf("v")
	sign, best := t.constant(signOff), t.zeros(4)
	t.unroll(n, func(o reg.GPVirtual, vectors int) {
		for i := range vectors {
			x := t.vec()
			VANDPD(at(v, o, i*t.bytes()), sign, x)
			VMAXPD(best[i], x, best[i]) // if x is NaN, best stays
		}
	})
	result(t.largestOf(best))
}

var _ = register(operation{
	name:      "indexAbs",
	signature: "(v []float64, value float64) int",
	lengths:   []string{"v"},
	needs:     "len(v) is a multiple of 8",
	assembly:  tier.indexAbs,
	tiers:     []string{AVX2},
})

// indexAbs returns the index of the first entry of magnitude value, or n. It finds a lane by the lowest bit of a mask.
func (t tier) indexAbs() {
	v, n, value := pointer("v"), lengthOf("v"), t.number("value")
	sign, i, mask := t.constant(signOff), GP64(), GP64()
	XORQ(i, i)
	top, found, out := label("loop"), label("found"), label("done")
	Label(top)
	CMPQ(i, n)
	JGE(LabelRef(out))
	x := t.vec()
	VANDPD(Mem{Base: v, Index: i, Scale: 8}, sign, x)
	if t.lanes == 8 {
		k := K()
		VCMPPD(U8(0), value, x, k)
		KMOVW(k, mask.As32())
	} else {
		equal := t.vec()
		VCMPPD(U8(0), value, x, equal)
		VMOVMSKPD(equal, mask.As32())
	}
	TESTL(mask.As32(), mask.As32())
	JNZ(LabelRef(found))
	ADDQ(U8(t.lanes), i)
	JMP(LabelRef(top))
	Label(found)
	BSFL(mask.As32(), mask.As32())
	ADDQ(mask, i)
	Label(out)
	Store(i, ReturnIndex(0))
}

var _ = register(operation{
	name:      "advance",
	signature: "(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64",
	lengths:   []string{"p", "row"},
	needs:     "len(p) is a multiple of 8",
	assembly:  tier.advance,
})

// advance writes the loops of Advance: four vectors of p = scale·(gram − Σ_i row_i·basis_i) at a time, summed in
// registers, and for each of them corr − proj·p and the largest |corr|.
func (t tier) advance() {
	p, corr, gram, basis, ld := pointer("p"), pointer("corr"), pointer("gram"), pointer("basis"), pointer("ld")
	row, n := pointer("row"), lengthOf("p")
	SHLQ(U8(3), ld)
	scale, proj := t.number("scale"), t.number("proj")
	sign, best := t.constant(signOff), t.zeros(4)
	t.unroll(n, func(o reg.GPVirtual, vectors int) {
		var v []reg.VecVirtual
		for i := range vectors {
			v = append(v, t.load(at(gram, o, i*t.bytes())))
		}
		b, r, rows := GP64(), GP64(), lengthOf("row")
		LEAQ(at(basis, o, 0), b)
		MOVQ(row, r)
		while(rows, 1, func() {
			l := t.broadcast(from(r, 0))
			for i := range vectors {
				VFNMADD231PD(from(b, i*t.bytes()), l, v[i])
			}
			ADDQ(U8(8), r)
			ADDQ(ld, b)
			DECQ(rows)
		})
		for i := range vectors {
			VMULPD(scale, v[i], v[i])
			VMOVUPD(v[i], at(p, o, i*t.bytes()))
			c := t.load(at(corr, o, i*t.bytes()))
			VFNMADD231PD(v[i], proj, c)
			VMOVUPD(c, at(corr, o, i*t.bytes()))
			VANDPD(sign, c, c)
			VMAXPD(best[i], c, best[i])
		}
	})
	result(t.largestOf(best))
}

var _ = register(operation{
	name:      "scores",
	signature: "(score, fresh, p, corr []float64, least, floor float64) float64",
	lengths:   []string{"score"},
	needs:     "len(score) is a multiple of 8",
	assembly:  tier.scores,
})

// scores writes the loops of Score: fresh loses p², and becomes +Inf if that leaves at most least. The score is
// corr²/fresh, or 0 where |corr| is at most floor. The largest scores stay in registers.
func (t tier) scores() {
	out, fresh, p, corr, n := pointer("score"), pointer("fresh"), pointer("p"), pointer("corr"), lengthOf("score")
	least, floor := t.number("least"), t.number("floor")
	sign, infinite, best := t.constant(signOff), t.constant(inf), t.zeros(4)
	t.unroll(n, func(o reg.GPVirtual, vectors int) {
		for i := range vectors {
			s, d := t.load(at(fresh, o, i*t.bytes())), t.load(at(p, o, i*t.bytes()))
			a, abs := t.load(at(corr, o, i*t.bytes())), t.vec()
			VFNMADD231PD(d, d, s)
			t.where(lessOrEqual, s, least, infinite, s)
			VMOVUPD(s, at(fresh, o, i*t.bytes()))
			VANDPD(sign, a, abs)
			VMULPD(a, a, a)
			VDIVPD(s, a, a)
			t.where(lessOrEqual, abs, floor, t.zero(), a)
			VMOVUPD(a, at(out, o, i*t.bytes()))
			VMAXPD(best[i], a, best[i])
		}
	})
	result(t.largestOf(best))
}

var _ = register(operation{
	name:      "add",
	signature: "(to, v []float64)",
	lengths:   []string{"to"},
	needs:     "len(to) is a multiple of 8",
	assembly:  tier.add,
	tiers:     []string{AVX2},
})

// add adds v to to, several vectors in each pass of the loop.
func (t tier) add() {
	to, v, n := pointer("to"), pointer("v"), lengthOf("to")
	t.unroll(n, func(o reg.GPVirtual, vectors int) {
		for i := range vectors {
			x := t.load(at(to, o, i*t.bytes()))
			VADDPD(at(v, o, i*t.bytes()), x, x)
			VMOVUPD(x, at(to, o, i*t.bytes()))
		}
	})
}
