package onnx

import (
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

func folder(t *testing.T) string {
	dir := os.Getenv("SUPERRES_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, "networks")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no networks of others here: SUPERRES_DATA names the folder that has networks/*.onnx")
	}
	return dir
}

func TestPublished(t *testing.T) {
	dir := folder(t)
	for name, want := range map[string][3]int{
		"disp":   {4, 163792, 42},
		"span26": {4, 150706, 63},
		"spanf":  {4, 148296, 47},
	} {
		data := must.Get(os.ReadFile(filepath.Join(dir, name+".onnx")))(t)
		g := must.Get(Read(data))(t)
		if got := [3]int{g.Measure().Scale, g.Parameters(), len(g.Nodes)}; got != want {
			t.Errorf("%s has scale, parameters, nodes %v, expected %v", name, got, want)
		}
	}
}
