package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/learners/sparse"
)

// split has the signals of a sweep in two parts, and the entries to hide.
type split struct {
	// training are the signals to learn from, and heldOut the others; both are copies, in the order of the data.
	training, heldOut *mat.Dense
	// folds are sets of row indices that are hidden together; every row is in one fold.
	folds [][]int
}

// mostFolds is the greatest number of folds. With 10, the coder sees all entries of a signal but a tenth.
const mostFolds = 10

// heldOut returns how many of n signals are held out.
func (opt Options) heldOut(n int) int { return int(math.Round(opt.Holdout * float64(n))) }

// newSplit draws by seed heldOut of the signals in y, which are held out, and the folds.
func newSplit(y *mat.Dense, heldOut int, seed uint64) split {
	m, n := y.Dims()
	rng := rand.New(rand.NewPCG(seed, 1)) // learners use stream 0 of the seed
	order := rng.Perm(n)
	slices.Sort(order[:heldOut])
	slices.Sort(order[heldOut:])
	s := split{training: columns(y, order[heldOut:]), heldOut: columns(y, order[:heldOut]), folds: make([][]int,
		min(mostFolds, m))}
	for at, i := range rng.Perm(m) {
		fold := &s.folds[at%len(s.folds)]
		*fold = append(*fold, i)
	}
	return s
}

// columns returns a copy of the columns of y whose indices are in which.
func columns(y *mat.Dense, which []int) *mat.Dense {
	m, _ := y.Dims()
	out := mat.NewDense(m, len(which), nil)
	for i := range m {
		from, to := y.RawRowView(i), out.RawRowView(i)
		for at, j := range which {
			to[at] = from[j]
		}
	}
	return out
}

// codedErrors codes the M×N signals y over d by c, and returns ‖y − Dx‖²/M of each, and the codes.
func codedErrors(ctx context.Context, c sparse.Coder, d *sparse.Dictionary, y *mat.Dense) ([]float64, *sparse.Codes,
	error) {
	codes, err := c.Code(ctx, d, y)
	if err != nil {
		return nil, nil, err
	}
	m, n := y.Dims()
	errors := make([]float64, n)
	addErrors(errors, codes, d, y, parallel.Numbers(m))
	return errors, codes, nil
}

// hiddenErrors returns ‖y − ŷ‖²/M for each signal, where the entries of ŷ in a fold are those of Dx, and x codes all
// other entries of the signal over their rows of D. A code of many atoms comes near any entries that it has seen, but
// predicts unseen ones badly; so this error rises where the error of codedErrors still falls.
//
// S. Wold: Cross-validatory estimation of the number of components in factor and principal components models,
// Technometrics 20(4), 1978, doi:10.1080/00401706.1978.10489693.
func hiddenErrors(ctx context.Context, c sparse.Coder, d *sparse.Dictionary, y *mat.Dense, folds [][]int) ([]float64,
	error) {
	m, n := y.Dims()
	_, k := d.Dims()
	errors := make([]float64, n)
	for _, hidden := range folds {
		seen := mat.NewDense(m-len(hidden), n, nil)
		atoms := make([]float64, 0, k*(m-len(hidden)))
		isHidden := make([]bool, m)
		for _, i := range hidden {
			isHidden[i] = true
		}
		row := 0
		for i, hide := range isHidden {
			if !hide {
				seen.SetRow(row, y.RawRowView(i))
				row++
			}
		}
		for j := range k {
			for i, v := range d.Atom(j) {
				if !isHidden[i] {
					atoms = append(atoms, v)
				}
			}
		}
		part, err := sparse.FromAtoms(m-len(hidden), atoms)
		if err != nil {
			return nil, err
		}
		codes, err := c.Code(ctx, part, seen)
		if err != nil {
			return nil, err
		}
		addErrors(errors, codes, d, y, hidden)
	}
	return errors, nil
}

// addErrors adds to errors[j], for each signal j, the squares of y − Dx in the rows entries, divided by M.
func addErrors(errors []float64, codes *sparse.Codes, d *sparse.Dictionary, y *mat.Dense, entries []int) {
	m, _ := y.Dims()
	rest := make([]float64, len(entries))
	for j := range errors {
		for at, i := range entries {
			rest[at] = y.At(i, j)
		}
		index, x := codes.Column(j)
		for a, k := range index {
			atom := d.Atom(int(k))
			for at, i := range entries {
				rest[at] -= x[a] * atom[i]
			}
		}
		for _, v := range rest {
			errors[j] += v * v / float64(m)
		}
	}
}
