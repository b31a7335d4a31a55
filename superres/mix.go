package superres

import (
	"image"
	"slices"
	"superres/patches/plane"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/usage"
)

// Mix has parts of a picture enlarged as another model does it: that for a level of noise, say,
// where there is more of it.
type Mix struct {
	// Model is the other. It differs from the first in what Tune changes and nothing else.
	Model *Model
	// Share is how much of the other there is, 0 to 1, in the middle of each of W×H equal cells
	// of the picture, linear between them and constant beyond; it is not changed.
	Share *plane.Plane
	// Of is where the cells are, in pixels from the upper left of the picture that is enlarged,
	// which may be a part of them; zero: all of it.
	Of image.Rectangle
}

// mixer mixes rows of two results.
type mixer struct {
	other        *Model
	share        *plane.Plane
	across, down []weight // of each column and row of the result
}

// weight is a place between two cells, of which the second has a part of 1<<weightBits.
type weight struct {
	first, second int32
	part          int32
}

// Samples lie in whole numbers of these parts of a pixel, and of a cell, so that a part of a
// picture has the same weights that it has in the whole.
const weightBits = 16

// newMixer makes what mixes results of w×h.
func (m *Model) newMixer(mix *Mix, inW, inH, w, h int) (*mixer, error) {
	if mix.Model == nil || mix.Share == nil || mix.Share.W < 1 || mix.Share.H < 1 {
		return nil, usage.Errorf("superres: a mixture without another model, or without shares")
	}
	if len(mix.Model.Stages) != len(m.Stages) || mix.Model.Scale != m.Scale || mix.Model.eight != m.eight ||
		mix.Model.Reach(inW, inH, w, h) != m.Reach(inW, inH, w, h) {
		return nil, usage.Errorf("superres: two models that differ by more than their tuning cannot be mixed")
	}
	of := mix.Of
	if of.Empty() {
		of = image.Rect(0, 0, inW, inH)
	}
	return &mixer{
		other: mix.Model, share: mix.Share,
		across: weights(inW, w, of.Min.X, of.Dx(), mix.Share.W),
		down:   weights(inH, h, of.Min.Y, of.Dy(), mix.Share.H),
	}, nil
}

// weights are those of the out samples along a side that are made of in, among so many cells
// on side samples from one on.
func weights(in, out, from, side, cells int) []weight {
	list := make([]weight, out)
	for i := range list {
		middle := (2*i+1)*in<<weightBits/(2*out) - from<<weightBits
		at := max(middle*cells/side-1<<(weightBits-1), 0)
		first := min(at>>weightBits, cells-1)
		list[i] = weight{int32(first), int32(min(first+1, cells-1)), int32(at & (1<<weightBits - 1))}
	}
	return list
}

// oriented returns what mixes results turned and flipped into a form of package picture; nil
// of nil.
func (x *mixer) oriented(form int32) *mixer {
	if x == nil {
		return nil
	}
	turned := *x
	if form&kernel.FlipX != 0 {
		turned.across = reversed(turned.across)
	}
	if form&kernel.FlipY != 0 {
		turned.down = reversed(turned.down)
	}
	if form&kernel.Turned != 0 {
		turned.across, turned.down = turned.down, turned.across
		turned.share = picture.Oriented(x.share, kernel.Turned)
	}
	return &turned
}

func reversed(list []weight) []weight {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// mix takes the rows of the result from top on toward those of the other.
func (x *mixer) mix(top int, rows, other []*plane.Plane) {
	const one = 1 << weightBits
	parallel.Rows(rows[0].H, func(y int) {
		v := x.down[top+y]
		upper, lower := x.share.Row(int(v.first)), x.share.Row(int(v.second))
		down := float32(v.part) / one
		cells := make([]float32, x.share.W)
		for i, s := range upper {
			cells[i] = s + float32(down*(lower[i]-s))
		}
		shares := make([]float32, len(x.across))
		for i, u := range x.across {
			s := cells[u.first]
			shares[i] = s + float32(float32(u.part)/one*(cells[u.second]-s))
		}
		for i, p := range rows {
			to := p.Row(y)
			for c, v := range other[i].Row(y) {
				to[c] += float32(shares[c] * (v - to[c]))
			}
		}
	})
}
