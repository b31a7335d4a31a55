package elementary

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// with returns f of x and y.
func with(f func(x, y float64) float64, y float64) func(float64) float64 {
	return func(x float64) float64 { return f(x, y) }
}

// The functions of math are right to an ulp or so on any processor, which is what they are compared with.
func TestFunctionsAreExact(t *testing.T) {
	for name, f := range map[string]struct {
		of, want  func(float64) float64
		low, high float64
		ulp, abs  float64 // either
	}{
		"Exp": {Exp, math.Exp, -700, 709, 2, 0}, "Exp near 0": {Exp, math.Exp, -1, 1, 2, 0},
		"Exp2": {Exp2, math.Exp2, -1000, 1000, 3, 0},
		"Log":  {Log, math.Log, 1e-9, 1e3, 2, 0}, "Log near 1": {Log, math.Log, 0.5, 2, 2, 0},
		"Log1p": {Log1p, math.Log1p, -0.9, 5, 4, 0}, "Log2": {Log2, math.Log2, 1e-9, 1e3, 4, 4e-16},
		"Log10": {Log10, math.Log10, 1e-9, 1e3, 4, 0},
		"Sin":   {Sin, math.Sin, -10, 10, 2, 2e-16}, "Sin far": {Sin, math.Sin, -1e6, 1e6, 2, 3e-16},
		"Cos": {Cos, math.Cos, -10, 10, 2, 2e-16}, "Cos far": {Cos, math.Cos, -1e6, 1e6, 2, 3e-16},
		"cube":  {with(Pow, 3), with(math.Pow, 3), -9, 9, 1, 0},
		"gamma": {with(Pow, .4), with(math.Pow, .4), 1e-6, 9, 9, 0},
		"root":  {with(Pow, -1.5), with(math.Pow, -1.5), 1e-3, 9, 15, 0},
		"Hypot": {with(Hypot, 3), with(math.Hypot, 3), -9, 9, 2, 0},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 20000 {
			x := f.low + (f.high-f.low)*rng.Float64()
			got, want := f.of(x), f.want(x)
			off := math.Abs(got - want)
			ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
			if !(off <= f.ulp*ulp || off <= f.abs) {
				t.Errorf("%s(%v) is %v, expected %v: %.1f ulp", name, x, got, want, off/ulp)
				break
			}
		}
	}
}

// Where math has no error to speak of, neither has the package; what is not finite is as in math.
func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for name, f := range map[string][2]func(float64) float64{
		"Exp": {Exp, math.Exp}, "Exp2": {Exp2, math.Exp2}, "Log": {Log, math.Log},
		"Log1p": {Log1p, math.Log1p}, "Log2": {Log2, math.Log2}, "Log10": {Log10, math.Log10},
		"Sin": {Sin, math.Sin}, "Cos": {Cos, math.Cos},
		"square": {with(Pow, 2), with(math.Pow, 2)},
		"none":   {with(Pow, 0), with(math.Pow, 0)},
		"1/x":    {with(Pow, -1), with(math.Pow, -1)},
		"gamma":  {with(Pow, 0.3), with(math.Pow, 0.3)},
		"√x":     {with(Pow, 0.5), with(math.Pow, 0.5)},
	} {
		for _, x := range []float64{0, 1, -1, inf, nan, 1e300, -1e300} {
			if (name == "Sin" || name == "Cos") && math.Abs(x) > 1e6 && !math.IsInf(x, 0) {
				continue
			}
			got, want := f[0](x), f[1](x)
			if got != want && !(got != got && want != want) && !(math.Abs(got-want) < 1e-13*math.Abs(want)) {
				t.Errorf("%s(%v) is %v, expected %v", name, x, got, want)
			}
		}
	}
}

// The sum is the same on every processor: it was found with FMA and without, on amd64 and arm64.
func TestSameBitsEverywhere(t *testing.T) {
	h := fnv.New64a()
	for i := range 4000 {
		x := 0.00713 * float64(i+1)
		fmt.Fprint(h, Exp(x), Exp(-x), Exp2(x), Log(x), Log1p(x), Log2(x), Log10(x), Pow(x, 0.37), Sin(x),
			Cos(x), Hypot(x, 1.3))
	}
	const want = 0x96bb6b6a6d5172f0
	if got := h.Sum64(); got != want {
		t.Errorf("got the sum %#x, expected %#x", got, uint64(want))
	}
}
