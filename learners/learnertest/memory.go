package learnertest

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/heap"
	"superres/learners"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// Measure compares the Memory of a learner with measurements, for problems of very different shapes, each of some tens
// of MiB with its signals. It is not a part of Run, because garbage is collected later on a busy machine, so that it
// needs a machine for itself. It logs its table to t.
func Measure(t *testing.T, learner learners.Learner) {
	t.Helper()
	const slack = 3 << 20 // bytes, for small allocations
	for _, c := range []struct {
		name string
		of   func(size int) (m, n, k, s int)
	}{
		{"few long signals", func(size int) (m, n, k, s int) { return 100 * size, 12, 20, 2 }},
		{"many short signals", func(size int) (m, n, k, s int) { return 16, 100 * size, 20, 3 }},
		{"one signal", func(size int) (m, n, k, s int) { return 100 * size, 1, 2, 1 }},
		{"one entry", func(size int) (m, n, k, s int) { return 1, 100 * size, 2, 1 }},
		{"many atoms", func(size int) (m, n, k, s int) { return 12, 30 * size, 20 * size, 2 }},
	} {
		m, n, k, s := c.of(1)
		for size := 1; learner.Memory(m, n, k, s)+8*float64(m*n) < 24<<20; size += (size + 3) / 4 {
			m, n, k, s = c.of(size)
		}
		y := sparsetest.Gaussian(m, n, 1)
		opt := learners.Options{Atoms: k, Iterations: 2, Coder: collecting{sparse.OMP{Sparsity: s}, n}}
		promised, least, largest := learner.Memory(m, n, k, s), math.Inf(1), 0.0
		for range 3 { // garbage adds to some of the calls, and a peak may be missed between two samples
			var r *learners.Result
			measured := float64(heap.Peak(heap.Live, func() {
				var err error
				if r, err = learner.Learn(context.Background(), y, opt); err != nil {
					t.Errorf("%s: %v", c.name, err)
				}
			}))
			runtime.KeepAlive(r)
			least, largest = min(least, measured), max(largest, measured)
		}
		const mib = 1 << 20
		name := fmt.Sprintf("%s, M,N,K,S = %d,%d,%d,%d", c.name, m, n, k, s)
		t.Logf("%-52s promised %5.1f MiB, taken %5.1f to %5.1f", name, promised/mib, least/mib, largest/mib)
		if least > promised+slack || promised > 2*largest+slack {
			t.Errorf("%s: Memory says %.1f MiB, measured are %.1f to %.1f MiB", name, promised/mib, least/mib,
				largest/mib)
		}
	}
}

// memory checks that the Memory of a learner does not overflow for the largest problems.
func memory(t *testing.T, learner learners.Learner) {
	for _, v := range []int{1 << 30, math.MaxInt} {
		if bytes := learner.Memory(1<<30, 1<<30, v, 1<<30); !(bytes > 1<<60) {
			t.Errorf("Memory says %g bytes for the largest sizes", bytes)
		}
	}
}

// collecting is a coder that collects garbage when it has coded all n signals, so that its own garbage is not
// measured with what comes after it.
type collecting struct {
	sparse.Coder
	n int
}

func (c collecting) Code(ctx context.Context, d *sparse.Dictionary, y *mat.Dense) (*sparse.Codes, error) {
	x, err := c.Coder.Code(ctx, d, y)
	if _, n := y.Dims(); n == c.n {
		runtime.GC()
	}
	return x, err
}

// MostNonZeros implements sparse.Limited.
func (c collecting) MostNonZeros() int { return sparse.MostNonZeros(c.Coder) }
