package degrade

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"reflect"
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
			got := Degradation{Noise: 10, Shot: shot}.Apply(rand.New(rand.NewPCG(3, 4)), p).Noise
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
	for _, d := range []Degradation{{}, {Blur: Blur{0.7, 0.7, 0}}, {Blur: Blur{1.2, 0.3, 0.5}},
		{Sharpen: 1.5, Radius: 1}} {
		p := clone(slope)
		d.Apply(rand.New(rand.NewPCG(1, 1)), p)
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
		d.Apply(rand.New(rand.NewPCG(1, 1)), edge)
		left, right := edge.Pix[14], edge.Pix[15]
		if d.Blur.Major > 0 && !(left > 100 && right < 150) || d.Sharpen > 0 && !(left < 100 && right > 150) ||
			d.IsClean() && (left != 100 || right != 150) {
			t.Errorf("%+v makes %g and %g of an edge from 100 to 150", d, left, right)
		}
	}
}

// The spread of a point that was blurred has the covariance that Root is the root of, in any direction.
func TestRootOfBlur(t *testing.T) {
	for _, b := range []Blur{{0.8, 0.8, 0}, {2.5, 2.5, 1}, {2, 0.5, 0}, {2, 0.7, 0.6}, {1.5, 0, 2.2}, {2.5, 1, 3}} {
		p := &Plane{W: 41, H: 41, Pix: make([]float32, 41*41)}
		p.Pix[20*41+20] = 1
		b.apply(p)
		var sum, xx, yy, xy float64
		for i, v := range p.Pix {
			x, y := float64(i%41-20), float64(i/41-20)
			sum, xx, yy, xy = sum+float64(v), xx+x*x*float64(v), yy+y*y*float64(v), xy+x*y*float64(v)
		}
		a, c, k := b.Root()
		if math.Abs(sum-1) > 1e-3 {
			t.Errorf("%+v: the samples add up to %g", b, sum)
		}
		const within = 0.35 // interpolation between samples blurs, and the last taps are missing
		for _, v := range [][2]float64{{xx, a*a + k*k}, {yy, c*c + k*k}, {xy, k * (a + c)}} {
			if math.Abs(v[0]-v[1]) > within {
				t.Errorf("%+v: a covariance of %.2f, expected %.2f", b, v[0], v[1])
			}
		}
	}
}

// Noise with grain has the deviation that was asked for and neighbours that are alike; salt changes its share of
// samples to black and white, and dithering keeps the mean brightness in few tones.
func TestKindsOfNoise(t *testing.T) {
	grey := func() *Plane {
		p := &Plane{W: 200, H: 200, Pix: make([]float32, 200*200)}
		for i := range p.Pix {
			p.Pix[i] = 100
		}
		return p
	}
	rng := rand.New(rand.NewPCG(7, 8))
	p := grey()
	if got := (Degradation{Noise: 10, Grain: 0.8}).Apply(rng, p).Noise; math.Abs(got-10) > 0.3 {
		t.Errorf("grain of %g levels", got)
	}
	along := 0.0
	for i := range p.Pix[1:] {
		along += float64(p.Pix[i]-100) * float64(p.Pix[i+1]-100) / float64(len(p.Pix))
	}
	if along < 30 {
		t.Errorf("neighbours in grain have a covariance of %g", along)
	}
	p = grey()
	Degradation{Salt: 0.01}.Apply(rng, p)
	var salt, mean float64
	for _, v := range p.Pix {
		if v != 100 {
			salt++
		}
	}
	if salt < 300 || salt > 500 {
		t.Errorf("%g grains of salt of 400", salt)
	}
	p = grey()
	Degradation{Tones: 4}.Apply(rng, p)
	for _, v := range p.Pix {
		if mean += float64(v) / float64(len(p.Pix)); v != 85 && v != 170 {
			t.Fatalf("a tone of %g", v)
		}
	}
	if math.Abs(mean-100) > 0.5 {
		t.Errorf("a mean of %g", mean)
	}
}

// Sample is reproducible, keeps to its ranges, and returns all kinds of degradations.
func TestSample(t *testing.T) {
	a, b := rand.New(rand.NewPCG(5, 6)), rand.New(rand.NewPCG(5, 6))
	found := map[string]int{}
	for range 4000 {
		d, e := Sample(a), Sample(b)
		if !reflect.DeepEqual(d, e) {
			t.Fatalf("%+v and %+v", d, e)
		}
		if d.Noise > 25 || d.Shot > 1 || d.Blur.Major > MostBlur || d.Blur.Minor > d.Blur.Major ||
			d.Sharpen > MostSharpening || len(d.Order)%int(steps) != 0 {
			t.Fatalf("%+v", d)
		}
		for _, f := range d.Files {
			if f.Quality < 20 || f.Quality > 98 || f.X > 7 || f.Y > 7 {
				t.Fatalf("%+v", f)
			}
		}
		for name, is := range map[string]bool{"blurred": d.Blur.Major > 0, "blurred along a line": d.Blur.Angle > 0,
			"sharpened": d.Sharpen > 0, "noisy": d.Noise > 0, "grainy": d.Grain > 0, "salted": d.Salt > 0,
			"dithered": d.Tones > 0, "of files": len(d.Files) > 0, "of two files": len(d.Files) > 1,
			"clean": d.IsClean(), "in another order": d.Order != nil} {
			if is {
				found[name]++
			} else {
				found[name] += 0
			}
		}
	}
	for name, n := range found {
		if n < 80 {
			t.Errorf("%d of 4,000 are %s", n, name)
		}
	}
}
