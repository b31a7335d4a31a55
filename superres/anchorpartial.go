package superres

import (
	"bytes"
	"encoding/json"
	"fmt"

	"superres/internal/npz"
)

// A cascade whose training was interrupted goes on after the last stage that was
// learned. What it needs for that is kept as a model file of the stages so far, with
// the regressors for the pictures of each fold besides, and a key: the settings and the
// pictures. To go on, the pictures are taken through the stages again, which is a part
// of the work of learning them, and gives the same bytes.

// partialFile is the member of a kept file that holds its key.
const partialFile = "partial.json"

// partialKey is what must be the same for a run to go on from what another kept: the
// format, all that steers learning, the pictures. The number of stages is not in it.
func (d *anchorData) partialKey() ([]byte, error) {
	o := d.opt
	return json.Marshal([]any{
		formatVersion, o.stage(0), o.stage(1), o.Scale, o.Degradation, o.Flat, o.Reductions, o.Learner, o.Iterations, o.BackProject, o.Seed, o.JPEG,
		o.samples(), ridge, folds, batchPatches, groupPixels, quantum, patchLength, columnLength, d.survey.Data,
	})
}

// keep hands on the stages so far.
func (d *anchorData) keep(m *Model, without [][folds]regressors) error {
	if d.opt.Keep == nil {
		return nil
	}
	data, err := d.partial(m, without)
	if err != nil {
		return err
	}
	return d.opt.Keep(data)
}

// partial returns what is kept of the stages so far; texts are added to it.
func (d *anchorData) partial(m *Model, without [][folds]regressors, texts ...npz.Text) ([]byte, error) {
	key, err := d.partialKey()
	if err != nil {
		return nil, err
	}
	text, matrices, arrays, err := m.members()
	if err != nil {
		return nil, err
	}
	for stage, of := range without {
		for fold, r := range of {
			arrays = append(arrays, npz.NewArray(foldArray(stage, fold), d.opt.Atoms, r.maps), npz.NewArray(foldArray(stage, fold)+".steps", d.opt.Atoms, r.steps))
		}
	}
	var b bytes.Buffer
	if err := npz.Write(&b, append([]npz.Text{text, {Name: partialFile, Data: key}}, texts...), matrices, arrays...); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func foldArray(stage, fold int) string { return fmt.Sprintf("cascade%d.fold%d", stage, fold) }

// kept returns the stages that an interrupted run has learned with the same settings
// from the same pictures: none when it was another run, or what it kept is damaged.
func (d *anchorData) kept() (stages []*Anchored, without [][folds]regressors) {
	f, err := openPartial(d.opt.Kept)
	if err != nil {
		return nil, nil
	}
	stages, without, _ = d.keptIn(f)
	return stages, without
}

// openPartial opens a kept file, or a part.
func openPartial(data []byte) (*npz.File, error) {
	return npz.OpenUpTo(bytes.NewReader(data), int64(len(data)), 1<<33)
}

// keptIn is kept for an open file. next is the stage that comes after them, without
// regressors, if the parts of a training have come so far.
func (d *anchorData) keptIn(f *npz.File) (stages []*Anchored, without [][folds]regressors, next *Anchored) {
	want, err := d.partialKey()
	if err != nil {
		return nil, nil, nil
	}
	if key, err := f.Text(partialFile, uint64(len(want))); err != nil || !bytes.Equal(key, want) {
		return nil, nil, nil
	}
	m, err := read(f)
	if err != nil {
		return nil, nil, nil
	}
	for _, s := range m.Stages {
		a, is := s.(*Anchored)
		if !is {
			continue
		}
		p := a.params
		var of [folds]regressors
		for fold := range of {
			name := foldArray(len(stages), fold)
			maps, err := npz.Read[uint8](f, name, p.Anchors, p.coefs())
			if err != nil {
				return stages, without, a // the last one has none
			}
			steps, err := npz.Read[float32](f, name+".steps", p.Anchors, 1)
			if err != nil {
				return nil, nil, nil
			}
			of[fold] = regressors{withRoom(maps), steps}
		}
		stages, without = append(stages, a), append(without, of)
	}
	most := min(len(stages), d.opt.Stages)
	return stages[:most], without[:most], nil
}
