package convolutional

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"superres/internal/kernel"
)

// A sample y of brightness is taken as round(white·y) − grey: of 8 bits that is exact, and of
// 16 it loses nothing that shows. Colour, which is below zero as well, is taken as
// round(white·c).
const (
	white = 255 * 256
	grey  = white / 2
)

// Rounding works like this. An activation v of a layer is the integer round(a·v), with one a
// for the layer, so that f and h can be added as they are: theirs is the same. The kernels
// limit it to kernel.Clip. A weight w to output o is round(g·w), with one g for each
// output, as large as it can be without a sum ever overflowing, whatever the activations are:
//
//	|bias| + |level| + largest·Σ|weight| ≤ most, largest what comes in at most, level what a
//	level of 1 adds to the bias, and most 2³¹ − 1, or in the chain kernel.MaxWinogradSum,
//
// and there also without weights that kernel.Filter.PrepareWinograd refuses. The sum is then a·g times
// what it stands for. For weights as they are learned that leaves them 10 or 11 bits.

// largest is the magnitude of what a layer is given at most: samples, what the kernels make,
// or the sum of two of that.
func (p params) largest(layer int) int64 {
	switch layer {
	case 0:
		return white - grey
	case p.Depth + 1:
		return 2 * kernel.Clip
	}
	return kernel.Clip
}

// chained tells whether a layer is one of the chain.
func (p params) chained(layer int) bool { return layer > 0 && layer <= p.Depth }

// newNet rounds a network to integers. It fails when they cannot stand for it.
func newNet(n *Network) (net, error) {
	p := params{Limit: kernel.Clip, Channels: n.Channels, Depth: n.Depth, Colour: n.Colour, Leveled: n.Strength}
	if err := p.check(n.Scale); err != nil {
		return net{}, fmt.Errorf("convolutional: %w", err)
	}
	if !n.isWhole() {
		return net{}, errors.New("convolutional: the layers of the network are not those of its architecture")
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

// quantise rounds a network of three layers or more. Activations are as large as those of
// the patterns at most; what is larger still is limited to that.
func quantise(n *Network, p params) (t tables, err error) {
	last := len(n.Layers) - 1
	drawn := n.patterns()
	most := n.magnitudes(drawn)
	if p.Leveled {
		for i, v := range n.atStrength(1).magnitudes(drawn) {
			most[i] = max(most[i], v)
		}
	}
	unit := func(most float64) float64 {
		if most == 0 {
			return 1
		}
		return kernel.Clip / most
	}
	in := float64(white)
	for i, l := range n.Layers {
		out := 1.0
		if i < last {
			out = unit(most[i])
			t.units = append(t.units, out)
		}
		for o := range l.Out {
			if err := t.add(&l, o, p.chained(i), float64(p.largest(i)), in, out); err != nil {
				return t, fmt.Errorf("convolutional: layer %d, channel %d: %w", i, o, err)
			}
		}
		t.weights = append(t.weights, l.rounded(t.gains[len(t.gains)-l.Out:])...)
		in = out
	}
	return t, nil
}

// add appends what belongs to an output of a layer: its bias and scales. One unit of what
// comes in, largest at most, is 1/in, of what goes out 1/out.
func (t *tables) add(l *Layer, o int, chained bool, largest, in, out float64) error {
	var sum, most, all float64 // sum of what brightness is multiplied by
	terms := 0
	for i := o; i < len(l.Weight); i += l.Out {
		w := float64(l.Weight[i])
		most, all = max(most, math.Abs(w)), all+math.Abs(w)
		if l.isBrightness(i) {
			sum += w
		}
		terms++
	}
	bias := float64(l.Bias[o]) + sum*grey/white
	level, rounding := 0.0, largest*float64(terms)/2+1
	if l.Strength != nil {
		level = float64(l.Strength[o])
		rounding++
	}
	gain, offset, limit := 1.0, math.Abs(bias)+math.Abs(level), float64(math.MaxInt32)
	if chained {
		limit, most = kernel.MaxWinogradSum, max(most, l.turned(o)*(1+1e-3))
	}
	if all > 0 || offset > 0 {
		gain = (limit - rounding) / (largest*all + offset*in)
	}
	if most > 0 {
		gain = min(gain, math.MaxInt16/most)
	}
	above := out / (gain * in)
	if all == 0 && offset == 0 {
		above = 0
	}
	t.gains = append(t.gains, gain)
	t.bias = append(t.bias, int32(math.Round(bias*gain*in)))
	if l.Strength != nil {
		t.level = append(t.level, int32(math.Round(level*gain*in)))
	}
	t.above = append(t.above, float32(above))
	if l.Slope != nil {
		t.below = append(t.below, float32(above*float64(l.Slope[o])))
		if !(math.Abs(float64(t.below[len(t.below)-1])) < 1) {
			return fmt.Errorf("a slope of %g", l.Slope[o])
		}
	}
	if !(above >= 0 && above < 1) || math.IsInf(gain, 0) || math.IsNaN(gain) {
		return fmt.Errorf("weights of magnitude %g", all)
	}
	return nil
}

// turned is the largest of the weights to an output as they are turned.
func (l *Layer) turned(o int) (most float64) {
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

// Network returns the network that it was rounded from, within that rounding.
func (n *net) Network() *Network {
	made := NewNetwork(n.params.architecture(n.scale))
	t, in := n.tables, float64(white)
	for i := range made.Layers {
		l := &made.Layers[i]
		out := 1.0
		if i < len(t.units) {
			out = t.units[i]
		}
		sums := make([]float64, l.Out) // of the weights to an output
		for j, w := range t.weights[:len(l.Weight)] {
			if o := j % l.Out; t.above[o] != 0 {
				weight := float64(w) * float64(t.above[o]) * in / out
				l.Weight[j] = float32(weight)
				if l.isBrightness(j) {
					sums[o] += weight
				}
			}
		}
		for o := range l.Out {
			l.Bias[o] = float32(float64(t.bias[o])*float64(t.above[o])/out) - float32(sums[o]*grey/white)
			if l.Strength != nil {
				l.Strength[o] = float32(float64(t.level[o]) * float64(t.above[o]) / out)
			}
			if l.Slope != nil && t.above[o] != 0 {
				l.Slope[o] = t.below[o] / t.above[o]
			}
		}
		if l.Slope != nil {
			t = t.after(l)
		}
		in = out
	}
	return made
}

// rounded returns the weights times the gains of their outputs.
func (l *Layer) rounded(gains []float64) []int16 {
	list := make([]int16, len(l.Weight))
	for i, w := range l.Weight {
		list[i] = int16(math.Round(float64(w) * gains[i%l.Out]))
	}
	return list
}

// magnitudes returns the largest activation of every layer but the last on squares of what
// goes in. For the first and the last but one it is that of both.
func (n *Network) magnitudes(squares [][]float32) []float64 {
	last := len(n.Layers) - 1
	most := make([]float64, last)
	for _, x := range squares {
		w := int(math.Sqrt(float64(len(x) / n.Layers[0].In)))
		h := w
		for i := range last {
			if w < n.Layers[i].Side || h < n.Layers[i].Side {
				break
			}
			x, w, h = n.Layers[i].Apply(x, w, h)
			for _, v := range x {
				most[i] = max(most[i], math.Abs(float64(v)))
			}
		}
	}
	most[0] = max(most[0], most[last-1])
	most[last-1] = most[0]
	return most
}

// patterns are squares of what excites a network most: grain, lines, edges and gratings of
// full contrast. Photographs reach a third to a tenth of that.
func (n *Network) patterns() (list [][]float32) {
	const inner = 20
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
		func(x, y float64) float32 { return bit(math.Sin(math.Hypot(x-half, y-half)*(0.3+x/60)) > 0) },
		func(x, y float64) float32 { return bit(math.Sin((x*x+3*y)/25) > 0.8) },
		func(x, y float64) float32 { return bit(int(x/3)%5*int(y/4)%3 == 0) },
	} {
		square := make([]float32, 0, side*side*n.Layers[0].In)
		for i := range side * side {
			x, y := float64(i%side), float64(i/side)
			if !n.Colour {
				square = append(square, f(x, y))
				continue
			}
			// Colour as far from grey as it can be, and the pixels of a sample.
			square = append(square, greatestRed*(2*f(x, y)-1), greatestBlue*(1-2*f(x, y)))
			for k := range n.Scale * n.Scale {
				square = append(square, f(x+float64(k%n.Scale)/float64(n.Scale), y+float64(k/n.Scale)/float64(n.Scale)))
			}
		}
		list = append(list, square)
	}
	return list
}
