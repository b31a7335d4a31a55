package superres

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math"
	"reflect"
	"runtime"
	"testing"

	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
)

// A trained model beats bicubic on drawings it has not seen.
func TestTrainedModelsRestore(t *testing.T) {
	plain := &Model{Degradation: resample.Cubic, Kernel: resample.Bicubic}
	for scale := 2; scale <= 4; scale++ {
		for _, extended := range []bool{false, true} {
			m := small(t, scale, extended)
			unseen := testimage.Drawing(71, 59, 0.5)
			got, err := m.Restore(t.Context(), unseen, scale)
			if err != nil {
				t.Fatal(err)
			}
			base, err := plain.Restore(t.Context(), unseen, scale)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("×%d extended %v: %.2f dB, bicubic %.2f dB", scale, extended, got.PSNR, base.PSNR)
			if extended && got.PSNR < base.PSNR+1 {
				t.Errorf("×%d: %.2f dB, bicubic %.2f", scale, got.PSNR, base.PSNR)
			}
		}
	}
}

func TestSaveAndLoad(t *testing.T) {
	for _, extended := range []bool{false, true} {
		m := small(t, 3, extended)
		data := save(t, m)
		back, err := Load(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, save(t, back)) {
			t.Error("saved, loaded and saved gives other bytes")
		}
		img := testimage.Drawing(21, 18, 2)
		if !reflect.DeepEqual(upscale(t, m, img, 3), upscale(t, back, img, 3)) {
			t.Error("the loaded model gives another picture")
		}
	}
}

func TestPlainIsNotSaved(t *testing.T) {
	plain := builtin(t, "lanczos")
	if plain.Save(&bytes.Buffer{}) == nil {
		t.Error("a plain interpolation is saved")
	}
}

// Same bytes with any number of workers: training and upscaling.
func TestWorkersChangeNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var model []byte
	var picture image.Image
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		m := small(t, 2, true)
		data, out := save(t, m), upscale(t, m, testimage.Drawing(61, 47, 3), 2.5)
		if model == nil {
			model, picture = data, out
		}
		if !bytes.Equal(model, data) || !reflect.DeepEqual(picture, out) {
			t.Errorf("%d workers give other bytes", procs)
		}
	}
}

// Any size, any scale: the right size and no panic; grey stays grey and 16 bits
// stay 16.
func TestSizesAndTypes(t *testing.T) {
	m := small(t, 2, true)
	for _, size := range [][2]int{{1, 1}, {1, 200}, {200, 1}, {2, 2}, {7, 5}, {3, 3}, {31, 17}} {
		for _, scale := range []float64{1, 1.5, 2, 3, 4.7, 16} {
			if size[0]*size[1] > 100 && scale > 5 {
				continue
			}
			b := upscale(t, m, testimage.Drawing(size[0], size[1], 1), scale).Bounds()
			w, h := max(1, int(math.Round(scale*float64(size[0])))), max(1, int(math.Round(scale*float64(size[1]))))
			if b != image.Rect(0, 0, w, h) {
				t.Errorf("%v ×%g is %v, expected %d×%d", size, scale, b, w, h)
			}
		}
	}
	r := image.Rect(0, 0, 9, 8)
	for name, c := range map[string]struct{ in, want image.Image }{
		"gray":    {testimage.Fill(image.NewGray(r), true), &image.Gray{}},
		"gray16":  {testimage.Fill(image.NewGray16(r), true), &image.Gray16{}},
		"nrgba":   {testimage.Fill(image.NewNRGBA(r), false), &image.NRGBA{}},
		"nrgba64": {testimage.Fill(image.NewNRGBA64(r), false), &image.NRGBA64{}},
		"rgba64":  {testimage.Fill(image.NewRGBA64(r), true), &image.NRGBA64{}},
	} {
		if got := upscale(t, m, c.in, 2); reflect.TypeOf(got) != reflect.TypeOf(c.want) {
			t.Errorf("%s came back as %T", name, got)
		}
	}
	for _, scale := range []float64{0.5, -1, 16.1, math.NaN(), math.Inf(1)} {
		if _, err := m.Upscale(t.Context(), testimage.Drawing(4, 4, 0), Options{Scale: scale}); err == nil {
			t.Errorf("scale %g: no error", scale)
		}
	}
	if _, err := m.Upscale(t.Context(), image.NewGray(image.Rect(0, 0, 0, 5)), Options{}); err == nil {
		t.Error("an empty picture: no error")
	}
}

// Grey in colours stays grey, and a flat picture stays flat.
func TestFlatAndGrey(t *testing.T) {
	m := small(t, 2, true)
	in := image.NewNRGBA(image.Rect(0, 0, 24, 20))
	g := testimage.Drawing(24, 20, 2)
	for i, v := range g.Pix {
		copy(in.Pix[4*i:], []uint8{v, v, v, 255})
	}
	out := upscale(t, m, in, 2).(*image.NRGBA)
	for i := 0; i < len(out.Pix); i += 4 {
		if out.Pix[i] != out.Pix[i+1] || out.Pix[i] != out.Pix[i+2] || out.Pix[i+3] != 255 {
			t.Fatalf("pixel %d is %v", i/4, out.Pix[i:i+4])
		}
	}
	for _, v := range upscale(t, m, testimage.Gray(10, 10, func(x, y int) uint8 { return 77 }), 3).(*image.Gray).Pix {
		if v != 77 {
			t.Fatalf("a flat 77 became %d", v)
		}
	}
}

func TestCancellation(t *testing.T) {
	m := small(t, 2, true)
	ctx, cancel := context.WithCancel(t.Context())
	img := testimage.Drawing(400, 300, 1)
	_, err := m.Upscale(ctx, img, Options{Scale: 4, Progress: func(share float64) {
		if share > 0.3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("upscaling: %v", err)
	}
}

// Progress goes from 0 to 1 and never back.
func TestProgress(t *testing.T) {
	m := small(t, 2, true)
	last := 0.0
	_, err := m.Upscale(t.Context(), testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 50, 40)), false), Options{Scale: 5, Progress: func(share float64) {
		if share < last || share > 1+1e-9 {
			t.Errorf("%g after %g", share, last)
		}
		last = share
	}})
	if err != nil || math.Abs(last-1) > 1e-9 {
		t.Errorf("ended at %g, %v", last, err)
	}
}

func TestTuning(t *testing.T) {
	m := small(t, 2, true)
	none, seven := 0, 7
	for want, tune := range map[string]stage.Tuning{
		"coupled backproject":  {},
		"coupled":              {BackProject: &none},
		"coupled backproject ": {Sparsity: 1, BackProject: &seven},
	} {
		got, err := m.Tune(tune)
		if err != nil {
			t.Fatal(err)
		}
		kinds := ""
		for i, s := range got.Stages {
			if i > 0 {
				kinds += " "
			}
			kinds += s.Kind()
		}
		if n, _, ok := stage.BackProjection(got.Stages[len(got.Stages)-1]); kinds != string(bytes.TrimSpace([]byte(want))) || ok && tune.BackProject != nil && n != 7 {
			t.Errorf("%+v: %s", tune, kinds)
		}
	}
	plain := builtin(t, "bicubic")
	for _, c := range []struct {
		m *Model
		t stage.Tuning
	}{{m, stage.Tuning{Coder: "opm"}}, {m, stage.Tuning{Sparsity: 41}}, {m, stage.Tuning{Sparsity: -1}}, {plain, stage.Tuning{Sparsity: 2}}, {plain, stage.Tuning{BackProject: &seven}}} {
		if _, err := c.m.Tune(c.t); err == nil {
			t.Errorf("%+v: no error", c.t)
		}
	}
}
