package learners

import (
	"context"
	"math"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// The pass of an iteration over Q̂ and Ẑ. What takes the time is the memory, so the
// two are read and written once, a few columns at a time, while these are in the
// nearest cache:
//
//  1. for ropColumns columns of each of ropGrain atoms: the update, the shrinkage of
//     the new Q̂, the residuals, the part of S that needs no new u and w, and the first
//     step of the power iteration for u;
//  2. for each of these atoms: the other power steps, and w = Ẑᵀu;
//  3. for all columns together: S with 2·UW, and D·X on the support of Q.
//
// Atoms are divided over the workers in groups of ropGrain and all sums over them are
// added up in the order of the groups, so the result does not depend on the workers.
const (
	ropGrain   = 8
	ropColumns = 16
	ropCall    = 512 // columns in a call of the second step
)

// ropPart is what a group of atoms adds to S, and the sums below over it.
type ropPart struct {
	s    []float64 // N×ld
	sums ropSums
}

type ropSums [sums]float64

const (
	sumPQ      = iota // ‖P − Q‖²
	sumMovedQ         // ‖Q − old Q‖², next to it: see ROPResidual
	sumQZ             // ‖Q − Z‖²
	sumLambda2        // ‖Λ2‖², next to it: see Project
	sumLambda1        // ‖Λ1‖²
	sumQ              // ‖Q‖²
	sumMovedZ         // ‖Z − old Z‖²
	sums
)

// pass does the first two steps for all atoms and multiplies the scaled multipliers
// by r.
func (s *ropState) pass(penalty, r float64) (total ropSums) {
	s.groups(func() func(lo, hi int, part *ropPart) {
		p, old := make([]float64, ropColumns*s.ld), make([]float64, ropColumns*s.ld)
		var length, part [ropColumns]float64
		next, before := make([]float64, ropGrain*s.ld), make([]float64, s.n)
		return func(lo, hi int, to *ropPart) {
			clear(to.s)
			clear(next)
			to.sums = ropSums{}
			for j := 0; j < s.n; j += ropColumns {
				cols := min(ropColumns, s.n-j)
				for k := lo; k < hi; k++ {
					at, row := (k*s.n+j)*s.ld, k*s.n+j
					q, z, u := s.q[at:at+cols*s.ld], s.z[at:at+cols*s.ld], s.direction(k)
					shrink := s.shrink[row : row+cols]
					kernel.ROPUpdate(q, z, s.e[j*s.ld:], p, old, u, shrink, s.w[row:row+cols], length[:], s.alpha)
					shorten(shrink, length[:cols], part[:cols], penalty, r, &to.sums)
					kernel.ROPResidual(q, z, p, old, to.s[j*s.ld:], shrink, part[:cols], to.sums[sumPQ:], s.ld, r)
					kernel.PowerStep(z, u, next[(k-lo)*s.ld:])
				}
			}
			for k := lo; k < hi; k++ {
				s.turn(k, r, next[(k-lo)*s.ld:(k-lo+1)*s.ld], before, &to.sums)
			}
		}
	})
	for _, part := range s.parts {
		for i, v := range part.sums {
			total[i] += v
		}
	}
	return total
}

// groups runs body for every group of atoms.
func (s *ropState) groups(newBody func() func(lo, hi int, part *ropPart)) {
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), s.k, ropGrain, func() func(lo, hi int) {
		body := newBody()
		return func(lo, hi int) { body(lo, hi, &s.parts[lo/ropGrain]) }
	})
}

// shorten sets shrink to s = (1 − 1/(ρ‖q̂‖))₊ from the squares of the lengths, and part
// to what multiplies Q̂ in S: 2s − 1, or, where the multipliers will be rescaled and
// Q̂ = Q + Λ1 grows with them by s + r(1 − s), what comes to the same.
func shorten(shrink, square, part []float64, penalty, r float64, to *ropSums) {
	shrink, part = shrink[:len(square)], part[:len(square)]
	bar := 1 / (penalty * penalty)
	for j, x := range square {
		now := 0.0
		if x > bar {
			now = 1 - 1/(penalty*math.Sqrt(x))
		}
		shrink[j] = now
		part[j] = 2*now - grown(now, r)
		to[sumQ] += now * now * x
		to[sumLambda1] += (1 - now) * (1 - now) * x
	}
}

// grown is by how much a column of Q̂ grows when its multiplier is rescaled.
func grown(shrink, r float64) float64 { return shrink + r*(1-shrink) }

// turn brings u and w of atom k to the new Ẑ by power steps, the first of which next
// holds, rescales the multipliers of the atom, and adds its residuals to sums.
func (s *ropState) turn(k int, r float64, next, before []float64, to *ropSums) {
	u, w, z := s.direction(k), s.row(k), s.z[k*s.n*s.ld:(k+1)*s.n*s.ld]
	old := append([]float64(nil), u...)
	copy(before, w)
	for step := range s.power {
		if step > 0 {
			clear(next)
			for at := 0; at < len(z); at += ropCall * s.ld {
				kernel.PowerStep(z[at:min(len(z), at+ropCall*s.ld)], u, next)
			}
		}
		if normalise(next) == 0 {
			break // Ẑ is zero: the atom is dead, its direction stays
		}
		copy(u, next)
	}
	for j := 0; j < s.n; j += ropCall {
		row, end := k*s.n+j, k*s.n+min(s.n, j+ropCall)
		q, z := s.q[row*s.ld:end*s.ld], s.z[row*s.ld:end*s.ld]
		kernel.Project(z, q, u, s.shrink[row:end], s.w[row:end], to[sumQZ:])
		if r == 1 {
			continue
		}
		var grow [ropCall]float64
		for i, now := range s.shrink[row:end] {
			grow[i] = grown(now, r)
			s.shrink[row+i] = now / grow[i]
		}
		kernel.Rescale(q, z, u, grow[:end-row], s.w[row:end], r)
	}
	to[sumMovedZ] += max(0, energy(w)+energy(before)-2*product(old, u)*product(before, w))
}

// gather makes S of its parts: what 2uwᵀ − Ẑ of an atom lacks of it is (1 + r)·uwᵀ.
// It returns ‖Y − DX‖² and the number of non-zeros of X.
func (s *ropState) gather(r float64) (left float64, used int) {
	const grain = 64
	type block struct {
		left float64
		used int
	}
	blocks := make([]block, (s.n+grain-1)/grain)
	_ = parallel.For(context.Background(), s.n, grain, func() func(lo, hi int) {
		all, x := make([]float64, s.k*ropColumns), make([]float64, s.k*ropColumns)
		uw, dx := make([]float64, ropColumns*s.ld), make([]float64, ropColumns*s.ld)
		return func(lo, hi int) {
			b := &blocks[lo/grain]
			for j := lo; j < hi; j += ropColumns {
				cols := min(ropColumns, hi-j)
				for k := range s.k {
					row := s.w[k*s.n+j : k*s.n+j+cols]
					shrink := s.shrink[k*s.n+j : k*s.n+j+cols]
					to, kept := all[k*ropColumns:][:cols], x[k*ropColumns:][:cols]
					for i, v := range row {
						to[i], kept[i] = v, 0
						if shrink[i] > 0 {
							kept[i] = v
							b.used++
						}
					}
				}
				kernel.Mul(uw, s.ld, all, ropColumns, s.u, s.ld, ropColumns, s.k, s.ld)
				kernel.Mul(dx, s.ld, x, ropColumns, s.u, s.ld, ropColumns, s.k, s.ld)
				b.left += s.add(j, cols, 1+r, uw, dx)
			}
		}
	})
	for _, b := range blocks {
		left, used = left+b.left, used+b.used
	}
	return left, used
}

// add sets the columns of S from j on and returns ‖Y − DX‖² over them.
func (s *ropState) add(j, cols int, a float64, uw, dx []float64) float64 {
	from, to := j*s.ld, (j+cols)*s.ld
	sum, y := s.s[from:to], s.y[from:to]
	uw, dx = uw[:len(sum)], dx[:len(sum)]
	left := 0.0
	for i, v := range y {
		sum[i] = a * uw[i]
		left += (v - dx[i]) * (v - dx[i])
	}
	for _, part := range s.parts {
		for i, v := range part.s[from:to] {
			sum[i] += v
		}
	}
	return left
}

// sum computes S anew.
func (s *ropState) sum() {
	s.groups(func() func(lo, hi int, part *ropPart) {
		return func(lo, hi int, part *ropPart) {
			clear(part.s)
			for k := lo; k < hi; k++ {
				for j := range s.n {
					q, z, to := s.column(s.q, k, j), s.column(s.z, k, j), part.s[j*s.ld:(j+1)*s.ld]
					g := 2*s.shrink[k*s.n+j] - 1
					for i, v := range q {
						to[i] += g*v - z[i]
					}
				}
			}
		}
	})
	s.gather(1)
}
