package superres

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
	"superres/internal/synthetic"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/score"
)

// slantedLine draws a line of a width and a level on white, through the middle of n×n pixels, at an angle.
func slantedLine(n int, angle, width, level float64) *image.Gray {
	const parts = 8 // of a sample
	nx, ny, middle := -math.Sin(angle), math.Cos(angle), float64(n)/2+0.2*width
	return testimage.Gray(n, n, func(x, y int) uint8 {
		inside := 0
		for i := range parts * parts {
			u, v := float64(x)+(float64(i%parts)+0.5)/parts, float64(y)+(float64(i/parts)+0.5)/parts
			if math.Abs((u-middle)*nx+(v-middle)*ny) <= width/2 {
				inside++
			}
		}
		return uint8(math.Round(255 - (255-level)*float64(inside)/(parts*parts)))
	})
}

// unevenness returns the standard deviation, along an enlarged line of width 1, of the darkest level across it.
func unevenness(out image.Image, scale, angle float64) float64 {
	side := float64(out.Bounds().Dx())
	dx, dy, middle := math.Cos(angle), math.Sin(angle), (side/scale/2+0.2)*scale
	level := func(x, y float64) float64 {
		x0, y0 := math.Floor(x-0.5), math.Floor(y-0.5)
		fx, fy := x-0.5-x0, y-0.5-y0
		pixel := func(u, v float64) float64 {
			return float64(color.GrayModel.Convert(out.At(int(u), int(v))).(color.Gray).Y)
		}
		return (1-fy)*((1-fx)*pixel(x0, y0)+fx*pixel(x0+1, y0)) + fy*((1-fx)*pixel(x0, y0+1)+fx*pixel(x0+1, y0+1))
	}
	sum, squares, count := 0.0, 0.0, 0.0
	for t := -0.35 * side; t < 0.35*side; t += 0.5 {
		least := 255.0
		for w := -2 * scale; w <= 2*scale; w += 0.25 {
			least = min(least, level(middle+t*dx-w*dy, middle+t*dy+w*dx))
		}
		sum, squares, count = sum+least, squares+least*least, count+1
	}
	return math.Sqrt(max(squares/count-sum*sum/(count*count), 0))
}

// A thin line at any angle is evenly dark along its length, and not a row of beads.
func TestThinLines(t *testing.T) {
	m := builtin(t, "photo")
	for _, scale := range []float64{2, 3, 4} {
		for degrees := 0.0; degrees <= 90; degrees += 15 {
			angle := degrees * math.Pi / 180
			if off := unevenness(upscale(t, m, slantedLine(60, angle, 1, 30), scale), scale, angle); off > 13 {
				t.Errorf("×%g, a line at %g°: its darkest level has a deviation of %.1f along it", scale, degrees, off)
			}
		}
	}
}

// Lines of middle tones, one sample wide, keep their tone and their width at least as well as with interpolation:
// none comes out thin and nearly black.
func TestMiddleTones(t *testing.T) {
	const n, scale = 40, 4
	bicubic := builtin(t, "bicubic")
	for _, name := range []string{"photo", "photo-fast", "photo-real", "photo max"} {
		m := builtinAtEffort(t, name)
		for _, level := range []float64{120, 170} {
			var squares, plainSquares float64 // sums of squared errors
			darkest := uint8(255)
			for degrees := 7.0; degrees < 90; degrees += 19 {
				angle := degrees * math.Pi / 180
				low, truth := slantedLine(n, angle, 1, level), slantedLine(scale*n, angle, scale, level)
				out, plain := upscale(t, m, low, scale).(*image.Gray), upscale(t, bicubic, low, scale).(*image.Gray)
				for i, v := range truth.Pix {
					d, plainD := float64(out.Pix[i])-float64(v), float64(plain.Pix[i])-float64(v)
					squares, plainSquares = squares+d*d, plainSquares+plainD*plainD
					darkest = min(darkest, out.Pix[i])
				}
			}
			gain := 10 * math.Log10(plainSquares/squares)
			t.Logf("%s, level %g: %.2f dB over bicubic, darkest %d", name, level, gain, darkest)
			if gain < 0.5 || float64(darkest) < level/4 {
				t.Errorf("%s, level %g: %.2f dB over bicubic, expected 0.5; darkest %d, expected at least %.0f",
					name, level, gain, darkest, level/4)
			}
		}
	}
}

// Text, charts, pixel art and the like, reduced by block means as programs render them, come out better than by
// Lanczos: photographs alone teach a network little of that, and it is not seen in sets of them.
func TestDrawingsGainOnLanczos(t *testing.T) {
	lanczos := builtin(t, "lanczos")
	for scale := 2; scale <= 4; scale++ {
		for name, want := range map[string]float64{"photo": 4, "photo-fast": 3.7, "photo max": 4} {
			m, sum, least := builtinAtEffort(t, name), 0.0, math.Inf(1)
			count := 5.
			if testsInFull() {
				count = 20
			}
			for i := range uint64(count) {
				truth := synthetic.Sample(rand.New(rand.NewPCG(7, i)), 80*scale, 80*scale, scale).Image
				low := must.Get(score.Reduce(truth, scale, resample.Box))(t)
				psnr := func(m *Model) float64 {
					return must.Get(score.PSNR(truth, upscale(t, m, low, float64(scale)), scale, scale))(t)
				}
				gain := min(psnr(m), 60) - min(psnr(lanczos), 60)
				sum, least = sum+gain, min(least, gain)
			}
			t.Logf("×%d, %s: %.2f dB over Lanczos in the mean, at least %.2f", scale, name, sum/count, least)
			if sum/count < want || least < 0 {
				t.Errorf("×%d, %s: %.2f dB over Lanczos in the mean, at least %.2f, expected %g and 0", scale, name,
					sum/count, least, want)
			}
		}
	}
}
