package convolutional

import (
	"cmp"
	"fmt"
	"slices"
)

// Architecture is the size of a [Network] and the kind of its inputs.
type Architecture struct {
	// Scale is the factor by which the network enlarges, 2 to 4.
	Scale int
	// Channels is the number of channels C of every layer but the last.
	Channels int
	// Depth is the number of layers M between the first and the last.
	Depth int
	// Skip is the number n of layers that a skip connection spans: the output of layer i−n is added to the output of
	// layer i of the chain if n divides i. n divides Depth; 0 stands for Depth.
	Skip int
	// Colour is true for a network that enlarges colour, false for one that enlarges brightness.
	Colour bool
	// SeesColour is true for a network for brightness that looks at the colour of the picture, too.
	SeesColour bool
	// Strength is true if the estimated strength of degradation is an input of the network.
	Strength bool
	// Trust is true if the likelihood of a clean reduction is an input, too: see stage.Tuning.
	Trust bool
}

// The levels, 0 to 1, that can be inputs of a network: see stage.Tuning. They are indices of Layer.Levels.
const (
	Strength = iota
	Trust
	LevelCount
)

// levels reports which levels are inputs.
func (a Architecture) levels() [LevelCount]bool {
	return [...]bool{Strength: a.Strength, Trust: a.Trust}
}

// Every returns Skip, or Depth if Skip is 0.
func (a Architecture) Every() int { return cmp.Or(a.Skip, a.Depth) }

// String describes a: the scale, the numbers of channels and of layers in the chain, and all unusual settings.
func (a Architecture) String() string {
	text := fmt.Sprintf("×%d, %d channels, %d layers", a.Scale, a.Channels, a.Depth)
	if a.Every() < a.Depth {
		text += fmt.Sprintf(", a skip every %d", a.Skip)
	}
	for _, option := range []struct {
		is   bool
		name string
	}{
		{a.Colour, "of colour"}, {a.SeesColour, "sees colour"},
		{a.Strength, "knows strength"}, {a.Trust, "knows trust"},
	} {
		if option.is {
			text += ", " + option.name
		}
	}
	return text
}

// Network is a network in float32. Training changes it, and [NewStage] rounds it to integers. With the
// low-resolution brightness Y, C channels, M layers in the chain, a skip every n layers, and scale s,
//
//	f   = φ₀(W₀ ∗ Y + b₀)               5×5, 1 → C
//	hᵢ  = φᵢ(Wᵢ ∗ hᵢ₋₁ + bᵢ), h₀ = f      3×3, C → C, i = 1..M; plus hᵢ₋ₙ if n divides i
//	out = W_L ∗ h_M + b_L                3×3, C → s²; shuffled into s×s pixels
//
// out is the residual that is added to the bicubic enlargement. φ is the identity for positive values and multiplies
// negative values by a slope, one per channel (PReLU). If the strength l of the picture's degradation, 0..1, is an
// input, all layers but the last use bᵢ + l·vᵢ as their bias, which moves the thresholds of φ. That is equivalent to a
// further input channel with all samples l. Trust is an input in the same way.
//
// A network that sees colour has ½(R−Y), ½(B−Y) and Y as its inputs; the first two are 0 for a grey picture. Where
// colours change, they show the position of an edge more exactly than brightness does.
//
// Before the first layer the picture is extended on each side by the reach of the network, with its edge samples
// repeated; the layers themselves are not padded. The network of [Colour] has another first layer and more outputs.
type Network struct {
	Architecture
	// Layers are the first layer, the chain of Depth layers, and the last layer.
	Layers []Layer
}

// Layer is one convolution of Side×Side taps with In input and Out output channels.
type Layer struct {
	Side, In, Out int
	// Weight holds the weight of tap t = dy·Side+dx from input i to output o at index (t·In + i)·Out + o.
	Weight []float32
	// Bias has one value per output.
	Bias []float32
	// Slope has one value per output, the factor of negative sums; nil: the layer has no activation.
	Slope []float32
	// Levels holds, for each level and output, the number that a level of 1 adds to Bias; nil: the level is no input.
	Levels [LevelCount][]float32

	first bool // this is the first layer, with the picture as its input
}

// NewNetwork returns a new network with weights, biases and levels of 0 and slopes of 0.2.
func NewNetwork(a Architecture) *Network {
	n := &Network{Architecture: a, Layers: a.layers()}
	for i := range n.Layers {
		l := &n.Layers[i]
		l.Weight, l.Bias = make([]float32, l.weights()), make([]float32, l.Out)
		if i == len(n.Layers)-1 {
			break
		}
		l.Slope = slices.Repeat([]float32{0.2}, l.Out)
		for k, is := range a.levels() {
			if is {
				l.Levels[k] = make([]float32, l.Out)
			}
		}
	}
	return n
}

// isWhole reports whether all layers have the sizes that n.Architecture asks for.
func (n *Network) isWhole() bool {
	want := NewNetwork(n.Architecture).Layers
	return slices.EqualFunc(n.Layers, want, func(l, w Layer) bool {
		return l.Side == w.Side && l.In == w.In && l.Out == w.Out && l.first == w.first &&
			len(l.Weight) == len(w.Weight) && len(l.Bias) == len(w.Bias) && len(l.Slope) == len(w.Slope) &&
			slices.EqualFunc(l.Levels[:], w.Levels[:], func(a, b []float32) bool { return len(a) == len(b) })
	})
}

// firstSide is the number of rows, and of columns, of taps in the first layer of a network for brightness.
const firstSide = 5

// layers returns the layers of a network of this architecture with their sizes set and all slices nil.
func (a Architecture) layers() []Layer {
	first, outputs := Layer{Side: firstSide, In: 1, Out: a.Channels, first: true}, a.Scale*a.Scale
	if a.SeesColour {
		first.In = colours + 1
	}
	if a.Colour { // sees the s² enlarged pixels of brightness beside both colour differences: see [Colour]
		first.Side, first.In, outputs = 3, colours+a.Scale*a.Scale, colours*a.Scale*a.Scale
	}
	list := []Layer{first}
	for range a.Depth {
		list = append(list, Layer{Side: 3, In: a.Channels, Out: a.Channels})
	}
	return append(list, Layer{Side: 3, In: a.Channels, Out: outputs})
}

// weights returns the number of weights in the layer.
func (l *Layer) weights() int { return l.Side * l.Side * l.In * l.Out }

// isBrightness reports whether the weight with the given index multiplies a brightness. That has an integer of 0 at
// mid-grey, not at black. Colour differences are the first inputs.
func (l *Layer) isBrightness(weight int) bool {
	return l.first && (l.In == 1 || weight/l.Out%l.In >= colours)
}

// at returns a network without inputs for levels that computes what n does at these levels, sharing weights and slopes.
func (n *Network) at(levels [LevelCount]float32) *Network {
	out := *n
	out.Strength, out.Trust = false, false
	out.Layers = slices.Clone(n.Layers)
	for i := range out.Layers {
		l := &out.Layers[i]
		l.Bias = slices.Clone(l.Bias)
		for k, list := range l.Levels {
			for o, v := range list {
				l.Bias[o] += float32(levels[k] * v)
			}
			l.Levels[k] = nil
		}
	}
	return &out
}

// Reach returns how many low-resolution rows above and below a row its residual depends on.
func (a Architecture) Reach() int {
	reach := 0
	for _, l := range a.layers() {
		reach += l.Side / 2
	}
	return reach
}

// Products returns the number of products (multiply-adds) for one low-resolution pixel: the number of all weights.
func (a Architecture) Products() (n int64) {
	for _, l := range a.layers() {
		n += int64(l.weights())
	}
	return n
}

// Apply convolves x, w×h samples of In channels, at every position where all taps lie inside, and applies the slopes.
// It returns the samples of Out channels in new memory, and their width and height. It is written for clarity: the
// kernels and the networks in integers are tested against it.
func (l *Layer) Apply(x []float32, w, h int) ([]float32, int, int) {
	toW, toH := w-l.Side+1, h-l.Side+1
	out := make([]float32, toW*toH*l.Out)
	for y := range toH {
		for c := range toW {
			sum := out[(y*toW+c)*l.Out:][:l.Out]
			copy(sum, l.Bias)
			for t := range l.Side * l.Side {
				in := x[((y+t/l.Side)*w+c+t%l.Side)*l.In:][:l.In]
				for i, v := range in {
					for o, weight := range l.Weight[(t*l.In+i)*l.Out:][:l.Out] {
						sum[o] += v * weight
					}
				}
			}
			for o, v := range sum {
				if l.Slope != nil && v < 0 {
					sum[o] = v * l.Slope[o]
				}
			}
		}
	}
	return out, toW, toH
}
