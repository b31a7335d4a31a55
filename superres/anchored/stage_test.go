package anchored

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/internal/kernel"
	"superres/internal/npz"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/fit"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// cascade is a quickly trained cascade of two stages.
func cascade(t testing.TB, scale int, s training.Symmetries) *superres.Model {
	t.Helper()
	o := Trainer{Scale: scale, Stages: 2, Atoms: 90, Symmetries: s, BackProject: 1, Flat: 0.005, Seed: 5, Reductions: []float64{0.8}}
	if s == training.NoSymmetries {
		o.Degradation = resample.Box
	}
	return trained(t, trainingtest.Drawings(7), o, 1)
}

// A cascade beats bicubic on drawings it has not seen, and its stages help.
func TestCascadesRestore(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for scale := 2; scale <= 4; scale++ {
		for _, s := range []training.Symmetries{training.AllSymmetries, training.NoSymmetries} {
			m := cascade(t, scale, s)
			p := m.Provenance
			if p.Score == nil || len(p.StageScores) != 2 || p.Pictures != 6 || p.HeldOut != 1 || p.Patches < 1000 {
				t.Fatalf("×%d %s: provenance %+v", scale, s, p)
			}
			t.Logf("×%d %s: %.2f, %.2f dB, bicubic %.2f dB", scale, s, p.StageScores[0].PSNR, p.StageScores[1].PSNR, p.Score.Bicubic.PSNR)
			if p.StageScores[0].PSNR < p.Score.Bicubic.PSNR+1 {
				t.Errorf("×%d %s: %.2f dB, bicubic %.2f", scale, s, p.StageScores[0].PSNR, p.Score.Bicubic.PSNR)
			}
		}
	}
}

// transforms are the 16 symmetries of a plane around the value ½.
func transforms(p *plane.Plane) (list []*plane.Plane) {
	for form := range int32(16) {
		out := plane.New(p.W, p.H)
		if form&kernel.Turned != 0 {
			out = plane.New(p.H, p.W)
		}
		for y := range out.H {
			for x := range out.W {
				u, v := x, y
				if form&kernel.Turned != 0 {
					u, v = y, x
				}
				if form&kernel.FlipX != 0 {
					u = p.W - 1 - u
				}
				if form&kernel.FlipY != 0 {
					v = p.H - 1 - v
				}
				out.Pix[y*out.W+x] = p.Pix[v*p.W+u]
				if form&kernel.Negative != 0 {
					out.Pix[y*out.W+x] = 1 - out.Pix[y*out.W+x]
				}
			}
		}
		list = append(list, out)
	}
	return list
}

// places tells, for every form without its sign, which sample of a patch each
// sample of the canonical patch is.
func places(side int, form int32) []int {
	list := make([]int, side*side)
	for i := range list {
		y, x := i/side, i%side
		if form&kernel.Turned != 0 {
			y, x = x, y
		}
		if form&kernel.FlipX != 0 {
			x = side - 1 - x
		}
		if form&kernel.FlipY != 0 {
			y = side - 1 - y
		}
		list[i] = y*side + x
	}
	return list
}

// formOf is the form of a patch by its moments.
func formOf(gx, gy, e float64) (form int32, sign float64) {
	sign = 1
	if e < 0 {
		form, sign, gx, gy = kernel.Negative, -1, -gx, -gy
	}
	if gx < 0 {
		form |= kernel.FlipX
	}
	if gy < 0 {
		form |= kernel.FlipY
	}
	if math.Abs(gy) > math.Abs(gx) {
		form |= kernel.Turned
	}
	return form, sign
}

// All 16 forms of a patch have the same canonical form, and a block of the output is
// brought into it, and back, as the patch is.
func TestCanonicalForm(t *testing.T) {
	for _, side := range []int{6, 7} {
		a := blankStage(2, params{Input: fromLow, Patch: side, Block: side, Cell: 2, Sigma: 1.5, Symmetries: training.AllSymmetries, SearchDims: 1, InputDims: 1, OutputDims: 1})
		whole := picture.Split(testimage.Drawing(60, 50, 1)).Luma()
		var s scratch
		a.ready(&s, tileWidth)
		size := side * side
		raw, block, offsets := make([]float32, size*tileWidth), make([]float32, size*tileWidth), make([]int32, size)
		for i := range offsets {
			offsets[i] = int32(i * tileWidth)
		}
		for at := range 40 {
			for i, p := range transforms(whole.Crop(at, at, side, side)) {
				for j, v := range p.Pix {
					raw[j*tileWidth+i] = v
				}
			}
			forms := s.forms[:16]
			a.canonicalise(&s, forms, raw, offsets, a.in)
			for i := range forms {
				for j := range size {
					if v, first := s.p[j*tileWidth+i], s.p[j*tileWidth]; math.Abs(float64(v-first)) > 1e-5 {
						t.Fatalf("patch %d, transform %d, sample %d: %g, expected %g", at, i, j, v, first)
					}
				}
			}
			ints, scale := make([]int32, size*tileWidth), make([]float32, tileWidth)
			for l := range scale {
				scale[l] = 1.0 / (1 << 20)
			}
			for j, v := range s.p[:len(ints)] {
				ints[j] = int32(v * (1 << 20))
			}
			kernel.Restore(block, a.out, ints, a.in, forms, scale)
			for i := range forms {
				for j := range size {
					if v, want := block[j*tileWidth+i], raw[j*tileWidth+i]-s.mean[i]; math.Abs(float64(v-want)) > 2e-6 {
						t.Fatalf("patch %d, transform %d, sample %d: %g came back as %g", at, i, j, want, v)
					}
				}
			}
		}
	}
}

// A picture that is flipped, turned or negated is enlarged to the same picture, flipped,
// turned or negated.
func TestCascadesAreSymmetric(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for scale := 2; scale <= 4; scale++ {
		m := cascade(t, scale, training.AllSymmetries)
		low := picture.Split(testimage.Drawing(26, 22, 1.3)).Luma()
		high, err := m.Apply(t.Context(), low, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		want := transforms(high)
		for i, p := range transforms(low) {
			got, err := m.Apply(t.Context(), p, func(float64) {})
			if err != nil {
				t.Fatal(err)
			}
			off := 0 // where two anchors are equally near, or a byte is, rounding decides
			for j, v := range got.Pix {
				if math.Abs(float64(v-want[i].Pix[j])) > 5e-4 {
					off++
				}
			}
			if off > len(got.Pix)/50 {
				t.Errorf("×%d, transform %d: %d of %d samples differ", scale, i, off, len(got.Pix))
			}
		}
	}
}

// The stage against its definition, patch by patch, with a search through all anchors
// where the centroids leave none out.
func TestAnchoredAgainstTheDefinition(t *testing.T) {
	m := cascade(t, 2, training.AllSymmetries)
	a := m.Stages[2].(*Stage)
	low := picture.Split(testimage.Drawing(17, 13, 0.3)).Luma()
	current := resample.Resize(low, 34, 26, resample.Bicubic)
	got, err := a.Apply(t.Context(), low, current, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, tab := a.params, a.tables
	sum, count := make([]float64, 34*26), make([]float64, 34*26)
	window, centre := gaussian(p.Patch, p.Sigma), gaussian(p.Patch, p.Sigma/2)
	anchors := unpackAnchors(tab.anchors, p.SearchDims)
	for cy := range 13 {
		for cx := range 17 {
			patch := make([]float64, p.Patch*p.Patch)
			var mean, gx, gy, e float64
			for i := range patch {
				x, y := 2*cx-3+i%p.Patch, 2*cy-3+i/p.Patch
				patch[i] = float64(current.Pix[resample.Mirror(y, 26)*34+resample.Mirror(x, 34)])
				u, v := float64(i%p.Patch)-3.5, float64(i/p.Patch)-3.5
				mean, gx, gy = mean+window[i]*patch[i], gx+u*window[i]*patch[i], gy+v*window[i]*patch[i]
				e += (centre[i] - window[i]) * patch[i]
			}
			form, sign := formOf(gx, gy, e)
			z, q := make([]float64, p.SearchDims), make([]float64, p.InputDims)
			for i, from := range places(p.Patch, form) {
				v := sign * (patch[from] - mean)
				for d := range z {
					z[d] += v * float64(tab.search[i*p.SearchDims+d])
				}
				for d := range q {
					q[d] += v * float64(tab.input[i*p.InputDims+d])
				}
			}
			nearest := func(of []float32, list []uint16) int {
				best, at := math.Inf(-1), 0
				for _, j := range list {
					dot := 0.0
					for d, v := range z {
						dot += v * float64(of[int(j)*p.SearchDims+d])
					}
					if dot > best {
						best, at = dot, int(j)
					}
				}
				return at
			}
			all := make([]uint16, p.Centroids)
			for i := range all {
				all[i] = uint16(i)
			}
			c := nearest(tab.centroids, all)
			k := nearest(anchors, tab.lists[c*p.Candidates:(c+1)*p.Candidates])
			for i, to := range places(p.Block, form) {
				v := 0.0
				for o := range p.OutputDims {
					for d := range q {
						r := float64(tab.steps[k]) * (float64(tab.maps[k*p.coefs()+(d/4*p.OutputDims+o)*4+d%4]) - 128)
						v += q[d] * r * float64(tab.output[o*p.Block*p.Block+i])
					}
				}
				x, y := 2*cx-2+to%6, 2*cy-2+to/6
				if x >= 0 && x < 34 && y >= 0 && y < 26 {
					sum[y*34+x], count[y*34+x] = sum[y*34+x]+sign*v, count[y*34+x]+1
				}
			}
		}
	}
	off := 0
	for i, v := range got.Pix {
		// The coordinates of patches are rounded to bytes.
		if want := picture.Clamp(current.Pix[i] + float32(sum[i]/count[i])); math.Abs(float64(v-want)) > 5e-4 {
			off++
		}
	}
	if off > 10 { // where two anchors are equally near
		t.Errorf("%d of %d samples differ from the definition", off, len(got.Pix))
	}
}

// Same bytes with any number of workers and any height of bands.
func TestCascadeWorkersAndBands(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var model []byte
	var picture image.Image
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		m := cascade(t, 3, training.AllSymmetries)
		data, out := save(t, m), upscale(t, m, testimage.Drawing(61, 47, 3), 2.5)
		if model == nil {
			model, picture = data, out
		}
		if !bytes.Equal(model, data) || !reflect.DeepEqual(picture, out) {
			t.Errorf("%d workers give other bytes", procs)
		}
		for _, size := range []int{1, 20_000, 60_000} {
			for _, s := range m.Stages {
				if a, is := s.(*Stage); is {
					a.blockBudget = size
				}
			}
			if !reflect.DeepEqual(picture, upscale(t, m, testimage.Drawing(61, 47, 3), 2.5)) {
				t.Errorf("bands of %d bytes give another picture", size)
			}
		}
	}
}

// A flat picture stays flat, and the mean of others stays.
func TestCascadeKeepsTheMean(t *testing.T) {
	for _, s := range []training.Symmetries{training.AllSymmetries, training.NoSymmetries} {
		m := cascade(t, 2, s)
		if s == training.AllSymmetries {
			for _, level := range []uint8{0, 1, 77, 254, 255} {
				for _, v := range upscale(t, m, testimage.Gray(20, 16, func(x, y int) uint8 { return level }), 2).(*image.Gray).Pix {
					if v != level {
						t.Fatalf("a flat %d became %d", level, v)
					}
				}
			}
		}
		low := picture.Split(testimage.Drawing(50, 40, 2)).Luma()
		high, err := m.Apply(t.Context(), low, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		if change := 255 * math.Abs(mean(high.Pix)-mean(low.Pix)); change > 0.1 {
			t.Errorf("%s: the mean moves by %.3f levels", s, change)
		}
	}
}

func TestCascadeSaveAndLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	m := cascade(t, 2, training.NoSymmetries)
	data := save(t, m)
	back, err := superres.Load(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, save(t, back)) {
		t.Error("saved, loaded and saved gives other bytes")
	}
	img := testimage.Drawing(21, 18, 2)
	if !reflect.DeepEqual(upscale(t, m, img, 2), upscale(t, back, img, 2)) {
		t.Error("the loaded model gives another picture")
	}
	// Damage anywhere is an error, or changes nothing that is read.
	for at := 0; at < len(data); at += 97 {
		bad := slices.Clone(data)
		bad[at] ^= 0x55
		if m, err := superres.Load(bytes.NewReader(bad), int64(len(bad))); err != nil && (m != nil || !errors.Is(err, superres.ErrModel)) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
	for cut := 1; cut < len(data); cut += 1009 {
		if _, err := superres.Load(bytes.NewReader(data[:cut]), int64(cut)); !errors.Is(err, superres.ErrModel) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// Cascades that are well packed but wrong are refused, before they cost anything.
func TestForgedCascades(t *testing.T) {
	good := cascade(t, 2, training.AllSymmetries).Stages[0].(*Stage)
	forge := func(p params, tab tables) error {
		heads, matrices, arrays, err := stage.Save([]stage.Stage{&Stage{params: good.params, tables: tab}})
		if err != nil {
			t.Fatal(err)
		}
		if heads[0].Params, err = json.Marshal(p); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: []byte("{}")}}, matrices, arrays...); err != nil {
			t.Fatal(err)
		}
		f, err := npz.Open(bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = stage.Load(2, heads, f)
		return err
	}
	if err := forge(good.params, good.tables); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	for name, change := range map[string]func(*params, *tables){
		"input":       func(p *params, _ *tables) { p.Input = "high" },
		"patch":       func(p *params, _ *tables) { p.Patch = 1 << 30 },
		"even patch":  func(p *params, _ *tables) { p.Patch++ },
		"cell":        func(p *params, _ *tables) { p.Cell = 0 },
		"block":       func(p *params, _ *tables) { p.Block = -6 },
		"odd block":   func(p *params, _ *tables) { p.Block = 7 },
		"sigma":       func(p *params, _ *tables) { p.Sigma = 0 },
		"symmetries":  func(p *params, _ *tables) { p.Symmetries = "some" },
		"anchors":     func(p *params, _ *tables) { p.Anchors = 1 << 40 },
		"fewer":       func(p *params, _ *tables) { p.Anchors-- },
		"centroids":   func(p *params, _ *tables) { p.Centroids = 0 },
		"candidates":  func(p *params, _ *tables) { p.Candidates = p.Anchors + 1 },
		"dimensions":  func(p *params, _ *tables) { p.SearchDims = -1 },
		"input dims":  func(p *params, _ *tables) { p.InputDims = 50 },
		"output dims": func(p *params, _ *tables) { p.OutputDims++ },
		"NaN": func(_ *params, t *tables) {
			t.steps = slices.Clone(t.steps)
			t.steps[1] = float32(math.NaN())
		},
		"list": func(_ *params, t *tables) {
			t.lists = slices.Clone(t.lists)
			t.lists[3] = 5000
		},
	} {
		p, tab := good.params, good.tables
		change(&p, &tab)
		if err := forge(p, tab); err == nil || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCascadeTuning(t *testing.T) {
	m := cascade(t, 2, training.AllSymmetries)
	none, seven := 0, 7
	for want, tune := range map[string]stage.Tuning{
		"anchored backproject anchored backproject": {},
		"anchored backproject":                      {Stages: 1},
		"anchored anchored":                         {BackProject: &none},
		"anchored backproject ":                     {Stages: 1, BackProject: &seven},
	} {
		got, err := m.Tune(tune)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, s := range got.Stages {
			kinds = append(kinds, s.Kind())
		}
		if strings.Join(kinds, " ") != strings.TrimSpace(want) {
			t.Errorf("%+v: %v", tune, kinds)
		}
	}
	for _, tune := range []stage.Tuning{{Stages: 3}, {Stages: -1}, {Sparsity: 2}, {Coder: "omp"}} {
		if _, err := m.Tune(tune); err == nil {
			t.Errorf("%+v: no error", tune)
		}
	}
}

// trained is the model that a trainer makes; so many pictures are held out.
func trained(t testing.TB, sources []training.Source, o Trainer, heldOut int) *superres.Model {
	t.Helper()
	m, err := fit.Model(t.Context(), sources, o, fit.Options{HeldOut: heldOut, Seed: o.Seed})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t testing.TB, m *superres.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Save(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func upscale(t testing.TB, m *superres.Model, img image.Image, scale float64) image.Image {
	t.Helper()
	out, err := m.Upscale(t.Context(), img, superres.Options{Scale: scale})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestStage(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		if scale > 2 && testing.Short() {
			break // what runs beside what is the same
		}
		for _, s := range []training.Symmetries{training.AllSymmetries, training.NoSymmetries} {
			for i, one := range cascade(t, scale, s).Stages {
				if i%2 == 0 { // the others are back-projections
					stagetest.Run(t, scale, one)
				}
			}
		}
	}
}

// Tables of extreme numbers make some picture, and all forms of the kernels the same.
func TestExtremeTables(t *testing.T) {
	good := cascade(t, 2, training.AllSymmetries).Stages[0].(*Stage)
	for _, v := range []float32{3e38, 1e20, 1e-45, 0} {
		tab := good.tables
		for _, table := range []*[]float32{&tab.search, &tab.input, &tab.output, &tab.centroids, &tab.steps} {
			*table = slices.Clone(*table)
			for i := range *table {
				if i%3 > 0 {
					(*table)[i] = v
				}
			}
		}
		s, err := newStage(2, good.params, tab)
		if err != nil {
			t.Fatal(err)
		}
		m := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{s}}
		var first image.Image
		for form := range kernel.Tiers() {
			restore := kernel.Use(form)
			out := upscale(t, m, testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 37, 29)), true), 2)
			if first == nil {
				first = out
			} else if !reflect.DeepEqual(out, first) {
				t.Errorf("%g: %s makes another picture than the generic form", v, kernel.Tier())
			}
			restore()
		}
	}
}

func mean(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}
