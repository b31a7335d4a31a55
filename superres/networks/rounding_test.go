package networks

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/lines"
)

// The factor of a matrix gives its inverse: (UᵀU)·(A + λI) = I.
func TestInvertedFactor(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 20; n++ {
		root := newSquare(n)
		for i := range root {
			for j := range root {
				root[i][j] = 9 * rng.NormFloat64()
			}
		}
		product := func(a [][]float64, i, j int) (sum float64) { // entry i, j of aᵀa
			for _, row := range a {
				sum += row[i] * row[j]
			}
			return sum
		}
		a, again, trace := newSquare(n), newSquare(n), 0.
		for i := range a {
			trace += product(root, i, i)
			for j := range a {
				a[i][j] = product(root, i, j)
				again[i][j] = a[i][j]
			}
		}
		u := invertedFactor(again)
		for i := range u {
			a[i][i] += trace/float64(n)/100 + 1
			for j := range i {
				if u[i][j] != 0 {
					t.Fatalf("%d×%d: entry %d, %d below the diagonal is %g", n, n, i, j, u[i][j])
				}
			}
		}
		for i := range a {
			for j := range a {
				sum := 0.
				for k := range a {
					sum += product(u, i, k) * a[k][j]
				}
				if i == j {
					sum--
				}
				if math.Abs(sum) > 1e-9 {
					t.Fatalf("%d×%d: entry %d, %d of the product is off by %g", n, n, i, j, sum)
				}
			}
		}
	}
}

// Weights that are rounded with the moments of the samples make a smaller error on these than the nearest integers do.
func TestMomentsReduceErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const channels, side, taps = 3, 24, 9
	var pictures []*lines.Rows
	for i := range 3 {
		pictures = append(pictures, renderCloudy(uint64(i), side, channels).rows())
	}
	for _, alone := range []bool{false, true} {
		m := momentsOf(pictures, channels, 3, 3, 1, alone)
		nearest, rounded := 0., 0.
		for range 20 {
			const count = channels * taps
			weight, to, near := make([]float64, count), make([]int16, count), make([]int16, count)
			for i := range weight {
				weight[i] = rng.NormFloat64()
				near[i] = int16(math.Round(5 * weight[i]))
			}
			bias := m.round(to, weight, 5)
			rounded += squaredError(pictures, weight, to, 5, bias)
			bias = 0
			for i, v := range near {
				bias += (5*weight[i] - float64(v)) * m.means[i/taps]
			}
			nearest += squaredError(pictures, weight, near, 5, bias)
		}
		if t.Logf("alone %t: %.3f of the error", alone, rounded/nearest); rounded > 0.5*nearest {
			t.Errorf("alone %t: the error is %.2f of that of the nearest integers", alone, rounded/nearest)
		}
	}
}

// squaredError returns the sum of the squared differences of 3×3 convolutions with weights times gain, and with
// integers and a bias, over the ordinary pictures.
func squaredError(pictures []*lines.Rows, weight []float64, to []int16, gain, bias float64) (sum float64) {
	for p, r := range pictures {
		if !isOrdinary(p) {
			continue
		}
		for y := range r.H - 2 {
			for x := range r.W - 2 {
				d := -bias
				for i, w := range weight {
					v := r.Row(y + i%9/3)[(x+i%3)*r.Step+i/9]
					d += (w*gain - float64(to[i])) * float64(v)
				}
				sum += d * d
			}
		}
	}
	return sum
}

// A channel that is silent in the pictures of an import has integers for values an eighth as large as its layer's.
func TestSilentChannelHasRoom(t *testing.T) {
	c := compiler{users: [][]int{nil}, choices: ordinaryChoices}
	values := []float64{100, 0.01, 0, 30}
	units := c.units(0, reach{values, values})
	for o, unit := range units {
		if got, want := unit*math.MaxInt16, 100/8.; got < want {
			t.Errorf("channel %d reaches %g, expected %g or more", o, got, want)
		}
	}
	if units[3] > units[0]/2 {
		t.Errorf("units %v: the precision of loud channels changed", units)
	}
}
