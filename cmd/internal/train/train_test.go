package train

import (
	"bytes"
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
		program.Succeeds(t, dir, append(append([]string{"train"}, c...), flags...)...)
	}
	if !bytes.Equal(consoletest.Read(t, dir, "1.npz"), consoletest.Read(t, dir, "2.npz")) {
		t.Error("the two models differ")
	}
	stdout, _ := program.Succeeds(t, dir, "models", "--json", "1.npz")
	told := consoletest.Decode[struct{ Provenance struct{ Command string } }](t, stdout)
	if !strings.HasSuffix(told.Provenance.Command, "--seed 1 --recursive=false --limit 0 set") {
		t.Errorf("%q", told.Provenance.Command)
	}
	program.Succeeds(t, dir, "upscale", "-m", "1.npz", "one/set/a.png", "-o", "a.png", "--sparsity", "1",
		"--back-projection", "0")
	stdout, _ = program.Succeeds(t, dir, "eval", "one/set/a.png", "-m", "bicubic", "-m", "1.npz", "--json")
	table := consoletest.Decode[struct{ Mean []struct{ PSNR float64 } }](t, stdout)
	if len(table.Mean) != 2 || table.Mean[0].PSNR < 20 {
		t.Error(stdout)
	}
}
