package learning

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"superres/internal/npz"
)

// What Keep is given is an .npz file of everything that the next step depends on, by which the
// same run can go on (Trainer.Kept). Random draws depend on the number of the step alone.

// The members of the file that are no arrays.
const (
	stateFile = "state.json"
	keyFile   = "key.json"
)

const (
	stateFormat = 4
	mostText    = 1 << 20
	mostState   = 1 << 31
)

// state are the numbers that learning goes on with.
type state struct {
	Done   int     `json:"done"`
	Norm   float64 `json:"norm"`
	Loss   float64 `json:"loss"`
	Square float64 `json:"square"`
	Steps  int     `json:"steps"`
	RMSE   float64 `json:"rmse"`
	Silent int     `json:"silent"`
}

// key is what must be the same for a run to go on from what another kept: the format, all
// that steers learning, the pictures.
func (l *learner) key(d lessons) []byte {
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
		stateFormat, o.Scale, o.Degradation, o.Channels, o.Depth, o.Steps, o.Batch, o.Patch, o.Rate, o.Decay, o.Reductions, o.Symmetries, o.Damage, o.JPEG, o.Drawings, o.Seed, o.Interval, from[:], teachers, taughtShare,
		warmUp, lastPart, roundness, squareWeight, momentum, adamRate, schulzSteps, decay1, decay2, least, clipAt, normDecay, meanDecay, d.sum(),
	})
	if err != nil {
		panic(err) // numbers and texts
	}
	return key
}

// save returns what lets another run go on.
func (l *learner) save(d lessons) []byte {
	numbers, err := json.Marshal(state{l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.silent})
	if err != nil {
		panic(err)
	}
	var arrays []npz.Array
	for i, f := range l.layers {
		for name, v := range f.arrays() {
			arrays = append(arrays, npz.NewArray(fmt.Sprintf("layer%d.%s", i, arrayNames[name]), 1, v))
		}
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: stateFile, Data: numbers}, {Name: keyFile, Data: l.key(d)}}, nil, arrays...); err != nil {
		panic(err) // to memory
	}
	return b.Bytes()
}

var arrayNames = [...]string{"mean", "now", "moment", "square"}

// arrays are what is kept of a layer, as they are named.
func (f *learned) arrays() [len(arrayNames)][]float32 {
	return [...][]float32{f.mean.all, f.now.all, f.moment.all, f.square}
}

// load goes on from what another run kept. It changes nothing when that was another run, or
// is damaged.
func (l *learner) load(d lessons) {
	file, err := npz.OpenUpTo(bytes.NewReader(l.opt.Kept), int64(len(l.opt.Kept)), mostState)
	if err != nil {
		return
	}
	if key, err := file.Text(keyFile, mostText); err != nil || !bytes.Equal(key, l.key(d)) {
		return
	}
	text, err := file.Text(stateFile, mostText)
	var s state
	if err != nil || json.Unmarshal(text, &s) != nil || s.Done < 0 || s.Done > l.opt.Steps {
		return
	}
	var read [][]float32
	for i, f := range l.layers {
		for name, v := range f.arrays() {
			got, err := npz.Read[float32](file, fmt.Sprintf("layer%d.%s", i, arrayNames[name]), 1, len(v))
			if err != nil {
				return
			}
			read = append(read, got)
		}
	}
	for i, f := range l.layers {
		for name, v := range f.arrays() {
			copy(v, read[i*len(arrayNames)+name])
		}
		f.moved()
	}
	l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.silent = s.Done, s.Norm, s.Loss, s.Square, s.Steps, s.RMSE, s.Silent
}
