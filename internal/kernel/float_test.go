package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Rounding once, against sums of any precision: of products and sums that nearly lie between two float32, subnormal
// ones, and of any magnitudes.
func TestFused(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() float32 {
		f := math.Float32frombits(rng.Uint32())
		switch rng.IntN(4) {
		case 0:
			return float32(rng.IntN(1<<12)) * 0x1p-6
		case 1:
			return float32(math.Ldexp(1+float64(rng.IntN(4))*0x1p-23, rng.IntN(60)-90))
		}
		return f
	}
	for range 100_000 {
		x, y, z := number(), number(), number()
		if rng.IntN(2) == 0 { // a sum about a number half of whose last place, or more, the product is
			z = float32(math.Ldexp(float64(x)*float64(y), 23+rng.IntN(4)))
		}
		if v := float64(x) + float64(y) + float64(z); math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		exact := new(big.Float).SetPrec(2000).Mul(big.NewFloat(float64(x)), big.NewFloat(float64(y)))
		exact.Add(exact, new(big.Float).SetFloat64(float64(z)))
		want, _ := exact.Float32()
		if got := fused(x, y, z); got != want {
			t.Fatalf("%g·%g + %g is %g, expected %g", x, y, z, got, want)
		}
	}
}

// Functions, against math's in float64.
func TestFunctions(t *testing.T) {
	logistic := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	soft := func(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
	inUlp := func(n float64) func(x, want float64) float64 {
		return func(_, want float64) float64 { return max(n*math.Abs(want)*0x1p-23, 1e-36) }
	}
	for f, c := range map[Function]struct {
		of    func(float64) float64
		error func(x, want float64) float64
	}{
		Exp: {math.Exp, inUlp(1)}, Sigmoid: {logistic, inUlp(2)}, Tanh: {math.Tanh, inUlp(2)},
		Erf:  {math.Erf, func(_, _ float64) float64 { return 1.2e-7 }},
		SiLU: {func(x float64) float64 { return x * logistic(x) }, inUlp(2)},
		GELU: {func(x float64) float64 { return x / 2 * math.Erfc(-x/math.Sqrt2) },
			func(x, _ float64) float64 { return 1.5e-7 * math.Abs(x) }},
		GELUTanh: {func(x float64) float64 { return x * logistic(2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)) },
			func(x, _ float64) float64 { return 2e-7 * math.Abs(x) }},
		Mish:     {func(x float64) float64 { return x * math.Tanh(soft(x)) }, inUlp(3)},
		ELU:      {func(x float64) float64 { return max(x, 0) + math.Expm1(min(x, 0)) }, inUlp(1)},
		Softplus: {soft, inUlp(2)},
		HardSwish: {func(x float64) float64 { return x * min(max(x/6+0.5, 0), 1) },
			func(x, _ float64) float64 { return 2e-7 * math.Abs(x) }},
		Abs: {math.Abs, inUlp(0)}, Square: {func(x float64) float64 { return x * x }, inUlp(0.5)},
		Sqrt: {math.Sqrt, inUlp(0.5)},
	} {
		worst, where := 0.0, float32(0)
		for i := range 100_000 {
			x := float32(i-50_000) * (86. / 50_000)
			if i%2 == 0 {
				x = float32(i-50_000) * (6. / 50_000)
			}
			if f == Sqrt {
				x = abs(x)
			}
			want := c.of(float64(x))
			allowed := c.error(float64(x), want)
			if e := math.Abs(float64(f.At(x))-want) / max(allowed, 1e-300); e > worst {
				worst, where = e, x
			}
		}
		t.Logf("%d: %.2f of the error at %g", f, worst, where)
		if worst > 1 {
			t.Errorf("function %d of %g is %g, expected %g: %.2f of the error", f, where, f.At(where),
				c.of(float64(where)), worst)
		}
		if v := f.At(float32(math.NaN())); v == v {
			t.Errorf("function %d of NaN is %g", f, v)
		}
	}
}

// directly returns a convolution in float64, and the sum of the magnitudes of its products, for one output.
func (t Taps) directly(src []float32, rows []int, step, dilation, column, output int) (sum, magnitude float64) {
	in, out := t.Inputs/t.Groups, t.Outputs/t.Groups
	if t.Bias != nil {
		sum = float64(t.Bias[output])
	}
	for y := range t.Height {
		for x := range t.Width {
			for i := range in {
				v := float64(src[rows[y]+(column+x*dilation)*step+output/out*in+i])
				product := v * float64(t.Weight[((output*in+i)*t.Height+y)*t.Width+x])
				sum, magnitude = sum+product, magnitude+math.Abs(product)
			}
		}
	}
	return sum, magnitude
}

// Filters of all kinds, against sums in float64.
func TestConvolveFloats(t *testing.T) {
	for _, c := range []struct {
		taps                         Taps
		step, dilation, stride, wide int
	}{
		{Taps{Outputs: 3, Inputs: 20, Groups: 1, Height: 3, Width: 3}, 32, 1, 1, 1},
		{Taps{Outputs: 20, Inputs: 16, Groups: 1, Height: 3, Width: 3}, 16, 1, 1, 103},
		{Taps{Outputs: 32, Inputs: 33, Groups: 1, Height: 3, Width: 3}, 48, 1, 1, 6},
		{Taps{Outputs: 20, Inputs: 3, Groups: 1, Height: 3, Width: 3}, 3, 1, 1, 9},
		{Taps{Outputs: 20, Inputs: 16, Groups: 1, Height: 3, Width: 3}, 16, 2, 1, 9},
		{Taps{Outputs: 17, Inputs: 20, Groups: 1, Height: 1, Width: 1}, 32, 1, 1, 7},
		{Taps{Outputs: 16, Inputs: 5, Groups: 1, Height: 3, Width: 2}, 16, 1, 2, 7},
		{Taps{Outputs: 40, Inputs: 20, Groups: 4, Height: 2, Width: 3}, 20, 1, 1, 7},
		{Taps{Outputs: 20, Inputs: 40, Groups: 10, Height: 1, Width: 3}, 48, 3, 1, 7},
		{Taps{Outputs: 37, Inputs: 37, Groups: 37, Height: 3, Width: 3}, 48, 1, 1, 7},
	} {
		taps := c.taps
		taps.Weight = random32(taps.Outputs*taps.Inputs/taps.Groups*taps.Height*taps.Width, 1)
		taps.Bias = random32(taps.Outputs, 2)
		f := NewFloatFilter(taps, c.step, c.dilation, c.stride)
		columns := (c.wide-1)*c.stride + (taps.Width-1)*c.dilation + 1
		line := columns*c.step + Lanes
		count := taps.Height + f.Together() - 1
		src := random32(count*line, 3)
		rows := make([]int, count)
		for j := range rows {
			rows[j] = (count - 1 - j) * line
		}
		f.Slope = random32(f.Outputs, 5)
		f.OutputStep, f.SkipStep = f.Outputs+16, f.Outputs+32
		for _, n := range []int{1, f.Together()} {
			to, skipTo := []int{1, 1 + c.wide*f.OutputStep, 1 + 2*c.wide*f.OutputStep, 1 + 3*c.wide*f.OutputStep}[:n],
				[]int{2, 9, 3, 5}[:n]
			skip := random32(c.wide*f.SkipStep+9, 4)
			eachTier(t, func(t *testing.T) {
				before := random32(n*c.wide*f.OutputStep+1, 6)
				dst := slices.Clone(before)
				ConvolveFloats(dst, to, src, rows, c.wide, f, skip, skipTo, &FloatWork{})
				for k := range n {
					for x := range c.wide {
						for o := range f.OutputStep {
							got, want, magnitude := dst[to[k]+x*f.OutputStep+o], 0., 0.
							if o >= f.Outputs {
								want = float64(before[to[k]+x*f.OutputStep+o])
							} else if o < taps.Outputs {
								want, magnitude = taps.directly(src, rows[k:], c.step, c.dilation, x*c.stride, o)
							}
							if o < f.Outputs {
								if want < 0 {
									want *= float64(f.Slope[o])
								}
								want += float64(skip[skipTo[k]+x*f.SkipStep+o])
							}
							if e := math.Abs(float64(got) - want); !(e <= 4e-6*(magnitude+1)) {
								t.Fatalf("%+v: row %d, column %d, output %d is %g, expected %g", c, k, x, o, got, want)
							}
						}
					}
				}
			})
		}
	}
}
