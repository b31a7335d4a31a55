package learners

import (
	"context"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// The pass of an iteration over Q̂ and Ẑ. What takes the time is the memory, so the
// two are read and written once, a few columns at a time, while these are in the
// nearest cache:
//
//  1. for ropColumns columns of an atom after the other: the update, the shrinkage of
//     the new Q̂, the residuals, the part of S that needs no new u and w, and the first
//     step of the power iteration for u;
//  2. for all columns of the atom: the other power steps, and w = Ẑᵀu;
//  3. when all atoms are done: S with 2·UW, and D·X on the support of Q.
//
// Atoms go to the workers in groups of ropGrain, and all sums over them are
// added up in the order of the groups, so the result does not depend on the workers.
const (
	ropGrain   = 8
	ropColumns = 16
	ropCall    = 512 // columns in a call of the second step
	// gatherGrain is how many signals a worker takes at a time once all atoms are done.
	gatherGrain = 64
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
	sumQ              // ‖Q‖²
	sumLambda1        // ‖Λ1‖², next to it: see Shorten
	sumMovedZ         // ‖Z − old Z‖²
	sums
)

// pass does the first two steps for all atoms and multiplies the scaled multipliers
// by r.
func (s *ropState) pass(penalty, r float64) (total ropSums) {
	s.groups(func() func(lo, hi int, part *ropPart) {
		columns := min(ropColumns, s.n)
		p, old := make([]float64, columns*s.ld), make([]float64, columns*s.ld)
		var length, now, g [ropColumns]float64
		next, before := make([]float64, s.ld), make([]float64, s.n)
		return func(lo, hi int, part *ropPart) {
			clear(part.s)
			part.sums = ropSums{}
			for k := lo; k < hi; k++ {
				clear(next)
				u := s.direction(k)
				for j := 0; j < s.n; j += ropColumns {
					row, end := k*s.n+j, k*s.n+min(s.n, j+ropColumns)
					q, z, shrink := s.q[row*s.ld:end*s.ld], s.z[row*s.ld:end*s.ld], s.shrink[row:end]
					clear(length[len(shrink):])
					kernel.ROPUpdate(q, z, s.e[j*s.ld:], p, old, u, shrink, s.w[row:end], length[:], s.alpha)
					kernel.Shorten(now[:], g[:], length[:], penalty, s.concave, r, part.sums[sumQ:])
					copy(shrink, now[:])
					kernel.ROPResidual(q, z, p, old, part.s[j*s.ld:], shrink, g[:], part.sums[sumPQ:], s.ld, r)
					kernel.PowerStep(z, u, next)
				}
				s.turn(k, r, next, before, &part.sums)
			}
		}
	})
	for _, part := range s.parts {
		for i, v := range part.sums {
			total[i] += v
		}
	}
	total[sumLambda2] = max(total[sumLambda2], 0) // a difference, see Project
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
	to[sumMovedZ] += max(0, dot(w, w)+dot(before, before)-2*dot(old, u)*dot(before, w))
}

// gather makes S of its parts: what 2uwᵀ − Ẑ of an atom lacks of it is (1 + r)·uwᵀ.
// It returns ‖Y − DX‖² and the number of non-zeros of X.
func (s *ropState) gather(r float64) (left float64, used int) {
	const grain = gatherGrain
	type block struct {
		left float64
		used int
	}
	blocks := make([]block, (s.n+grain-1)/grain)
	_ = parallel.For(context.Background(), s.n, grain, func() func(lo, hi int) {
		w, x := make([]float64, s.k*grain), make([]float64, s.k*grain)
		most := kernel.PadTo(min(grain, s.n), kernel.Rows)
		uw, dx := make([]float64, most*s.ld), make([]float64, most*s.ld)
		return func(lo, hi int) {
			b, cols := &blocks[lo/grain], hi-lo
			rows := (cols + kernel.Rows - 1) / kernel.Rows * kernel.Rows
			all, stride := s.w[lo:], s.n
			if rows > cols { // the last signals: the rest of a row is not theirs
				all, stride = w, grain
			}
			for k := range s.k {
				row := k*s.n + lo
				if rows > cols {
					copy(w[k*grain:], s.w[row:row+cols])
				}
				b.used += kernel.Mask(x[k*grain:], s.w[row:row+cols], s.shrink[row:row+cols])
			}
			kernel.Mul(uw, s.ld, all, stride, s.u, s.ld, rows, s.k, s.ld)
			kernel.Mul(dx, s.ld, x, grain, s.u, s.ld, rows, s.k, s.ld)
			sum := s.s[lo*s.ld : hi*s.ld]
			for i, v := range uw[:len(sum)] {
				sum[i] = (1 + r) * v
			}
			b.left = squaredDistance(s.y[lo*s.ld:hi*s.ld], dx)
			for _, part := range s.parts {
				kernel.Add(sum, part.s[lo*s.ld:hi*s.ld])
			}
		}
	})
	for _, b := range blocks {
		left, used = left+b.left, used+b.used
	}
	return left, used
}

// squaredDistance returns ‖a − b‖²; the length of a is a multiple of 4. Four sums do not
// wait for each other.
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
