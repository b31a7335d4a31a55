package coupled

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/usage"
	"superres/learners/sparse"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Recipe is everything in a model with one coupled stage other than the atoms. With a dictionary it makes such a model.
type Recipe struct {
	// Scale is the factor by which the model enlarges, 2 to 4.
	Scale int `json:"scale"`
	// Patch is the side of a low-resolution patch, 1 to 16.
	Patch int `json:"patch"`
	// Mean is true when patches are coded without their mean.
	Mean bool `json:"mean"`
	// Detail is true when the patches that are rebuilt from D_H are added to the interpolated picture, and false
	// when they replace it.
	Detail bool `json:"detail"`
	// Degradation is the degradation that the model undoes.
	Degradation resample.Degradation `json:"degradation"`
	// Kernel interpolates brightness before the coupled stage, and colour.
	Kernel resample.Kernel `json:"kernel"`
	// Coder is the spec of the sparse coder.
	Coder string `json:"coder"`
	// BackProjection is the number of back-projections after the coupled stage, 0 to 1,000.
	BackProjection int `json:"back_projection"`
}

// RecipeOf returns the recipe of stages[i], which must be a *Stage, and of the back-projection that follows it,
// if one does. whole is true if the model has no other stages. It panics if stages[i] is of another kind.
func RecipeOf(
	scale int, d resample.Degradation, k resample.Kernel, stages []stage.Stage, i int,
) (r Recipe, whole bool) {
	c := stages[i].(*Stage)
	r = Recipe{Scale: scale, Patch: c.Patch, Mean: c.Mean, Detail: c.Detail, Degradation: d, Kernel: k, Coder: c.Coder}
	count := 1
	if i+1 < len(stages) {
		if n, of, ok := stage.BackProjection(stages[i+1]); ok && of == d {
			r.BackProjection, count = n, 2
		}
	}
	return r, count == len(stages)
}

// Check returns an error for the first value that is not allowed, or nil. Stages checks the values with a range that
// depends on the atoms.
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

// Stages makes the stages of a model from copies of D_L, Patch²×K, and D_H, (Scale·Patch)²×K, with an atom in each
// column. The copies are rounded to float32, the precision in which pictures are enlarged.
func (r Recipe) Stages(low, high mat.Matrix) ([]stage.Stage, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	n, k := low.Dims()
	m, _ := high.Dims()
	if size := (n + m) * k * 8; size > npz.MaxBytes/2 {
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

// roundAtoms returns a copy of a dictionary with its atoms rounded to float32, which a file stores in half the size.
func roundAtoms(d *sparse.Dictionary) (*sparse.Dictionary, error) {
	x := d.Matrix()
	x.Apply(func(_, _ int, v float64) float64 { return float64(float32(v)) }, x)
	return sparse.NewDictionary(x)
}

// FitHalves returns the patch size and the scale for halves with n = patch² and m = (scale·patch)² rows. It
// fails if no patch size and scale give these numbers, or if there are too many atoms.
func FitHalves(n, m, atoms int) (patch, scale int, err error) {
	return fit(atoms, func(low, high int) bool { return n == low && m == high }, fmt.Sprintf(
		"halves of %d and %d rows are no pair of patches, expected P² and S²·P² with P up to %d and S from 2 to 4, "+
			"such as 9 and 36", n, m, MaxPatch))
}

// FitStacked returns the patch size and the scale for a stacked dictionary D = [D_L; D_H] with rows = patch²·(1 +
// scale²). They are unique, because no ratio of 5, 10 and 17 is a square. It fails if there are none, or if
// there are too many atoms.
func FitStacked(rows, atoms int) (patch, scale int, err error) {
	return fit(atoms, func(low, high int) bool { return rows == low+high }, fmt.Sprintf(
		"%d rows are no patch above another, expected P²·(1 + S²) with P up to %d and S from 2 to 4, such as 45 (3×3 "+
			"above 6×6)", rows, MaxPatch))
}

// fit returns the patch size and the scale for which fits accepts the numbers of samples in a low- and in a
// high-resolution patch. It fails with the text of problem when there are none, or when there are too many atoms.
func fit(atoms int, fits func(low, high int) bool, problem string) (patch, scale int, err error) {
	for patch = 1; patch <= MaxPatch; patch++ {
		for scale = 2; scale <= 4; scale++ {
			switch low := patch * patch; {
			case !fits(low, low*scale*scale):
			case atoms > MaxAtoms:
				return 0, 0, fmt.Errorf("coupled: %d atoms, a model has up to %d", atoms, MaxAtoms)
			default:
				return patch, scale, nil
			}
		}
	}
	return 0, 0, errors.New("coupled: " + problem)
}
