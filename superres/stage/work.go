package stage

import (
	"slices"

	"superres/patches/plane"
)

// Work gives memory to a stage and passes on reports of its progress. A nil *Work gives new memory and ignores reports.
// A Work belongs to the goroutine that calls Apply.
type Work struct {
	memory     *Pool
	report     func(float64)
	colour     [2]*plane.Plane
	overwrites bool
}

// NewWork returns a Work that takes memory from pool and passes reports, 0 to 1, to report; either may be nil.
func NewWork(pool *Pool, report func(float64)) *Work { return &Work{memory: pool, report: report} }

// WithColour returns a copy of w with the colour of the picture, for stages that look at colour: the differences R−Y
// and B−Y, -1 to 1, for the same rows as low. Stages must not change or keep the planes.
func (w *Work) WithColour(colour [2]*plane.Plane) *Work {
	var out Work
	if w != nil {
		out = *w
	}
	out.colour = colour
	return &out
}

// Colour returns the planes given to WithColour; nil if there are none, as for a grey picture.
func (w *Work) Colour() [2]*plane.Plane {
	if w == nil {
		return [2]*plane.Plane{}
	}
	return w.colour
}

// Report passes on the share, 0 to 1, of the work that is complete.
func (w *Work) Report(share float64) {
	if w != nil && w.report != nil {
		w.report(share)
	}
}

// Plane returns a plane of width×height samples with arbitrary values, from the pool if it has fitting memory.
func (w *Work) Plane(width, height int) *plane.Plane { return w.pool().Plane(width, height) }

// Overwrite allows Result to return current, because nobody else needs current.
func (w *Work) Overwrite() { w.overwrites = true }

// Result returns a plane for the result of Apply: current itself after Overwrite, otherwise a plane of the same size
// from Plane. It is for stages that read no sample of current after they have written to its place.
func (w *Work) Result(current *plane.Plane) *plane.Plane {
	if w != nil && w.overwrites {
		return current
	}
	return w.Plane(current.W, current.H)
}

// Blank returns n samples with arbitrary values, from the pool if it has memory of a fitting size.
func (w *Work) Blank(n int) []float32 { return w.pool().Blank(n) }

// Give returns samples to the pool. The caller must not use them afterwards.
func (w *Work) Give(samples []float32) { w.pool().Give(samples) }

func (w *Work) pool() *Pool {
	if w == nil {
		return nil
	}
	return w.memory
}

// Pool keeps memory of planes that an enlargement no longer needs, for its next planes: new memory costs time, because
// the system and the runtime clear it. A nil *Pool always gives new memory. A pool belongs to one goroutine.
type Pool struct {
	list [][]float32
}

// mostKept is the most slices that a pool keeps: a few of each size in use: the enlargement, the picture, some rows.
const mostKept = 12

// Blank returns n samples with arbitrary values, in the smallest kept slice that is large enough, at most twice as
// large. If there is none, it allocates one that is an eighth longer, because bands differ a little in height, and
// drops the largest kept slice of at least half the size, because slices that are slightly too small would accumulate.
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

// Plane returns a plane of w×h samples with arbitrary values.
func (p *Pool) Plane(w, h int) *plane.Plane {
	return &plane.Plane{W: w, H: h, Pix: p.Blank(w * h)}
}

// Give keeps samples for later calls of Blank and Plane, unless p is nil. The caller must not use them afterwards.
func (p *Pool) Give(samples []float32) {
	if p == nil || len(samples) == 0 {
		return
	}
	if len(p.list) == mostKept {
		p.remove(0) // the slice that was kept longest without being used
	}
	p.list = append(p.list, samples)
}
