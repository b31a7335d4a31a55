package superres

import (
	"image"

	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Mix has parts of a picture enlarged by a second model, for example by a model for stronger noise where the picture
// has more noise.
type Mix struct {
	// Model is the second model, for the same scale, of the same effort, and with a network for colour if the first
	// has one.
	Model *Model
	// Share is the share of the second model's result, 0 to 1. The picture is divided into Share.W × Share.H equal
	// cells; a sample of Share counts in the middle of its cell, and shares are linear between the middles and
	// constant beyond the outermost. Upscale does not change it.
	Share *plane.Plane
	// Area is the rectangle that is divided into cells, in pixels from the upper left corner of the picture. It may
	// be larger than the picture, when that is a part of another; the zero rectangle means the whole picture.
	Area image.Rectangle
}

// mixer mixes rows of the results of two models.
type mixer struct {
	other        *Model
	share        *plane.Plane
	across, down []weight // of each column and each row of the result
}

// weight is a position on the line between the middles of two cells: part is 0 at the middle of cell first, and
// 1<<weightBits at the middle of cell second.
type weight struct {
	first, second int32
	part          int32
}

// weightBits are the binary places of positions, which are integers so that a part of a picture has exactly the
// weights that it has in the whole picture.
const weightBits = 16

// newMixer returns the mixer for an enlargement by m, or an error when mix is incomplete or its model does not fit.
func (m *Model) newMixer(mix *Mix, s sizes) (*mixer, error) {
	if mix.Model == nil || mix.Share == nil || mix.Share.W < 1 || mix.Share.H < 1 {
		return nil, usage.Errorf("superres: a mixture without another model, or without shares")
	}
	if m.Network != nil || mix.Model.Network != nil {
		return nil, usage.Errorf("superres: a model with a network cannot be mixed with another")
	}
	sameColour := mix.Model.enlargesColour(s) == m.enlargesColour(s) || s.inW == s.w && s.inH == s.h
	if mix.Model.Scale != m.Scale || mix.Model.maxEffort != m.maxEffort || mix.Model.IsPlain() != m.IsPlain() ||
		!sameColour {
		return nil, usage.Errorf("superres: models of different scales or efforts, of which one enlarges colour, or " +
			"of which one only interpolates, cannot be mixed")
	}
	area := mix.Area
	if area.Empty() {
		area = image.Rect(0, 0, s.inW, s.inH)
	}
	return &mixer{
		other: mix.Model, share: mix.Share,
		across: cellWeights(s.inW, s.w, area.Min.X, area.Dx(), mix.Share.W),
		down:   cellWeights(s.inH, s.h, area.Min.Y, area.Dy(), mix.Share.H),
	}, nil
}

// cellWeights returns the weights along one side of a picture that is enlarged from in to out samples. The cells
// divide the side samples of the picture that begin with sample from, which may be negative.
func cellWeights(in, out, from, side, cells int) []weight {
	list := make([]weight, out)
	for i := range list {
		middle := (2*i+1)*in<<weightBits/(2*out) - from<<weightBits // of sample i of the result, in samples of in
		position := max(middle*cells/side-1<<(weightBits-1), 0)     // in cells, from the middle of the first
		first := min(position>>weightBits, cells-1)
		list[i] = weight{int32(first), int32(min(first+1, cells-1)), int32(position & (1<<weightBits - 1))}
	}
	return list
}

// mix changes rows, the rows of the first model's result beginning with row top, to their mean with other, the same
// rows of the second model's, weighted by the shares.
func (x *mixer) mix(top int, rows, other []*plane.Plane) {
	const unit = 1 << weightBits
	parallel.Rows(rows[0].H, func(y int) {
		v := x.down[top+y]
		upper, lower := x.share.Row(int(v.first)), x.share.Row(int(v.second))
		down := float32(v.part) / unit
		cells := make([]float32, x.share.W)
		for i, s := range upper {
			cells[i] = s + float32(down*(lower[i]-s))
		}
		shares := make([]float32, len(x.across))
		for i, u := range x.across {
			s := cells[u.first]
			shares[i] = s + float32(float32(u.part)/unit*(cells[u.second]-s))
		}
		for i, p := range rows {
			to := p.Row(y)
			for c, v := range other[i].Row(y) {
				to[c] += float32(shares[c] * (v - to[c]))
			}
		}
	})
}

// junction mixes rows of the results of two models, which may look differently far and so return rows at different
// times.
type junction struct {
	*mixer
	mem           *stage.Pool
	top           int      // the next row
	first, second []window // of each plane, the rows that wait for those of the other model
}

// newJunction returns a junction for results of a number of planes.
func newJunction(x *mixer, planes int, mem *stage.Pool) *junction {
	return &junction{mixer: x, mem: mem, first: make([]window, planes), second: make([]window, planes)}
}

// push takes the next rows of both models' planes, which may be nil, and returns the next rows of the mixture; nil
// when too few have arrived. It takes over the memory of both.
func (j *junction) push(rows, other []*plane.Plane) []*plane.Plane {
	if rows != nil && other != nil && rows[0].H == other[0].H && j.first[0].plane.H+j.second[0].plane.H == 0 {
		j.mix(j.top, rows, other)
		j.pass(rows[0].H)
		for _, p := range other {
			j.mem.Give(p.Pix)
		}
		return rows
	}
	for i, p := range rows {
		j.first[i].append(j.mem, p)
	}
	for i, p := range other {
		j.second[i].append(j.mem, p)
	}
	end := min(j.first[0].end(), j.second[0].end())
	if end == j.top {
		return nil
	}
	out, with := make([]*plane.Plane, len(j.first)), make([]*plane.Plane, len(j.first))
	for i := range out {
		ready := j.first[i].rows(j.top, end)
		out[i] = j.mem.Plane(ready.W, ready.H)
		copy(out[i].Pix, ready.Pix)
		with[i] = j.second[i].rows(j.top, end)
	}
	j.mix(j.top, out, with)
	for i := range out {
		j.first[i].dropBefore(j.mem, end)
		j.second[i].dropBefore(j.mem, end)
	}
	j.top = end
	return out
}

// pass goes on by rows that did not wait.
func (j *junction) pass(rows int) {
	j.top += rows
	for i := range j.first {
		j.first[i].top, j.second[i].top = j.top, j.top
	}
}
