package planted

import (
	"fmt"
	"math"
	"slices"

	"superres/learners/sparse"
)

// Recovery measures the distance between a learned dictionary and the true one. Each learned atom is matched with a
// true atom. An error is the mean of 1 − |cos|, 0 to 1, over these pairs. The sign of an atom is arbitrary, so the
// argmax in the paper's matching is taken over |cos|, not cos.
type Recovery struct {
	// Assigned is the error of the matching with the least error.
	Assigned float64 `json:"assigned"`
	// InOrder is the error of the paper's matching: each learned atom in turn takes the best true atom that is still
	// free. A bad atom that comes early may take the true atom of a later, better atom.
	InOrder float64 `json:"in_order"`
	// Recovered is the share of the true atoms with |cos| above 0.99 in the matching of Assigned.
	Recovered float64 `json:"recovered"`
}

// Measure compares a learned dictionary with the true one, which has K atoms. Atoms need not have length 1. An atom of
// zeros has |cos| 0 with every atom. If the learned dictionary has fewer atoms, each unmatched true atom counts with
// |cos| 0; if it has more, unmatched learned atoms do not count.
func Measure(learned, truth *sparse.Dictionary) (Recovery, error) {
	m, k := truth.Dims()
	rows, atoms := learned.Dims()
	if rows != m {
		return Recovery{}, fmt.Errorf("planted: learned atoms have %d entries, the true ones %d", rows, m)
	}
	size := max(k, atoms)
	// cost is 1 − |cos| of every pair. Rows of 1 stand for missing learned atoms, columns of 1 for missing true ones.
	cost := make([][]float64, size)
	for a := range cost {
		cost[a] = make([]float64, size)
		for b := range size {
			if cost[a][b] = 1; a >= atoms || b >= k {
				continue
			}
			sum := 0.0
			for i, v := range learned.Atom(a) {
				sum += v * truth.Atom(b)[i]
			}
			if size := learned.Norm(a) * truth.Norm(b); size > 0 {
				cost[a][b] = max(0, 1-math.Abs(sum)/size)
			}
		}
	}
	var r Recovery
	free := make([]bool, size)
	for b := range free {
		free[b] = true
	}
	for _, row := range cost {
		best := slices.Index(free, true)
		for b, c := range row {
			if free[b] && c < row[best] {
				best = b
			}
		}
		free[best] = false
		if best < k {
			r.InOrder += row[best] / float64(k)
		}
	}
	for a, b := range assign(cost) {
		if b >= k {
			continue // more learned atoms than true ones
		}
		r.Assigned += cost[a][b] / float64(k)
		if cost[a][b] < 0.01 {
			r.Recovered += 1 / float64(k)
		}
	}
	return r, nil
}

// assign pairs each row with a different column so that the sum of the costs is smallest, and returns the column of
// each row. It uses shortest augmenting paths over reduced costs, in k³ operations.
//
// H. W. Kuhn: The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2 (1955),
// doi:10.1002/nav.3800020109.
func assign(cost [][]float64) []int {
	k := len(cost)
	// A column's price and a row's gain reduce costs: cost − gain − price is 0 for the pairs made, and never negative.
	owner, price, gain := make([]int, k), make([]float64, k), make([]float64, k)
	for b := range owner {
		owner[b] = -1 // column b has no row yet
	}
	for start := range k {
		// Grow a tree of columns from the row start until one is free.
		distance, from := make([]float64, k), make([]int, k)
		inTree := make([]bool, k)
		for b := range distance {
			distance[b], from[b] = math.Inf(1), -1
		}
		row, last := start, -1 // last is the newest column of the tree; -1: none
		for {
			for b := range k {
				if c := cost[row][b] - gain[row] - price[b]; !inTree[b] && c < distance[b] {
					distance[b], from[b] = c, last
				}
			}
			next := -1
			for b := range k {
				if !inTree[b] && (next < 0 || distance[b] < distance[next]) {
					next = b
				}
			}
			step := distance[next]
			gain[start] += step
			for b := range k {
				if inTree[b] {
					gain[owner[b]] += step
					price[b] -= step
				} else {
					distance[b] -= step
				}
			}
			inTree[next], last = true, next
			if row = owner[next]; row < 0 {
				break
			}
		}
		// Move the owners along the path to the free column.
		for last >= 0 {
			before := from[last]
			if before < 0 {
				owner[last] = start
			} else {
				owner[last] = owner[before]
			}
			last = before
		}
	}
	of := make([]int, k)
	for b, a := range owner {
		of[a] = b
	}
	return of
}
