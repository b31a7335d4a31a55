package learners

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// problem is the data that the update of a two-stage learner works on. The update changes the atoms and the values of
// the codes, on the support that the coder found.
type problem struct {
	m, n, k  int
	signals  []float64     // Y, signal after signal; not to be changed
	atoms    []float64     // D, atom after atom, each of length 1 before and after the update
	codes    *sparse.Codes // Value may be changed, the support may not
	rowStart []int         // K+1 entries: where the row of each atom begins in rowAt and rowPos
	rowAt    []int32       // for each atom, the signals that use it, ascending
	rowPos   []int         // the indices of their coefficients in codes.Value
	residual []float64     // Y − DX, signal after signal

	iteration, iterations int  // the number of this iteration, counted from 1, and the largest number of iterations
	transient             bool // the update will change its objective later: the loop must not settle or stall
}

// signal, atom and residualOf return y_j, d_k and the residual of signal j.
func (p *problem) signal(j int) []float64     { return p.signals[j*p.m : (j+1)*p.m] }
func (p *problem) atom(k int) []float64       { return p.atoms[k*p.m : (k+1)*p.m] }
func (p *problem) residualOf(j int) []float64 { return p.residual[j*p.m : (j+1)*p.m] }

// row returns the signals that use atom k, and the indices of their coefficients in codes.Value.
func (p *problem) row(k int) (signals []int32, places []int) {
	from, to := p.rowStart[k], p.rowStart[k+1]
	return p.rowAt[from:to], p.rowPos[from:to]
}

// update changes the atoms and the code values of a problem, and keeps p.residual equal to Y − DX. Atoms keep length 1,
// and unused atoms do not change. When ctx ends it returns ctx.Err(), and the problem may be in any state.
type update func(ctx context.Context, p *problem) error

// alternate is the loop of all two-stage learners: X = code(Y, D), then the update on the fixed support, until D no
// longer changes, the residual vanishes, the objective stalls, or opt.Iterations are done. The coder defines the
// objective: a lasso has an objective of its own, a pursuit minimises ‖Y − DX‖.
//
// Between coding and update, atoms that no signal uses are replaced by the signals with the largest residuals, a
// different signal for each. Between iterations other bad atoms are replaced (restart.go), unless keep is true.
func alternate(ctx context.Context, y *mat.Dense, opt Options, keep bool, apply update) (*Result, error) {
	began := time.Now()
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	p := &problem{m: m, n: n, k: opt.Atoms, signals: columns(y), residual: make([]float64, m*n),
		iterations: opt.Iterations}
	watch, again := newProgress(opt, y, began), newRestarts(opt.Iterations, keep)
	renewed := 0 // how many atoms were replaced by a check since the last iteration
	for done := false; !done; {
		codes, err := opt.Coder.Code(ctx, d, y)
		if err != nil {
			return watch.fail(ctx, err)
		}
		p.iteration++
		p.load(d, codes)
		replaced := renewed + p.replaceUnused()
		before := slices.Clone(p.atoms)
		if err := apply(ctx, p); err != nil {
			return watch.fail(ctx, err)
		}
		if d, err = sparse.FromAtoms(m, p.atoms); err != nil {
			return nil, fmt.Errorf("learners: iteration %d: %w", p.iteration, err)
		}
		move := largestMove(before, p.atoms)
		if p.transient { // a new objective is compared with no earlier one, and the dictionary counts as moving
			move, watch.best = math.Inf(1), math.Inf(1)
		}
		objective := sparse.Objective(opt.Coder, energy(p.residual), codes)
		done = watch.endStep(d, codes, energy(p.residual), objective, replaced, move)
		renewed = 0
		if !again.isDue(p.iteration, done) || !watch.mayGoOn() {
			continue
		}
		var changed bool
		renewed, changed = again.check(p.iteration, p.atoms, codes, objective, p.errors(), p.signal)
		if changed {
			if d, err = sparse.FromAtoms(m, p.atoms); err != nil {
				return nil, fmt.Errorf("learners: iteration %d: %w", p.iteration, err)
			}
			watch.goOn()
			done = false
		}
	}
	return Finish(watch.result)
}

// load sets the atoms and the codes of the problem, and computes the rows of X and the residual. The codes are stored
// signal by signal: a counting sort of their non-zeros by atom gives the rows.
func (p *problem) load(d *sparse.Dictionary, codes *sparse.Codes) {
	p.codes, p.atoms = codes, d.Atoms()
	p.rowStart = make([]int, p.k+1) // first the number of non-zeros of atom k at k+1, then the sums of these numbers
	for _, k := range codes.Index {
		p.rowStart[k+1]++
	}
	for k := range p.k {
		p.rowStart[k+1] += p.rowStart[k]
	}
	p.rowAt, p.rowPos = nil, nil // so that the old and the new slices are not in memory together
	p.rowAt, p.rowPos = make([]int32, len(codes.Index)), make([]int, len(codes.Index))
	next := slices.Clone(p.rowStart) // for each atom, where its next non-zero goes in rowAt and rowPos
	for j := range p.n {
		for pos := codes.Start[j]; pos < codes.Start[j+1]; pos++ {
			k := codes.Index[pos]
			p.rowAt[next[k]], p.rowPos[next[k]] = int32(j), pos
			next[k]++
		}
	}
	p.refresh()
}

// refresh sets the residual to Y − DX for the current atoms and codes.
func (p *problem) refresh() {
	copy(p.residual, p.signals)
	for j := range p.n {
		residual := p.residualOf(j)
		index, value := p.codes.Column(j)
		for i, k := range index {
			axpy(-value[i], p.atom(int(k)), residual)
		}
	}
}

// replaceUnused replaces the atoms that no signal uses by the signals with the largest residuals, scaled to length 1,
// and returns how many it replaced. Atoms stay if too few signals have residuals above rounding error.
func (p *problem) replaceUnused() int {
	var unused []int
	for k := range p.k {
		if p.rowStart[k] == p.rowStart[k+1] {
			unused = append(unused, k)
		}
	}
	if len(unused) == 0 {
		return 0
	}
	worst := worstSignals(p.errors())
	worst = worst[:min(len(unused), len(worst))]
	for i, j := range worst {
		atom := p.atom(unused[i])
		copy(atom, p.signal(j))
		Normalise(atom)
	}
	return len(worst)
}

// errors returns ‖y − Dx‖² of every signal, or 0 where it is rounding error: at most 1e-18·‖y‖².
func (p *problem) errors() []float64 {
	errs := make([]float64, p.n)
	for j := range errs {
		if errs[j] = energy(p.residualOf(j)); errs[j] <= 1e-18*energy(p.signal(j)) {
			errs[j] = 0
		}
	}
	return errs
}

// worstSignals returns the indices of signals with errors above 0, largest error first; equal ones keep their order.
func worstSignals(errs []float64) []int {
	count := 0 // counted first, so that the list takes no more memory than Memory says
	for _, v := range errs {
		if v > 0 {
			count++
		}
	}
	list := make([]int, 0, count)
	for j, v := range errs {
		if v > 0 {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(errs[b], errs[a]) })
	return list
}

// Finish completes the result r of a learner, and changes it: it makes the largest entry of every atom positive by
// negating the atom with its coefficients, drops coefficients of 0, and adds a warning if no signal uses an atom.
func Finish(r *Result) (*Result, error) {
	m, k := r.Dictionary.Dims()
	atoms, flip := r.Dictionary.Atoms(), make([]bool, k)
	for j := range k {
		if flip[j] = largestIsNegative(r.Dictionary.Atom(j)); flip[j] {
			for i := range m {
				atoms[j*m+i] = -atoms[j*m+i]
			}
		}
	}
	for i, k := range r.Codes.Index {
		if flip[k] {
			r.Codes.Value[i] = -r.Codes.Value[i]
		}
	}
	d, err := sparse.FromAtoms(m, atoms)
	if err != nil {
		return nil, err
	}
	r.Dictionary, r.Codes = d, r.Codes.Compact()
	unused := 0
	for _, count := range r.Codes.Usage() {
		if count == 0 {
			unused++
		}
	}
	if unused > 0 {
		r.Warnings = append(r.Warnings, fmt.Errorf("learners: %d of %d atoms are used by no training signal", unused,
			k))
	}
	return r, nil
}

// finishCancelled finishes the result r of a cancelled learner. It returns nil if r is nil, or if Finish fails.
func finishCancelled(r *Result) *Result {
	if r == nil {
		return nil
	}
	r.Stop = Cancelled
	r, err := Finish(r)
	if err != nil {
		return nil
	}
	return r
}

// columns returns a copy of the columns of y, one after the other.
func columns(y *mat.Dense) []float64 {
	m, n := y.Dims()
	out := make([]float64, m*n)
	for i := range m {
		for j, v := range y.RawRowView(i) {
			out[j*m+i] = v
		}
	}
	return out
}

func energy(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return sum
}

// largestMove returns the largest absolute difference between an entry of a and the same entry of b.
func largestMove(a, b []float64) float64 {
	move := 0.0
	for i, v := range a {
		move = max(move, math.Abs(v-b[i]))
	}
	return move
}
