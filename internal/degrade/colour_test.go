package degrade

import (
	"math"
	"math/rand/v2"
	"testing"
)

// flat returns red, green and blue of one colour.
func flat(side int, r, g, b float32) (rgb [3]*Plane) {
	for k, v := range [3]float32{r, g, b} {
		rgb[k] = &Plane{W: side, H: side, Pix: make([]float32, side*side)}
		for i := range rgb[k].Pix {
			rgb[k].Pix[i] = v
		}
	}
	return rgb
}

// Grey that is degraded as a colour picture stays grey, and is degraded as brightness is, where nothing is random.
func TestGreyAsColour(t *testing.T) {
	d := Degradation{Blur: 0.5, Sharpen: 0.8, Tones: 40, Files: []File{{Quality: 60, X: 3, Y: 1}}}
	grey := &Plane{W: 37, H: 29}
	for i := range 37 * 29 {
		grey.Pix = append(grey.Pix, float32(i*i%251))
	}
	rgb := [3]*Plane{clone(grey), clone(grey), clone(grey)}
	want := d.Apply(nil, grey)
	if got := d.ApplyColour(rand.New(rand.NewPCG(1, 2)), rgb); math.Abs(got-want) > 1e-4 {
		t.Errorf("a deviation of %g, expected %g", got, want)
	}
	for k, p := range rgb {
		for i, v := range p.Pix {
			if v != grey.Pix[i] {
				t.Fatalf("plane %d, sample %d is %g, expected %g", k, i, v, grey.Pix[i])
			}
		}
	}
}

// Salt of a picture in colour is black or white.
func TestColourSalt(t *testing.T) {
	rgb := flat(100, 200, 90, 40)
	(Degradation{Salt: 0.1}).ApplyColour(rand.New(rand.NewPCG(1, 2)), rgb)
	changed := 0
	for i, red := range rgb[0].Pix {
		if red == 200 {
			continue
		}
		changed++
		if red != 0 && red != 255 || rgb[1].Pix[i] != red || rgb[2].Pix[i] != red {
			t.Fatalf("a pixel of %g, %g and %g", red, rgb[1].Pix[i], rgb[2].Pix[i])
		}
	}
	if changed < 900 || changed > 1100 {
		t.Errorf("%d of 10,000 pixels are black or white, expected 1,000", changed)
	}
}

// Noise of colour has the deviation in brightness, whatever part of it is each colour's own, and the parts differ.
func TestColourNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	least, most := math.Inf(1), 0.0
	for i := range 20 {
		rgb := flat(200, 128, 128, 128)
		if got := (Degradation{Noise: 8, Grain: float64(i%2) / 2}).ApplyColour(rng, rgb); math.Abs(got/8-1) > 0.03 {
			t.Errorf("a deviation of %g in brightness, expected 8", got)
		}
		own := distance(rgb[0].Pix, rgb[2].Pix)
		least, most = min(least, own), max(most, own)
	}
	if least > 7 || most < 14 || most > 18 {
		t.Errorf("red and blue differ by %g to %g levels, expected about 0 to 17", least, most)
	}
}

// A file keeps a colour, within its steps, and at half the resolution mixes colours that change from pixel to pixel.
func TestColourThroughFiles(t *testing.T) {
	for _, half := range []bool{false, true} {
		rgb := flat(33, 200, 90, 40)
		File{Quality: 95, X: 5}.passColour(rgb, half)
		for k, want := range [3]float32{200, 90, 40} {
			for i, v := range rgb[k].Pix {
				if math.Abs(float64(v-want)) > 3 {
					t.Fatalf("half %v: plane %d, sample %d is %g, expected %g", half, k, i, v, want)
				}
			}
		}
		rgb = flat(32, 128, 128, 128)
		for i := range rgb[0].Pix {
			rgb[0].Pix[i] += float32(60 * (i%2*2 - 1)) // stripes, with brightness in all three
		}
		File{Quality: 98}.passColour(rgb, half)
		stripes := 0.0
		for i := 0; i < len(rgb[0].Pix); i += 2 {
			stripes += float64(rgb[0].Pix[i+1] - rgb[2].Pix[i+1] - rgb[0].Pix[i] + rgb[2].Pix[i])
		}
		if stripes /= 512; half != (stripes < 10) {
			t.Errorf("half %v: stripes of 120 levels of red have %g", half, stripes)
		}
	}
}

// A plane that is halved and doubled keeps a slope, and odd sides.
func TestHalveAndDouble(t *testing.T) {
	p := &Plane{W: 21, H: 15}
	for i := range 21 * 15 {
		p.Pix = append(p.Pix, float32(2*(i%21)+3*(i/21)))
	}
	small, back := p.halve(), clone(p)
	if small.double(back); small.W != 11 || small.H != 8 {
		t.Errorf("%d×%d samples", small.W, small.H)
	}
	for y := 2; y < 12; y++ {
		for x := 2; x < 18; x++ {
			if got, want := back.Pix[y*21+x], p.Pix[y*21+x]; got != want {
				t.Fatalf("%d, %d is %g, expected %g", x, y, got, want)
			}
		}
	}
}
