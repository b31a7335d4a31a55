package atoms

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/internal/npz"
)

// A model that was exported and imported again enlarges to the same bytes: from an .npz file without any flag, from
// the others by the command that export shows.
func TestDictRoundTrip(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	dir := t.TempDir()
	hopper(t, dir)
	small := []string{"train", "hopper.png", "--atoms", "30", "--iterations", "2", "--patches", "500"}
	ok(t, dir, append(small, "-o", "extended.npz", "--scale", "3")...)
	ok(t, dir, append(small, "-o", "paper.npz", "--mean=false", "--detail=false", "--refit=false", "--back-projection",
		"0", "--patch", "4")...)
	ok(t, dir, append(small, "-o", "tolerant.npz", "--detail=false", "--coder", "omp:tolerance=0.05", "--sparsity",
		"0", "--degradation", "box")...)
	models := coupledBuiltins(t)
	models["extended.npz"], models["paper.npz"], models["tolerant.npz"] = 3, 2, 2
	for model, scale := range models {
		by := fmt.Sprint(scale)
		ok(t, dir, "upscale", "--provenance=false", "-s", by, "-m", model, "hopper.png", "-o", "want.png",
			"--on-exist", "overwrite")
		for _, format := range []string{"npz", "npy", "csv"} {
			file := "D." + format
			_, told := ok(t, dir, "dict", "export", model, "-o", file, "--on-exist", "overwrite")
			args := []string{"dict", "import", file, "-o", "again.npz"}
			if format != "npz" {
				_, again, found := strings.Cut(told, "a model again by: superres ")
				if !found {
					t.Fatal(told)
				}
				args = strings.Fields(strings.ReplaceAll(again, "MODEL.npz", "again.npz"))
			}
			if _, told := ok(t, dir, append(args, "--on-exist", "overwrite")...); !strings.Contains(told,
				"again.npz: ×") || strings.Contains(told, "warning") {
				t.Error(told)
			}
			ok(t, dir, "upscale", "--provenance=false", "-s", by, "-m", "again.npz", "hopper.png", "-o", "got.png",
				"--on-exist", "overwrite")
			if !bytes.Equal(consoletest.Read(t, dir, "want.png"), consoletest.Read(t, dir, "got.png")) {
				t.Errorf("%s by %s: other bytes", model, format)
			}
			described, _ := ok(t, dir, "models", "--json", "again.npz")
			var d struct {
				Provenance struct {
					Command  string
					Imported struct {
						File, SHA256 string
						From         *struct{ Command string }
					}
				}
			}
			must.Succeed(t, json.Unmarshal([]byte(described), &d))
			sum := sha256.Sum256(consoletest.Read(t, dir, file))
			im := d.Provenance.Imported
			if im.File != file || im.SHA256 != hex.EncodeToString(sum[:]) || (im.From != nil) != (format == "npz") ||
				im.From != nil && !strings.HasPrefix(im.From.Command, "superres train ") {
				t.Errorf("%s by %s: %s", model, format, described)
			}
			// The recorded command makes the same model once more.
			ok(t, dir, append(strings.Fields(d.Provenance.Command)[1:], "-o", "third.npz", "--on-exist", "overwrite",
				"-q")...)
			if !bytes.Equal(consoletest.Read(t, dir, "again.npz"), consoletest.Read(t, dir, "third.npz")) {
				t.Errorf("%s by %s: the recorded command makes another model", model, format)
			}
		}
	}
	// Export to a pipe and import from a pipe.
	ok(t, dir, "dict", "export", "extended.npz", "-o", "D.npy", "--on-exist", "overwrite")
	stacked, _ := ok(t, dir, "dict", "export", "extended.npz", "-o", "-")
	if stacked != string(consoletest.Read(t, dir, "D.npy")) {
		t.Error("a pipe gets other bytes")
	}
	if _, stderr, code := call(t, dir, stacked, "dict", "import", "-", "-o", "piped.npz"); code != 0 ||
		!strings.Contains(stderr, "30 atoms imported from standard input") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// Import takes parameters from the file; flags add to them or override them.
func TestDictImportParameters(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) npz.Text { return npz.StringArray("parameters", s) }
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	putHalves(t, filepath.Join(dir, "told.npz"), "low", "high",
		text(`{"mean": true, "degradation": "box", "coder": "omp:sparsity=1"}`))
	putHalves(t, filepath.Join(dir, "some.npz"), "low", "high", text(`{"scale": 2, "patch": 2, "detail": true}`))
	putStacked(t, filepath.Join(dir, "D.npy"))
	low, high := halvesOf()
	var d mat.Dense
	d.Stack(low, high)
	for _, c := range []struct{ args, want string }{
		{"bare.npz", "--mean=false --detail=false, omp:sparsity=3"},
		{"bare.npz", "patches of 2×2"},
		{"bare.npz --sparsity 2 --mean", "--mean=true --detail=false, omp:sparsity=2"},
		{"bare.npz --coder omp:tolerance=0.1 --sparsity 0", "omp:tolerance=0.1"},
		{"bare.npz --back-projection 0", "×2 from bicubic, coupled, 3 atoms imported from bare.npz"},
		{"told.npz", "×2 from box, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, " +
			"--mean=true --detail=false, omp:sparsity=1"},
		{"told.npz --mean=false --detail --degradation bicubic",
			"×2 from bicubic, coupled + backproject, 3 atoms imported from told.npz; patches of 2×2, --mean=false " +
				"--detail=true, omp:sparsity=1"},
		{"told.npz --sparsity 2", "omp:sparsity=1,sparsity=2"},
		{"told.npz --coder omp", "omp:sparsity=3"},
		{"some.npz", "--mean=false --detail=true, omp:sparsity=3"},
		{"D.npy", "3 atoms imported from D.npy"},
	} {
		_, stderr := ok(t, dir, append([]string{"dict", "import", "-o", "m.npz", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)...)
		if !strings.Contains(stderr, c.want) {
			t.Errorf("%s: %s, expected %q", c.args, stderr, c.want)
		}
	}
	// Import warns of zero atoms and of atoms that all lack a mean.
	zero := mat.DenseCopyOf(&d)
	zero.SetCol(1, make([]float64, 20))
	zero.Set(3, 2, -1)
	consoletest.PutMatrix(t, filepath.Join(dir, "zero.npy"), zero)
	_, stderr := ok(t, dir, "dict", "import", "zero.npy", "-o", "z.npz")
	consoletest.InOrder(t, stderr, "1 atom of D_L is zero", "--mean is missing")
	if stdout, stderr := ok(t, dir, "dict", "import", "D.npy", "-o", "q.npz", "-q"); stdout+stderr != "" {
		t.Error(stdout, stderr)
	}
}

// A model file with damage anywhere either is still a valid model or is refused with one line and ExitModel.
func TestDamagedModels(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(5, 4))
	putHalves(t, filepath.Join(dir, "atoms.npz"), "low", "high")
	program.Succeeds(t, dir, "dict", "import", "atoms.npz", "-o", "good.npz")
	good := consoletest.Read(t, dir, "good.npz")
	random := rand.New(rand.NewPCG(7, 7))
	try := func(what string, data []byte) {
		consoletest.Put(t, filepath.Join(dir, "bad.npz"), data)
		os.Remove(filepath.Join(dir, "out.png"))
		_, stderr, code := call(t, dir, "", "upscale", "-m", "bad.npz", "a.png", "-o", "out.png", "-j", "1")
		_, err := os.Stat(filepath.Join(dir, "out.png"))
		if code == 0 != (err == nil) || code != 0 && (code != console.ExitModel || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "superres: model bad.npz: ")) {
			t.Errorf("%s: exit %d, %v: %s", what, code, err, stderr)
		}
	}
	for range consoletest.Full(150, 10_000) {
		bad := bytes.Clone(good)
		at := random.IntN(len(bad))
		bad[at] ^= byte(1 + random.IntN(255))
		try(fmt.Sprintf("byte %d is %d", at, bad[at]), bad)
	}
	for n := 0; n < len(good); n += consoletest.Full(1+len(good)/60, 1) {
		try(fmt.Sprintf("%d of %d bytes", n, len(good)), good[:n])
	}
}
