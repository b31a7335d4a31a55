package superres

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"superres/internal/npz"
	"superres/learners/plugin"
)

// The training of a cascade may be done in parts, on many machines, in two steps a
// stage: each part draws its share of the sample that the anchors are found from, and
// these are found; each sums the normal equations of its pictures, and these are
// solved. A part is pictures in whole groups. Before each step, its pictures are taken
// through the stages so far. As a sample is drawn job by job, and the sums of groups are
// exact, the model has the bytes that Train makes, whatever the number of parts.

// trainingPart is one part of many; the zero value is all.
type trainingPart struct{ index, of int }

func (p trainingPart) has(group int) bool { return p.of == 0 || group%p.of == p.index }

// survey is what all parts know of all pictures; the parts of the first step read all
// of them for it.
type survey struct {
	Pictures []surveyed `json:"pictures"`
	Data     string     `json:"data"` // as in Provenance.DataSHA256
}

type surveyed struct {
	W   int    `json:"w"`
	H   int    `json:"h"`
	Sum string `json:"sum"`
}

// The members of a part, and what a kept file has of the parts of a training.
const (
	partFile   = "part.json"
	surveyFile = "survey.json"
	maxSurvey  = 1 << 30
)

// partHeader is the member partFile.
type partHeader struct {
	Step    int             `json:"step"` // 2·stage, or 2·stage + 1 for its equations
	Index   int             `json:"index"`
	Of      int             `json:"of"`
	Key     json.RawMessage `json:"key"` // see partialKey
	Options TrainOptions    `json:"options"`
	Survey  survey          `json:"survey"`
}

// ErrParts is wrapped by errors about parts of a training that do not belong together.
var ErrParts = errors.New("parts of a training that do not belong together")

// TrainPart does part index of count parts, from 0, of the next step of the training of
// a cascade, and returns what MergeParts wants of it. Sources and options are those of
// Train; opt.Kept is what MergeParts returned last, nil at first. had is what an
// earlier call returned, nil for nothing: when it is this very part it is returned
// again. Pictures cannot be held out.
func TrainPart(ctx context.Context, sources []Source, opt TrainOptions, index, count int, had []byte) ([]byte, error) {
	if opt.Stages < 1 || opt.HeldOut != 0 {
		return nil, plugin.Errorf("superres: only a cascade is trained in parts, and without held-out pictures")
	}
	opt, err := opt.defaults()
	if err != nil {
		return nil, err
	}
	d := &anchorData{opt: opt, part: trainingPart{index, count}}
	stages, without, next, err := d.state(len(sources))
	if err != nil {
		return nil, err
	}
	if len(stages) >= opt.Stages {
		return nil, fmt.Errorf("superres: %w: all stages are learned already", ErrParts)
	}
	head := partHeader{Step: 2 * len(stages), Index: index, Of: count, Options: opt}
	if next != nil {
		head.Step++
	}
	if h, err := readPart(had); err == nil && head.like(h) && (d.survey.Data == "" || d.survey.Data == h.Survey.Data) {
		return had, nil
	}
	if err := d.openPart(ctx, sources); err != nil {
		return nil, err
	}
	_, back, err := d.blankModel(len(sources))
	if err != nil {
		return nil, err
	}
	all := int64(len(stages)+1) * d.pixels
	done := newTally(func(pixels int64) { opt.Progress("learning", int(pixels>>10), int(all>>10)+1) })
	for i, a := range stages {
		if err := d.advance(ctx, a, without[i], back, done.add); err != nil {
			return nil, err
		}
	}
	head.Survey = d.survey
	if head.Key, err = d.partialKey(); err != nil {
		return nil, err
	}
	var arrays []npz.Array
	if next == nil {
		arrays, err = d.samplePart(ctx, len(stages))
	} else {
		arrays, err = d.equationsPart(ctx, next, done.add)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = npz.Write(&b, []npz.Text{{Name: partFile, Data: text}}, nil, arrays...)
	return b.Bytes(), err
}

// like tells whether two parts are the same part of the same step with the same
// settings.
func (h partHeader) like(other partHeader) bool {
	a, err1 := json.Marshal(h.Options)
	b, err2 := json.Marshal(other.Options)
	return err1 == nil && err2 == nil && bytes.Equal(a, b) && h.Step == other.Step && h.Index == other.Index && h.Of == other.Of
}

// state reads what MergeParts returned last, and lists the pictures.
func (d *anchorData) state(pictures int) (stages []*Anchored, without [][folds]regressors, next *Anchored, err error) {
	if d.opt.Kept == nil {
		return nil, nil, nil, nil
	}
	f, err := openPartial(d.opt.Kept)
	if err == nil {
		var text []byte
		if text, err = f.Text(surveyFile, maxSurvey); err == nil {
			err = json.Unmarshal(text, &d.survey)
		}
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("superres: %w: what is kept of the training was not made by parts, or is damaged", ErrParts)
	}
	stages, without, next = d.keptIn(f)
	if len(d.survey.Pictures) != pictures || len(stages) == 0 && next == nil {
		return nil, nil, nil, fmt.Errorf("superres: %w: what is kept is of a training with other settings or pictures", ErrParts)
	}
	for i, p := range d.survey.Pictures {
		d.list(i, p.W, p.H)
	}
	return stages, without, next, nil
}

// openPart reads the pictures of the part, or all when they are not known yet.
func (d *anchorData) openPart(ctx context.Context, sources []Source) error {
	if d.survey.Data == "" {
		return d.open(ctx, sources)
	}
	planes := map[int][]*anchorPlane{}
	for _, p := range d.planes {
		if d.part.has(p.group) {
			planes[p.picture] = append(planes[p.picture], p)
		}
	}
	for i, src := range sources {
		d.opt.Progress("reading pictures", i, len(sources))
		if err := ctx.Err(); err != nil {
			return err
		}
		if planes[i] == nil {
			continue
		}
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		whole := split(img).luma()
		if newSampler(d.opt).hash(whole) != d.survey.Pictures[i].Sum {
			return fmt.Errorf("superres: %s: %w: the picture has changed since the first step", src.Name, ErrParts)
		}
		if err := d.fill(src, whole, planes[i]); err != nil {
			return err
		}
	}
	return nil
}

// samplePart draws the share of the sample: of each job of all pictures how many
// patches, and these.
func (d *anchorData) samplePart(ctx context.Context, stage int) ([]npz.Array, error) {
	drawn, err := d.draw(ctx, blankAnchored(d.opt.Scale, d.opt.stage(stage)), stage)
	if err != nil {
		return nil, err
	}
	counts := make([]float64, len(drawn))
	for i, one := range drawn {
		counts[i] = float64(one.count)
	}
	all := gathered(drawn)
	return []npz.Array{npz.NewArray("counts", 1, counts), npz.NewArray("features", 1, all.features), npz.NewArray("blocks", 1, all.blocks)}, nil
}

// equationsPart sums the equations of both folds.
func (d *anchorData) equationsPart(ctx context.Context, a *Anchored, report func(int64)) (arrays []npz.Array, err error) {
	for fold := range folds {
		e, err := d.accumulate(ctx, a, fold, report)
		if err != nil {
			return nil, err
		}
		counts := make([]float64, len(e.count))
		for k, c := range e.count {
			counts[k] = float64(c)
		}
		arrays = append(arrays, npz.NewArray(fmt.Sprintf("sums%d", fold), 1, e.sums), npz.NewArray(fmt.Sprintf("counts%d", fold), 1, counts))
	}
	return arrays, nil
}
