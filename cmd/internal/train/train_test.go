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

// A model trained twice has the same bytes wherever its pictures lie, is used from
// its file, and tells how it was made.
func TestTrainAndUse(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"one/set/a.png", "two/set/a.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
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
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var told struct{ Provenance struct{ Command string } }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || !strings.HasSuffix(told.Provenance.Command, "--seed 1 --recursive=false --limit 0 set") {
		t.Errorf("%v: %q", err, told.Provenance.Command)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "1.npz", "one/set/a.png", "-o", "a.png", "--sparsity", "1", "--back-projection", "0"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	stdout, stderr, code := call(t, dir, "", "eval", "one/set/a.png", "-m", "bicubic", "-m", "1.npz", "--json")
	var table struct {
		Mean []struct{ PSNR, SSIM float64 }
	}
	if err := json.Unmarshal([]byte(stdout), &table); err != nil || code != 0 || len(table.Mean) != 2 || table.Mean[0].PSNR < 20 {
		t.Errorf("exit %d, %s %v %s", code, stderr, err, stdout)
	}
}

// A cascade is trained, its command makes the same bytes again, and flags of the other
// kind of model are refused.
func TestTrainCascade(t *testing.T) {
	dir := t.TempDir()
	for i, f := range []string{"set/a.png", "set/b.png", "set/c.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(60+10*i, 50))
	}
	train := []string{"train", "--stages", "2", "--atoms", "40", "--reduce", "0.8", "--held-out", "1", "--flat", "0.1", "set", "-o", "1.npz"}
	if _, stderr, code := call(t, dir, "", train...); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if got := consoletest.Tree(t, dir); len(got) != 4 {
		t.Errorf("files %v", got)
	}
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var told struct {
		Provenance struct {
			Command     string
			StageScores []any `json:"stage_scores"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || len(told.Provenance.StageScores) != 2 {
		t.Fatalf("%v: %s", err, stdout)
	}
	again := append(strings.Fields(told.Provenance.Command)[1:], "-o", "2.npz")
	if _, stderr, code := call(t, dir, "", again...); code != 0 {
		t.Fatalf("%v: exit %d, %s", again, code, stderr)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "1.npz"))
	b, _ := os.ReadFile(filepath.Join(dir, "2.npz"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the command that the model records makes another model")
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "1.npz", "set/a.png", "-o", "a.png", "--back-projection", "2"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, c := range [][]string{
		{"--stages", "2", "--detail=false"}, {"--stages", "2", "--sparsity", "3"}, {"--stages", "1", "--patches", "9"}, {"--symmetries", "none"}, {"--input-dims", "9"},
		{"--stages", "-1"}, {"--stages", "1", "--patch", "4"}, {"--stages", "1", "--symmetries", "some"}, {"--stages", "99"}, {"--stages", "1", "--learner", "ksdv"},
	} {
		if _, stderr, code := call(t, dir, "", append(append([]string{"train"}, c...), "set", "-o", "x.npz")...); code != 2 {
			t.Errorf("%v: exit %d, %s", c, code, stderr)
		}
	}
}
