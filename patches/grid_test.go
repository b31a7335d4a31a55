package patches_test

import (
	"fmt"
	"slices"
	"testing"

	"superres/internal/testimage"
	"superres/patches"
	"superres/patches/plane"
)

var grids = []patches.Grid{
	{W: 14, H: 14, Size: 3, Step: 1},
	{W: 28, H: 28, Size: 6, Step: 2},
	{W: 7, H: 5, Size: 3, Step: 2},
	{W: 3, H: 200, Size: 3, Step: 3},
	{W: 1, H: 1, Size: 1, Step: 1},
	{W: 11, H: 13, Size: 4, Step: 3},
	{W: 12, H: 9, Size: 9, Step: 5},
}

// average averages patches over a grid, rows rows of patches at a time.
func average(g patches.Grid, all []float32, rows int) *plane.Plane {
	a := patches.NewAverager(g)
	for part := range slices.Chunk(all, rows*g.Cols()*g.Size*g.Size) {
		a.Add(part)
	}
	return a.Plane()
}

// The average of the patches of a plane is the plane, to the bit. Unrelated patches are averaged as defined, whether
// they come together or row by row.
func TestAverage(t *testing.T) {
	for _, g := range grids {
		p := testimage.Noise(g.W, g.H)
		cut := g.ExtractRows(p, 0, g.Rows(), nil)
		if len(cut) != g.Len()*g.Size*g.Size {
			t.Errorf("%+v: %d samples", g, len(cut))
		}
		if got := average(g, cut, g.Rows()); !slices.Equal(got.Pix, p.Pix) {
			t.Errorf("%+v: not the plane", g)
		}
		all := testimage.Noise(g.Size*g.Size, g.Len()).Pix
		sum, count := make([]float64, g.W*g.H), make([]float64, g.W*g.H)
		for i := range g.Len() {
			x, y := g.At(i)
			for j := range g.Size * g.Size {
				at := (y+j/g.Size)*g.W + x + j%g.Size
				sum[at] += float64(all[i*g.Size*g.Size+j])
				count[at]++
			}
		}
		got := average(g, all, g.Rows())
		for i, v := range got.Pix {
			if count[i] == 0 || v != float32(sum[i]/count[i]) {
				t.Fatalf("%+v: sample %d is %g, expected %g/%g", g, i, v, sum[i], count[i])
			}
		}
		if !slices.Equal(average(g, all, 1).Pix, got.Pix) {
			t.Errorf("%+v: row by row differs", g)
		}
	}
}

// A high-resolution patch covers exactly the samples of its low-resolution twin.
func TestScaledGridIsCoLocated(t *testing.T) {
	for _, g := range grids {
		for s := 2; s <= 4; s++ {
			high := g.Scale(s)
			if high.Len() != g.Len() {
				t.Fatalf("%+v ×%d: %d patches, expected %d", g, s, high.Len(), g.Len())
			}
			for i := range g.Len() {
				x, y := g.At(i)
				if hx, hy := high.At(i); hx != s*x || hy != s*y {
					t.Fatalf("%+v ×%d: patch %d at (%d,%d), low at (%d,%d)", g, s, i, hx, hy, x, y)
				}
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for _, g := range []patches.Grid{
		{W: 2, H: 9, Size: 3, Step: 1}, {W: 9, H: 9, Size: 3, Step: 4}, {W: 9, H: 9, Size: 3}, {W: 9, H: 9, Step: 1},
	} {
		if g.Check() == nil {
			t.Errorf("%+v passes", g)
		}
	}
}

func TestExtendAndCrop(t *testing.T) {
	p := testimage.Noise(2, 3)
	big := p.Extend(4, 5)
	if big.W != 4 || big.H != 5 || big.Row(4)[3] != p.Row(2)[1] || big.Row(1)[3] != p.Row(1)[1] {
		t.Errorf("extended to %+v", big)
	}
	if back := big.Crop(0, 0, 2, 3); !slices.Equal(back.Pix, p.Pix) {
		t.Error("crop does not undo extend")
	}
	if p.Extend(2, 1) != p {
		t.Error("a large enough plane is copied")
	}
}

func ExampleGrid() {
	low := patches.Grid{W: 14, H: 14, Size: 3, Step: 1}
	high := low.Scale(2)
	fmt.Println(low.Len(), "pairs of", low.Size*low.Size, "and", high.Size*high.Size, "samples")
	// Output: 144 pairs of 9 and 36 samples
}
