package degrade

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
)

// makePlane returns a picture with edges, a slope and grain.
func makePlane(w, h int) *Plane {
	rng := rand.New(rand.NewPCG(1, 2))
	p := &Plane{W: w, H: h, Pix: make([]float32, w*h)}
	for i := range p.Pix {
		x, y := float64(i%w), float64(i/w)
		p.Pix[i] = float32(math.Round(min(max(128+90*math.Tanh(3*math.Sin(x/4+y/7))+10*rng.NormFloat64()+x-y, 0), 255)))
	}
	return p
}

func clone(p *Plane) *Plane {
	return &Plane{W: p.W, H: p.H, Pix: append([]float32(nil), p.Pix...)}
}

// pass gives the samples that image/jpeg reads from a real file, except for the rounding of its transforms.
func TestFilesAreJPEG(t *testing.T) {
	for _, quality := range []int{10, 30, 50, 75, 90, 98, 100} {
		p := makePlane(45, 37)
		grey := image.NewGray(image.Rect(0, 0, p.W, p.H))
		for i, v := range p.Pix {
			grey.Pix[i] = uint8(v)
		}
		var b bytes.Buffer
		must.Succeed(t, jpeg.Encode(&b, grey, &jpeg.Options{Quality: quality}))
		img := must.Get(jpeg.Decode(&b))(t)
		File{Quality: quality}.pass(p)
		differ := 0
		for i, v := range p.Pix {
			want := int(img.(*image.Gray).Pix[i/p.W*img.(*image.Gray).Stride+i%p.W])
			if d := int(v) - want; d < -1 || d > 1 {
				differ++
			}
		}
		if differ > len(p.Pix)/12 { // in some blocks a coefficient lies halfway between two steps
			t.Errorf("quality %d: %d of %d samples differ by more than 1", quality, differ, len(p.Pix))
		}
	}
}

// File.X and File.Y move the blocks: a part of a picture passes as it does within the whole.
func TestGridOfFiles(t *testing.T) {
	whole := makePlane(64, 64)
	part := &Plane{W: 40, H: 40}
	for y := range 40 {
		part.Pix = append(part.Pix, whole.Pix[(y+5)*64+3:(y+5)*64+43]...)
	}
	File{Quality: 40}.pass(whole)
	File{Quality: 40, X: 5, Y: 3}.pass(part)
	for y := 3; y < 35; y++ {
		for x := 5; x < 37; x++ {
			if got, want := part.Pix[y*40+x], whole.Pix[(y+5)*64+x+3]; got != want {
				t.Fatalf("%d, %d: %g, in the larger picture %g", x, y, got, want)
			}
		}
	}
}

func TestNoise(t *testing.T) {
	for _, shot := range []float64{0, 1} {
		for _, level := range []float32{64, 128, 192} {
			p := &Plane{W: 200, H: 200, Pix: make([]float32, 200*200)}
			for i := range p.Pix {
				p.Pix[i] = level
			}
			got := Degradation{Noise: 10, Shot: shot}.Apply(rand.New(rand.NewPCG(3, 4)), p)
			want := 10 * math.Sqrt(1-shot+shot*float64(level)/127.5)
			if math.Abs(got/want-1) > 0.02 {
				t.Errorf("shot %g at %g: %g, expected %g", shot, level, got, want)
			}
		}
	}
}

// Blur and sharpening keep a constant slope; blur softens an edge and sharpening overshoots at it.
func TestBlurAndSharpen(t *testing.T) {
	slope := &Plane{W: 30, H: 30, Pix: make([]float32, 900)}
	for i := range slope.Pix {
		slope.Pix[i] = float32(2*(i%30) + 3*(i/30))
	}
	for _, d := range []Degradation{{}, {Blur: 0.7}, {Sharpen: 1.5}} {
		p := clone(slope)
		d.Apply(nil, p)
		for y := 5; y < 25; y++ {
			for x := 5; x < 25; x++ {
				if p.Pix[y*30+x] != slope.Pix[y*30+x] {
					t.Fatalf("%+v changes a slope", d)
				}
			}
		}
		edge := &Plane{W: 30, H: 30, Pix: make([]float32, 900)}
		for i := range edge.Pix {
			edge.Pix[i] = float32(100 + 50*(i%30/15))
		}
		d.Apply(nil, edge)
		left, right := edge.Pix[14], edge.Pix[15]
		if d.Blur > 0 && !(left > 100 && right < 150) || d.Sharpen > 0 && !(left < 100 && right > 150) ||
			d.Blur+d.Sharpen == 0 && (left != 100 || right != 150) {
			t.Errorf("%+v makes %g and %g of an edge from 100 to 150", d, left, right)
		}
	}
}

// Sample is reproducible, keeps to its ranges, and returns all kinds of degradations.
func TestSample(t *testing.T) {
	a, b := rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(5, 6))
	var blur, sharp, noise, grain, salt, tones, files, twice, clean int
	for range 6000 {
		d, e := Sample(a), Sample(b)
		if d.Noise != e.Noise || len(d.Files) != len(e.Files) || d.Noise > 25 || d.Shot > 1 {
			t.Fatalf("%+v and %+v", d, e)
		}
		for _, f := range d.Files {
			if f.Quality < 30 || f.Quality > 98 || f.X > 7 || f.Y > 7 {
				t.Fatalf("%+v", f)
			}
		}
		count := func(n *int, is bool) {
			if is {
				*n++
			}
		}
		count(&blur, d.Blur > 0)
		count(&sharp, d.Sharpen > 0)
		count(&noise, d.Noise > 0)
		count(&grain, d.Noise > 0 && d.Grain > 0)
		count(&salt, d.Salt > 0)
		count(&tones, d.Tones > 0)
		count(&files, len(d.Files) > 0)
		count(&twice, len(d.Files) > 1)
		count(&clean, d.IsClean())
	}
	for name, n := range map[string]int{"blurred": blur, "sharpened": sharp, "noisy": noise, "grainy": grain,
		"of files": files, "of two files": twice, "clean": clean, "with salt": salt, "dithered": tones} {
		if n < 100 {
			t.Errorf("%d of 6,000 are %s", n, name)
		}
	}
}

// Grain has the deviation of the noise and neighbours that resemble each other, salt is black or white, and dithering
// keeps the brightness by few tones.
func TestGrainSaltAndTones(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	flat := func() *Plane {
		p := &Plane{W: 100, H: 100, Pix: make([]float32, 100*100)}
		for i := range p.Pix {
			p.Pix[i] = 100
		}
		return p
	}
	p := flat()
	if deviation := (Degradation{Noise: 10, Grain: 1}).Apply(rng, p); math.Abs(deviation-10) > 0.3 {
		t.Errorf("grain of 10 levels has a deviation of %g", deviation)
	}
	near, square := 0.0, 0.0
	for i, v := range p.Pix[:len(p.Pix)-1] {
		near += float64(v-100) * float64(p.Pix[i+1]-100)
		square += float64(v-100) * float64(v-100)
	}
	if near < 0.6*square {
		t.Errorf("the correlation of neighbours is %g, expected more than 0.6", near/square)
	}
	p = flat()
	Degradation{Salt: 0.02}.Apply(rng, p)
	seen := map[float32]int{}
	for _, v := range p.Pix {
		seen[v]++
	}
	if salt := seen[0] + seen[255]; len(seen) != 3 || salt < 140 || salt > 260 {
		t.Errorf("levels with salt: %v", seen)
	}
	p = flat()
	Degradation{Tones: 4}.Apply(rng, p)
	sum := float32(0)
	for _, v := range p.Pix {
		if v != 85 && v != 170 {
			t.Fatalf("a dithered sample of 100 is %g, expected 85 or 170", v)
		}
		sum += v
	}
	if mean := sum / 1e4; mean < 99 || mean > 101 {
		t.Errorf("the mean of dithered samples is %g, expected 100", mean)
	}
}
