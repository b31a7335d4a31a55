package superres

import (
	"bytes"
	"image"
	"math"
	"superres/patches/plane"
	"testing"

	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
)

// leveled is photo-real's smaller model at two levels.
func leveled(t *testing.T) (little, much *Model) {
	t.Helper()
	m := builtin(t, "photo-real-fast")
	at := func(level float64) *Model {
		tuned, err := m.Tune(stage.Tuning{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		return tuned
	}
	return at(0.05), at(0.6)
}

// shares is a plane of W×H cells.
func shares(w, h int, of ...float32) *plane.Plane { return &plane.Plane{W: w, H: h, Pix: of} }

func mixed(t *testing.T, m *Model, img image.Image, opt Options) *image.NRGBA64 {
	t.Helper()
	opt.Depth = 16
	out, err := m.Upscale(t.Context(), img, opt)
	if err != nil {
		t.Fatal(err)
	}
	return deep(out)
}

// A mixture is between its two parts as the shares say: all of one, half, and a step.
func TestMix(t *testing.T) {
	little, much := leveled(t)
	drawn := testimage.Drawing(60, 44, 2)
	for name, img := range map[string]image.Image{"three channels": deep(drawn), "grey": drawn} {
		for _, scale := range []float64{2, 2.5, 4} {
			opt := Options{Scale: scale}
			a, b := mixed(t, little, img, opt), mixed(t, much, img, opt)
			for _, c := range []struct {
				share *plane.Plane
				at    func(x, y float64) float64 // of a place, 0 to 1
			}{
				{shares(1, 1, 0), func(_, _ float64) float64 { return 0 }},
				{shares(2, 1, 1, 1), func(_, _ float64) float64 { return 1 }},
				{shares(1, 2, 0.5, 0.5), func(_, _ float64) float64 { return 0.5 }},
				{shares(2, 1, 0, 1), func(x, _ float64) float64 { return min(max(2*x-0.5, 0), 1) }},
				{shares(1, 4, 0, 1, 0, 0.5), func(_, y float64) float64 {
					list := []float64{0, 0, 1, 0, 0.5, 0.5}
					at := 4*y + 0.5
					i := int(at)
					return list[i] + (at-float64(i))*(list[i+1]-list[i])
				}},
			} {
				opt.Mix = &Mix{Model: much, Share: c.share}
				got := mixed(t, little, img, opt)
				w, h, worst := got.Rect.Dx(), got.Rect.Dy(), 0.0
				for i := 0; i < len(got.Pix); i += 2 {
					sample := func(p *image.NRGBA64) float64 { return float64(int(p.Pix[i])<<8 | int(p.Pix[i+1])) }
					share := c.at((float64(i/8%w)+0.5)/float64(w), (float64(i/8/w)+0.5)/float64(h))
					want := sample(a) + share*(sample(b)-sample(a))
					if min(sample(a), sample(b)) < 300 || max(sample(a), sample(b)) > 65200 {
						continue // cut off
					}
					worst = max(worst, abs(sample(got)-want)/257)
				}
				if worst > 1 {
					t.Errorf("%s ×%g, %v: %.2f levels off", name, scale, c.share, worst)
				}
			}
		}
	}
}

// Colour is mixed as brightness is.
func TestMixColour(t *testing.T) {
	little, much := leveled(t)
	in := []*plane.Plane{testimage.Noise(40, 30), testimage.Noise(40, 30), testimage.Noise(40, 30)}
	x, err := little.newMixer(&Mix{Model: much, Share: shares(1, 1, 0.25)}, sizes{40, 30, 80, 60})
	if err != nil {
		t.Fatal(err)
	}
	of := func(m *Model, mix *mixer) []*plane.Plane {
		t.Helper()
		out, err := m.enlargePlanes(t.Context(), in, task{sizes: sizes{40, 30, 80, 60}, planes: 3, mixer: mix})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a, b, got := of(little, nil), of(much, nil), of(little, x)
	for i, p := range got {
		for at, v := range p.Pix {
			if want := a[i].Pix[at] + 0.25*(b[i].Pix[at]-a[i].Pix[at]); abs(float64(v-want)) > 1e-6 {
				t.Fatalf("plane %d, sample %d: %g, expected %g", i, at, v, want)
			}
		}
	}
}

// A mixture is the same in bands, in strips, and of a part of the picture; at effort max it is
// that of the eight forms.
func TestMixInParts(t *testing.T) {
	little, much := leveled(t)
	img := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 72, 150)), true)
	share := shares(3, 2, 0, 0.7, 0.2, 1, 0.1, 0.9)
	whole := Options{Scale: 2, Depth: 16, Mix: &Mix{Model: much, Share: share}}
	want := mixed(t, little, img, whole)
	for _, rows := range []int{13, 40, 150} {
		opt := whole
		opt.BandRows = rows
		if got := mixed(t, little, img, opt); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("in bands of %d rows it is another", rows)
		}
	}
	var strips []byte
	err := little.Stream(t.Context(), img, whole, func(strip image.Image) error {
		strips = append(strips, deep(strip).Pix...)
		return nil
	})
	if err != nil || !bytes.Equal(strips, want.Pix) {
		t.Errorf("in strips it is another: %v", err)
	}
	part := image.Rect(12, 36, 72, 150)
	opt := whole
	opt.Scale, opt.Width, opt.Height = 0, 2*part.Dx(), 2*part.Dy()
	opt.Mix = &Mix{Model: much, Share: share, Of: img.Bounds().Sub(part.Min)}
	got := mixed(t, little, img.SubImage(part), opt)
	reach := 2 * little.Reach(72, 150, 144, 300)
	for y := reach; y < got.Rect.Dy(); y++ {
		from, to := 8*reach, 8*got.Rect.Dx()
		at := want.PixOffset(2*part.Min.X, 2*part.Min.Y+y)
		if !bytes.Equal(got.Pix[y*got.Stride:][from:to], want.Pix[at:][from:to]) {
			t.Fatalf("row %d of a part is another", y)
		}
	}
	max1, err := little.Effort("max")
	if err != nil {
		t.Fatal(err)
	}
	max2, err := much.Effort("max")
	if err != nil {
		t.Fatal(err)
	}
	small := testimage.Drawing(40, 31, 1)
	a, b := mixed(t, max1, small, Options{Scale: 2}), mixed(t, max2, small, Options{Scale: 2})
	both := mixed(t, max1, small, Options{Scale: 2, Mix: &Mix{Model: max2, Share: shares(2, 1, 0, 1)}})
	for _, c := range []struct {
		want *image.NRGBA64
		x    int
	}{{a, 0}, {b, 79}} {
		for y := range 62 {
			at := both.PixOffset(c.x, y)
			if d := int(both.Pix[at]) - int(c.want.Pix[at]); d < -1 || d > 1 {
				t.Errorf("effort max, (%d,%d): %d, expected %d", c.x, y, both.Pix[at], c.want.Pix[at])
			}
		}
	}
}

// The weights of a form are those of the picture, turned and flipped.
func TestMixOriented(t *testing.T) {
	const w, h = 37, 22
	x := &mixer{share: shares(3, 2, 0, 0.7, 0.2, 1, 0.1, 0.9), across: cellWeights(w, w, 0, w, 3), down: cellWeights(h, h, 0, h, 2)}
	of := func(x *mixer) *plane.Plane {
		zero, ones := plane.New(len(x.across), len(x.down)), plane.New(len(x.across), len(x.down))
		for i := range ones.Pix {
			ones.Pix[i] = 1
		}
		x.mix(0, []*plane.Plane{zero}, []*plane.Plane{ones})
		return zero
	}
	plain := of(x)
	for form := range int32(picture.Orientations) {
		got, want := of(x.oriented(form)), picture.Oriented(plain, form)
		if got.W != want.W || got.H != want.H {
			t.Fatalf("form %d: %d×%d", form, got.W, got.H)
		}
		for i, v := range got.Pix {
			if math.Abs(float64(v-want.Pix[i])) > 1e-6 {
				t.Fatalf("form %d, sample %d: %g, expected %g", form, i, v, want.Pix[i])
			}
		}
	}
	if (*mixer)(nil).oriented(picture.FlipX) != nil {
		t.Error("a mixer out of none")
	}
}

// Models that are not the same but for their tuning are refused, and what is no mixture.
func TestMixRefuses(t *testing.T) {
	little, _ := leveled(t)
	img := testimage.Drawing(30, 30, 1)
	for name, other := range map[string]*Model{"photo-real": builtin(t, "photo-real"), "bicubic": Plain(resample.Bicubic)} {
		if _, err := little.Upscale(t.Context(), img, Options{Mix: &Mix{Model: other, Share: shares(1, 1, 0.5)}}); err == nil {
			t.Errorf("no error for a mixture with %s", name)
		}
	}
	for _, mix := range []Mix{{}, {Model: little}, {Model: little, Share: shares(0, 0)}} {
		if _, err := little.Upscale(t.Context(), img, Options{Mix: &mix}); err == nil {
			t.Errorf("no error for %+v", mix)
		}
	}
}
