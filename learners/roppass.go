package learners

import (
	"context"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// The pass of a sweep over Q̂ and Ẑ (symbols as in ropState). Memory access takes most of the time, so each of the
// two arrays is read and written once, a few columns at a time, which stay in the fastest cache:
//
//  1. for ropColumns columns of an atom at a time: the update, the shrinkage of the new Q̂, the residuals, the part of
//     S that needs no new u and w, and the first step of the power iteration for u;
//  2. for all columns of the atom: the other power steps, and w = Ẑᵀu;
//  3. when all atoms are done: S with its term Σ 2uwᵀ, and D·X on the support of Q.
//
// Workers take groups of ropGrain atoms. Sums over atoms are added up group by group, in order, so that the result does
// not depend on the number of workers.
const (
	ropGrain   = 8
	ropColumns = 16
	ropCall    = 512 // columns for each kernel call in the second step
	// gatherGrain is the number of signals that a worker takes at a time in the third step.
	gatherGrain = 64
)

// ropPart is the share of a group of atoms in S and in the sums listed below.
type ropPart struct {
	s    []float64 // N×ld
	sums ropSums
}

type ropSums [sums]float64

const (
	sumPQ      = iota // ‖P − Q‖²
	sumMovedQ         // ‖Q − old Q‖²; must follow sumPQ: see ROPResidual
	sumQZ             // ‖Q − Z‖²
	sumLambda2        // ‖Λ2‖²; must follow sumQZ: see Project
	sumQ              // ‖Q‖²
	sumLambda1        // ‖Λ1‖²; must follow sumQ: see Shorten
	sumMovedZ         // ‖Z − old Z‖²
	sums
)

// pass updates Q̂, Ẑ, u and w of all atoms with the penalty ρ (steps 1 and 2, see ropGrain), multiplies the scaled
// multipliers by r = ρ/(next ρ), and returns the sums that measure the residuals.
func (s *ropState) pass(penalty, r float64) (total ropSums) {
	s.groups(func() func(lo, hi int, part *ropPart) {
		columns := min(ropColumns, s.n)
		p, old := make([]float64, columns*s.ld), make([]float64, columns*s.ld)
		var squares, now, g [ropColumns]float64 // of each column: ‖q̂‖², the new shrinkage, the weight of Q̂ in S
		next, before, lead := make([]float64, s.ld), make([]float64, s.n), &leading{}
		return func(lo, hi int, part *ropPart) {
			clear(part.s)
			part.sums = ropSums{}
			for k := lo; k < hi; k++ {
				clear(next)
				u := s.direction(k)
				for j := 0; j < s.n; j += ropColumns {
					row, end := k*s.n+j, k*s.n+min(s.n, j+ropColumns)
					q, z, shrink := s.q[row*s.ld:end*s.ld], s.z[row*s.ld:end*s.ld], s.shrink[row:end]
					clear(squares[len(shrink):]) // the last block may have fewer columns
					kernel.ROPUpdate(q, z, s.e[j*s.ld:], p, old, u, shrink, s.w[row:end], squares[:], s.alpha)
					// The new shrinkage, and the weights with which ROPResidual adds the new Q̂ to S.
					kernel.Shorten(now[:], g[:], squares[:], penalty, s.concave, r, part.sums[sumQ:])
					copy(shrink, now[:])
					kernel.ROPResidual(q, z, p, old, part.s[j*s.ld:], shrink, g[:], part.sums[sumPQ:], s.ld, r)
					kernel.PowerStep(z, u, next)
				}
				s.updateRankOne(k, r, next, before, lead, &part.sums)
			}
		}
	})
	for _, part := range s.parts {
		for i, v := range part.sums {
			total[i] += v
		}
	}
	total[sumLambda2] = max(total[sumLambda2], 0) // rounding may make it negative, see Project
	return total
}

// groups runs a body for every group of atoms, in parallel; each worker has its own body from newBody.
func (s *ropState) groups(newBody func() func(lo, hi int, part *ropPart)) {
	// The background context never ends, so For returns no error.
	_ = parallel.For(context.Background(), s.k, ropGrain, func() func(lo, hi int) {
		body := newBody()
		return func(lo, hi int) { body(lo, hi, &s.parts[lo/ropGrain]) }
	})
}

// growth returns the factor by which a column of Q̂ = Q + Λ1 grows if Λ1 is multiplied by r, where Q is shrink·Q̂.
func growth(shrink, r float64) float64 { return shrink + r*(1-shrink) }

// updateRankOne updates u and w of atom k for the new Ẑ: by power steps, of which next holds the first, or by lead if
// s.exact is set. It multiplies the atom's multipliers by r, adds its residuals to the sums, and saves w in before.
func (s *ropState) updateRankOne(k int, r float64, next, before []float64, lead *leading, to *ropSums) {
	u, w, z := s.direction(k), s.row(k), s.z[k*s.n*s.ld:(k+1)*s.n*s.ld]
	old := append([]float64(nil), u...)
	copy(before, w)
	steps := s.power // of which the first is done
	if s.exact {
		if v := make([]float64, s.m); lead.rightVector(z, s.m, v) == nil {
			copy(next, v)
			steps = 1
		} // otherwise the power step in next is used
	}
	for step := range steps {
		if step > 0 {
			clear(next)
			for i := 0; i < len(z); i += ropCall * s.ld {
				kernel.PowerStep(z[i:min(len(z), i+ropCall*s.ld)], u, next)
			}
		}
		if Normalise(next) == 0 {
			break // Ẑ is zero: the atom is dead, its direction stays
		}
		copy(u, next)
	}
	for j := 0; j < s.n; j += ropCall {
		row, end := k*s.n+j, k*s.n+min(s.n, j+ropCall)
		q, z := s.q[row*s.ld:end*s.ld], s.z[row*s.ld:end*s.ld]
		kernel.Project(z, q, u, s.shrink[row:end], s.w[row:end], to[sumQZ:]) // sets w to Ẑᵀu
		if r == 1 {
			continue
		}
		var grow [ropCall]float64
		for i, now := range s.shrink[row:end] {
			grow[i] = growth(now, r)
			s.shrink[row+i] = now / grow[i] // so that shrink·Q̂ remains Q
		}
		kernel.Rescale(q, z, u, grow[:end-row], s.w[row:end], r)
	}
	// ‖u·wᵀ − old·beforeᵀ‖², as both u and old have length 1; rounding may make it negative.
	to[sumMovedZ] += max(0, dot(w, w)+dot(before, before)-2*dot(old, u)*dot(before, w))
}

// gather computes S: the parts of all groups, plus (1 + r)·uwᵀ of every atom, which they lack, since S has 2uwᵀ − Ẑ,
// and the rescaled Ẑ is rẐ + (1 − r)·uwᵀ. It returns ‖Y − DX‖², for the scaled Y, and the number of non-zeros of X.
func (s *ropState) gather(r float64) (squaredError float64, used int) {
	const grain = gatherGrain
	type block struct {
		squaredError float64
		used         int
	}
	blocks := make([]block, (s.n+grain-1)/grain)
	_ = parallel.For(context.Background(), s.n, grain, func() func(lo, hi int) {
		w, x := make([]float64, s.k*grain), make([]float64, s.k*grain)
		padded := kernel.PadTo(min(grain, s.n), kernel.Rows)
		uw, dx := make([]float64, padded*s.ld), make([]float64, padded*s.ld)
		return func(lo, hi int) {
			b, cols := &blocks[lo/grain], hi-lo
			rows := (cols + kernel.Rows - 1) / kernel.Rows * kernel.Rows
			weights, stride := s.w[lo:], s.n
			if rows > cols { // the number of signals is no multiple of kernel.Rows: use a padded copy
				weights, stride = w, grain
			}
			for k := range s.k {
				row := k*s.n + lo
				if rows > cols {
					copy(w[k*grain:], s.w[row:row+cols])
				}
				b.used += kernel.Mask(x[k*grain:], s.w[row:row+cols], s.shrink[row:row+cols])
			}
			kernel.Mul(uw, s.ld, weights, stride, s.u, s.ld, rows, s.k, s.ld)
			kernel.Mul(dx, s.ld, x, grain, s.u, s.ld, rows, s.k, s.ld)
			sum := s.s[lo*s.ld : hi*s.ld]
			for i, v := range uw[:len(sum)] {
				sum[i] = (1 + r) * v
			}
			b.squaredError = squaredDistance(s.y[lo*s.ld:hi*s.ld], dx)
			for _, part := range s.parts {
				kernel.Add(sum, part.s[lo*s.ld:hi*s.ld])
			}
		}
	})
	for _, b := range blocks {
		squaredError, used = squaredError+b.squaredError, used+b.used
	}
	return squaredError, used
}

// squaredDistance returns ‖a − b‖². The length of a must be a multiple of 4: the processor adds to four sums at once.
func squaredDistance(a, b []float64) float64 {
	var s [4]float64
	b = b[:len(a)]
	for len(a) >= 4 {
		for i := range s {
			d := a[i] - b[i]
			s[i] += d * d
		}
		a, b = a[4:], b[4:]
	}
	return s[0] + s[1] + (s[2] + s[3])
}

// sum computes S = Σ_k (g·Q̂_k + 2uwᵀ − Ẑ_k), g = 2·shrink − 1. Each group of atoms sums g·Q̂_k − Ẑ_k in its part.s.
// gather(1) adds the parts and 2uwᵀ.
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
