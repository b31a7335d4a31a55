package train

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage/stagetest"
)

// A convolutional stage is trained, its recorded command gives the same bytes again, --init continues from it at
// another scale, and flags of coupled models are refused.
func TestTrainConvolutional(t *testing.T) {
	dir := t.TempDir()
	for i, f := range []string{"set/a.png", "set/b.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(90+10*i, 80))
	}
	quick := []string{"--convolutional", "--channels", "16", "--depth", "1", "--steps", "3", "--colour-steps", "2",
		"--patch", "8"}
	train := func(args ...string) (stderr string) {
		t.Helper()
		_, stderr, code := call(t, dir, "", append(append([]string{"train"}, args...), quick...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stderr
	}
	if told := train("set", "-o", "1.npz", "--held-out", "1", "--progress", "plain"); !strings.Contains(told,
		"step 3 of 3: rate ") || !strings.Contains(told, " dB") || strings.Contains(told, "atoms") {
		t.Errorf("told %q", told)
	}
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var told struct{ Provenance struct{ Command string } }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil ||
		strings.Contains(told.Provenance.Command, "--atoms") {
		t.Errorf("%v: %q", err, told.Provenance.Command)
	}
	again := append(strings.Fields(told.Provenance.Command)[1:], "-o", "2.npz")
	if _, stderr, code := call(t, dir, "", again...); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "1.npz"))
	b, _ := os.ReadFile(filepath.Join(dir, "2.npz"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the recorded command makes another model")
	}
	for flag, want := range map[string]string{"--damage": "0", "--degradation=box": "0", "--grain=3": "3",
		"--damage=false": "2"} {
		train("set", "-o", "g.npz", "--on-exist", "overwrite", flag)
		stdout, _, _ = call(t, dir, "", "models", "g.npz")
		if !strings.Contains(stdout, "--grain "+want+" ") ||
			strings.Contains(stdout, `\"grain\":`+want) != (want != "0") {
			t.Errorf("%s: expected grain of %s to be recorded and in force: %s", flag, want, stdout)
		}
	}
	train("set", "-o", "3.npz", "--scale", "3", "--init", "1.npz")
	stdout, _, _ = call(t, dir, "", "models", "3.npz")
	var begun struct {
		Provenance struct{ Init struct{ Command string } }
	}
	if err := json.Unmarshal([]byte(stdout), &begun); err != nil ||
		begun.Provenance.Init.Command != told.Provenance.Command {
		t.Errorf("%v: it began with a model of %q", err, begun.Provenance.Init.Command)
	}
	train("set", "-o", "4.npz", "--teachers", filepath.Join(dir, "1.npz")+",photo")
	stdout, _, _ = call(t, dir, "", "models", "4.npz")
	var taught struct {
		Provenance struct {
			Command  string
			Teachers []struct{ Command string }
		}
	}
	if err := json.Unmarshal([]byte(stdout), &taught); err != nil || len(taught.Provenance.Teachers) != 2 ||
		taught.Provenance.Teachers[0].Command != told.Provenance.Command ||
		!strings.Contains(taught.Provenance.Command, "--teachers 1.npz,photo ") {
		t.Errorf("%v: it learned from models of %v", err, taught.Provenance)
	}
	network := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}}
	network.Provenance.Imported = &superres.Imported{File: "blur.param", Format: "ncnn"}
	var file bytes.Buffer
	must.Succeed(t, network.Save(&file))
	consoletest.Put(t, filepath.Join(dir, "blur.npz"), file.Bytes())
	train("set", "-o", "5.npz", "--teachers", "blur.npz")
	stdout, _, _ = call(t, dir, "", "models", "5.npz")
	if !strings.Contains(stdout, `"file": "blur.param"`) ||
		bytes.Equal(consoletest.Read(t, dir, "5.npz"), consoletest.Read(t, dir, "1.npz")) {
		t.Errorf("a network teaches nothing: %s", stdout)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "3.npz", "set/a.png", "-o", "a.png"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--atoms", "9"}, Code: 2,
			Want: "--atoms concerns coupled models, not the convolutional stages of --convolutional"},
		{Args: []string{"train", "set", "-o", "m.npz", "--depth", "2"}, Code: 2,
			Want: "ask for some with --convolutional"},
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--channels", "20"}, Code: 2,
			Want: "20 channels"},
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--init", "bicubic"}, Code: 6,
			Want: "bicubic has no convolutional stage to begin with"},
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--teachers", "1.npz,coupled"}, Code: 6,
			Want: "coupled has no convolutional stage to learn from"},
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--scale", "3", "--teachers", "1.npz"},
			Code: 2, Want: "a teacher for scale 2, expected one for 3"},
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--init", "1.npz"}, Code: 2,
			Want: "has 16 channels and depth 1, expected 48 and at most 10"},
	})
}
