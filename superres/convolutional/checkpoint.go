package convolutional

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"superres/internal/npz"
)

// What Keep is given is an .npz file: the network as it would be kept, by which another run
// can begin (Trainer.From), and everything else that the next step depends on, by which the
// same run can go on (Trainer.Kept). Random draws depend on the number of the step alone.

// The members of the file that are no arrays.
const (
	networkFile = "network.json"
	stateFile   = "state.json"
	keyFile     = "key.json"
)

const (
	stateFormat = 1
	mostText    = 1 << 20
	mostState   = 1 << 31
)

// sizes are those of a network.
type sizes struct {
	Scale    int `json:"scale"`
	Channels int `json:"channels"`
	Depth    int `json:"depth"`
}

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
func (l *learner) key(d *pictures) []byte {
	o := l.opt
	from := sha256.Sum256(o.From)
	key, err := json.Marshal([]any{
		stateFormat, o.Scale, o.Degradation, o.Channels, o.Depth, o.Steps, o.Batch, o.Patch, o.Rate, o.Reductions, o.JPEG, o.Seed, o.Interval, from[:],
		hidden, warmUp, lastPart, roundness, squareWeight, decay1, decay2, least, clipAt, normDecay, meanDecay, d.digest.String(),
	})
	if err != nil {
		panic(err) // numbers and texts
	}
	return key
}

// save returns what lets another run go on.
func (l *learner) save(d *pictures) []byte {
	o := l.opt
	network, err := json.Marshal(sizes{o.Scale, o.Channels, o.Depth})
	if err != nil {
		panic(err)
	}
	numbers, err := json.Marshal(state{l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.silent})
	if err != nil {
		panic(err)
	}
	var arrays []npz.Array
	for i, f := range l.factors {
		for name, v := range f.arrays() {
			arrays = append(arrays, npz.NewArray(fmt.Sprintf("layer%d.%s", i, arrayNames[name]), 1, v))
		}
	}
	var b bytes.Buffer
	if err := npz.Write(&b, []npz.Text{{Name: networkFile, Data: network}, {Name: stateFile, Data: numbers}, {Name: keyFile, Data: l.key(d)}}, nil, arrays...); err != nil {
		panic(err) // to memory
	}
	return b.Bytes()
}

var arrayNames = [...]string{"mean", "rest", "value", "moment", "square"}

// arrays are what is kept of a layer, as they are named.
func (f *factors) arrays() [len(arrayNames)][]float32 {
	return [...][]float32{f.mean.all, f.rest, f.value, f.moment, f.square}
}

// load goes on from what another run kept. It changes nothing when that was another run, or
// is damaged.
func (l *learner) load(d *pictures) {
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
	for i, f := range l.factors {
		for name, v := range f.arrays() {
			got, err := npz.Read[float32](file, fmt.Sprintf("layer%d.%s", i, arrayNames[name]), 1, len(v))
			if err != nil {
				return
			}
			read = append(read, got)
		}
	}
	for i, f := range l.factors {
		for name, v := range f.arrays() {
			copy(v, read[i*len(arrayNames)+name])
		}
		f.collapse()
	}
	l.done, l.norm, l.loss, l.square, l.steps, l.rmse, l.silent = s.Done, s.Norm, s.Loss, s.Square, s.Steps, s.RMSE, s.Silent
}

// networkOf returns the network in what another run kept.
func networkOf(kept []byte) (*network, error) {
	file, err := npz.OpenUpTo(bytes.NewReader(kept), int64(len(kept)), mostState)
	if err != nil {
		return nil, err
	}
	text, err := file.Text(networkFile, mostText)
	if err != nil {
		return nil, err
	}
	var s sizes
	if json.Unmarshal(text, &s) != nil {
		return nil, errors.New("its sizes are damaged")
	}
	if o, err := (Trainer{Scale: s.Scale, Channels: s.Channels, Depth: s.Depth}).defaults(); err != nil {
		return nil, err
	} else if (sizes{o.Scale, o.Channels, o.Depth}) != s {
		return nil, errors.New("its sizes are damaged")
	}
	n := newNetwork(s.Scale, s.Channels, s.Depth)
	for i, of := range n.shapes() {
		mean, err := npz.Read[float32](file, fmt.Sprintf("layer%d.mean", i), 1, of.size())
		if err != nil {
			return nil, err
		}
		of.put(of.over(mean), n.layers[i])
	}
	return n, nil
}
