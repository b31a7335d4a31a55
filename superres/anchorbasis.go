package superres

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/learners"
	"superres/learners/sparse"
)

// anchorSample are training patches in canonical form, and what is missing there.
type anchorSample struct {
	count            int
	features, blocks []float32 // patch after patch
}

// samplesPerAnchor is about how many patches an anchor is found from.
const samplesPerAnchor = 150

// sample draws patches that are not flat, from all pictures alike. The draw depends on
// the seed, the stage and the pictures alone.
func (d *anchorData) sample(ctx context.Context, a *Anchored, stage int) (anchorSample, error) {
	drawn, err := d.draw(ctx, a, stage)
	return gathered(drawn), err
}

// draw draws the sample, each job by itself; those of other parts draw nothing.
func (d *anchorData) draw(ctx context.Context, a *Anchored, stage int) ([]anchorSample, error) {
	var list []anchorJob
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
	want := max(samplesPerAnchor*p.Anchors, 30_000)
	share := min(1, float64(want)/float64(max(count, 1)))
	drawn := make([]anchorSample, len(list))
	err := parallel.For(ctx, len(list), 1, func() func(lo, hi int) {
		var c anchorCutter
		var s anchorScratch
		return func(lo, hi int) {
			j := list[lo]
			n := int(share*float64(j.at+j.count())) - int(share*float64(j.at))
			if n == 0 || !d.part.has(j.plane.group) {
				return
			}
			c.cut(j, p.Input, d.opt.Scale)
			rng := rand.New(rand.NewPCG(d.opt.Seed, uint64(stage)<<32|uint64(lo)))
			pick := rng.Perm(j.count())[:n]
			in, target := c.in.bases, c.target.bases
			c.in.bases, c.target.bases = make([]int32, n), make([]int32, n)
			for i, cell := range pick {
				c.in.bases[i], c.target.bases[i] = in[cell], target[cell]
			}
			s.count, s.spread = n, grown(s.spread, n)
			s.measure(&c.in, 0, n)
			drawn[lo] = a.canonicalSample(&s, &c, float32(d.opt.Flat))
		}
	})
	return drawn, err
}

// gathered returns all samples as one.
func gathered(drawn []anchorSample) (all anchorSample) {
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

// canonicalSample returns the patches that the cutter holds, without the flat ones.
func (a *Anchored) canonicalSample(s *anchorScratch, c *anchorCutter, flat float32) (out anchorSample) {
	f, size := a.params.features(), a.params.Block*a.params.Block
	s.raw, s.p = grown(s.raw, max(f, size)*lanes), grown(s.p, max(f, size)*lanes)
	s.moments = grown(s.moments, 4*lanes)
	var found [lanes]uint8
	features, blocks := make([]float32, lanes*f), make([]float32, lanes*size)
	for at := 0; at < s.count; at += lanes {
		w := min(lanes, s.count-at)
		c.in.gather(s.raw, c.in.bases[at:at+w])
		a.canonicalise(s, found[:w])
		transpose(features, s.p, lanes, w, f)
		c.target.gather(s.raw, c.target.bases[at:at+w])
		for l := range w {
			a.orient(s.p[l:], s.raw[l:], found[l])
		}
		transpose(blocks, s.p, lanes, w, size)
		for l := range w {
			if s.spread[at+l] >= flat && s.spread[at+l] > 0 {
				out.count++
				out.features = append(out.features, features[l*f:(l+1)*f]...)
				out.blocks = append(out.blocks, blocks[l*size:(l+1)*size]...)
			}
		}
	}
	return out
}

// learnTables finds everything of a stage but its regressors: U and W by principal
// components, V by those of the windowed patches, the anchors among the samples.
// The eigenvalues of V's components are raised to −¼: between comparing patches as
// they are (0) and giving all directions the same weight (−½).
func (d *anchorData) learnTables(ctx context.Context, a *Anchored, s anchorSample, stage int) (t anchoredTables, err error) {
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
	sum, part := make([]float64, dims*dims), make([]float32, dims*dims)
	n := len(x) / dims
	for j := range n {
		row := x[j*dims : (j+1)*dims]
		blas32.Sger(dims, dims, 1, row, 1, row, 1, part, dims)
		if j%256 == 255 || j == n-1 {
			for i, v := range part {
				sum[i] += float64(v) / float64(n)
			}
			clear(part)
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
		return nil, fmt.Errorf("superres: %w: the training patches have no principal components", ErrPictures)
	}
	values := eigen.Values(nil) // ascending
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	largest := values[n-1]
	if !(largest > 0) {
		return nil, fmt.Errorf("superres: %w: there is nothing to learn, the pictures are flat or restored as they are", ErrPictures)
	}
	out := make([]float32, features*dims)
	components := dims
	if features > n {
		components--
	}
	energy := 0.0
	for c := range components {
		value := values[n-1-c]
		if value < 1e-7*largest {
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
func (d *anchorData) learnAnchors(ctx context.Context, p anchoredParams, search []float32, s anchorSample, stage int) ([]float32, error) {
	f, dims := p.features(), p.SearchDims
	if s.count < p.Anchors {
		return nil, fmt.Errorf("superres: %w: %d patches were found for %d atoms; use fewer atoms or more pictures", ErrPictures, s.count, p.Anchors)
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
