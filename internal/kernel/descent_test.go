package kernel

import (
	"fmt"
	"slices"
	"testing"
)

func TestConvolve32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, cols := range []int{16, 32, 48, 64} {
			for n := range 34 {
				const rows = 3
				step, k := 1+n%7, 3+5*(n%4)
				stride := step*n + k
				src, weight, bias := random32(rows*stride, 1), random32(rows*k*cols, 2), random32(cols, 3)
				got := random32(n*cols+3, 4)
				want := slices.Clone(got)
				convolve32Generic(want, src, step, stride, rows, k, weight, bias, n)
				Convolve32(got, src, step, stride, rows, k, weight, bias, n)
				sameVector32(t, fmt.Sprintf("%d channels, %d samples", cols, n), got, want)
			}
		}
	})
}

// A sample has the bits that it has alone.
func TestConvolve32SamplesAreIndependent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
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
}

func TestCorrelate(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, cols := range []int{16, 32, 48, 64} {
			for _, k := range []int{0, 8, 24, 48} {
				for n := range 5 {
					const rows = 3
					step := 1 + n
					strideA, strideB := step*n+k+1, n*cols+2
					a, b := random32(rows*strideA, 1), random32(rows*strideB, 2)
					got := random32(k*cols+3, 3)
					want := slices.Clone(got)
					correlateGeneric(want, cols, a, step, strideA, b, strideB, rows, n, k)
					Correlate(got, cols, a, step, strideA, b, strideB, rows, n, k)
					sameVector32(t, fmt.Sprintf("%d×%d, %d samples", k, cols, n), got, want)
				}
			}
		}
	})
}

func TestActivate(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, cols := range []int{16, 48} {
			for n := range 4 {
				z, d, slope := random32(n*cols, 1), random32(n*cols+1, 2), random32(cols, 3)
				h, want := random32(n*cols+1, 4), random32(n*cols+1, 4)
				Activate(h, z, slope)
				activateGeneric(want, z, slope)
				sameVector32(t, "activation", h, want)

				wantD, toSlope, toBias := slices.Clone(d), random32(cols, 5), random32(cols, 6)
				wantSlope, wantBias := slices.Clone(toSlope), slices.Clone(toBias)
				ActivateBack(d[:n*cols], z, slope, toSlope, toBias)
				activateBackGeneric(wantD[:n*cols], z, slope, wantSlope, wantBias)
				sameVector32(t, "gradient", d, wantD)
				sameVector32(t, "gradient of slopes", toSlope, wantSlope)
				sameVector32(t, "gradient of biases", toBias, wantBias)
			}
		}
	})
}

func TestAdam(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 64; n += 16 {
			p, m, g := random32(n+1, 1), random32(n, 2), random32(n, 4)
			v := make([]float32, n)
			for i, x := range random32(n, 3) {
				v[i] = x * x
			}
			wantP, wantM, wantV := slices.Clone(p), slices.Clone(m), slices.Clone(v)
			Adam(p[:n], m, v, g, 0.5, 0.1, 0.01, 0.01, 1e-6)
			adamGeneric(wantP[:n], wantM, wantV, g, 0.5, 0.1, 0.01, 0.01, 1e-6)
			sameVector32(t, "parameters", p, wantP)
			sameVector32(t, "mean", m, wantM)
			sameVector32(t, "mean square", v, wantV)
		}
	})
}

func TestDescentRefuses(t *testing.T) {
	v := make([]float32, 1024)
	refuses(t, map[string]func(){
		"channels":       func() { Convolve32(v, v, 1, 1, 1, 1, v, v[:8], 1) },
		"no taps":        func() { Convolve32(v, v, 1, 1, 0, 1, v, v[:16], 1) },
		"short source":   func() { Convolve32(v, v[:5], 1, 3, 2, 3, v, v[:16], 1) },
		"short weights":  func() { Convolve32(v, v, 1, 3, 2, 3, v[:95], v[:16], 1) },
		"short gradient": func() { Correlate(v[:127:127], 16, v, 1, 8, v, 16, 1, 1, 8) },
		"entries":        func() { Correlate(v, 16, v, 1, 8, v, 16, 1, 1, 7) },
		"samples":        func() { Activate(v, v[:40], v[:32]) },
		"moments":        func() { Adam(v[:32], v[:16:16], v, v, 1, 1, 1, 1, 1) },
	})
}

// A chain layer of 54×54 samples, and what goes back through it.
func BenchmarkDescent(b *testing.B) {
	const side = 54
	for _, c := range []int{16, 32} {
		src, dst, weight := random32((side+2)*(side+2)*c, 1), make([]float32, side*side*c), random32(9*c*c, 2)
		bias, slopes := make([]float32, c), make([]float32, c)
		work := float64(2 * 9 * c * c * side * side)
		benchmark(b, fmt.Sprintf("convolve32/channels=%d", c), work, 0, func() {
			for y := range side {
				Convolve32(dst[y*side*c:], src[y*(side+2)*c:], c, (side+2)*c, 3, 3*c, weight, bias, side)
			}
		})
		benchmark(b, fmt.Sprintf("correlate/channels=%d", c), work, 0, func() {
			for y := 0; y < side; y += 6 {
				for r := range 3 {
					Correlate(weight[r*3*c*c:], c, src[(y+r)*(side+2)*c:], c, (side+2)*c, dst[y*side*c:], side*c, 6, side, 3*c)
				}
			}
		})
		benchmark(b, fmt.Sprintf("activate/channels=%d", c), 0, 8*side*side*float64(c), func() { Activate(src, dst, bias) })
		benchmark(b, fmt.Sprintf("back/channels=%d", c), 0, 12*side*side*float64(c), func() { ActivateBack(dst, src, bias, slopes, slopes) })
	}
	p := make([]float32, 4*32*1024)
	benchmark(b, "adam", 0, 28*32*1024, func() { Adam(p[:32*1024], p[32*1024:], p[64*1024:], p[96*1024:], 1, 0.1, 0.01, 1, 1) })
}
