package convolutional

import (
	"context"
	"errors"
	"image"
	"math"
	"runtime"
	"slices"
	"superres/patches/plane"
	"testing"

	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/training"
)

func drawnColour(t testing.TB, scale, channels, depth int, seed uint64) (*Colour, *network) {
	t.Helper()
	n := random(params{Channels: channels, Depth: depth, Colour: true}.network(scale), seed)
	c, err := newColour(n)
	if err != nil {
		t.Fatal(err)
	}
	return c, n
}

// tinted is a drawing in colours that change where it does, and elsewhere.
func tinted(w, h int, phase float64) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range testimage.Drawing(w, h, phase).Pix {
		hue := float64(i%w)/11 + phase
		img.Pix[4*i], img.Pix[4*i+1] = v, uint8(float64(v)*(0.6+0.4*math.Sin(hue)))
		img.Pix[4*i+2], img.Pix[4*i+3] = 255-v, 255
	}
	return img
}

// coloured is what colour is enlarged from: low, its brightness enlarged, and an enlargement.
func coloured(scale, w, h int) (low [2]*plane.Plane, luma *plane.Plane, current [2]*plane.Plane) {
	img := picture.Split(tinted(w, h, 7))
	bright := img.Luma()
	for i, channel := range [2]int{0, 2} {
		low[i] = more(img.Channels[channel], bright)
		current[i] = resample.Resize(low[i], w*scale, h*scale, resample.Bicubic)
	}
	luma = resample.Resize(bright, w*scale, h*scale, resample.Bicubic)
	for i, v := range luma.Pix {
		luma.Pix[i] = picture.Clamp(v)
	}
	return low, luma, current
}

// enlarged are copies of current that a network has worked on.
func enlarged(t testing.TB, c stage.Colour, low [2]*plane.Plane, luma *plane.Plane, current [2]*plane.Plane) (out [2]*plane.Plane) {
	t.Helper()
	for i, p := range current {
		out[i] = p.Crop(0, 0, p.W, p.H)
	}
	if err := c.Apply(t.Context(), low, luma, out, nil); err != nil {
		t.Fatal(err)
	}
	return out
}

// The integers of colour are its network.
func TestColourIsTheNetwork(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, n := drawnColour(t, scale, 16, 1, 3)
		low, luma, current := coloured(scale, 33, 21)
		got := enlarged(t, c, low, luma, current)
		margin := n.reach()
		w, h, in := low[0].W+2*margin, low[0].H+2*margin, colours+scale*scale
		x := make([]float32, w*h*in)
		for v := range h {
			for u := range w {
				col, row := min(max(u-margin, 0), low[0].W-1), min(max(v-margin, 0), low[0].H-1)
				to := x[(v*w+u)*in:]
				to[0], to[1] = low[0].Row(row)[col]/2, low[1].Row(row)[col]/2
				for k := range scale * scale {
					to[colours+k] = luma.Row(row*scale + k/scale)[col*scale+k%scale]
				}
			}
		}
		out := n.through(x, w, h)
		signal, noise := 0.0, 0.0
		least, most := make([]float32, low[0].W), make([]float32, low[0].W)
		for i := range got {
			for y := range got[i].H {
				bounds(least, most, low[i], y/scale)
				for u, v := range got[i].Row(y) {
					lack := out[(y/scale*low[0].W+u/scale)*2*scale*scale+i*scale*scale+y%scale*scale+u%scale]
					was := current[i].Row(y)[u]
					lack = min(max(was+lack, least[u/scale]), most[u/scale]) - was
					d := float64(v - was - lack)
					signal, noise = signal+float64(lack)*float64(lack), noise+d*d
				}
			}
		}
		if db := 10 * math.Log10(signal/noise); !(db > 50) || !(signal > 0) {
			t.Errorf("×%d: the integers are %.1f dB below what is added", scale, db)
		}
	}
}

// What is grey stays grey, and one colour that one, whatever brightness does.
func TestOneColourStays(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, _ := drawnColour(t, scale, 16, 1, 3)
		low, luma, current := coloured(scale, 40, 31)
		for _, colour := range []float32{0, 0.25} {
			for i := range low {
				for k := range low[i].Pix {
					low[i].Pix[k] = colour
				}
				for k := range current[i].Pix {
					current[i].Pix[k] = colour
				}
			}
			for i, p := range enlarged(t, c, low, luma, current) {
				if !slices.Equal(p.Pix, current[i].Pix) {
					t.Errorf("×%d: colour %g becomes another", scale, colour)
				}
			}
		}
	}
}

// No form of the kernels, number of workers or band changes a bit, low and luma stay as they
// are, and a context that has ended ends it.
func TestColourContract(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, _ := drawnColour(t, scale, 16, 1, 3)
		low, luma, current := coloured(scale, 40, 61)
		want := enlarged(t, c, low, luma, current)
		same := func(what string, got [2]*plane.Plane, from int) {
			t.Helper()
			for i, p := range got {
				if !slices.Equal(p.Pix, want[i].Pix[from*p.W:][:len(p.Pix)]) {
					t.Errorf("×%d, %s: other bits", scale, what)
				}
			}
		}
		for form := range kernel.Tiers() {
			restore := kernel.Use(form)
			same(kernel.Tier(), enlarged(t, c, low, luma, current), 0)
			restore()
		}
		processors := runtime.GOMAXPROCS(3)
		same("3 workers", enlarged(t, c, low, luma, current), 0)
		runtime.GOMAXPROCS(processors)

		part := func(p *plane.Plane, from, to int) *plane.Plane { return p.Crop(0, from, p.W, to-from) }
		const from, to = 24, 50
		var lows, currents [2]*plane.Plane
		for i := range lows {
			lows[i], currents[i] = part(low[i], from-c.Reach(), to+c.Reach()), part(current[i], (from-c.Reach())*scale, (to+c.Reach())*scale)
		}
		band := enlarged(t, c, lows, part(luma, (from-c.Reach())*scale, (to+c.Reach())*scale), currents)
		for i := range band {
			band[i] = part(band[i], c.Reach()*scale, (c.Reach()+to-from)*scale)
		}
		same("a band", band, from*scale)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.Apply(ctx, low, luma, current, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("after the end: %v", err)
		}
	}
}

// Colour is learned, twice the same, knows what is halved, and leaves grey pictures alone.
func TestLearnsColour(t *testing.T) {
	o := small()
	o.ColourSteps = 40
	var sources []training.Source
	for i := range 3 {
		sources = append(sources, training.Source{Name: "tinted", Open: func(context.Context) (image.Image, error) { return tinted(90, 80+10*i, float64(i)), nil }})
	}
	first, err := o.Train(t.Context(), sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.Train(t.Context(), sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range [][2]stage.Colour{{first.Colour, second.Colour}, {first.Subsampled, second.Subsampled}} {
		a, b := pair[0].(*Colour), pair[1].(*Colour)
		if !slices.Equal(a.tables.weights, b.tables.weights) || !slices.Equal(a.tables.bias, b.tables.bias) {
			t.Errorf("network %d is another the second time", i)
		}
	}
	if slices.Equal(first.Colour.(*Colour).tables.weights, first.Subsampled.(*Colour).tables.weights) {
		t.Error("colour at half the resolution is learned as that at all of it")
	}
	again := o
	again.Steps, again.From = -1, first.Stages[0].(*Stage)
	third, err := again.Train(t.Context(), sources, nil)
	if err != nil {
		t.Fatal(err)
	}
	if third.Stages[0] != first.Stages[0] || !slices.Equal(third.Colour.(*Colour).tables.weights, first.Colour.(*Colour).tables.weights) {
		t.Error("colour alone, of the same brightness, is another")
	}
	r, err := o.Train(t.Context(), testimage.Drawings(3), nil)
	if err != nil || r.Colour != nil || r.Subsampled != nil {
		t.Errorf("of grey pictures: %v, %v, %v", r.Colour, r.Subsampled, err)
	}
	again.From = nil
	if _, err := again.Train(t.Context(), sources, nil); err == nil {
		t.Error("no steps, and nothing to begin with")
	}
}

// A picture of 768×512 enlarged to 1536×1024.
func BenchmarkColour(b *testing.B) {
	c, _ := drawnColour(b, 2, colourChannels, 1, 1)
	low, luma, current := coloured(2, 768, 512)
	for b.Loop() {
		if err := c.Apply(b.Context(), low, luma, current, nil); err != nil {
			b.Fatal(err)
		}
	}
}
