package synthetic

import (
	"bytes"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// The same random numbers give the same opaque picture of the size asked for.
func TestSample(t *testing.T) {
	for i := range uint64(200) {
		sample := func(seed uint64, w, h, unit int) Picture {
			return Sample(rand.New(rand.NewPCG(seed, i)), w, h,
				unit)
		}
		w, h, unit := 40+int(i)%97, 31+int(i)%60, 2+int(i)%3
		d := sample(1, w, h, unit)
		if d.Image.Rect != image.Rect(0, 0, w, h) {
			t.Fatalf("picture %d: %v, want %d×%d", i, d.Image.Rect, w, h)
		}
		if again := sample(1, w, h, unit); !bytes.Equal(again.Image.Pix, d.Image.Pix) ||
			again.IsPixelArt != d.IsPixelArt {
			t.Errorf("picture %d: two different ones", i)
		}
		for p := 3; p < len(d.Image.Pix); p += 4 {
			if d.Image.Pix[p] != 255 {
				t.Fatalf("picture %d: pixel %d is not opaque", i, p/4)
			}
		}
		if d.IsPixelArt {
			for y := range h {
				for x := range w {
					if d.Image.NRGBAAt(x, y) != d.Image.NRGBAAt(x/unit*unit, y/unit*unit) {
						t.Fatalf("picture %d: pixel %d,%d differs from its square", i, x, y)
					}
				}
			}
		}
	}
}

// Few pictures are empty, some are pixel art, and most have smooth edges.
func TestPicturesDiffer(t *testing.T) {
	const count = 400
	empty, squares, smooth := 0, 0, 0
	seen := map[string]bool{}
	for i := range uint64(count) {
		d := Sample(rand.New(rand.NewPCG(3, i)), 96, 96, 2)
		seen[string(d.Image.Pix)] = true
		colours := map[color.NRGBA]bool{}
		for y := range 96 {
			for x := range 96 {
				colours[d.Image.NRGBAAt(x, y)] = true
			}
		}
		switch {
		case len(colours) == 1:
			empty++
		case d.IsPixelArt:
			squares++
		case len(colours) > 10:
			smooth++
		}
	}
	if len(seen) < count-empty {
		t.Errorf("%d different ones of %d", len(seen), count)
	}
	if empty > count/20 || squares < count/16 || squares > count/5 || smooth < count/2 {
		t.Errorf("of %d pictures %d are empty, %d pixel art, %d smooth", count, empty, squares, smooth)
	}
}

// Shapes cover the areas that their sizes give: strokes keep their width in all directions and around bends.
func TestShapes(t *testing.T) {
	covered := func(paint func(*canvas)) (sum float64) {
		c := newCanvas(rand.New(rand.NewPCG(1, 1)), 120, 100, 2)
		paint(c)
		for p := 3; p < len(c.Pix); p += 4 {
			sum += float64(c.Pix[p]) / 255 / 4 // square units
		}
		return sum
	}
	black := color.NRGBA{A: 255}
	for name, c := range map[string]struct {
		paint func(*canvas)
		want  float64
	}{
		"level":     {func(c *canvas) { c.stroke(black, 1.5, []point{{10, 20.3}, {50, 20.3}}) }, 60},
		"slanting":  {func(c *canvas) { c.stroke(black, 2, []point{{10, 10}, {40, 50}}) }, 100},
		"beyond":    {func(c *canvas) { c.stroke(black, 2, []point{{-30, 25}, {90, 25}}) }, 120},
		"circle":    {func(c *canvas) { c.stroke(black, 1, arc(30, 25, 15, 15, 0, 2*3.14159265)) }, 2 * 3.1416 * 15},
		"disc":      {func(c *canvas) { c.fillArea(black, arc(30, 25, 15, 15, 0, 2*3.14159265)) }, 3.1416 * 225},
		"rectangle": {func(c *canvas) { c.fillRectangle(3, 4, 5, 6, black) }, 30},
		"fraction":  {func(c *canvas) { c.fillRectangle(3.2, 4.1, 5.5, 6.3, black) }, 5.5 * 6.3},
		"outside":   {func(c *canvas) { c.fillArea(black, []point{{70, 0}, {80, 0}, {80, 20}}) }, 0},
		"round":     {func(c *canvas) { c.fillArea(black, roundRectangle(5, 5, 20, 10, 3)) }, 200 - (4-3.1416)*9},
	} {
		if got := covered(c.paint); got < 0.97*c.want-0.5 || got > 1.1*c.want+0.5 { // pieces of a line overlap
			t.Errorf("%s: covers %.1f, want %.1f", name, got, c.want)
		}
	}
}
