package kernel

import (
	"fmt"
	"testing"
)

// BenchmarkDescent runs a layer of 54×54 samples forward and backward.
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
					Correlate(
						weight[r*3*c*c:], c, src[(y+r)*(side+2)*c:], c, (side+2)*c, dst[y*side*c:], side*c, 6, side,
						3*c,
					)
				}
			}
		})
		benchmark(
			b, fmt.Sprintf("activate/channels=%d", c), 0, 8*side*side*float64(c), func() { Activate(src, dst, bias) },
		)
		benchmark(
			b, fmt.Sprintf("back/channels=%d", c), 0, 12*side*side*float64(c),
			func() { ActivateBack(dst, src, bias, slopes, slopes) },
		)
	}
	p := make([]float32, 4*32*1024)
	benchmark(
		b, "adam", 0, 28*32*1024,
		func() { Adam(p[:32*1024], p[32*1024:], p[64*1024:], p[96*1024:], 1, 0.1, 0.01, 1, 1) },
	)
}
