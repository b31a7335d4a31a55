package sparse

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Angles sums up |cos| of the angles between all pairs of atoms of a dictionary that are not zero. The smaller they
// are, the easier a dictionary is to code over. The largest of K atoms of n entries is at least √((K−n)/(n(K−1)))
// (Welch, doi:10.1109/TIT.1974.1055219).
type Angles struct {
	// Pairs is the number of pairs of atoms that are not zero.
	Pairs int
	// Max and Mean are the largest and the mean |cos|, or 0 where there is no pair.
	Max, Mean float64
	// Near is the number of pairs with a |cos| above a limit.
	Near int
}

// Angles measures all pairs of atoms. limit is the |cos| above which two atoms count as near. It takes 8·K² bytes.
func (d *Dictionary) Angles(limit float64) Angles {
	gram := d.prepare()
	var a Angles
	sum := 0.0
	for i := range d.k {
		if d.norms[i] == 0 {
			continue
		}
		for j, v := range gram[i*d.wide : i*d.wide+i] {
			if d.norms[j] == 0 {
				continue
			}
			v = min(math.Abs(v), 1) // rounding may lead beyond 1
			a.Pairs++
			sum += v
			a.Max = max(a.Max, v)
			if v > limit {
				a.Near++
			}
		}
	}
	if a.Pairs > 0 {
		a.Mean = sum / float64(a.Pairs)
	}
	return a
}

// Condition returns the rank of a dictionary, which is the number of its singular values above a millionth of the
// largest, and the ratio of the largest to the smallest of those. Atoms without a mean, for example, have a rank of
// n−1. Both are 0 where all atoms are zero, and where the decomposition does not converge.
func (d *Dictionary) Condition() (rank int, condition float64) {
	var svd mat.SVD
	// The atoms are the rows of the transpose in memory, and its singular values are the same.
	if !svd.Factorize(mat.NewDense(d.k, d.n, d.atoms), mat.SVDNone) {
		return 0, 0 // it did not converge
	}
	values := svd.Values(nil)
	for _, v := range values {
		if v > 1e-6*values[0] {
			rank, condition = rank+1, values[0]/v
		}
	}
	return rank, condition
}
