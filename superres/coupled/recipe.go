package coupled

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/usage"
	"superres/learners/sparse"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Recipe holds everything in a model with one coupled stage except the atoms. Stages builds the stages of the model.
type Recipe struct {
	// Scale is the factor by which the model enlarges, 2 to 4.
	Scale int
	// Patch is the side of a low-resolution patch, 1 to 16.
	Patch int
	// Mean is true if the mean of a patch is subtracted before the patch is coded.
	Mean bool
	// Detail is true if the patches rebuilt from D_H are added to the interpolated picture, false if they replace it.
	Detail bool
	// Degradation is the degradation that the model undoes.
	Degradation resample.Degradation
	// Kernel is the interpolation for brightness before the coupled stage, and for colour.
	Kernel resample.Kernel
	// Coder is the spec of the sparse coder: its name and parameters.
	Coder string
	// BackProjection is the number of back-projections after the coupled stage, 0 to 1,000.
	BackProjection int
}

// Check returns an error for the first wrong value, or nil. Stages checks ranges that depend on the atoms.
func (r Recipe) Check() error {
	if err := r.Degradation.Check(); err != nil {
		return err
	}
	if err := r.Kernel.Check(); err != nil {
		return err
	}
	if r.BackProjection < 0 || r.BackProjection > 1000 {
		return usage.Errorf("coupled: %d back-projections, expected 0 to 1000", r.BackProjection)
	}
	_, err := sparse.New(r.Coder)
	return err
}

// Stages returns the stages of a model with copies of low, D_L of Patch²×K, and of high, D_H of (Scale·Patch)²×K, with
// one atom in each column: the coupled stage, and back-projection if there is any. The copies are rounded to float32,
// the precision in which pictures are enlarged. Stages fails if r or the sizes are invalid.
func (r Recipe) Stages(low, high mat.Matrix) ([]stage.Stage, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	n, k := low.Dims()
	m, _ := high.Dims()
	if size := (n + m) * k * 8; size > npz.MaxBytes/2 { // in float64, half of what a file may hold
		return nil, fmt.Errorf("coupled: %d atoms of %d entries make a model of %d MiB, the limit is %d", k, n+m,
			size>>20, npz.MaxBytes>>21)
	}
	c := Stage{Patch: r.Patch, Mean: r.Mean, Detail: r.Detail, Coder: r.Coder}
	for _, half := range []struct {
		name string
		from mat.Matrix
		to   **sparse.Dictionary
	}{{"low", low, &c.Low}, {"high", high, &c.High}} {
		d, err := sparse.NewDictionary(half.from)
		if err == nil {
			d, err = roundAtoms(d)
		}
		if err != nil {
			return nil, fmt.Errorf("the %s half: %w", half.name, err)
		}
		*half.to = d
	}
	coded, err := New(r.Scale, c)
	if err != nil {
		return nil, err
	}
	stages := []stage.Stage{coded}
	if r.BackProjection > 0 {
		back, err := stage.NewBackProject(r.Scale, r.BackProjection, r.Degradation)
		if err != nil {
			return nil, err
		}
		stages = append(stages, back)
	}
	return stages, nil
}

// roundAtoms returns a copy of d with atoms rounded to float32, which take half the space in a file.
func roundAtoms(d *sparse.Dictionary) (*sparse.Dictionary, error) {
	x := d.Matrix()
	x.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	return sparse.NewDictionary(x)
}
