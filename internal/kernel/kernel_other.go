//go:build !amd64 || purego

package kernel

var (
	tiers   = []tier{generic}
	current = 0
)

func mul(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int) {
	mulGeneric(c, ldc, a, lda, b, ldb, rows, inner, cols)
}

func maxAbs(v []float64) float64 {
	return maxAbsGeneric(v)
}

func indexAbs(v []float64, value float64) int {
	return indexAbsGeneric(v, value)
}

func advance(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64 {
	return advanceGeneric(p, corr, gram, basis, ld, row, scale, proj)
}

func scores(score, fresh, p, corr []float64, least, floor float64) float64 {
	return scoreGeneric(score, fresh, p, corr, least, floor)
}

func ropUpdate(q, z, e, p, old, u, shrink, w, length []float64, alpha float64) {
	ropUpdateGeneric(q, z, e, p, old, u, shrink, w, length, alpha)
}

func ropResidual(q, z, p, old, sum, shrink, part, out []float64, ld int, keep float64) {
	ropResidualGeneric(q, z, p, old, sum, shrink, part, out, ld, keep)
}

func powerStep(z, u, next []float64) {
	powerStepGeneric(z, u, next)
}

func project(z, q, u, shrink, w, out []float64) {
	projectGeneric(z, q, u, shrink, w, out)
}

func rescale(q, z, u, grow, w []float64, r float64) {
	rescaleGeneric(q, z, u, grow, w, r)
}

func shorten(shrink, part, square []float64, penalty, r float64, out []float64) {
	shortenGeneric(shrink, part, square, penalty, r, out)
}

func add(to, v []float64) {
	addGeneric(to, v)
}

func stream(a, b []float64) {
	streamGeneric(a, b)
}

func multiplyAdd(rounds int) float64 {
	return 4*2 + 0*multiplyAddGeneric(rounds) // the sum is finite, and must be made
}

func masked(x, w, s []float64) (count int) { return maskedGeneric(x, w, s) }
