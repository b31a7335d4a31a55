package superres

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/superres/coupled/learning"
	"superres/superres/resample"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// builtin is models.Open, which a test of this package cannot import.
func builtin(t testing.TB, name string) *Model {
	t.Helper()
	if k := resample.Kernel(name); k.Check() == nil {
		return Plain(k)
	}
	open := func(file string) (*Model, error) {
		data, err := os.ReadFile(filepath.Join("models", file))
		if err != nil {
			return nil, err
		}
		return Load(bytes.NewReader(data), int64(len(data)))
	}
	m, err := open(name + ".npz")
	if err != nil {
		t.Fatal(err)
	}
	for scale := 3; scale <= 4; scale++ {
		file := fmt.Sprintf("%s.x%d.npz", name, scale)
		if _, err := os.Stat(filepath.Join("models", file)); err == nil {
			m = m.WithLazy(scale, func() (*Model, error) { return open(file) })
		}
	}
	if smaller := name + "-fast"; slices.Contains(builtins(t), smaller) {
		m = m.WithFast(func() (*Model, error) { return builtin(t, smaller), nil })
	}
	return m
}

// builtins are the names that builtin knows.
func builtins(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob("models/*.npz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, f := range files {
		if name := strings.TrimSuffix(filepath.Base(f), ".npz"); !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	return append(names, "bicubic", "lanczos", "nearest")
}

// small is a quickly trained coupled model; with all the extensions, or in the paper's
// form.
func small(t testing.TB, scale int, extended bool) *Model {
	t.Helper()
	o := learning.Trainer{Scale: scale, Atoms: 40, Patches: 1500, Iterations: 4, Flat: 0.01, Seed: 5, Coder: "omp:sparsity=3", Reductions: []float64{}, BackProject: 2}
	if !extended {
		o.KeepMean, o.WholePatches, o.NoRefit, o.BackProject = true, true, true, -1
	}
	return trained(t, o, trainingtest.Drawings(4))
}

// chain returns a quickly trained coupled model whose stages follow each other twice.
func chain(t testing.TB, scale int) *Model {
	t.Helper()
	m := *small(t, scale, true)
	m.Stages = append(slices.Clone(m.Stages), m.Stages...)
	return &m
}

// trained is a model of what a trainer learns from all pictures but one, as package fit makes it.
func trained(t testing.TB, trainer training.Trainer, sources []training.Source) *Model {
	t.Helper()
	scale, degradation, err := trainer.Target()
	if err != nil {
		t.Fatal(err)
	}
	train, _ := training.HoldOut(sources, 1, 5)
	r, err := trainer.Train(t.Context(), train, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Model{Scale: scale, Degradation: degradation, Kernel: resample.Bicubic, Stages: r.Stages}
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
