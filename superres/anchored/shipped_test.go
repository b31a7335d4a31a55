package anchored

import (
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"superres/superres"
	"superres/superres/resample"
	"superres/superres/training"
)

// The zero value is the recipe by which the model that ships was learned, but for the seed,
// as the model itself records it.
func TestZeroValueIsTheRecipe(t *testing.T) {
	file, err := os.Open("../models/photo.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	m, err := superres.Load(file, info.Size())
	if err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(m.Provenance.Command, func(r rune) bool { return r == ' ' || r == '=' })
	flag := func(name string) string {
		for i, w := range words[:len(words)-1] {
			if w == "--"+name {
				return words[i+1]
			}
		}
		t.Fatalf("the command has no --%s: %s", name, m.Provenance.Command)
		return ""
	}
	decimal := func(name string) float64 {
		v, err := strconv.ParseFloat(flag(name), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	number := func(name string) int { return int(decimal(name)) }
	said := Trainer{
		Scale: number("scale"), Degradation: resample.Degradation(flag("degradation")), Stages: number("stages"), Symmetries: training.Symmetries(flag("symmetries")),
		Patch: number("patch"), Atoms: number("atoms"), InputDims: number("input-dims"), OutputDims: number("output-dims"),
		Learner: flag("learner"), Iterations: number("iterations"), Flat: decimal("flat") / 255, BackProject: number("back-projection"),
	}
	for part := range strings.SplitSeq(flag("reduce"), ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			t.Fatal(err)
		}
		said.Reductions = append(said.Reductions, v)
	}
	got, err := Trainer{}.defaults()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, said) {
		t.Errorf("the zero value is\n%+v\nthe model was learned by\n%+v", got, said)
	}
	if seed := flag("seed"); seed != "1" {
		t.Errorf("the seed was %s, expected 1 as the documentation says", seed)
	}
}
