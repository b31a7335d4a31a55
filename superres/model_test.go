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

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/patches"
)

// drawing is a picture with edges in all directions, drawn by formula.
func drawing(w, h int, phase float64) *image.Gray {
	return gray(w, h, func(x, y int) uint8 {
		u, v := float64(x)-float64(w)/2, float64(y)-float64(h)/2
		a := math.Tanh(2 * math.Sin(math.Hypot(u, v)/4+phase))
		b := math.Tanh(3 * math.Sin((u*math.Cos(phase)+v*math.Sin(phase))/5))
		return uint8(127.5 + 60*a + 60*b)
	})
}

func drawings(n int) []Source {
	var list []Source
	for i := range n {
		list = append(list, Source{Name: "drawing", Open: func(context.Context) (image.Image, error) { return drawing(64, 48, float64(i)), nil }})
	}
	return list
}

// small is a quickly trained model; with all the extensions, or in the paper's form.
func small(t testing.TB, scale int, extended bool) *Model {
	t.Helper()
	o := TrainOptions{Scale: scale, Atoms: 40, Patches: 1500, Iterations: 4, Flat: 0.01, Seed: 5, HeldOut: 1}
	if extended {
		o.Mean, o.Detail, o.Refit, o.BackProject = true, true, true, 2
	}
	m, err := Train(t.Context(), drawings(4), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func upscale(t testing.TB, m *Model, img image.Image, scale float64) image.Image {
	t.Helper()
	out, err := m.Upscale(t.Context(), img, Options{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A trained model beats bicubic on drawings it has not seen.
func TestTrainedModelsRestore(t *testing.T) {
	plain := &Model{Degradation: Cubic, Kernel: Bicubic}
	for scale := 2; scale <= 4; scale++ {
		for _, extended := range []bool{false, true} {
			m := small(t, scale, extended)
			unseen := drawing(71, 59, 0.5)
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
			if p := m.Provenance; p.HeldOut != 1 || p.Pictures != 3 || p.Score == nil || p.Patches < 300 || p.Patches > 1500 {
				t.Errorf("provenance %+v", p)
			}
		}
	}
}

// The coupled stage against its definition, patch by patch in float64.
func TestCoupledAgainstTheDefinition(t *testing.T) {
	for _, extended := range []bool{false, true} {
		c := small(t, 2, extended).Stages[0].(*Coupled)
		low := split(drawing(13, 11, 0.3)).luma()
		current := Resize(low, 26, 22, Bicubic)
		got, err := c.Apply(t.Context(), low, current, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		sum, count := mat.NewDense(22, 26, nil), mat.NewDense(22, 26, nil)
		for y := range 9 {
			for x := range 11 {
				patch := mat.NewDense(9, 1, nil)
				mean := 0.0
				for i := range 9 {
					patch.Set(i, 0, float64(low.Pix[(y+i/3)*13+x+i%3]))
					mean += patch.At(i, 0) / 9
				}
				if c.Mean {
					patch.Apply(func(_, _ int, v float64) float64 { return v - mean }, patch)
				}
				codes, err := sparse.OMP{Sparsity: 3}.Code(t.Context(), c.Low, patch)
				if err != nil {
					t.Fatal(err)
				}
				high := codes.Rebuild(c.High)
				for i := range 36 {
					v := high.At(i, 0)
					if c.Detail {
						v += float64(current.Pix[(2*y+i/6)*26+2*x+i%6])
					} else if c.Mean {
						v += mean
					}
					sum.Set(2*y+i/6, 2*x+i%6, sum.At(2*y+i/6, 2*x+i%6)+v)
					count.Set(2*y+i/6, 2*x+i%6, count.At(2*y+i/6, 2*x+i%6)+1)
				}
			}
		}
		for i, v := range got.Pix {
			if want := sum.At(i/26, i%26) / count.At(i/26, i%26); math.Abs(want-float64(v)) > 1e-5 {
				t.Fatalf("extended %v, sample %d: %g, expected %g", extended, i, v, want)
			}
		}
	}
}

// Back-projection makes the reduced result agree with the input, where clipping
// does not stand in the way.
func TestBackProjectAgreesWithTheInput(t *testing.T) {
	low := split(drawing(20, 16, 1)).luma()
	for i, v := range low.Pix {
		low.Pix[i] = 0.3 + 0.4*v
	}
	for _, d := range []Degradation{Box, Cubic} {
		for scale := 2; scale <= 4; scale++ {
			b, err := NewBackProject(scale, 60, d)
			if err != nil {
				t.Fatal(err)
			}
			got, err := b.Apply(t.Context(), low, Resize(low, 20*scale, 16*scale, Nearest), func(float64) {})
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range d.Reduce(got, scale).Pix {
				if math.Abs(float64(v-low.Pix[i])) > 2e-3 {
					t.Fatalf("%s ×%d: sample %d reduces to %g, expected %g", d, scale, i, v, low.Pix[i])
				}
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
		img := drawing(21, 18, 2)
		if !reflect.DeepEqual(upscale(t, m, img, 3), upscale(t, back, img, 3)) {
			t.Error("the loaded model gives another picture")
		}
	}
}

func TestUnknownNames(t *testing.T) {
	if _, err := Builtin("foto"); !errors.Is(err, ErrModel) {
		t.Errorf("unknown model: %v", err)
	}
	plain, err := Builtin("lanczos")
	if err != nil {
		t.Fatal(err)
	}
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
		data, out := save(t, m), upscale(t, m, drawing(61, 47, 3), 2.5)
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
			b := upscale(t, m, drawing(size[0], size[1], 1), scale).Bounds()
			w, h := max(1, int(math.Round(scale*float64(size[0])))), max(1, int(math.Round(scale*float64(size[1]))))
			if b != image.Rect(0, 0, w, h) {
				t.Errorf("%v ×%g is %v, expected %d×%d", size, scale, b, w, h)
			}
		}
	}
	r := image.Rect(0, 0, 9, 8)
	for name, c := range map[string]struct{ in, want image.Image }{
		"gray":    {fill(image.NewGray(r), true), &image.Gray{}},
		"gray16":  {fill(image.NewGray16(r), true), &image.Gray16{}},
		"nrgba":   {fill(image.NewNRGBA(r), false), &image.NRGBA{}},
		"nrgba64": {fill(image.NewNRGBA64(r), false), &image.NRGBA64{}},
		"rgba64":  {fill(image.NewRGBA64(r), true), &image.NRGBA64{}},
	} {
		if got := upscale(t, m, c.in, 2); reflect.TypeOf(got) != reflect.TypeOf(c.want) {
			t.Errorf("%s came back as %T", name, got)
		}
	}
	for _, scale := range []float64{0.5, -1, 16.1, math.NaN(), math.Inf(1)} {
		if _, err := m.Upscale(t.Context(), drawing(4, 4, 0), Options{Scale: scale}); err == nil {
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
	g := drawing(24, 20, 2)
	for i, v := range g.Pix {
		copy(in.Pix[4*i:], []uint8{v, v, v, 255})
	}
	out := upscale(t, m, in, 2).(*image.NRGBA)
	for i := 0; i < len(out.Pix); i += 4 {
		if out.Pix[i] != out.Pix[i+1] || out.Pix[i] != out.Pix[i+2] || out.Pix[i+3] != 255 {
			t.Fatalf("pixel %d is %v", i/4, out.Pix[i:i+4])
		}
	}
	for _, v := range upscale(t, m, gray(10, 10, func(x, y int) uint8 { return 77 }), 3).(*image.Gray).Pix {
		if v != 77 {
			t.Fatalf("a flat 77 became %d", v)
		}
	}
}

func TestCancellation(t *testing.T) {
	m := small(t, 2, true)
	ctx, cancel := context.WithCancel(t.Context())
	img := drawing(400, 300, 1)
	_, err := m.Upscale(ctx, img, Options{Scale: 4, Progress: func(share float64) {
		if share > 0.3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("upscaling: %v", err)
	}
	if _, err := Train(ctx, drawings(2), TrainOptions{Atoms: 10, Patches: 100}); !errors.Is(err, context.Canceled) {
		t.Errorf("training: %v", err)
	}
}

// Progress goes from 0 to 1 and never back.
func TestProgress(t *testing.T) {
	m := small(t, 2, true)
	last := 0.0
	_, err := m.Upscale(t.Context(), fill(image.NewNRGBA(image.Rect(0, 0, 50, 40)), false), Options{Scale: 5, Progress: func(share float64) {
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
	for want, tune := range map[string]Tuning{
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
		if b, ok := got.Stages[len(got.Stages)-1].(*BackProject); kinds != string(bytes.TrimSpace([]byte(want))) || ok && tune.BackProject != nil && b.Iterations != 7 {
			t.Errorf("%+v: %s", tune, kinds)
		}
	}
	plain, _ := Builtin("bicubic")
	for _, c := range []struct {
		m *Model
		t Tuning
	}{{m, Tuning{Coder: "opm"}}, {m, Tuning{Sparsity: 41}}, {m, Tuning{Sparsity: -1}}, {plain, Tuning{Sparsity: 2}}, {plain, Tuning{BackProject: &seven}}} {
		if _, err := c.m.Tune(c.t); err == nil {
			t.Errorf("%+v: no error", c.t)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	flat := []Source{{Name: "flat", Open: func(context.Context) (image.Image, error) {
		return gray(40, 40, func(x, y int) uint8 { return 9 }), nil
	}}}
	for name, c := range map[string]struct {
		s []Source
		o TrainOptions
	}{
		"nothing":     {nil, TrainOptions{}},
		"flat":        {flat, TrainOptions{Flat: 0.01}},
		"scale":       {drawings(1), TrainOptions{Scale: 5}},
		"learner":     {drawings(1), TrainOptions{Learner: "ksdv"}},
		"coder":       {drawings(1), TrainOptions{Coder: "opm"}},
		"held out":    {drawings(2), TrainOptions{HeldOut: 2}},
		"reduction":   {drawings(1), TrainOptions{Reductions: []float64{2}}},
		"degradation": {drawings(1), TrainOptions{Degradation: "blur"}},
	} {
		if m, err := Train(t.Context(), c.s, c.o); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The sampler draws every pair with the same chance, whatever the order.
func TestSamplerIsFair(t *testing.T) {
	count := make([]int, 100)
	for seed := range uint64(400) {
		s := newSampler(TrainOptions{Scale: 2, Degradation: Box, Patch: 1, Patches: 10, Seed: seed})
		p := patches.NewPlane(20, 20)
		for i := range p.Pix {
			p.Pix[i] = float32(i/40*10+i%20/2) / 255 // each 2×2 block its own level
		}
		s.addPlane(p)
		for _, v := range s.low {
			count[int(math.Round(255*v))]++
		}
	}
	for i, c := range count { // expected 40, standard deviation 6
		if c < 15 || c > 70 {
			t.Errorf("pair %d was drawn %d times, expected about 40", i, c)
		}
	}
}
