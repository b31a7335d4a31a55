package onnx

import (
	"os"
	"path/filepath"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
)

func TestPublished(t *testing.T) {
	dir := golden.Data(t, "networks")
	for name, want := range map[string][3]int{
		"disp":   {4, 163792, 42},
		"span26": {4, 150706, 63},
		"spanf":  {4, 148296, 47},
	} {
		data := must.Get(os.ReadFile(filepath.Join(dir, name+".onnx")))(t)
		g := must.Get(Read(data, nil))(t)
		if got := [3]int{g.Measure().Scale, g.Parameters(), len(g.Nodes)}; got != want {
			t.Errorf("%s has scale, parameters, nodes %v, expected %v", name, got, want)
		}
	}
}
