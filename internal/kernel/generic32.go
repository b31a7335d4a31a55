package kernel

import (
	"gonum.org/v1/gonum/blas/gonum"
)

// The definitions of the operations on float32.

var blas gonum.Implementation

// mul32Generic adds up updates of rank one, which gonum has in assembly on amd64: three
// times as fast as the best loop of plain Go that we found.
func mul32Generic(c []float32, ldc int, a []float32, lda int, b []float32, ldb, rows, inner, cols int) {
	for r := range rows {
		clear(c[r*ldc : r*ldc+cols])
	}
	for i := range inner {
		blas.Sger(rows, cols, 1, a[i*lda:i*lda+rows], 1, b[i*ldb:i*ldb+cols], 1, c, ldc)
	}
}

// block is a number of lanes whose sums are held together.
const block = 48

// The conversions keep a product and a sum from being fused: see Forms.
func formsGeneric(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	for from := 0; from < len(forms); from += block {
		n := min(block, len(forms)-from)
		var m, gx, gy, e [block]float32
		for i, o := range offsets {
			w := weights[4*i : 4*i+4]
			for b, v := range raw[int(o)+from : int(o)+from+n] {
				m[b] += float32(w[0] * v)
				gx[b] += float32(w[1] * v)
				gy[b] += float32(w[2] * v)
				e[b] += float32(w[3] * v)
			}
		}
		copy(mean[from:from+n], m[:])
		for b := range n {
			forms[from+b] = formOf(gx[b], gy[b], e[b])
		}
	}
}

func formOf(gx, gy, e float32) (form int32) {
	if e < 0 {
		form, gx, gy = Negative, -gx, -gy
	}
	if gx < 0 {
		form, gx = form|FlipX, -gx
	}
	if gy < 0 {
		form, gy = form|FlipY, -gy
	}
	if gy > gx {
		form |= Turned
	}
	return form
}

// turns tells, for every form but for its sign, which entry of an orbit comes to which
// place: when patches are oriented, and when they are restored.
var turns, returns = func() (there, back [8][Orbit]uint8) {
	exchange := func(v *[Orbit]uint8, form, bit int32, pairs ...int) {
		for i := 0; i < len(pairs) && form&bit != 0; i += 2 {
			v[pairs[i]], v[pairs[i+1]] = v[pairs[i+1]], v[pairs[i]]
		}
	}
	for form := range int32(8) {
		for i := range uint8(Orbit) {
			there[form][i], back[form][i] = i, i
		}
		exchange(&there[form], form, FlipX, 0, 1, 2, 3, 4, 5, 6, 7)
		exchange(&there[form], form, FlipY, 0, 2, 1, 3, 4, 6, 5, 7)
		exchange(&there[form], form, Turned, 0, 4, 1, 6, 2, 5, 3, 7)
		for i, j := range there[form] {
			back[form][j] = uint8(i)
		}
	}
	return there, back
}()

func orientGeneric(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	for b, form := range forms {
		sign, of, level := signOf(form), &turns[form&7], mean[b]
		for o := 0; o < len(to); o += Orbit {
			to, from := to[o:o+Orbit], from[o:o+Orbit]
			for i, j := range of {
				dst[int(to[i])+b] = sign * (src[int(from[j])+b] - level)
			}
		}
	}
}

func restoreGeneric(dst []float32, to, src, from, forms []int32, scale []float32) {
	for b, form := range forms {
		by, of := signOf(form)*scale[b], &returns[form&7]
		for o := 0; o < len(to); o += Orbit {
			to, from := to[o:o+Orbit], from[o:o+Orbit]
			for i, j := range of {
				dst[int(to[i])+b] = by * float32(src[int(from[j])+b])
			}
		}
	}
}

func signOf(form int32) float32 {
	if form&Negative != 0 {
		return -1
	}
	return 1
}

func sumRowsGeneric(dst, src []float32, offsets []int32) {
	clear(dst)
	for _, o := range offsets {
		for i, v := range src[int(o) : int(o)+len(dst)] {
			dst[i] += v
		}
	}
}
