package superres

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
	"superres/patches"
)

// cascade is a quickly trained cascade of two stages.
func cascade(t testing.TB, scale int, s Symmetries) *Model {
	t.Helper()
	o := TrainOptions{Scale: scale, Stages: 2, Atoms: 90, Symmetries: s, BackProject: 1, Flat: 0.005, Seed: 5, HeldOut: 1, Reductions: []float64{0.8}}
	if s == NoSymmetries {
		o.Degradation = Box
	}
	m, err := Train(t.Context(), drawings(7), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A cascade beats bicubic on drawings it has not seen, and its stages help.
func TestCascadesRestore(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		for _, s := range []Symmetries{AllSymmetries, NoSymmetries} {
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
func transforms(p *patches.Plane) (list []*patches.Plane) {
	for form := range int32(16) {
		out := patches.NewPlane(p.W, p.H)
		if form&kernel.Turned != 0 {
			out = patches.NewPlane(p.H, p.W)
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
		a := blankAnchored(2, anchoredParams{Input: fromLow, Patch: side, Block: side, Cell: 2, Sigma: 1.5, Symmetries: AllSymmetries, SearchDims: 1, InputDims: 1, OutputDims: 1})
		whole := split(drawing(60, 50, 1)).luma()
		var s anchorScratch
		a.ready(&s, lanes)
		size := side * side
		raw, block, offsets := make([]float32, size*lanes), make([]float32, size*lanes), make([]int32, size)
		for i := range offsets {
			offsets[i] = int32(i * lanes)
		}
		for at := range 40 {
			for i, p := range transforms(whole.Crop(at, at, side, side)) {
				for j, v := range p.Pix {
					raw[j*lanes+i] = v
				}
			}
			forms := s.forms[:16]
			a.canonicalise(&s, forms, raw, offsets, a.in)
			for i := range forms {
				for j := range size {
					if v, first := s.p[j*lanes+i], s.p[j*lanes]; math.Abs(float64(v-first)) > 1e-5 {
						t.Fatalf("patch %d, transform %d, sample %d: %g, expected %g", at, i, j, v, first)
					}
				}
			}
			ints, scale := make([]int32, size*lanes), make([]float32, lanes)
			for l := range scale {
				scale[l] = 1.0 / (1 << 20)
			}
			for j, v := range s.p[:len(ints)] {
				ints[j] = int32(v * (1 << 20))
			}
			kernel.Restore(block, a.out, ints, a.in, forms, scale)
			for i := range forms {
				for j := range size {
					if v, want := block[j*lanes+i], raw[j*lanes+i]-s.mean[i]; math.Abs(float64(v-want)) > 2e-6 {
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
	for scale := 2; scale <= 4; scale++ {
		m := cascade(t, scale, AllSymmetries)
		low := split(drawing(26, 22, 1.3)).luma()
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
	m := cascade(t, 2, AllSymmetries)
	a := m.Stages[2].(*Anchored)
	low := split(drawing(17, 13, 0.3)).luma()
	current := Resize(low, 34, 26, Bicubic)
	got, err := a.Apply(t.Context(), low, current, func(float64) {})
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
				patch[i] = float64(current.Pix[mirror(y, 26)*34+mirror(x, 34)])
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
		if want := clamp(current.Pix[i] + float32(sum[i]/count[i])); math.Abs(float64(v-want)) > 5e-4 {
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
		m := cascade(t, 3, AllSymmetries)
		data, out := save(t, m), upscale(t, m, drawing(61, 47, 3), 2.5)
		if model == nil {
			model, picture = data, out
		}
		if !bytes.Equal(model, data) || !reflect.DeepEqual(picture, out) {
			t.Errorf("%d workers give other bytes", procs)
		}
		for _, size := range []int{1, 20_000, 60_000} {
			for _, s := range m.Stages {
				if a, is := s.(*Anchored); is {
					a.stripBudget = size
				}
			}
			if !reflect.DeepEqual(picture, upscale(t, m, drawing(61, 47, 3), 2.5)) {
				t.Errorf("bands of %d bytes give another picture", size)
			}
		}
	}
}

// A flat picture stays flat, and the mean of others stays.
func TestCascadeKeepsTheMean(t *testing.T) {
	for _, s := range []Symmetries{AllSymmetries, NoSymmetries} {
		m := cascade(t, 2, s)
		if s == AllSymmetries {
			for _, level := range []uint8{0, 1, 77, 254, 255} {
				for _, v := range upscale(t, m, gray(20, 16, func(x, y int) uint8 { return level }), 2).(*image.Gray).Pix {
					if v != level {
						t.Fatalf("a flat %d became %d", level, v)
					}
				}
			}
		}
		low := split(drawing(50, 40, 2)).luma()
		high, err := m.Apply(t.Context(), low, func(float64) {})
		if err != nil {
			t.Fatal(err)
		}
		if change := 255 * math.Abs(meanOf(high.Pix)-meanOf(low.Pix)); change > 0.1 {
			t.Errorf("%s: the mean moves by %.3f levels", s, change)
		}
	}
}

func TestCascadeSaveAndLoad(t *testing.T) {
	m := cascade(t, 2, NoSymmetries)
	data := save(t, m)
	back, err := Load(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, save(t, back)) {
		t.Error("saved, loaded and saved gives other bytes")
	}
	img := drawing(21, 18, 2)
	if !reflect.DeepEqual(upscale(t, m, img, 2), upscale(t, back, img, 2)) {
		t.Error("the loaded model gives another picture")
	}
	// Damage anywhere is an error, or changes nothing that is read.
	for at := 0; at < len(data); at += 97 {
		bad := slices.Clone(data)
		bad[at] ^= 0x55
		if m, err := Load(bytes.NewReader(bad), int64(len(bad))); err != nil && (m != nil || !errors.Is(err, ErrModel)) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
	for cut := 1; cut < len(data); cut += 1009 {
		if _, err := Load(bytes.NewReader(data[:cut]), int64(cut)); !errors.Is(err, ErrModel) {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
}

// Cascades that are well packed but wrong are refused, before they cost anything.
func TestForgedCascades(t *testing.T) {
	good := cascade(t, 2, AllSymmetries).Stages[0].(*Anchored)
	forge := func(p anchoredParams, tab anchoredTables) error {
		head, err := json.Marshal(header{Format: 1, Scale: 2, Degradation: Box, Kernel: Bicubic, Stages: []stageHeader{{"anchored", mustJSON(t, p)}}})
		if err != nil {
			t.Fatal(err)
		}
		arrays := StageArrays{prefix: stagePrefix(0)}
		(&Anchored{params: good.params, tables: tab}).Save(&arrays)
		var b bytes.Buffer
		if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: head}}, nil, arrays.arrays...); err != nil {
			t.Fatal(err)
		}
		_, err = Load(bytes.NewReader(b.Bytes()), int64(b.Len()))
		return err
	}
	if err := forge(good.params, good.tables); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	for name, change := range map[string]func(*anchoredParams, *anchoredTables){
		"input":       func(p *anchoredParams, _ *anchoredTables) { p.Input = "high" },
		"patch":       func(p *anchoredParams, _ *anchoredTables) { p.Patch = 1 << 30 },
		"even patch":  func(p *anchoredParams, _ *anchoredTables) { p.Patch++ },
		"cell":        func(p *anchoredParams, _ *anchoredTables) { p.Cell = 0 },
		"block":       func(p *anchoredParams, _ *anchoredTables) { p.Block = -6 },
		"odd block":   func(p *anchoredParams, _ *anchoredTables) { p.Block = 7 },
		"sigma":       func(p *anchoredParams, _ *anchoredTables) { p.Sigma = 0 },
		"symmetries":  func(p *anchoredParams, _ *anchoredTables) { p.Symmetries = "some" },
		"anchors":     func(p *anchoredParams, _ *anchoredTables) { p.Anchors = 1 << 40 },
		"fewer":       func(p *anchoredParams, _ *anchoredTables) { p.Anchors-- },
		"centroids":   func(p *anchoredParams, _ *anchoredTables) { p.Centroids = 0 },
		"candidates":  func(p *anchoredParams, _ *anchoredTables) { p.Candidates = p.Anchors + 1 },
		"dimensions":  func(p *anchoredParams, _ *anchoredTables) { p.SearchDims = -1 },
		"input dims":  func(p *anchoredParams, _ *anchoredTables) { p.InputDims = 50 },
		"output dims": func(p *anchoredParams, _ *anchoredTables) { p.OutputDims++ },
		"NaN": func(_ *anchoredParams, t *anchoredTables) {
			t.steps = slices.Clone(t.steps)
			t.steps[1] = float32(math.NaN())
		},
		"list": func(_ *anchoredParams, t *anchoredTables) {
			t.lists = slices.Clone(t.lists)
			t.lists[3] = 5000
		},
	} {
		p, tab := good.params, good.tables
		change(&p, &tab)
		if err := forge(p, tab); !errors.Is(err, ErrModel) || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCascadeTuning(t *testing.T) {
	m := cascade(t, 2, AllSymmetries)
	none, seven := 0, 7
	for want, tune := range map[string]Tuning{
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
	for _, tune := range []Tuning{{Stages: 3}, {Stages: -1}, {Sparsity: 2}, {Coder: "omp"}} {
		if _, err := m.Tune(tune); err == nil {
			t.Errorf("%+v: no error", tune)
		}
	}
	if _, err := small(t, 2, true).Tune(Tuning{Stages: 1}); err == nil {
		t.Error("stages of a coupled model: no error")
	}
}
