package superres

import (
	"image"
	"image/color"
	"math"
	"reflect"
	"testing"

	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/stage/stagetest"
)

// disc returns a soft-edged disc of one colour on transparent ground. Fully transparent pixels have the colour hidden.
func disc(side int, radius float64, c, hidden color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	middle := float64(side-1) / 2
	for i := range side * side {
		cover := math.Max(0, math.Min(1, radius-math.Hypot(float64(i%side)-middle, float64(i/side)-middle)+0.5))
		c.A, hidden.A = uint8(math.Round(255*cover)), 0
		m.SetNRGBA(i%side, i/side, c)
		if c.A == 0 {
			m.SetNRGBA(i%side, i/side, hidden)
		}
	}
	return m
}

// An enlarged disc has no ring around it, light or dark, on any ground: it keeps its colour up to the edge, its
// inside is opaque, and its outside is fully transparent.
func TestDiscHasNoRing(t *testing.T) {
	const side, radius = 40, 14.0
	white, black := [3]uint8{255, 255, 255}, [3]uint8{}
	for _, c := range []struct {
		ink, hidden [3]uint8
		allowed     float64 // levels that colour may be off
	}{
		{white, black, 0}, {white, white, 0}, {black, white, 0}, {[3]uint8{240, 140, 20}, [3]uint8{0, 255, 0}, 1},
	} {
		opaque := func(c [3]uint8) color.NRGBA { return color.NRGBA{c[0], c[1], c[2], 255} }
		img := disc(side, radius, opaque(c.ink), opaque(c.hidden))
		for _, model := range []string{"nearest", "bicubic", "lanczos", "coupled", "photo"} {
			for _, scale := range []int{2, 3} {
				out := upscale(t, builtin(t, model), img, float64(scale)).(*image.NRGBA)
				middle := float64(side*scale-1) / 2
				for i := range side * scale * side * scale {
					x, y := i%(side*scale), i/(side*scale)
					p := out.NRGBAAt(x, y)
					r := math.Hypot(float64(x)-middle, float64(y)-middle) / float64(scale)
					if r < radius-2.5 && p.A != 255 || r > radius+2.5 && p.A != 0 {
						t.Fatalf("%v, %s ×%d: alpha %d at %.1f pixels from the middle", c, model, scale, p.A, r)
					}
					for j, got := range [3]uint8{p.R, p.G, p.B} {
						// On any ground, the results differ by the colours times alpha.
						if d := math.Abs(float64(got)-float64(c.ink[j])) * float64(p.A) / 255; d > c.allowed {
							t.Fatalf("%v, %s ×%d: %.1f levels off at (%d,%d), %v", c, model, scale, d, x, y, p)
						}
					}
				}
			}
		}
	}
	invisible := image.NewNRGBA(image.Rect(0, 0, 3, 3))
	got, want := upscale(t, builtin(t, "bicubic"), invisible, 2), image.NewNRGBA(image.Rect(0, 0, 6, 6))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a picture without a visible pixel became %v", got)
	}
}

// The model makes the outline of a disc sharper than interpolation does, and nearer to the outline of a larger disc.
func TestAlphaGoesThroughTheModel(t *testing.T) {
	white := color.NRGBA{255, 255, 255, 0}
	img, truth := disc(40, 14, white, white), disc(80, 28, white, white)
	off := map[string]float64{}
	for _, model := range []string{"bicubic", "photo"} {
		out := upscale(t, builtin(t, model), img, 2).(*image.NRGBA)
		for i := 3; i < len(out.Pix); i += 4 {
			d := float64(out.Pix[i]) - float64(truth.Pix[i])
			off[model] += d * d
		}
	}
	t.Logf("squared error of alpha: %v", off)
	if off["photo"] > 0.8*off["bicubic"] {
		t.Errorf("squared error %.0f, bicubic %.0f", off["photo"], off["bicubic"])
	}
}

// Grey stays grey, 16 bits a sample stay 16, and transparency stays, unless another depth is asked for.
func TestTypes(t *testing.T) {
	m := builtin(t, "bicubic")
	r := image.Rect(0, 0, 5, 4)
	for _, c := range []struct {
		img   image.Image
		depth int
		want  image.Image
	}{
		{image.NewGray(r), 0, &image.Gray{}}, {image.NewGray(r), 16, &image.Gray16{}},
		{image.NewGray16(r), 0, &image.Gray16{}}, {image.NewGray16(r), 8, &image.Gray{}},
		{image.NewNRGBA(r), 0, &image.NRGBA{}}, {image.NewNRGBA(r), 16, &image.NRGBA64{}},
		{image.NewNRGBA64(r), 0, &image.NRGBA64{}}, {image.NewNRGBA64(r), 8, &image.NRGBA{}},
		{image.NewRGBA64(r), 0, &image.NRGBA64{}}, {image.NewYCbCr(r, image.YCbCrSubsampleRatio420), 0, &image.NRGBA{}},
	} {
		got := upscaleWith(t, m, c.img, Options{Depth: c.depth})
		if reflect.TypeOf(got) != reflect.TypeOf(c.want) {
			t.Errorf("%T with depth %d: %T", c.img, c.depth, got)
		}
	}
}

// A picture in colour with grey pixels stays grey, and a flat picture stays flat.
func TestFlatAndGrey(t *testing.T) {
	for _, name := range []string{"coupled", "photo"} {
		m := builtin(t, name)
		in := deep(testimage.Drawing(24, 20, 2))
		out := upscaleWith(t, m, in, Options{Depth: 8}).(*image.NRGBA)
		for i := 0; i < len(out.Pix); i += 4 {
			if out.Pix[i] != out.Pix[i+1] || out.Pix[i] != out.Pix[i+2] || out.Pix[i+3] != 255 {
				t.Fatalf("%s: pixel %d is %v", name, i/4, out.Pix[i:i+4])
			}
		}
		flat := testimage.Gray(10, 10, func(_, _ int) uint8 { return 77 })
		for _, v := range upscale(t, m, flat, 3).(*image.Gray).Pix {
			if v != 77 {
				t.Fatalf("%s: a flat 77 became %d", name, v)
			}
		}
	}
}

// A grey picture with a Chroma is enlarged as the picture in colour that both make, in bands or as a whole, by a
// network or by interpolation.
func TestChroma(t *testing.T) {
	img := waves(40, 60)
	in := picture.Split(img)
	luma := in.Luma()
	grey, chroma := image.NewGray16(img.Rect), [2]*plane.Plane{plane.New(40, 60), plane.New(40, 60)}
	for i, v := range luma.Pix {
		grey.SetGray16(i%40, i/40, color.Gray16{Y: uint16(65535*v + 0.5)})
	}
	subtract(chroma[0], in.Channels[0], luma)
	subtract(chroma[1], in.Channels[2], luma)
	for name, m := range map[string]*Model{
		"photo-fast": builtin(t, "photo-fast"), "bicubic": builtin(t, "bicubic"),
		"blur": blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 1),
	} {
		for _, opt := range []Options{{Scale: 2}, {Scale: 2.5, BandRows: 13}} {
			want := picture.Split(upscaleWith(t, m, img, opt))
			opt.Chroma = &Chroma{Low: chroma}
			upscaleWith(t, m, grey, opt)
			for i, channel := range [2]int{0, 2} {
				difference := plane.New(want.Channels[0].W, want.Channels[0].H)
				subtract(difference, want.Channels[channel], want.Luma())
				if d := 255 * farthest(opt.Chroma.High[i], difference); d > 0.1 {
					t.Errorf("%s ×%g: channel %d is %.2f levels off", name, opt.Scale, channel, d)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		img image.Image
		low [2]*plane.Plane
	}{
		"small": {grey, [2]*plane.Plane{luma, plane.New(9, 9)}}, "absent": {img: grey},
		"of a picture in colour": {img, chroma},
	} {
		opt := Options{Chroma: &Chroma{Low: c.low}}
		if _, err := builtin(t, "bicubic").Upscale(t.Context(), c.img, opt); err == nil {
			t.Errorf("chroma, %s: no error", name)
		}
	}
}

// With the colours multiplied by opacity, a result laid on black is the enlargement of the picture laid on black, as in
// programs that edit pictures, opacity is what it is by itself, and hidden colours have no part in it.
func TestPremultiplied(t *testing.T) {
	img := disc(24, 8, color.NRGBA{240, 140, 20, 255}, color.NRGBA{0, 255, 0, 255})
	for i := range img.Pix { // stripes
		if i/4%3 == 0 && i%4 < 3 {
			img.Pix[i] /= 3
		}
	}
	onBlack := func(img image.Image) *image.NRGBA64 {
		out := image.NewNRGBA64(img.Bounds())
		for i := range out.Rect.Dx() * out.Rect.Dy() {
			x, y := i%out.Rect.Dx(), i/out.Rect.Dx()
			r, g, b, _ := img.At(x, y).RGBA()
			out.SetNRGBA64(x, y, color.NRGBA64{uint16(r), uint16(g), uint16(b), 0xffff})
		}
		return out
	}
	for model, exact := range map[string]int{"bicubic": 2, "photo-fast": 0x101} { // which rounds where areas are flat
		for depth, allowed := range map[int]int{8: 0x101, 16: exact} {
			opt := Options{Scale: 3, Alpha: AlphaPremultiplied, Depth: depth}
			m := builtin(t, model)
			got := upscaleWith(t, m, img, opt)
			opt.Alpha = AlphaSeparate
			separate := upscaleWith(t, m, img, opt)
			on, want := onBlack(got), upscaleWith(t, m, onBlack(img), Options{Scale: 3}).(*image.NRGBA64)
			for i := range 72 * 72 {
				x, y := i%72, i/72
				_, _, _, a := got.At(x, y).RGBA()
				if _, _, _, by := separate.At(x, y).RGBA(); a != by {
					t.Fatalf("%s: opacity %d at (%d,%d), %d by itself", model, a, x, y, by)
				}
				p, q := on.NRGBA64At(x, y), want.NRGBA64At(x, y)
				for c, v := range [3]uint16{p.R, p.G, p.B} {
					of := min(int([3]uint16{q.R, q.G, q.B}[c]), int(a)) // no colour is more than white
					if d := int(v) - of; d > allowed || -d > allowed {
						t.Fatalf("%s, %d bits: (%d,%d) is %v, expected %v", model, depth, x, y, p, q)
					}
				}
			}
		}
	}
}
