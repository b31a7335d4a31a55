//go:build !amd64 || purego

package kernel

func pairs(words []int32, ld int, scale, p []float32, ldp, entries int, peak float32) {
	pairsGeneric(words, ld, scale, p, ldp, entries, peak)
}

func mulPairs(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int) {
	mulPairsGeneric(c, ldc, a, lda, b, ldb, rows, words, cols)
}

func pack(words []int32, ld int, scale []float32, sum, c []int32, ldc, k int) {
	packGeneric(words, ld, scale, sum, c, ldc, k)
}

func nearest(index, best, z []int32, ldz int, at []int32, lda, m, words int) {
	nearestGeneric(index, best, z, ldz, at, lda, m, words)
}

func transpose(dst []int32, ld int, src []int32, stride int, order []int32, k int) {
	transposeGeneric(dst, ld, src, stride, order, k)
}

func regress(r []float32, ldr int, q []int32, ldq int, scale []float32, sum, order []int32, bytes []uint8, words, out int, step float32) {
	regressGeneric(r, ldr, q, ldq, scale, order, bytes, words, out, step)
}

func paeth(out, x, a, b, c []byte) (done, sum int) { return 0, 0 }
