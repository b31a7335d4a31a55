//go:build !amd64 || purego

package kernel

func combine(dst, src []float32, at []int, weight []float32) {
	combineGeneric(dst, src, at, weight)
}

func combineOnto(dst, base, src []float32, at []int, weight []float32) {
	combineOntoGeneric(dst, base, src, at, weight)
}

func paint(dst []uint8, l, r, b []float32, wr, wb float32) {
	paintGeneric(dst, l, r, b, wr, wb)
}
