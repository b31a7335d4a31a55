package learning

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"superres/internal/npz"
)

// A checkpoint is an .npz file of all that the next step depends on. Random sampling depends on the
// number of the step alone.

// The members of the file that are no arrays.
const (
	stateFile = "state.json"
	keyFile   = "key.json"
)

const (
	checkpointFormat = 4
	maxText          = 1 << 20
	maxCheckpoint    = 1 << 31
)

// state has the numbers that a training goes on with.
type state struct {
	Done   int     `json:"done"`
	Norm   float64 `json:"norm"`
	Loss   float64 `json:"loss"`
	Square float64 `json:"square"`
	Steps  int     `json:"steps"`
	RMSE   float64 `json:"rmse"`
	Dead   int     `json:"silent"`
}

// key returns what must be equal for a run to go on from the checkpoint of another: the format, all
// that steers the training, and the pictures.
func (l *learner) key(d dataset) []byte {
	o := l.opt
	from := sha256.Sum256(nil)
	if o.From != nil {
		from = o.From.Fingerprint()
	}
	var teachers [][]byte
	for _, t := range o.Teachers {
		sum := t.Fingerprint()
		teachers = append(teachers, sum[:])
	}
	key, err := json.Marshal([]any{
		checkpointFormat, o.Scale, o.Degradation, o.Channels, o.Depth, o.Steps, o.Batch, o.Patch, o.LearningRate,
		o.Decay, o.Reductions, o.Symmetries, o.Robust, o.JPEG, o.Synthetic, o.Seed, o.Interval,
		from[:], teachers, taughtShare, warmUp, lastPart, roundness, squareWeight, momentum, adamRate, schulzSteps,
		decay1, decay2, least, clipAt, normDecay, averageDecay, d.digest(),
	})
	if err != nil {
		panic(err) // numbers and texts
	}
	return key
}

// checkpoint returns a checkpoint of the training. It fails when the training has diverged.
func (l *learner) checkpoint(d dataset) ([]byte, error) {
	numbers, err := json.Marshal(state{l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.dead})
	if err != nil {
		return nil, err
	}
	var arrays []npz.Array
	for i, f := range l.layers {
		for k, v := range f.arrays() {
			arrays = append(arrays, npz.NewArray(arrayName(i, k), 1, v))
		}
	}
	var b bytes.Buffer
	err = npz.Write(&b, []npz.Text{{Name: stateFile, Data: numbers}, {Name: keyFile, Data: l.key(d)}}, nil, arrays...)
	return b.Bytes(), err
}

var arrayNames = [...]string{"mean", "now", "moment", "square"}

// arrayName returns the name of array k of a layer in a checkpoint.
func arrayName(layer, k int) string { return fmt.Sprintf("layer%d.%s", layer, arrayNames[k]) }

// arrays returns what a checkpoint has of a layer, in the order of arrayNames.
func (f *layer) arrays() [len(arrayNames)][]float32 {
	return [...][]float32{f.average.all, f.now.all, f.momentum.all, f.square}
}

// restore goes on from a checkpoint. It changes nothing when that is damaged or of another training.
func (l *learner) restore(checkpoint []byte, d dataset) {
	file, err := npz.OpenUpTo(bytes.NewReader(checkpoint), int64(len(checkpoint)), maxCheckpoint)
	if err != nil {
		return
	}
	if key, err := file.Text(keyFile, maxText); err != nil || !bytes.Equal(key, l.key(d)) {
		return
	}
	text, err := file.Text(stateFile, maxText)
	var s state
	if err != nil || json.Unmarshal(text, &s) != nil || s.Done < 0 || s.Done > l.opt.Steps {
		return
	}
	var read [][]float32
	for i, f := range l.layers {
		for k, v := range f.arrays() {
			got, err := npz.Read[float32](file, arrayName(i, k), 1, len(v))
			if err != nil {
				return
			}
			read = append(read, got)
		}
	}
	for i, f := range l.layers {
		for k, v := range f.arrays() {
			copy(v, read[i*len(arrayNames)+k])
		}
		f.transpose()
	}
	l.done, l.norm, l.loss, l.square = s.Done, s.Norm, s.Loss, s.Square
	l.steps, l.rmse, l.dead = s.Steps, s.RMSE, s.Dead
}
