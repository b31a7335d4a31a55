package anchored

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// search finds the anchor d_j, of length 1, with the largest d_jᵀz: the
// nearest direction, or the atom of a 1-sparse code. It looks in two steps: at a few
// centroids of the anchors, about √K, and then at the anchors that are nearest to the
// best centroid, four times as many. That is 5√K products in place of K, and the
// samples for which it misses the best anchor find one that is nearly as good;
// regressors are trained with the anchors that the search finds.
type search struct {
	words      int // of z
	count      int // K
	centroids  []float32
	lists      []uint16 // of each centroid: its anchors, in ascending order
	width      int      // anchors of a list
	centroidAt []int32
	candidates [][]int32 // of each centroid: its anchors as columns, see upright
}

// newSearch completes a search over anchors, K×dims, of length 1.
func newSearch(dims int, anchors, centroids []float32, lists []uint16) *search {
	c := len(centroids) / dims
	s := &search{words: quads(dims), count: len(anchors) / dims, centroids: centroids, lists: lists, width: len(lists) / c}
	all := make([]int, max(c, s.width))
	for i := range all {
		all[i] = i
	}
	s.centroidAt = upright(levelled(centroids, dims), s.words, all[:c])
	words := levelled(anchors, dims)
	for i := range c {
		for j, k := range lists[i*s.width : (i+1)*s.width] {
			all[j] = int(k)
		}
		s.candidates = append(s.candidates, upright(words, s.words, all[:s.width]))
	}
	return s
}

// levelled turns directions of dims entries into rows of words of bytes, as kernel.Nearest
// takes them.
func levelled(x []float32, dims int) []int32 {
	words := quads(dims)
	out := make([]int32, len(x)/dims*words)
	for j := range len(x) / dims {
		row := out[j*words : (j+1)*words]
		for i, v := range x[j*dims : (j+1)*dims] {
			level := kernel.Offset + int32(math.Round(127*max(-1, min(1, float64(v)))))
			row[i/kernel.Quad] |= level << (8 * (i % kernel.Quad))
		}
	}
	return out
}

// upright turns rows of words, by their numbers, into columns, as many as kernel.Nearest
// wants: the first again and again at the end, which so is never the first of the best.
func upright(rows []int32, words int, numbers []int) []int32 {
	wide := kernel.PadTo(len(numbers), kernel.Rows32)
	out := make([]int32, words*wide)
	for j := range wide {
		number := numbers[0]
		if j < len(numbers) {
			number = numbers[j]
		}
		for i, v := range rows[number*words : (number+1)*words] {
			out[i*wide+j] = v
		}
	}
	return out
}

// packRows turns directions of dims entries into rows of words, which find takes.
func packRows(x []float32, dims int) (rows []int32, words int) {
	n, height := len(x)/dims, kernel.PadTo(dims, kernel.Rows32)
	words = packedWords(dims)
	rows = make([]int32, vectors(n)*words)
	c := make([]int32, height*kernel.Lanes)
	scale, sum := make([]float32, kernel.Lanes), make([]int32, kernel.Lanes)
	for at := 0; at < n; at += kernel.Lanes {
		clear(c)
		for b := range min(kernel.Lanes, n-at) {
			for i, v := range x[(at+b)*dims:][:dims] {
				c[i*kernel.Lanes+b] = int32(v * (1 << 24))
			}
		}
		kernel.Pack(rows[at*words:], words, scale, sum, c, kernel.Lanes, height)
	}
	return rows, words
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
func buildSearch(dims int, anchors []float32, seed uint64) *search {
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
	return newSearch(dims, anchors, centroids, lists)
}

// searchScratch is the memory of one search.
type searchScratch struct {
	z                     []int32
	line, index, best     [tileWidth]int32
	nearest, order, start []int32
}

// find sets the anchors of patches whose z, in words, begin rows of the given stride.
func (s *search) find(anchor, rows []int32, stride int, t *searchScratch) {
	n, c := len(anchor), len(s.candidates)
	t.z = grown(t.z, kernel.PadTo(s.words, kernel.PackRows)*tileWidth)
	t.nearest = grown(t.nearest, n)
	clear(t.nearest)
	if c > 1 {
		var some [tileWidth]int32
		for at := 0; at < n; at += tileWidth {
			w := min(tileWidth, n-at)
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
			part := group[:min(tileWidth, len(group))]
			group = group[len(part):]
			for b, j := range s.scan(part, rows, stride, candidates, t) {
				anchor[part[b]] = int32(list[j])
			}
		}
	}
}

// scan returns the numbers of the best of some vectors for up to tileWidth rows.
func (s *search) scan(some, rows []int32, stride int, vectors []int32, t *searchScratch) []int32 {
	order := filled(&t.line, some)
	m := len(vectors) / s.words
	kernel.Transpose(t.z, tileWidth, rows, stride, order, kernel.PadTo(s.words, kernel.PackRows))
	kernel.Nearest(t.index[:len(order)], t.best[:], t.z, tileWidth, vectors, m, m, s.words)
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
	rows, width := packRows(samples, dims)
	for range iterations {
		// Through centroids of the directions where they are many: what is missed is as
		// little as when the anchors are used, and it takes a tenth of the time.
		search := newSearch(dims, centres, centres[:dims], all)
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
	length := math.Sqrt(sum)
	for i, x := range v {
		dst[i] = float32(float64(x) / length)
	}
	return true
}
