package superres

import "superres/internal/kernel"

// anchorScratch holds what the anchored stage finds out about some patches; it is one
// worker's.
type anchorScratch struct {
	count  int
	forms  []int32   // of each patch: what made it canonical
	anchor []int32   // of each patch
	rows   []float32 // of each patch: z, then q = U·p
	r      []float32 // of each patch: the coordinates of its block

	p, block     []float32 // a block of lanes
	mean         []float32
	line         [lanes]int32
	order, start []int32
	search       searchScratch
}

// The rows of a scratch are so long that vectors fit.
func (p anchoredParams) inputAt() int  { return vectors(p.SearchDims) }
func (p anchoredParams) rowWidth() int { return vectors(p.SearchDims) + vectors(p.InputDims) }
func (p anchoredParams) outWidth() int { return vectors(p.OutputDims) }

// ready makes room for n patches, and for those computed in vain.
func (a *Anchored) ready(s *anchorScratch, n int) {
	p, room := a.params, n+kernel.Lanes
	size := kernel.PadTo(p.Block*p.Block, kernel.Rows32)
	s.count = n
	s.forms, s.anchor = grown(s.forms, room), grown(s.anchor, n)
	s.rows, s.r = grown(s.rows, room*p.rowWidth()), grown(s.r, room*p.outWidth())
	s.p, s.block = grown(s.p, max(p.features(), size, p.outWidth())*lanes), grown(s.block, size*lanes)
	s.mean = grown(s.mean, lanes)
}

// analyse finds the form, anchor and coordinates of the patches in the blocks lo..hi-1
// of the band.
func (a *Anchored) analyse(s *anchorScratch, b *band, lo, hi int) {
	n := 0
	for i := lo; i < hi; i++ {
		_, _, w := b.block(i)
		n += w
	}
	a.ready(s, n)
	f, width := a.params.features(), a.params.rowWidth()
	at := 0
	for i := lo; i < hi; i++ {
		row, col, w := b.block(i)
		wide := vectors(w)
		a.canonicalise(s, s.forms[at:at+wide], b.pix[b.base(row, col):], b.offsets, b.orbits)
		kernel.Mul32(s.rows[at*width:], width, s.p, lanes, a.analysis, width, wide, f, width)
		at += w
	}
	a.search.find(s.anchor, s.rows, width, &s.search)
}

// canonicalise makes s.p of the patches in as many lanes as there are forms, and sets
// those. The samples begin at the offsets, which are also given orbit after orbit.
func (a *Anchored) canonicalise(s *anchorScratch, forms []int32, samples []float32, offsets, orbits []int32) {
	if a.params.Symmetries == NoSymmetries {
		clear(forms)
		for i, o := range offsets {
			copy(s.p[i*lanes:], samples[o:int(o)+len(forms)])
		}
		for b := range forms {
			s.p[len(offsets)*lanes+b] = 1
		}
		return
	}
	kernel.Forms(forms, s.mean, samples, offsets, a.form.weights)
	kernel.Orient(s.p, a.in, samples, orbits, forms, s.mean)
}

// rebuild turns what analyse found into blocks, in the patches' own form.
func (a *Anchored) rebuild(s *anchorScratch, with regressors, b *band, lo, hi int, out *strips, first int) {
	p := a.params
	n, size, wide8 := p.coefs(), p.Block*p.Block, kernel.PadTo(p.Block*p.Block, kernel.Rows32)
	s.order, s.start = bucket(s.anchor, p.Anchors, s.order, s.start) // so that each regressor is fetched once
	for k := s.used(0, p.Anchors); k < p.Anchors; {
		next := s.used(k+1, p.Anchors)
		kernel.Regress(s.r, p.outWidth(), s.rows[p.inputAt():], p.rowWidth(), s.order[s.start[k]:s.start[k+1]],
			with.coefs[k*n:], with.coefs[min(next*n, len(with.coefs)):], p.InputDims, p.OutputDims, with.steps[k])
		k = next
	}
	to := make([]int32, len(a.out)) // where the entries of a block are in out
	for i, o := range a.out {
		to[i] = o / lanes * int32(out.width)
	}
	at := 0
	for i := lo; i < hi; i++ {
		row, col, w := b.block(i)
		wide := vectors(w)
		order := s.line[:wide]
		for l := range order {
			order[l] = int32(at + min(l, w-1))
		}
		kernel.Transpose(s.p, lanes, s.r, p.outWidth(), order, kernel.PadTo(p.OutputDims, 4))
		kernel.Mul32(s.block, lanes, a.synthesis, wide8, s.p, lanes, wide8, p.OutputDims, wide)
		dst := out.pix[out.at(first+row)+col:]
		kernel.Restore(dst, to, s.block, a.out, s.forms[at:at+wide])
		if wide > w {
			for e := range size { // the margin is to stay zeros
				clear(dst[e*out.width+w : e*out.width+wide])
			}
		}
		at += w
	}
}

// used returns the first anchor from k on that patches have, or keys.
func (s *anchorScratch) used(k, keys int) int {
	for k < keys && s.start[k] == s.start[k+1] {
		k++
	}
	return k
}

// targets puts the canonical coordinates W·t of the blocks t of the band into s.r; the
// forms are those that analyse found for the same patches.
func (a *Anchored) targets(s *anchorScratch, b *band) {
	p := a.params
	width := p.outWidth()
	clear(s.mean)
	at := 0
	for i := range b.blocks() {
		row, col, w := b.block(i)
		wide := vectors(w)
		kernel.Orient(s.p, a.out, b.pix[b.base(row, col):], b.orbits, s.forms[at:at+wide], s.mean)
		kernel.Mul32(s.r[at*width:], width, s.p, lanes, a.backwards, width, wide, p.Block*p.Block, width)
		at += w
	}
}
