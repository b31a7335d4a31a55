//go:build !purego

package kernel

func pairs(words []int32, ld int, scale, p []float32, ldp, entries int, peak float32) {
	switch tiers[current] {
	case avx512:
		pairsAVX512(&words[0], ld, &scale[0], &p[0], ldp, entries, len(scale), peak)
	case avx2:
		pairsAVX2(&words[0], ld, &scale[0], &p[0], ldp, entries, len(scale), peak)
	default:
		pairsGeneric(words, ld, scale, p, ldp, entries, peak)
	}
}

func mulPairs(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int) {
	switch tiers[current] {
	case avx512:
		mulPairsAVX512(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, words, cols)
	case avx2:
		mulPairsAVX2(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, words, cols)
	default:
		mulPairsGeneric(c, ldc, a, lda, b, ldb, rows, words, cols)
	}
}

func pack(words []int32, ld int, scale []float32, sum, c []int32, ldc, k int) {
	switch tiers[current] {
	case avx512:
		packAVX512(&words[0], ld, &scale[0], &sum[0], &c[0], ldc, k, len(scale))
	case avx2:
		packAVX2(&words[0], ld, &scale[0], &sum[0], &c[0], ldc, k, len(scale))
	default:
		packGeneric(words, ld, scale, sum, c, ldc, k)
	}
}

func nearest(index, best, z []int32, ldz int, at []int32, lda, m, words int) {
	switch tiers[current] {
	case avx512:
		nearestAVX512(&index[0], &best[0], &z[0], ldz, &at[0], lda, m, words, len(index))
	case avx2:
		nearestAVX2(&index[0], &best[0], &z[0], ldz, &at[0], lda, m, words, len(index))
	default:
		nearestGeneric(index, best, z, ldz, at, lda, m, words)
	}
}

func transpose(dst []int32, ld int, src []int32, stride int, order []int32, k int) {
	switch tiers[current] {
	case avx512:
		transposeAVX512(&dst[0], ld, &src[0], stride, &order[0], len(order), k)
	case avx2:
		transposeAVX2(&dst[0], ld, &src[0], stride, &order[0], len(order), k)
	default:
		transposeGeneric(dst, ld, src, stride, order, k)
	}
}

func regress(r []float32, ldr int, q []int32, ldq int, scale []float32, sum, order []int32, bytes []uint8, words, out int, step float32) {
	switch tiers[current] {
	case avx512:
		regressAVX512(&r[0], ldr, &q[0], ldq, &scale[0], &sum[0], &order[0], len(order), &bytes[0], words, out, step)
	case avx2:
		regressAVX2(&r[0], ldr, &q[0], ldq, &scale[0], &sum[0], &order[0], len(order), &bytes[0], words, out, step)
	default:
		regressGeneric(r, ldr, q, ldq, scale, order, bytes, words, out, step)
	}
}

// paeth returns how many bytes it has done.
func paeth(out, x, a, b, c []byte) (done, sum int) {
	if tiers[current] < avx2 {
		return 0, 0
	}
	paethAVX2(&out[0], &x[0], &a[0], &b[0], &c[0], len(x), &sum)
	return len(x) &^ 31, sum
}
