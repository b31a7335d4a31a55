package learning

import (
	"reflect"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/resample"
)

// Defaults are the options recorded in the embedded model, except for the seed.
func TestDefaultsAreTheRecipe(t *testing.T) {
	m := must.Get(superres.Load(golden.Shipped(t, "coupled.npz")))(t)
	recorded := golden.Recorded{TB: t, Command: m.Provenance.Command}
	flag, decimal, number := recorded.Flag, recorded.Decimal, recorded.Number
	want := Trainer{
		Scale: number("scale"), Degradation: resample.Degradation(flag("degradation")), Patch: number("patch"),
		Patches: number("patches"),
		Flat:    decimal("flat") / 255, Reductions: []float64{decimal("reduce")}, Mean: flag("mean") == "true",
		Detail: flag("detail") == "true", Refit: flag("refit") == "true",
		Learner: flag("learner"), Coder: flag("coder") + ":sparsity=" + flag("sparsity"), Atoms: number("atoms"),
		Iterations:  number("iterations"),
		BackProject: number("back-projection"), Seed: uint64(number("seed")),
	}
	got := Defaults()
	got.Seed = 1
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the documentation says\n%+v\nthe model was learned by\n%+v", got, want)
	}
}
