package learning

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"

	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// small has the options of a network that is quickly trained.
func small() Trainer {
	o := Defaults()
	o.Channels, o.Depth, o.Steps, o.ColourSteps, o.Batch, o.Patch, o.Reductions, o.Seed, o.Interval = 16, 2, 30, 0, 3,
		10, nil, 5, 10
	return o
}

// begun returns a learner before its first step, and its dataset.
func begun(t testing.TB, o Trainer) (*learner, *pictures) {
	t.Helper()
	s := &session{Trainer: o, sources: trainingtest.Drawings(3), progress: func(string, int, int) {}}
	d := &pictures{session: s}
	if err := d.read(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, known, err := s.firstNetwork()
	if err != nil {
		t.Fatal(err)
	}
	return newLearner(o, n, known), d
}

// trained returns what a trainer keeps at the end.
func trained(t *testing.T, o Trainer) []byte {
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
	r, err := o.Train(t.Context(), trainingtest.Drawings(3), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stages) != 1 || r.Record.Patches != o.Steps*o.Batch || !(r.Record.RMSE > 0 && r.Record.RMSE < 0.3) {
		t.Fatalf("%d stages, %+v", len(r.Stages), r.Record)
	}
	return last
}

func TestTrainingTwiceGivesTheSameBytes(t *testing.T) {
	first := trained(t, small())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, processors := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(processors)
		if !bytes.Equal(trained(t, small()), first) {
			t.Errorf("other bytes with %d processors", processors)
		}
	}
	o := small()
	o.Seed++
	if bytes.Equal(trained(t, o), first) {
		t.Error("the same bytes with another seed")
	}
}

// A run that goes on from what another kept ends with the same bytes.
func TestInterruptedTrainingGoesOn(t *testing.T) {
	stop := errors.New("stop")
	for _, after := range []int{1, 2} {
		o := small()
		var kept []byte
		calls := 0
		o.Keep = func(state []byte) error {
			if kept = state; calls == after-1 {
				return stop
			}
			calls++
			return nil
		}
		if _, err := o.Train(t.Context(), trainingtest.Drawings(3), nil); !errors.Is(err, stop) {
			t.Fatalf("%v, expected what Keep returned", err)
		}
		o = small()
		o.Kept = kept
		reports := 0
		o.Report = func(Report) { reports++ }
		if got := trained(t, o); !bytes.Equal(got, trained(t, small())) {
			t.Errorf("other bytes after going on from %d steps", 10*after)
		}
		if reports != 3-after {
			t.Errorf("%d reports after going on from %d steps", reports, 10*after)
		}
		// What was kept at the end is the end.
		o.Kept = trained(t, small())
		o.Report = func(Report) { t.Error("a report of what had ended") }
		if _, err := o.Train(t.Context(), trainingtest.Drawings(3), nil); err != nil {
			t.Error(err)
		}
		o.Report = nil
		// Damage, and other settings, begin anew.
		for _, damaged := range [][]byte{kept[:len(kept)/2], bytes.Replace(kept, []byte("layer1.mean"),
			[]byte("layer9.mean"), 2), {}} {
			o.Kept = damaged
			if !bytes.Equal(trained(t, o), trained(t, small())) {
				t.Error("other bytes after passing over what is damaged")
			}
		}
	}
}

// When the context ends, before a step or at a report, what was reached is kept, and
// another run goes on from it to the same bytes.
func TestEndOfContextIsKept(t *testing.T) {
	want := trained(t, small())
	for _, end := range []string{"step", "report"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := small()
		o.Validation = trainingtest.Drawings(1)
		var kept []byte
		o.Keep = func(state []byte) error { kept = state; return nil }
		progress := func(name string, done, _ int) {
			if name == phase && end == "step" && done == 4 {
				cancel()
			}
		}
		if end == "report" {
			o.Report = func(Report) { cancel() }
		}
		if _, err := o.Train(ctx, trainingtest.Drawings(3), progress); !errors.Is(err, context.Canceled) ||
			kept == nil {
			t.Fatalf("%s: %v, %d bytes kept", end, err, len(kept))
		}
		o = small()
		o.Kept = kept
		if !bytes.Equal(trained(t, o), want) {
			t.Errorf("other bytes after the context ended in a %s", end)
		}
		cancel()
	}
}

// A hundred steps are enough to be better than bicubic interpolation on drawings.
func TestLearnsDrawings(t *testing.T) {
	for _, scale := range []int{2, 3} {
		o := small()
		o.Scale, o.Steps, o.Batch, o.Interval, o.LearningRate = scale, 150, 4, 50, 0.003
		o.Validation = trainingtest.Drawings(2)
		var last Report
		o.Report = func(r Report) { last = r }
		bicubic, err := validationOf(t, o).score(t.Context(),
			convolutional.NewNetwork(convolutional.Architecture{Scale: scale, Channels: 16, Depth: 2}))
		if err != nil {
			t.Fatal(err)
		}
		trained(t, o)
		t.Logf("×%d: %.2f dB, bicubic %.2f", scale, last.PSNR, bicubic)
		if last.PSNR < bicubic+1 {
			t.Errorf("×%d: %.2f dB, bicubic %.2f", scale, last.PSNR, bicubic)
		}
	}
}

func validationOf(t *testing.T, o Trainer) *validation {
	t.Helper()
	v, err := (&session{Trainer: o}).readValidation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Learning from what another run learned begins where that ended, and at another scale with its chain.
func TestFrom(t *testing.T) {
	o := small()
	r, err := o.Train(t.Context(), trainingtest.Drawings(2), nil)
	if err != nil {
		t.Fatal(err)
	}
	from, ok := convolutional.Of(r.Stages[0])
	if !ok {
		t.Fatal("the stage that was learned is of another kind")
	}
	want := from.Network()
	for _, scale := range []int{2, 3} {
		o.Scale, o.From = scale, from
		l, _ := begun(t, o)
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
	o.Depth = 1
	if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); err == nil {
		t.Error("no error from a network of less depth")
	}
	o.Channels, o.Depth = 32, 2
	if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); err == nil {
		t.Error("no error from a network of another size")
	}
}

// Layers that are added to the chain change nothing.
func TestDeepened(t *testing.T) {
	low := plane.New(11, 9)
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range low.Pix {
		low.Pix[i] = rng.Float32()
	}
	for have := 1; have <= 3; have++ {
		n := random(have, 7)
		want := defined(n, low)
		for depth := have; depth <= 7; depth++ {
			deep := deepened(n, depth)
			if len(deep.Layers) != depth+2 {
				t.Fatalf("%d layers, expected %d", len(deep.Layers), depth+2)
			}
			for i, v := range defined(deep, low).Pix {
				if d := v - want.Pix[i]; !(d < 1e-5 && d > -1e-5) {
					t.Fatalf("depth %d from %d: pixel %d is %g, expected %g", depth, have, i, v, want.Pix[i])
				}
			}
		}
	}
}

func TestTrainerRefuses(t *testing.T) {
	for name, spoil := range map[string]func(o *Trainer){
		"scale": func(o *Trainer) { o.Scale = 5 }, "channels": func(o *Trainer) { o.Channels = 20 },
		"more channels": func(o *Trainer) { o.Channels = 80 },
		"depth":         func(o *Trainer) { o.Depth = -1 }, "steps": func(o *Trainer) { o.Steps = 0 },
		"batch": func(o *Trainer) { o.Batch = 1000 },
		"patch": func(o *Trainer) { o.Patch = 2 }, "rate": func(o *Trainer) { o.LearningRate = 0 },
		"decay":       func(o *Trainer) { o.Decay = 100 },
		"reductions":  func(o *Trainer) { o.Reductions = []float64{1} },
		"JPEG":        func(o *Trainer) { o.JPEG = [2]int{50, 20} },
		"degradation": func(o *Trainer) { o.Degradation = "blur" }, "interval": func(o *Trainer) { o.Interval = 0 },
		"symmetries": func(o *Trainer) { o.Symmetries = "some" }, "synthetic": func(o *Trainer) { o.Synthetic = 1.5 },
		"grain": func(o *Trainer) { o.Grain = 21 },
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
	o := small()
	o.Patch = 40
	if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); !errors.Is(err, training.ErrPictures) {
		t.Errorf("small pictures: %v", err)
	}
	o = small()
	o.MaxMemory = 1
	if _, err := o.Train(t.Context(), trainingtest.Drawings(2), nil); !errors.Is(err, training.ErrMemory) {
		t.Errorf("little memory: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o = small()
	o.Report = func(Report) { cancel() }
	if _, err := o.Train(ctx, trainingtest.Drawings(2), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A rate that is too high is told.
func TestDivergence(t *testing.T) {
	o := small()
	o.LearningRate, o.Steps = 1, 100
	_, err := o.Train(t.Context(), trainingtest.Drawings(2), nil)
	t.Log(err)
	if err == nil {
		t.Error("no error")
	}
}

var _ training.Trainer = Trainer{}
