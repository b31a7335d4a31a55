// Package golden compares pictures with files in the repository, and finds test data outside of the repository.
//
// go test ./superres -run Golden -update writes the files again; look at them before they are committed.
package golden

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

var update = flag.Bool("update", false, "write the golden files")

// Tolerance is the allowed difference between a picture and its golden file: no sample may differ by more than Levels
// of 255, and at most a share Share, 0 to 1, may differ at all. Processors with fused multiply-add round differently.
type Tolerance struct {
	Levels int
	Share  float64
}

// Compare fails the test if got, of at most 8 bits a sample, differs by more than tol from testdata/golden/name. With
// the flag -update, it writes got to that file instead.
func Compare(t *testing.T, name string, got image.Image, tol Tolerance) {
	t.Helper()
	path := filepath.Join(Root(t), "testdata", "golden", name)
	if *update {
		f := must.Get(os.Create(path))(t)
		defer f.Close()
		must.Succeed(t, png.Encode(f, got))
		return
	}
	want := Open(t, path)
	if want.Bounds() != got.Bounds() {
		t.Fatalf("%s: the picture is %v, the golden file %v", name, got.Bounds(), want.Bounds())
	}
	b := got.Bounds()
	differ, most := 0, 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			p, q := nrgba(got.At(x, y)), nrgba(want.At(x, y))
			for i := range p {
				if d := max(p[i]-q[i], q[i]-p[i]); d > 0 {
					differ, most = differ+1, max(most, d)
				}
			}
		}
	}
	if share := float64(differ) / float64(4*b.Dx()*b.Dy()); most > tol.Levels || share > tol.Share {
		t.Errorf("%s: %.3f %% of the samples differ, by up to %d levels; allowed %.3f %% and %d; if this is "+
			"meant, run with -update and look at the picture",
			name, 100*share, most, 100*tol.Share, tol.Levels)
	}
}

func nrgba(c color.Color) [4]int {
	v := color.NRGBAModel.Convert(c).(color.NRGBA)
	return [4]int{int(v.R), int(v.G), int(v.B), int(v.A)}
}

// Open returns the picture in the PNG file at path, and ends the test if it cannot be read.
func Open(t testing.TB, path string) image.Image {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	return must.Get(png.Decode(f))(t)
}

// Pictures returns the paths of every n-th PNG file, at least one, in the folder set below the data sets: see Data.
func Pictures(t *testing.T, set string, n int) (paths []string) {
	t.Helper()
	all := must.Get(filepath.Glob(filepath.Join(Data(t, set), "*.png")))(t)
	if len(all) == 0 {
		t.Fatalf("no pictures of %s", set)
	}
	for i := 0; i < len(all); i += n {
		paths = append(paths, all[i])
	}
	return paths
}

// InFull reports whether SUPERRES_FULL is set, so that tests should use all of their data; false: a sample of it.
func InFull() bool { return os.Getenv("SUPERRES_FULL") != "" }

// NotShort skips a test in short mode, as under the race detector; why says what the test would do.
func NotShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: " + why)
	}
}

// Root returns the path of the repository's root folder.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	t.Fatal("golden: not inside the repository")
	return ""
}

// Data returns the path of a data set outside the repository: parts joined below the folder SUPERRES_DATA, or below
// ../shared/data beside the repository. The test is skipped if the path does not exist, or in short mode.
func Data(t testing.TB, parts ...string) string {
	t.Helper()
	NotShort(t, "works on a data set")
	dir := os.Getenv("SUPERRES_DATA")
	if dir == "" {
		dir = filepath.Join(Root(t), "..", "shared", "data")
	}
	path := filepath.Join(append([]string{dir}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is absent; set SUPERRES_DATA to the folder of the data sets to run this test", path)
	}
	return path
}
