package learning

import (
	"reflect"
	"testing"

	"superres/internal/golden"
	"superres/superres"
	"superres/superres/resample"
)

// The zero value is the recipe by which the model that ships was learned, but for the seed,
// as the model itself records it.
func TestZeroValueIsTheRecipe(t *testing.T) {
	m, err := superres.Load(golden.Shipped(t, "coupled.npz"))
	if err != nil {
		t.Fatal(err)
	}
	recorded := golden.Recorded{TB: t, Command: m.Provenance.Command}
	flag, decimal, number := recorded.Flag, recorded.Decimal, recorded.Number
	said := Trainer{
		Scale: number("scale"), Degradation: resample.Degradation(flag("degradation")), Patch: number("patch"), Patches: number("patches"),
		Flat: decimal("flat") / 255, Reductions: []float64{decimal("reduce")},
		KeepMean: flag("mean") != "true", WholePatches: flag("detail") != "true", NoRefit: flag("refit") != "true",
		Learner: flag("learner"), Coder: flag("coder") + ":sparsity=" + flag("sparsity"), Atoms: number("atoms"), Iterations: number("iterations"),
		BackProject: number("back-projection"),
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
