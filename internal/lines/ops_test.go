package lines

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/kernel"
)

// randomSize returns a size of up to 30 columns and 12 rows.
func randomSize(rng *rand.Rand, step int) Size {
	return Size{W: 1 + rng.IntN(30), H: 1 + rng.IntN(12), Step: step}
}

// Convolutions of all kinds are sums of products, with integers or with float32 for a result.
func TestConvolutions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 40 {
		isWide := i%2 == 0
		in := randomRows(rng, randomSize(rng, []int{3, 16, 1, 24}[i%4]), kernel.Clip)
		if isWide {
			in = randomRows(rng, in.Size, math.MaxInt16)
		}
		c, k := randomConv(rng, in.Size, isWide, false)
		if c == nil {
			continue
		}
		sum := func(y, x, o int) int64 { return k.sum(in, c.Filter, c.Pad, false, o, y, x) }
		switch i / 2 % 3 {
		case 0:
			check(t, c.describe(), c, 0, func(y, x, o int) float64 { return activate(c.Filter, o, sum(y, x, o)) }, in)
		case 1:
			c.SkipY, c.SkipX = rng.IntN(3), rng.IntN(3)
			size := c.Size([]Size{in.Size})
			size.W, size.H = size.W+c.SkipX, size.H+c.SkipY
			skip := randomRows(rng, size, math.MaxInt16)
			check(t, c.describe(), c, 0, func(y, x, o int) float64 {
				v := activate(c.Filter, o, sum(y, x, o)) + sample(skip, y+c.SkipY, x+c.SkipX, o)
				return min(max(v, math.MinInt16), math.MaxInt16)
			}, in, skip)
		default:
			check(t, c.describe(), &Sums{Conv: *c}, 0, func(y, x, o int) float64 {
				return float64(float32(sum(y, x, o)) * c.Filter.PositiveScale[o])
			}, in)
		}
	}
	for range 15 {
		in := randomRows(rng, randomSize(rng, 16), math.MaxInt16)
		if c, k := randomConv(rng, in.Size, false, true); c != nil {
			check(t, c.describe(), &Depthwise{*c}, 0, func(y, x, o int) float64 {
				return activate(c.Filter, o, k.sum(in, c.Filter, c.Pad, true, o, y, x))
			}, in)
		}
	}
}

// randomFactors returns a factor for each of n channels.
func randomFactors(rng *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 4*rng.Float32() - 2
	}
	return list
}

// limit rounds v, half to even, and clips it.
func limit(v float32, most int16) float64 {
	return min(max(math.RoundToEven(float64(v)), -float64(most)), float64(most))
}

// Operations on the values of a place are what their comments say.
func TestPointwise(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 5 {
		s := randomSize(rng, 32)
		a, b := randomRows(rng, s, math.MaxInt16), randomRows(rng, s, math.MaxInt16)
		f, g, most := randomFactors(rng, 32), randomFactors(rng, 32), int16(rng.IntN(1<<15))
		check(t, "", &Add{First: f, Second: g, Most: most}, 0, func(y, x, c int) float64 {
			return limit(float32(float32(sample(a, y, x, c))*f[c])+float32(float32(sample(b, y, x, c))*g[c]), most)
		}, a, b)
		check(t, "", &Multiply{Factor: f, Most: most}, 0, func(y, x, c int) float64 {
			return limit(float32(sample(a, y, x, c)*sample(b, y, x, c))*f[c], most)
		}, a, b)
		table := new([1 << 16]int16)
		for i := range table {
			table[i] = int16(i * i)
		}
		check(t, "", &Lookup{Tables: slices.Repeat([]*[1 << 16]int16{table}, 32)}, 0, func(y, x, c int) float64 {
			i := int(sample(a, y, x, c)) + 32768
			return float64(int16(i * i))
		}, a)
		check(t, "", &ToFloats{Factor: f[:5], Offset: g}, 0, func(y, x, c int) float64 {
			return float64(float32(float32(sample(a, y, x, c))*f[c]) + g[c])
		}, a)
	}
	for range 5 {
		s := randomSize(rng, 3)
		s.Floats = true
		a, b := randomRows(rng, s, 0), randomRows(rng, s, 0)
		f, g, h := randomFactors(rng, 3), randomFactors(rng, 3), randomFactors(rng, 3)
		check(t, "", &Scale{Slope: f, Factor: g, Offset: h, Least: -0.3, Most: 0.7}, 1e-6, func(y, x, c int) float64 {
			v := sample(a, y, x, c)
			if v < 0 {
				v *= float64(f[c])
			}
			return min(max(v*float64(g[c])+float64(h[c]), -0.3), 0.7)
		}, a)
		for by, want := range map[byte]func(u, v float64) float64{
			'+': func(u, v float64) float64 { return u + v },
			'-': func(u, v float64) float64 { return u - v },
			'*': func(u, v float64) float64 { return u * v },
		} {
			check(t, string(by), &Combine{By: by}, 1e-6, func(y, x, c int) float64 {
				return want(sample(a, y, x, c), sample(b, y, x, c))
			}, a, b)
		}
	}
}

// The parts of a number are those of the nearest integer, and a curve goes through the values of a function.
func TestPartsAndCurves(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	square := make([]float32, CurveSteps+1)
	for i := range square {
		x := float64(i)/(CurveSteps/2) - 1
		square[i] = float32(x * x)
	}
	for range 5 {
		s := randomSize(rng, 32)
		s.Floats = true
		in := []*Rows{randomRows(rng, s, 0), randomRows(rng, s, 0), randomRows(rng, s, 0)}
		slope, factor := randomFactors(rng, 32), randomFactors(rng, 32)
		for c := range factor {
			factor[c] *= float32(int(1) << (c % 25))
		}
		for count := 1; count <= 3; count++ {
			parts := func(y, x, c int) (low, high float64) {
				sum := float32(0)
				for _, r := range in[:count] {
					sum += float32(sample(r, y, x, c))
				}
				if sum < 0 {
					sum *= slope[c]
				}
				n := int(math.RoundToEven(min(max(float64(sum*factor[c]), -kernel.MostSplit), kernel.MostSplit)))
				h := (n + kernel.MostLow) >> kernel.PartBits
				if n != h<<kernel.PartBits+n-h<<kernel.PartBits || max(h, -h) > kernel.MostHigh {
					t.Errorf("%d has a high part of %d", n, h)
				}
				return float64(n - h<<kernel.PartBits), float64(h)
			}
			op := &Split{Slope: slope, Factor: factor}
			check(t, "high", op, 0, func(y, x, c int) float64 { _, v := parts(y, x, c); return v }, in[:count]...)
			op = &Split{Slope: slope, Factor: factor, IsLow: true}
			check(t, "low", op, 0, func(y, x, c int) float64 { v, _ := parts(y, x, c); return v }, in[:count]...)
		}
		for _, most := range []float32{1, 0.25} {
			op := &Curve{Table: square, Most: most, Below: -2, Above: 2}
			check(t, "curve", op, 1e-6, func(y, x, c int) float64 {
				v := sample(in[0], y, x, c)
				inside := min(max(v, -float64(most)), float64(most))
				return inside*inside/float64(most*most) + 2*math.Abs(v-inside)
			}, in[0])
		}
	}
}

// Channels are joined, selected and repeated, and samples of a square become channels of one and again samples.
func TestRearranging(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 5 {
		s := randomSize(rng, 16)
		a, b := randomRows(rng, s, 999), randomRows(rng, Size{W: s.W, H: s.H, Step: 3}, 999)
		runs := []Channels{{0, 2, 5}, {1, 0, 3}, {0, 15, 1}, {0, 0, 16}}
		check(t, "", &Gather{Channels: runs, Step: 32}, 0, func(y, x, c int) float64 {
			for _, r := range runs {
				if c < r.Count {
					return sample([]*Rows{a, b}[r.Input], y, x, r.From+c)
				}
				c -= r.Count
			}
			return 0
		}, a, b)
	}
	for i := range 8 {
		factor, floats := 1+i%4, i/4 == 1
		s := Size{W: 1 + rng.IntN(9), H: 1 + rng.IntN(5), Step: 3 * factor * factor, Floats: floats}
		in := randomRows(rng, s, 999)
		up := &Shuffle{Factor: factor, Step: 4}
		for place := range factor * factor {
			for c := range 3 {
				up.Order = append(up.Order, c*factor*factor+place)
			}
			up.Order = append(up.Order, -1)
		}
		check(t, "", up, 0, func(y, x, c int) float64 {
			if c == 3 {
				return 0
			}
			return sample(in, y/factor, x/factor, (c*factor+y%factor)*factor+x%factor)
		}, in)
		if floats {
			continue
		}
		down := &Unshuffle{Factor: factor}
		for c := range in.Step {
			down.Order = append(down.Order, Place{c / factor % factor, c % factor, c / factor / factor})
		}
		down.Order = append(down.Order, Place{Channel: -1})
		large, err := Compute(t.Context(), up, in)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "", down, 0, func(y, x, c int) float64 {
			if c == in.Step {
				return 0
			}
			return sample(in, y, x, c)
		}, large)
	}
}

// randomResize returns a resizing of random weights.
func randomResize(rng *rand.Rand) *Resize {
	r := &Resize{Up: 1 + rng.IntN(4), Down: 1, Most: 30_000}
	if rng.IntN(2) == 0 {
		r.Up, r.Down = 1, 2+rng.IntN(3)
	}
	for range r.Up {
		r.Taps = append(r.Taps, Taps{First: rng.IntN(3) - 2, Weight: randomFactors(rng, 1+rng.IntN(4))})
	}
	slices.SortFunc(r.Taps, func(a, b Taps) int { return a.First - b.First })
	if rng.IntN(4) == 0 {
		r.Taps = nil
		r.AlignCorners = func(at float64) Taps {
			return Taps{First: -1, Weight: []float32{0.1, float32(0.9 - at), float32(at), 0.2}}
		}
	}
	return r
}

// Resizing takes weights of neighbours, those beyond an edge being the sample at the edge.
func TestResize(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range 30 {
		r := randomResize(rng)
		s := Size{W: r.Down * (1 + rng.IntN(9)), H: r.Down * (1 + rng.IntN(5)), Step: 16, Floats: i%2 == 0}
		in := randomRows(rng, s, math.MaxInt16)
		want := func(y, x, c int) float64 {
			sum := 0.
			top, down := r.taps(y, in.H)
			left, across := r.taps(x, in.W)
			for j, v := range down {
				for i, w := range across {
					row, column := min(max(top+j, 0), in.H-1), min(max(left+i, 0), in.W-1)
					sum += float64(v) * float64(w) * sample(in, row, column, c)
				}
			}
			if !in.Floats {
				sum = min(max(sum, -float64(r.Most)), float64(r.Most))
			}
			return sum
		}
		tolerance := 1e-5
		if !in.Floats {
			tolerance = 0.6 // they are rounded
		}
		check(t, "", r, tolerance, want, in)
	}
	nearest := &Resize{Up: 3, Down: 1, Taps: slices.Repeat([]Taps{{Weight: []float32{1}}}, 3), Most: math.MaxInt16}
	in := randomRows(rng, Size{W: 7, H: 4, Step: 16}, math.MaxInt16)
	check(t, "", nearest, 0, func(y, x, c int) float64 { return sample(in, y/3, x/3, c) }, in)
}

// Rows and columns are added in three ways, and cut off.
func TestShift(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	walk := func(mode Beyond, i, n int) int { // to the sample that stands at place i
		switch {
		case i >= 0 && i < n:
			return i
		case mode == Edge:
			return min(max(i, 0), n-1)
		case mode == Mirror:
			list := append(identity(n), identity(n)[1:n-1]...)
			slices.Reverse(list[n:])
			return list[(i+10*len(list))%len(list)]
		}
		return -1
	}
	for i := range 30 {
		in := randomRows(rng, Size{W: 5 + rng.IntN(20), H: 5 + rng.IntN(5), Step: 3, Floats: i%2 == 0}, 999)
		edge := func() int { return rng.IntN(7) - 2 }
		s := &Shift{Edges: Edges{edge(), edge(), edge(), edge()}, Mode: Beyond(i % 3)}
		check(t, "", s, 0, func(y, x, c int) float64 {
			return sample(in, walk(s.Mode, y-s.Edges.Top, in.H), walk(s.Mode, x-s.Edges.Left, in.W), c)
		}, in)
	}
}

// identity returns 0, 1, … n−1.
func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
