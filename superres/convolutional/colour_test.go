package convolutional

import (
	"math"
	"slices"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

func sampleColour(t testing.TB, scale, channels, depth int, seed uint64) (*Colour, *Network) {
	t.Helper()
	n := randomise(NewNetwork(Architecture{Scale: scale, Channels: channels, Depth: depth, Colour: true}), seed)
	c := must.Get(NewColour(n))(t)
	return c, n
}

// makeColours returns the inputs of Apply for a picture of w×h: its colour differences, its enlarged
// brightness, and its bicubic enlarged colour differences.
func makeColours(scale, w, h int) (low [2]*plane.Plane, luma *plane.Plane, current [2]*plane.Plane) {
	img := picture.Split(testimage.Tinted(w, h, 7))
	bright := img.Luma()
	for i, channel := range [2]int{0, 2} {
		low[i] = plane.New(w, h)
		for k, v := range img.Channels[channel].Pix {
			low[i].Pix[k] = v - bright.Pix[k]
		}
		current[i] = resample.Resize(low[i], w*scale, h*scale, resample.Bicubic)
	}
	luma = resample.Resize(bright, w*scale, h*scale, resample.Bicubic)
	for i, v := range luma.Pix {
		luma.Pix[i] = picture.Clamp(v)
	}
	return low, luma, current
}

// applyColour returns copies of current that c has been applied to.
func applyColour(t testing.TB, c stage.Colour, low [2]*plane.Plane, luma *plane.Plane,
	current [2]*plane.Plane) (out [2]*plane.Plane) {
	t.Helper()
	for i, p := range current {
		out[i] = p.Crop(0, 0, p.W, p.H)
	}
	must.Succeed(t, c.Apply(t.Context(), low, luma, stagetest.Strips(out, out[0].W/low[0].W), nil))
	return out
}

// The error of the integers for colour is at least 50 dB below the residual.
func TestColourIsTheNetwork(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, n := sampleColour(t, scale, 16, 1, 3)
		low, luma, current := makeColours(scale, 33, 21)
		got := applyColour(t, c, low, luma, current)
		margin := n.Reach()
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

// Grey stays grey, and a flat colour keeps its value, also where brightness changes.
func TestOneColourStays(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, _ := sampleColour(t, scale, 16, 1, 3)
		low, luma, current := makeColours(scale, 40, 31)
		for _, colour := range []float32{0, 0.25} {
			for i := range low {
				for k := range low[i].Pix {
					low[i].Pix[k] = colour
				}
				for k := range current[i].Pix {
					current[i].Pix[k] = colour
				}
			}
			for i, p := range applyColour(t, c, low, luma, current) {
				if !slices.Equal(p.Pix, current[i].Pix) {
					t.Errorf("×%d: colour %g becomes another", scale, colour)
				}
			}
		}
	}
}

func TestColour(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		c, _ := sampleColour(t, scale, 16, 1, 3)
		stagetest.RunColour(t, scale, c)
		low, luma, current := makeColours(scale, 40, 61)
		want := applyColour(t, c, low, luma, current)
		for form := range kernel.Tiers() {
			restore := kernel.Use(form)
			for i, p := range applyColour(t, c, low, luma, current) {
				if !slices.Equal(p.Pix, want[i].Pix) {
					t.Errorf("×%d, %s: other bits", scale, kernel.Tier())
				}
			}
			restore()
		}
	}
}
