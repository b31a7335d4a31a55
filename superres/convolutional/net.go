package convolutional

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/internal/usage"
	"superres/superres/stage"
)

// net is a network in integers, which gives the same bits on all machines. quantise.go says how integers stand for
// numbers, and run.go takes pictures through the net.
type net struct {
	params params
	tables tables
	scale  int

	filters []kernel.Filter // one per layer, for the kernels
}

// params are the parameters of a network in a model file. Some names in the file are older than the names in the code.
type params struct {
	Channels int `json:"channels"`       // C
	Depth    int `json:"depth"`          // M
	Skip     int `json:"skip,omitempty"` // n; 0 stands for M

	// Grain is the standard deviation given to WithGrain, in levels; it is 0 in a network for colour.
	Grain float64 `json:"grain,omitempty"`

	// Clip is the magnitude to which activations are clipped. It must be kernel.Clip.
	Clip int `json:"limit"`

	Colour     bool    `json:"colour,omitempty"`      // see Architecture.Colour
	SeesColour bool    `json:"sees_colour,omitempty"` // see Architecture.SeesColour
	Graded     bool    `json:"leveled,omitempty"`     // see Architecture.Strength
	Strength   float64 `json:"level,omitempty"`       // the strength that the stage is tuned to, 0..1
	Trusting   bool    `json:"trusting,omitempty"`    // see Architecture.Trust
	Trust      float64 `json:"trust,omitempty"`       // the trust that the stage is tuned to, 0..1
}

// tables are the arrays of a network in a file. Each array holds the values of all layers one after another; the
// weights of each layer are in the order of Layer.Weight.
type tables struct {
	weights  []int16
	bias     []int32   // one per output
	positive []float32 // the factor of positive sums, one per output
	negative []float32 // the factor of negative sums; all layers but the last
	units    []float64 // the activation scale a of all layers but the last: see quantise.go

	levels [LevelCount][]int32 // what a level of 1 adds to the bias, in all layers but the last; empty: no input
}

// levelNames are the names of the arrays of levels in files.
var levelNames = [LevelCount]string{Strength: "level", Trust: "trust"}

// maxChannels and maxDepth bound the memory that a file can make a program allocate.
const (
	maxChannels = 128
	maxDepth    = 64
)

// check returns an error that names the first parameter out of its range, or nil.
func (p params) check(scale int) error {
	if scale < 2 || scale > 4 || p.Channels < 1 || p.Channels > maxChannels || p.Depth < 1 || p.Depth > maxDepth {
		return fmt.Errorf("%d layers of %d channels at scale %d, expected 1 to %d, 1 to %d and 2 to 4", p.Depth,
			p.Channels, scale, maxDepth, maxChannels)
	}
	if p.Skip < 0 || p.Skip > p.Depth || p.Skip > 0 && p.Depth%p.Skip > 0 {
		return fmt.Errorf("a skip every %d of %d layers, expected a divisor", p.Skip, p.Depth)
	}
	known := p.architecture(scale).levels()
	for k, v := range p.levels() {
		if !(v >= 0 && v <= 1) || v > 0 && !known[k] {
			return fmt.Errorf("%s %g, expected 0 to 1, and 0 of a network that knows none", levelNames[k], v)
		}
	}
	if p.Colour && p.SeesColour {
		return errors.New("a network for colour that is one for brightness which sees colour")
	}
	if p.Clip != kernel.Clip {
		return fmt.Errorf("activations of at most %d, expected %d", p.Clip, kernel.Clip)
	}
	if !(p.Grain >= 0 && p.Grain <= MaxGrain) || p.Colour && p.Grain > 0 {
		return fmt.Errorf("grain of %g levels, expected 0 to %d, and 0 in colour", p.Grain, MaxGrain)
	}
	return nil
}

// architecture returns the architecture of the network at a scale.
func (p params) architecture(scale int) Architecture {
	return Architecture{Scale: scale, Channels: p.Channels, Depth: p.Depth, Skip: p.Skip, Colour: p.Colour,
		SeesColour: p.SeesColour, Strength: p.Graded, Trust: p.Trusting}
}

// levels returns the strength and the trust that the stage is tuned to.
func (p params) levels() [LevelCount]float64 {
	return [...]float64{Strength: p.Strength, Trust: p.Trust}
}

// layers returns the layers of the network at a scale, with their sizes and without weights.
func (p params) layers(scale int) []Layer { return p.architecture(scale).layers() }

// width returns the number of channels, rounded up to whole vectors of the kernels.
func (p params) width() int { return kernel.PadTo(p.Channels, kernel.Lanes) }

// makeNet returns the net with the parameters p and the tables t, which it keeps. p and the sizes of t have been
// checked. It fails if some input could make a sum overflow.
func makeNet(scale int, p params, t tables) (net, error) {
	n := net{params: p, tables: t, scale: scale}
	shapes := p.layers(scale)
	for i, l := range shapes {
		if err := checkSums(&l, p.largest(i), t); err != nil {
			return n, fmt.Errorf("layer %d: %w", i, err)
		}
		if i == len(shapes)-1 {
			n.filters = append(n.filters, p.lastFilter(&l, t))
			break
		}
		f := p.filter(&l, t)
		if p.isSum(i) && i < p.Depth {
			f.SumClip = kernel.Clip // all sums but the last: see quantise.go
		}
		f.PrepareWinograd() // filters it does not suit stay correct, but slower
		n.filters = append(n.filters, f)
		t = t.after(&l)
	}
	return n, nil
}

// after returns the tables without the values of their first layer, which is l.
func (t tables) after(l *Layer) tables {
	t.weights = t.weights[l.weights():]
	t.bias, t.positive = t.bias[l.Out:], t.positive[l.Out:]
	t.negative = t.negative[l.Out:]
	for k, list := range t.levels {
		if len(list) > 0 {
			t.levels[k] = list[l.Out:]
		}
	}
	return t
}

// checkSums checks l, the first layer in the tables. It fails if inputs of a magnitude up to largest, at levels up to
// 1, could make a sum overflow 32 bits, or if a factor of sums is 1 or more, which tables.add never makes.
func checkSums(l *Layer, largest int64, t tables) error {
	for o := range l.Out {
		most := int64(t.bias[o])
		most = max(most, -most)
		for _, list := range t.levels {
			if len(list) > 0 {
				most += max(int64(list[o]), -int64(list[o]))
			}
		}
		for i := o; i < l.weights(); i += l.Out {
			w := int64(t.weights[i])
			most += largest * max(w, -w)
		}
		if most > math.MaxInt32 {
			return fmt.Errorf("its weights make sums of more than 32 bits")
		}
		if !(math.Abs(float64(t.positive[o])) < 1) || len(t.negative) > 0 && !(math.Abs(float64(t.negative[o])) < 1) {
			return fmt.Errorf("its outputs are multiplied by 1 or more")
		}
	}
	return nil
}

// filter returns l, the first layer in the tables, as a filter of the kernels. Channels that pad the layer to whole
// vectors have weights of 0 and outputs of 0. The inputs of the network's first layer are not padded.
func (p params) filter(l *Layer, t tables) kernel.Filter {
	step := p.width()
	if l.first {
		step = l.In
	}
	f := kernel.NewFilter(l.Side, l.Side*step, step, l.Out)
	p.setBias(f, l, t)
	copy(f.PositiveScale, t.positive[:l.Out])
	copy(f.NegativeScale, t.negative[:l.Out])
	for dy := range l.Side {
		for dx := range l.Side {
			for i := range l.In {
				for o, w := range t.weights[((dy*l.Side+dx)*l.In+i)*l.Out:][:l.Out] {
					f.SetWeight(dy, dx*step+i, o, w)
				}
			}
		}
	}
	return *f
}

// setBias sets the biases of f for l, the first layer in the tables: t.bias plus each level of p times its t.levels.
func (p params) setBias(f *kernel.Filter, l *Layer, t tables) {
	copy(f.Bias, t.bias[:l.Out])
	for k, level := range p.levels() {
		if level == 0 {
			continue
		}
		steps := int64(math.Round(level * levelSteps))
		for o, v := range t.levels[k][:l.Out] {
			f.Bias[o] += int32(int64(v) * steps / levelSteps)
		}
	}
}

// levelSteps is the number of equal steps to which levels between 0 and 1 are rounded.
const levelSteps = 1 << 12

// lastFilter returns l, the last layer, as a filter of the kernels with separate outputs for each column of taps: what
// a sample contributes to the residual of its right neighbour, to its own residual, and to the residual of its left
// neighbour. kernel.AddPixels sums the three. The few outputs of the layer alone would leave most of a vector empty.
func (p params) lastFilter(l *Layer, t tables) kernel.Filter {
	f := kernel.NewFilter(l.Side, p.width(), p.width(), l.Side*l.Out)
	copy(f.Bias[l.Side/2*l.Out:], t.bias)
	for dx := range l.Side {
		copy(f.PositiveScale[dx*l.Out:], t.positive)
		for dy := range l.Side {
			for i := range l.In {
				for o, w := range t.weights[((dy*l.Side+dx)*l.In+i)*l.Out:][:l.Out] {
					f.SetWeight(dy, i, dx*l.Out+o, w)
				}
			}
		}
	}
	return *f
}

// loadNet returns the net with the parameters in text and the arrays a of a file, after checking all sizes and sums.
func loadNet(scale int, text json.RawMessage, a *stage.Arrays, colour bool) (n net, err error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return n, err
	}
	if p.Clip == 0 {
		return n, errors.New("its arrays are for activations of 14 bits, an older form; train the model again, or " +
			"use the superres of commit 57f912e, the last that reads it")
	}
	if err := p.check(scale); err != nil {
		return n, err
	}
	if p.Colour != colour {
		return n, fmt.Errorf("a network of colour in the place of one of brightness, or the other way round")
	}
	weights, outputs, padded := 0, 0, 0 // padded counts weights with their padding
	layers := p.layers(scale)
	for _, l := range layers {
		weights, outputs = weights+l.weights(), outputs+l.Out
		padded += l.Side * l.Side * kernel.PadTo(l.In, kernel.Lanes) * kernel.PadTo(l.Out, kernel.Lanes)
	}
	if err := a.Reserve(4 * int64(padded)); err != nil {
		return n, err
	}
	inner := outputs - layers[len(layers)-1].Out // outputs of all layers but the last
	t := tables{
		weights:  get[int16](a, "weights", weights, &err),
		bias:     get[int32](a, "bias", outputs, &err),
		positive: get[float32](a, "above", outputs, &err),
		negative: get[float32](a, "below", inner, &err),
		units:    get[float64](a, "units", p.Depth+1, &err),
	}
	for k, is := range p.architecture(scale).levels() {
		if is {
			t.levels[k] = get[int32](a, levelNames[k], inner, &err)
		}
	}
	if err != nil {
		return n, err
	}
	for i, u := range t.units {
		if !(u > 0) {
			return n, fmt.Errorf("layer %d has a unit of %g", i, u)
		}
	}
	return makeNet(scale, p, t)
}

// get returns the n numbers of an array of a file, or nil if *err is not nil. If get fails, it sets *err.
func get[T stage.Element](a *stage.Arrays, name string, n int, err *error) (list []T) {
	if *err == nil {
		list, *err = stage.Get[T](a, name, 1, n)
	}
	return list
}

// Kind implements stage.Stage and stage.Colour, as do Save, Reach and Memory.
func (n *net) Kind() string { return kind }

// Save puts the arrays of n into a and returns the parameters, which are written as JSON.
func (n *net) Save(a *stage.Arrays) any {
	stage.Put(a, "weights", 1, n.tables.weights)
	stage.Put(a, "bias", 1, n.tables.bias)
	stage.Put(a, "above", 1, n.tables.positive)
	stage.Put(a, "below", 1, n.tables.negative)
	stage.Put(a, "units", 1, n.tables.units)
	for k, is := range n.params.architecture(n.scale).levels() {
		if is {
			stage.Put(a, levelNames[k], 1, n.tables.levels[k])
		}
	}
	return n.params
}

// Scale returns the factor by which the net enlarges.
func (n *net) Scale() int { return n.scale }

// Fingerprint returns a hash of all numbers of the net: nets with the same fingerprint give the same residuals. It
// leaves out the numbers for trust in a net that knows none, so that older nets keep their fingerprints.
func (n *net) Fingerprint() [sha256.Size]byte {
	t := n.tables
	all := []any{n.scale, n.params, t.weights, t.bias, t.positive, t.negative, t.levels[Strength], t.units}
	if n.params.Trusting {
		all = append(all, t.levels[Trust])
	}
	data, err := json.Marshal(all)
	if err != nil {
		panic(err) // cannot be: all values are finite numbers
	}
	return sha256.Sum256(data)
}

// Reach returns Architecture.Reach of the network.
func (n *net) Reach() int { return n.params.architecture(n.scale).Reach() }

// tuned returns p with the levels of t that are inputs of the network. A level of 0 leaves p's level as it is.
func (p params) tuned(t stage.Tuning) params {
	if p.Graded && t.Strength != 0 {
		p.Strength = t.Strength
	}
	if p.Trusting && t.Trust != 0 {
		p.Trust = t.Trust
	}
	return p
}

// tune returns the net tuned to the levels of t, and whether it differs from n. The two share all memory but biases.
func (n *net) tune(t stage.Tuning) (tuned net, changed bool, err error) {
	tuned = *n
	if tuned.params = n.params.tuned(t); tuned.params == n.params {
		return tuned, false, nil
	}
	if err := tuned.params.check(n.scale); err != nil {
		return tuned, false, usage.Errorf("convolutional: %v", err)
	}
	tuned.filters = slices.Clone(n.filters)
	at := n.tables
	for i, l := range n.params.layers(n.scale)[:n.params.Depth+1] { // the last has no levels
		f := &tuned.filters[i]
		f.Bias = make([]int32, f.Outputs)
		tuned.params.setBias(f, &l, at)
		at = at.after(&l)
	}
	return tuned, true, nil
}

// Settings implements stage.Tunable: it returns the settings that are inputs of the net.
func (n *net) Settings() (all stage.Settings) {
	if n.params.Graded {
		all |= stage.Graded
	}
	if n.params.Trusting {
		all |= stage.Trusting
	}
	return all
}
