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
	// Picture is the picture, or the part of it that is shown, as PNG. Only the first run has it.
	Picture []byte `json:"picture,omitempty"`
}

// baseline is a model that exists already, with the pictures that it restored.
type baseline struct {
	// name is its name in tables.
	name string
	// scores has an entry for each test picture.
	scores []restored
}

// givenModel names a model that exists already.
type givenModel struct {
	// name is its name or file.
	name string
	// effort is the effort of the model. Empty is best.
	effort string
}

// open opens the model and returns its name in tables.
func (c givenModel) open() (m *superres.Model, title string, err error) {
	if m, err = models.Open(c.name); err != nil || c.effort == "" {
		return m, c.name, err
	}
	m, err = m.Effort(c.effort)
	return m, fmt.Sprintf("%s (%s)", c.name, c.effort), err
}

// baselines restores the test pictures by plain interpolations and by the models of the options.
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

// restore reduces a picture, enlarges it again by a model and scores the result. With show it keeps the result, or a
// part of it, for the page.
func (cmp *comparison) restore(ctx context.Context, m *superres.Model, t testPicture, show bool) (s restored,
	err error) {
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

// restoreAll restores the test pictures. Those of the first run are kept for the page.
func (cmp *comparison) restoreAll(ctx context.Context, m *superres.Model, run int) (list []restored, err error) {
	for i, test := range cmp.data.tests {
		r, err := cmp.restore(ctx, m, test, run == 0 && i < maxShown)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", test.name, err)
		}
		list = append(list, r)
	}
	return list, nil
}
