//go:build !purego

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// tiers are the forms that this machine can run, the slowest first.
var tiers = func() []tier {
	list := []tier{generic}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		list = append(list, avx2)
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
		list = append(list, avx512)
	}
	return list
}()

// current is the form in use, as an index of tiers; only tests change it.
var current = len(tiers) - 1

func mul(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int) {
	switch tiers[current] {
	case avx512:
		mulAVX512(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, inner, cols)
	case avx2:
		mulAVX2(&c[0], ldc, &a[0], lda, &b[0], ldb, rows, inner, cols)
	default:
		mulGeneric(c, ldc, a, lda, b, ldb, rows, inner, cols)
	}
}

func maxAbs(v []float64) float64 {
	switch tiers[current] {
	case avx512:
		return maxAbsAVX512(&v[0], len(v))
	case avx2:
		return maxAbsAVX2(&v[0], len(v))
	default:
		return maxAbsGeneric(v)
	}
}

func indexAbs(v []float64, value float64) int {
	switch tiers[current] {
	case avx512:
		return indexAbsAVX512(&v[0], len(v), value)
	case avx2:
		return indexAbsAVX2(&v[0], len(v), value)
	default:
		return indexAbsGeneric(v, value)
	}
}

func advance(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64 {
	switch tiers[current] {
	case avx512:
		return advanceAVX512(&p[0], &corr[0], &gram[0], unsafe.SliceData(basis), ld, unsafe.SliceData(row), len(row), len(p), scale, proj)
	case avx2:
		return advanceAVX2(&p[0], &corr[0], &gram[0], unsafe.SliceData(basis), ld, unsafe.SliceData(row), len(row), len(p), scale, proj)
	default:
		return advanceGeneric(p, corr, gram, basis, ld, row, scale, proj)
	}
}

func scores(score, fresh, p, corr []float64, least, floor float64) float64 {
	switch tiers[current] {
	case avx512:
		return scoreAVX512(&score[0], &fresh[0], &p[0], &corr[0], len(score), least, floor)
	case avx2:
		return scoreAVX2(&score[0], &fresh[0], &p[0], &corr[0], len(score), least, floor)
	default:
		return scoreGeneric(score, fresh, p, corr, least, floor)
	}
}

func ropUpdate(q, z, e, p, old, u, shrink, w, length []float64, alpha float64) {
	switch tiers[current] {
	case avx512:
		ropUpdateAVX512(&q[0], &z[0], &e[0], &p[0], &old[0], &u[0], &shrink[0], &w[0], &length[0], len(u), len(shrink), alpha)
	case avx2:
		ropUpdateAVX2(&q[0], &z[0], &e[0], &p[0], &old[0], &u[0], &shrink[0], &w[0], &length[0], len(u), len(shrink), alpha)
	default:
		ropUpdateGeneric(q, z, e, p, old, u, shrink, w, length, alpha)
	}
}

func ropResidual(q, z, p, old, sum, shrink, part, out []float64, ld int, keep float64) {
	switch tiers[current] {
	case avx512:
		ropResidualAVX512(&q[0], &z[0], &p[0], &old[0], &sum[0], &shrink[0], &part[0], &out[0], ld, len(shrink), keep)
	case avx2:
		ropResidualAVX2(&q[0], &z[0], &p[0], &old[0], &sum[0], &shrink[0], &part[0], &out[0], ld, len(shrink), keep)
	default:
		ropResidualGeneric(q, z, p, old, sum, shrink, part, out, ld, keep)
	}
}

func powerStep(z, u, next []float64) {
	switch tiers[current] {
	case avx512:
		powerStepAVX512(&z[0], &u[0], &next[0], len(u), len(z)/len(u))
	case avx2:
		powerStepAVX2(&z[0], &u[0], &next[0], len(u), len(z)/len(u))
	default:
		powerStepGeneric(z, u, next)
	}
}

func project(z, q, u, shrink, w, out []float64) {
	switch tiers[current] {
	case avx512:
		projectAVX512(&z[0], &q[0], &u[0], &shrink[0], &w[0], &out[0], len(u), len(shrink))
	case avx2:
		projectAVX2(&z[0], &q[0], &u[0], &shrink[0], &w[0], &out[0], len(u), len(shrink))
	default:
		projectGeneric(z, q, u, shrink, w, out)
	}
}

func rescale(q, z, u, grow, w []float64, r float64) {
	switch tiers[current] {
	case avx512:
		rescaleAVX512(&q[0], &z[0], &u[0], &grow[0], &w[0], len(u), len(grow), r)
	case avx2:
		rescaleAVX2(&q[0], &z[0], &u[0], &grow[0], &w[0], len(u), len(grow), r)
	default:
		rescaleGeneric(q, z, u, grow, w, r)
	}
}

func shorten(shrink, part, square []float64, penalty, r float64, out []float64) {
	switch tiers[current] {
	case avx512:
		shortenAVX512(&shrink[0], &part[0], &square[0], len(shrink), penalty, r, &out[0])
	case avx2:
		shortenAVX2(&shrink[0], &part[0], &square[0], len(shrink), penalty, r, &out[0])
	default:
		shortenGeneric(shrink, part, square, penalty, r, out)
	}
}

func add(to, v []float64) {
	switch tiers[current] {
	case avx512:
		addAVX512(&to[0], &v[0], len(to))
	case avx2:
		addAVX2(&to[0], &v[0], len(to))
	default:
		addGeneric(to, v)
	}
}

func stream(a, b []float64) {
	switch tiers[current] {
	case avx512:
		streamAVX512(&a[0], &b[0], len(a))
	case avx2:
		streamAVX2(&a[0], &b[0], len(a))
	default:
		streamGeneric(a, b)
	}
}

// multiplyAdd returns the floating-point operations of a round.
func multiplyAdd(rounds int) float64 {
	switch tiers[current] {
	case avx512:
		multiplyAddAVX512(rounds)
		return 12 * 8 * 2
	case avx2:
		multiplyAddAVX2(rounds)
		return 12 * 4 * 2
	default:
		return 4*2 + 0*multiplyAddGeneric(rounds) // the sum is finite, and must be made
	}
}

func masked(x, w, s []float64) (count int) {
	switch tiers[current] {
	case avx512:
		maskedAVX512(&x[0], &w[0], &s[0], len(w), &count)
	case avx2:
		maskedAVX2(&x[0], &w[0], &s[0], len(w), &count)
	default:
		count = maskedGeneric(x, w, s)
	}
	return count
}
