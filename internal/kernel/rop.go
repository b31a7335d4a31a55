package kernel

import "math"

// This file has the loops of the learner ROP over some columns of the matrices Q̂ and Ẑ of one atom: see ropState in
// package learners. A column has ld = len(u) entries; q, z, e, p, old and sum hold len(shrink) columns, one after the
// other. u is the direction of the atom, of norm 1; shrink and w hold the shrinkage and the coefficient of each column.

// ROPUpdate sets p, old and length for each column, and updates q and z, columns of Q̂ and Ẑ, for the next iteration:
//
//	p = ((2s−1)·q − z + 2w·u − e)/2,   old = s·q,
//	q ← αp + (1 − αs)·q,   z ← z + α(p − w·u),   length = ‖new q‖²,
//
// where s and w are the column's entries of shrink and w, e is its column of E, common to all atoms, and α is alpha.
func ROPUpdate(q, z, e, p, old, u, shrink, w, length []float64, alpha float64) {
	n := columns(u, len(shrink))
	if n == 0 {
		return
	}
	// This panics if a slice is too short, which assembly would not notice.
	_, _, _, _, _, _, _ = q[n-1], z[n-1], e[n-1], p[n-1], old[n-1], w[len(shrink)-1], length[len(shrink)-1]
	ropUpdate(q, z, e, p, old, u, shrink, w, length, alpha)
}

// ropUpdateGeneric is the definition of ROPUpdate: p = (g·q − z + c)/2 with g = 2s−1 and c = 2w·u − e. It keeps s·q in
// old before it changes q, and stores the squared length of each new column of q.
func ropUpdateGeneric(q, z, e, p, old, u, shrink, w, length []float64, alpha float64) {
	ld := len(u)
	for j, s := range shrink {
		at := j * ld
		qj, zj, ej, pj, oj := q[at:at+ld], z[at:at+ld], e[at:at+ld], p[at:at+ld], old[at:at+ld]
		g, sum := 2*s-1, 0.0
		for i, a := range qj {
			b, c := zj[i], 2*w[j]*u[i]-ej[i]
			x := (g*a - b + c) / 2
			next := alpha*x + (1-alpha*s)*a
			pj[i], oj[i], qj[i] = x, s*a, next
			zj[i] = alpha*(x-w[j]*u[i]) + b
			sum += next * next
		}
		length[j] = sum
	}
}

// Shorten sets shrink and part for columns q̂ of Q̂ from square, the squares of their lengths:
//
//	shrink = s = max(0, 1 − t·(1 − c + ct)),   t = 1/(ρ‖q̂‖),   part = s − r(1 − s),
//
// where ρ is the penalty and r the factor by which the multipliers are scaled next. It adds Σ‖s·q̂‖² to out[0] and
// Σ‖(1−s)·q̂‖² to out[1]. c is 0 to 1: c = 0 gives the shrinkage of a norm; a larger c shrinks long columns less.
func Shorten(shrink, part, square []float64, penalty, c, r float64, out []float64) {
	n := len(shrink)
	need(n)
	if n > 0 {
		_, _, _ = part[n-1], square[n-1], out[1] // panics if too short
		shorten(shrink, part, square, penalty, c, r, out)
	}
}

// shortenGeneric is the definition of Shorten. now is the factor s for a column of squared length x: 0 for lengths up
// to 1/penalty, and nearer to 1 for longer columns, the more so the larger c is, from 0 to 1. part is s − r(1−s). The
// squared lengths of the shrunk columns are added to out[0], the squared lengths of what they lost to out[1].
func shortenGeneric(shrink, part, square []float64, penalty, c, r float64, out []float64) {
	bar := 1 / (penalty * penalty)
	for j := range shrink {
		x, now := square[j], 0.0
		if x > bar { // else s is 0; faster than a maximum
			t := 1 / (penalty * math.Sqrt(x))
			now = 1 - t*(1-c+c*t)
		}
		shrink[j], part[j] = now, now-r*(1-now)
		out[0] += now * now * x
		out[1] += (1 - now) * (1 - now) * x
	}
}

// ROPResidual follows ROPUpdate, which has set q, z, p and old, and Shorten, which has set shrink and part. For each
// column it adds part·q − keep·z, where keep is Shorten's r, to the same column of the matrix sum. It adds ‖p − s·q‖²
// of all columns to out[0] and ‖old − s·q‖² of all columns to out[1], where s is the column's entry of shrink.
func ROPResidual(q, z, p, old, sum, shrink, part, out []float64, ld int, keep float64) {
	need(ld)
	n := ld * len(shrink)
	if n == 0 {
		return
	}
	// This panics if a slice is too short, which assembly would not notice.
	_, _, _, _, _, _, _ = q[n-1], z[n-1], p[n-1], old[n-1], sum[n-1], part[len(shrink)-1], out[1]
	ropResidual(q, z, p, old, sum, shrink, part, out, ld, keep)
}

// ropResidualGeneric is the definition of ROPResidual. It adds part·q − keep·z to sum for each column, and, summed
// over all columns, ‖p − s·q‖² to out[0] and ‖old − s·q‖² to out[1].
func ropResidualGeneric(q, z, p, old, sum, shrink, part, out []float64, ld int, keep float64) {
	pq, moved := 0.0, 0.0
	for j, s := range shrink {
		at := j * ld
		zj, pj, oj, to := z[at:at+ld], p[at:at+ld], old[at:at+ld], sum[at:at+ld]
		for i, a := range q[at : at+ld] {
			x, y := pj[i]-s*a, oj[i]-s*a
			pq += x * x
			moved += y * y
			to[i] += part[j]*a - keep*zj[i]
		}
	}
	out[0] += pq
	out[1] += moved
}

// PowerStep adds Σ (z_jᵀu)·z_j, over all columns z_j of z, as long as u, to next: a step of the power method for ZZᵀ.
func PowerStep(z, u, next []float64) {
	cols := len(z) / max(1, len(u))
	n := columns(u, cols)
	if n == 0 {
		return
	}
	_ = next[len(u)-1] // panics if next is too short
	powerStep(z[:n], u, next[:len(u)], cols)
}

// powerStepGeneric is the definition of PowerStep: it adds (zᵀu)·z to next for each of the first cols columns of z.
func powerStepGeneric(z, u, next []float64, cols int) {
	for ; cols > 0; cols, z = cols-1, z[len(u):] {
		x := 0.0
		for i, v := range u {
			x += z[i] * v
		}
		for i := range next {
			next[i] += x * z[i]
		}
	}
}

// Project sets w_j to z_jᵀu, and adds Σ‖s_j·q_j − w_j·u‖² to out[0] and Σ‖z_j − w_j·u‖² to out[1], where s_j is entry j
// of shrink, and z_j and q_j are columns as long as u. ‖u‖ must be 1: if s_j is 0, Project adds w_j² to the first sum
// without reading q_j, and it computes the second sum as Σ(‖z_j‖² − w_j²), which may be slightly negative.
func Project(z, q, u, shrink, w, out []float64) {
	n := columns(u, len(shrink))
	if n == 0 {
		return
	}
	_, _, _, _ = z[n-1], q[n-1], w[len(shrink)-1], out[1] // panics if too short
	project(z, q, u, shrink, w, out)
}

// projectGeneric is the definition of Project. For u of length 1, x = zᵀu is a column's coefficient. It adds to out[0]
// the sum qz of ‖s·q − x·u‖², which is x² where s is 0, and to out[1] the sum rest of ‖z − x·u‖² = ‖z‖² − x².
func projectGeneric(z, q, u, shrink, w, out []float64) {
	ld := len(u)
	qz, rest := 0.0, 0.0
	for j, s := range shrink {
		at := j * ld
		zj, qj := z[at:at+ld], q[at:at+ld]
		x := 0.0
		for i, v := range u {
			x += zj[i] * v
		}
		w[j] = x
		rest -= x * x
		for _, v := range zj {
			rest += v * v
		}
		if s == 0 {
			qz += x * x
			continue
		}
		for i, v := range u {
			d := s*qj[i] - x*v
			qz += d * d
		}
	}
	out[0] += qz
	out[1] += rest
}

// Rescale multiplies the multipliers by r, as when the penalty changes. It sets each column of q to grow·q and of z
// to w·u + r(z − w·u), where z − w·u is the multiplier of z, and grow and w have a number for each column.
func Rescale(q, z, u, grow, w []float64, r float64) {
	n := columns(u, len(grow))
	if n == 0 {
		return
	}
	_, _, _ = q[n-1], z[n-1], w[len(grow)-1] // panics if too short
	rescale(q, z, u, grow, w, r)
}

// rescaleGeneric is the definition of Rescale: it grows q, and multiplies by r the part of z that is not along u.
func rescaleGeneric(q, z, u, grow, w []float64, r float64) {
	ld := len(u)
	for j, s := range grow {
		at := j * ld
		qj, zj := q[at:at+ld], z[at:at+ld]
		for i, v := range u {
			qj[i] *= s
			zj[i] = w[j]*v + r*(zj[i]-w[j]*v)
		}
	}
}

// Mask sets x to w where s is not zero and to 0 elsewhere, and returns the number of entries where s is not zero.
func Mask(x, w, s []float64) (count int) {
	n := len(w)
	if n == 0 {
		return 0
	}
	x, s = x[:n], s[:n]
	whole := n / Width * Width
	if whole > 0 {
		count = mask(x[:whole], w[:whole], s[:whole])
	}
	return count + maskGeneric(x[whole:], w[whole:], s[whole:])
}

// maskGeneric is the definition of Mask: x is w where s is not zero, else 0. A branch would often be mispredicted.
func maskGeneric(x, w, s []float64) (count int) {
	x, s = x[:len(w)], s[:len(w)]
	for i, v := range w {
		bits := math.Float64bits(s[i]) &^ (1 << 63) // 0 for 0 and −0
		nonZero := (bits | -bits) >> 63             // 0 or 1
		x[i] = math.Float64frombits(math.Float64bits(v) & -nonZero)
		count += int(nonZero)
	}
	return count
}

// columns returns the number of entries in count columns of len(u) entries. It panics unless Width divides len(u).
func columns(u []float64, count int) int {
	need(len(u))
	return len(u) * count
}
