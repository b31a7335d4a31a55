package kernel

import (
	"math"
	"slices"
	"testing"
)

// agreement has a function that runs an operation on operands of all shapes, the same in every call, and returns all
// that it writes. In the tier generic that is what the operation is defined as.
type agreement struct {
	name  string
	exact bool // all tiers give the same bits; else they differ by rounding
	run   func() []any
}

// agreements have an agreement for each operation.
var agreements = []agreement{
	{"Mul", false, func() (out []any) {
		for _, rows := range []int{0, 4, 8, 20} {
			for _, inner := range []int{0, 1, 3, 30} {
				for _, cols := range []int{0, 8, 16, 24, 32, 40, 72, 128} {
					lda, ldb, ldc := rows+inner%5, cols+3, cols+5
					c := random(ldc*rows+cols, 3)
					Mul(c, ldc, random(lda*inner+rows, 1), lda, random(ldb*inner+cols, 2), ldb, rows, inner, cols)
					out = append(out, c)
				}
			}
		}
		return out
	}},
	{"Mul32", false, func() (out []any) {
		for _, rows := range []int{0, 8, 16, 40} {
			for _, inner := range []int{0, 1, 3, 30} {
				for cols := 0; cols <= 144; cols += 16 {
					lda, ldb, ldc := rows+inner%5, cols+3, cols+5
					a, b, c := random32(lda*inner+rows, 1), random32(ldb*inner+cols, 2), random32(ldc*rows+cols, 3)
					if inner == 30 && rows > 0 && cols > 0 {
						a[lda+1], b[2*ldb+5] = float32(math.NaN()), float32(math.Inf(1))
					}
					Mul32(c, ldc, a, lda, b, ldb, rows, inner, cols)
					out = append(out, c)
				}
			}
		}
		return out
	}},
	{"SumRows", true, func() (out []any) {
		for n := 0; n <= 160; n += 16 {
			for terms := range 6 {
				offsets, dst := make([]int32, terms), random32(n, 2)
				for i := range offsets {
					offsets[i] = int32(i * 29 % 50)
				}
				SumRows(dst, random32(50+n, 1), offsets)
				out = append(out, dst)
			}
		}
		return out
	}},
	{"Advance", false, func() (out []any) {
		for n := 8; n <= 88; n += 8 {
			for rows := range 6 {
				ld, p, corr := n+5, make([]float64, n), random(n, 1)
				most := Advance(p, corr, random(n, 2), random(ld*rows+n, 3), ld, random(rows, 4), 1.7, -0.4)
				_, largest := FindLargest(corr)
				out = append(out, p, corr, []float64{most, largest - most})
			}
		}
		return out
	}},
	{"Score", false, func() (out []any) {
		for n := 8; n <= 88; n += 8 {
			p, corr, fresh := random(n, 1), random(n, 2), slices.Repeat([]float64{2}, n)
			fresh[n/3], corr[n/2], corr[n-1], fresh[1] = math.Inf(1), 1e-9, math.NaN(), 1e-3
			score := make([]float64, n)
			most := Score(score, fresh, p, corr, 1e-2, 1e-6)
			out = append(out, fresh, score, []float64{most, float64(slices.Index(score, most))})
		}
		return out
	}},
	{"Convolve32", true, func() (out []any) {
		for _, cols := range []int{16, 32, 48, 64} {
			for n := range 34 {
				const rows = 3
				step, k := 1+n%7, 3+5*(n%4)
				stride, dst := step*n+k, random32(n*cols+3, 4)
				Convolve32(dst, random32(rows*stride, 1), step, stride, rows, k, random32(rows*k*cols, 2),
					random32(cols, 3), n)
				out = append(out, dst)
			}
		}
		return out
	}},
	{"Correlate", false, func() (out []any) {
		for _, cols := range []int{16, 32, 48, 64} {
			for _, k := range []int{0, 8, 24, 48} {
				for n := range 5 {
					const rows = 3
					step := 1 + n
					strideA, strideB, dst := step*n+k+1, n*cols+2, random32(k*cols+3, 3)
					Correlate(dst, cols, random32(rows*strideA, 1), step, strideA, random32(rows*strideB, 2), strideB,
						rows, n, k)
					out = append(out, dst)
				}
			}
		}
		return out
	}},
	{"SpreadSamples, GatherSums, SpreadGradients, SpreadTaps, GatherTaps", true, func() (out []any) {
		for _, by := range []winogradMap{SpreadSamples, GatherSums, SpreadGradients, SpreadTaps, GatherTaps} {
			for k := 0; k <= 64; k += 16 {
				for n := range 4 {
					const gap = 70
					dst := random32(6*gap+3*n+k, 2)
					by(dst, gap, 0, random32(6*gap+3*n+k, 1), gap, 3, k, n)
					out = append(out, dst)
				}
			}
		}
		return out
	}},
	{"Activate, ActivateBack", false, func() (out []any) {
		for _, cols := range []int{16, 48} {
			for n := range 4 {
				z, slope, h, d := random32(n*cols, 1), random32(cols, 3), random32(n*cols+1, 4), random32(n*cols+1, 2)
				toSlope, toBias := random32(cols, 5), random32(cols, 6)
				Activate(h, z, slope)
				ActivateBack(d[:n*cols], z, slope, toSlope, toBias)
				out = append(out, h, d, toSlope, toBias)
			}
		}
		return out
	}},
	{"Adam", false, func() (out []any) {
		for n := 0; n <= 64; n += 16 {
			p, m, v := random32(n+1, 1), random32(n, 2), random32(n, 3)
			for i, x := range v {
				v[i] = x * x
			}
			Adam(p[:n], m, v, random32(n, 4), 0.5, 0.1, 0.01, 0.01, 1e-6)
			out = append(out, p, m, v)
		}
		return out
	}},
	{"ConvolveFloats", true, func() (out []any) {
		for _, t := range []Taps{
			{Outputs: 33, Inputs: 18, Groups: 1, Height: 3, Width: 3},
			{Outputs: 20, Inputs: 3, Groups: 1, Height: 3, Width: 3},
			{Outputs: 40, Inputs: 20, Groups: 4, Height: 1, Width: 2},
			{Outputs: 37, Inputs: 37, Groups: 37, Height: 3, Width: 3},
		} {
			t.Weight = hard32(t.Outputs*t.Inputs/t.Groups*t.Height*t.Width, 1)
			f := NewFloatFilter(t, PadTo(t.Inputs, Lanes), 1, 1)
			f.Slope = hard32(f.Outputs, 2)
			for _, n := range []int{1, 3, 4, 11, 100} {
				line, count, row := (n+3)*f.step, t.Height+f.Together()-1, n*f.Outputs
				dst, rows, skip := make([]float32, f.Together()*row), make([]int, count), hard32(4*row, 4)
				for i := range rows {
					rows[i] = i * line
				}
				to := []int{row, 0, 3 * row, 2 * row}
				if f.Together() == 1 {
					to = []int{0}
				}
				ConvolveFloats(dst, to, hard32(count*line, 3), rows, n, f, skip, to, &FloatWork{})
				out = append(out, dst)
			}
		}
		return out
	}},
	{"Rows of floats", true, func() (out []any) {
		for _, n := range []int{1, 16, 37, 48, 160} {
			a, b, dst := hard32(n, 1), hard32(n, 2), make([]float32, n)
			for _, by := range []func(dst, a, b []float32){AddFloats, SubtractFloats, MultiplyFloats, DivideFloats,
				MinFloats, MaxFloats} {
				by(dst, a, b)
				out = append(out, slices.Clone(dst))
			}
			ClipFloats(dst, a, -1, 6)
			out = append(out, slices.Clone(dst))
			for f := range functions {
				f.Compute(dst, a)
				out = append(out, slices.Clone(dst))
			}
			Softmax(dst, random32(n, 1))
			out = append(out, slices.Clone(dst))
		}
		for channels := 16; channels <= 64; channels += 16 {
			for n := range 4 {
				a, p, q := hard32(n*channels, 1), hard32(channels, 3), hard32(channels, 4)
				dst := make([]float32, n*channels)
				ScaleFloats(dst, a, p, q)
				out = append(out, slices.Clone(dst))
				InclineFloats(dst, a, p)
				out = append(out, dst)
			}
		}
		return out
	}},
	{"Product", true, func() (out []any) {
		for _, n := range []int{1, 5, 17} {
			for cols := 16; cols <= 64; cols += 16 {
				dst := random32(n*(cols+1), 1)
				Product(dst, cols+1, hard32(n*9, 2), 9, n, 8, hard32(8*cols, 3), cols)
				out = append(out, dst)
			}
		}
		return out
	}},
	{"ROP", false, func() (out []any) {
		for ld := 8; ld <= 48; ld += 8 {
			for n := range 10 {
				var v [6][]float64
				for i := range v {
					v[i] = random(ld*n+1, uint64(i))
				}
				u, shrink, w, next := random(ld, 20), random(n, 21), random(n, 22), random(ld, 23)
				length, sums := make([]float64, n), []float64{1, 2, 1, 2}
				for j := range shrink {
					shrink[j] = max(shrink[j], 0)
				}
				keep := func() {
					for _, x := range v {
						out = append(out, slices.Clone(x))
					}
					out = append(out, slices.Clone(length))
				}
				ROPUpdate(v[0], v[1], v[2], v[3], v[4], u, shrink, w, length, 1.6)
				keep()
				ROPResidual(v[0], v[1], v[3], v[4], v[5], shrink, w, sums[:2], ld, 0.9)
				PowerStep(v[1][:n*ld], u, next)
				for j, s := range shrink {
					if s == 0 {
						v[0][j*ld] = math.NaN() // Project must not look at it
					}
				}
				Project(v[1], v[0], u, shrink, length, sums[2:])
				keep()
				Rescale(v[0], v[1], u, shrink, w, 0.7)
				keep()
				out = append(out, sums, next)
			}
		}
		return out
	}},
	{"Shorten, Add", false, func() (out []any) {
		for n := 0; n <= 40; n += 8 {
			square := random(n, 1)
			for i, v := range square {
				square[i] = v * v / 50
			}
			if n > 0 {
				square[n-1], square[n/2] = 0, math.Inf(1)
			}
			for i := range 4 {
				shrink, part, sums := make([]float64, n), make([]float64, n), []float64{1, 2}
				Shorten(shrink, part, square, 10, []float64{0, 0.6}[i/2], []float64{1, 0.9}[i%2], sums)
				out = append(out, shrink, part, sums)
			}
			sum := random(n, 2)
			Add(sum, square)
			out = append(out, sum)
		}
		return out
	}},
	{"Mask", true, func() (out []any) {
		for n := range 40 {
			w, s, x := random(n, 1), random(n, 2), slices.Repeat([]float64{7}, n+1)
			for i := range s {
				if i%5 < 4 {
					s[i] = []float64{0, math.Copysign(0, -1), math.NaN(), 0}[i%5]
				}
			}
			out = append(out, []int{Mask(x, w, s)}, x)
		}
		return out
	}},
	{"Combine, CombineOnto", true, func() (out []any) {
		for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300} {
			for parts := range 9 {
				at := []int{0, 300, 1, 77, 78, 300, 301, 600}[:parts]
				src, weight, dst, onto := uniform32(900, 1), uniform32(parts, 2), uniform32(n, 3), uniform32(n, 4)
				if n > 5 {
					onto[5] = float32(math.NaN())
				}
				Combine(dst, src, at, weight)
				CombineOnto(onto, onto, src, at, weight)
				out = append(out, dst, onto)
			}
		}
		return out
	}},
	{"Paint", true, func() (out []any) {
		for _, n := range []int{0, 1, 7, 16, 31, 100} {
			l, r, b, dst := uniform32(n, 1), uniform32(n, 2), uniform32(n, 3), make([]uint8, 4*n+1)
			if n > 5 {
				l[3], r[4], b[5] = float32(math.NaN()), float32(math.NaN()), float32(math.Inf(1))
			}
			Paint(dst, l, r, b, 0.5, 0.2)
			out = append(out, dst)
		}
		return out
	}},
	// All orders of a, b and c, ties and wraps, at all lengths.
	{"Paeth", true, func() (out []any) {
		values := []byte{0, 1, 2, 63, 64, 126, 127, 128, 129, 200, 253, 254, 255}
		var x, a, b, c []byte
		for i := range len(values) * len(values) * len(values) {
			x, a = append(x, byte(i*37)), append(a, values[i%len(values)])
			b, c = append(b, values[i/len(values)%len(values)]), append(c, values[i/len(values)/len(values)])
		}
		for _, n := range []int{0, 1, 31, 32, 33, 95, 96, len(x)} {
			dst := slices.Repeat([]byte{7}, len(x)+1)
			out = append(out, []int{Paeth(dst, x[:n], a, b, c)}, dst)
		}
		return out
	}},
	// Layers of 5×5 over one channel, of 3×3 over 16 and 32, and odd ones, for all numbers of samples around
	// those of a tile.
	{"Convolve, Residual", true, func() (out []any) {
		for _, size := range [][3]int{{5, 3, 1}, {3, 24, 16}, {3, 48, 32}, {1, 1, 7}, {2, 5, 3}} {
			for _, outputs := range []int{16, 32, 48, 80} {
				rows, words, step := size[0], size[1], size[2]
				f := randomFilter(rows, words, step, outputs, 9, uint64(outputs))
				f.Clip, f.SumClip = int16(outputs%48*600), int16(outputs%32*700)
				f.OutputStep, f.SkipStep = outputs+rows-1, max(outputs+step-16, outputs)
				for _, samples := range []int{24, 25, 35, 36, 37, 47, 48, 49, 50, 72} {
					line := (samples-1)*step + 2*words
					src, start := randomShorts(rows*(line+5), 1), make([]int, rows)
					for j := range start {
						start[j] = (rows - 1 - j) * (line + 5)
					}
					for _, skip := range [][]int16{nil, randomShorts(samples*f.SkipStep, 2)} {
						dst := randomShorts(samples*f.OutputStep+40, 5)
						Convolve(dst, src, start, samples, f, skip)
						out = append(out, dst)
					}
					dst := make([]float32, samples*outputs+5)
					Residual(dst, src, start, samples, f)
					out = append(out, dst)
				}
			}
		}
		return out
	}},
	// The parts of ConvolveTwoRows agree whatever goes in, also where sums wrap around.
	{"transformInput, multiplyTiles, transformOutput", true, func() (out []any) {
		for _, size := range [][3]int{{12, 32, 48}, {25, 24, 16}, {31, 56, 64}, {48, 8, 80}} {
			n, channels, outputs := size[0], size[1], size[2]
			stride, sumStride, step := n*channels+9, n*outputs+11, channels+2
			line := 2 * (n + 1) * step
			v, sums, dst := make([]int16, 16*stride), make([]int32, 8*sumStride), make([]int16, 4*n*outputs)
			transformInput(v, stride, randomShorts(4*line, 1), []int{2 * line, 0, 3 * line, line}, step, n, channels)
			f := randomFilter(16, channels/2, channels, outputs, 12, 3)
			multiplyTiles(sums, sumStride, v, stride, n, channels, f.Weights, f.Bias)
			any32 := make([]int32, len(sums))
			for i, x := range randomShorts(2*len(any32), 7) {
				any32[i/2] = any32[i/2]<<16 | int32(uint16(x))
			}
			limits := f.limits(true)
			transformOutput(dst, 2*n*outputs, any32, sumStride, n, outputs, f.PositiveScale, f.NegativeScale,
				limits[:], randomShorts(4*n*outputs, 6), 2*n*outputs, outputs, outputs)
			out = append(out, v, sums, dst)
		}
		return out
	}},
	{"spreadShorts, sumTiles, gatherInts", true, func() (out []any) {
		for _, size := range [][3]int{{12, 32, 48}, {13, 48, 16}, {30, 16, 64}} {
			n, k, outputs := size[0], size[1], size[2]
			gap, seen := n*k+5, make([]int16, 16)
			v, rows := make([]int16, 7*gap), []int{3, 900, 0, 2000, 77, 1500}
			spreadShorts(v, gap, k, randomShorts(2000+n*(k+2), 4), rows, k+2, k, n, seen)
			f, sums := randomFilter(1, k/2, k, outputs, 12, 3), make([]int32, 7*n*outputs)
			for i := range 7 {
				sumTiles(sums[i*n*outputs:], n, v[i*gap:], []int{0}, k, k/2, f.Weights, f.Bias)
			}
			results, line := make([]int32, 4*n*outputs), n*outputs
			gatherInts(results, []int{line, 3 * line, 0, 2 * line}, outputs, sums, line, outputs, outputs, n)
			out = append(out, v, seen, sums, results)
		}
		return out
	}},
}

// All tiers agree with the definitions in Go.
func TestTiersAgree(t *testing.T) {
	for _, c := range agreements {
		restore := Use(0)
		want := c.run()
		restore()
		t.Run(c.name, func(t *testing.T) {
			eachTier(t, func(t *testing.T) {
				for i, got := range c.run() {
					if !agree(got, want[i], c.exact) {
						t.Fatalf("result %d is %v, defined as %v", i, got, want[i])
					}
				}
			})
		})
	}
}

// agree reports whether two slices are equal, or equal but for rounding.
func agree(got, want any, exact bool) bool {
	switch want := want.(type) {
	case []int:
		return slices.Equal(got.([]int), want)
	case []byte:
		return slices.Equal(got.([]byte), want)
	case []int16:
		return slices.Equal(got.([]int16), want)
	case []uint16:
		return slices.Equal(got.([]uint16), want)
	case []uint32:
		return slices.Equal(got.([]uint32), want)
	case []int32:
		return slices.Equal(got.([]int32), want)
	case []float32:
		return slices.EqualFunc(got.([]float32), want, func(a, b float32) bool {
			return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b ||
				!exact && near(float64(a), float64(b), 2e-5)
		})
	case []float64:
		return slices.EqualFunc(got.([]float64), want, func(a, b float64) bool {
			return a == b || !exact && near(a, b, 1e-12)
		})
	}
	return false
}

// near reports whether a and b differ only by rounding, relative to the greater of b and 1: sums in these tests are at
// most a few hundred. NaN is near NaN.
func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

// testIndependence multiplies two matrices of 24×31 and 31×112, and each row with each block of width columns alone,
// at a row of a smaller product, which has rows of them.
func testIndependence[T float32 | float64](t *testing.T, random func(n int, seed uint64) []T,
	mul func(c []T, ldc int, a []T, lda int, b []T, ldb, rows, inner, cols int), rows, width int) {
	const all, inner, cols = 24, 31, 112
	a, b, c := random(all*inner, 1), random(inner*cols, 2), make([]T, all*cols)
	mul(c, cols, a, all, b, cols, all, inner, cols)
	for r := range all {
		one, got := make([]T, rows*inner), make([]T, rows*width)
		for i := range inner {
			one[rows*i+2] = a[i*all+r]
		}
		for k := 0; k < cols; k += width {
			mul(got, width, one, rows, b[k:], cols, rows, inner, width)
			if !slices.Equal(got[2*width:3*width], c[r*cols+k:r*cols+k+width]) {
				t.Fatalf("row %d, columns from %d differ", r, k)
			}
		}
	}
}

// Every sum has the bits that it has in any other call: the code of a signal, for example, does not depend on
// the signals beside it.
func TestSumsAreIndependent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		t.Run("Mul", func(t *testing.T) { testIndependence(t, random, Mul, Rows, Width) })
		t.Run("Mul32", func(t *testing.T) { testIndependence(t, random32, Mul32, Rows32, Lanes) })
		t.Run("Convolve32", func(t *testing.T) {
			const n, step, k, rows, cols = 33, 16, 48, 3, 48
			src, weight, bias := random32(rows*(n+2)*step, 1), random32(rows*k*cols, 2), random32(cols, 3)
			all, one := make([]float32, n*cols), make([]float32, cols)
			Convolve32(all, src, step, (n+2)*step, rows, k, weight, bias, n)
			for x := range n {
				Convolve32(one, src[x*step:], step, (n+2)*step, rows, k, weight, bias, 1)
				if !slices.Equal(one, all[x*cols:(x+1)*cols]) {
					t.Fatalf("sample %d differs", x)
				}
			}
		})
	})
}

// Operands that do not fit are refused before any assembly runs.
func TestRefuses(t *testing.T) {
	v, s := make([]float64, 64), make([]float32, 1024)
	far := append(make([]int32, 15), 1010)
	src, dst, out := make([]int16, 24*16+2), make([]int16, 24*16), make([]float32, 24*16)
	f := randomFilter(1, 9, 16, 16, 8, 1)
	changed := func(change func(f *Filter)) func() {
		f := randomFilter(1, 9, 16, 16, 8, 1)
		change(f)
		return func() { Convolve(dst, src, []int{0}, 24, f, nil) }
	}
	changed(func(*Filter) {})() // which fits
	one := Row{s[:100], 1}
	const line = 50 * 16
	wide, narrow, rows, to := make([]int16, 4*line), make([]int16, 2*48*16), []int{
		0, line, 2 * line, 3 * line,
	}, [2]int{0, 48 * 16}
	g, work := winogradFilter(t, 16, 16, 1), &Winograd{}
	ConvolveTwoRows(narrow, to, wide, rows, 48, g, narrow, to, work) // which fits
	for name, call := range map[string]func(){
		"Use, before": func() { Use(-1) }, "Use, beyond": func() { Use(Tiers()) },
		"FindLargest, length": func() { FindLargest(v[:9]) },
		"Mul, rows":           func() { Mul(v, 8, v, 8, v, 8, 3, 1, 8) },
		"Mul, short C":        func() { Mul(v[:24:24], 8, v, 8, v, 8, 4, 1, 8) },
		"Mul, short B":        func() { Mul(v, 8, v, 8, v[:15:15], 8, 4, 2, 8) },
		"Advance, short row":  func() { Advance(v[:8], v, v, v[:15:15], 8, v[:2], 1, 1) },
		"Project, short q":    func() { Project(v, v[:15:15], v[:8], v[:2], v, v) },

		"Mul32, rows":                func() { Mul32(s, 16, s, 8, s, 16, 7, 1, 16) },
		"Mul32, short C":             func() { Mul32(s[:127:127], 16, s, 8, s, 16, 8, 1, 16) },
		"SumRows, offset":            func() { SumRows(s[:16], s, far) },
		"Convolve32, channels":       func() { Convolve32(s, s, 1, 1, 1, 1, s, s[:8], 1) },
		"Convolve32, no taps":        func() { Convolve32(s, s, 1, 1, 0, 1, s, s[:16], 1) },
		"Convolve32, short source":   func() { Convolve32(s, s[:5], 1, 3, 2, 3, s, s[:16], 1) },
		"Convolve32, short weights":  func() { Convolve32(s, s, 1, 3, 2, 3, s[:95], s[:16], 1) },
		"Correlate, short gradient":  func() { Correlate(s[:127:127], 16, s, 1, 8, s, 16, 1, 1, 8) },
		"Correlate, entries":         func() { Correlate(s, 16, s, 1, 8, s, 16, 1, 1, 7) },
		"Activate, samples":          func() { Activate(s, s[:40], s[:32]) },
		"Adam, moments":              func() { Adam(s[:32], s[:16:16], s, s, 1, 1, 1, 1, 1) },
		"Combine, beyond":            func() { Combine(s[:10], s[:20:20], []int{11}, []float32{1}) },
		"Combine, before":            func() { Combine(s[:10], s[:20:20], []int{-1}, []float32{1}) },
		"Combine, no weight":         func() { Combine(s[:10], s[:20], []int{1}, nil) },
		"CombineOnto, small base":    func() { CombineOnto(s[:10], s[:9:9], s, []int{0}, []float32{1}) },
		"CombineOnto, beyond":        func() { CombineOnto(s[:10], s, s[:20:20], []int{11}, []float32{1}) },
		"AddPixels, scale 1":         func() { AddPixels(s[:8], s, s, 1, 4, 4, one, one, one) },
		"AddPixels, scale 5":         func() { AddPixels(s[:10], s, s, 5, 4, 4, one, one, one) },
		"AddPixels, few sums":        func() { AddPixels(s[:8], s, s[:20], 2, 4, 4, one, one, one) },
		"AddPixels, few limits":      func() { AddPixels(s[:8], s, s, 2, 4, 4, one, Row{s[:3], 1}, one) },
		"AddPixels, step 2":          func() { AddPixels(s[:8], s, s, 2, 4, 4, one, one, Row{s, 2}) },
		"BoundRange, short row":      func() { BoundRange(s[:10], s[:10], s, s[:11], s) },
		"BoundRange, short most":     func() { BoundRange(s[:10], s[:9:9], s, s, s) },
		"BoundFlatAreas, short row":  func() { BoundFlatAreas(s[:10], s[:10], s, s[:11], s) },
		"BoundFlatAreas, short most": func() { BoundFlatAreas(s[:10], s[:9], s, s, s) },

		"AddFloats, short a":         func() { AddFloats(s[:32], s[:31:31], s) },
		"ScaleFloats, half a sample": func() { ScaleFloats(s[:24], s, s[:16], s) },
		"ScaleFloats, channels":      func() { ScaleFloats(s[:30], s, s[:15], s) },
		"ScaleFloats, none":          func() { ScaleFloats(s[:30], s, nil, s) },
		"ScaleFloats, short offset":  func() { ScaleFloats(s[:32], s, s[:16], s[:15:15]) },
		"Product, short b":           func() { Product(s, 16, s, 2, 1, 2, s[:31:31], 16) },
		"ConvolveFloats, short row": func() {
			ConvolveFloats(s, []int{0}, s[:47:47], []int{0}, 3, NewFloatFilter(Taps{Outputs: 1, Inputs: 16, Groups: 1,
				Height: 1, Width: 1, Weight: s}, 16, 1, 1), nil, nil, &FloatWork{})
		},

		"Convolve, few samples":     func() { Convolve(dst, src, []int{0}, 23, f, nil) },
		"Convolve, short dst":       func() { Convolve(dst[1:], src, []int{0}, 24, f, nil) },
		"Convolve, short skip":      func() { Convolve(dst, src, []int{0}, 24, f, src[3:]) },
		"Convolve, outputs":         changed(func(f *Filter) { f.Outputs = 15 }),
		"Convolve, weights":         changed(func(f *Filter) { f.Weights = f.Weights[1:] }),
		"Convolve, bias":            changed(func(f *Filter) { f.Bias = f.Bias[1:] }),
		"Convolve, positive scales": changed(func(f *Filter) { f.PositiveScale = f.PositiveScale[1:] }),
		"Convolve, negative scales": changed(func(f *Filter) { f.NegativeScale = f.NegativeScale[1:] }),
		"Convolve, clip":            changed(func(f *Filter) { f.Clip = -1 }),
		"Convolve, output step":     changed(func(f *Filter) { f.OutputStep = 15 }),
		"Convolve, long steps":      changed(func(f *Filter) { f.OutputStep = 17 }),
		"Convolve, no words":        changed(func(f *Filter) { f.Words = 0 }),
		"Residual, rows":            func() { Residual(out, src, []int{0, 0}, 24, f) },
		"Residual, a row beyond":    func() { Residual(out, src, []int{1}, 24, f) },
		"Residual, a row before":    func() { Residual(out, src, []int{-1}, 24, f) },
		"Residual, short dst":       func() { Residual(out[1:], src, []int{0}, 24, f) },

		"ConvolveTwoRows, a row beyond": func() {
			ConvolveTwoRows(narrow, to, wide, []int{0, line, 2 * line, 3*line + 1}, 48, g, nil, to, work)
		},
		"ConvolveTwoRows, three rows": func() { ConvolveTwoRows(narrow, to, wide, rows[:3], 48, g, nil, to, work) },
		"ConvolveTwoRows, short dst":  func() { ConvolveTwoRows(narrow[1:], to, wide, rows, 48, g, nil, to, work) },
		"ConvolveTwoRows, before": func() {
			ConvolveTwoRows(narrow, [2]int{-1, to[1]}, wide, rows, 48, g, nil, to, work)
		},
		"ConvolveTwoRows, short skip": func() { ConvolveTwoRows(narrow, to, wide, rows, 48, g, narrow[1:], to, work) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
