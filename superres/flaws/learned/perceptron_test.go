package learned

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"superres/internal/must"
	"superres/superres/flaws/repair"
)

// randomPerceptron returns a perceptron of n traits with random numbers.
func randomPerceptron(rng *rand.Rand, traits, hidden, outputs int) *Perceptron {
	p := NewPerceptron(traits, hidden, outputs)
	fill := func(list []int32, most int) {
		for i := range list {
			list[i] = int32(rng.IntN(2*most+1) - most)
		}
	}
	for i := range p.Least {
		p.Least[i], p.Most[i] = -800, 700
	}
	for _, row := range p.First {
		fill(row, 200)
	}
	for _, row := range p.Second {
		fill(row, 2048)
	}
	fill(p.FirstBias, 1<<19)
	fill(p.SecondBias, 1<<23)
	return p
}

// A perceptron in integers gives what its formula gives in float64.
func TestPerceptronComputes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		p := randomPerceptron(rng, 40, 12, 5)
		traits := make([]int32, 40)
		for i := range traits {
			traits[i] = int32(rng.IntN(2000) - 1000)
		}
		want := make([]float64, 5)
		for k := range want {
			want[k] = float64(p.SecondBias[k]) / (1 << 24)
		}
		for h, row := range p.First {
			sum := float64(p.FirstBias[h]) / (1 << 20)
			for i, w := range row {
				sum += float64(w) / (1 << 20) * float64(min(max(traits[i], -800), 700))
			}
			for k := range want {
				want[k] += float64(p.Second[k][h]) / (1 << 12) * min(max(sum, -1), 1)
			}
		}
		for k, got := range p.Outputs(traits) {
			if math.Abs(float64(got)/(1<<24)-want[k]) > 0.01 {
				t.Errorf("output %d is %g, expected %g", k, float64(got)/(1<<24), want[k])
			}
		}
	}
}

// A file holds a perceptron; none is read from half of it, or from another.
func TestPerceptronFile(t *testing.T) {
	p := randomPerceptron(rand.New(rand.NewPCG(3, 4)), 7, 3, 2)
	var file bytes.Buffer
	must.Succeed(t, p.Write(&file))
	if got := must.Get(ReadPerceptron(bytes.NewReader(file.Bytes())))(t); !reflect.DeepEqual(got, p) {
		t.Errorf("read %v, expected %v", got, p)
	}
	for _, broken := range [][]byte{nil, file.Bytes()[:file.Len()/2], []byte("not a perceptron")} {
		if _, err := ReadPerceptron(bytes.NewReader(broken)); err == nil {
			t.Errorf("%d bytes are read", len(broken))
		}
	}
}

// The perceptrons of this program take as many traits as pictures have: the corrector those without its own gains and
// what is said of the picture, the others all.
func TestEmbeddedPerceptronsTakeAllTraits(t *testing.T) {
	const before = TraitCount - repair.Bands - softenerTraits
	for name, c := range map[string]struct {
		of              *Perceptron
		traits, outputs int
	}{
		"corrector": {Corrector(), before, repair.Bands}, "assessor": {Assessor(), TraitCount, 1},
		"judge": {Judge(), TraitCount, scores},
	} {
		if len(c.of.Least) != c.traits || len(c.of.Second) != c.outputs {
			t.Errorf("%s: %d traits and %d outputs, expected %d and %d", name, len(c.of.Least), len(c.of.Second),
				c.traits, c.outputs)
		}
	}
	if n := len(must.Get(OwnSoftener())(t).classes); n != softenerTraits+1 {
		t.Errorf("a softener of %d classes, expected %d", n, softenerTraits+1)
	}
}

// Outputs that would lower detail, or raise it by no more than is doubtful, correct nothing; others less than they say.
func TestDoubtfulCorrections(t *testing.T) {
	p := NewPerceptron(1, 1, repair.Bands)
	for _, c := range []struct{ up, down, want float64 }{
		{0.4, 0, 0}, {0, 2, 0}, {1, 1.1, 0}, {0.7, 0, 0.7 - 0.45*0.45/0.7}, {2, 0.5, 2 - 0.45*0.45/2},
	} {
		for i := range p.SecondBias {
			p.SecondBias[i] = int32(c.up * (1 << 24))
		}
		p.SecondBias[0] = -int32(c.down * (1 << 24))
		got := p.Correction([]int32{0})
		if math.Abs(float64(got[7])/repair.Octave-c.want) > 0.02 || c.want == 0 && !got.IsNone() {
			t.Errorf("%g up and %g down make %v, expected %g", c.up, c.down, got, c.want)
		}
	}
}
