package learning

import (
	"math"
	"testing"

	"superres/internal/must"
	"superres/superres/training"
)

func samplePatch(t testing.TB, d *pictures, step int) patch {
	t.Helper()
	p := must.Get(d.sample(step, 0))(t)
	return p
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
			if p.from.w != w.sides[0] || p.x != reach {
				t.Fatalf("a synthetic picture of %d samples, the target from %d, expected %d and %d", p.from.w, p.x,
					w.sides[0], reach)
			}
		}
		seen[[4]bool{p.transposed, p.flipX, p.flipY, p.negative}] = true
		p.fillClean(w.input, w.target, w.side, reach, 2)
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
