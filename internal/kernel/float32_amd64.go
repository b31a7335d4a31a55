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

func nearest(index []int32, best, z []float32, ldz int, at []float32, lda, m, dims int) {
	switch tiers[current] {
	case avx512:
		nearestAVX512(&index[0], &best[0], &z[0], ldz, &at[0], lda, m, dims, len(index))
	case avx2:
		nearestAVX2(&index[0], &best[0], &z[0], ldz, &at[0], lda, m, dims, len(index))
	default:
		nearestGeneric(index, best, z, ldz, at, lda, m, dims)
	}
}

func transpose(dst []float32, ld int, src []float32, stride int, order []int32, k int) {
	switch tiers[current] {
	case avx512:
		transposeAVX512(&dst[0], ld, &src[0], stride, &order[0], len(order), k)
	case avx2:
		transposeAVX2(&dst[0], ld, &src[0], stride, &order[0], len(order), k)
	default:
		transposeGeneric(dst, ld, src, stride, order, k)
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

func restore(dst []float32, to []int32, src []float32, from, forms []int32) {
	switch tiers[current] {
	case avx512:
		restoreAVX512(&dst[0], &to[0], &src[0], &from[0], &forms[0], len(to)/Orbit, len(forms))
	case avx2:
		restoreAVX2(&dst[0], &to[0], &src[0], &from[0], &forms[0], len(to)/Orbit, len(forms))
	default:
		restoreGeneric(dst, to, src, from, forms)
	}
}

func regress(r []float32, ldr int, q []float32, ldq int, order []int32, coefs, next []int8, in, out int, step float32) {
	switch tiers[current] {
	case avx512:
		regressAVX512(&r[0], ldr, &q[0], ldq, &order[0], len(order), &coefs[0], &next[0], in, out, step)
	case avx2:
		regressAVX2(&r[0], ldr, &q[0], ldq, &order[0], len(order), &coefs[0], &next[0], in, out, step)
	default:
		regressGeneric(r, ldr, q, ldq, order, coefs, in, out, step)
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
