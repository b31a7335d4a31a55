package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "transformResidual",
	signature: "(dst []float32, second int, sums []int32, stride, n, outputs int, scale []float32)",
	needs:     "n is at least 1, outputs a multiple of 16, at least 16",
	assembly:  func(t tier) { t.transformResidual("sums", "") },
	simd:      simdTransformResidual,
	tiers:     []string{AVX2, AVX512BW, SIMD128},
})

var _ = register(operation{
	name:      "transformWideResidual",
	signature: "(dst []float32, second int, low, high []int32, stride, n, outputs int, scale []float32)",
	needs:     "n is at least 1, outputs a multiple of 16, at least 16",
	assembly:  func(t tier) { t.transformResidual("low", "high") },
	tiers:     []string{AVX2, AVX512BW},
})

// transformResidual is transformOutput whose outputs are float32, of sums of one or of two parts.
func (t tier) transformResidual(low, high string) {
	t.outputGroups(func(output reg.GPVirtual, next int, lanes []int) {
		t.residualTiles(low, high, output, next, lanes)
	})
}

// residualTiles is a body of outputGroups.
func (t tier) residualTiles(low, high string, output reg.GPVirtual, next int, lanes []int) {
	scale, columns := pointer("scale"), steps{one: pointer("stride"), three: GP64()}
	LEAQ(Mem{Base: scale, Index: output, Scale: 4}, scale)
	SHLQ(U8(2+1), columns.one)
	LEAQ(Mem{Base: columns.one, Index: columns.one, Scale: 2}, columns.three)
	var parts []reg.GPVirtual
	for _, name := range []string{low, high} {
		if name != "" {
			p := pointer(name)
			LEAQ(Mem{Base: p, Index: output, Scale: 4}, p)
			parts = append(parts, p)
		}
	}
	dst, n, step := pointer("dst"), pointer("n"), t.parts(13)
	LEAQ(Mem{Base: dst, Index: output, Scale: 4, Disp: 4 * next}, dst)
	top := label("tile")
	Label(top)
	for y := range 2 {
		for x := range 2 {
			var acc []reg.VecVirtual
			for _, lane := range lanes {
				var sums []reg.VecVirtual
				for _, p := range parts {
					sums = append(sums, t.tileSum(p, columns, y, x, lane))
				}
				if high == "" {
					VCVTDQ2PS(sums[0], sums[0])
				} else {
					sums[0] = t.addParts(sums[0], sums[1], step)
				}
				VMULPS(from(scale, lane), sums[0], sums[0])
				acc = append(acc, sums[0])
			}
			to, entries := GP64(), GP64()
			MOVQ(dst, to)
			if y == 1 {
				MOVQ(place(Param("second")), entries)
				LEAQ(Mem{Base: to, Index: entries, Scale: 4}, to)
			}
			if x == 1 {
				MOVQ(place(Param("outputs")), entries)
				LEAQ(Mem{Base: to, Index: entries, Scale: 4}, to)
			}
			for i, v := range t.orderOutputs(acc) {
				VMOVUPS(v, from(to, i*t.bytes()))
			}
		}
	}
	entries := GP64()
	MOVQ(place(Param("outputs")), entries)
	LEAQ(Mem{Base: dst, Index: entries, Scale: 8}, dst)
	for _, p := range parts {
		LEAQ(Mem{Base: p, Index: entries, Scale: 4}, p)
	}
	DECQ(n)
	JNZ(LabelRef(top))
}

// tileSum returns the sums of output (x, y) of a tile.
func (t tier) tileSum(p reg.GPVirtual, columns steps, y, x, lane int) reg.VecVirtual {
	if y == 1 { // the second row
		r := GP64()
		MOVQ(columns.one, r)
		SHRQ(U8(1), r)
		ADDQ(p, r)
		p = r
	}
	v := t.load(columns.at(p, 1, lane))
	if x == 0 {
		VPADDD(columns.at(p, 2, lane), v, v)
		VPADDD(columns.at(p, 0, lane), v, v)
	} else {
		VPSUBD(columns.at(p, 2, lane), v, v)
		VPADDD(columns.at(p, 3, lane), v, v)
	}
	return v
}

// orderOutputs returns the vectors of outputs, in their order, of one or two vectors in that of sumLane.
func (t tier) orderOutputs(acc []reg.VecVirtual) []reg.VecVirtual {
	const even = 0b11_01_10_00 // exchanges the second and the third quarter
	switch {
	case t.lanes == 4:
		low := t.vec()
		VPERM2F128(U8(0x20), acc[1], acc[0], low)
		VPERM2F128(U8(0x31), acc[1], acc[0], acc[1])
		return []reg.VecVirtual{low, acc[1]}
	case len(acc) == 1:
		VSHUFF32X4(U8(even), acc[0], acc[0], acc[0])
		return acc
	}
	low := t.vec()
	VSHUFF32X4(U8(0b01_00_01_00), acc[1], acc[0], low)
	VSHUFF32X4(U8(0b11_10_11_10), acc[1], acc[0], acc[1])
	VSHUFF32X4(U8(even), low, low, low)
	VSHUFF32X4(U8(even), acc[1], acc[1], acc[1])
	return []reg.VecVirtual{low, acc[1]}
}
