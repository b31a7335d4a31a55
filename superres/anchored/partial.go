package anchored

import (
	"bytes"
	"encoding/json"
	"fmt"

	"superres/internal/npz"
	"superres/learners"
	"superres/learners/plugin"
	"superres/superres/stage"
)

// A cascade whose training was interrupted goes on after the last stage that was
// learned. What it needs for that is kept as a file of the stages so far, with the
// regressors for the pictures of each fold besides, and a key: the settings and the
// pictures. To go on, the pictures are taken through the stages again, which is a part
// of the work of learning them, and gives the same bytes.

// The members of a kept file that are no arrays: its key, and the heads of its stages.
const (
	keyFile   = "partial.json"
	headsFile = "stages.json"
)

// partialFormat is the version of a kept file.
const partialFormat = 2

// partialKey is what must be the same for a run to go on from what another kept: the
// format, all that steers learning, the pictures. The number of stages is not in it.
func (d *data) partialKey() ([]byte, error) {
	o := d.opt
	key := []any{
		partialFormat, o.params(0), o.params(1), o.Scale, o.Degradation, o.Flat, o.Reductions, o.Learner, o.Iterations, o.BackProject, o.Seed, o.JPEG,
		o.samples(), ridge, folds, batchPatches, groupPixels, quantum, patchLength, columnLength, d.digest.String(),
	}
	if o.Learner != SphericalMeans {
		learner, err := learners.New(o.Learner)
		if err != nil {
			return nil, err
		}
		program, err := plugin.Fingerprint(learner)
		if err != nil {
			return nil, err
		}
		if program != "" {
			key = append(key, program)
		}
	}
	return json.Marshal(key)
}

// keep hands on the stages so far.
func (d *data) keep(learned []*Stage, crossFold [][folds]regressors) error {
	if d.opt.Keep == nil {
		return nil
	}
	key, err := d.partialKey()
	if err != nil {
		return err
	}
	var chain []stage.Stage
	for _, a := range learned {
		chain = append(chain, a)
	}
	heads, matrices, arrays, err := stage.Save(chain)
	if err != nil {
		return err
	}
	text, err := json.Marshal(heads)
	if err != nil {
		return err
	}
	for number, of := range crossFold {
		for fold, r := range of {
			arrays = append(arrays, npz.NewArray(foldArray(number, fold), d.opt.Atoms, r.maps), npz.NewArray(foldArray(number, fold)+".steps", d.opt.Atoms, r.steps))
		}
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: headsFile, Data: text}, {Name: keyFile, Data: key}}, matrices, arrays...); err != nil {
		return err
	}
	return d.opt.Keep(b.Bytes())
}

func foldArray(number, fold int) string { return fmt.Sprintf("cascade%d.fold%d", number, fold) }

// kept returns the stages that an interrupted run has learned with the same settings
// from the same pictures: none when it was another run, or what it kept is damaged.
func (d *data) kept() (learned []*Stage, crossFold [][folds]regressors) {
	f, err := npz.OpenUpTo(bytes.NewReader(d.opt.Kept), int64(len(d.opt.Kept)), 1<<33)
	if err != nil {
		return nil, nil
	}
	want, err := d.partialKey()
	if err != nil {
		return nil, nil
	}
	if key, err := f.Text(keyFile, uint64(len(want))); err != nil || !bytes.Equal(key, want) {
		return nil, nil
	}
	text, err := f.Text(headsFile, 1<<20)
	if err != nil {
		return nil, nil
	}
	var heads []stage.Head
	if json.Unmarshal(text, &heads) != nil {
		return nil, nil
	}
	chain, err := stage.Load(d.opt.Scale, heads, f)
	if err != nil {
		return nil, nil
	}
	for number, s := range chain {
		a, is := s.(*Stage)
		if !is {
			return nil, nil
		}
		p := a.params
		var of [folds]regressors
		for fold := range of {
			name := foldArray(number, fold)
			maps, err := npz.Read[uint8](f, name, p.Anchors, p.coefs())
			if err != nil {
				return nil, nil
			}
			steps, err := npz.Read[float32](f, name+".steps", p.Anchors, 1)
			if err != nil {
				return nil, nil
			}
			of[fold] = regressors{paddedMaps(maps), steps}
		}
		learned, crossFold = append(learned, a), append(crossFold, of)
	}
	most := min(len(learned), d.opt.Stages)
	return learned[:most], crossFold[:most]
}
