package learners_test

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"runtime"
	"testing"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

var update = flag.Bool("update", false, "write testdata/revisions.json")

// kept is what a plug-in gave when its revision was last raised.
type kept struct {
	Revision int `json:"revision"`
	// Figures are of its result on a small planted problem: RMSE and non-zeros of each tenth iteration of a learner,
	// and of the codes of a coder.
	Figures []float64 `json:"figures"`
}

// A built-in learner or coder gets a higher revision when its results change, so that it does not reuse kept trials.
// Where this fails, raise Revision in the registration, and write the file again by -update.
func TestRevisionsAreRaised(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the last digits, which other processors round differently, decide between atoms after some iterations")
	}
	const file = "testdata/revisions.json"
	y := learnertest.Planted(8, 12, 2, 60, 7)
	now := map[string]kept{}
	for _, info := range learners.List() {
		if info.Argument != "" {
			continue // a program, which has a fingerprint
		}
		r := learn(t, must.Get(learners.New(info.Name))(t), y, learners.Options{Atoms: 12, Iterations: 60,
			Coder: sparse.OMP{Sparsity: 2}})
		v := kept{Revision: must.Get(learners.Revision(info.Name))(t)}
		for i := 9; i < len(r.Steps); i += 10 {
			v.Figures = append(v.Figures, r.Steps[i].RMSE, r.Steps[i].NonZeros)
		}
		now["learner "+info.Name] = v
	}
	d := sparsetest.Dictionary(t, 8, 12, 5)
	for _, info := range sparse.List() {
		if info.Argument != "" {
			continue
		}
		spec := must.Get(sparse.WithSparsity(info.Name, 3))(t)
		codes := sparsetest.Code(t, must.Get(sparse.New(spec))(t), d, y)
		sum := 0.0
		for i, x := range codes.Value {
			sum += math.Abs(x) * float64(1+codes.Index[i])
		}
		now["coder "+info.Name] = kept{must.Get(sparse.Revision(spec))(t),
			[]float64{sum, float64(len(codes.Value))}}
	}
	if *update {
		text := must.Get(json.MarshalIndent(now, "", "\t"))(t)
		must.Succeed(t, os.WriteFile(file, append(text, '\n'), 0o666))
		return
	}
	var before map[string]kept
	must.Succeed(t, json.Unmarshal(must.Get(os.ReadFile(file))(t), &before))
	for name, v := range now {
		old, known := before[name]
		same := known && len(old.Figures) == len(v.Figures)
		for i := 0; same && i < len(v.Figures); i++ {
			same = math.Abs(v.Figures[i]-old.Figures[i]) <= 1e-6*(1e-6+math.Abs(old.Figures[i]))
		}
		switch {
		case !known:
			t.Errorf("%s is not in %s; write it by -update", name, file)
		case !same && v.Revision <= old.Revision:
			t.Errorf("%s has other results than revision %d had: raise its Revision, then write %s by -update\n%v\n%v",
				name, old.Revision, file, old.Figures, v.Figures)
		case v.Revision != old.Revision:
			t.Errorf("%s: revision %d, in %s %d; write it by -update", name, v.Revision, file, old.Revision)
		}
	}
}
