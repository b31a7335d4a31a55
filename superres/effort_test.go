package superres

import "testing"

// The smaller model is opened once, at the effort fast alone; a model without one has no effort fast, and an
// interpolation none but best.
func TestEffort(t *testing.T) {
	at := func(m *Model, effort string) *Model {
		t.Helper()
		out, err := m.Effort(effort)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain, smaller, calls := builtin(t, "digits"), builtin(t, "coupled"), 0
	with := plain.WithFast(func() (*Model, error) { calls++; return smaller, nil })
	if at(with, "best") != with || at(with, "fast") != smaller || at(at(with, "max"), "fast") != smaller || calls != 1 {
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
	if _, err := plain.Effort("bets"); err == nil || err.Error() != `superres: unknown effort "bets"; did you mean "best"? (known: fast best max)` {
		t.Error(err)
	}
	for _, m := range []*Model{builtin(t, "bicubic"), plain} {
		at(m, "best")
		if _, err := m.Effort("fast"); err == nil {
			t.Error("what has nothing smaller is fast")
		}
	}
	if _, err := builtin(t, "bicubic").Effort("max"); err == nil {
		t.Error("an interpolation at effort max")
	}
}
