package networks

import (
	"math"
	"testing"

	"superres/superres/networks/graph"
)

// The functions of tables are those of graphs, but for their last digits.
func TestFunctions(t *testing.T) {
	for f := graph.Sigmoid; f <= graph.Exp; f++ {
		own := evaluate(f)
		for i := -4000; i <= 4000; i++ {
			x := float64(i) / 400
			if want := f.At(x); math.Abs(own(x)-want) > 1e-13*max(1, math.Abs(want)) {
				t.Fatalf("%s of %g is %g, expected %g", f.Name(), x, own(x), want)
			}
		}
	}
}
