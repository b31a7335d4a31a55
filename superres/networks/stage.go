package networks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"superres/internal/lines"
	"superres/patches/plane"
	"superres/superres/stage"
)

// kind is the name under which Stage is registered.
const kind = "imported"

func init() { stage.RegisterNetwork(kind, load) }

// Stage is an imported network. It implements stage.Network, and is registered as the kind "imported".
type Stage struct {
	spec    spec
	params  params
	program *lines.Program
	least   int // side of the smallest picture that program takes
}

// params are the parameters of a Stage in a model file.
type params struct {
	// Scale is the factor by which the network enlarges, Multiple divides the sides of the pictures that it takes, and
	// Reach is that of stage.Network.
	Scale    int `json:"scale"`
	Multiple int `json:"multiple"`
	Reach    int `json:"reach"`
}

// saved is what a model file has of a Stage beside its arrays, whose lengths are Weights, Biases, Floats and Indexes.
type saved struct {
	params
	Weights int        `json:"weights"`
	Biases  int        `json:"biases"`
	Floats  int        `json:"floats"`
	Indexes int        `json:"indexes"`
	Nodes   []specNode `json:"nodes"`
}

const (
	mostReach    = 1 << 16
	mostMultiple = 48
	mostScale    = 16
)

// load is the stage.NetworkLoader of a Stage.
func load(scale int, data json.RawMessage, a *stage.Arrays) (stage.Network, error) {
	var p saved
	if err := stage.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	if p.Scale != scale || scale < 1 || scale > mostScale || p.Multiple < 1 || p.Multiple > mostMultiple ||
		p.Reach < 0 || p.Reach > mostReach {
		return nil, fmt.Errorf("a network of scale %d, multiple %d and reach %d, expected one for scale %d", p.Scale,
			p.Multiple, p.Reach, scale)
	}
	if min(p.Weights, p.Biases, p.Floats, p.Indexes) < 0 {
		return nil, errors.New("an array of less than no elements")
	}
	if err := a.Reserve(packedBytes * int64(p.Weights)); err != nil {
		return nil, err
	}
	s := &Stage{params: p.params, spec: spec{Nodes: p.Nodes}}
	var err [4]error
	s.spec.weights, err[0] = get[int16](a, "weights", p.Weights)
	s.spec.bias, err[1] = get[int32](a, "biases", p.Biases)
	s.spec.floats, err[2] = get[float32](a, "floats", p.Floats)
	s.spec.indexes, err[3] = get[int32](a, "indexes", p.Indexes)
	if err := errors.Join(err[:]...); err != nil {
		return nil, err
	}
	return s, s.build()
}

// get returns an array of count elements, which is not in the file if it has none.
func get[T stage.Element](a *stage.Arrays, name string, count int) ([]T, error) {
	if count == 0 {
		return nil, nil
	}
	return stage.Get[T](a, name, 1, count)
}

// build sets the program of s, and the least side of its pictures. It fails if the program does not enlarge by the
// scale.
func (s *Stage) build() (err error) {
	if s.program, err = s.spec.build(); err != nil {
		return err
	}
	m := s.params.Multiple
	// These numbers have no divisor in common with a factor of a node, so that all multiples of m are as good.
	for _, n := range [][2]int{{71, 73}, {79, 83}} {
		if err := s.fits(n[0]*m, n[1]*m); err != nil {
			return err
		}
	}
	for s.least = m; s.least <= 83*m; s.least += m {
		if err = s.fits(s.least, s.least); err == nil {
			return nil
		}
	}
	return err
}

// fits returns an error unless the program takes pictures of w×h samples.
func (s *Stage) fits(w, h int) error {
	const most = 1 << 20 // columns or rows that a node may have at these sizes
	sizes := s.program.Sizes(w, h)
	for i, n := range s.program.Nodes {
		size := sizes[i]
		if size.W < 1 || size.H < 1 || size.W > most || size.H > most {
			return fmt.Errorf("node %d would have %d×%d samples for a picture of %d×%d", i, size.W, size.H, w, h)
		}
		for _, from := range n.Inputs {
			if in, first := sizes[from], sizes[n.Inputs[0]]; in.W != first.W || in.H != first.H {
				return fmt.Errorf("node %d has inputs of %d×%d and %d×%d samples", i, first.W, first.H, in.W, in.H)
			}
		}
		if op, ok := n.Op.(*lines.Shift); ok && op.Mode == lines.Mirror {
			in, e := sizes[n.Inputs[0]], op.Edges
			if max(e.Left, e.Right) >= in.W || max(e.Top, e.Bottom) >= in.H {
				return fmt.Errorf("node %d mirrors more than %d×%d samples", i, in.W, in.H)
			}
		}
	}
	if out := sizes[len(sizes)-1]; out.W != w*s.params.Scale || out.H != h*s.params.Scale {
		return fmt.Errorf("makes %d×%d samples of %d×%d, at scale %d", out.W, out.H, w, h, s.params.Scale)
	}
	return nil
}

// Kind implements stage.Network.
func (s *Stage) Kind() string { return kind }

// Save implements stage.Network.
func (s *Stage) Save(a *stage.Arrays) any {
	put(a, "weights", s.spec.weights)
	put(a, "biases", s.spec.bias)
	put(a, "floats", s.spec.floats)
	put(a, "indexes", s.spec.indexes)
	return saved{params: s.params, Weights: len(s.spec.weights), Biases: len(s.spec.bias), Floats: len(s.spec.floats),
		Indexes: len(s.spec.indexes), Nodes: s.spec.Nodes}
}

// put adds an array to a file, unless it has no elements.
func put[T stage.Element](a *stage.Arrays, name string, data []T) {
	if len(data) > 0 {
		stage.Put(a, name, 1, data)
	}
}

// Scale implements stage.Network.
func (s *Stage) Scale() int { return s.params.Scale }

// Channels implements stage.Network.
func (s *Stage) Channels() int { return s.spec.Nodes[0].Channels }

// Reach implements stage.Network. It is that of any picture if the parts of a picture that begin at a multiple of
// stage.Alignment are not parts of its result.
func (s *Stage) Reach() int {
	if stage.Alignment%s.params.Multiple != 0 {
		return mostReach
	}
	return s.params.Reach
}

// packedBytes is the memory of a weight in a program, in bytes: as it is, and as a filter of Winograd's tiles.
const packedBytes = 6

// Memory implements stage.Network.
func (s *Stage) Memory(w, h int) (fixed, working int64) {
	fixed = (packedBytes+2)*int64(len(s.spec.weights)) + 8*int64(len(s.spec.bias))
	return fixed, s.program.Memory(s.padded(w), s.padded(h))
}

// padded returns the least side, not less than side, that the program takes.
func (s *Stage) padded(side int) int {
	m := s.params.Multiple
	return max(s.least, (side+m-1)/m*m)
}

// Start implements stage.Network. A picture whose sides the network does not take is extended by the samples of its
// right and bottom edges, and the result cut off.
func (s *Stage) Start(w, h int) stage.NetworkRun {
	r := &run{Stage: s, w: w, h: h, last: make([]int16, s.padded(w)*s.Channels())}
	r.lines = s.program.Start(s.padded(w), s.padded(h), r.read, r.write)
	return r
}

// run is a run of a Stage.
type run struct {
	*Stage
	lines *lines.Run
	w, h  int
	rows  []*plane.Plane // that Push was given
	first int            // the row of the picture that is the first of rows
	last  []int16        // the last row of the picture, once it is there
	out   []*plane.Plane // that Push returns
	made  int            // rows of the result that were returned before

	clipped, counted int64
}

// Push implements stage.NetworkRun.
func (r *run) Push(ctx context.Context, rows []*plane.Plane, w *stage.Work) ([]*plane.Plane, error) {
	scale, end := r.Scale(), r.first+rows[0].H
	to := end
	r.rows = rows
	if end == r.h {
		r.fill(r.h-1, r.last)
		to = r.padded(r.h)
	}
	r.out = make([]*plane.Plane, len(rows))
	for i := range r.out {
		r.out[i] = w.Plane(r.w*scale, end*scale-r.made)
	}
	if err := r.lines.Advance(ctx, to); err != nil {
		return nil, err
	}
	r.clipped, r.counted = r.lines.Clipped()
	made := min(r.lines.Made(), r.h*scale)
	if end == r.h {
		r.lines.Close()
	}
	out := r.out
	for _, p := range out {
		p.H = made - r.made
		p.Pix = p.Pix[:p.W*p.H]
	}
	w.Report(float64(end) / float64(r.h))
	some := made > r.made
	r.first, r.made, r.rows, r.out = end, made, nil, nil
	if !some {
		for _, p := range out {
			w.Give(p.Pix)
		}
		return nil, nil
	}
	return out, nil
}

// read writes row y of the picture to to.
func (r *run) read(y int, to []int16) {
	if y >= r.h {
		copy(to, r.last)
		return
	}
	r.fill(y, to)
}

// fill writes row y, one of r.rows, to to, in integers, with the last sample repeated to the right.
func (r *run) fill(y int, to []int16) {
	channels := len(r.rows)
	for c, p := range r.rows {
		row := p.Row(y - r.first)
		for x, v := range row {
			to[x*channels+c] = int16(math.Round(white * float64(min(max(v, 0), 1))))
		}
	}
	for i := r.w * channels; i < len(to); i++ {
		to[i] = to[i-channels]
	}
}

// write takes row y of the result.
func (r *run) write(y int, row []float32) {
	if y -= r.made; y >= r.out[0].H {
		return // beyond the picture
	}
	channels := len(r.out)
	for c, p := range r.out {
		to := p.Row(y)
		for x := range to {
			to[x] = row[x*channels+c]
		}
	}
}

// Saturated implements stage.NetworkRun.
func (r *run) Saturated() (clipped, all int64) { return r.clipped, r.counted }
