package mnist

import (
	"crypto/sha256"
	"errors"
	"image"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// The claim of Table1: its candidates are all the training pictures that match.
func TestTable1Files(t *testing.T) {
	p := must(OpenPair(realFile(t, "train-images-idx3-ubyte.gz"), realFile(t, "train-labels-idx1-ubyte.gz")))(t)
	defer p.Close()
	if p.Count() != 60_000 || p.Width() != 28 || p.Height() != 28 {
		t.Fatalf("got %d images of %d×%d", p.Count(), p.Width(), p.Height())
	}
	fourDecimals := func(x float64) float64 { return math.Round(x * 1e4) }
	matching := map[uint8][]int{}
	for item, err := range p.All() {
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range Table1() {
			if item.Label == int(d.Digit) && fourDecimals(lowError(item.Image)) == fourDecimals(d.LowError) {
				matching[d.Digit] = append(matching[d.Digit], item.Index)
			}
		}
	}
	for _, d := range Table1() {
		if !slices.Equal(matching[d.Digit], d.Candidates) {
			t.Errorf("digit %d, error %.4f: got pictures %v, want %v", d.Digit, d.LowError, matching[d.Digit],
				d.Candidates)
		}
	}
}

func TestVerify(t *testing.T) {
	which, sum, err := Verify(file(t, packed(t, []byte("abc"))))
	if err != nil || sum != sha256.Sum256([]byte("abc")) || which != "" {
		t.Errorf("%q, %x, %v", which, sum, err)
	}
	plain := encodeImages(t, pictures(3, 4, 3), 4, 3)
	dir := t.TempDir()
	for name, official := range map[string]bool{
		"t10k-images-idx3-ubyte.gz": true, "t10k-images-idx3-ubyte": true, "train-labels.idx1-ubyte": true,
		"digits-idx3-ubyte": false, "t10k-images": false,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, plain, 0o666); err != nil {
			t.Fatal(err)
		}
		which, _, err := Verify(path)
		if which != "" || official != errors.Is(err, ErrUnofficial) || err != nil && !official {
			t.Errorf("%s: got %q, %v", name, which, err)
		}
		if official {
			wantError(t, name, err, ErrUnofficial, name+": not the official MNIST file of this name", ", expected ")
		}
	}
	_, _, err = Verify(file(t, packed(t, plain)[:30]))
	wantError(t, "damaged", err, io.ErrUnexpectedEOF)
	_, _, err = Verify(dir)
	wantError(t, "folder", err, nil, "not a regular file")
}

// The official files are known whatever they are called and however they are packed.
func TestVerifyFiles(t *testing.T) {
	for _, f := range officialSums {
		if which, _, err := Verify(realFile(t, f.name+".gz")); which != f.name || err != nil {
			t.Errorf("%s: got %q, %v", f.name, which, err)
		}
	}
	plain := unpacked(t, must(os.ReadFile(realFile(t, "t10k-labels-idx1-ubyte.gz")))(t))
	if which, _, err := Verify(file(t, plain)); which != "t10k-labels-idx1-ubyte" || err != nil {
		t.Errorf("unpacked: got %q, %v", which, err)
	}
	misnamed := filepath.Join(t.TempDir(), "train-labels-idx1-ubyte.gz")
	if err := os.WriteFile(misnamed, packed(t, plain), 0o666); err != nil {
		t.Fatal(err)
	}
	which, _, err := Verify(misnamed)
	if which != "t10k-labels-idx1-ubyte" || !errors.Is(err, ErrUnofficial) ||
		!strings.Contains(err.Error(), "and belongs to t10k-labels-idx1-ubyte") {
		t.Errorf("misnamed: got %q, %v", which, err)
	}
}
