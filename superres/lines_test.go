package superres

import (
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/testimage"
)

// thinLine is a dark line of a width of one sample through the middle of n×n, at an angle.
func thinLine(n int, angle float64) *image.Gray { return slantedLine(n, angle, 1, 30) }

// slantedLine draws a line of a width and a level on white, through the middle of n×n, at an
// angle.
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

// unevenness is the deviation, along an enlarged thinLine, of the darkest level across it.
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

// A thin line at any angle is as dark all along it, and not a row of beads.
func TestThinLines(t *testing.T) {
	photo, lanczos := builtin(t, "photo"), builtin(t, "lanczos")
	for _, scale := range []float64{2, 3, 4} {
		worst, plain := 0.0, 0.0
		for degrees := 0.0; degrees <= 90; degrees += 5 {
			angle := degrees * math.Pi / 180
			line := thinLine(60, angle)
			of := func(m *Model) float64 {
				out, err := m.Upscale(t.Context(), line, Options{Scale: scale})
				if err != nil {
					t.Fatal(err)
				}
				return unevenness(out, scale, angle)
			}
			here := of(photo)
			worst, plain = max(worst, here), max(plain, of(lanczos))
			if here > 13 {
				t.Errorf("×%g, a line at %g°: its darkest level has a deviation of %.1f along it", scale, degrees, here)
			}
		}
		t.Logf("×%g: deviations of at most %.1f, of lanczos %.1f", scale, worst, plain)
	}
}

// Lines of middle tones, one sample wide, keep their tone and their width as far as interpolation
// does: none comes out near-black and thin.
func TestMiddleTones(t *testing.T) {
	const n, scale = 40, 4
	for _, name := range []string{"photo", "photo-fast", "photo-real"} {
		photo, bicubic := builtin(t, name), builtin(t, "bicubic")
		for _, level := range []float64{120, 170} {
			var errors [2]float64 // squared, of the model and of bicubic interpolation
			darkest := 255.0
			for degrees := 7.0; degrees < 90; degrees += 19 {
				angle := degrees * math.Pi / 180
				low, truth := slantedLine(n, angle, 1, level), slantedLine(scale*n, angle, scale, level)
				for i, m := range []*Model{photo, bicubic} {
					out, err := m.Upscale(t.Context(), low, Options{Scale: scale})
					if err != nil {
						t.Fatal(err)
					}
					for at, v := range out.(*image.Gray).Pix {
						d := float64(v) - float64(truth.Pix[at])
						errors[i] += d * d
						if i == 0 {
							darkest = min(darkest, float64(v))
						}
					}
				}
			}
			gain := 10 * math.Log10(errors[1]/errors[0])
			t.Logf("%s, level %g: %.2f dB over bicubic, darkest %.0f", name, level, gain, darkest)
			if gain < 0.5 || darkest < level/4 {
				t.Errorf("%s: lines of level %g gain %.2f dB over bicubic, and are %.0f at their darkest; expected 0.5 dB, %.0f",
					name, level, gain, darkest, level/4)
			}
		}
	}
}
