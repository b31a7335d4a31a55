package ncnn

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomFile is a network of kinds of layers and parameters that are known, of which few fit each other.
func randomFile(r *rand.Rand) *file {
	f := newFile()
	f.random = r
	small := func() int { return []int{-234, -233, -1, 0, 1, 1, 1, 2, 2, 3, 4, 27, 81, 1 << 31}[r.IntN(14)] }
	kinds := slices.Sorted(maps.Keys(makers))
	f.layer("Input in 0 1 b0 " + []string{"", "0=8 1=6 2=3"}[r.IntN(2)])
	blobs := 1
	for range 1 + r.IntN(6) {
		kind := kinds[r.IntN(len(kinds))]
		in, out := 1+r.IntN(2), 1+r.IntN(5)/4
		if kind == "MemoryData" {
			in = 0
		}
		line := fmt.Sprintf("%s l%d %d %d", kind, blobs, in, out)
		for i := range in {
			line += fmt.Sprintf(" b%d", max(blobs-1-i, 0))
		}
		for range out {
			line += fmt.Sprintf(" b%d", blobs)
			blobs++
		}
		for key := range []int{4, 21}[r.IntN(8)/7] {
			switch r.IntN(12) {
			case 0, 1, 2:
				line += fmt.Sprintf(" %d=%d", key, small())
			case 3:
				line += fmt.Sprintf(" %d=0.5", key)
			case 4:
				line += fmt.Sprintf(" %d=2,%d,%d", arrayKey-key, small(), small())
			}
		}
		f.layer(line, []int{0, 0, 0, 0, 0, 3, -3, 27, 81}[r.IntN(9)], []int{0, 0, 0, 0, -3}[r.IntN(5)])
	}
	return f
}

// TestRandomFiles reads files that are nonsense for the most part: none may end the program, and what is accepted is a
// network.
func TestRandomFiles(t *testing.T) {
	accepted := 0
	for seed := range uint64(10_000) {
		f := randomFile(rand.New(rand.NewPCG(seed, 7)))
		g, err := Read(f.param(), f.bin.Bytes())
		if err != nil {
			continue
		}
		if accepted++; g.Check() != nil {
			t.Errorf("seed %d: %v", seed, g.Check())
		}
	}
	if accepted < 20 {
		t.Errorf("%d files are accepted, which tests little", accepted)
	}
}
