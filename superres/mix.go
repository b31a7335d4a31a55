package superres

import (
	"context"
	"image"
	"runtime"
	"slices"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/stage"
)

// mixer mixes rows of the results of two models.
type mixer struct {
	other        *Model
	share        *plane.Plane
	across, down []weight // for each column and each row of the result
}

// weight is the position of a sample between the middles of two cells of a Mix: part is 0 at the middle of cell first,
// and 1<<weightBits at the middle of cell second.
type weight struct {
	first, second int32
	part          int32
}

// weightBits is the number of fractional bits of a position. Positions are integers, so that a region of a picture gets
// exactly the weights that it gets in the whole picture.
const weightBits = 16

// newMixer returns the mixer for an enlargement by m, or an error when mix is incomplete or its model does not fit.
func (m *Model) newMixer(mix *Mix, s sizes) (*mixer, error) {
	if mix.Model == nil || mix.Share == nil || mix.Share.W < 1 || mix.Share.H < 1 {
		return nil, usage.Errorf("superres: a mixture without another model, or without shares")
	}
	if m.Network != nil || mix.Model.Network != nil {
		return nil, usage.Errorf("superres: a model with a network cannot be mixed with another")
	}
	// Both must enlarge colour, or neither. At the picture's own size, colour stays as it is where a model has no pass.
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

// cellWeights returns the weights along one side of a picture that is enlarged from size to result samples. The cells
// divide a range of side samples of the picture equally; it begins with sample from, which may be negative. Before the
// middle of the first cell and after the middle of the last, that cell alone counts.
func cellWeights(size, result, from, side, cells int) []weight {
	list := make([]weight, result)
	for i := range list {
		middle := (2*i+1)*size<<weightBits/(2*result) - from<<weightBits // of sample i of the result, in the picture
		position := max(middle*cells/side-1<<(weightBits-1), 0)          // in cells, from the middle of the first cell
		first := min(position>>weightBits, cells-1)
		list[i] = weight{int32(first), int32(min(first+1, cells-1)), int32(position & (1<<weightBits - 1))}
	}
	return list
}

// mix replaces rows, the first model's result from row top on, by their weighted mean with other, the same rows of the
// second model's result. The weights of other are the shares of the Mix.
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

// junction mixes rows of the results of two models. The models may have different reaches, so one may return rows
// before the other: the junction keeps them until both have come.
type junction struct {
	*mixer
	mem           *stage.Pool
	top           int      // the next row to mix
	first, second []window // rows of each plane that wait for rows of the other model
}

// newJunction returns a junction for results with the given number of planes.
func newJunction(x *mixer, planes int, mem *stage.Pool) *junction {
	return &junction{mixer: x, mem: mem, first: make([]window, planes), second: make([]window, planes)}
}

// join takes the next rows of both models' planes, which may be nil, and returns the next rows of the mixture, or nil
// if too few have arrived. It takes over the memory of rows and other.
func (j *junction) join(rows, other []*plane.Plane) []*plane.Plane {
	if rows != nil && other != nil && rows[0].H == other[0].H && j.first[0].plane.H+j.second[0].plane.H == 0 {
		j.mix(j.top, rows, other)
		j.advance(rows[0].H)
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

// advance counts rows that were mixed without waiting.
func (j *junction) advance(rows int) {
	j.top += rows
	for i := range j.first {
		j.first[i].top, j.second[i].top = j.top, j.top
	}
}

// ensemble returns whole planes, enlarged as task t says, at the effort max. report gets the share done, 0 to 1.
func (m *Model) ensemble(ctx context.Context, in []*plane.Plane, t task, report func(float64)) ([]*plane.Plane, error) {
	alone := t
	alone.mixer = nil
	if t.mixer == nil {
		return m.meanOfOrientations(ctx, in, alone, report)
	}
	other, err := t.mixer.other.meanOfOrientations(ctx, in, alone, func(share float64) { report(share / 2) })
	if err != nil {
		return nil, err
	}
	out, err := m.meanOfOrientations(ctx, in, alone, func(share float64) { report(0.5 + share/2) })
	if err != nil {
		return nil, err
	}
	t.mixer.mix(0, out, other)
	return out, nil
}

// isLarge reports whether the models of all passes are large, so that a picture is enlarged in only two orientations.
// At ×4 that takes as long as the model photo in all quarter turns, and has 0.1 dB more. All quarter turns would bring
// another 0.02 to 0.04 dB. Saturated flowers lose up to 0.7 dB, because colour misleads a large network.
func (m *Model) isLarge(s sizes) bool {
	models := m.chainModels(s)
	return len(models) > 0 && !slices.ContainsFunc(models, func(model *Model) bool { return !model.large })
}

// quarterTurns are the four orientations without a flip, upright first. PSNR of the mean over them is 0.02 to 0.05 dB
// more than of one, and at most 0.01 dB less than of the mean over all eight, which takes twice as long.
var quarterTurns = []int32{
	0, picture.Transposed | picture.FlipX, picture.FlipX | picture.FlipY, picture.Transposed | picture.FlipY,
}

// meanOfOrientations enlarges whole planes in several orientations, turns each result back, and returns their mean: a
// large model enlarges two orientations, other models all quarter turns. Timofte, Rothe and Van Gool call this enhanced
// prediction (Seven Ways to Improve Example-Based Single Image Super Resolution, CVPR 2016). If showsGreen is true for
// a large model, it enlarges green in the second orientation.
func (m *Model) meanOfOrientations(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	orientations := quarterTurns
	if m.isLarge(t.sizes) {
		orientations = quarterTurns[:2]
		if m.showsGreen(t) {
			return m.meanWithGreen(ctx, in, t, report)
		}
	}
	means := newPlanes(len(in), t.w, t.h)
	for k, orientation := range orientations {
		if err := m.addOriented(ctx, means, in, t, orientation, 1/float32(len(orientations))); err != nil {
			return nil, err
		}
		report(float64(k+1) / float64(len(orientations)))
	}
	return means, nil
}

// addOriented enlarges whole planes in one orientation, turns the result back and adds it, times weight, to sums. For a
// network, it first collects the garbage of the orientation before; orientation 0 comes first.
func (m *Model) addOriented(
	ctx context.Context, sums, in []*plane.Plane, t task, orientation int32, weight float32,
) error {
	if orientation&picture.Transposed != 0 {
		t.sizes = sizes{t.inH, t.inW, t.h, t.w}
	}
	oriented := make([]*plane.Plane, len(in))
	for i, p := range in {
		oriented[i] = picture.Orient(p, orientation)
	}
	if m.Network != nil && orientation != 0 {
		// The orientation before has left garbage, in pools too, up to several times as large as the memory in use.
		runtime.GC()
		runtime.GC() // the first collection spares what pools keep
	}
	enlarged, err := m.enlargePlanes(ctx, oriented, t)
	if err != nil {
		return err
	}
	for i, p := range enlarged {
		picture.AddOriented(sums[i], p, orientation, weight)
	}
	return nil
}

// greenShare is the weight of the brightness that follows from green enlarged alone, in the mean of brightness.
const greenShare = 0.3

// showsGreen reports whether a large model, which averages two orientations, gets green alone in the second: if the
// picture has colour at the resolution of brightness, and the first pass enlarges by more than 2. Where colour misleads
// the network, green alone does not: in place of a second orientation with colour, it brings brightness up to 0.05 dB
// at ×3 and ×4, and costs up to 0.02 dB at ×2. Red in place of green, or brightness without its colour, adds at most
// two thirds of that gain. Red and blue are then no longer the mean of two enlargements with all colours.
func (m *Model) showsGreen(t task) bool {
	return t.planes == 3 && !t.subsampled && m.scaleChain(t.sizes)[0] > 2
}

// meanWithGreen returns whole planes, enlarged as t says: the mean of two enlargements. The second enlarges green in
// place of brightness, turned and without its colour; brightness then follows from green and the enlarged colour.
func (m *Model) meanWithGreen(
	ctx context.Context, in []*plane.Plane, t task, report func(float64),
) ([]*plane.Plane, error) {
	means, others := newPlanes(len(in), t.w, t.h), newPlanes(len(in), t.w, t.h)
	if err := m.addOriented(ctx, means, in, t, quarterTurns[0], 1); err != nil {
		return nil, err
	}
	report(0.5)
	rgb := newPlanes(len(in), t.inW, t.inH)
	for i, p := range in {
		copy(rgb[i].Pix, p.Pix)
	}
	joinRGB(rgb)
	alone := t
	alone.hidesColour = true
	green := []*plane.Plane{rgb[1], in[1], in[2]}
	if err := m.addOriented(ctx, others, green, alone, quarterTurns[1], 1); err != nil {
		return nil, err
	}
	parallel.Rows(t.h, func(y int) {
		first, red, blue := others[0].Row(y), others[1].Row(y), others[2].Row(y)
		for x, green := range first {
			first[x] = green + (float32(redShare*red[x]) + float32(blueShare*blue[x])) // red is R−Y, blue B−Y
		}
		for i, share := range [3]float32{greenShare, 0.5, 0.5} {
			mean := means[i].Row(y)
			for x, v := range others[i].Row(y) {
				mean[x] += float32(share * (v - mean[x]))
			}
		}
	})
	report(1)
	return means, nil
}

// Orientations returns how many orientations of a picture the model averages at most: 4 at the effort max, otherwise 1.
func (m *Model) Orientations() int {
	if m.maxEffort {
		return len(quarterTurns)
	}
	return 1
}
