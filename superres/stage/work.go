package stage

import (
	"slices"

	"superres/patches/plane"
)

// Work is what a stage is given to work with: memory, and whom to tell how far it has come.
// A nil *Work has new memory and tells nobody. It belongs to the goroutine that Apply is
// called in.
type Work struct {
	memory *Pool
	report func(float64)
}

// NewWork makes a Work of a pool and a function that is told the share done, 0..1; either
// may be nil.
func NewWork(pool *Pool, report func(float64)) *Work { return &Work{pool, report} }

// Report tells that a share of the work is done, 0..1.
func (w *Work) Report(share float64) {
	if w != nil && w.report != nil {
		w.report(share)
	}
}

// Plane returns a plane of w×h samples of any values, from the pool where it has one.
func (w *Work) Plane(width, height int) *plane.Plane { return w.pool().Plane(width, height) }

// Blank returns n samples of any values, from the pool where it has them.
func (w *Work) Blank(n int) []float32 { return w.pool().Blank(n) }

// Give takes samples that nothing uses any more.
func (w *Work) Give(samples []float32) { w.pool().Give(samples) }

func (w *Work) pool() *Pool {
	if w == nil {
		return nil
	}
	return w.memory
}

// Pool keeps planes and blocks of one enlargement that are not needed any more. They are
// large, and new memory of that size costs time: the system clears it, and so does the
// garbage collector. What a stage has read is therefore used for what the next one makes.
// A nil *Pool has new memory only. A pool belongs to one goroutine.
type Pool struct {
	list [][]float32
}

// mostKept is how many are kept: a few for each size that is in use at a time, planes of
// the enlargement, of the picture, and of some rows of both.
const mostKept = 12

// Blank returns memory for n samples, of any values: the smallest that suffices. Where
// none does, one that nearly would is given up for what is new: bands differ a little in
// their rows, and blocks that are too small for what follows would only pile up. New
// memory has an eighth more for that.
func (p *Pool) Blank(n int) []float32 {
	if p == nil {
		return make([]float32, n)
	}
	best, near := -1, -1
	for i, v := range p.list {
		switch {
		case cap(v) >= n && cap(v)/2 <= n && (best < 0 || cap(v) < cap(p.list[best])):
			best = i
		case cap(v) < n && cap(v) >= n/2 && (near < 0 || cap(v) > cap(p.list[near])):
			near = i
		}
	}
	if best >= 0 {
		v := p.list[best][:n]
		p.remove(best)
		return v
	}
	if near >= 0 {
		p.remove(near)
	}
	return make([]float32, n, n+n/8)
}

func (p *Pool) remove(i int) { p.list = slices.Delete(p.list, i, i+1) }

// Plane returns a plane of any values.
func (p *Pool) Plane(w, h int) *plane.Plane {
	return &plane.Plane{W: w, H: h, Pix: p.Blank(w * h)}
}

// Give takes memory that nothing uses any more.
func (p *Pool) Give(samples []float32) {
	if p == nil || len(samples) == 0 {
		return
	}
	if len(p.list) == mostKept {
		p.remove(0) // the oldest, which was of no use
	}
	p.list = append(p.list, samples)
}
