package learned

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/superres/flaws/measure"
)

// The shares are the powers of two of a judge's outputs, in their proportion.
func TestSharesFollowOutputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	j := NewPerceptron(1, 1, scores)
	for range 200 {
		var score [scores]float64
		total := 0.0
		for i := range score {
			j.SecondBias[i] = int32(rng.IntN(1<<26) - 1<<25)
			score[i] = math.Exp2(float64(j.SecondBias[i]) / (1 << 24))
			total += score[i]
		}
		clean, robust := score[0]/total, score[1]/total
		got := j.Shares([]int32{0})
		if got.Clean == 0 || got.Robust == 0 { // what was too little is given to the other
			if min(clean, robust) > (leastShare+1.)/ShareSteps {
				t.Errorf("shares %v, expected %g and %g", got, clean, robust)
			}
			continue
		}
		within := 1./ShareSteps + 0.01
		if plain := 1 - clean - robust; plain < (leastPlain+1.)/ShareSteps { // it may be given to one of them
			within += plain
		}
		if math.Abs(got.Clean-clean) > within || math.Abs(got.Robust-robust) > within {
			t.Errorf("shares %v, expected %g and %g", got, clean, robust)
		}
	}
}

// A strength is the square of the output, from 0 to 1.
func TestStrengthFollowsOutput(t *testing.T) {
	p := NewPerceptron(1, 1, 1)
	for _, root := range []float64{-0.5, 0, 0.1, 0.4, 0.7, 1, 1.7} {
		p.SecondBias[0] = int32(root * (1 << 24))
		want := min(max(root, 0), 1)
		if got := p.Strength([]int32{0}); math.Abs(got-want*want) > 0.5/measure.StrengthSteps+0.002 {
			t.Errorf("strength %g of an output of %g", got, root)
		}
	}
}

func TestLogarithm(t *testing.T) {
	for v := int64(1); v > 0 && v < 1<<62; v = v*3/2 + 1 {
		if got := float64(logarithm(v)) / traitOne; math.Abs(got-math.Log2(float64(v))) > 0.09 {
			t.Errorf("the logarithm of %d is %g, expected %g", v, got, math.Log2(float64(v)))
		}
	}
}

// The transform of a block keeps its energy, and divides it among the frequencies.
func TestTransformIsOrthonormal(t *testing.T) {
	var transform8 [8][8]int64 // a frequency a row
	for i := range 8 {
		sample := [8]int32{}
		sample[i] = 1
		for u, c := range cosines(&sample) {
			transform8[u][i] = int64(c)
		}
	}
	for u, a := range transform8 {
		for v, b := range transform8 {
			sum := int64(0)
			for i := range a {
				sum += a[i] * b[i]
			}
			want := 0.
			if u == v {
				want = 1
			}
			if got := float64(sum) / (1 << 20); math.Abs(got-want) > 0.002 {
				t.Errorf("the product of frequencies %d and %d is %g, expected %g", u, v, got, want)
			}
		}
	}
}

// Small shares are left out, and the greatest share has them, unless the picture was probably sharpened; so are
// those of the robust model in a picture that is mostly clean, unless its strength does.
func TestWithoutDoubts(t *testing.T) {
	for _, c := range []struct {
		shares    Shares
		sharpened bool
		strength  float64
		want      Shares
	}{
		{Shares{Clean: 1}, true, 0.5, Shares{Clean: 1}},
		{Shares{Clean: 0.75, Robust: 0.25}, true, 0, Shares{Clean: 0.75, Robust: 0.25}},
		{Shares{Clean: 0.75, Robust: 0.25}, false, 0.25, Shares{Clean: 0.75, Robust: 0.25}},
		{Shares{Clean: 0.75, Robust: 0.25}, false, 0.03, Shares{Clean: 1}},
		{Shares{Clean: 0.375, Robust: 0.625}, false, 0, Shares{Clean: 0.375, Robust: 0.625}},
		{Shares{Clean: 0.5, Robust: 0.375}, true, 0, Shares{Clean: 0.5, Robust: 0.375}},
		{Shares{Clean: 0.5, Robust: 0.375}, false, 0.25, Shares{Clean: 0.625, Robust: 0.375}},
		{Shares{Clean: 0.5, Robust: 0.25}, false, 0, Shares{Clean: 1}},
		{Shares{Clean: 0.125, Robust: 0.75}, false, 0, Shares{Clean: 0.125, Robust: 0.875}},
		{Shares{Clean: 0.25}, false, 0, Shares{Clean: 0.25}},
		{Shares{Robust: 0.25}, false, 0, Shares{Robust: 0.25}},
	} {
		if got := c.shares.WithoutDoubts(c.sharpened, c.strength); got != c.want {
			t.Errorf("%v, sharpened %v, strength %g: %v, expected %v", c.shares, c.sharpened, c.strength, got, c.want)
		}
	}
}

// Sharpening is likely if one of its classes is.
func TestIsLikely(t *testing.T) {
	for second, want := range map[int32]bool{-800: false, -600: true} {
		if got := (Softening{Traits: []int32{-900, second}}).IsLikely(); got != want {
			t.Errorf("traits of -900 and %d: %v", second, got)
		}
	}
}
