package kernel

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// SUPERRES_TIER is the name of a tier that an emulator runs the tests with, though the processor lacks it.
func init() {
	if i := slices.Index(tierNames, os.Getenv("SUPERRES_TIER")); i > 0 && !slices.Contains(runnable, tier(i)) {
		runnable = append(runnable, tier(i))
		current = tier(i)
	}
}

// eachTier runs a test with every tier that this machine runs.
func eachTier(t *testing.T, test func(t *testing.T)) {
	for i := range Tiers() {
		restore := Use(i)
		t.Run(Tier(), test)
		restore()
	}
}

// random returns n normal numbers, always the same for the same seed.
func random(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 20))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func random32(n int, seed uint64) []float32 {
	v := make([]float32, n)
	for i, x := range random(n, seed) {
		v[i] = float32(x)
	}
	return v
}

// hard32 returns normal numbers, among them some that are large or small, infinite or not a number, and zeros of both
// signs.
func hard32(n int, seed uint64) []float32 {
	v := random32(n, seed)
	for i := range v {
		switch (uint64(i) + seed) % 67 {
		case 1:
			v[i] *= 1e30
		case 3:
			v[i] *= 1e-30
		case 7:
			v[i] *= 40
		case 11:
			v[i] = 0
		case 13:
			v[i] = float32(math.Copysign(0, -1))
		case 17:
			v[i] *= 0x1p-126
		case 64:
			if i > 100 {
				v[i] = float32(math.Inf(int(v[i] * 10)))
			}
		case 65:
			if i > 150 {
				v[i] = float32(math.NaN())
			}
		}
	}
	return v
}

// uniform32 returns n numbers from -1 to 1, always the same for the same seed.
func uniform32(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 21))
	v := make([]float32, n)
	for i := range v {
		v[i] = 2*rng.Float32() - 1
	}
	return v
}

func TestUse(t *testing.T) {
	if Tier() != tierNames[len(tierNames)-1] {
		t.Logf("this machine runs up to %s of %v", Tier(), tierNames)
	}
	was := Tier()
	restore := Use(0)
	if Tier() != "generic" {
		t.Errorf("tier 0 is %s", Tier())
	}
	if restore(); Tier() != was {
		t.Errorf("%s is in use, expected %s again", Tier(), was)
	}
}
