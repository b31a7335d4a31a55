package superres

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/synthetic"
	"superres/superres/resample"
	"superres/superres/score"
)

// openData returns the PNG files of a data set that has count of them; where it is absent, the test is skipped.
func openData(t *testing.T, name string, count int) (names []string, pictures []image.Image) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(golden.Data(t, name), "*.png"))
	if err != nil || len(names) != count {
		t.Fatalf("%s: %d pictures, expected %d (%v)", name, len(names), count, err)
	}
	for _, f := range names {
		pictures = append(pictures, golden.Open(t, f))
	}
	return names, pictures
}

// figure is a cell of a table of Set5: the row "×2" of the column "photo fast", or "noise 10" of a table that names the
// two models it compares in its head.
type figure struct {
	scale              int
	head, column, cell string
}

// readFigures returns the cells of all tables of a page that have Set5 at the head of the first column.
func readFigures(t *testing.T, page string) (list []figure) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join(golden.Root(t), page)))(t)
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
		_, err := fmt.Sscanf(cells[0], "×%d", &scale)
		if err != nil || len(head) != len(cells) || !strings.HasPrefix(line, "| ×") {
			continue
		}
		for i, cell := range cells[1:] {
			list = append(list, figure{scale, head[0], head[i+1], cell})
		}
	}
	return list
}

// TestSet5 compares the PSNR of Set5 with the tables of README.md and superres/README.md: each figure may be 0.02 dB
// off. Without SUPERRES_FULL it leaves out the effort max, and all but the diagonals of the table of degraded pictures.
func TestSet5(t *testing.T) {
	_, pictures := openData(t, "set5", 5)
	check := func(f figure, m *Model, d degradation, stated string) {
		t.Helper()
		mean := 0.0
		for _, truth := range pictures {
			low, err := score.Reduce(truth, f.scale, resample.Cubic)
			if err == nil {
				low, err = d.apply(low)
			}
			must.Succeed(t, err)
			tuned := must.Get(m.TuneFor(low, d.quality))(t)
			psnr := must.Get(score.Compare(truth, upscale(t, tuned, low, float64(f.scale)), f.scale, f.scale))(t).PSNR
			mean += psnr / float64(len(pictures))
		}
		var want float64
		if _, err := fmt.Sscan(stated, &want); err != nil {
			t.Fatalf("%+v: %q is no figure", f, stated)
		}
		t.Logf("×%d %s: %.2f dB, stated %s", f.scale, f.column, mean, stated)
		if math.Abs(mean-want) > 0.02 {
			t.Errorf("×%d %s: %.3f dB, its table says %s", f.scale, f.column, mean, stated)
		}
	}
	degraded := 0
	figures := append(readFigures(t, "README.md"), readFigures(t, "superres/README.md")...)
	for _, f := range figures {
		if from, to, ok := strings.Cut(f.cell, " → "); ok {
			degraded++
			if golden.InFull() || degraded%3 == f.scale-1 {
				d := degradationOf(t, f.column)
				_, model, _ := strings.Cut(f.head, " → ")
				check(f, builtin(t, "lanczos"), d, from)
				check(f, builtin(t, model), d, to)
			}
			continue
		}
		if golden.InFull() || !strings.HasSuffix(f.column, " max") {
			check(f, builtinAtEffort(t, f.column), degradation{}, f.cell)
		}
	}
	if len(figures) != 39 || degraded != 18 {
		t.Errorf("Set5 has %d figures, %d of degraded pictures, expected 39 and 18", len(figures), degraded)
	}
}

// degradation is normal noise of a standard deviation in every channel, then a JPEG file of a quality; 0 means none.
type degradation struct {
	noise   float64
	quality int
}

// degradationOf returns the degradation that a table calls "noise 10" or "JPEG 75".
func degradationOf(t *testing.T, name string) (d degradation) {
	t.Helper()
	if _, err := fmt.Sscanf(name, "noise %g", &d.noise); err == nil {
		return d
	}
	if _, err := fmt.Sscanf(name, "JPEG %d", &d.quality); err != nil {
		t.Fatalf("%q is no degradation", name)
	}
	return d
}

func (d degradation) apply(img image.Image) (image.Image, error) {
	if d.noise > 0 {
		img = degrade.WithNoise(img, d.noise, 1)
	}
	if d.quality > 0 {
		return resample.ThroughJPEG(img, d.quality)
	}
	return img, nil
}

// TestT91 checks that no picture of T91 comes out worse than by interpolation, at any scale, with the efforts fast
// and best. Without SUPERRES_FULL it takes every fifth picture.
func TestT91(t *testing.T) {
	names, pictures := openData(t, "t91", 91)
	step := 5
	if golden.InFull() {
		step = 1
	}
	for i := 0; i < len(pictures); i += step {
		for scale := 2; scale <= 4; scale++ {
			low := must.Get(score.Reduce(pictures[i], scale, resample.Cubic))(t)
			squares := func(model string) float64 {
				high := upscale(t, builtin(t, model), low, float64(scale))
				return must.Get(score.NormalisedError(pictures[i], high, scale))(t)
			}
			plain := min(squares("bicubic"), squares("lanczos"))
			for _, model := range []string{"photo", "photo-fast"} {
				if gain := 10 * math.Log10(plain/squares(model)); gain < 0 {
					t.Errorf("%s ×%d: %s is %.3f dB below interpolation", filepath.Base(names[i]), scale, model, -gain)
				}
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
			if golden.InFull() {
				count = 20
			}
			for i := range uint64(count) {
				truth := synthetic.Sample(rand.New(rand.NewPCG(7, i)), 80*scale, 80*scale, scale).Image
				low := must.Get(score.Reduce(truth, scale, resample.Box))(t)
				psnr := func(m *Model) float64 {
					return must.Get(score.Compare(truth, upscale(t, m, low, float64(scale)), scale, scale))(t).PSNR
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
