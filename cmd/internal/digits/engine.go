package digits

import (
	"context"
	"image"

	"superres/cmd/internal/models"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// digit is one image of the file, with what was made of it.
type digit struct {
	index, label int         // label may be mnist.NoLabel
	truth        *image.Gray // the image of the file
	low, result  *image.Gray
	errors       []float64 // one for each column, NaN where it is not defined; nil where nothing is scored
	failure      error
}

// engine reduces, restores and scores images, or enlarges them. It is safe for concurrent use.
type engine struct {
	model       *superres.Model
	enlarges    bool // the images are enlarged as they are, and not scored
	scale       int
	degradation resample.Degradation
	plain       []*superres.Model // the interpolations that are scored beside the model
	columns     []string          // the names of plain and, at the end, that of the model
}

// newEngine opens the models of the options. The scale and the degradation are those of the model where the options
// have none.
func newEngine(opt Options) (*engine, error) {
	m, err := models.Open(opt.Model)
	if err != nil {
		return nil, err
	}
	e := &engine{model: m, enlarges: opt.enlarges(), degradation: opt.Degradation}
	if e.scale = max(2, m.Scale); opt.Scale != nil {
		e.scale = *opt.Scale
	}
	if e.enlarges {
		return e, nil
	}
	if e.degradation == "" {
		e.degradation = resample.Box
		if len(m.Stages) > 0 {
			e.degradation = m.Degradation
		}
	}
	for _, name := range []string{"nearest", "bicubic"} {
		if name == opt.Model {
			continue
		}
		m, err := models.Open(name)
		if err != nil {
			return nil, err
		}
		e.columns, e.plain = append(e.columns, name), append(e.plain, m)
	}
	e.columns = append(e.columns, opt.Model)
	return e, e.degradation.Check()
}

// process reduces, restores and scores a digit, or enlarges it.
func (e *engine) process(ctx context.Context, x *digit) error {
	x.low = x.truth
	if !e.enlarges {
		low, err := score.Reduce(x.truth, e.scale, e.degradation)
		if err != nil {
			return err
		}
		x.low = low.(*image.Gray)
	}
	opt := superres.Options{Scale: float64(e.scale)}
	result, err := e.model.Upscale(ctx, x.low, opt)
	if err != nil {
		return err
	}
	x.result = result.(*image.Gray) // grey stays grey
	if e.enlarges {
		return nil
	}
	for _, m := range e.plain {
		img, err := m.Upscale(ctx, x.low, opt)
		if err != nil {
			return err
		}
		if err := e.score(x, img); err != nil {
			return err
		}
	}
	return e.score(x, x.result)
}

// score appends the error of a restored image to the errors of its digit.
func (e *engine) score(x *digit, restored image.Image) error {
	v, err := score.NormalisedError(x.truth, restored, e.scale)
	x.errors = append(x.errors, v)
	return err
}
