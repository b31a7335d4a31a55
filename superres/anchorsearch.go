package superres

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"superres/internal/parallel"
)

// anchorSearch finds the anchor d_j, of length 1, with the largest d_jᵀz: the
// nearest direction, or the atom of a 1-sparse code. It looks in two steps: at a few
// centroids of the anchors, about √K, and then at the anchors that are nearest to the
// best centroid, four times as many. That is 5√K products in place of K, and the
// samples for which it misses the best anchor find one that is nearly as good;
// regressors are trained with the anchors that the search finds.
type anchorSearch struct {
	dims       int
	count      int // K
	centroids  []float32
	lists      []uint16 // of each centroid: its anchors, in ascending order
	width      int      // anchors of a list
	centroidAt []float32
	candidates [][]float32 // of each centroid: dims×width, its anchors as columns
}

// newAnchorSearch completes a search over anchors, K×dims, of length 1.
func newAnchorSearch(dims int, anchors, centroids []float32, lists []uint16) *anchorSearch {
	c := len(centroids) / dims
	s := &anchorSearch{dims: dims, count: len(anchors) / dims, centroids: centroids, lists: lists, width: len(lists) / c}
	s.centroidAt = columns(centroids, dims)
	for i := range c {
		list := lists[i*s.width : (i+1)*s.width]
		of := make([]float32, 0, s.width*dims)
		for _, j := range list {
			of = append(of, anchors[int(j)*dims:(int(j)+1)*dims]...)
		}
		s.candidates = append(s.candidates, columns(of, dims))
	}
	return s
}

// columns turns rows of dims entries into columns: entry i of row j is at i·rows + j.
func columns(x []float32, dims int) []float32 {
	n := len(x) / dims
	out := make([]float32, len(x))
	for j := range n {
		for i := range dims {
			out[i*n+j] = x[j*dims+i]
		}
	}
	return out
}

// buildSearch finds centroids of the anchors and lists.
func buildSearch(dims int, anchors []float32, seed uint64) *anchorSearch {
	k := len(anchors) / dims
	c := int(math.Round(math.Sqrt(float64(k))))
	if k <= 64 {
		c = 1
	}
	centroids := sphericalMeans(dims, anchors, c, 12, seed)
	width := min(k, 4*c)
	if c == 1 {
		width = k
	}
	var lists []uint16
	for i := range c {
		centroid := centroids[i*dims : (i+1)*dims]
		near := make([]float32, k)
		order := make([]uint16, k)
		for j := range k {
			order[j] = uint16(j)
			for l, v := range anchors[j*dims : (j+1)*dims] {
				near[j] += v * centroid[l]
			}
		}
		slices.SortStableFunc(order, func(a, b uint16) int { return cmp.Compare(near[b], near[a]) })
		slices.Sort(order[:width])
		lists = append(lists, order[:width]...)
	}
	return newAnchorSearch(dims, anchors, centroids, lists)
}

// searchScratch is the memory of one search.
type searchScratch struct {
	scores, best, z              []float32
	nearest, order, start, index []int32
}

// together is how many scores of a block of lanes are computed at once: they stay in
// the first-level cache.
const together = 64

// find sets anchor[b] for n lanes of z, which is dims×n with the given stride.
func (s *anchorSearch) find(anchor []int32, z []float32, stride, n int, t *searchScratch) {
	c := len(s.candidates)
	t.nearest = grown(t.nearest, n)
	t.scores = grown(t.scores, together*lanes)
	t.best = grown(t.best, lanes)
	clear(t.nearest)
	if c > 1 {
		for at := 0; at < n; at += lanes {
			s.scan(t.nearest[at:min(at+lanes, n)], z[at:], stride, s.centroidAt, c, t)
		}
	}
	t.order, t.start = bucket(t.nearest, c, t.order, t.start)
	t.z = grown(t.z, s.dims*lanes)
	t.index = grown(t.index, lanes)
	for i, candidates := range s.candidates {
		group := t.order[t.start[i]:t.start[i+1]]
		for len(group) > 0 {
			part := group[:min(lanes, len(group))]
			group = group[len(part):]
			for d := range s.dims {
				from, to := z[d*stride:], t.z[d*lanes:][:len(part)]
				for b, j := range part {
					to[b] = from[j]
				}
			}
			index := t.index[:len(part)]
			s.scan(index, t.z, lanes, candidates, s.width, t)
			for b, j := range part {
				anchor[j] = int32(s.lists[i*s.width+int(index[b])])
			}
		}
	}
}

// scan sets index to the best of m vectors, dims×m by columns, for up to lanes lanes.
func (s *anchorSearch) scan(index []int32, z []float32, stride int, at []float32, m int, t *searchScratch) {
	w := len(index)
	best := t.best[:w]
	for b := range best {
		best[b] = float32(math.Inf(-1))
	}
	clear(index)
	for from := 0; from < m; from += together {
		part := min(together, m-from)
		product(t.scores, lanes, at[from:], m, part, z, stride, w, s.dims)
		for j := range part {
			raise(best, index, t.scores[j*lanes:][:w], int32(from+j))
		}
	}
}

// sphericalMeans finds k directions among samples of dims entries, by Lloyd's
// iteration on the unit sphere: every sample goes to the direction with the largest
// inner product, every direction becomes that of the sum of its samples. One that has
// lost all its samples begins anew at a random one. k must not exceed the number of
// samples. I. S. Dhillon, D. S. Modha: Concept decompositions for large sparse text
// data using clustering, Machine Learning 42 (2001), doi:10.1023/A:1007612920971.
func sphericalMeans(dims int, samples []float32, k, iterations int, seed uint64) []float32 {
	n := len(samples) / dims
	rng := rand.New(rand.NewPCG(seed, 7))
	centres := make([]float32, 0, k*dims)
	for _, j := range rng.Perm(n)[:k] {
		centres = append(centres, samples[j*dims:(j+1)*dims]...)
	}
	owner := make([]int32, n)
	all := make([]uint16, k)
	for j := range all {
		all[j] = uint16(j)
	}
	z := columns(samples, dims)
	for range iterations {
		// Through centroids of the directions where they are many: what is missed is as
		// little as when the anchors are used, and it takes a tenth of the time.
		search := newAnchorSearch(dims, centres, centres[:dims], all)
		if k > 256 {
			search = buildSearch(dims, centres, seed)
		}
		// The background context never ends, so there is no error.
		_ = parallel.For(context.Background(), n, patchesTogether, func() func(lo, hi int) {
			var t searchScratch
			return func(lo, hi int) { search.find(owner[lo:hi], z[lo:], n, hi-lo, &t) }
		})
		sums := make([]float64, k*dims)
		for j, o := range owner {
			to := sums[int(o)*dims:][:dims]
			for i, v := range samples[j*dims : (j+1)*dims] {
				to[i] += float64(v)
			}
		}
		for c := range k {
			centre := centres[c*dims : (c+1)*dims]
			if !direction(centre, sums[c*dims:(c+1)*dims]) {
				copy(centre, samples[rng.IntN(n)*dims:][:dims])
			}
		}
	}
	return centres
}

// direction sets dst to v at length 1; it reports whether v has one.
func direction[T float32 | float64](dst []float32, v []T) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum < 1e-24 {
		return false
	}
	for i, x := range v {
		dst[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return true
}
