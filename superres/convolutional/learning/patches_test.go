package learning

import (
	"context"
	"image"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/convolutional"
	"superres/superres/training"
)

func samplePatch(t testing.TB, d *pictures, step int) patch {
	t.Helper()
	return must.Get(d.sample(step, 0))(t)
}

// A patch has the samples around its target and the residual of its target, in every symmetry.
func TestPatches(t *testing.T) {
	o := newSmallTrainer()
	o.Synthetic, o.Margin = 0.3, mostMargin
	l, d := begin(t, o)
	synthetic := 0
	w := l.newWorker()
	reach := (w.sides[0] - w.side) / 2
	seen := map[[4]bool]bool{}
	for i := range 200 {
		p := samplePatch(t, d, i)
		if p.synthetic {
			synthetic++
			if p.x != p.y || p.x < reach || p.from.w != w.side+2*p.x || p.from.h != p.from.w {
				t.Fatalf("a synthetic picture of %d×%d samples, the target from %d, %d; in the window of %d from %d",
					p.from.w, p.from.h, p.x, p.y, w.sides[0], reach)
			}
		}
		seen[[4]bool{p.transposed, p.flipX, p.flipY, p.negative}] = true
		p.fillClean(w.input, w.target, w.side, reach, 2, 1)
		// One sample of the window and one of the target, computed directly.
		u, v := i%w.side, i/7%w.side
		x, y := p.source(u, v, w.side)
		level := float32(p.from.low[(p.y+y)*p.from.w+p.x+x]) / lumaSteps
		if p.negative {
			level = 1 - level
		}
		if got := w.input[(v+reach)*w.sides[0]+u+reach]; math.Abs(float64(got-level)) > 1e-6 {
			t.Fatalf("draw %d: sample %d, %d is %g, expected %g", i, u, v, got, level)
		}
		x, y = p.source(2*u+1, 2*v, 2*w.side)
		lack := float32(p.from.residual[(2*p.y+y)*2*p.from.w+2*p.x+x]) / residualSteps
		if p.negative {
			lack = -lack
		}
		if got := w.target[(v*w.side+u)*4+1]; got != lack {
			t.Fatalf("draw %d: pixel %d, %d lacks %g, expected %g", i, 2*u+1, 2*v, got, lack)
		}
	}
	if len(seen) != 16 {
		t.Errorf("%d symmetries, expected 16", len(seen))
	}
	if synthetic < 40 || synthetic > 80 {
		t.Errorf("%d synthetic patches of 200, expected about 60", synthetic)
	}
	d.Symmetries = training.NoSymmetries
	for i := range 50 {
		if p := samplePatch(t, d, i); p.transposed || p.flipX || p.flipY || p.negative {
			t.Fatalf("draw %d is changed: %+v", i, p)
		}
	}
}

// A network that sees colour is shown that of each sample, and learns the residuals of red and blue beside that of
// brightness; some patches are shown as if they were grey.
func TestPatchesInColour(t *testing.T) {
	o := newSmallTrainer()
	o.SeesColour, o.Synthetic = true, 0.3
	l, d := beginWith(t, o, []training.Source{{Name: "photo", Open: func(context.Context) (image.Image, error) {
		return testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 61, 47)), true), nil
	}}})
	w := l.newWorker()
	grey := 0
	for i := range 400 {
		p := samplePatch(t, d, i)
		p.fill(w, 2)
		if p.isGrey {
			grey++
		}
		u, v := i%w.side, i/7%w.side
		x, y := p.source(u, v, w.side)
		sign := float32(1)
		if p.negative {
			sign = -1
		}
		margin := (w.sides[0] - w.side) / 2
		in := w.input[((v+margin)*w.sides[0]+u+margin)*3:][:3]
		out := w.target[(v*w.side+u)*12:][:12]
		px, py := p.source(2*u, 2*v+1, 2*w.side)
		at := (2*p.y+py)*2*p.from.w + 2*p.x + px
		for k := range colours {
			want := sign * float32(p.from.colour[k][(p.y+y)*p.from.w+p.x+x]) / lowSteps / 2
			lack := sign * float32(p.from.redBlue[k][at]) / residualSteps
			if p.isGrey {
				want, lack = 0, out[2]
			}
			if math.Abs(float64(in[k]-want)) > 1e-6 || out[4*(k+1)+2] != lack {
				t.Fatalf("draw %d: colour %g, residual %g, expected %g and %g", i, in[k], out[4*(k+1)+2], want, lack)
			}
		}
	}
	if grey < 40 || grey > 90 {
		t.Errorf("%d of 400 patches are grey, expected about 60", grey)
	}
}

// A training that goes on from a network begins with what that computes, without the heads for red and blue.
func TestHeads(t *testing.T) {
	o := newSmallTrainer()
	o.SeesColour = true
	n := convolutional.NewNetwork(o.architecture())
	rng := rand.New(rand.NewPCG(1, 2))
	for _, l := range n.Layers {
		for _, list := range [][]float32{l.Weight, l.Bias, l.Slope} {
			for i := range list {
				list[i] = float32(rng.NormFloat64())
			}
		}
	}
	if got := newLearner(o, n, len(n.Layers)).network(); !reflect.DeepEqual(got, n) {
		t.Error("another network")
	}
}
