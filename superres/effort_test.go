package superres

import (
	"testing"

	"superres/superres/resample"
)

func TestEffort(t *testing.T) {
	m := builtin(t, "digits") // two anchored stages
	family, err := m.With(&Model{Scale: 3, Degradation: resample.Box, Kernel: resample.Bicubic, Stages: m.Stages})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"fast": 1, "balanced": 2, "best": 2} {
		got, err := family.Effort(name)
		if err != nil {
			t.Fatal(err)
		}
		other, err := got.at(3)
		if err != nil {
			t.Fatal(err)
		}
		for scale, one := range map[int]*Model{2: got, 3: other} {
			count := 0
			for _, s := range one.Stages {
				if s.Kind() == "anchored" {
					count++
				}
			}
			if count != want {
				t.Errorf("%s has %d anchored stages at scale %d, expected %d", name, count, scale, want)
			}
		}
	}
	if _, err := m.Effort("bets"); err == nil || err.Error() != `superres: unknown effort "bets"; did you mean "best"? (known: fast balanced best)` {
		t.Error(err)
	}
	plain := builtin(t, "bicubic")
	if _, err := plain.Effort("best"); err != nil {
		t.Error(err)
	}
	if _, err := plain.Effort("fast"); err == nil {
		t.Error("a plain interpolation is fast")
	}
}
