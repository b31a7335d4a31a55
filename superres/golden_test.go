package superres

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/score"
)

// sheet is a drawing of what pictures on screens are made of: text, thin lines, a
// disc, a gradient, a checkerboard, single pixels.
func sheet() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 96, 72))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	text := font.Drawer{Dst: m, Src: image.NewUniform(color.NRGBA{20, 30, 120, 255}), Face: basicfont.Face7x13, Dot: fixed.P(3, 12)}
	text.DrawString("Super 8x")
	for i := range 96 {
		m.Set(i, 16+i/8, color.NRGBA{200, 40, 40, 255}) // a shallow line
		m.Set(i, 71-i/2, color.NRGBA{0, 0, 0, 255})     // a steep one
		for y := 32; y < 40; y++ {
			m.Set(i, y, color.NRGBA{uint8(255 * i / 95), 128, uint8(255 - 255*i/95), 255}) // a gradient
		}
	}
	for y := range 72 {
		for x := range 96 {
			if r := math.Hypot(float64(x)-76, float64(y)-54); r < 13 {
				m.Set(x, y, color.NRGBA{240, 180, 20, 255})
			}
			if x >= 4 && x < 28 && y >= 44 && y < 68 && (x/2+y/2)%2 == 0 {
				m.Set(x, y, color.NRGBA{0, 90, 60, 255})
			}
			if x >= 34 && x < 54 && y >= 58 && y < 70 && x%4 == 0 && y%4 == 0 {
				m.Set(x, y, color.NRGBA{90, 0, 90, 255})
			}
		}
	}
	return m
}

// stroke is a figure of one bent stroke on black, as the digits are.
func stroke() image.Image {
	return testimage.Gray(14, 14, func(x, y int) uint8 {
		u, v := float64(x)-6.5, float64(y)-6.5
		d := math.Abs(math.Hypot(u, v*0.8) - 4)
		return uint8(255 * math.Max(0, math.Min(1, 1.6-d)))
	})
}

// The embedded models and the plain interpolations against the pictures of the
// README and two drawings.
func TestGolden(t *testing.T) {
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	for _, c := range []struct {
		name, model string
		img         image.Image
		scale       float64
	}{
		{"hopper_nearest.png", "nearest", hopper, 2},
		{"hopper_bicubic.png", "bicubic", hopper, 2},
		{"hopper_photo.png", "photo", hopper, 2},
		{"sheet_bicubic.png", "bicubic", sheet(), 2},
		{"sheet_lanczos.png", "lanczos", sheet(), 2},
		{"sheet_photo_3x.png", "photo", sheet(), 3},
		{"stroke_digits.png", "digits", stroke(), 2},
	} {
		m := builtin(t, c.model)
		golden.Compare(t, c.name, upscale(t, m, c.img, c.scale), golden.Tolerance{Levels: 1, Share: 0.01})
	}
}

// TestSet5 compares the scores of Set5, where that is at hand, with the tables of README.md and
// superres/README.md: every model, scale and effort may be 0.02 dB off. Without SUPERRES_FULL it
// leaves out --effort max and all but the diagonal of the table of damage.
func TestSet5(t *testing.T) {
	folder, full := golden.Data(t, "set5"), os.Getenv("SUPERRES_FULL") != ""
	files, err := filepath.Glob(filepath.Join(folder, "*.png"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d pictures in %s, expected 5 (%v)", len(files), folder, err)
	}
	var pictures []image.Image
	for _, f := range files {
		pictures = append(pictures, golden.Open(t, f))
	}
	mean := func(m *Model, scale int, d damage) (mean float64) {
		t.Helper()
		for _, truth := range pictures {
			low, err := score.Reduce(truth, scale, resample.Cubic)
			if err == nil {
				low, err = d.apply(low)
			}
			if err != nil {
				t.Fatal(err)
			}
			by, err := m.For(low, d.quality)
			if err != nil {
				t.Fatal(err)
			}
			got, err := score.MatlabY.Compare(truth, upscale(t, by, low, float64(scale)), scale)
			if err != nil {
				t.Fatal(err)
			}
			mean += got.PSNR / 5
		}
		return mean
	}
	compared, damaged := 0, 0
	for _, page := range []string{"README.md", "superres/README.md"} {
		text, err := os.ReadFile(filepath.Join(golden.Root(t), page))
		if err != nil {
			t.Fatal(err)
		}
		var head []string
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.Trim(strings.NewReplacer("`", "", "*", "").Replace(line), "| \n"), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			if strings.HasPrefix(cells[0], "Set5") {
				head = cells
			}
			var scale int
			if _, err := fmt.Sscanf(cells[0], "×%d", &scale); err != nil || len(head) != len(cells) || !strings.HasPrefix(line, "| ×") {
				continue
			}
			for i, cell := range cells[1:] {
				what := cells[0] + " " + head[i+1]
				compared++
				if from, to, ok := strings.Cut(cell, " → "); ok { // of "noise 10" or "JPEG 75"
					damaged++
					if !full && i%3 != scale-2 {
						continue
					}
					d := damageOf(t, head[i+1])
					_, model, _ := strings.Cut(head[0], " → ")
					expect(t, "lanczos "+what, mean(builtin(t, "lanczos"), scale, d), from)
					expect(t, model+" "+what, mean(builtin(t, model), scale, d), to)
					continue
				}
				name, effort, _ := strings.Cut(head[i+1], " ") // "photo fast"
				if effort == "max" && !full {
					continue
				}
				m := builtin(t, name)
				if effort != "" {
					if m, err = m.Effort(effort); err != nil {
						t.Fatal(err)
					}
				}
				expect(t, what, mean(m, scale, damage{}), cell)
			}
		}
	}
	if compared != 39 || damaged != 18 {
		t.Errorf("the tables of Set5 have %d figures, expected 39, %d of them after damage, expected 18", compared, damaged)
	}
}

// damage is normal noise of a deviation in every channel, then a JPEG file of a quality; 0:
// none.
type damage struct {
	noise   float64
	quality int
}

// damageOf returns the damage that a table calls "noise 10" or "JPEG 75".
func damageOf(t *testing.T, name string) (d damage) {
	t.Helper()
	if _, err := fmt.Sscanf(name, "noise %g", &d.noise); err == nil {
		return d
	}
	if _, err := fmt.Sscanf(name, "JPEG %d", &d.quality); err != nil {
		t.Fatalf("%q is no damage", name)
	}
	return d
}

func (d damage) apply(img image.Image) (image.Image, error) {
	if d.noise > 0 {
		img = degrade.WithNoise(img, d.noise, 1)
	}
	if d.quality > 0 {
		return resample.ThroughJPEG(img, d.quality)
	}
	return img, nil
}

// TestT91 checks that no picture of T91, where that is at hand, comes out worse than by
// interpolation, at any scale and effort. Without SUPERRES_FULL it takes every fifth picture.
func TestT91(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(golden.Data(t, "t91"), "*.png"))
	if err != nil || len(files) != 91 {
		t.Fatalf("%d pictures, expected 91 (%v)", len(files), err)
	}
	every := 5
	if os.Getenv("SUPERRES_FULL") != "" {
		every = 1
	}
	models := map[string]*Model{"bicubic": builtin(t, "bicubic"), "lanczos": builtin(t, "lanczos"), "photo": builtin(t, "photo"), "photo-fast": builtin(t, "photo-fast")}
	for scale := 2; scale <= 4; scale++ {
		least := map[string]float64{"photo": math.Inf(1), "photo-fast": math.Inf(1)}
		for i := 0; i < len(files); i += every {
			f := files[i]
			truth := golden.Open(t, f)
			low, err := score.Reduce(truth, scale, resample.Cubic)
			if err != nil {
				t.Fatal(err)
			}
			psnr := map[string]float64{}
			for name, m := range models {
				got, err := score.MatlabY.Compare(truth, upscale(t, m, low, float64(scale)), scale)
				if err != nil {
					t.Fatal(err)
				}
				psnr[name] = got.PSNR
			}
			for name := range least {
				gain := psnr[name] - max(psnr["bicubic"], psnr["lanczos"])
				least[name] = min(least[name], gain)
				if gain < 0 {
					t.Errorf("%s ×%d: %s is %.3f dB below interpolation", filepath.Base(f), scale, name, -gain)
				}
			}
		}
		t.Logf("×%d: the least that is gained is %.3f dB by photo, %.3f by photo-fast", scale, least["photo"], least["photo-fast"])
	}
}

// expect logs a mean, and fails if the page that states it is off by more than 0.02 dB.
func expect(t *testing.T, what string, got float64, stated string) {
	t.Helper()
	var want float64
	if _, err := fmt.Sscan(stated, &want); err != nil {
		t.Fatalf("%s: %q is no figure", what, stated)
	}
	t.Logf("%s: %.2f dB, stated %s", what, got, stated)
	if got < want-0.02 || got > want+0.02 {
		t.Errorf("%s: %.3f dB, its table says %s", what, got, stated)
	}
}
