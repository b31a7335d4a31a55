package superres

import (
	"bytes"
	"errors"
	"image"
	"reflect"
	"slices"
	"strings"
	"testing"

	"superres/internal/kernel"
	"superres/internal/npz"
)

// A cascade that an older superres wrote is refused for what it is.
func TestOlderCascade(t *testing.T) {
	text, matrices, arrays, err := cascade(t, 2, AllSymmetries).members()
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range arrays {
		arrays[i].Name = strings.Replace(a.Name, ".maps", ".regressors", 1)
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{text}, matrices, arrays...); err != nil {
		t.Fatal(err)
	}
	_, err = Load(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "older") {
		t.Error(err)
	}
}

// Tables of extreme numbers make some picture, and all forms of the kernels the same.
func TestExtremeTables(t *testing.T) {
	good := cascade(t, 2, AllSymmetries).Stages[0].(*Anchored)
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
		stage, err := newAnchored(2, good.params, tab)
		if err != nil {
			t.Fatal(err)
		}
		m := &Model{Scale: 2, Degradation: Cubic, Kernel: Bicubic, Stages: []Stage{stage}}
		var first image.Image
		for form := range kernel.Tiers() {
			restore := kernel.Use(form)
			out := upscale(t, m, grain(37, 29, 3), 2)
			if first == nil {
				first = out
			} else if !reflect.DeepEqual(out, first) {
				t.Errorf("%g: %s makes another picture than the generic form", v, kernel.Tier())
			}
			restore()
		}
	}
}
