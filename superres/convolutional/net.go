package convolutional

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"superres/internal/kernel"
	"superres/internal/usage"
	"superres/superres/stage"
)

// net is a network that computes in integers, so that all machines find the same; quantise.go
// says how they stand for it, run.go how a picture goes through.
type net struct {
	params params
	tables tables
	scale  int

	filters []kernel.Filter // M+2
}

// params is what a model file says of a network.
type params struct {
	Channels int `json:"channels"` // C
	Depth    int `json:"depth"`    // M

	// Grain is the deviation, in levels of 255, of what is left as interpolation has it; of
	// brightness alone.
	Grain float64 `json:"grain,omitempty"`

	// Limit is the clip of the activations that its tables are for, which must be kernel.Clip.
	Limit int `json:"limit"`

	Colour  bool    `json:"colour,omitempty"`  // it is of colour
	Leveled bool    `json:"leveled,omitempty"` // the network knows a level
	Level   float64 `json:"level,omitempty"`   // at which the stage works, 0..1
}

// tables are the arrays of a network as its file holds them, of all layers one after another,
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
	if p.Limit != kernel.Clip {
		return fmt.Errorf("activations of at most %d, expected %d", p.Limit, kernel.Clip)
	}
	if !(p.Grain >= 0 && p.Grain <= MaxGrain) || p.Colour && p.Grain > 0 {
		return fmt.Errorf("grain of %g levels, expected 0 to %d, and 0 in colour", p.Grain, MaxGrain)
	}
	return nil
}

// architecture returns that of the network at a scale.
func (p params) architecture(scale int) Architecture {
	return Architecture{Scale: scale, Channels: p.Channels, Depth: p.Depth, Colour: p.Colour, Strength: p.Leveled}
}

// layers returns the layers of the network at a scale, without parameters.
func (p params) layers(scale int) []Layer { return p.architecture(scale).layers() }

// width is the number of channels with those that fill them up.
func (p params) width() int { return kernel.PadTo(p.Channels, kernel.Lanes) }

// makeNet makes the net of parameters that have been checked and tables of the right sizes.
func makeNet(scale int, p params, t tables) (net, error) {
	n := net{params: p, tables: t, scale: scale}
	n.tables.gains = nil
	shapes := p.layers(scale)
	for i, l := range shapes {
		if err := checkSums(&l, p.largest(i), t); err != nil {
			return n, fmt.Errorf("layer %d: %w", i, err)
		}
		if i == len(shapes)-1 {
			n.filters = append(n.filters, p.last(&l, t))
			break
		}
		f := p.filter(&l, t)
		f.PrepareWinograd() // where it cannot be, it is slower
		n.filters = append(n.filters, f)
		t = t.after(&l)
	}
	return n, nil
}

// after are the tables of the layers after one.
func (t tables) after(l *Layer) tables {
	t.weights = t.weights[l.weights():]
	t.bias, t.above = t.bias[l.Out:], t.above[l.Out:]
	t.below = t.below[l.Out:]
	if len(t.level) > 0 {
		t.level = t.level[l.Out:]
	}
	return t
}

// checkSums fails when some activations, of a magnitude of at most largest, could make a sum
// of the first layer in the tables overflow, or when it would be multiplied by 1 or more.
func checkSums(l *Layer, largest int64, t tables) error {
	for o := range l.Out {
		most := int64(t.bias[o])
		most = max(most, -most)
		if len(t.level) > 0 {
			most += max(int64(t.level[o]), -int64(t.level[o]))
		}
		for i := o; i < l.weights(); i += l.Out {
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
func (p params) filter(l *Layer, t tables) kernel.Filter {
	step := p.width()
	if l.first {
		step = l.In
	}
	f := blank(l.Side, l.Side*step, step, l.Out)
	p.setBias(&f, l, t)
	copy(f.PositiveScale, t.above[:l.Out])
	copy(f.NegativeScale, t.below[:l.Out])
	for dy := range l.Side {
		for dx := range l.Side {
			for i := range l.In {
				for o, w := range t.weights[((dy*l.Side+dx)*l.In+i)*l.Out:][:l.Out] {
					put(&f, dy, dx*step+i, o, w)
				}
			}
		}
	}
	return f
}

// setBias sets the bias of the first layer in the tables, at the level.
func (p params) setBias(f *kernel.Filter, l *Layer, t tables) {
	copy(f.Bias, t.bias[:l.Out])
	if p.Level > 0 {
		steps := int64(math.Round(p.Level * levelSteps))
		for o, v := range t.level[:l.Out] {
			f.Bias[o] += int32(int64(v) * steps / levelSteps)
		}
	}
}

// levelSteps is how many levels there are from 0 to 1.
const levelSteps = 1 << 12

// last is the last layer as the kernels take it: what a sample adds to the outputs of its
// neighbour on the right, to its own, and to those on the left, which are summed up then.
// The vectors of a few outputs would be almost empty.
func (p params) last(l *Layer, t tables) kernel.Filter {
	f := blank(l.Side, p.width(), p.width(), l.Side*l.Out)
	copy(f.Bias[l.Side/2*l.Out:], t.bias)
	for dx := range l.Side {
		copy(f.PositiveScale[dx*l.Out:], t.above)
		for dy := range l.Side {
			for i := range l.In {
				for o, w := range t.weights[((dy*l.Side+dx)*l.In+i)*l.Out:][:l.Out] {
					put(&f, dy, i, dx*l.Out+o, w)
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
	f.Bias, f.PositiveScale, f.NegativeScale = make([]int32, f.Outputs), make([]float32, f.Outputs), make([]float32, f.Outputs)
	return f
}

// put sets the weight of an entry of a run to an output, which was 0.
func put(f *kernel.Filter, row, entry, output int, w int16) {
	at := ((output/kernel.Lanes*f.Rows+row)*f.Words+entry/2)*kernel.Lanes + output%kernel.Lanes
	f.Weights[at] |= int32(uint16(w)) << (entry % 2 * 16)
}

// loadNet makes the net of what a file says, of which nothing is trusted.
func loadNet(scale int, text json.RawMessage, a *stage.Arrays, colour bool) (n net, err error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return n, err
	}
	if p.Limit == 0 {
		return n, errors.New("its arrays are for activations of 14 bits, an older form; train the model again, or use the superres of commit 57f912e, the last that reads it")
	}
	if err := p.check(scale); err != nil {
		return n, err
	}
	if p.Colour != colour {
		return n, fmt.Errorf("a network of colour in the place of one of brightness, or the other way round")
	}
	weights, outputs, padded := 0, 0, 0
	layers := p.layers(scale)
	for _, l := range layers {
		weights, outputs = weights+l.weights(), outputs+l.Out
		padded += l.Side * l.Side * kernel.PadTo(l.In, kernel.Lanes) * kernel.PadTo(l.Out, kernel.Lanes)
	}
	if err := a.Reserve(4 * int64(padded)); err != nil {
		return n, err
	}
	inner := outputs - layers[len(layers)-1].Out
	var t tables
	if t.weights, err = stage.Get[int16](a, "weights", 1, weights); err != nil {
		return n, err
	}
	if t.bias, err = stage.Get[int32](a, "bias", 1, outputs); err != nil {
		return n, err
	}
	if t.above, err = stage.Get[float32](a, "above", 1, outputs); err != nil {
		return n, err
	}
	if t.below, err = stage.Get[float32](a, "below", 1, inner); err != nil {
		return n, err
	}
	if t.units, err = stage.Get[float64](a, "units", 1, p.Depth+1); err != nil {
		return n, err
	}
	if p.Leveled {
		if t.level, err = stage.Get[int32](a, "level", 1, inner); err != nil {
			return n, err
		}
	}
	for i, u := range t.units {
		if !(u > 0) {
			return n, fmt.Errorf("layer %d has a unit of %g", i, u)
		}
	}
	return makeNet(scale, p, t)
}

// save puts the arrays into a file, and returns the parameters.
func (n *net) save(to *stage.Arrays) any {
	stage.Put(to, "weights", 1, n.tables.weights)
	stage.Put(to, "bias", 1, n.tables.bias)
	stage.Put(to, "above", 1, n.tables.above)
	stage.Put(to, "below", 1, n.tables.below)
	stage.Put(to, "units", 1, n.tables.units)
	if n.params.Leveled {
		stage.Put(to, "level", 1, n.tables.level)
	}
	return n.params
}

// Scale returns what it enlarges by.
func (n *net) Scale() int { return n.scale }

// Fingerprint returns a hash of all that it computes with.
func (n *net) Fingerprint() [sha256.Size]byte {
	t := n.tables
	data, err := json.Marshal([]any{n.scale, n.params, t.weights, t.bias, t.above, t.below, t.level, t.units})
	if err != nil {
		panic(err) // numbers, all of which are finite
	}
	return sha256.Sum256(data)
}

// reach is how many rows of the picture around a row count for it.
func (n *net) reach() int { return n.params.architecture(n.scale).Reach() }

// at is the net at a level.
func (n *net) at(level float64) (net, error) {
	tuned := *n
	tuned.params.Level = level
	if err := tuned.params.check(n.scale); err != nil {
		return tuned, usage.Errorf("convolutional: %v", err)
	}
	tuned.filters = slices.Clone(n.filters)
	at := n.tables
	for i, l := range n.params.layers(n.scale)[:n.params.Depth+1] {
		f := &tuned.filters[i]
		f.Bias = make([]int32, f.Outputs)
		tuned.params.setBias(f, &l, at)
		at = at.after(&l)
	}
	return tuned, nil
}

// memory is what stage.Stage says of Memory: the weights twice, and the lines that are in
// work.
func (n *net) memory(width, rows int) (fixed, working int64) {
	for _, f := range n.filters {
		fixed += 14 * int64(len(f.Weights)) // and their transform
	}
	g := n.geometry(width, rows)
	working = int64(runtime.GOMAXPROCS(0)) * kernel.WinogradBytes(n.params.width())
	return fixed, working + int64(2*(g.lines*g.line+g.inputLines*g.inputLine)) + int64(runtime.GOMAXPROCS(0))*int64(4*(g.w+2)*n.filters[len(n.filters)-1].Outputs)
}
