package superres

import (
	"gonum.org/v1/gonum/blas/gonum"
)

// The inner loops of the anchored stage. Patches are worked on in blocks of up to
// lanes, feature after feature: entry i of the patch in lane b lies at i·stride + b.
// Every result is a sum over the features of one patch in their order, so it does
// not depend on the block a patch falls into.

// lanes is how many patches make a block: two blocks of 64 features stay in the
// first-level cache.
const lanes = 64

var blas32 gonum.Implementation

// product sets dst ← Aᵀ·x for w lanes. at holds A, k×m with stride as between its
// rows; x is k×w with stride xs, dst m×w with stride ds.
//
// Note: as k updates of rank one, which gonum has in assembly for amd64: three times
// as fast as the best loop of plain Go that we found.
func product(dst []float32, ds int, at []float32, as, m int, x []float32, xs, w, k int) {
	for i := range m {
		clear(dst[i*ds : i*ds+w])
	}
	for l := range k {
		blas32.Sger(m, w, 1, at[l*as:l*as+m], 1, x[l*xs:l*xs+w], 1, dst, ds)
	}
}

// raise compares the scores of w lanes with the best so far, and notes index where
// they are better: the first of equal scores stays.
func raise(best []float32, index []int32, scores []float32, i int32) {
	best, index = best[:len(scores)], index[:len(scores)]
	for b, v := range scores {
		if v > best[b] {
			best[b], index[b] = v, i
		}
	}
}

// regress sets dst ← Rᵀ·q for one patch; r holds R, len(q)×len(dst) row after row.
func regress(dst, q, r []float32) {
	clear(dst)
	n := len(dst)
	i := 0
	for ; i+4 <= len(q); i += 4 {
		v0, v1, v2, v3 := q[i], q[i+1], q[i+2], q[i+3]
		r0, r1, r2, r3 := r[i*n:][:n], r[(i+1)*n:][:n], r[(i+2)*n:][:n], r[(i+3)*n:][:n]
		for j := range dst {
			dst[j] += v0*r0[j] + v1*r1[j] + v2*r2[j] + v3*r3[j]
		}
	}
	for ; i < len(q); i++ {
		v := q[i]
		for j, c := range r[i*n:][:n] {
			dst[j] += v * c
		}
	}
}

// transpose turns k features of w lanes (stride xs) into w rows of k entries.
func transpose(dst, x []float32, xs, w, k int) {
	for b := range w {
		row := dst[b*k : (b+1)*k]
		for i := range row {
			row[i] = x[i*xs+b]
		}
	}
}

// bucket sorts the numbers 0..len(key)-1 by key, 0 ≤ key < keys, keeping the order
// of equal ones; it returns them, and where the numbers of every key begin.
func bucket(key []int32, keys int, order, start []int32) (sorted, starts []int32) {
	order, start = grown(order, len(key)), grown(start, keys+1)
	clear(start)
	for _, k := range key {
		start[k+1]++
	}
	for k := range keys {
		start[k+1] += start[k]
	}
	for i, k := range key {
		order[start[k]] = int32(i)
		start[k]++
	}
	copy(start[1:], start[:keys]) // each start has become the next one's
	start[0] = 0
	return order, start
}

// grown returns s with n entries, in new memory when it is too small.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
