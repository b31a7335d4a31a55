package anchored

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/superres/training"
)

// normalEquations are what least squares needs to know of the samples of K anchors:
//
//	A_k = Σ q·qᵀ,  B_k = Σ q·rᵀ    over the samples with anchor k,
//
// q the coordinates of the input, r those of what is missing. The samples themselves
// are not kept. Samples are added in their order, by blocks of the same size, so the
// sums do not depend on the number of workers. The sum of a block is rounded to a
// multiple of quantum, of which float64 adds up to 2³¹ without error: the sums of blocks
// do not depend on their order.
type normalEquations struct {
	in, out int
	sums    []float64 // of each anchor: [A B], in×(in+out)
	count   []int64
}

func newNormalEquations(anchors, in, out int) *normalEquations {
	return &normalEquations{in: in, out: out, sums: make([]float64, anchors*in*(in+out)), count: make([]int64, anchors)}
}

// samplesTogether is how many products are summed in float32.
const samplesTogether = 256

// add adds samples: rows [q r], of which those with a negative anchor are left out.
func (n *normalEquations) add(ctx context.Context, rows []float32, anchor []int32) error {
	width, size := n.in+n.out, n.in*(n.in+n.out)
	keys := len(n.count)
	for i, k := range anchor {
		if k < 0 {
			anchor[i] = int32(keys)
		}
	}
	order, start := bucket(anchor, keys+1, nil, nil)
	return parallel.For(ctx, keys, 4, func() func(lo, hi int) {
		wide := vectors(width)
		high := kernel.PadTo(n.in, kernel.Rows32) // of its rows, the last are not needed
		part, some := make([]float32, high*wide), make([]float32, samplesTogether*wide)
		return func(lo, hi int) {
			for k := lo; k < hi; k++ {
				sum := n.sums[k*size : (k+1)*size]
				list := order[start[k]:start[k+1]]
				n.count[k] += int64(len(list))
				for len(list) > 0 {
					count := min(samplesTogether, len(list))
					for i, j := range list[:count] {
						copy(some[i*wide:], rows[int(j)*width:(int(j)+1)*width])
					}
					list = list[count:]
					kernel.Mul32(part, wide, some, wide, some, wide, high, count, wide)
					for i := range n.in {
						to := sum[i*width : (i+1)*width]
						for j, v := range part[i*wide : i*wide+width] {
							to[j] += quantised(v)
						}
					}
				}
			}
		}
	})
}

// quantum is what the sums of blocks are rounded to. Coordinates of the input are
// white, so a sum reaches 2³¹ with about as many samples.
const quantum = 1.0 / (1 << 22)

// quantised rounds to a multiple of quantum: so large is the last bit of the sum
// within.
func quantised(v float32) float64 {
	const large = 1.5 * (1 << 52) * quantum
	x := float64(v) + large
	return x - large
}

// joined returns the sum of equations of the same size.
func joined(list ...*normalEquations) *normalEquations {
	out := newNormalEquations(len(list[0].count), list[0].in, list[0].out)
	for _, n := range list {
		for i, v := range n.sums {
			out.sums[i] += v
		}
		for k, c := range n.count {
			out.count[k] += c
		}
	}
	return out
}

// ridge is the weight of the global regressor, in samples.
const ridge = 10

// solve returns the regressors R_k, in×out row after row: least squares, pulled
// towards the regressor R_0 of all samples together as if ridge samples more obeyed it,
//
//	R_k = (A_k + λM)⁻¹ (B_k + λM·R_0),  M = Σ A_k / N,
//
// so that an anchor with few samples does as all do together.
func (n *normalEquations) solve(ctx context.Context) ([]float32, error) {
	in, out, width := n.in, n.out, n.in+n.out
	size := in * width
	total := int64(0)
	for _, c := range n.count {
		total += c
	}
	if total == 0 {
		return nil, fmt.Errorf("anchored: %w: no patch was found in a half of them, they are flat or small", training.ErrPictures)
	}
	mean := make([]float64, size)
	for k := range n.count {
		for i, v := range n.sums[k*size : (k+1)*size] {
			mean[i] += v / float64(total)
		}
	}
	weight := mat.NewSymDense(in, nil)
	cross := mat.NewDense(in, out, nil)
	trace := 0.0
	for i := range in {
		trace += mean[i*width+i]
	}
	for i := range in {
		for j := range in {
			if j >= i {
				weight.SetSym(i, j, mean[i*width+j])
			}
		}
		weight.SetSym(i, i, weight.At(i, i)+1e-6*trace/float64(in)) // for coordinates that never vary
		cross.SetRow(i, mean[i*width+in:(i+1)*width])
	}
	global, err := solved(weight, cross)
	if err != nil {
		return nil, err
	}
	var pull mat.Dense // M·R_0
	pull.Mul(weight, global)
	regressors := make([]float32, len(n.count)*in*out)
	errs := make([]error, len(n.count))
	err = parallel.For(ctx, len(n.count), 8, func() func(lo, hi int) {
		a, b := mat.NewSymDense(in, nil), mat.NewDense(in, out, nil)
		return func(lo, hi int) {
			for k := lo; k < hi; k++ {
				sums := n.sums[k*size : (k+1)*size]
				for i := range in {
					for j := i; j < in; j++ {
						a.SetSym(i, j, sums[i*width+j]+ridge*weight.At(i, j))
					}
					for j := range out {
						b.Set(i, j, sums[i*width+in+j]+ridge*pull.At(i, j))
					}
				}
				x, err := solved(a, b)
				if errs[k] = err; err != nil {
					continue
				}
				for i, v := range x.RawMatrix().Data {
					regressors[k*in*out+i] = float32(v)
				}
			}
		}
	})
	for _, e := range errs {
		if e != nil {
			return nil, e
		}
	}
	return regressors, err
}

// solved returns A⁻¹·B for positive definite A.
func solved(a *mat.SymDense, b *mat.Dense) (*mat.Dense, error) {
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return nil, fmt.Errorf("anchored: %w: their patches are degenerate; use fewer dimensions or more pictures", training.ErrPictures)
	}
	var x mat.Dense
	if err := chol.SolveTo(&x, b); err != nil {
		if _, warning := err.(mat.Condition); !warning {
			return nil, err
		}
	}
	return &x, nil
}

// accumulate collects the equations of a stage from the pictures of a fold.
func (d *data) accumulate(ctx context.Context, a *Stage, fold int, report func(pixels int64)) (*normalEquations, error) {
	p := a.params
	equations := newNormalEquations(p.Anchors, p.InputDims, p.OutputDims)
	width := p.InputDims + p.OutputDims
	list, _ := d.jobs(a, fold)
	var rows []float32
	var anchor []int32
	for len(list) > 0 {
		n := 0
		for ; n < len(list) && list[n].at-list[0].at < batchPatches && list[n].plane.group == list[0].plane.group; n++ {
		}
		batch := list[:n]
		list = list[n:]
		first := batch[0].at
		count := batch[n-1].at + batch[n-1].count() - first
		rows, anchor = grown(rows, count*width), grown(anchor, count)
		err := parallel.For(ctx, n, 1, func() func(lo, hi int) {
			var c cutter
			var s scratch
			return func(lo, hi int) {
				j := batch[lo]
				c.cut(j, p.Input, d.opt.Scale)
				a.analyse(&s, &c.in, 0, c.in.tiles())
				a.targets(&s, &c.target)
				for i := range j.count() {
					at := j.at - first + i
					anchor[at] = s.anchor[i]
					if deviation := c.in.deviation(i); deviation < float32(d.opt.Flat) || deviation == 0 {
						anchor[at] = -1
					}
					row := rows[at*width : (at+1)*width]
					s.input(row[:p.InputDims], p, i)
					copy(row[p.InputDims:], s.r[i*p.outWidth():])
				}
			}
		})
		if err == nil {
			err = equations.add(ctx, rows, anchor)
		}
		if err != nil {
			return nil, err
		}
		pixels := int64(0)
		for _, j := range batch {
			pixels += int64(j.count()) * int64(j.grid.cell) * int64(j.grid.cell)
		}
		report(pixels)
	}
	return equations, nil
}

// batchPatches is about how many samples are worked on together.
const batchPatches = 1 << 18
