package convolutional

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"superres/internal/elementary"
	"superres/internal/kernel"
)

// A brightness y becomes the integer round(white·y) − grey, which is exact for 8 bits and loses nothing visible with 16
// bits. A colour difference c, −1..1, becomes round(white/2·c).
const (
	white = 255 * 256
	grey  = white / 2
)

// An activation v becomes the integer round(a·v), clipped to ±kernel.Clip, with a factor a for each layer. Layers whose
// outputs are added to each other have the same a, so that the integers can be added. The sums are clipped, too, except
// the last, which is no input of a layer in the chain. A weight w to output o becomes round(g·w), with a factor g for
// each output: the greatest with which no sum can overflow, for any activations:
//
//	|bias| + Σ|level| + largest·Σ|weight| ≤ limit.
//
// largest is the greatest magnitude of an input, level the number that a level of 1 adds to the bias, and limit is 2³¹
// − 1, in the chain kernel.MaxWinogradSum; there kernel.Filter.PrepareWinograd must accept the weights, too. An integer
// sum is then a·g times the real sum, with a from the layer before. The weights of trained networks get 10 or 11 bits.

// largest returns the greatest magnitude of an input of a layer: of a sample in the first layer, of the sum of two
// activations in the last, of an activation in the other layers.
func (p params) largest(layer int) int64 {
	switch layer {
	case 0:
		return white - grey
	case p.Depth + 1:
		return 2 * kernel.Clip
	}
	return kernel.Clip
}

// isChain reports whether a layer belongs to the chain between the first and the last.
func (p params) isChain(layer int) bool { return layer > 0 && layer <= p.Depth }

// every returns Architecture.Every of the network.
func (p params) every() int { return Architecture{Depth: p.Depth, Skip: p.Skip}.Every() }

// isSum reports whether the output of an earlier layer is added to the output of layer.
func (p params) isSum(layer int) bool { return p.isChain(layer) && layer%p.every() == 0 }

// newNet returns n rounded to integers. It fails if a number is not finite or too large, or a layer has a wrong size.
func newNet(n *Network) (net, error) {
	p := params{Clip: kernel.Clip, Channels: n.Channels, Depth: n.Depth, Skip: n.Skip, Colour: n.Colour,
		SeesColour: n.SeesColour, Graded: n.Strength, Trusting: n.Trust}
	if p.Skip == p.Depth { // which 0 stands for
		p.Skip = 0
	}
	if err := p.check(n.Scale); err != nil {
		return net{}, fmt.Errorf("convolutional: %w", err)
	}
	if !n.isWhole() {
		return net{}, errors.New("convolutional: the layers of the network do not fit its architecture")
	}
	t, err := quantise(n, p)
	if err != nil {
		return net{}, err
	}
	made, err := makeNet(n.Scale, p, t)
	if err != nil {
		return net{}, fmt.Errorf("convolutional: %w", err)
	}
	return made, nil
}

// quantise returns the tables of integers for n. In each layer the greatest activation that the test patterns cause,
// at levels of 0 and of 1, becomes kernel.Clip; greater activations in a picture are clipped.
func quantise(n *Network, p params) (t tables, err error) {
	last := len(n.Layers) - 1
	tests := n.patterns()
	most := n.magnitudes(tests)
	for _, at := range [][LevelCount]float32{{Strength: 1}, {Trust: 1}, {Strength: 1, Trust: 1}} {
		if at[Strength] > 0 && !p.Graded || at[Trust] > 0 && !p.Trusting {
			continue
		}
		for i, v := range n.at(at).magnitudes(tests) {
			most[i] = max(most[i], v)
		}
	}
	unit := func(most float64) float64 { // the factor a for a greatest activation
		if most == 0 {
			return 1
		}
		return kernel.Clip / most
	}
	in := float64(white)
	for i, l := range n.Layers {
		out := 1.0 // for the last layer, with real numbers as results
		if i < last {
			out = unit(most[i])
			t.units = append(t.units, out)
		}
		gains := make([]float64, l.Out)
		for o := range gains {
			if gains[o], err = t.add(&l, o, p.isChain(i), float64(p.largest(i)), in, out); err != nil {
				return t, fmt.Errorf("convolutional: layer %d, channel %d: %w", i, o, err)
			}
		}
		for k, w := range l.Weight {
			t.weights = append(t.weights, int16(math.Round(float64(w)*gains[k%l.Out])))
		}
		in = out
	}
	return t, nil
}

// add appends the bias and the factors of output o of layer l to t, and returns the gain g of its weights. An input
// integer of 1 stands for 1/in, an output integer of 1 for 1/out. Input integers are at most largest. isChain demands
// that Winograd's transform of the weights fits, too. add fails if a number is not finite, or a factor is 1 or more.
func (t *tables) add(l *Layer, o int, isChain bool, largest, in, out float64) (gain float64, err error) {
	var brightness, most, all float64 // sum of brightness weights, greatest magnitude, sum of magnitudes
	terms := 0
	for i := o; i < len(l.Weight); i += l.Out {
		w := float64(l.Weight[i])
		most, all = max(most, math.Abs(w)), all+math.Abs(w)
		if l.isBrightness(i) {
			brightness += w
		}
		terms++
	}
	bias := float64(l.Bias[o]) + brightness*grey/white // the integer for a brightness is 0 at mid-grey
	// rounding is the most that rounding of the weights, by ½ each, and of the bias adds to a sum.
	offset, rounding, limit := math.Abs(bias), largest*float64(terms)/2+1, float64(math.MaxInt32)
	for _, list := range l.Levels {
		if list != nil {
			offset += math.Abs(float64(list[o]))
			rounding++
		}
	}
	if isChain {
		limit, most = kernel.MaxWinogradSum, max(most, l.greatestTransformed(o)*(1+1e-3))
	}
	gain = 1 // of an output of zeros
	if all > 0 || offset > 0 {
		gain = (limit - rounding) / (largest*all + offset*in)
	}
	if most > 0 {
		gain = min(gain, math.MaxInt16/most)
	}
	scale := out / (gain * in)
	if all == 0 && offset == 0 {
		scale = 0
	}
	t.bias = append(t.bias, int32(math.Round(bias*gain*in)))
	for k, list := range l.Levels {
		if list != nil {
			t.levels[k] = append(t.levels[k], int32(math.Round(float64(list[o])*gain*in)))
		}
	}
	t.positive = append(t.positive, float32(scale))
	if l.Slope != nil {
		negative := float32(scale * float64(l.Slope[o]))
		if t.negative = append(t.negative, negative); !(math.Abs(float64(negative)) < 1) {
			return 0, fmt.Errorf("a slope of %g", l.Slope[o])
		}
	}
	if !(scale >= 0 && scale < 1) || math.IsInf(gain, 0) || math.IsNaN(gain) {
		return 0, fmt.Errorf("weights of magnitude %g", all)
	}
	return gain, nil
}

// greatestTransformed returns the greatest magnitude among the weights of output o after Winograd's filter transform.
func (l *Layer) greatestTransformed(o int) (most float64) {
	for i := range l.In {
		var taps [3][3]float64
		for y := range taps {
			for x := range taps[y] {
				taps[y][x] = float64(l.Weight[((y*3+x)*l.In+i)*l.Out+o])
			}
		}
		for _, w := range kernel.TransformTaps(taps) {
			most = max(most, math.Abs(w))
		}
	}
	return most
}

// Network returns a new network that rounds to n: the one that n was made from, except for the rounding. An integer sum
// times positive/out is the real sum, out being the layer's factor a. Outputs with a positive of 0 get weights of 0.
func (n *net) Network() *Network {
	made := NewNetwork(n.params.architecture(n.scale))
	t, in := n.tables, float64(white)
	for i := range made.Layers {
		l := &made.Layers[i]
		out := 1.0
		if i < len(t.units) {
			out = t.units[i]
		}
		sums := make([]float64, l.Out) // of brightness weights, per output: t.bias contains them times mid-grey
		for j, w := range t.weights[:len(l.Weight)] {
			if o := j % l.Out; t.positive[o] != 0 {
				weight := float64(w) * float64(t.positive[o]) * in / out
				l.Weight[j] = float32(weight)
				if l.isBrightness(j) {
					sums[o] += weight
				}
			}
		}
		for o := range l.Out {
			l.Bias[o] = float32(float64(t.bias[o])*float64(t.positive[o])/out) - float32(sums[o]*grey/white)
			for k, list := range l.Levels {
				if list != nil {
					list[o] = float32(float64(t.levels[k][o]) * float64(t.positive[o]) / out)
				}
			}
			if l.Slope != nil && t.positive[o] != 0 {
				l.Slope[o] = t.negative[o] / t.positive[o]
			}
		}
		if l.Slope != nil { // not the last
			t = t.after(l)
		}
		in = out
	}
	return made
}

// magnitudes returns the greatest activation in each layer but the last, for the given square inputs. For all layers
// whose outputs are added to each other, it is the greatest of all their outputs and sums but the last sum.
func (n *Network) magnitudes(inputs [][]float32) []float64 {
	last, every := len(n.Layers)-1, n.Every()
	most := make([]float64, last)
	greatest := func(i int, x []float32) {
		for _, v := range x {
			most[i] = max(most[i], math.Abs(float64(v)))
		}
	}
	for _, x := range inputs {
		w := int(math.Sqrt(float64(len(x) / n.Layers[0].In)))
		h := w
		var skipped []float32
		for i := range last {
			if w < n.Layers[i].Side || h < n.Layers[i].Side { // too few samples are left for a tap
				break
			}
			x, w, h = n.Layers[i].Apply(x, w, h)
			greatest(i, x)
			if i == last-1 || i%every > 0 {
				continue
			}
			if i > 0 {
				n.addSkipped(x, skipped, w, h)
				greatest(i, x)
			}
			skipped = slices.Clone(x)
		}
	}
	sums := 0.0 // the greatest of layers that are added
	for i := 0; i < last; i += every {
		sums = max(sums, most[i])
	}
	for i := 0; i < last; i += every {
		most[i] = sums
	}
	return most
}

// addSkipped adds to x, the w×h samples of a layer's output, the inner samples of skipped, the output n.Every()
// layers before. skipped has one sample more on each side for each of these layers.
func (n *Network) addSkipped(x, skipped []float32, w, h int) {
	by, c := n.Every(), n.Channels
	for y := range h {
		for k, v := range skipped[((y+by)*(w+2*by)+by)*c:][:w*c] {
			x[y*w*c+k] += v
		}
	}
}

// patterns returns square inputs that cause large activations: grain, lines, edges and gratings of full contrast.
// Photographs cause activations a tenth to a third as large.
func (n *Network) patterns() (list [][]float32) {
	const inner = 20 // the side of the result
	side := inner + 2*n.Reach()
	rng := rand.New(rand.NewPCG(1, 5))
	bit := func(b bool) float32 {
		if b {
			return 1
		}
		return 0
	}
	half := float64(side) / 2
	for _, f := range []func(x, y float64) float32{
		func(x, y float64) float32 { return bit(rng.IntN(2) == 0) },
		func(x, y float64) float32 {
			return bit(elementary.Sin(elementary.Hypot(x-half, y-half)*(0.3+x/60)) > 0)
		},
		func(x, y float64) float32 { return bit(elementary.Sin((x*x+3*y)/25) > 0.8) },
		func(x, y float64) float32 { return bit(int(x/3)%5*int(y/4)%3 == 0) },
	} {
		square := make([]float32, 0, side*side*n.Layers[0].In)
		for i := range side * side {
			x, y := float64(i%side), float64(i/side)
			if n.Colour || n.SeesColour { // extreme colours
				square = append(square, greatestRed*(2*f(x, y)-1), greatestBlue*(1-2*f(x, y)))
			}
			if !n.Colour {
				square = append(square, f(x, y))
				continue
			}
			// The brightness of the s² pixels that the sample covers.
			for k := range n.Scale * n.Scale {
				square = append(square, f(x+float64(k%n.Scale)/float64(n.Scale), y+float64(k/n.Scale)/float64(n.Scale)))
			}
		}
		list = append(list, square)
	}
	return list
}
