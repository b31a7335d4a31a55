package learners_test

import (
	"testing"

	"superres/learners"
)

// An estimate covers what must be there: Y twice more for a two-stage learner, the
// two arrays for ROP. Neither overflows.
func TestMemory(t *testing.T) {
	const m, n, k = 64, 5000, 128
	for spec, least := range map[string]float64{"ksvd": 2 * 8 * m * n, "mod": 2 * 8 * m * n, "rop": 2 * 8 * m * n * k} {
		l, err := learners.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := learners.Memory(l, m, n, k, 3); got < least || got > 4*least {
			t.Errorf("%s: %g bytes, expected %g at least", spec, got, least)
		}
		if got := learners.Memory(l, 1<<30, 1<<30, 1<<62, 1<<30); got < 1e36 {
			t.Errorf("%s: %g bytes for the largest sizes", spec, got)
		}
	}
}
