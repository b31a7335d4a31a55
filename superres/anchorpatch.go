package superres

import "math"

// anchorScratch holds what the anchored stage finds out about some patches; it is one
// worker's.
type anchorScratch struct {
	count  int
	forms  []uint8   // of each patch: what made it canonical
	anchor []int32   // of each patch
	q      []float32 // U·p, patch after patch
	spread []float32 // of each patch: the root mean square distance from its mean

	raw, p, block []float32 // a block of lanes
	moments       []float32
	z             []float32 // SearchDims×count
	r             []float32 // patch after patch
	order, start  []int32
	search        searchScratch
}

// analyse finds the form, anchor and coordinates of the patches lo..hi-1 of the band.
func (a *Anchored) analyse(s *anchorScratch, b *band, lo, hi int) {
	p := a.params
	n := hi - lo
	f := p.features()
	s.count = n
	s.forms, s.anchor, s.spread = grown(s.forms, n), grown(s.anchor, n), grown(s.spread, n)
	s.q, s.z = grown(s.q, n*p.InputDims), grown(s.z, n*p.SearchDims)
	s.raw, s.p = grown(s.raw, f*lanes), grown(s.p, f*lanes)
	s.moments = grown(s.moments, 4*lanes)
	s.block = grown(s.block, max(p.InputDims, p.Block*p.Block, p.OutputDims)*lanes)
	for at := 0; at < n; at += lanes {
		w := min(lanes, n-at)
		b.gather(s.raw, b.bases[lo+at:lo+at+w])
		a.canonicalise(s, s.forms[at:at+w])
		product(s.z[at:], n, a.tables.search, p.SearchDims, p.SearchDims, s.p, lanes, w, f)
		product(s.block, lanes, a.tables.input, p.InputDims, p.InputDims, s.p, lanes, w, f)
		transpose(s.q[at*p.InputDims:], s.block, lanes, w, p.InputDims)
	}
	a.search.find(s.anchor, s.z, n, n, &s.search)
}

// canonicalise makes s.p of s.raw, and notes the forms.
func (a *Anchored) canonicalise(s *anchorScratch, found []uint8) {
	n, w := a.params.Patch*a.params.Patch, len(found)
	if a.params.Symmetries == NoSymmetries {
		clear(found)
		copy(s.p, s.raw[:n*lanes])
		for b := range w {
			s.p[n*lanes+b] = 1
		}
		return
	}
	m := s.moments
	product(m, lanes, a.form.at, 4, 4, s.raw, lanes, w, n)
	for b := range found {
		form := formOf(m[lanes+b], m[2*lanes+b], m[3*lanes+b])
		found[b] = form
		mean, sign := m[b], signOf(form)
		raw, p := s.raw[b:], s.p[b:]
		for i, from := range a.in[form%forms] {
			p[i*lanes] = sign * (raw[int(from)*lanes] - mean)
		}
	}
}

// measure sets s.spread for the patches lo..hi-1 of the band, as analyse counts them.
func (s *anchorScratch) measure(b *band, lo, hi int) {
	n := b.side * b.side
	for at := lo; at < hi; at++ {
		base := int(b.bases[at])
		sum, squares := 0.0, 0.0
		for i := range b.side {
			for _, v := range b.pix[base+i*b.width:][:b.side] {
				sum += float64(v)
				squares += float64(v) * float64(v)
			}
		}
		mean := sum / float64(n)
		s.spread[at-lo] = float32(math.Sqrt(max(0, squares/float64(n)-mean*mean)))
	}
}

// rebuild turns what analyse found into blocks, in the patches' own form.
func (a *Anchored) rebuild(s *anchorScratch, regressor, blocks []float32) {
	p := a.params
	in, out, size := p.InputDims, p.OutputDims, p.Block*p.Block
	s.order, s.start = bucket(s.anchor, p.Anchors, s.order, s.start) // so that each regressor is fetched once
	s.r = grown(s.r, s.count*out)
	for _, j := range s.order {
		k := int(s.anchor[j]) * in * out
		regress(s.r[int(j)*out:][:out], s.q[int(j)*in:][:in], regressor[k:k+in*out])
	}
	s.p = grown(s.p, max(out, p.features())*lanes)
	for at := 0; at < s.count; at += lanes {
		w := min(lanes, s.count-at)
		for b := range w {
			for i, v := range s.r[(at+b)*out : (at+b+1)*out] {
				s.p[i*lanes+b] = v
			}
		}
		product(s.block, lanes, a.tables.output, size, size, s.p, lanes, w, out)
		for b := range w {
			form := s.forms[at+b]
			sign, to, from := signOf(form), blocks[(at+b)*size:(at+b+1)*size], s.block[b:]
			for i, place := range a.out[form%forms] {
				to[place] = sign * from[i*lanes]
			}
		}
	}
}

// targets puts the canonical coordinates W·t of the blocks t of the band into r, patch
// after patch; the forms are those that analyse found for the same patches.
func (a *Anchored) targets(s *anchorScratch, r []float32, b *band, lo int) {
	p := a.params
	out, size := p.OutputDims, p.Block*p.Block
	s.raw, s.p = grown(s.raw, size*lanes), grown(s.p, size*lanes)
	for at := 0; at < s.count; at += lanes {
		w := min(lanes, s.count-at)
		b.gather(s.raw, b.bases[lo+at:lo+at+w])
		for l := range w {
			a.orient(s.p[l:], s.raw[l:], s.forms[at+l])
		}
		product(s.block, lanes, a.backwards, out, out, s.p, lanes, w, size)
		transpose(r[at*out:], s.block, lanes, w, out)
	}
}

// orient brings one lane of output samples into the canonical form of its patch.
func (a *Anchored) orient(dst, src []float32, form uint8) {
	sign := signOf(form)
	for i, place := range a.out[form%forms] {
		dst[i*lanes] = sign * src[int(place)*lanes]
	}
}
