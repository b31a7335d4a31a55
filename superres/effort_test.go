package superres

import (
	"testing"

	"superres/superres/resample"
	"superres/superres/stage"
)

// step is a stage that a cascade may end after.
type step struct{ repeat }

func (step) Settings() stage.Settings                 { return stage.Step }
func (s step) Tune(stage.Tuning) (stage.Stage, error) { return s, nil }

func TestEffort(t *testing.T) {
	cascade := func(scale, steps int) *Model {
		m := &Model{Scale: scale, Degradation: resample.Cubic, Kernel: resample.Bicubic}
		for range steps {
			m.Stages = append(m.Stages, step{repeat{scale: scale}})
		}
		return m
	}
	at := func(m *Model, effort string) *Model {
		t.Helper()
		out, err := m.Effort(effort)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	family, err := cascade(2, 3).With(cascade(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	fast := at(family, "fast")
	other, err := fast.modelFor(3)
	if err != nil {
		t.Fatal(err)
	}
	if len(fast.Stages) != 1 || len(other.Stages) != 1 || at(family, "best") != family {
		t.Errorf("a fast cascade has %d stages, at scale 3 %d", len(fast.Stages), len(other.Stages))
	}
	smaller, calls := cascade(2, 1), 0
	with := family.WithFast(func() (*Model, error) { calls++; return smaller, nil })
	if at(with, "fast") != smaller || at(at(with, "max"), "fast") != smaller || calls != 1 {
		t.Errorf("the smaller model was opened %d times, or another one is fast", calls)
	}
	sums := map[string]bool{}
	for _, m := range []*Model{builtin(t, "coupled"), at(builtin(t, "coupled"), "max"), builtin(t, "coupled").WithFast(func() (*Model, error) { return builtin(t, "coupled"), nil })} {
		sum, err := m.Fingerprint()
		if err != nil || sums[sum] {
			t.Errorf("a fingerprint of another effort (%v)", err)
		}
		sums[sum] = true
	}
	if _, err := family.Effort("bets"); err == nil || err.Error() != `superres: unknown effort "bets"; did you mean "best"? (known: fast best max)` {
		t.Error(err)
	}
	for _, m := range []*Model{builtin(t, "bicubic"), cascade(2, 1)} {
		at(m, "best")
		if _, err := m.Effort("fast"); err == nil {
			t.Error("what has nothing smaller is fast")
		}
	}
	if _, err := builtin(t, "bicubic").Effort("max"); err == nil {
		t.Error("an interpolation at effort max")
	}
}
