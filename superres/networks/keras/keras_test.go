package keras

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"superres/internal/heap"
	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// network returns a model.json of layers in JSON, and a folder with the weights, float32 that count from 1.
func network(layers, output, weights string, count int) ([]byte, fstest.MapFS) {
	var data []byte
	for i := range count {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i+1)))
	}
	return fmt.Appendf(nil, `{"format": "layers-model", "modelTopology": {"model_config": {"class_name": "Functional",
		"config": {"layers": [{"class_name": "InputLayer", "name": "in",
			"config": {"batch_input_shape": [null, null, null, 3]}},
		%s], "output_layers": [[%q, 0, 0]]}}}, "weightsManifest": [{"paths": ["a.bin", "b.bin"], "weights": [%s]}]}`,
		layers, output, weights), fstest.MapFS{"a.bin": {Data: data[:len(data)/2]}, "b.bin": {Data: data[len(data)/2:]}}
}

func node(class, name, config string, inputs ...string) string {
	var list []string
	for _, in := range inputs {
		list = append(list, fmt.Sprintf(`[%q, 0, 0, {}]`, in))
	}
	return fmt.Sprintf(`{"class_name": %q, "name": %q, "config": {%s}, "inbound_nodes": [[%s]]}`, class, name, config,
		strings.Join(list, ", "))
}

// layers returns the layers of a network one after another, of which each has one line: class, configuration and, if it
// takes others than that before it, these.
func layers(lines ...string) (text, last string) {
	last = "in"
	var list []string
	for i, line := range lines {
		parts := strings.Split(line, "|")
		inputs, name := []string{last}, fmt.Sprintf("n%d", i)
		if len(parts) > 2 {
			inputs = strings.Fields(parts[2])
		}
		list, last = append(list, node(parts[0], name, parts[1], inputs...)), name
	}
	return strings.Join(list, ", "), last
}

// value returns the sample of channel c at (x, y) of a picture.
func value(s graph.Samples, x, y, c int) float32 { return s.At(x, y)[c] }

// The taps, inputs and outputs of a convolution are in Keras's order, as are the pixels of blocks.
func TestOrder(t *testing.T) {
	text, last := layers(`Conv2D|"kernel_size": [1, 2], "padding": "valid", "activation": "relu"`,
		`PixelShuffle2x|`, `Cropping2D|"cropping": [[0, 0], [1, 1]]`)
	data, folder := network(text, last, `{"name": "n0/kernel", "shape": [1, 2, 3, 12], "dtype": "float32"},
		{"name": "n0/bias", "shape": [12], "dtype": "float32"}`, 84)
	// The result is one column of the picture smaller, so no network that enlarges: its nodes alone are looked at.
	if _, err := Read(data, folder); err == nil || !strings.Contains(err.Error(), "expected as many channels") {
		t.Fatalf("got %v", err)
	}
	text, last = layers(
		`Conv2D|"kernel_size": [1, 2], "padding": "same", "strides": [1, 1], "data_format": "channels_last"`,
		`PixelShuffle2x|`)
	data, folder = network(text, last, `{"name": "n0/kernel", "shape": [1, 2, 3, 12], "dtype": "float32"},
		{"name": "n0/bias", "shape": [12], "dtype": "float32"}`, 84)
	g := must.Get(Read(data, folder))(t)
	picture := graphtest.Picture(4, 4, 3, 1)
	got := graphtest.Eval(g, picture)
	for _, at := range [][3]int{{0, 0, 0}, {1, 0, 2}, {2, 3, 1}, {5, 6, 2}} {
		x, y, c := at[0], at[1], at[2]
		out := (y%2*2+x%2)*3 + c // depth to space: the block is outside
		want := float64(72 + out + 1)
		for tap := range 2 {
			for in := range 3 {
				if x/2+tap < 4 {
					weight := (tap*3+in)*12 + out + 1
					want += float64(weight) * float64(value(picture, x/2+tap, y/2, in))
				}
			}
		}
		if d := float64(value(got, x, y, c)) - want; math.Abs(d) > 1e-4*want {
			t.Errorf("sample %v is %g, expected %g", at, value(got, x, y, c), want)
		}
	}
}

func TestLayers(t *testing.T) {
	for line, want := range map[string]string{
		`Add||in in`: "Add", `Multiply||in in`: "Mul", `Maximum||in in`: "Max",
		`Activation|"activation": "mish"`: "Mish",
		`LeakyReLU|"alpha": 0.1`:          "PReLU", `ReLU|"max_value": 6`: "PReLU Clip",
		`UpSampling2D|"size": 2`:                                   "Resize",
		`UpSampling2D|"size": [2, 2], "interpolation": "bilinear"`: "Resize", `MultiplyBeta|`: "Affine",
		`Rescaling|"scale": 0.5, "offset": 1`: "Affine", `BatchNormalization|"epsilon": 0.001`: "Affine",
		`MaxPooling2D|"pool_size": [3, 3], "strides": [1, 1], "padding": "same"`: "Pool",
		`GlobalAveragePooling2D|"keepdims": true`:                                "",
		`ZeroPadding2D|"padding": [[1, 1], [0, 0]]`:                              "",
	} {
		text, last := layers(line)
		data, folder := network(text, last, "", 0)
		g, err := Read(data, folder)
		var names []string
		if err == nil {
			for _, n := range g.Nodes[1:] {
				names = append(names, graph.NameOf(n.Op))
			}
		}
		isOther := err != nil && !strings.Contains(err.Error(), "expected as many channels") &&
			!strings.Contains(err.Error(), "not a multiple")
		if strings.Join(names, " ") != want || isOther {
			t.Errorf("%s: %v, %v", line, names, err)
		}
	}
}

func TestRefused(t *testing.T) {
	conv := func(weights string, count int) ([]byte, fstest.MapFS) {
		text, last := layers(`Conv2D|"kernel_size": 1, "padding": "same"`)
		return network(text, last, weights, count)
	}
	kernel := `{"name": "n0/kernel", "shape": [1, 1, 3, 3], "dtype": "float32"}`
	one := func(line string) ([]byte, fstest.MapFS) {
		text, last := layers(line)
		return network(text, last, "", 0)
	}
	type read struct {
		data   []byte
		folder fstest.MapFS
	}
	of := func(data []byte, folder fstest.MapFS) read { return read{data, folder} }
	full, folder := conv(kernel, 9)
	replace := func(old, with string) []byte { return []byte(strings.Replace(string(full), old, with, 1)) }
	for want, c := range map[string]read{
		`the layer "Lambda" is not supported`: of(one(`Lambda|`)), "takes \"n7\"": of(one(`Add||in n7`)),
		"has 2 inputs": of(one(`ReLU||in in`)), "is broken": {[]byte(`{"format": 1}`), nil},
		"a graph-model": {[]byte(`{"format": "graph-model"}`), nil}, "of the class": {[]byte(`{}`), nil},
		"have 32 bytes, or more, expected 36": of(conv(kernel, 8)), "have 40 bytes": of(conv(kernel, 10)),
		"is missing":                         {full, fstest.MapFS{"a.bin": folder["a.bin"]}},
		"are there twice":                    of(conv(kernel+","+kernel, 18)),
		"have the shape [1 -1 3 3]":          of(conv(strings.Replace(kernel, "1, 1,", "1, -1,", 1), 9)),
		"have the shape [1 1 3 99999999999]": of(conv(strings.Replace(kernel, "3, 3]", "3, 99999999999]", 1), 9)),
		"of type \"int32\"":                  of(conv(strings.Replace(kernel, "float32", "int32", 1), 9)),
		"lacks weights \"kernel\"":           of(conv("", 0)),
		`activation "x"`:                     of(one(`Activation|"activation": "x"`)),
		"along axis 1":                       of(one(`Concatenate|"axis": 1|in in`)),
		"that leaves no picture":             of(one(`GlobalAveragePooling2D|`)),
		"by [2 3] and":                       of(one(`UpSampling2D|"size": [2, 3], "interpolation": "bilinear"`)),
		"with the threshold 0.5":             of(one(`ReLU|"threshold": 0.5`)),
		`padding "causal"`:                   of(one(`MaxPooling2D|"pool_size": 2, "padding": "causal"`)),
		"expected 1":                         {replace(`[["n0", 0, 0]]`, `[]`), folder},
		"use 1 of \"n0\"":                    {replace(`[["n0", 0, 0]]`, `[["n0", 1, 0]]`), folder},
		"is there twice":                     {replace(`"name": "n0", "config"`, `"name": "in", "config"`), folder},
		"at most 200000 lists":               {[]byte(`{"a": [` + strings.Repeat("[],", 1<<18) + "[]]}"), nil},
	} {
		_, err := Read(c.data, c.folder)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}

// Quantised weights are scale·q + min.
func TestQuantised(t *testing.T) {
	text, last := layers(`Conv2D|"kernel_size": 1, "padding": "same"`)
	data, _ := network(text, last, `{"name": "n0/kernel", "shape": [1, 1, 3, 3], "dtype": "float32",
		"quantization": {"dtype": "uint8", "scale": 0.5, "min": -1}}`, 0)
	folder := fstest.MapFS{"a.bin": {Data: []byte{2, 0, 0, 0, 2, 0}}, "b.bin": {Data: []byte{0, 0, 255}}}
	g := must.Get(Read(data, folder))(t)
	if got := g.Nodes[1].Op.(graph.Conv).Weight; got[0] != 0 || got[1] != -1 || got[8] != 126.5 {
		t.Errorf("got %v", got)
	}
}

// TestManyParts reads a model.json of many small lists: what is made of them is bounded.
func TestManyParts(t *testing.T) {
	for _, part := range []string{`{"class_name": "Add"}`, `{}`, `{"inbound_nodes":[[[]]]}`} {
		data := []byte(`{"modelTopology": {"model_config": {"class_name": "Functional", "config": {"layers": [` +
			strings.Repeat(part+",", 60_000) + `{}]}}}}`)
		took := heap.Within(48<<20, func() { _, _ = Read(data, nil) })
		if took > 48<<20 {
			t.Errorf("%s: %d MB for %d KB", part, took>>20, len(data)>>10)
		}
	}
}

func FuzzRead(f *testing.F) {
	text, last := layers(`Conv2D|"kernel_size": 3, "padding": "same", "activation": "relu"`, `Add||n0 in`,
		`UpSampling2D|"size": 2`)
	data, _ := network(text, last, `{"name": "n0/kernel", "shape": [1, 1, 3, 3], "dtype": "float32"}`, 9)
	f.Add(data, []byte("some weights, of which there are 36 "))
	f.Add([]byte(`{"modelTopology": {"model_config": {"class_name": "Sequential", "config": [{"class_name": "ReLU",
		"config": {"name": "a", "batch_input_shape": [null, null, null, 3]}}]}}}`), []byte{})
	f.Fuzz(func(t *testing.T, data, weights []byte) {
		g, err := Read(data, fstest.MapFS{"a.bin": {Data: weights}, "b.bin": {}})
		if err == nil {
			must.Succeed(t, g.Check())
		}
	})
}
