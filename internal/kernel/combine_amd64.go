//go:build !purego

package kernel

import "unsafe"

func combine(dst, src []float32, at []int, weight []float32) {
	switch tiers[current] {
	case avx512:
		combineAVX512(&dst[0], &src[0], &at[0], &weight[0], len(at), len(dst))
	case avx2:
		combineAVX2(&dst[0], &src[0], &at[0], &weight[0], len(at), len(dst))
	default:
		combineGeneric(dst, src, at, weight)
	}
}

func combineOnto(dst, base, src []float32, at []int, weight []float32) {
	switch tiers[current] {
	case avx512:
		combineOntoAVX512(&dst[0], &base[0], unsafe.SliceData(src), unsafe.SliceData(at), unsafe.SliceData(weight), len(at), len(dst))
	case avx2:
		combineOntoAVX2(&dst[0], &base[0], unsafe.SliceData(src), unsafe.SliceData(at), unsafe.SliceData(weight), len(at), len(dst))
	default:
		combineOntoGeneric(dst, base, src, at, weight)
	}
}

func paint(dst []uint8, l, r, b []float32, wr, wb float32) {
	switch tiers[current] {
	case avx512:
		paintAVX512(&dst[0], &l[0], &r[0], &b[0], len(l), wr, wb)
	case avx2:
		paintAVX2(&dst[0], &l[0], &r[0], &b[0], len(l), wr, wb)
	default:
		paintGeneric(dst, l, r, b, wr, wb)
	}
}
