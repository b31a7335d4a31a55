package convolutional

import "slices"

// Architecture is the size of a [Network] and what goes into it.
type Architecture struct {
	// Scale is what the network enlarges by, 2 to 4.
	Scale int
	// Channels is the number of channels C of every layer but the last.
	Channels int
	// Depth is the number of layers M between the first and the last.
	Depth int
	// Colour tells that the network enlarges colour rather than brightness.
	Colour bool
	// Strength tells that the network is given an estimated strength of degradation.
	Strength bool
}

// Network is the network in float32: training changes it, and [NewStage] rounds it to the integers of a stage.
// With Y the low-resolution brightness, C channels, M layers in the chain and scale s,
//
//	f   = φ₀(W₀ ∗ Y + b₀)               5×5, 1 → C
//	h   = φᵢ(Wᵢ ∗ h + bᵢ), h₀ = f        3×3, C → C, i = 1..M
//	out = W_L ∗ (h_M + f) + b_L          3×3, C → s²; shuffled into s×s pixels
//
// out is the residual that is added to the bicubic enlargement. φ(v) is v above zero and slope·v
// below, with one slope a channel (PReLU). A network that is given the strength l, 0..1, of the
// picture's degradation has bᵢ + l·vᵢ instead of bᵢ in all layers but the last, which moves the
// thresholds of φ: a second input that is l everywhere would do the same, in every layer.
//
// The picture is extended by the reach of the network, its edge samples repeated, before the
// first layer; the layers themselves are not padded. The network of [Colour] differs in its first
// layer and in the number of outputs.
type Network struct {
	Architecture
	// Layers are the first layer, the chain and the last layer: Depth+2.
	Layers []Layer
}

// Layer is one convolution of Side×Side taps with In inputs and Out outputs.
type Layer struct {
	Side, In, Out int
	// Weight has the weight of tap t = dy·Side+dx from input i to output o at (t·In + i)·Out + o.
	Weight []float32
	// Bias has one entry an output.
	Bias []float32
	// Slope has one entry an output; nil: the sums come out as they are.
	Slope []float32
	// Strength has what a strength of 1 adds to each Bias; nil: the layer is given none.
	Strength []float32

	first bool
}

// NewNetwork returns a network whose weights are 0 and slopes 0.2. A strength changes nothing in it.
func NewNetwork(a Architecture) *Network {
	n := &Network{Architecture: a, Layers: a.layers()}
	for i := range n.Layers {
		l := &n.Layers[i]
		l.Weight, l.Bias = make([]float32, l.weights()), make([]float32, l.Out)
		if i == len(n.Layers)-1 {
			break
		}
		l.Slope = slices.Repeat([]float32{0.2}, l.Out)
		if a.Strength {
			l.Strength = make([]float32, l.Out)
		}
	}
	return n
}

// isWhole tells whether the layers have the sizes that the architecture asks for.
func (n *Network) isWhole() bool {
	want := NewNetwork(n.Architecture).Layers
	return slices.EqualFunc(n.Layers, want, func(l, w Layer) bool {
		return l.Side == w.Side && l.In == w.In && l.Out == w.Out && l.first == w.first &&
			len(l.Weight) == len(w.Weight) &&
			len(l.Bias) == len(w.Bias) && len(l.Slope) == len(w.Slope) && len(l.Strength) == len(w.Strength)
	})
}

// firstSide is the number of taps across the first layer of a network of brightness.
const firstSide = 5

// layers returns the layers of the network, without parameters.
func (a Architecture) layers() []Layer {
	first, outputs := Layer{Side: firstSide, In: 1, Out: a.Channels, first: true}, a.Scale*a.Scale
	if a.Colour {
		first.Side, first.In, outputs = 3, colours+a.Scale*a.Scale, colours*a.Scale*a.Scale
	}
	list := []Layer{first}
	for range a.Depth {
		list = append(list, Layer{Side: 3, In: a.Channels, Out: a.Channels})
	}
	return append(list, Layer{Side: 3, In: a.Channels, Out: outputs})
}

// weights returns the number of weights of the layer.
func (l *Layer) weights() int { return l.Side * l.Side * l.In * l.Out }

// isBrightness tells whether a weight is one of an input that is brightness: its integers are
// 0 at grey, not at black.
func (l *Layer) isBrightness(weight int) bool {
	return l.first && (l.In == 1 || weight/l.Out%l.In >= colours)
}

// atStrength returns the network at a strength as one that is given none.
func (n *Network) atStrength(strength float32) *Network {
	out := *n
	out.Strength = false
	out.Layers = slices.Clone(n.Layers)
	for i := range out.Layers {
		l := &out.Layers[i]
		if l.Strength != nil {
			l.Bias = slices.Clone(l.Bias)
			for o, v := range l.Strength {
				l.Bias[o] += strength * v
			}
			l.Strength = nil
		}
	}
	return &out
}

// Reach returns the number of rows above and below a row of low resolution that its residual depends on.
func (a Architecture) Reach() int {
	reach := 0
	for _, l := range a.layers() {
		reach += l.Side / 2
	}
	return reach
}

// Apply convolves w×h samples of In channels where the taps fit, and returns the samples of Out
// channels that come out, their width and their height. It is written for clarity: the kernels
// and the integers are compared with it.
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
