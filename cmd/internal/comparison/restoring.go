package comparison

import (
	"context"
	"fmt"
	"image"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/scoring"
	"superres/superres"
	"superres/superres/score"
)

// restored is a picture that was restored.
type restored struct {
	// Cell has its scores.
	scoring.Cell
	// Picture is what is shown of it, as PNG. The first run alone has it.
	Picture []byte `json:"picture,omitempty"`
}

// baseline is a model that is there already, and what it restored.
type baseline struct {
	// name is what tables call it.
	name string
	// scores has an entry for each test.
	scores []restored
}

// givenModel is a model that is there already.
type givenModel struct {
	// name is its name or file.
	name string
	// effort is how much the model does. Empty is best.
	effort string
}

// open opens the model and says what it is called in a table.
func (c givenModel) open() (m *superres.Model, title string, err error) {
	if m, err = models.Open(c.name); err != nil || c.effort == "" {
		return m, c.name, err
	}
	m, err = m.Effort(c.effort)
	return m, fmt.Sprintf("%s (%s)", c.name, c.effort), err
}

// baselines restores the tests by plain interpolation and by the models of the options.
func (cmp *comparison) baselines(ctx context.Context) ([]baseline, error) {
	models := []givenModel{{name: "nearest"}, {name: "bicubic"}}
	if cmp.opt.Protocol.photo {
		models = append(models, givenModel{name: "lanczos"})
	}
	var list []baseline
	for _, model := range append(models, cmp.opt.Models...) {
		m, name, err := model.open()
		if err != nil {
			return nil, err
		}
		if len(m.Stages) == 0 {
			plain := *m
			m, plain.Degradation = &plain, cmp.opt.Protocol.degradation()
		}
		scores, err := cmp.restoreAll(ctx, m, 0)
		if err != nil {
			return nil, console.Fail(console.ExitInput, err)
		}
		list = append(list, baseline{name, scores})
	}
	return list, nil
}

// restore reduces a picture, enlarges it again and scores the result, and keeps it, or
// a part of it, to be shown.
func (cmp *comparison) restore(ctx context.Context, m *superres.Model, t testPicture, show bool) (s restored, err error) {
	var shown image.Image
	if cmp.opt.Protocol.photo {
		low, err := score.Reduce(t.img, scale, m.Degradation)
		if err != nil {
			return s, err
		}
		if shown, err = m.Upscale(ctx, low, superres.Options{Scale: scale}); err != nil {
			return s, err
		}
		got, err := score.MatlabY.Compare(t.img, shown, scale)
		if err != nil {
			return s, err
		}
		s.Cell = scoring.CellOf(got)
	} else {
		nfe, gray, err := m.RestoreExact(ctx, t.img, scale)
		if err != nil {
			return s, err
		}
		s.NFE, shown = console.Finite(nfe), gray
	}
	if show {
		s.Picture, err = cmp.opt.Protocol.crop(shown, t.img)
	}
	return s, err
}

// restoreAll restores the tests; those of the first run are shown.
func (cmp *comparison) restoreAll(ctx context.Context, m *superres.Model, run int) (list []restored, err error) {
	for i, test := range cmp.data.tests {
		one, err := cmp.restore(ctx, m, test, run == 0 && i < shownTests)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", test.name, err)
		}
		list = append(list, one)
	}
	return list, nil
}
