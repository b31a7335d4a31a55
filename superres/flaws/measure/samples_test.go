package measure

import (
	"math"
	"testing"
)

func TestDensePictures(t *testing.T) {
	for _, c := range []struct {
		name   string
		period float64 // of stripes, in samples: the correlation of samples two apart is about cos(4π/period)
		want   bool
	}{
		{"stripes of a period of 5", 5, true},
		{"of 14", 14, false},
		{"of 40", 40, false},
		{"flat", math.Inf(1), false},
	} {
		p := &Samples{W: 80, H: 80, Pix: make([]int32, 80*80), Parts: 1}
		for i := range p.Pix {
			p.Pix[i] = int32(500 + 300*math.Sin(2*math.Pi*float64(i%80+i/80)/c.period))
		}
		if got := AreDense([]*Samples{p}); got != c.want {
			t.Errorf("%s: AreDense = %v", c.name, got)
		}
	}
}
