package learning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/convolutional"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// newSmallTrainer returns the options of a training that takes a fraction of a second.
func newSmallTrainer() Trainer {
	o := Defaults()
	o.Channels, o.Depth, o.Steps, o.ColourSteps, o.Batch, o.Patch, o.Reductions, o.Seed, o.Interval = 16, 2, 30, 0, 3,
		10, nil, 5, 10
	return o
}

// begin returns a learner before its first step and its dataset of three pictures.
func begin(t testing.TB, o Trainer) (*learner, *pictures) {
	t.Helper()
	return beginWith(t, o, trainingtest.Drawings(3))
}

// beginWith is begin with other pictures.
func beginWith(t testing.TB, o Trainer, sources []training.Source) (*learner, *pictures) {
	t.Helper()
	s := &session{Trainer: o, sources: sources, progress: func(string, int, int) {}}
	d := &pictures{session: s}
	must.Succeed(t, d.read(t.Context()))
	n, known, err := s.firstNetwork()
	must.Succeed(t, err)
	return newLearner(o, n, known), d
}

// train trains with o, checks the result, and returns the last checkpoint.
func train(t *testing.T, o Trainer) []byte {
	t.Helper()
	var last []byte
	keep := o.Keep
	o.Keep = func(state []byte) error {
		last = state
		if keep != nil {
			return keep(state)
		}
		return nil
	}
	r := must.Get(o.Train(t.Context(), trainingtest.Drawings(3), nil))(t)
	if len(r.Stages) != 1 || r.Record.Patches != o.Steps*o.Batch || !(r.Record.RMSE > 0 && r.Record.RMSE < 0.3) {
		t.Fatalf("%d stages, %+v", len(r.Stages), r.Record)
	}
	return last
}

// The bytes of a training depend on the seed and not on the number of processors.
func TestTrainingTwiceGivesTheSameBytes(t *testing.T) {
	first := train(t, newSmallTrainer())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, processors := range []int{1, 5} {
		runtime.GOMAXPROCS(processors)
		if !bytes.Equal(train(t, newSmallTrainer()), first) {
			t.Errorf("other bytes with %d processors", processors)
		}
	}
	o := newSmallTrainer()
	o.Seed++
	if bytes.Equal(train(t, o), first) {
		t.Error("the same bytes with another seed")
	}
}

// A run that starts from the checkpoint of an interrupted one ends with the bytes of a run that was not interrupted,
// whether Keep failed or the context ended, before a step or during a report.
func TestInterruptedTrainingGoesOn(t *testing.T) {
	want, stop := train(t, newSmallTrainer()), errors.New("stop")
	var kept []byte
	for end, left := range map[string]int{"first Keep": 2, "second Keep": 1, "step": 3, "report": 2} {
		ctx, cancel := context.WithCancelCause(t.Context())
		o, calls := newSmallTrainer(), 0
		o.Validation = trainingtest.Drawings(1)
		o.Keep = func(state []byte) error {
			kept = state
			if calls++; end == "first Keep" || end == "second Keep" && calls == 2 {
				return stop
			}
			return nil
		}
		progress := func(name string, done, _ int) {
			if name == phase && end == "step" && done == 4 {
				cancel(nil)
			}
		}
		if end == "report" {
			o.Report = func(Report) { cancel(nil) }
		}
		kept = nil
		_, err := o.Train(ctx, trainingtest.Drawings(3), progress)
		if !errors.Is(err, stop) && !errors.Is(err, context.Canceled) || kept == nil {
			t.Fatalf("%s: %v, %d bytes kept", end, err, len(kept))
		}
		var reports []Report
		o = newSmallTrainer()
		o.Kept, o.Report = kept, func(r Report) { reports = append(reports, r) }
		if !bytes.Equal(train(t, o), want) {
			t.Errorf("other bytes after an end at %s", end)
		}
		if len(reports) != 1+left {
			t.Fatalf("%d reports after an end at %s, expected 1 and %d", len(reports), end, left)
		}
		if r := reports[0]; r.Step < 1 || r.Step > 20 || r != o.counted(r.Step) {
			t.Errorf("after an end at %s the training goes on with %+v", end, r)
		}
		cancel(nil)
	}
	o := newSmallTrainer()
	o.Kept, o.Report = want, func(Report) { t.Error("a finished training goes on") }
	if _, err := o.Train(t.Context(), trainingtest.Drawings(3), nil); err != nil {
		t.Error(err)
	}
	for _, damaged := range [][]byte{
		kept[:len(kept)/2], bytes.Replace(kept, []byte("layer1.mean"), []byte("layer9.mean"), 2), {},
	} {
		first := -1
		o.Report = func(r Report) {
			if first < 0 {
				first = r.Step
			}
		}
		if o.Kept = damaged; !bytes.Equal(train(t, o), want) || first != 0 {
			t.Errorf("a damaged checkpoint was not ignored; the first report is on step %d", first)
		}
	}
	// Who does not want to lose what was kept of another training ends this one at its first report.
	ctx, cancel := context.WithCancel(t.Context())
	o.Report = func(Report) { cancel() }
	o.Keep = func([]byte) error { t.Error("a training that was ended before its first step is kept"); return nil }
	if _, err := o.Train(ctx, trainingtest.Drawings(3), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Reports say how much the network has been shown, and how long that took and will take.
func TestReports(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in which time passes in Sleep alone
		o := newSmallTrainer()
		var got []Report
		o.Report = func(r Report) { got = append(got, r) }
		progress := func(name string, done, _ int) {
			if name == phase && done < o.Steps {
				time.Sleep(time.Second)
			}
		}
		_ = must.Get(o.Train(t.Context(), trainingtest.Drawings(3), progress))(t)
		if len(got) != 3 {
			t.Fatalf("%d reports, expected 3", len(got))
		}
		for i, r := range got {
			// 3 patches of 10×10 a step, and 5·5·16 + 2·9·16·16 + 9·16·4 weights
			steps := 10 * (i + 1)
			if r.Step != steps || r.Pixels != int64(300*steps) || r.Products != float64(300*steps)*5584 ||
				r.Elapsed != time.Duration(steps)*time.Second ||
				r.Left.Round(time.Millisecond) != 30*time.Second-r.Elapsed {
				t.Errorf("report %d: %+v", i, r)
			}
		}
	})
}

// A checkpoint is made every few minutes, if that comes before the interval is over, and the result stays the same.
func TestCheckpointsInTime(t *testing.T) {
	want := train(t, newSmallTrainer())
	synctest.Test(t, func(t *testing.T) { // in which time passes in Sleep alone
		o := newSmallTrainer()
		var last []byte
		done, steps := 0, []int{}
		o.Keep = func(checkpoint []byte) error {
			last, steps = checkpoint, append(steps, done+1)
			return nil
		}
		progress := func(name string, d, _ int) {
			if name == phase && d < o.Steps {
				done = d
				time.Sleep(keepTime/3 + time.Second)
			}
		}
		_ = must.Get(o.Train(t.Context(), trainingtest.Drawings(3), progress))(t)
		if got := fmt.Sprint(steps); got != "[3 6 9 10 13 16 19 20 23 26 29 30]" || !bytes.Equal(last, want) {
			t.Errorf("checkpoints after steps %s, and the last is right: %v", got, bytes.Equal(last, want))
		}
	})
}

// After 150 steps a network restores synthetic pictures better than bicubic interpolation by 1 dB.
func TestLearnsDrawings(t *testing.T) {
	for _, scale := range []int{2, 3} {
		o := newSmallTrainer()
		o.Scale, o.Steps, o.Batch, o.Interval, o.LearningRate = scale, 150, 4, 50, 0.003
		o.Validation = trainingtest.Drawings(2)
		var last Report
		o.Report = func(r Report) { last = r }
		v := must.Get((&session{Trainer: o}).readValidation(t.Context()))(t)
		zero := convolutional.NewNetwork(convolutional.Architecture{Scale: scale, Channels: 16, Depth: 2})
		bicubic := must.Get(v.score(t.Context(), zero))(t)
		train(t, o)
		t.Logf("×%d: %.2f dB, bicubic %.2f", scale, last.PSNR, bicubic)
		if last.PSNR < bicubic+1 {
			t.Errorf("×%d: %.2f dB, bicubic %.2f", scale, last.PSNR, bicubic)
		}
	}
}

// A training with From starts at the weights of that stage; at another scale the last layer has others.
func TestFrom(t *testing.T) {
	o := newSmallTrainer()
	r := must.Get(o.Train(t.Context(), trainingtest.Drawings(2), nil))(t)
	from, ok := convolutional.Of(r.Stages[0])
	if !ok {
		t.Fatal("the stage that was learned is of another kind")
	}
	want := from.Network()
	for _, scale := range []int{2, 3} {
		o.Scale, o.From = scale, from
		l, _ := begin(t, o)
		got := l.network()
		for i, layer := range got.Layers {
			if i == len(got.Layers)-1 && scale != 2 {
				break
			}
			for k, v := range layer.Weight {
				if d := v - want.Layers[i].Weight[k]; d > 1e-6 || d < -1e-6 {
					t.Fatalf("×%d: layer %d, weight %d is %g, expected %g", scale, i, k, v, want.Layers[i].Weight[k])
				}
			}
		}
	}
	skipping := newSmallTrainer()
	skipping.Skip = 1
	fromSkips, _ := convolutional.Of(must.Get(skipping.Train(t.Context(), trainingtest.Drawings(2), nil))(t).Stages[0])
	for _, c := range []struct {
		from            *convolutional.Stage
		channels, depth int
		skip            int
	}{{from, 16, 1, 0}, {from, 32, 2, 0}, {from, 16, 2, 1}, {fromSkips, 16, 2, 0}} {
		o.From, o.Channels, o.Depth, o.Skip = c.from, c.channels, c.depth, c.skip
		if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); err == nil {
			t.Errorf("no error for %d channels, depth %d and skip %d", o.Channels, o.Depth, o.Skip)
		}
	}
	for _, depth := range []int{1, 4} {
		o.From, o.Depth, o.Skip = fromSkips, depth, 1
		if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); err != nil {
			t.Errorf("a chain with skips becomes one of %d layers: %v", depth, err)
		}
	}
}

// A chain with skips loses whole parts, evenly, and one that is as long stays as it is.
func TestShorten(t *testing.T) {
	n := convolutional.NewNetwork(convolutional.Architecture{Scale: 2, Channels: 16, Depth: 12, Skip: 2})
	for i, l := range n.Layers {
		l.Bias[0] = float32(i)
	}
	for depth, want := range map[int][]float32{
		12: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 10: {0, 1, 2, 3, 4, 5, 6, 9, 10, 11, 12, 13},
		4: {0, 1, 2, 7, 8, 13},
	} {
		short := shorten(n, depth)
		var got []float32
		for _, l := range short.Layers {
			got = append(got, l.Bias[0])
		}
		if !slices.Equal(got, want) || short.Depth != depth || short.Skip != 2 {
			t.Errorf("depth %d: layers %v of %+v, expected %v", depth, got, short.Architecture, want)
		}
	}
}

// Layers inserted by deepen do not change the residual.
func TestDeepen(t *testing.T) {
	low := testimage.Noise(11, 9)
	for _, c := range []struct{ have, skip int }{{1, 0}, {2, 0}, {3, 0}, {2, 1}, {2, 2}, {4, 2}} {
		n := sampleNetwork(c.have, 7)
		n.Skip = c.skip
		want := must.Get(computeResidual(t.Context(), n, low))(t)
		for depth := c.have; depth <= 8; depth += max(c.skip, 1) {
			got := must.Get(computeResidual(t.Context(), deepen(n, depth), low))(t)
			for i, v := range got.Pix {
				if d := v - want.Pix[i]; !(d < 1e-5 && d > -1e-5) {
					t.Fatalf("depth %d from %d: pixel %d is %g, expected %g", depth, c.have, i, v, want.Pix[i])
				}
			}
		}
	}
}

func TestTrainerRefuses(t *testing.T) {
	teachers := []Teacher{StageTeacher(roundNetwork(t, sampleNetwork(2, 1)), false)}
	for name, spoil := range map[string]func(o *Trainer){
		"scale":         func(o *Trainer) { o.Scale = 5 },
		"channels":      func(o *Trainer) { o.Channels = 20 },
		"more channels": func(o *Trainer) { o.Channels = 80 },
		"depth":         func(o *Trainer) { o.Depth = -1 },
		"batch":         func(o *Trainer) { o.Batch = 1000 },
		"patch":         func(o *Trainer) { o.Patch = 2 },
		"rate":          func(o *Trainer) { o.LearningRate = 0 },
		"decay":         func(o *Trainer) { o.Decay = 100 },
		"reductions":    func(o *Trainer) { o.Reductions = []float64{1} },
		"degradation":   func(o *Trainer) { o.Degradation = "blur" },
		"interval":      func(o *Trainer) { o.Interval = 0 },
		"symmetries":    func(o *Trainer) { o.Symmetries = "some" },
		"synthetic":     func(o *Trainer) { o.Synthetic = 1.5 },
		"grain":         func(o *Trainer) { o.Grain = 21 },
		"teacher":       func(o *Trainer) { o.Scale, o.Teachers = 3, teachers },
		"robust":        func(o *Trainer) { o.Robust, o.Teachers = true, teachers },
	} {
		o := Defaults()
		spoil(&o)
		if _, _, err := o.Target(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if o.Memory() != 0 {
			t.Errorf("%s: memory %d", name, o.Memory())
		}
	}
	for _, c := range []struct {
		change func(o *Trainer)
		want   string
	}{
		{func(o *Trainer) { o.Patch = 40 }, training.ErrPictures.Error()},
		{func(o *Trainer) { o.MaxMemory = 1 }, training.ErrMemory.Error()},
		{func(o *Trainer) { o.LearningRate, o.Steps = 1, 100 }, "use a lower rate"},
		{func(o *Trainer) { o.Steps = 0 }, "no network for scale 2"},
	} {
		o := newSmallTrainer()
		c.change(&o)
		_, err := o.Train(t.Context(), trainingtest.Drawings(2), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, expected %s", err, c.want)
		}
	}
}

var _ training.Trainer = Trainer{}
