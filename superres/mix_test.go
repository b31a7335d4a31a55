package superres

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"testing"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// tunedModels returns the smaller model of photo-real tuned for weak and for strong degradations.
func tunedModels(t *testing.T) (weak, strong *Model) {
	t.Helper()
	m := builtin(t, "photo-real-fast")
	tune := func(strength float64) *Model {
		return must.Get(m.Tune(stage.Tuning{Strength: strength}))(t)
	}
	return tune(0.05), tune(0.6)
}

// shares returns a plane of w×h cells.
func shares(w, h int, values ...float32) *plane.Plane { return &plane.Plane{W: w, H: h, Pix: values} }

// waves returns a picture in colour of 16 bits a sample, of middle tones, in which no two samples side by side are
// equal, so that nothing of an enlargement is clamped.
func waves(w, h int) *image.NRGBA64 {
	out := image.NewNRGBA64(image.Rect(0, 0, w, h))
	wave := func(x, y, length float64) uint16 {
		return uint16(32768 + 9000*math.Sin(x/length+y/5)*math.Cos(y/length-x/7))
	}
	for i := range w * h {
		x, y := float64(i%w), float64(i/w)
		out.SetNRGBA64(i%w, i/w, color.NRGBA64{wave(x, y, 1.1), wave(x, y, 1.3), wave(x, y, 1.7), 0xffff})
	}
	return out
}

// checkBetween fails the test unless every sample of got is a + share·(b − a), but for one of 255 levels. Samples
// that are near black or white may have been cut off, and do not count. share takes a position in the picture, 0 to 1.
func checkBetween(t *testing.T, what string, got, a, b *image.NRGBA64, share func(x, y float64) float64) {
	t.Helper()
	inRange := func(v float64) bool { return v > 700 && v < 64800 }
	w, h, worst, compared := got.Rect.Dx(), got.Rect.Dy(), 0.0, 0
	for i := range len(got.Pix) / 2 {
		from, to := sampleAt(a, i), sampleAt(b, i)
		s := share((float64(i/4%w)+0.5)/float64(w), (float64(i/4/w)+0.5)/float64(h))
		if want := from + s*(to-from); inRange(from) && inRange(to) && inRange(want) {
			worst = max(worst, math.Abs(sampleAt(got, i)-want)/257)
			compared++
		}
	}
	if worst > 1 || compared < w*h {
		t.Errorf("%s: %.2f levels off, in %d samples", what, worst, compared)
	}
}

// A mixture lies between its two parts as the shares say, in grey and colour, in one pass and several.
func TestMix(t *testing.T) {
	weak, strong := tunedModels(t)
	for name, img := range map[string]image.Image{"colour": waves(60, 44), "grey": testimage.Drawing(60, 44, 2)} {
		for _, scale := range []float64{2, 2.5, 4} {
			opt := Options{Scale: scale}
			a, b := deepUpscale(t, weak, img, opt), deepUpscale(t, strong, img, opt)
			for _, c := range []struct {
				share *plane.Plane
				at    func(x, y float64) float64
			}{
				{shares(1, 1, 0), func(_, _ float64) float64 { return 0 }},
				{shares(2, 1, 1, 1), func(_, _ float64) float64 { return 1 }},
				{shares(1, 2, 0.5, 0.5), func(_, _ float64) float64 { return 0.5 }},
				{shares(2, 1, 0, 1), func(x, _ float64) float64 { return min(max(2*x-0.5, 0), 1) }},
				{shares(1, 4, 0, 1, 0, 0.5), func(_, y float64) float64 {
					list := []float64{0, 0, 1, 0, 0.5, 0.5}
					i, part := math.Modf(4*y + 0.5)
					return list[int(i)] + part*(list[int(i)+1]-list[int(i)])
				}},
			} {
				opt.Mix = &Mix{Model: strong, Share: c.share}
				got := deepUpscale(t, weak, img, opt)
				checkBetween(t, fmt.Sprintf("%s ×%g, %v", name, scale, c.share), got, a, b, c.at)
			}
		}
	}
}

// A mixture has the same bytes in bands, in strips, and for a part of a picture. At effort max it is the mixture of the
// four quarter turns.
func TestMixInParts(t *testing.T) {
	weak, strong := tunedModels(t)
	img := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 72, 150)), true)
	share := shares(3, 2, 0, 0.7, 0.2, 1, 0.1, 0.9)
	opt := Options{Scale: 2, Depth: 16, Mix: &Mix{Model: strong, Share: share}}
	want := deepUpscale(t, weak, img, opt)
	for _, rows := range []int{13, 40, 150} {
		banded := opt
		banded.BandRows = rows
		if got := deepUpscale(t, weak, img, banded); !bytes.Equal(got.Pix, want.Pix) {
			t.Errorf("another picture in bands of %d rows", rows)
		}
	}
	var strips []byte
	err := weak.Stream(t.Context(), img, opt, func(strip image.Image) error {
		strips = append(strips, strip.(*image.NRGBA64).Pix...)
		return nil
	})
	if err != nil || !bytes.Equal(strips, want.Pix) {
		t.Errorf("another picture in strips: %v", err)
	}
	part := image.Rect(12, 36, 72, 150)
	mix := &Mix{Model: strong, Share: share, Area: img.Bounds().Sub(part.Min)}
	opt = Options{Width: 2 * part.Dx(), Height: 2 * part.Dy(), Mix: mix}
	got := deepUpscale(t, weak, img.SubImage(part), opt)
	reach := 2 * weak.Reach(72, 150, 144, 300)
	for y := reach; y < got.Rect.Dy(); y++ {
		from, to := 8*reach, 8*got.Rect.Dx()
		at := want.PixOffset(2*part.Min.X, 2*part.Min.Y+y)
		if !bytes.Equal(got.Pix[y*got.Stride:][from:to], want.Pix[at:][from:to]) {
			t.Fatalf("row %d of a part is another", y)
		}
	}
	drawing := testimage.Drawing(40, 31, 1)
	weak, strong = withEffort(t, weak, "max"), withEffort(t, strong, "max")
	a, b := deepUpscale(t, weak, drawing, Options{Scale: 2}), deepUpscale(t, strong, drawing, Options{Scale: 2})
	got = deepUpscale(t, weak, drawing, Options{Scale: 2, Mix: &Mix{Model: strong, Share: shares(2, 1, 0, 1)}})
	checkBetween(t, "effort max", got, a, b, func(x, _ float64) float64 { return min(max(2*x-0.5, 0), 1) })
}

// farthest returns the greatest difference of two planes of the same size.
func farthest(a, b *plane.Plane) (most float64) {
	for i, v := range a.Pix {
		most = max(most, math.Abs(float64(v-b.Pix[i])))
	}
	return most
}

// Models that look differently far are mixed as models that look equally far: their results are mixed, in bands of any
// height.
func TestMixOfDifferentReach(t *testing.T) {
	near, far := builtin(t, "photo-fast"), builtin(t, "photo-real")
	img, opt := deep(testimage.Drawing(60, 50, 1)), Options{Scale: 2}
	a, b := deepUpscale(t, near, img, opt), deepUpscale(t, far, img, opt)
	opt.Mix = &Mix{Model: far, Share: shares(1, 1, 0.25)}
	for _, opt.BandRows = range []int{0, 3, 7, 100} {
		got := deepUpscale(t, near, img, opt)
		for i := 0; i < len(got.Pix); i += 2 {
			at := func(m *image.NRGBA64) float64 { return float64(m.Pix[i])*256 + float64(m.Pix[i+1]) }
			if want := 0.75*at(a) + 0.25*at(b); math.Abs(at(got)-want) > 300 {
				t.Fatalf("bands of %d rows: %g at %d, expected %g", opt.BandRows, at(got), i, want)
			}
		}
	}
}

// Incomplete mixtures are refused, and models of different scales, or that only interpolate.
func TestMixRefuses(t *testing.T) {
	weak, _ := tunedModels(t)
	img, share := testimage.Drawing(30, 30, 1), shares(1, 1, 0.5)
	for name, mix := range map[string]Mix{
		"another scale": {Model: must.Get(builtin(t, "photo-real").modelFor(3))(t), Share: share},
		"bicubic":       {Model: Plain(resample.Bicubic), Share: share},
		"nothing":       {}, "no share": {Model: weak}, "no cells": {Model: weak, Share: shares(0, 0)},
	} {
		if _, err := weak.Upscale(t.Context(), img, Options{Mix: &mix}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Brightness, or all colours of a network's result, are as far from what interpolation makes as the strength says: in
// grey and colour, with transparency and without, at the model's scale and at others.
func TestStrength(t *testing.T) {
	m := builtin(t, "photo-fast")
	network := func(factor int) *Model {
		return blurModel(t, stagetest.Blur{Factor: factor, Planes: 3, Radius: 1}, 0)
	}
	grey := testimage.Drawing(50, 40, 2)
	colour, transparent := deep(grey), deep(grey) // of grey pixels, as the strength concerns brightness alone
	for i := range 50 * 40 {
		transparent.Pix[8*i+6] = uint8(100 + 3*(i%50))
	}
	for name, c := range map[string]struct {
		model *Model
		img   image.Image
	}{
		"colour": {m, colour}, "grey": {m, grey}, "transparent": {m, transparent},
		"network": {network(2), grain(21, 17, 3)}, "network of grey": {network(2), grain(21, 17, 1)},
		"network of the same size":         {network(1), grain(21, 17, 3)},
		"network of grey of the same size": {network(1), grain(21, 17, 1)},
	} {
		for _, scale := range []float64{float64(c.model.Scale), 2.5} {
			run := func(m *Model, strength *float64) *image.NRGBA64 {
				return deepUpscale(t, m, c.img, Options{Scale: scale, Strength: strength})
			}
			full, plain, unit := run(c.model, nil), run(Plain(resample.Bicubic), nil), 1.0
			if !bytes.Equal(run(c.model, &unit).Pix, full.Pix) {
				t.Errorf("%s ×%g: strength 1 changes something", name, scale)
			}
			for _, strength := range []float64{0, 0.5, 1.3} {
				what := fmt.Sprintf("%s ×%g, strength %g", name, scale, strength)
				got := run(c.model, &strength)
				checkBetween(t, what, got, plain, full, func(_, _ float64) float64 { return strength })
			}
		}
	}
	for _, strength := range []float64{-0.1, 1.4, math.NaN()} {
		if _, err := m.Upscale(t.Context(), colour, Options{Strength: &strength}); err == nil {
			t.Errorf("no error for strength %g", strength)
		}
	}
}

// At its own size a picture is restored by a model that takes noise away, and left as it is by one that does not; a
// mixture lies between the two. It is the same in any bands, at each effort, and transparency stays as it is.
func TestRestore(t *testing.T) {
	photo := builtin(t, "photo-fast")
	real := must.Get(builtin(t, "photo-real-fast").Tune(stage.Tuning{Strength: 0.4}))(t)
	clean := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile("../testdata/hopper.png"))(t))))(t)
	noisy := degrade.WithNoise(clean, 10, 1)
	same, restored := deepUpscale(t, photo, noisy, Options{Scale: 1}), deepUpscale(t, real, noisy, Options{Scale: 1})
	if !bytes.Equal(same.Pix, deep(noisy).Pix) {
		t.Error("a model for clean pictures changes a picture")
	}
	if before, after := levelsApart(deep(clean), same), levelsApart(deep(clean), restored); after > 0.7*before {
		t.Errorf("an error of %.2f levels, of %.2f before", after, before)
	}
	wave := waves(60, 44) // no two samples are equal, so that nothing is clamped
	quarter := func(_, _ float64) float64 { return 0.25 }
	for _, effort := range Efforts()[1:] {
		first, second := must.Get(photo.Effort(effort))(t), must.Get(real.Effort(effort))(t)
		mixed := func(a, b *Model, share float32, bandRows int) *image.NRGBA64 {
			mix := &Mix{Model: b, Share: shares(1, 1, share)}
			return deepUpscale(t, a, wave, Options{Scale: 1, Mix: mix, BandRows: bandRows})
		}
		all := deepUpscale(t, second, wave, Options{Scale: 1})
		checkBetween(t, effort, mixed(first, second, 0.25, 0), wave, all, quarter)
		checkBetween(t, effort+" swapped", mixed(second, first, 0.75, 0), wave, all, quarter)
		if !bytes.Equal(mixed(first, second, 0.5, 0).Pix, mixed(first, second, 0.5, 7).Pix) {
			t.Errorf("%s: bands change a mixture", effort)
		}
	}
	figure := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range figure.Pix {
		figure.Pix[i] = uint8(i * i)
	}
	for name, opt := range map[string]Options{"alone": {Scale: 1},
		"mixed": {Scale: 1, Mix: &Mix{Model: photo, Share: shares(1, 1, 0.5)}}} {
		out := must.Get(real.Upscale(t.Context(), figure, opt))(t).(*image.NRGBA)
		for i := 3; i < len(figure.Pix); i += 4 {
			if out.Pix[i] != figure.Pix[i] {
				t.Fatalf("%s: transparency %d of pixel %d, expected %d", name, out.Pix[i], i/4, figure.Pix[i])
			}
		}
	}
}

// levelsApart returns the mean difference of the samples of two pictures, in levels of 255.
func levelsApart(a, b *image.NRGBA64) float64 {
	sum := 0.0
	for i := range len(a.Pix) / 2 {
		sum += math.Abs(sampleAt(a, i)-sampleAt(b, i)) / 257
	}
	return sum / float64(len(a.Pix)/2)
}
