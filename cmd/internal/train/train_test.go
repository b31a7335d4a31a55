package train

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
)

// A model trained twice has the same bytes wherever its pictures are; upscale takes its file, and its provenance says
// how it was made.
func TestTrainAndUse(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"one/set/a.png", "two/set/a.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), golden.Open(t, filepath.Join(golden.Root(t), "testdata",
			"hopper.png")))
	}
	flags := []string{"--atoms", "30", "--iterations", "2", "--patches", "500"}
	for _, c := range [][]string{{"one/set", "-o", "1.npz"}, {"two/set/", "-o", "2.npz", "-j", "1"}} {
		if _, stderr, code := call(t, dir, "", append(append([]string{"train"}, c...), flags...)...); code != 0 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	a, _ := os.ReadFile(filepath.Join(dir, "1.npz"))
	b, _ := os.ReadFile(filepath.Join(dir, "2.npz"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the two models differ")
	}
	stdout, _, _ := call(t, dir, "", "models", "--json", "1.npz")
	var told struct{ Provenance struct{ Command string } }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil ||
		!strings.HasSuffix(told.Provenance.Command, "--seed 1 --recursive=false --limit 0 set") {
		t.Errorf("%v: %q", err, told.Provenance.Command)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "1.npz", "one/set/a.png", "-o", "a.png", "--sparsity", "1",
		"--back-projection", "0"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	stdout, stderr, code := call(t, dir, "", "eval", "one/set/a.png", "-m", "bicubic", "-m", "1.npz", "--json")
	var table struct {
		Mean []struct{ PSNR, SSIM float64 }
	}
	if err := json.Unmarshal([]byte(stdout), &table); err != nil || code != 0 || len(table.Mean) != 2 ||
		table.Mean[0].PSNR < 20 {
		t.Errorf("exit %d, %s %v %s", code, stderr, err, stdout)
	}
}

// Flags of convolutional stages, and values outside of their range, are refused.
func TestTrainRefusesOtherFlags(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(60, 50))
	for _, flags := range [][]string{{"--symmetries", "none"}, {"--stages", "2"},
		{"--convolutional", "--symmetries", "some"}} {
		if _, stderr, code := call(t, dir, "", append(append([]string{"train"}, flags...), "a.png", "-o",
			"x.npz")...); code != 2 {
			t.Errorf("%v: exit %d, %s", flags, code, stderr)
		}
	}
}
