package learning

import (
	"context"
	"fmt"
	"image"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/convolutional"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// startTorch starts the module superres.train for Python on the processor. It skips the test where there is no PyTorch.
func startTorch(t *testing.T) io.ReadWriter {
	t.Helper()
	const python = "/usr/bin/python3"
	if exec.Command(python, "-c", "import torch").Run() != nil {
		t.Skip("there is no PyTorch for " + python + " (Debian: python3-torch)")
	}
	cmd := exec.Command(python, "-B", "-c", "import sys, torch; from superres import train; "+
		"train.serve(sys.stdin.buffer, sys.stdout.buffer, torch.device('cpu'), 'float32')")
	cmd.Env = append(os.Environ(), "PYTHONPATH=../../../cmd/superres-python")
	cmd.Stderr = os.Stderr
	to, from := must.Get(cmd.StdinPipe())(t), must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	t.Cleanup(func() {
		_ = to.Close()
		must.Succeed(t, cmd.Wait())
	})
	return struct {
		io.Reader
		io.Writer
	}{from, to}
}

// openColoured opens a picture with edges in colour.
func openColoured(context.Context) (image.Image, error) { return testimage.Tinted(90, 80, 2), nil }

// PyTorch computes the gradients that this package computes, and moves the parameters alike, for all kinds of networks
// and both losses.
func TestTorchAgrees(t *testing.T) {
	engine := startTorch(t)
	for name, change := range map[string]func(o *Trainer){
		"brightness":  func(*Trainer) {},
		"skips":       func(o *Trainer) { o.Scale, o.Depth, o.Skip, o.Channels = 4, 6, 2, 32 },
		"margin":      func(o *Trainer) { o.Depth, o.Skip, o.Margin = 4, 2, 1 },
		"sees colour": func(o *Trainer) { o.Scale, o.SeesColour = 3, true },
		"robust":      func(o *Trainer) { o.Robust, o.Depth, o.Skip = true, 4, 2 },
		"no margin":   func(o *Trainer) { o.Robust, o.SeesColour, o.Margin = true, true, mostMargin },
	} {
		for _, isSquared := range []bool{false, true} {
			o := newSmallTrainer()
			o.Batch, o.Synthetic, o.Interval = 5, 0.4, 1
			change(&o)
			var made [2]*learner
			for k := range made {
				if k == 1 {
					o.Engine = engine
				}
				l, d := beginWith(t, o, []training.Source{{Name: "picture", Open: openColoured}})
				vary(l)
				if isSquared { // in the middle of a training, whose momentum has full rank
					l.done, l.norm = o.Steps-4, 1e-3
					fillMomentum(l)
				}
				must.Succeed(t, l.step(t.Context(), d))
				must.Succeed(t, l.fetch())
				made[k] = l
			}
			compareLearners(t, fmt.Sprintf("%s, squared %v", name, isSquared), made[1], made[0], isSquared)
		}
	}
}

// fillMomentum sets the momentum of all weights to noise.
func fillMomentum(l *learner) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, f := range l.layers {
		for tap := range f.side * f.side {
			for i := range f.in {
				for o := range f.out {
					f.momentum.weight[f.row(tap, i)*f.wide+o] = float32(1e-4 * rng.NormFloat64())
				}
			}
		}
	}
}

// compareLearners compares two learners that have made one step from the same state. After the first step the change of
// the weights is not compared: gradients of few patches have nearly no rank, and rounding decides about the rest.
func compareLearners(t *testing.T, name string, got, want *learner, withWeights bool) {
	t.Helper()
	for i, f := range want.layers {
		near := func(what string, got, want []float32, within float64) {
			t.Helper()
			difference, size := 0.0, 0.0
			for i, v := range want {
				difference += float64(got[i]-v) * float64(got[i]-v)
				size += float64(v) * float64(v)
			}
			if !(math.Sqrt(difference) <= within*math.Sqrt(size)) {
				t.Errorf("%s, layer %d: %s differ by %.2g of %.2g", name, i, what, math.Sqrt(difference),
					math.Sqrt(size))
			}
		}
		g := got.layers[i]
		// From 0, the first step makes them the gradient but for a factor.
		near("gradients of weights", g.momentum.weight, f.momentum.weight, 1e-4)
		near("gradients of biases", g.momentum.bias, f.momentum.bias, 1e-4)
		near("gradients of slopes", g.momentum.slope, f.momentum.slope, 1e-4)
		for k := range convolutional.LevelCount {
			near("gradients of levels", g.momentum.levels[k], f.momentum.levels[k], 1e-4)
		}
		near("squares of gradients", g.square, f.square, 2e-4)
		near("biases", g.now.bias, f.now.bias, 1e-4)
		near("slopes", g.now.slope, f.now.slope, 1e-4)
		if withWeights {
			near("weights", g.now.all, f.now.all, 1e-5)
			near("means", g.average.all, f.average.all, 1e-5)
		}
	}
	isNear := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*b }
	if !isNear(got.loss, want.loss) || !isNear(got.square, want.square) || !isNear(got.norm, want.norm) ||
		got.done != want.done || got.steps != want.steps || got.dead != want.dead {
		t.Errorf("%s: step %d, loss %g, squares %g, norm %g, %d dead channels, expected %d, %g, %g, %g, %d", name,
			got.done, got.loss, got.square, got.norm, got.dead, want.done, want.loss, want.square, want.norm, want.dead)
	}
}

// A training ends with an error, and keeps nothing, where the program that makes its steps has ended.
func TestEngineThatEnds(t *testing.T) {
	for _, said := range []string{"", "\n", "a program\n", "a program\n and no state"} {
		o := newSmallTrainer()
		o.Keep = func([]byte) error {
			t.Errorf("%q: a state is kept", said)
			return nil
		}
		o.Engine = struct {
			io.Reader
			io.Writer
		}{strings.NewReader(said), io.Discard}
		_, err := o.Train(t.Context(), trainingtest.Drawings(3), nil)
		if err == nil || !strings.Contains(err.Error(), "the program that makes the steps: it has") {
			t.Errorf("%q: %v", said, err)
		}
	}
}
