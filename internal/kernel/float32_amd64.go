//go:build !purego

package kernel

func mul32(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	switch tiers[current] {
	case avx512:
		mul32AVX512(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, inner, cols)
	case avx2:
		mul32AVX2(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, inner, cols)
	default:
		mul32Generic(c, ldc, a, lda, b, ldb, rows, inner, cols)
	}
}

func formsOf(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	switch tiers[current] {
	case avx512:
		formsAVX512(&forms[0], &mean[0], &raw[0], &offsets[0], &weights[0], len(offsets), len(forms))
	case avx2:
		formsAVX2(&forms[0], &mean[0], &raw[0], &offsets[0], &weights[0], len(offsets), len(forms))
	default:
		formsGeneric(forms, mean, raw, offsets, weights)
	}
}

func orient(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	switch tiers[current] {
	case avx512:
		orientAVX512(&dst[0], &to[0], &src[0], &from[0], &forms[0], &mean[0], len(to)/Orbit, len(forms))
	case avx2:
		orientAVX2(&dst[0], &to[0], &src[0], &from[0], &forms[0], &mean[0], len(to)/Orbit, len(forms))
	default:
		orientGeneric(dst, to, src, from, forms, mean)
	}
}

func restore(dst []float32, to, src, from, forms []int32, scale []float32) {
	switch tiers[current] {
	case avx512:
		restoreAVX512(&dst[0], &to[0], &src[0], &from[0], &forms[0], &scale[0], len(to)/Orbit, len(forms))
	case avx2:
		restoreAVX2(&dst[0], &to[0], &src[0], &from[0], &forms[0], &scale[0], len(to)/Orbit, len(forms))
	default:
		restoreGeneric(dst, to, src, from, forms, scale)
	}
}

func sumRows(dst, src []float32, offsets []int32) {
	switch tiers[current] {
	case avx512:
		sumRowsAVX512(&dst[0], &src[0], &offsets[0], len(offsets), len(dst))
	case avx2:
		sumRowsAVX2(&dst[0], &src[0], &offsets[0], len(offsets), len(dst))
	default:
		sumRowsGeneric(dst, src, offsets)
	}
}
