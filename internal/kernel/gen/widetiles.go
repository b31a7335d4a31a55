package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = register(operation{
	name:      "splitSamples",
	signature: "(low, high, active, src []int16, step, samples int)",
	lengths:   []string{"active"},
	needs:     "len(active) is a multiple of 8, samples at least 1",
	assembly:  tier.splitSamples,
	tiers:     []string{AVX2, AVX512BW},
})

var _ = register(operation{
	name: "multiplyPairsOfTiles",
	signature: "(sums []int32, sumStride int, v []int16, stride, n, channels int, weights, bias []int32, " +
		"distances []int)",
	lengths:  []string{"bias", "distances"},
	needs:    "n is at least 12, len(distances) at least 1, len(bias) a multiple of 16, at least 16",
	assembly: func(t tier) { t.multiplyColumns(true) },
	tiers:    []string{AVX2, AVX512BW, AVX512},
})

var _ = register(operation{
	name: "transformWideOutput",
	signature: "(dst []int16, second int, low, high []int32, stride, n, outputs int, " +
		"positive, negative []float32, limits []int16, skip []int16, skipSecond, skipStep, dstStep int)",
	needs:    "n is at least 1, outputs a multiple of 16, at least 16",
	assembly: tier.transformWideOutput,
	tiers:    []string{AVX2, AVX512BW},
})

// splitSamples goes through all samples for as many channels as fill a vector.
func (t tier) splitSamples() {
	limit := func() Op { return lengthOf("active") }
	t.channelGroups(limit, func(channel reg.GPVirtual, channels int, vec func() reg.VecVirtual) {
		low, high, line := pointer("low"), pointer("high"), lengthOf("active")
		src, step := pointer("src"), pointer("step")
		for _, p := range []reg.GPVirtual{low, high, src} {
			LEAQ(Mem{Base: p, Index: channel, Scale: 2}, p)
		}
		one, used, n := vec(), vec(), pointer("samples")
		VPCMPEQW(ymm(one), ymm(one), ymm(one))
		if t.lanes == 8 && channels == 32 {
			VPTERNLOGD(U8(0xff), one, one, one)
		}
		VPXOR(ymm(used), ymm(used), ymm(used))
		sample := label("sample")
		Label(sample)
		x, h := vec(), vec()
		VMOVUPS(from(src, 0), x)
		VPSRAW(U8(12), x, h) // of which the upper part is the half, rounded
		VPSUBW(one, h, h)
		VPSRAW(U8(1), h, h)
		VMOVUPS(h, from(high, 0))
		if channels == 32 {
			VPORQ(h, used, used)
		} else {
			VPOR(h, used, used)
		}
		VPSLLW(U8(13), h, h)
		VPSUBW(h, x, x)
		VMOVUPS(x, from(low, 0))
		LEAQ(Mem{Base: src, Index: step, Scale: 2}, src)
		LEAQ(Mem{Base: low, Index: line, Scale: 2}, low)
		LEAQ(Mem{Base: high, Index: line, Scale: 2}, high)
		DECQ(n)
		JNZ(LabelRef(sample))
		active := pointer("active")
		LEAQ(Mem{Base: active, Index: channel, Scale: 2}, active)
		if channels == 32 {
			VPORQ(from(active, 0), used, used)
		} else {
			VPOR(from(active, 0), used, used)
		}
		VMOVUPS(used, from(active, 0))
	})
}

// ymm returns v, or the lower half of a long one.
func ymm(v reg.VecVirtual) reg.Register {
	if v.Size() == 64 {
		return v.AsY()
	}
	return v
}

// transformWideOutput is transformOutput for sums of two parts.
func (t tier) transformWideOutput() { t.outputGroups(t.transformWideTiles) }

// transformWideTiles is transformTiles for sums of two parts.
func (t tier) transformWideTiles(output reg.GPVirtual, next int, lanes []int) {
	up, down, limits := pointer("positive"), pointer("negative"), pointer("limits")
	LEAQ(Mem{Base: up, Index: output, Scale: 4}, up)
	LEAQ(Mem{Base: down, Index: output, Scale: 4}, down)
	columns := steps{one: pointer("stride"), three: GP64()}
	SHLQ(U8(2+1), columns.one)
	LEAQ(Mem{Base: columns.one, Index: columns.one, Scale: 2}, columns.three)
	low, high := pointer("low"), pointer("high")
	LEAQ(Mem{Base: low, Index: output, Scale: 4}, low)
	LEAQ(Mem{Base: high, Index: output, Scale: 4}, high)
	dst, add, n := pointer("dst"), pointer("skip"), pointer("n")
	LEAQ(Mem{Base: dst, Index: output, Scale: 2, Disp: 2 * next}, dst)
	LEAQ(Mem{Base: add, Index: output, Scale: 2, Disp: 2 * next}, add)
	step, most, least, by := t.parts(13), t.constant32(maxShort), t.constant32(minusMaxShort), t.vec()
	top := label("tile")
	Label(top)
	for y := range 2 {
		for x := range 2 {
			var acc []reg.VecVirtual
			for _, lane := range lanes {
				var parts [2]reg.VecVirtual
				for i, p := range []reg.GPVirtual{low, high} {
					parts[i] = t.tileSum(p, columns, y, x, lane)
				}
				v := t.addParts(parts[0], parts[1], step)
				t.chooseScale(v, t.load(from(up, lane)), from(down, lane), by)
				VMULPS(by, v, v)
				VMAXPS(least, v, v)
				VMINPS(most, v, v)
				VCVTPS2DQ(v, v)
				acc = append(acc, v)
			}
			v := t.pack(acc)
			clipAndAdd(v, limits, tileOutput(add, "skipSecond", "skipStep", y, x))
			VMOVUPS(v, tileOutput(dst, "second", "dstStep", y, x))
		}
	}
	entries := GP64()
	MOVQ(place(Param("dstStep")), entries)
	LEAQ(Mem{Base: dst, Index: entries, Scale: 4}, dst)
	MOVQ(place(Param("outputs")), entries)
	LEAQ(Mem{Base: low, Index: entries, Scale: 4}, low)
	LEAQ(Mem{Base: high, Index: entries, Scale: 4}, high)
	MOVQ(place(Param("skipStep")), entries)
	LEAQ(Mem{Base: add, Index: entries, Scale: 4}, add)
	DECQ(n)
	JNZ(LabelRef(top))
}
