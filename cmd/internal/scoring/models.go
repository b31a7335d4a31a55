package scoring

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/degrade"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// scoreModels reduces every picture, enlarges it again by every model and scores the results. It sets the columns,
// the rows and, where no option says it, the degradation.
func (t *Scores) scoreModels(ctx context.Context, opt EvalOptions, bar *console.Progress) error {
	var opened []*superres.Model
	t.Degradation = opt.Degradation
	for _, name := range opt.Models {
		m, err := models.Open(name)
		if err == nil {
			m, err = m.Effort(opt.Effort)
		}
		if err != nil {
			return err
		}
		if t.Degradation == "" && len(m.Stages) > 0 {
			t.Degradation = m.Degradation
		}
		opened = append(opened, m)
		t.Columns = append(t.Columns, paths.Name(name))
	}
	if t.Degradation == "" {
		t.Degradation = resample.Cubic
	}
	if err := t.Degradation.Check(); err != nil {
		return err
	}
	from := pictures.Sources{Command: "eval", Recursive: opt.Recursive, Choice: opt.Choice, Limits: opt.Limits,
		BytesPerPixel: 100, Notes: opt.Notes}
	list, err := from.List(ctx, opt.Inputs)
	if err != nil {
		return err
	}
	for i, src := range list {
		err := console.Picture(src.Name, func() error {
			truth, err := src.Open(ctx)
			if err != nil {
				return err
			}
			low, err := t.reduce(src.Name, truth)
			if err != nil {
				return err
			}
			row := scoreRow{Name: paths.Name(filepath.Base(src.Name))}
			for j, m := range opened {
				if m, err = m.TuneFor(low, t.JPEG); err != nil {
					return err
				}
				high, err := m.Upscale(ctx, low,
					superres.Options{Scale: float64(t.Scale), Progress: func(share float64) {
						bar.Set("scoring", (float64(i)+(float64(j)+share)/float64(len(opened)))/float64(len(list)))
					}})
				if err != nil {
					return err
				}
				cell, err := t.cell(truth, high)
				if err != nil {
					return fmt.Errorf("%s: %w", src.Name, err)
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// reduce returns the low-resolution picture that all models enlarge.
func (t *Scores) reduce(name string, truth image.Image) (image.Image, error) {
	low, err := score.Reduce(truth, t.Scale, t.Degradation)
	if err != nil {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: %w", name, err))
	}
	if t.Noise > 0 {
		const seed = 1
		low = degrade.WithNoise(low, t.Noise, seed)
	}
	if t.JPEG == 0 {
		return low, nil
	}
	if low, err = resample.ThroughJPEG(low, t.JPEG); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return low, nil
}
