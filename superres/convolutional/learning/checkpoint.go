package learning

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"

	"superres/internal/npz"
)

// stateFile and keyFile are the names of the texts in a checkpoint: an .npz file with everything that the next step
// depends on. Random sampling depends only on the number of the step.
const (
	stateFile = "state.json"
	keyFile   = "key.json"
)

const (
	checkpointFormat = 7       // changes whenever old checkpoints lose their meaning
	maxText          = 1 << 20 // the most bytes of stateFile or keyFile
	maxCheckpoint    = 1 << 31 // the most bytes of a checkpoint without compression
)

// state holds the numbers of a learner that a checkpoint keeps.
type state struct {
	Done   int     `json:"done"`
	Norm   float64 `json:"norm"`
	Loss   float64 `json:"loss"`
	Square float64 `json:"square"`
	Steps  int     `json:"steps"`
	RMSE   float64 `json:"rmse"`
	Dead   int     `json:"silent"`
	// Trainer is learner.trainer.
	Trainer string `json:"trainer,omitempty"`
}

// key returns bytes that must be equal for a run to continue another: the format, the options and constants of
// training that affect the result, and digest, the hash of the pictures or lessons.
func (l *learner) key(digest string) []byte {
	o := l.opt
	from := sha256.Sum256(nil) // stands for no network
	if o.From != nil {
		from = o.From.Fingerprint()
	}
	var teachers [][]byte
	for _, t := range o.Teachers {
		sum := t.Fingerprint()
		teachers = append(teachers, sum[:])
	}
	key, err := json.Marshal([]any{
		checkpointFormat, o.Scale, o.Degradation, o.Channels, o.Depth, o.Skip, o.Steps, o.Batch, o.Patch, o.Margin,
		o.LearningRate, o.Decay, o.Reductions, o.Symmetries, o.Robust, o.Synthetic, o.Seed, o.Interval,
		from[:], teachers, o.SeesColour, taughtShare, warmUp, lastPart, exactPart, roundness, squareWeight,
		commonSquare, leastSquare, headWeight, greyShare, momentum, adamRate, schulzSteps, schulzA, schulzB, schulzC,
		decay1, decay2, least, clipAt, normDecay, averageDecay, digest,
	})
	if err != nil {
		panic(err) // cannot be: these are numbers and strings
	}
	return key
}

// checkpoint returns a checkpoint of training on pictures or lessons with the given digest, and fails if it diverged.
func (l *learner) checkpoint(digest string) ([]byte, error) {
	if err := l.fetch(); err != nil { // the state of a remote trainer
		return nil, err
	}
	numbers, err := json.Marshal(state{l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.dead, l.trainer})
	if err != nil { // JSON has no NaN
		return nil, l.diverged(math.NaN())
	}
	var arrays []npz.Array
	for i, f := range l.layers {
		for k, v := range f.arrays() {
			arrays = append(arrays, npz.NewArray(arrayName(i, k), 1, v))
		}
	}
	var b bytes.Buffer
	texts := []npz.Text{{Name: stateFile, Data: numbers}, {Name: keyFile, Data: l.key(digest)}}
	err = npz.Write(&b, texts, nil, arrays...)
	return b.Bytes(), err
}

var arrayNames = [...]string{"mean", "now", "moment", "square"}

// arrayName returns the name of array k of a layer in a checkpoint.
func arrayName(layer, k int) string { return fmt.Sprintf("layer%d.%s", layer, arrayNames[k]) }

// arrays returns the arrays of a layer that a checkpoint keeps, in the order of arrayNames.
func (f *layer) arrays() [len(arrayNames)][]float32 {
	return [...][]float32{f.average.all, f.now.all, f.momentum.all, f.square}
}

// restore sets l to the state in a checkpoint. It changes nothing if the checkpoint is damaged or has another key.
func (l *learner) restore(checkpoint []byte, digest string) {
	file, err := npz.OpenUpTo(bytes.NewReader(checkpoint), int64(len(checkpoint)), maxCheckpoint)
	if err != nil {
		return
	}
	if key, err := file.Text(keyFile, maxText); err != nil || !bytes.Equal(key, l.key(digest)) {
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
		f.prepare()
	}
	l.done, l.norm, l.loss, l.square = s.Done, s.Norm, s.Loss, s.Square
	l.steps, l.rmse, l.dead, l.trainer = s.Steps, s.RMSE, s.Dead, s.Trainer
}
