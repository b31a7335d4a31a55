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

// problem is what the update of a two-stage learner sees and changes: the atoms
// and the values of the codes, on the support the coder found.
type problem struct {
	m, n, k  int
	signals  []float64     // Y, signal after signal; not to be changed
	atoms    []float64     // D, atom after atom, each of length 1 before and after the update
	codes    *sparse.Codes // Value may be changed, the support may not
	rowStart []int         // K+1: where the users of each atom begin in rowAt and rowPos
	rowAt    []int32       // the signals that use an atom, ascending
	rowPos   []int         // and where the coefficient is in codes.Value
	residual []float64     // Y − DX, signal after signal; an update that keeps it current says so

	iteration, iterations int  // which one this is, from 1, and how many there may be
	transient             bool // set by an update that will work otherwise later: do not end yet
}

func (p *problem) signal(j int) []float64 { return p.signals[j*p.m : (j+1)*p.m] }
func (p *problem) atom(k int) []float64   { return p.atoms[k*p.m : (k+1)*p.m] }
func (p *problem) rest(j int) []float64   { return p.residual[j*p.m : (j+1)*p.m] }

// row returns the signals that use atom k and the places of its coefficients.
func (p *problem) row(k int) (signals []int32, places []int) {
	from, to := p.rowStart[k], p.rowStart[k+1]
	return p.rowAt[from:to], p.rowPos[from:to]
}

// update changes the atoms and the values of the codes of a problem, and leaves
// p.residual current. It must keep the atoms at length 1 and leave atoms that no
// signal uses as they are. When ctx ends it returns ctx.Err() soon, whatever state
// it leaves.
type update func(ctx context.Context, p *problem) error

// alternate is the loop of all two-stage learners: X = code(Y, D), then the
// update on the fixed support, until nothing changes, nothing is left, or the
// iterations are used up.
//
// Atoms that no signal uses are replaced between coding and update by the worst
// represented signals, each signal once in an iteration.
func alternate(ctx context.Context, y *mat.Dense, opt Options, apply update) (*Result, error) {
	began := time.Now()
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	p := &problem{m: m, n: n, k: opt.Atoms, signals: columns(y), residual: make([]float64, m*n), iterations: opt.Iterations}
	watch := newProgress(opt, y, began)
	for done := false; !done; {
		codes, err := opt.Coder.Code(ctx, d, y)
		if err != nil {
			return watch.fail(ctx, err)
		}
		p.iteration++
		p.load(d, codes)
		replaced := p.replaceUnused()
		before := slices.Clone(p.atoms)
		if err := apply(ctx, p); err != nil {
			return watch.fail(ctx, err)
		}
		if d, err = sparse.FromAtoms(m, p.atoms); err != nil {
			return nil, fmt.Errorf("learners: iteration %d: %w", p.iteration, err)
		}
		move := largestMove(before, p.atoms)
		if p.transient {
			move, watch.best = math.Inf(1), math.Inf(1)
		}
		done = watch.done(d, codes, energy(p.residual), replaced, move)
	}
	return Finish(watch.result)
}

// load takes new codes in: the rows of X and the residual.
func (p *problem) load(d *sparse.Dictionary, codes *sparse.Codes) {
	p.codes = codes
	p.atoms = make([]float64, 0, p.m*p.k)
	for k := range p.k {
		p.atoms = append(p.atoms, d.Atom(k)...)
	}
	p.rowStart = make([]int, p.k+1)
	for _, k := range codes.Index {
		p.rowStart[k+1]++
	}
	for k := range p.k {
		p.rowStart[k+1] += p.rowStart[k]
	}
	p.rowAt, p.rowPos = nil, nil // not beside the new ones
	p.rowAt, p.rowPos = make([]int32, len(codes.Index)), make([]int, len(codes.Index))
	next := slices.Clone(p.rowStart)
	for j := range p.n {
		for at := codes.Start[j]; at < codes.Start[j+1]; at++ {
			k := codes.Index[at]
			p.rowAt[next[k]], p.rowPos[next[k]] = int32(j), at
			next[k]++
		}
	}
	p.refresh()
}

// refresh computes the residual anew.
func (p *problem) refresh() {
	copy(p.residual, p.signals)
	for j := range p.n {
		rest := p.rest(j)
		index, value := p.codes.Column(j)
		for i, k := range index {
			axpy(-value[i], p.atom(int(k)), rest)
		}
	}
}

// replaceUnused gives every atom that no signal uses the direction of the signal
// with the largest residual, and returns how many it replaced. A signal that is
// represented to rounding error replaces nothing.
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
	left := make([]float64, p.n)
	for j := range left {
		if left[j] = energy(p.rest(j)); left[j] <= 1e-18*energy(p.signal(j)) {
			left[j] = 0
		}
	}
	worst := worstSignals(left)
	count := min(len(unused), len(worst))
	for i, j := range worst[:count] {
		atom := p.atom(unused[i])
		copy(atom, p.signal(j))
		normalise(atom)
	}
	return count
}

// worstSignals returns the signals with something left of them, the largest left
// first, and the first of equal ones.
func worstSignals(left []float64) []int {
	count := 0
	for _, v := range left {
		if v > 0 {
			count++
		}
	}
	list := make([]int, 0, count)
	for j, v := range left {
		if v > 0 {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(left[b], left[a]) })
	return list
}

// Finish ends a learner: it fixes the signs of the atoms, drops coefficients that an
// update has made zero, and notes the atoms that nothing uses. r is changed.
func Finish(r *Result) (*Result, error) {
	m, k := r.Dictionary.Dims()
	atoms := make([]float64, 0, m*k)
	flip := make([]bool, k)
	for j := range k {
		atoms = append(atoms, r.Dictionary.Atom(j)...)
		if flip[j] = largestIsNegative(r.Dictionary.Atom(j)); flip[j] {
			for i := range m {
				atoms[j*m+i] = -atoms[j*m+i]
			}
		}
	}
	for at, j := range r.Codes.Index {
		if flip[j] {
			r.Codes.Value[at] = -r.Codes.Value[at]
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
		r.Warnings = append(r.Warnings, fmt.Errorf("learners: %d of %d atoms are used by no training signal", unused, k))
	}
	return r, nil
}

// cancelled ends a result early; nil when no iteration was completed.
func cancelled(r *Result) *Result {
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

// columns copies the columns of y one after the other.
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

func largestMove(a, b []float64) float64 {
	move := 0.0
	for i, v := range a {
		move = max(move, math.Abs(v-b[i]))
	}
	return move
}
