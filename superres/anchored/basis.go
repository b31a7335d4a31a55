package anchored

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres/training"
)

// anchorSample are training patches in canonical form, and what is missing there.
type sample struct {
	count            int
	features, blocks []float32 // patch after patch
}

// samplesPerAnchor is about how many patches an anchor is found from.
const samplesPerAnchor = 150

// samples is how many patches the tables of a stage are found from, if there are so many.
func (o Trainer) samples() int {
	if o.Samples > 0 {
		return o.Samples
	}
	return max(samplesPerAnchor*o.Atoms, 30_000)
}

// sample draws patches that are not flat, from all pictures alike. The draw depends on
// the seed, the stage and the pictures alone.
func (d *data) sample(ctx context.Context, a *Stage, stage int) (sample, error) {
	drawn, err := d.draw(ctx, a, stage)
	return gathered(drawn), err
}

// draw draws the sample, each job by itself.
func (d *data) draw(ctx context.Context, a *Stage, stage int) ([]sample, error) {
	var list []job
	count := 0
	for fold := range folds {
		of, n := d.jobs(a, fold)
		for _, j := range of {
			j.at += count
			list = append(list, j)
		}
		count += n
	}
	p := a.params
	share := min(1, float64(d.opt.samples())/float64(max(count, 1)))
	drawn := make([]sample, len(list))
	err := parallel.For(ctx, len(list), 1, func() func(lo, hi int) {
		var c cutter
		var s scratch
		return func(lo, hi int) {
			j := list[lo]
			n := int(share*float64(j.at+j.count())) - int(share*float64(j.at))
			if n == 0 {
				return
			}
			c.cut(j, p.Input, d.opt.Scale)
			rng := rand.New(rand.NewPCG(d.opt.Seed, uint64(stage)<<32|uint64(lo)))
			var pick []int32
			for _, number := range rng.Perm(j.count())[:n] {
				if deviation := c.in.deviation(number); deviation >= float32(d.opt.Flat) && deviation > 0 {
					pick = append(pick, int32(number))
				}
			}
			drawn[lo] = a.canonicalSample(&s, &c, pick)
		}
	})
	return drawn, err
}

// gathered returns all samples as one.
func gathered(drawn []sample) (all sample) {
	features, blocks := 0, 0
	for _, one := range drawn {
		all.count += one.count
		features, blocks = features+len(one.features), blocks+len(one.blocks)
	}
	all.features, all.blocks = make([]float32, 0, features), make([]float32, 0, blocks)
	for _, one := range drawn {
		all.features = append(all.features, one.features...)
		all.blocks = append(all.blocks, one.blocks...)
	}
	return all
}

// canonicalSample returns patches that the cutter holds, by their numbers.
func (a *Stage) canonicalSample(s *scratch, c *cutter, numbers []int32) sample {
	f, size := a.params.features(), a.params.Block*a.params.Block
	out := sample{len(numbers), make([]float32, len(numbers)*f), make([]float32, len(numbers)*size)}
	a.ready(s, tileWidth)
	raw := make([]float32, max(f, size)*tileWidth)
	offsets := make([]int32, a.params.Patch*a.params.Patch)
	for i := range offsets {
		offsets[i] = int32(i * tileWidth)
	}
	rows := func(dst []float32, w, k int) {
		for b := range w {
			for i := range k {
				dst[b*k+i] = s.p[i*tileWidth+b]
			}
		}
	}
	for at := 0; at < len(numbers); at += tileWidth {
		some := numbers[at:min(at+tileWidth, len(numbers))]
		w := len(some)
		c.in.gather(raw, some)
		a.canonicalise(s, s.forms[:tileWidth], raw, offsets, a.in)
		rows(out.features[at*f:], w, f)
		c.target.gather(raw, some)
		clear(s.mean)
		kernel.Orient(s.p, a.out, raw, a.out, s.forms[:tileWidth], s.mean)
		rows(out.blocks[at*size:], w, size)
	}
	return out
}

// learnTables finds everything of a stage but its regressors: U and W by principal
// components, V by those of the windowed patches, the anchors among the samples.
// The eigenvalues of V's components are raised to −¼: between comparing patches as
// they are (0) and giving all directions the same weight (−½).
func (d *data) learnTables(ctx context.Context, a *Stage, s sample, stage int) (t tables, err error) {
	p := a.params
	f, n, size := p.features(), p.Patch*p.Patch, p.Block*p.Block
	second := moment(s.features, f)
	root := make([]float64, n)
	for i := range root {
		root[i] = math.Sqrt(float64(a.form.window[i]))
	}
	plain, windowed := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			v := second.At(i, j)
			if f > n {
				v -= second.At(i, n) * second.At(j, n) // the last feature is 1: these are the means
			}
			plain.SetSym(i, j, v)
			windowed.SetSym(i, j, root[i]*root[j]*v)
		}
	}
	if t.input, err = basis(plain, -0.5, p.InputDims, second, f, nil); err != nil {
		return t, err
	}
	if t.search, err = basis(windowed, -0.25, p.SearchDims, second, f, root); err != nil {
		return t, err
	}
	w, err := basis(moment(s.blocks, size), 0, p.OutputDims, nil, size, nil)
	if err != nil {
		return t, err
	}
	t.output = columns(w, p.OutputDims)
	anchors, err := d.learnAnchors(ctx, p, t.search, s, stage)
	if err != nil {
		return t, err
	}
	t.anchors = packAnchors(anchors, p.SearchDims)
	search := buildSearch(p.SearchDims, unpackAnchors(t.anchors, p.SearchDims), d.opt.Seed)
	t.centroids, t.lists = search.centroids, search.lists
	return t, nil
}

// moment returns Σ x·xᵀ/n over rows x of dims entries.
func moment(x []float32, dims int) *mat.SymDense {
	high, wide := kernel.PadTo(dims, kernel.Rows32), vectors(dims)
	sum, part := make([]float64, dims*dims), make([]float32, high*wide)
	n := len(x) / dims
	for from := 0; from < n; from += 256 {
		some := padded(x[from*dims:min(from+256, n)*dims], dims, wide)
		kernel.Mul32(part, wide, some, wide, some, wide, high, len(some)/wide, wide)
		for i := range dims {
			for j, v := range part[i*wide : i*wide+dims] {
				sum[i*dims+j] += float64(v) / float64(n)
			}
		}
	}
	return mat.NewSymDense(dims, sum)
}

// basis returns the first dims principal components of a covariance, each times its
// eigenvalue to the given power, as columns of a features×dims matrix. weights, if
// any, are of the entries before the components are taken. When there is one feature
// more than the covariance has rows, it is the 1: components are of what differs from
// the mean, and the last column is constant: it keeps apart patches that are large and
// small, as large as the others are together.
func basis(cov *mat.SymDense, power float64, dims int, second *mat.SymDense, features int, weights []float64) ([]float32, error) {
	n := cov.SymmetricDim()
	var eigen mat.EigenSym
	if !eigen.Factorize(cov, true) {
		return nil, fmt.Errorf("anchored: %w: the training patches have no principal components", training.ErrPictures)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	largest := values[n-1]
	if !(largest > 0) {
		return nil, fmt.Errorf("anchored: %w: there is nothing to learn, the pictures are flat or restored as they are", training.ErrPictures)
	}
	out := make([]float32, features*dims)
	components := dims
	if features > n {
		components--
	}
	energy := 0.0
	for c := range components {
		value := values[n-1-c]
		if value < 1e-6*largest {
			break // patches lie in fewer dimensions: without its mean each loses one
		}
		scale, sign, mean := math.Pow(value, power), 1.0, 0.0
		column := mat.Col(nil, n-1-c, &vectors)
		if sumOf(column) < 0 {
			sign = -1 // the sign of a component is arbitrary: fix it
		}
		for i, v := range column {
			v *= scale * sign
			if weights != nil {
				v *= weights[i]
			}
			out[i*dims+c] = float32(v)
			if features > n {
				mean += v * second.At(i, n)
			}
		}
		if features > n {
			out[n*dims+c] = float32(-mean)
		}
		energy += value * scale * scale
	}
	if features > n {
		constant := 1.0
		if weights != nil {
			constant = math.Sqrt(energy)
		}
		out[n*dims+dims-1] = float32(constant)
	}
	return out, nil
}

func sumOf(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

// learnAnchors finds the anchors: directions of z by spherical k-means, or the atoms
// of any learner with codes of one atom.
func (d *data) learnAnchors(ctx context.Context, p params, search []float32, s sample, stage int) ([]float32, error) {
	f, dims := p.features(), p.SearchDims
	if s.count < p.Anchors {
		return nil, fmt.Errorf("anchored: %w: %d patches were found for %d atoms; use fewer atoms or more pictures", training.ErrPictures, s.count, p.Anchors)
	}
	z := make([]float32, s.count*dims)
	row := make([]float32, dims)
	for j := range s.count {
		regress(row, s.features[j*f:(j+1)*f], search)
		direction(z[j*dims:(j+1)*dims], row)
	}
	if d.opt.Learner == SphericalMeans {
		return sphericalMeans(dims, z, p.Anchors, d.opt.Iterations, d.opt.Seed+uint64(stage)), ctx.Err()
	}
	learner, err := learners.New(d.opt.Learner)
	if err != nil {
		return nil, err
	}
	y := mat.NewDense(dims, s.count, nil)
	for j := range s.count {
		for i, v := range z[j*dims : (j+1)*dims] {
			y.Set(i, j, float64(v))
		}
	}
	result, err := learner.Learn(ctx, y, learners.Options{
		Atoms: p.Anchors, Iterations: d.opt.Iterations, Coder: sparse.OMP{Sparsity: 1}, Seed: d.opt.Seed + uint64(stage),
	})
	if err != nil {
		return nil, err
	}
	// A code may be negative, an anchor is a direction: that of most who chose the atom.
	sums := make([]float64, p.Anchors)
	for j := range s.count {
		index, value := result.Codes.Column(j)
		for i, k := range index {
			sums[k] += value[i]
		}
	}
	anchors := make([]float32, p.Anchors*dims)
	for k := range p.Anchors {
		direction(anchors[k*dims:(k+1)*dims], result.Dictionary.Atom(k))
		if sums[k] < 0 {
			for i := range dims {
				anchors[k*dims+i] = -anchors[k*dims+i]
			}
		}
	}
	return anchors, nil
}

// regress sets dst ← Aᵀ·x; a holds A, len(x)×len(dst) row after row.
func regress(dst, x, a []float32) {
	clear(dst)
	for i, v := range x {
		for j, c := range a[i*len(dst) : (i+1)*len(dst)] {
			dst[j] += v * c
		}
	}
}
