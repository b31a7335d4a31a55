package superres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"superres/internal/npz"
)

// MergeParts completes a step of the training of a cascade: part returns what TrainPart
// made of part i of count, of which one at a time is in memory; kept is what MergeParts
// returned last, nil at first. It returns what the parts of the next step want to have
// as TrainOptions.Kept, or, after the last step, the model.
func MergeParts(ctx context.Context, kept []byte, count int, part func(i int) ([]byte, error)) (next []byte, m *Model, err error) {
	data, err := part(0)
	if err != nil {
		return nil, nil, err
	}
	head, err := readPart(data)
	if err != nil {
		return nil, nil, err
	}
	opt, err := head.Options.defaults()
	if err != nil {
		return nil, nil, err
	}
	opt.Kept = kept
	d := &anchorData{opt: opt}
	stages, without, after, err := d.state(len(head.Survey.Pictures))
	if err != nil {
		return nil, nil, err
	}
	if kept == nil {
		for i, p := range head.Survey.Pictures {
			d.list(i, p.W, p.H)
		}
		d.survey = head.Survey
	}
	step := 2 * len(stages)
	if after != nil {
		step++
	}
	key, err := d.partialKey()
	if err != nil {
		return nil, nil, err
	}
	parts := func(i int) (*npz.File, error) {
		if i > 0 {
			if data, err = part(i); err != nil {
				return nil, err
			}
		}
		h, err := readPart(data)
		if err != nil {
			return nil, err
		}
		switch {
		case h.Step != step || h.Index != i || h.Of != count:
			return nil, fmt.Errorf("superres: %w: part %d of %d in step %d, expected part %d of %d in step %d", ErrParts, h.Index, h.Of, h.Step, i, count, step)
		case string(h.Key) != string(key) || h.Options.Command != opt.Command:
			return nil, fmt.Errorf("superres: %w: part %d is of other settings, pictures or another version", ErrParts, i)
		}
		return openPartial(data)
	}
	m, back, err := d.blankModel(len(d.survey.Pictures))
	if err != nil {
		return nil, nil, err
	}
	for _, a := range stages {
		m.addStage(a, back)
	}
	if after == nil {
		if after, err = d.mergeSample(ctx, len(stages), count, parts); err != nil {
			return nil, nil, err
		}
		m.Stages = append(m.Stages, after)
	} else {
		a, of, err := d.mergeEquations(ctx, after, count, parts)
		if err != nil {
			return nil, nil, err
		}
		m.addStage(a, back)
		if without = append(without, of); len(without) == opt.Stages {
			return nil, m, nil
		}
	}
	text, err := json.Marshal(d.survey)
	if err != nil {
		return nil, nil, err
	}
	next, err = d.partial(m, without, npz.Text{Name: surveyFile, Data: text})
	return next, nil, err
}

// readPart reads the header of a part.
func readPart(data []byte) (h partHeader, err error) {
	f, err := openPartial(data)
	if err == nil {
		var text []byte
		if text, err = f.Text(partFile, maxSurvey); err == nil {
			err = json.Unmarshal(text, &h)
		}
	}
	if err != nil {
		err = fmt.Errorf("superres: %w: a part is damaged: %w", ErrParts, err)
	}
	return h, err
}

// mergeSample puts the sample together in the order in which Train draws it, and finds
// the anchors.
func (d *anchorData) mergeSample(ctx context.Context, stage, count int, part func(int) (*npz.File, error)) (*Anchored, error) {
	p := d.opt.stage(stage)
	jobs := 0
	for fold := range folds {
		list, _ := d.jobs(blankAnchored(d.opt.Scale, p), fold)
		jobs += len(list)
	}
	drawn := make([]anchorSample, jobs)
	f, size := p.features(), p.Block*p.Block
	for i := range count {
		file, err := part(i)
		if err != nil {
			return nil, err
		}
		counts, err := npz.Read[float64](file, "counts", 1, jobs)
		if err != nil {
			return nil, damagedPart(i, err)
		}
		total := 0
		for _, c := range counts {
			if c < 0 || c > 1<<30 {
				return nil, damagedPart(i, errors.New("counts"))
			}
			total += int(c)
		}
		features, err := npz.Read[float32](file, "features", 1, total*f)
		if err != nil {
			return nil, damagedPart(i, err)
		}
		blocks, err := npz.Read[float32](file, "blocks", 1, total*size)
		if err != nil {
			return nil, damagedPart(i, err)
		}
		for job, c := range counts {
			if n := int(c); n > 0 {
				drawn[job] = anchorSample{n, features[:n*f], blocks[:n*size]}
				features, blocks = features[n*f:], blocks[n*size:]
			}
		}
	}
	return d.findAnchors(ctx, gathered(drawn), stage)
}

// mergeEquations adds the equations up and solves them.
func (d *anchorData) mergeEquations(ctx context.Context, a *Anchored, count int, part func(int) (*npz.File, error)) (*Anchored, [folds]regressors, error) {
	p := a.params
	var equations [folds]*normalEquations
	for fold := range folds {
		equations[fold] = newNormalEquations(p.Anchors, p.InputDims, p.OutputDims)
	}
	for i := range count {
		file, err := part(i)
		if err != nil {
			return nil, [folds]regressors{}, err
		}
		for fold, e := range equations {
			sums, err := npz.Read[float64](file, fmt.Sprintf("sums%d", fold), 1, len(e.sums))
			if err != nil {
				return nil, [folds]regressors{}, damagedPart(i, err)
			}
			counts, err := npz.Read[float64](file, fmt.Sprintf("counts%d", fold), 1, len(e.count))
			if err != nil {
				return nil, [folds]regressors{}, damagedPart(i, err)
			}
			for j, v := range sums {
				e.sums[j] += v
			}
			for k, c := range counts {
				e.count[k] += int64(c)
			}
		}
	}
	without, all, err := solveFolds(ctx, equations, p)
	if err != nil {
		return nil, without, err
	}
	a, err = a.with(all)
	return a, without, err
}

func damagedPart(i int, err error) error {
	return fmt.Errorf("superres: %w: part %d is damaged: %w", ErrParts, i, err)
}
