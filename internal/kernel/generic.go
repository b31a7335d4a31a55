package kernel

import "math"

// The definitions. Clear rather than fast, but with bounds checks out of the loops.

func mulGeneric(c []float64, ldc int, a []float64, lda int, b []float64, ldb, rows, inner, cols int) {
	for r := range rows {
		to := c[r*ldc : r*ldc+cols]
		clear(to)
		for i := range inner {
			left, right := a[i*lda+r], b[i*ldb:i*ldb+cols]
			for j, v := range right {
				to[j] += left * v
			}
		}
	}
}

func maxAbsGeneric(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		if x > most { // two comparisons are faster here than math.Abs
			most = x
		} else if -x > most {
			most = -x
		}
	}
	return most
}

func indexAbsGeneric(v []float64, value float64) int {
	for i, x := range v {
		if math.Abs(x) == value {
			return i
		}
	}
	return len(v)
}

func advanceGeneric(p, corr, gram, basis []float64, ld int, row []float64, scale, proj float64) float64 {
	copy(p, gram)
	for i, l := range row {
		for k, v := range basis[i*ld : i*ld+len(p)] {
			p[k] -= l * v
		}
	}
	corr = corr[:len(p)]
	for k := range p {
		p[k] *= scale
		corr[k] -= proj * p[k]
	}
	return maxAbsGeneric(corr)
}

func scoreGeneric(score, fresh, p, corr []float64, least, floor float64) float64 {
	most := 0.0
	for k, v := range p {
		s := fresh[k] - v*v
		if s <= least {
			s = math.Inf(1)
		}
		fresh[k] = s
		a := corr[k]
		score[k] = a * a / s
		if math.Abs(a) <= floor {
			score[k] = 0
		}
		if score[k] > most {
			most = score[k]
		}
	}
	return most
}

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

func shortenGeneric(shrink, part, square []float64, penalty, r float64, out []float64) {
	bar := 1 / (penalty * penalty)
	for j := range shrink {
		x, now := square[j], 0.0
		if x > bar { // faster than a maximum
			now = 1 - 1/(penalty*math.Sqrt(x))
		}
		shrink[j], part[j] = now, now-r*(1-now)
		out[0] += now * now * x
		out[1] += (1 - now) * (1 - now) * x
	}
}

func addGeneric(to, v []float64) {
	for i := range to {
		to[i] += v[i]
	}
}

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

func powerStepGeneric(z, u, next []float64) {
	ld := len(u)
	for ; len(z) >= ld; z = z[ld:] {
		x := 0.0
		for i, v := range u {
			x += z[i] * v
		}
		for i := range next {
			next[i] += x * z[i]
		}
	}
}

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

func streamGeneric(a, b []float64) {
	b = b[:len(a)]
	for i := range a {
		a[i], b[i] = -a[i], -b[i]
	}
}

func multiplyAddGeneric(rounds int) float64 {
	var a, b, c, d float64
	x := 0.5
	for range rounds {
		a, b, c, d = a+x*x, b+x*x, c+x*x, d+x*x
	}
	return a + b + c + d
}

// A branch would be guessed wrong too often.
func maskedGeneric(x, w, s []float64) (count int) {
	x, s = x[:len(w)], s[:len(w)]
	for i, v := range w {
		bits := math.Float64bits(s[i]) &^ (1 << 63) // neither zero
		some := (bits | -bits) >> 63
		x[i] = math.Float64frombits(math.Float64bits(v) & -some)
		count += int(some)
	}
	return count
}
