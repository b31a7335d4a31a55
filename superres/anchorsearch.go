package superres

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"superres/internal/kernel"
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
	candidates [][]float32 // of each centroid: its anchors as columns, see upright
}

// newAnchorSearch completes a search over anchors, K×dims, of length 1.
func newAnchorSearch(dims int, anchors, centroids []float32, lists []uint16) *anchorSearch {
	c := len(centroids) / dims
	s := &anchorSearch{dims: dims, count: len(anchors) / dims, centroids: centroids, lists: lists, width: len(lists) / c}
	s.centroidAt = upright(centroids, dims)
	of := make([]float32, s.width*dims)
	for i := range c {
		for j, k := range lists[i*s.width : (i+1)*s.width] {
			copy(of[j*dims:(j+1)*dims], anchors[int(k)*dims:])
		}
		s.candidates = append(s.candidates, upright(of, dims))
	}
	return s
}

// upright turns rows of dims entries into columns, as many as kernel.Nearest wants: the
// first again and again at the end, which so is never the first of the best.
func upright(x []float32, dims int) []float32 {
	n := len(x) / dims
	wide := kernel.PadTo(n, kernel.Rows32)
	out := make([]float32, dims*wide)
	for j := range wide {
		from := j
		if j >= n {
			from = 0
		}
		for i, v := range x[from*dims : (from+1)*dims] {
			out[i*wide+j] = v
		}
	}
	return out
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
	z, best               []float32
	line, index           [lanes]int32
	nearest, order, start []int32
}

// find sets the anchors of patches whose z begin rows of the given stride, with room
// for dims rounded up to a whole vector.
func (s *anchorSearch) find(anchor []int32, rows []float32, stride int, t *searchScratch) {
	n, c := len(anchor), len(s.candidates)
	t.z, t.best = grown(t.z, kernel.PadTo(s.dims, 4)*lanes), grown(t.best, lanes)
	t.nearest = grown(t.nearest, n)
	clear(t.nearest)
	if c > 1 {
		var some [lanes]int32
		for at := 0; at < n; at += lanes {
			w := min(lanes, n-at)
			for i := range w {
				some[i] = int32(at + i)
			}
			copy(t.nearest[at:at+w], s.scan(some[:w], rows, stride, s.centroidAt, t))
		}
	}
	t.order, t.start = bucket(t.nearest, c, t.order, t.start)
	for i, candidates := range s.candidates {
		list := s.lists[i*s.width : (i+1)*s.width]
		group := t.order[t.start[i]:t.start[i+1]]
		for len(group) > 0 {
			part := group[:min(lanes, len(group))]
			group = group[len(part):]
			for b, j := range s.scan(part, rows, stride, candidates, t) {
				anchor[part[b]] = int32(list[j])
			}
		}
	}
}

// scan returns the numbers of the best of some vectors for up to lanes rows.
func (s *anchorSearch) scan(some []int32, rows []float32, stride int, vectors []float32, t *searchScratch) []int32 {
	order := filled(&t.line, some)
	m := len(vectors) / s.dims
	kernel.Transpose(t.z, lanes, rows, stride, order, kernel.PadTo(s.dims, 4))
	kernel.Nearest(t.index[:len(order)], t.best, t.z, lanes, vectors, m, m, s.dims)
	return t.index[:len(some)]
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
	width := vectors(dims)
	rows := padded(samples, dims, width)
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
			return func(lo, hi int) { search.find(owner[lo:hi], rows[lo*width:hi*width], width, &t) }
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
