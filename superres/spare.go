package superres

import (
	"context"
	"slices"

	"superres/patches"
)

// spares are planes and blocks of one enlargement that are not needed any more. They are
// large, and new memory of that size costs time: the system clears it, and so does the
// garbage collector. What a stage has read is therefore used for what the next one makes.
// Without spares, nil, all memory is new. They belong to one goroutine: that which the
// stages are applied in; the context takes them there, past a Stage that knows of none.
type spares struct {
	list [][]float32
}

// mostSpares is how many are kept: a few for each size that is in use at a time, planes of
// the enlargement, of the picture, and of some rows of both.
const mostSpares = 12

type sparesKey struct{}

// withSpares gives a context spares of its own, for the stages that are applied with it.
func withSpares(ctx context.Context) context.Context {
	return context.WithValue(ctx, sparesKey{}, &spares{})
}

func sparesOf(ctx context.Context) *spares {
	s, _ := ctx.Value(sparesKey{}).(*spares)
	return s
}

// blank returns memory for n samples, of any values: the smallest that suffices. Where
// none does, one that nearly would is given up for what is new: bands differ a little in
// their rows, and spares that are too small for what follows would only pile up. New
// memory has an eighth more for that.
func (s *spares) blank(n int) []float32 {
	if s == nil {
		return make([]float32, n)
	}
	best, near := -1, -1
	for i, v := range s.list {
		switch {
		case cap(v) >= n && cap(v)/2 <= n && (best < 0 || cap(v) < cap(s.list[best])):
			best = i
		case cap(v) < n && cap(v) >= n/2 && (near < 0 || cap(v) > cap(s.list[near])):
			near = i
		}
	}
	if best >= 0 {
		v := s.list[best][:n]
		s.remove(best)
		return v
	}
	if near >= 0 {
		s.remove(near)
	}
	return make([]float32, n, n+n/8)
}

func (s *spares) remove(i int) { s.list = slices.Delete(s.list, i, i+1) }

// plane returns a plane of any values.
func (s *spares) plane(w, h int) *patches.Plane {
	return &patches.Plane{W: w, H: h, Pix: s.blank(w * h)}
}

// give takes memory that nothing uses any more.
func (s *spares) give(samples []float32) {
	if s == nil || len(samples) == 0 {
		return
	}
	if len(s.list) == mostSpares {
		s.remove(0) // the oldest, which was of no use
	}
	s.list = append(s.list, samples)
}
