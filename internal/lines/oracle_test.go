package lines

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
)

// sample returns value c of the sample in row y and column x, 0 beyond the edges.
func sample(r *Rows, y, x, c int) float64 {
	if y < 0 || y >= r.H || x < 0 || x >= r.W {
		return 0
	}
	if r.Floats {
		return float64(r.FloatRow(y)[x*r.Step+c])
	}
	return float64(r.Row(y)[x*r.Step+c])
}

// randomRows returns a picture of random values, integers of up to most in magnitude, many of them extreme, or float32
// of up to 1.
func randomRows(rng *rand.Rand, s Size, most int) *Rows {
	r := NewRows(s)
	for y := range s.H {
		for i := range s.W * s.Step {
			if s.Floats {
				r.FloatRow(y)[i] = 2*rng.Float32() - 1
				continue
			}
			v := rng.IntN(2*most+1) - most
			switch rng.IntN(8) {
			case 0:
				v = most
			case 1:
				v = -most
			}
			r.Row(y)[i] = int16(v)
		}
	}
	return r
}

// check compares what op makes of in, by all tiers of the kernels, with want, which returns value c of the sample in
// row y and column x. Values may differ by tolerance.
func check(t *testing.T, what string, op Op, tolerance float64, want func(y, x, c int) float64, in ...*Rows) {
	t.Helper()
	for tier := range kernel.Tiers() {
		restore := kernel.Use(tier)
		got := must.Get(Compute(t.Context(), op, in...))(t)
		restore()
		for y := range got.H {
			for x := range got.W {
				for c := range got.Step {
					v, w := sample(got, y, x, c), want(y, x, c)
					if !(math.Abs(v-w) <= tolerance) {
						t.Fatalf("tier %d, %s, %T of %+v: value %d of (%d, %d) is %v, expected %v", tier, what, op,
							in[0].Size, c, x, y, v, w)
					}
				}
			}
		}
	}
}

// taps are the weights of a convolution: of output o for channel c of the input, at row y and column x of the taps.
type taps struct {
	outputs, channels, height, width, dilation int
	weights                                    []int16
}

func (k *taps) at(o, c, y, x int) int64 {
	return int64(k.weights[((o*k.channels+c)*k.height+y)*k.width+x])
}

// randomTaps returns taps with which sums of samples of up to most fit the given number of bits.
func randomTaps(rng *rand.Rand, outputs, channels, height, width, dilation, most, bits int) *taps {
	k := &taps{outputs: outputs, channels: channels, height: height, width: width, dilation: dilation}
	per := channels * height * width
	limit := min(1<<bits/2/most/per, math.MaxInt16/9)
	for range outputs * per {
		k.weights = append(k.weights, int16(rng.IntN(2*limit+1)-limit))
	}
	return k
}

// filter returns the taps as a filter for samples of step values, with random biases and scales.
func (k *taps) filter(rng *rand.Rand, step int) *kernel.Filter {
	f := &kernel.Filter{Rows: k.height, Words: (((k.width-1)*k.dilation+1)*step + 1) / 2, Step: step}
	k.scale(rng, f, kernel.PadTo(k.outputs, kernel.Lanes), k.channels)
	f.Weights = make([]int32, f.Rows*f.Words*f.Outputs)
	for o := range k.outputs {
		for c := range k.channels {
			for y := range k.height {
				for x := range k.width {
					entry := x*k.dilation*step + c
					at := ((o/kernel.Lanes*f.Rows+y)*f.Words+entry/2)*kernel.Lanes + o%kernel.Lanes
					f.Weights[at] |= int32(uint16(k.at(o, c, y, x))) << (entry % 2 * 16)
				}
			}
		}
	}
	return f
}

// depthwise returns the taps, of one channel in, as a filter of each channel by itself.
func (k *taps) depthwise(rng *rand.Rand) *kernel.Filter {
	f := &kernel.Filter{Rows: k.height, Words: (k.width-1)*k.dilation + 1, Step: k.outputs}
	k.scale(rng, f, k.outputs, 1)
	f.Weights = make([]int32, f.Rows*f.Words*f.Outputs)
	for o := range k.outputs {
		for y := range k.height {
			for x := range k.width {
				at := ((o/kernel.Lanes*f.Rows+y)*f.Words+x*k.dilation)*kernel.Lanes + o%kernel.Lanes
				f.Weights[at] = int32(k.at(o, 0, y, x))
			}
		}
	}
	return f
}

// scale sets the biases and scales of f at random, so that some of the results are clipped.
func (k *taps) scale(rng *rand.Rand, f *kernel.Filter, outputs, channels int) {
	f.Outputs, f.Clip = outputs, 30_000
	f.Bias = make([]int32, outputs)
	f.PositiveScale, f.NegativeScale = make([]float32, outputs), make([]float32, outputs)
	for o := range k.outputs {
		f.Bias[o] = int32(rng.IntN(1<<25) - 1<<24)
		f.PositiveScale[o] = rng.Float32() / (1 << 10)
		f.NegativeScale[o] = (rng.Float32() - 0.3) / (1 << 10)
	}
}

// sum returns the exact sum of output o at row y and column x.
func (k *taps) sum(in *Rows, f *kernel.Filter, pad Edges, isDepthwise bool, o, y, x int) int64 {
	if o >= k.outputs {
		return 0
	}
	sum := int64(f.Bias[o])
	for c := range k.channels {
		from := c
		if isDepthwise {
			from = o
		}
		for j := range k.height {
			for i := range k.width {
				v := sample(in, y-pad.Top+j*k.dilation, x-pad.Left+i*k.dilation, from)
				sum += int64(v) * k.at(o, c, j, i)
			}
		}
	}
	return sum
}

// activate returns the sum of output o as an integer: scaled, rounded and clipped.
func activate(f *kernel.Filter, o int, sum int64) float64 {
	by := f.PositiveScale[o]
	if sum < 0 {
		by = f.NegativeScale[o]
	}
	return min(max(math.RoundToEven(float64(float32(sum)*by)), -float64(f.Clip)), float64(f.Clip))
}

// randomConv returns a convolution, or nil if it would not suit pictures of the given size, and its taps.
func randomConv(rng *rand.Rand, in Size, isWide, isDepthwise bool) (*Conv, *taps) {
	side := 1 + 2*rng.IntN(4)
	height, width, dilation := side, side, 1
	if rng.IntN(3) == 0 {
		height, width, dilation = 1+rng.IntN(3), 1+rng.IntN(4), 1+rng.IntN(3)
	}
	c := &Conv{Dilation: dilation, Columns: (width-1)*dilation + 1, Pad: Edges{side / 2, side / 2, side / 2, side / 2}}
	if rng.IntN(3) == 0 {
		c.Pad = Edges{rng.IntN(4), rng.IntN(4), rng.IntN(4), rng.IntN(4)}
	}
	most, bits := kernel.Clip, 29
	if isWide {
		most, bits = kernel.WideTileInput, 29
	}
	var k *taps
	if isDepthwise {
		k = randomTaps(rng, in.Step, 1, height, width, dilation, math.MaxInt16, 30)
		c.Filter = k.depthwise(rng)
	} else {
		k = randomTaps(rng, 5+rng.IntN(30), in.Step, height, width, dilation, most, bits)
		c.Filter = k.filter(rng, in.Step)
		c.Filter.IsWide = isWide
		c.Filter.PrepareWinograd()
	}
	if s := c.Size([]Size{in}); s.W < 1 || s.H < 1 {
		return nil, nil
	}
	return c, k
}

// describe tells the numbers of a convolution.
func (c *Conv) describe() string {
	return fmt.Sprintf("%d×%d taps, %d apart, %d to %d values, padded by %v", c.Filter.Rows, c.Columns, c.Dilation,
		c.Filter.Step, c.Filter.Outputs, c.Pad)
}
