package planted

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every permutation of up to six rows costs at least what assign chooses.
func TestAssignIsLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for trial := range 200 {
		k := 1 + trial%6
		cost := make([][]float64, k)
		for a := range cost {
			for range k {
				v := rng.Float64()
				if trial%3 == 0 {
					v = float64(rng.IntN(3)) // ties
				}
				cost[a] = append(cost[a], v)
			}
		}
		of := assign(cost)
		got, seen := 0.0, make([]bool, k)
		for a, b := range of {
			if seen[b] {
				t.Fatalf("%v: column %d twice", of, b)
			}
			seen[b] = true
			got += cost[a][b]
		}
		if want := least(cost, make([]bool, k)); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v costs %g, the least is %g", of, got, want)
		}
	}
}

// least tries all ways to give the rows left of cost the columns not taken.
func least(cost [][]float64, taken []bool) float64 {
	if len(cost) == 0 {
		return 0
	}
	best := math.Inf(1)
	for b := range taken {
		if !taken[b] {
			taken[b] = true
			best = min(best, cost[0][b]+least(cost[1:], taken))
			taken[b] = false
		}
	}
	return best
}
