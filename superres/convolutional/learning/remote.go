package learning

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"superres/superres/convolutional"
)

// remote is the program at the other end of Trainer.Engine that makes a learner's steps: PyTorch, through the module
// superres.train for Python. This program does all else, so that patches, degradations, schedules, checkpoints and
// reports have one source. A message to it is an order, a line of JSON, and then numbers in float32, little-endian:
//
//	start   the arrays of all layers, as in a checkpoint; the answer is a line that names the program
//	step    the windows of all patches, their targets, their levels (see that type), and for each patch 1 if it is
//	        synthetic, with a loss never squared, or 0; no answer, so that the next are sampled while it computes
//	state   the answer is the mean norm, the sums of loss and squared error since the last state, the number of dead
//	        channels, and the arrays of all layers
//
// Windows and targets have the layout of pass: the values of a sample side by side, then the next sample of its row.
// Two cores sample patches of 5 million low-resolution pixels a second, which limits how fast a GPU can learn.
type remote struct {
	to      *bufio.Writer
	from    *bufio.Reader
	name    string // empty before start
	ahead   bool   // there are steps after the last state
	message []byte // all patches of a step
	parts   [4]int // offset in message of each part: windows, targets, levels, synthetic
	each    [4]int // bytes of a patch in each part
}

func newRemote(engine io.ReadWriter) *remote {
	return &remote{to: bufio.NewWriterSize(engine, 1<<16), from: bufio.NewReaderSize(engine, 1<<16)}
}

// maxName is the greatest length, in bytes, of the name of the program that is kept.
const maxName = 200

// layerOrder describes a layer in a startOrder: see shape. Pad is the width of the border of zeros around the input.
type layerOrder struct {
	Side   int  `json:"side"`
	In     int  `json:"in"`
	Out    int  `json:"out"`
	Span   int  `json:"span"`
	Wide   int  `json:"wide"`
	Pad    int  `json:"pad"`
	Linear bool `json:"linear"`
	Levels int  `json:"levels"` // number of levels, 0 if they are no inputs
}

// startOrder describes the learner. By holds all constants of optimiser.go by their names.
type startOrder struct {
	Do     string             `json:"do"`
	Layers []layerOrder       `json:"layers"`
	Skip   int                `json:"skip"`
	Batch  int                `json:"batch"`
	Window int                `json:"window"` // side of the input in samples
	Patch  int                `json:"patch"`  // side of the target
	Pixels int                `json:"pixels"` // outputs of a sample that count fully, and in the squared error
	Levels int                `json:"levels"` // number of levels of a patch
	Robust bool               `json:"robust"`
	Norm   float64            `json:"norm"`
	By     map[string]float64 `json:"by"`
}

// stepOrder says how to make step number Step, counted from 0.
type stepOrder struct {
	Do      string  `json:"do"`
	Step    int     `json:"step"`
	Rate    float64 `json:"rate"`
	Squared bool    `json:"squared"`
	Exact   bool    `json:"exact"` // all products are in float32
	Peaks   bool    `json:"peaks"` // dead channels are to be counted
}

// fail returns the error for a failed connection to the program.
func (r *remote) fail(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it has ended")
	}
	return fmt.Errorf("convolutional: the program that makes the steps: %w; see what it says", err)
}

// send writes an order and the numbers after it to the buffer of the connection.
func (r *remote) send(order any, numbers ...[]float32) error {
	line, err := json.Marshal(order)
	if err != nil {
		return err
	}
	_, err = r.to.Write(append(line, '\n'))
	for _, list := range numbers {
		err = errors.Join(err, binary.Write(r.to, binary.LittleEndian, list))
	}
	return err
}

// start sends the state of l at the start of training, and sets r.name and the layout of r.message. w is a worker of l.
func (r *remote) start(l *learner, w *worker) error {
	o := startOrder{
		Do: "start", Skip: l.architecture.Every(), Batch: l.opt.Batch, Window: w.sides[0], Patch: w.side,
		Pixels: l.pixels(), Levels: convolutional.LevelCount, Robust: l.opt.Robust, Norm: l.norm,
		By: map[string]float64{
			"roundness": roundness, "square_weight": squareWeight, "common_square": commonSquare,
			"least_square": leastSquare, "head_weight": headWeight, "momentum": momentum, "adam_rate": adamRate,
			"decay1": decay1, "decay2": decay2, "least": least, "clip_at": clipAt, "norm_decay": normDecay,
			"average_decay": averageDecay, "weight_decay": l.opt.Decay, "schulz_steps": schulzSteps,
			"schulz_a": schulzA, "schulz_b": schulzB, "schulz_c": schulzC, "dead_below": deadBelow,
		},
	}
	var arrays [][]float32
	for i, f := range l.layers {
		s := layerOrder{f.side, f.in, f.out, f.span, f.wide, w.pads[i], f.linear, 0}
		if f.graded {
			s.Levels = convolutional.LevelCount
		}
		o.Layers = append(o.Layers, s)
		list := f.arrays()
		arrays = append(arrays, list[:]...)
	}
	err := errors.Join(r.send(o, arrays...), r.to.Flush())
	if err == nil {
		line, failed := r.from.ReadSlice('\n')
		r.name, err = strings.TrimSpace(string(line[:min(len(line), maxName)])), failed
	}
	if err == nil && r.name == "" {
		err = errors.New("it has no name")
	}
	if err != nil {
		return r.fail(err)
	}
	last := l.shapes[len(l.shapes)-1]
	r.each = [4]int{4 * w.sides[0] * w.sides[0] * l.shapes[0].in, 4 * w.side * w.side * last.out,
		4 * convolutional.LevelCount, 4} // window, target, levels, synthetic or not
	size := 0
	for k, n := range r.each {
		r.parts[k] = size
		size += n * l.opt.Batch
	}
	r.message = make([]byte, size)
	return nil
}

// step has the program make one step of l with the patches of d, and does not wait for the result.
func (r *remote) step(ctx context.Context, l *learner, d dataset) error {
	if len(l.workers) == 0 {
		l.workers = append(l.workers, l.newWorker())
	}
	if r.name == "" {
		if err := r.start(l, l.workers[0]); err != nil {
			return err
		}
		l.addTrainer(r.name)
	}
	err := l.forPatches(ctx, func(w *worker, number int) error {
		synthetic, err := d.fill(w, l.done, number)
		share := float32(0)
		if synthetic {
			share = 1
		}
		for k, list := range [...][]float32{w.input, w.target, w.levels[:], {share}} {
			to := r.message[r.parts[k]+number*r.each[k]:][:r.each[k]]
			for i := range len(to) / 4 {
				binary.LittleEndian.PutUint32(to[4*i:], math.Float32bits(list[i]))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	err = r.send(stepOrder{Do: "step", Step: l.done, Rate: l.learningRate(l.done), Squared: l.isSquared(l.done),
		Exact: float64(l.done) >= (1-exactPart)*float64(l.opt.Steps), Peaks: l.isReported(l.done + 1)})
	if err == nil {
		_, err = r.to.Write(r.message)
	}
	if err = errors.Join(err, r.to.Flush()); err != nil {
		return r.fail(err)
	}
	r.ahead = true
	l.steps++
	l.done++
	return nil
}

// fetch sets l to the state after all steps, if a remote program has made steps since the last call.
func (l *learner) fetch() error {
	r := l.remote
	if r == nil || !r.ahead {
		return nil
	}
	var sums [4]float32 // the mean norm, the loss, the squared error, the dead channels
	err := errors.Join(r.send(struct {
		Do string `json:"do"`
	}{"state"}), r.to.Flush())
	if err == nil {
		err = binary.Read(r.from, binary.LittleEndian, sums[:])
	}
	for _, f := range l.layers {
		for _, list := range f.arrays() {
			if err == nil {
				err = binary.Read(r.from, binary.LittleEndian, list)
			}
		}
	}
	if err != nil {
		return r.fail(err)
	}
	r.ahead = false
	l.norm = float64(sums[0])
	l.loss += float64(sums[1]) // of the steps since the last fetch, as is the next
	l.square += float64(sums[2])
	l.dead = int(sums[3])
	return nil
}
