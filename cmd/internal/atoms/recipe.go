package atoms

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/internal/usage"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/coupled"
	"superres/superres/resample"
)

// readHalves returns the halves of the dictionary in f, from the arrays that export writes, or stacked.
func readHalves(f *dictFile) (halves, error) {
	switch {
	case f.isModel():
		return halves{}, f.refuse("is a model already; use it with superres upscale -m, or take its atoms out with " +
			"superres dict export")
	case f.holds("low", "high"):
		return f.pair()
	case f.zip != nil && len(f.zip.Arrays()) > 1:
		return halves{}, usage.Errorf("%s: holds the arrays %s, but not both low and high, nor one stacked dictionary",
			f.name, strings.Join(f.zip.Arrays(), " "))
	}
	return f.stacked()
}

// importParameters returns how the atoms are applied: by the flags in opt, else the parameters in f, else as in the
// paper. Scale and patch follow from the sizes of the halves h; other values in f are an error.
func importParameters(opt ImportOptions, f *dictFile, h halves) (p parameters, err error) {
	_, atoms := h.low.Dims()
	coder, err := opt.Coder.Over(atoms)
	if err != nil {
		return p, err
	}
	flags := coupled.Recipe{Degradation: opt.Degradation, Kernel: resample.Bicubic,
		Coder: coder, BackProjection: opt.BackProjection, Mean: opt.Mean, Detail: opt.Detail}
	if err := flags.Check(); err != nil {
		return p, err
	}
	p, err = f.parameters(parameters{Recipe: flags})
	if err != nil {
		return p, err
	}
	for _, override := range []struct {
		flag string
		set  func()
	}{
		{"mean", func() { p.Mean = flags.Mean }},
		{"detail", func() { p.Detail = flags.Detail }},
		{"degradation", func() { p.Degradation = flags.Degradation }},
		{"coder", func() { p.Coder = flags.Coder }},
		{"back-projection", func() { p.BackProjection = flags.BackProjection }},
	} {
		if opt.given.Given(override.flag) {
			override.set()
		}
	}
	if p.Scale != 0 && p.Scale != h.scale || p.Patch != 0 && p.Patch != h.patch {
		return p, f.refuse("array %s says another scale or patch than the rows of the halves, which are for %d×%d "+
			"patches at scale %d; leave it out or check the halves", parametersArray, h.patch, h.patch, h.scale)
	}
	p.Scale, p.Patch = h.scale, h.patch
	if n := opt.Coder.Sparsity; n > 0 && opt.Coder.SparsityGiven && p.Coder != coder { // p.Coder is the file's
		p.Coder, err = sparse.WithSparsity(p.Coder, n)
	}
	return p, err
}

// modelOf returns a model with a coupled stage made of the halves low and high, applied by the recipe r.
func modelOf(r coupled.Recipe, low, high mat.Matrix) (*superres.Model, error) {
	if err := coupled.Storable(r.Coder); err != nil {
		return nil, err
	}
	stages, err := r.Stages(low, high)
	if err != nil {
		return nil, err
	}
	return &superres.Model{Scale: r.Scale, Degradation: r.Degradation, Kernel: r.Kernel, Stages: stages}, nil
}

// importWarnings returns warnings of atoms of D_L that are zero, or that all have mean 0, as if --mean were missing.
func importWarnings(m *superres.Model) (list []string) {
	stage, _ := coupled.Of(m.Stages[0])
	n, atoms := stage.Low.Dims()
	zero, meanless := 0, 0
	for k := range atoms {
		length := stage.Low.Norm(k)
		if length == 0 {
			zero++
		}
		if sum := math.Abs(mat.Sum(mat.NewVecDense(n, stage.Low.Atom(k)))); sum <= 1e-3*length*math.Sqrt(float64(n)) {
			meanless++
		}
	}
	if zero > 0 {
		list = append(list, fmt.Sprintf("%s of D_L %s zero and never chosen", console.Count(zero, "atom"),
			isOrAre(zero)))
	}
	if meanless == atoms && zero < atoms && !stage.Mean && !stage.Detail {
		list = append(list, "no atom of D_L has a mean, so that nothing codes brightness; probably --mean is missing")
	}
	return list
}
