package measure

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/resample"
	"superres/superres/score"
)

var measureFlag = flag.Bool("measure", false, "measure the constants of noise.go again, which takes a minute")

// TestMeasureNoiseLimits prints the table beside noiseLimits:
//
//	go test ./superres/flaws/measure -run MeasureNoiseLimits -measure -v
//
// of photographs reduced by 2, clean and with normal noise, and of fine textures that are drawn.
func TestMeasureNoiseLimits(t *testing.T) {
	if !*measureFlag {
		t.Skip("measures constants; -measure has it done")
	}
	deviations := []float64{0, 3, 6, 12, 24}
	var photographs [][][]*Samples // of each picture, for each deviation
	split := func(img image.Image) []*Samples { return SamplesOf(Parts(img)...) }
	for _, set := range []string{"set5", "open-valid", "kodak"} {
		for _, name := range golden.Pictures(t, set, 1) {
			small := must.Get(score.Reduce(golden.Open(t, name), 2, resample.Cubic))(t)
			var of [][]*Samples
			for i, deviation := range deviations {
				of = append(of, split(degrade.WithNoise(small, deviation, uint64(i))))
			}
			photographs = append(photographs, of)
		}
	}
	var textures [][]*Samples
	for _, kind := range []string{"weave", "twill", "hatching", "lattice", "dither", "halftone"} {
		for seed := range uint64(6) {
			textures = append(textures, split(fineTexture(kind, seed, 360, 300)))
		}
	}
	t.Logf("%d photographs, %d textures", len(photographs), len(textures))
	t.Logf("%-16s %9s %6s %s", "", "textures", "clean",
		"  noise of 3, 6, 12, 24 in red, green and blue: found, mean error of those")
	// Normal noise of a deviation in each colour has less in brightness.
	inLuma := math.Sqrt(0.299*0.299 + 0.587*0.587 + 0.114*0.114)
	row := func(name string, l noiseLimits) {
		var text strings.Builder
		count := 0
		for _, p := range textures {
			if found, _ := estimateNoise(p, l); found > 0 {
				count++
			}
		}
		line := []any{name, count}
		for i, deviation := range deviations {
			found, off := 0, 0.0
			for _, of := range photographs {
				if got, _ := estimateNoise(of[i], l); got > 0 {
					found, off = found+1, off+math.Abs(got/(deviation*inLuma)-1)
				}
			}
			if i == 0 {
				line = append(line, found)
				continue
			}
			fmt.Fprintf(&text, "  %2d, %2.0f %%", found, 100*off/float64(max(found, 1)))
		}
		t.Logf("%-16s %9d %6d %s", append(line, text.String())...)
	}
	row("as it is", limits)
	for _, c := range []struct {
		name string
		to   func(l *noiseLimits)
	}{
		{"texture 0", func(l *noiseLimits) { l.texture = 0 }},
		{"texture 0.03", func(l *noiseLimits) { l.texture = 0.03 }},
		{"texture 0.12", func(l *noiseLimits) { l.texture = 0.12 }},
		{"whiteness 0.09", func(l *noiseLimits) { l.whiteness = 0.09 }},
		{"whiteness 0.14", func(l *noiseLimits) { l.whiteness = 0.14 }},
		{"whiteness 0.25", func(l *noiseLimits) { l.whiteness = 0.25 }},
		{"whiteness 0.36", func(l *noiseLimits) { l.whiteness = 0.36 }},
		{"greatest 20", func(l *noiseLimits) { l.greatest = 20 }},
		{"greatest 80", func(l *noiseLimits) { l.greatest = 80 }},
		{"fewest 30", func(l *noiseLimits) { l.fewest = 30 }},
		{"fewest 500", func(l *noiseLimits) { l.fewest = 500 }},
	} {
		l := limits
		c.to(&l)
		row(c.name, l)
	}
}

// Elements with equal keys stay in their order.
func TestSortBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	type element struct{ key, number int }
	list := make([]element, 1000)
	for i := range list {
		list[i] = element{rng.IntN(50), i}
	}
	want := slices.Clone(list)
	slices.SortStableFunc(want, func(a, b element) int { return a.key - b.key })
	if sortBy(list, func(e element) uint64 { return uint64(e.key) }); !slices.Equal(list, want) {
		t.Error("another order than that of a stable sort")
	}
}

// Noise raises the deviation of quiet places to about its own; a texture does not where it leaves a place free.
func TestQuiet(t *testing.T) {
	of := func(img image.Image) float64 { return Quiet(SamplesOf(Parts(img)...)) }
	img := image.NewGray(image.Rect(0, 0, 120, 100))
	for i := range img.Pix {
		img.Pix[i] = 128
		if x, y := i%120, i/120; y < 90 && (x/2+y/2)%2 == 0 {
			img.Pix[i] = 60
		}
	}
	if got := of(img); got != 0 {
		t.Errorf("a texture over nine tenths of a picture: %g, expected 0", got)
	}
	flat := image.NewGray(img.Rect)
	for i := range flat.Pix {
		flat.Pix[i] = 128
	}
	// Noise of 9 levels in each colour is 6.0 in brightness. The deviation of 25 normal samples is below 0.66 in one of
	// a hundred: χ² of 24 degrees of freedom has 10.9 there, and √(10.9/25) = 0.66.
	if got, want := of(degrade.WithNoise(flat, 9, 1)), 9*0.668*0.66; math.Abs(got-want) > 0.05*want {
		t.Errorf("noise of 9 levels: %g, expected %g", got, want)
	}
	flat.SetGray(60, 50, color.Gray{Y: 228})
	if got := of(flat); got != 0 {
		t.Errorf("one bright sample: %g, expected 0", got)
	}
	for i := range flat.Pix {
		flat.Pix[i] = 250
	}
	if got := of(flat); !math.IsInf(got, 1) {
		t.Errorf("white: %g, expected none", got)
	}
}
