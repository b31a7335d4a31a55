package mnist

import (
	"crypto/sha256"
	"errors"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestTable1(t *testing.T) {
	for _, d := range Table1() {
		if d.Index != d.Candidates[0] || !slices.IsSorted(d.Candidates) {
			t.Errorf("digit %d: index %d, candidates %v", d.Digit, d.Index, d.Candidates)
		}
	}
	Table1()[0].Candidates[0] = -1
	if got := Table1()[0].Candidates[0]; got != 39114 {
		t.Errorf("a caller changed the list: %d", got)
	}
}

func TestOfficialUnknown(t *testing.T) {
	sum, err := FileSum(file(t, []byte("abc")))
	if err != nil || sum != sha256.Sum256([]byte("abc")) {
		t.Errorf("FileSum: got %x, error %v", sum, err)
	}
	if which, ok := Official(sum); ok || which != "" {
		t.Errorf("Official: got %q, %v", which, ok)
	}
}

// realFile is the path of one of MNIST's files; without it the test is skipped.
func realFile(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("SUPERRES_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(dir, "mnist", name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("MNIST is not here: no %s (SUPERRES_DATA names the folder that has mnist/*.gz)", path)
	}
	return path
}

// lowError is ‖Î − I‖²/‖I‖², Î being I with each 2×2 block replaced by its mean.
func lowError(img *image.Gray) float64 {
	var diff, norm float64
	b := img.Bounds()
	for y := b.Min.Y; y+1 < b.Max.Y; y += 2 {
		for x := b.Min.X; x+1 < b.Max.X; x += 2 {
			var sum, squares float64
			for i := range 4 {
				v := float64(img.GrayAt(x+i%2, y+i/2).Y)
				sum += v
				squares += v * v
			}
			diff += squares - sum*sum/4
			norm += squares
		}
	}
	return diff / norm
}

func TestLowError(t *testing.T) {
	img := &image.Gray{Pix: []byte{1, 2, 5, 5, 3, 4, 5, 5}, Stride: 4, Rect: image.Rect(0, 0, 4, 2)}
	if got, want := lowError(img), 5.0/130; math.Abs(got-want) > 1e-15 { // Σ(v − 2.5)² over Σv²
		t.Errorf("got %v, want %v", got, want)
	}
}

// The claim of Table1: its candidates are all the training pictures that match.
func TestTable1Files(t *testing.T) {
	set := must(Load(realFile(t, "train-images-idx3-ubyte.gz"), realFile(t, "train-labels-idx1-ubyte.gz")))(t)
	if len(set.Images) != 60_000 || set.Images[0].Bounds() != image.Rect(0, 0, 28, 28) {
		t.Fatalf("got %d images of %v", len(set.Images), set.Images[0].Bounds())
	}
	fourDecimals := func(x float64) float64 { return math.Round(x * 1e4) }
	for _, d := range Table1() {
		var matching []int
		for i, img := range set.Images {
			if set.Labels[i] == d.Digit && fourDecimals(lowError(img)) == fourDecimals(d.LowError) {
				matching = append(matching, i)
			}
		}
		if !slices.Equal(matching, d.Candidates) {
			t.Errorf("digit %d, error %.4f: got pictures %v, want %v", d.Digit, d.LowError, matching, d.Candidates)
		}
	}
}
