package anchored

import (
	"superres/internal/kernel"
	"superres/superres/training"
)

// scratch holds what the anchored stage finds out about some patches; it is one
// worker's.
type scratch struct {
	count  int
	forms  []int32   // of each patch: what made it canonical
	anchor []int32   // of each patch
	rows   []int32   // of each patch: z, then q = U·p, in bytes as kernel.Pack makes them
	scale  []float32 // of each patch: what a 1 in q stands for
	sum    []int32   // of each patch: of the bytes of q
	r      []float32 // of each patch: the coordinates of its block

	p            []float32 // a tile
	pairs, sums  []int32   // the same
	unit         []float32 // of the columns of a tile
	mean         []float32
	line         [tileWidth]int32
	order, start []int32
	search       searchScratch
}

// The dimensions of z and q are rounded up to rows of a product, and their words to
// those of a packed row; those of a block to whole vectors.
func (p params) searchRows() int { return kernel.PadTo(p.SearchDims, kernel.Rows32) }
func (p params) inputRows() int  { return kernel.PadTo(p.InputDims, kernel.Rows32) }
func (p params) blockRows() int  { return kernel.PadTo(p.Block*p.Block, kernel.Rows32) }
func (p params) inputWords() int { return quads(p.InputDims) }
func (p params) inputAt() int    { return packedWords(p.SearchDims) }
func (p params) rowWords() int   { return packedWords(p.SearchDims) + packedWords(p.InputDims) }
func (p params) outWidth() int   { return vectors(p.OutputDims) }

// wordsOf is how many words n integers of 16 bits take.
func wordsOf(n int) int { return (n + 1) / 2 }

// quads is how many words n bytes take.
func quads(n int) int { return kernel.PadTo(n, kernel.Quad) / kernel.Quad }

// packedWords is how many words a packed row of n bytes has.
func packedWords(n int) int { return kernel.PadTo(quads(n), kernel.PackRows) }

// ready makes room for n patches, and for those computed in vain.
func (a *Stage) ready(s *scratch, n int) {
	p, room := a.params, n+kernel.Lanes
	s.count = n
	s.forms, s.anchor = grown(s.forms, room), grown(s.anchor, n)
	s.rows, s.r = grown(s.rows, room*p.rowWords()), grown(s.r, room*p.outWidth())
	s.scale, s.sum = grown(s.scale, room), grown(s.sum, room)
	s.p = grown(s.p, max(p.features(), p.Block*p.Block, p.outWidth())*tileWidth)
	s.pairs = grown(s.pairs, wordsOf(max(p.features(), p.OutputDims))*tileWidth)
	s.sums = grown(s.sums, max(p.searchRows()+p.inputRows(), p.blockRows())*tileWidth)
	s.mean, s.unit = grown(s.mean, tileWidth), grown(s.unit, tileWidth)
}

// analyse finds the form, anchor and coordinates of the patches in the tiles lo..hi-1
// of the layout.
func (a *Stage) analyse(s *scratch, b *layout, lo, hi int) {
	n := 0
	for i := lo; i < hi; i++ {
		_, _, w := b.tile(i)
		n += w
	}
	a.ready(s, n)
	p := a.params
	words, height, peak := p.rowWords(), p.searchRows()+p.inputRows(), peakOf(p.features())
	at := 0
	for i := lo; i < hi; i++ {
		row, col, w := b.tile(i)
		wide := vectors(w)
		a.canonicalise(s, s.forms[at:at+wide], b.pix[b.base(row, col):], b.offsets, b.orbits)
		rows, scale, sum := s.rows[at*words:], s.scale[at:at+wide], s.sum[at:at+wide]
		kernel.Pairs(s.pairs, tileWidth, scale, s.p, tileWidth, p.features(), peak)
		kernel.MulPairs(s.sums, tileWidth, a.analysis, height, s.pairs, tileWidth, height, wordsOf(p.features()), wide)
		kernel.Pack(rows, words, s.unit[:wide], sum, s.sums, tileWidth, p.searchRows()) // the unit of z is of no account
		for l := range scale {
			scale[l] *= a.inputUnit
		}
		kernel.Pack(rows[p.inputAt():], words, scale, sum, s.sums[p.searchRows()*tileWidth:], tileWidth, p.inputRows())
		at += w
	}
	a.search.find(s.anchor, s.rows, words, &s.search)
}

// input sets dst to the coordinates q of a patch that was analysed.
func (s *scratch) input(dst []float32, p params, number int) {
	row := s.rows[number*p.rowWords()+p.inputAt():]
	for i := range dst {
		dst[i] = float32(int8(row[i/kernel.Quad]>>(8*(i%kernel.Quad)))) * s.scale[number]
	}
}

// canonicalise makes s.p of the patches in as many columns as there are forms, and sets
// those. The samples begin at the offsets, which are also given orbit after orbit.
func (a *Stage) canonicalise(s *scratch, forms []int32, samples []float32, offsets, orbits []int32) {
	if a.params.Symmetries == training.NoSymmetries {
		clear(forms)
		for i, o := range offsets {
			copy(s.p[i*tileWidth:], samples[o:int(o)+len(forms)])
		}
		for b := range forms {
			s.p[len(offsets)*tileWidth+b] = 1
		}
		return
	}
	kernel.Forms(forms, s.mean, samples, offsets, a.form.weights)
	kernel.Orient(s.p, a.in, samples, orbits, forms, s.mean)
}

// rebuild turns what analyse found into blocks, in the patches' own form.
func (a *Stage) rebuild(s *scratch, with regressors, b *layout, lo, hi int, out *blockRows, first int) {
	p := a.params
	peak := peakOf(p.OutputDims)
	s.order, s.start = bucket(s.anchor, p.Anchors, s.order, s.start) // so that each regressor is fetched once
	kernel.Regress(s.r, p.outWidth(), s.rows[p.inputAt():], p.rowWords(), s.scale, s.sum, s.order, s.start,
		&kernel.Maps{Words: p.inputWords(), Out: p.OutputDims, Bytes: with.maps[:len(with.maps)+kernel.MapRoom], Steps: with.steps})
	at := 0
	for i := lo; i < hi; i++ {
		row, col, w := b.tile(i)
		wide := vectors(w)
		order := s.line[:wide]
		for l := range order {
			order[l] = int32(at + min(l, w-1))
		}
		kernel.Transpose(s.p, tileWidth, s.r, p.outWidth(), order, kernel.PadTo(p.OutputDims, 4))
		unit := s.unit[:wide]
		kernel.Pairs(s.pairs, tileWidth, unit, s.p, tileWidth, p.OutputDims, peak)
		kernel.MulPairs(s.sums, tileWidth, a.synthesis, p.blockRows(), s.pairs, tileWidth, p.blockRows(), wordsOf(p.OutputDims), wide)
		for l := range unit {
			unit[l] *= a.outUnit
		}
		dst := out.pix[out.at(first+row)+col:]
		kernel.Restore(dst, out.to, s.sums, a.out, s.forms[at:at+wide], unit)
		if wide > w {
			for e := range p.Block * p.Block { // the margin is to stay zeros
				clear(dst[e*out.width+w : e*out.width+wide])
			}
		}
		at += w
	}
}

// targets puts the canonical coordinates W·t of the blocks t of the layout into s.r; the
// forms are those that analyse found for the same patches.
func (a *Stage) targets(s *scratch, b *layout) {
	p := a.params
	width := p.outWidth()
	clear(s.mean)
	at := 0
	for i := range b.tiles() {
		row, col, w := b.tile(i)
		wide := vectors(w)
		kernel.Orient(s.p, a.out, b.pix[b.base(row, col):], b.orbits, s.forms[at:at+wide], s.mean)
		kernel.Mul32(s.r[at*width:], width, s.p, tileWidth, a.backwards, width, wide, p.Block*p.Block, width)
		at += w
	}
}
