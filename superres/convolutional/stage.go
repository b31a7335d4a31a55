package convolutional

import (
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"

	"superres/internal/kernel"
	"superres/learners/plugin"
	"superres/superres/stage"
)

// Stage adds to the current enlargement what a network finds that it lacks. It computes in
// integers, so that all machines find the same; quantise.go says how they stand for the
// network, apply.go how a picture goes through.
type Stage struct {
	params params
	tables tables
	scale  int

	filters []kernel.Filter // M+2
}

// params is what a model file says of a Stage.
type params struct {
	Channels int `json:"channels"` // C
	Depth    int `json:"depth"`    // M

	Leveled bool    `json:"leveled,omitempty"` // the network knows a level
	Level   float64 `json:"level,omitempty"`   // at which the stage works, 0..1
}

// tables are the arrays of a Stage as its file holds them, of all layers one after another,
// the weights of each in the order of layer.weight.
type tables struct {
	weights []int16
	bias    []int32   // of every output
	above   []float32 // what a sum is multiplied by
	below   []float32 // where it is negative; of all layers but the last
	level   []int32   // what a level of 1 adds to the bias; of all layers but the last, or empty
	units   []float64 // a of all layers but the last: see quantise.go

	gains []float64 // what weights were multiplied by, while they are rounded
}

// The limits of a stage.
const (
	maxChannels = 128
	maxDepth    = 64
)

// check tells what is wrong with the parameters.
func (p params) check(scale int) error {
	if scale < 2 || scale > 4 || p.Channels < 1 || p.Channels > maxChannels || p.Depth < 1 || p.Depth > maxDepth {
		return fmt.Errorf("%d layers of %d channels at scale %d, expected 1 to %d, 1 to %d and 2 to 4", p.Depth, p.Channels, scale, maxDepth, maxChannels)
	}
	if !(p.Level >= 0 && p.Level <= 1) || p.Level > 0 && !p.Leveled {
		return fmt.Errorf("level %g, expected 0 to 1, and 0 of a network that knows none", p.Level)
	}
	return nil
}

// shapes are the layers of the network, without their weights.
func (p params) shapes(scale int) []layer {
	list := []layer{{side: firstSide, in: 1, out: p.Channels}}
	for range p.Depth {
		list = append(list, layer{side: 3, in: p.Channels, out: p.Channels})
	}
	return append(list, layer{side: 3, in: p.Channels, out: scale * scale})
}

// firstSide is how many taps the first layer has across.
const firstSide = 5

// width is the number of channels with those that fill them up.
func (p params) width() int { return kernel.PadTo(p.Channels, kernel.Lanes) }

// newStage rounds a network.
func newStage(n *network) (stage.Stage, error) {
	p := params{Channels: n.channels, Depth: len(n.layers) - 2, Leveled: n.layers[0].level != nil}
	if err := p.check(n.scale); err != nil {
		return nil, fmt.Errorf("convolutional: %w", err)
	}
	t, err := quantise(n, p)
	if err != nil {
		return nil, err
	}
	s, err := makeStage(n.scale, p, t)
	if err != nil {
		return nil, fmt.Errorf("convolutional: %w", err)
	}
	return s, nil
}

// makeStage makes the stage of parameters that have been checked and tables of the right
// sizes.
func makeStage(scale int, p params, t tables) (*Stage, error) {
	s := &Stage{params: p, tables: t, scale: scale}
	s.tables.gains = nil
	shapes := p.shapes(scale)
	for i, l := range shapes {
		if err := checkSums(&l, p.largest(i), t); err != nil {
			return nil, fmt.Errorf("layer %d: %w", i, err)
		}
		if i == len(shapes)-1 {
			s.filters = append(s.filters, p.last(&l, t))
			break
		}
		s.filters = append(s.filters, p.filter(&l, t))
		t = t.after(&l)
	}
	return s, nil
}

// after are the tables of the layers after one.
func (t tables) after(l *layer) tables {
	t.weights = t.weights[l.side*l.side*l.in*l.out:]
	t.bias, t.above = t.bias[l.out:], t.above[l.out:]
	t.below = t.below[l.out:]
	if len(t.level) > 0 {
		t.level = t.level[l.out:]
	}
	return t
}

// checkSums fails when some activations, of a magnitude of at most largest, could make a sum
// of the first layer in the tables overflow, or when it would be multiplied by 1 or more.
func checkSums(l *layer, largest int64, t tables) error {
	for o := range l.out {
		most := int64(t.bias[o])
		most = max(most, -most)
		if len(t.level) > 0 {
			most += max(int64(t.level[o]), -int64(t.level[o]))
		}
		for i := o; i < l.side*l.side*l.in*l.out; i += l.out {
			w := int64(t.weights[i])
			most += largest * max(w, -w)
		}
		if most > math.MaxInt32 {
			return fmt.Errorf("its weights make sums of more than 32 bits")
		}
		if !(math.Abs(float64(t.above[o])) < 1) || len(t.below) > 0 && !(math.Abs(float64(t.below[o])) < 1) {
			return fmt.Errorf("its outputs are multiplied by 1 or more")
		}
	}
	return nil
}

// filter is the first layer in the tables as the kernels take it. What fills channels up is
// multiplied by 0, and comes out as 0.
func (p params) filter(l *layer, t tables) kernel.Filter {
	step := 1
	if l.side != firstSide {
		step = p.width()
	}
	f := blank(l.side, l.side*step, step, l.out)
	p.setBias(&f, l, t)
	copy(f.Above, t.above[:l.out])
	copy(f.Below, t.below[:l.out])
	for dy := range l.side {
		for dx := range l.side {
			for i := range l.in {
				for o, w := range t.weights[((dy*l.side+dx)*l.in+i)*l.out:][:l.out] {
					put(&f, dy, dx*step+i, o, w)
				}
			}
		}
	}
	return f
}

// setBias sets the bias of the first layer in the tables, at the level.
func (p params) setBias(f *kernel.Filter, l *layer, t tables) {
	copy(f.Bias, t.bias[:l.out])
	if p.Level > 0 {
		steps := int64(math.Round(p.Level * levelSteps))
		for o, v := range t.level[:l.out] {
			f.Bias[o] += int32(int64(v) * steps / levelSteps)
		}
	}
}

// levelSteps is how many levels there are from 0 to 1.
const levelSteps = 1 << 12

// last is the last layer as the kernels take it: what a sample adds to the outputs of its
// neighbour on the right, to its own, and to those on the left, which are summed up then.
// The vectors of a few outputs would be almost empty.
func (p params) last(l *layer, t tables) kernel.Filter {
	f := blank(l.side, p.width(), p.width(), l.side*l.out)
	copy(f.Bias[l.side/2*l.out:], t.bias)
	for dx := range l.side {
		copy(f.Above[dx*l.out:], t.above)
		for dy := range l.side {
			for i := range l.in {
				for o, w := range t.weights[((dy*l.side+dx)*l.in+i)*l.out:][:l.out] {
					put(&f, dy, i, dx*l.out+o, w)
				}
			}
		}
	}
	return f
}

// blank is a filter of zeros for runs of so many entries.
func blank(rows, run, step, outputs int) kernel.Filter {
	f := kernel.Filter{Rows: rows, Words: (run + 1) / 2, Step: step, Outputs: kernel.PadTo(outputs, kernel.Lanes)}
	f.Weights = make([]int32, f.Rows*f.Words*f.Outputs)
	f.Bias, f.Above, f.Below = make([]int32, f.Outputs), make([]float32, f.Outputs), make([]float32, f.Outputs)
	return f
}

// put sets the weight of an entry of a run to an output, which was 0.
func put(f *kernel.Filter, row, entry, output int, w int16) {
	at := ((output/kernel.Lanes*f.Rows+row)*f.Words+entry/2)*kernel.Lanes + output%kernel.Lanes
	f.Weights[at] |= int32(uint16(w)) << (entry % 2 * 16)
}

const kind = "convolutional"

func init() { stage.Register(kind, load) }

func load(scale int, text json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if err := p.check(scale); err != nil {
		return nil, err
	}
	weights, outputs, padded := 0, 0, 0
	for _, l := range p.shapes(scale) {
		weights, outputs = weights+l.side*l.side*l.in*l.out, outputs+l.out
		padded += l.side * l.side * kernel.PadTo(l.in, kernel.Lanes) * kernel.PadTo(l.out, kernel.Lanes)
	}
	if err := a.Reserve(4 * int64(padded)); err != nil {
		return nil, err
	}
	var t tables
	var err error
	if t.weights, err = stage.Get[int16](a, "weights", 1, weights); err != nil {
		return nil, err
	}
	if t.bias, err = stage.Get[int32](a, "bias", 1, outputs); err != nil {
		return nil, err
	}
	if t.above, err = stage.Get[float32](a, "above", 1, outputs); err != nil {
		return nil, err
	}
	if t.below, err = stage.Get[float32](a, "below", 1, outputs-scale*scale); err != nil {
		return nil, err
	}
	if t.units, err = stage.Get[float64](a, "units", 1, p.Depth+1); err != nil {
		return nil, err
	}
	if p.Leveled {
		if t.level, err = stage.Get[int32](a, "level", 1, outputs-scale*scale); err != nil {
			return nil, err
		}
	}
	for i, u := range t.units {
		if !(u > 0) {
			return nil, fmt.Errorf("layer %d has a unit of %g", i, u)
		}
	}
	s, err := makeStage(scale, p, t)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Of returns a stage that is of this kind, and whether it is: to learn on from it, for
// example.
func Of(s stage.Stage) (*Stage, bool) {
	c, ok := s.(*Stage)
	return c, ok
}

// Kind implements stage.Stage.
func (s *Stage) Kind() string { return kind }

// Reach implements stage.Stage.
func (s *Stage) Reach() int { return firstSide/2 + s.params.Depth + 1 }

// Save implements stage.Stage.
func (s *Stage) Save(to *stage.Arrays) any {
	stage.Put(to, "weights", 1, s.tables.weights)
	stage.Put(to, "bias", 1, s.tables.bias)
	stage.Put(to, "above", 1, s.tables.above)
	stage.Put(to, "below", 1, s.tables.below)
	stage.Put(to, "units", 1, s.tables.units)
	if s.params.Leveled {
		stage.Put(to, "level", 1, s.tables.level)
	}
	return s.params
}

// Settings implements stage.Tunable.
func (s *Stage) Settings() stage.Settings {
	if s.params.Leveled {
		return stage.Leveled
	}
	return 0
}

// Tune implements stage.Tunable.
func (s *Stage) Tune(t stage.Tuning) (stage.Stage, error) {
	if t.Level == 0 {
		return s, nil
	}
	tuned := *s
	tuned.params.Level = t.Level
	if err := tuned.params.check(s.scale); err != nil {
		return nil, plugin.Errorf("convolutional: %v", err)
	}
	tuned.filters = slices.Clone(s.filters)
	at := s.tables
	for i, l := range s.params.shapes(s.scale)[:s.params.Depth+1] {
		f := &tuned.filters[i]
		f.Bias = make([]int32, f.Outputs)
		tuned.params.setBias(f, &l, at)
		at = at.after(&l)
	}
	return &tuned, nil
}

// Memory implements stage.Stage: the weights twice, and the lines that are in work.
func (s *Stage) Memory(width, rows int) (fixed, working int64) {
	for _, f := range s.filters {
		fixed += 6 * int64(len(f.Weights))
	}
	g := s.geometry(width, rows)
	return fixed, int64(2*(g.lines*g.line+g.inputLines*g.inputLine)) + int64(runtime.GOMAXPROCS(0))*int64(4*(g.w+2)*s.filters[len(s.filters)-1].Outputs)
}

// KeepsAreas implements stage.AreaKeeper: a network learns from photographs, and may ring
// beside what is drawn.
func (s *Stage) KeepsAreas() bool { return true }
