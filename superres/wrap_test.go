package superres

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"reflect"
	"testing"

	"superres/internal/must"
	"superres/superres/resample"
)

// texture returns a texture of w×h pixels with edges that meet: waves with whole periods, shifted by dx and dy.
func texture(w, h, dx, dy int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := 2*math.Pi*float64((x+dx)%w)/float64(w), 2*math.Pi*float64((y+dy)%h)/float64(h)
			level := func(a, b, phase float64) uint8 { return uint8(128 + 100*math.Sin(a*u+b*v+phase)) }
			img.SetNRGBA(x, y, color.NRGBA{level(5, 3, 0), level(2, -7, 1), level(-6, 4, 2), 255})
		}
	}
	return img
}

// The result for a texture with edges that meet has such edges, too: a shifted texture gives the shifted result, also
// in strips.
func TestWrap(t *testing.T) {
	for name, m := range map[string]*Model{"photo-fast": builtin(t, "photo-fast"), "bicubic": Plain(resample.Bicubic)} {
		for _, scale := range []int{2, 4} {
			opt := Options{Scale: float64(scale), WrapX: true, WrapY: true}
			w, h := 45, 39
			first := upscaleWith(t, m, texture(w, h, 0, 0), opt).(*image.NRGBA)
			second := upscaleWith(t, m, texture(w, h, 20, 11), opt).(*image.NRGBA)
			if first.Rect != image.Rect(0, 0, scale*w, scale*h) {
				t.Fatalf("%s: %v", name, first.Rect)
			}
			off := 0
			for y := range scale * h {
				for x := range scale * w {
					if second.NRGBAAt(x, y) != first.NRGBAAt((x+scale*20)%(scale*w), (y+scale*11)%(scale*h)) {
						off++
					}
				}
			}
			if off > 0 {
				t.Errorf("%s ×%d: %d pixels of the shifted texture differ", name, scale, off)
			}
			opt.BandRows = 7
			streamed, top := image.NewNRGBA(first.Rect), 0
			must.Succeed(t, m.Stream(t.Context(), texture(w, h, 0, 0), opt, func(strip image.Image) error {
				draw.Draw(streamed, strip.Bounds().Add(image.Pt(0, top)), strip, image.Point{}, draw.Src)
				top += strip.Bounds().Dy()
				return nil
			}))
			if !reflect.DeepEqual(streamed, first) {
				t.Errorf("%s ×%d: in strips it has other pixels", name, scale)
			}
			over, inside := seam(first)
			if over > 1.05*inside {
				t.Errorf("%s ×%d: a jump of %.2f over the seam, %.2f inside", name, scale, over, inside)
			}
			t.Logf("%s ×%d: a jump of %.2f over the seam, %.2f inside", name, scale, over, inside)
		}
	}
}

// seam returns the mean difference of green over the seam between the left and right edges, and of all neighbours.
func seam(img *image.NRGBA) (over, inside float64) {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	for y := range h {
		for x := range w {
			d := math.Abs(float64(img.NRGBAAt(x, y).G) - float64(img.NRGBAAt((x+1)%w, y).G))
			if inside += d / float64(w*h); x == w-1 {
				over += d / float64(h)
			}
		}
	}
	return over, inside
}

// A hard outline has no haze outside, nor inside; hidden colours stay where they are asked for.
func TestHardAlpha(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	for y := range 40 {
		for x := range 40 {
			c := color.NRGBA{250, 20, 30, 0}
			if (x-20)*(x-20)+(y-20)*(y-20) < 200 {
				c = color.NRGBA{20, 200, 30, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	out := upscaleWith(t, builtin(t, "photo-fast"), img, Options{Scale: 4, Alpha: AlphaKeepRGB}).(*image.NRGBA)
	between := 0
	for i := 3; i < len(out.Pix); i += 4 {
		switch a := out.Pix[i]; {
		case a > 0 && a < 8, a > 247 && a < 255:
			t.Fatalf("pixel %d has an alpha of %d", i/4, a)
		case a > 0 && a < 255:
			between++
		}
	}
	if between < 100 {
		t.Errorf("%d pixels of the edge are antialiased", between)
	}
	if c := out.NRGBAAt(2, 2); c.A != 0 || c.R < 245 || c.G > 25 {
		t.Errorf("the hidden colour is %v", c)
	}
}
