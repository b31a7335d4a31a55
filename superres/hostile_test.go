package superres

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/superres/resample"
)

// forge writes a whole, checksummed model file with the given header and matrices.
func forge(t *testing.T, head string, low, high *mat.Dense) []byte {
	t.Helper()
	var arrays []npz.Matrix
	if low != nil {
		arrays = append(arrays, npz.Matrix{Name: "stage0.low", Data: low})
	}
	if high != nil {
		arrays = append(arrays, npz.Matrix{Name: "stage0.high", Data: high})
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: []byte(head)}}, arrays); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func ones(r, c int) *mat.Dense {
	m := mat.NewDense(r, c, nil)
	m.Apply(func(i, j int, _ float64) float64 { return 1 + float64((i*7+j*3)%5) }, m)
	return m
}

// Models that are well packed but wrong are refused in a line, before they cost
// anything.
func TestForgedModels(t *testing.T) {
	const good = `{"format":1,"scale":2,"degradation":"bicubic","kernel":"bicubic","stages":[{"kind":"coupled","params":{"patch":3,"mean":true,"detail":false,"coder":"omp:sparsity=2"}}]}`
	with := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("%s is not there", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	data := forge(t, good, ones(9, 5), ones(36, 5))
	if _, err := Load(bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	nan := ones(9, 5)
	nan.Set(3, 3, math.NaN())
	for name, data := range map[string][]byte{
		"not JSON":        forge(t, "Dear all", ones(9, 5), ones(36, 5)),
		"format 0":        forge(t, with(`"format":1`, `"format":0`), ones(9, 5), ones(36, 5)),
		"scale":           forge(t, with(`"scale":2`, `"scale":1`), ones(9, 5), ones(36, 5)),
		"degradation":     forge(t, with(`"degradation":"bicubic"`, `"degradation":"blur"`), ones(9, 5), ones(36, 5)),
		"kernel":          forge(t, with(`"kernel":"bicubic"`, `"kernel":""`), ones(9, 5), ones(36, 5)),
		"no stages":       forge(t, with(`[{`, `[],"x":[{`), ones(9, 5), ones(36, 5)),
		"stage":           forge(t, with(`"coupled"`, `"`+strings.Repeat("x", 1<<15)+`"`), ones(9, 5), ones(36, 5)),
		"unknown params":  forge(t, with(`"mean"`, `"median"`), ones(9, 5), ones(36, 5)),
		"coder":           forge(t, with(`omp:`, `opm:`), ones(9, 5), ones(36, 5)),
		"sparsity":        forge(t, with(`sparsity=2`, `sparsity=999`), ones(9, 5), ones(36, 5)),
		"patch":           forge(t, with(`"patch":3`, `"patch":100000`), ones(9, 5), ones(36, 5)),
		"negative patch":  forge(t, with(`"patch":3`, `"patch":-3`), ones(9, 5), ones(36, 5)),
		"no matrix":       forge(t, good, ones(9, 5), nil),
		"rows":            forge(t, good, ones(8, 5), ones(36, 5)),
		"columns":         forge(t, good, ones(9, 5), ones(36, 4)),
		"NaN":             forge(t, good, nan, ones(36, 5)),
		"too many atoms":  forge(t, with(`"patch":3`, `"patch":1`), ones(1, 20000), ones(4, 20000)),
		"back-projection": forge(t, with(`"coupled","params":{"patch":3,"mean":true,"detail":false,"coder":"omp:sparsity=2"}`, `"backproject","params":{"iterations":1000000000,"degradation":"box"}`), nil, nil),
	} {
		m, err := Load(bytes.NewReader(data), int64(len(data)))
		if !errors.Is(err, ErrModel) || m != nil {
			t.Errorf("%s: %v", name, err)
		} else if text := err.Error(); len(text) > 400 || strings.Contains(text, "\n") {
			t.Errorf("%s: a message of %d bytes: %.200s", name, len(text), text)
		}
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"newer":            {`"format":1`, `"format":2`, "the file has format 2, this program reads format 1; use a newer superres"},
		"anchored":         {`"coupled"`, `"anchored"`, "the model has anchored stages, which are no more; train a convolutional one, or use the superres of commit 57f912e, the last that reads it"},
		"wide activations": {`"coupled","params":{"patch":3,"mean":true,"detail":false,"coder":"omp:sparsity=2"}`, `"convolutional","params":{"channels":16,"depth":1}`, "stage 0: its arrays are for activations of 14 bits, an older form; train the model again, or use the superres of commit 57f912e, the last that reads it"},
	} {
		data := forge(t, with(c.old, c.new), ones(9, 5), ones(36, 5))
		if _, err := Load(bytes.NewReader(data), int64(len(data))); !errors.Is(err, ErrModel) || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The stages share the allowance of atoms.
	two := strings.Replace(strings.Replace(good, `"patch":3`, `"patch":1`, 1), `}]}`, `},{"kind":"coupled","params":{"patch":1,"mean":true,"detail":false,"coder":"omp:sparsity=1"}}]}`, 1)
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: []byte(strings.Replace(two, "sparsity=2", "sparsity=1", 1))}}, []npz.Matrix{
		{Name: "stage0.low", Data: ones(1, 3000)}, {Name: "stage0.high", Data: ones(4, 3000)},
		{Name: "stage1.low", Data: ones(1, 3000)}, {Name: "stage1.high", Data: ones(4, 3000)},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(bytes.NewReader(b.Bytes()), int64(b.Len())); !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "stage 1") {
		t.Errorf("two stages of 3,000 atoms: %v", err)
	}
	for cut := 1; cut < len(data); cut += 7 {
		if _, err := Load(bytes.NewReader(data[:cut]), int64(cut)); !errors.Is(err, ErrModel) {
			t.Fatalf("cut at %d of %d: %v", cut, len(data), err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	head, err := json.Marshal(header{Format: formatVersion, Scale: 2, Degradation: resample.Box, Kernel: resample.Bicubic})
	if err != nil {
		f.Fatal(err)
	}
	if err := npz.Write(&b, []npz.Text{{Name: "model.json", Data: head}}, nil); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(save(f, small(f, 2, true)))
	f.Add(save(f, chain(f, 2)))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := Load(bytes.NewReader(data), int64(len(data))); err == nil && len(m.Stages) == 0 {
			t.Error("a model without stages")
		}
	})
}
