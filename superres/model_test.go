package superres

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

func TestSaveAndLoad(t *testing.T) {
	img := testimage.Drawing(21, 18, 2)
	for name, m := range map[string]*Model{
		"coupled": builtin(t, "coupled"), "paper": paperModel(t, 3), "photo": builtin(t, "photo-fast"),
	} {
		data := save(t, m)
		loaded := must.Get(Load(bytes.NewReader(data), int64(len(data))))(t)
		if !bytes.Equal(data, save(t, loaded)) {
			t.Errorf("%s: saved, loaded and saved gives other bytes", name)
		}
		if !reflect.DeepEqual(upscale(t, m, img, 2), upscale(t, loaded, img, 2)) {
			t.Errorf("%s: the loaded model gives another picture", name)
		}
	}
	if builtin(t, "lanczos").Save(&bytes.Buffer{}) == nil {
		t.Error("a plain interpolation is saved")
	}
}

// Settings replace the ones of their stages. They are refused when there are no such stages, or when they are wrong.
func TestTuning(t *testing.T) {
	m, plain := builtin(t, "coupled"), builtin(t, "bicubic")
	zero, seven := 0, 7
	for _, c := range []struct {
		tuning stage.Tuning
		kinds  string
		rounds int // of back-projection; 0: any
	}{
		{stage.Tuning{}, "coupled backproject", 0},
		{stage.Tuning{BackProject: &zero}, "coupled", 0},
		{stage.Tuning{Sparsity: 1, BackProject: &seven}, "coupled backproject", 7},
	} {
		got := must.Get(m.Tune(c.tuning))(t)
		var kinds []string
		for _, s := range got.Stages {
			kinds = append(kinds, s.Kind())
		}
		rounds := 0
		if back, is := got.Stages[len(got.Stages)-1].(*stage.BackProject); is {
			rounds = back.Iterations
		}
		if strings.Join(kinds, " ") != c.kinds || c.rounds != 0 && rounds != c.rounds {
			t.Errorf("%+v: %s with %d rounds", c.tuning, kinds, rounds)
		}
	}
	for _, c := range []struct {
		m      *Model
		tuning stage.Tuning
	}{
		{m, stage.Tuning{Coder: "opm"}}, {m, stage.Tuning{Sparsity: 4100}}, {m, stage.Tuning{Sparsity: -1}},
		{m, stage.Tuning{Strength: 0.5}}, {plain, stage.Tuning{Sparsity: 2}},
		{plain, stage.Tuning{BackProject: &seven}},
	} {
		if _, err := c.m.Tune(c.tuning); err == nil {
			t.Errorf("%+v: no error", c.tuning)
		}
	}
}

// Models that are well packed but wrong are refused in a line, before they cost anything.
func TestForgedModels(t *testing.T) {
	good := coupledHead(2)
	with := func(old, replacement string) string {
		t.Helper()
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not in the header", old)
		}
		return strings.Replace(good, old, replacement, 1)
	}
	low, high := pattern(9, 5), pattern(36, 5)
	nan := pattern(9, 5)
	nan.Set(3, 3, math.NaN())
	const params = `"coupled","params":{"patch":3,"mean":true,"detail":false,"coder":"omp:sparsity=2"}`
	small := strings.NewReplacer(`"patch":3`, `"patch":1`, "sparsity=2", "sparsity=1")
	twoStages := small.Replace(with(`}]}`, `},{"kind":`+params+`}]}`))
	pack := func(head string, matrices ...*mat.Dense) []byte { return forge(t, head, matrices...) }
	const convolutional = `"convolutional","params":{"channels":16,"depth":1}`
	const backProjection = `"backproject","params":{"iterations":1000000000,"degradation":"box"}`
	atoms := []*mat.Dense{pattern(1, 3000), pattern(4, 3000), pattern(1, 3000), pattern(4, 3000)}
	for name, c := range map[string]struct {
		data []byte
		want string // in the message
	}{
		"not JSON":        {pack("Dear all", low, high), "damaged"},
		"format 0":        {pack(with(`"format":1`, `"format":0`), low, high), "format 0"},
		"newer":           {pack(with(`"format":1`, `"format":3`), low, high), "use a newer superres"},
		"anchored":        {pack(with(`"coupled"`, `"anchored"`), low, high), "57f912e, the last that reads it"},
		"activations":     {pack(with(params, convolutional), low, high), "57f912e, the last that reads it"},
		"scale":           {pack(with(`"scale":2`, `"scale":1`), low, high), "scale 1"},
		"degradation":     {pack(with(`"degradation":"bicubic"`, `"degradation":"blur"`), low, high), "blur"},
		"kernel":          {pack(with(`"kernel":"bicubic"`, `"kernel":""`), low, high), "kernel"},
		"no stages":       {pack(with(`[{`, `[],"x":[{`), low, high), "0 stages"},
		"stage":           {pack(with(`"coupled"`, `"`+strings.Repeat("x", 1<<15)+`"`), low, high), "xxx"},
		"unknown params":  {pack(with(`"mean"`, `"median"`), low, high), "parameters are damaged"},
		"coder":           {pack(with(`omp:`, `opm:`), low, high), "opm"},
		"sparsity":        {pack(with(`sparsity=2`, `sparsity=999`), low, high), "sparsity"},
		"patch":           {pack(with(`"patch":3`, `"patch":100000`), low, high), "100000"},
		"negative patch":  {pack(with(`"patch":3`, `"patch":-3`), low, high), "-3"},
		"no matrix":       {pack(good, low, nil), "stage0.high"},
		"rows":            {pack(good, pattern(8, 5), high), "8"},
		"columns":         {pack(good, low, pattern(36, 4)), "4"},
		"NaN":             {pack(good, nan, high), ""},
		"too many atoms":  {pack(with(`"patch":3`, `"patch":1`), pattern(1, 20000), pattern(4, 20000)), ""},
		"atoms together":  {pack(twoStages, atoms...), "stage 1"},
		"back-projection": {pack(with(params, backProjection)), "1000000000"},
	} {
		m, err := Load(bytes.NewReader(c.data), int64(len(c.data)))
		if !errors.Is(err, ErrModel) || m != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		text := err.Error()
		if len(text) > 400 || strings.Contains(text, "\n") || !strings.Contains(text, c.want) {
			t.Errorf("%s: a message of %d bytes: %.200s", name, len(text), text)
		}
	}
	data := forge(t, good, low, high)
	for cut := 1; cut < len(data); cut += 7 {
		if _, err := Load(bytes.NewReader(data[:cut]), int64(cut)); !errors.Is(err, ErrModel) {
			t.Fatalf("cut at %d of %d: %v", cut, len(data), err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	h := header{Format: formatVersion, Scale: 2, Degradation: resample.Box, Kernel: resample.Bicubic}
	head := must.Get(json.Marshal(h))(f)
	f.Add(forge(f, string(head)))
	f.Add(save(f, paperModel(f, 2)))
	f.Add(save(f, repeatedModel(f)))
	f.Add(save(f, blurModel(f, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Load(bytes.NewReader(data), int64(len(data)))
		if err == nil && m.IsPlain() {
			t.Error("a model without stages and without a network")
		}
		if err == nil && m.Network != nil {
			upscaleWith(t, m, grain(3, 2, 3), Options{})
		}
	})
}

// Upscale enlarges by the model that was set, which is opened once, and without one fails.
func TestUpscaleByTheDefaultModel(t *testing.T) {
	defer defaultModel.Store(defaultModel.Load())
	img := image.NewGray(image.Rect(0, 0, 3, 2))
	defaultModel.Store(nil)
	if _, err := Upscale(t.Context(), img, Options{}); !errors.Is(err, ErrModel) {
		t.Error(err)
	}
	opened := 0
	SetDefault(func() (*Model, error) {
		opened++
		return Plain(resample.Nearest), nil
	})
	for range 2 {
		if large, err := Upscale(t.Context(), img, Options{Scale: 3}); err != nil ||
			large.Bounds().Size() != image.Pt(9, 6) {
			t.Error(large, err)
		}
	}
	if opened != 1 {
		t.Errorf("opened %d times", opened)
	}
	SetDefault(func() (*Model, error) { return nil, ErrModel })
	if _, err := Upscale(t.Context(), img, Options{}); !errors.Is(err, ErrModel) {
		t.Error(err)
	}
}
