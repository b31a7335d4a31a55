package sparse

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Angles says how near the atoms of a dictionary are to one another, by |cos| of
// the angle between every two atoms that are not zero. A dictionary is the easier
// to code over the farther apart they are; no K atoms of n entries get below
// √((K−n)/(n(K−1))) (Welch, doi:10.1109/TIT.1974.1055219).
type Angles struct {
	// Pairs is how many pairs there are of atoms that are not zero.
	Pairs int
	// Max and Mean are those of |cos| over the pairs; 0 when there is none.
	Max, Mean float64
	// Near is how many pairs have a |cos| above the limit.
	Near int
}

// Angles measures all pairs of atoms; near is the limit from which on they count
// as nearly the same. It takes K²·8 bytes.
func (d *Dictionary) Angles(near float64) Angles {
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
			v = min(math.Abs(v), 1) // it is rounded
			a.Pairs++
			sum += v
			a.Max = max(a.Max, v)
			if v > near {
				a.Near++
			}
		}
	}
	if a.Pairs > 0 {
		a.Mean = sum / float64(a.Pairs)
	}
	return a
}

// Condition returns the rank of a dictionary, that is how many of its singular
// values exceed a millionth of the largest, and the ratio of the largest to the
// smallest of those. Atoms without a mean, for one, have a rank of n−1. Atoms that
// are all zero have rank 0 and condition 0, and so has a failure to find out.
func (d *Dictionary) Condition() (rank int, condition float64) {
	var svd mat.SVD
	// The transpose of the matrix, whose singular values are the same, lies in memory
	// as it is.
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
