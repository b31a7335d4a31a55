package train

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
		"--patch", "8", "--batch", "10"}
	train := func(args ...string) (stderr string) {
		t.Helper()
		_, stderr, code := call(t, dir, "", append(append([]string{"train"}, args...), quick...)...)
		if code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		return stderr
	}
	// 3 steps of 10 patches of 8×8 pixels, and 5·5·16 + 9·16·16 + 9·16·4 weights
	const line = `step 3 of 3: 1\.92 K pixels, 6\.3 M products, [\d.]+ dB, error [\d.]+ of 255, rate [\de.-]+` +
		`(, \d+ channels silent)?; [\d.]+ s\n` +
		`1\.npz: ×2 from bicubic, .* on 1 held-out pictures \(.*\); 1\.92 K pixels, 6\.3 M products; [\d.]+ s\n`
	told := train("set", "-o", "1.npz", "--held-out", "1", "--progress", "plain")
	if !regexp.MustCompile("^" + line + "$").MatchString(told) {
		t.Errorf("told %q", told)
	}
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var first struct {
		Provenance struct {
			Command string
			Pixels  int
		}
	}
	if err := json.Unmarshal([]byte(stdout), &first); err != nil || first.Provenance.Pixels != 1920 ||
		strings.Contains(first.Provenance.Command, "--atoms") {
		t.Errorf("%v: %+v", err, first)
	}
	again := append(strings.Fields(first.Provenance.Command)[1:], "-o", "2.npz")
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
		begun.Provenance.Init.Command != first.Provenance.Command {
		t.Errorf("%v: it began with a model of %q", err, begun.Provenance.Init.Command)
	}
	train("set", "-o", "mean.npz", "--seed", "2")
	train("set", "-o", "mean.npz", "--on-exist", "overwrite", "--init", "1.npz,mean.npz")
	stdout, _, _ = call(t, dir, "", "models", "mean.npz")
	var mean struct {
		Provenance struct {
			Command    string
			Init       struct{ Command string }
			InitOthers []struct{ Command string } `json:"init_others"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &mean); err != nil ||
		mean.Provenance.Init.Command != first.Provenance.Command || len(mean.Provenance.InitOthers) != 1 ||
		!strings.Contains(mean.Provenance.InitOthers[0].Command, "--seed 2 ") ||
		!strings.Contains(mean.Provenance.Command, "--init 1.npz,mean.npz ") {
		t.Errorf("%v: it began with the mean of models of %v", err, mean.Provenance)
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
		taught.Provenance.Teachers[0].Command != first.Provenance.Command ||
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
		{Args: []string{"train", "set", "-o", "m.npz", "--convolutional", "--init", "1.npz,photo"}, Code: 2,
			Want: "networks of several shapes: ×2, 16 channels, 1 layers, and ×2, 48 channels, 10 layers"},
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

// A training that was killed goes on, with another number of processors, and makes the bytes of one that was not. What
// it left is neither used nor replaced by a training with other flags.
func TestKilledTrainingGoesOn(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(90, 80))
	args := func(output string, more ...string) []string {
		return append([]string{"train", "a.png", "-o", output, "--convolutional", "--channels", "16", "--depth", "1",
			"--steps", "2500", "--colour-steps", "0", "--batch", "1", "--patch", "8", "--reduce", "none"}, more...)
	}
	cmd := consoletest.Process(dir, args("m.npz")...)
	must.Succeed(t, cmd.Start())
	late := time.AfterFunc(5*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	kept := filepath.Join(dir, "m.npz.partial")
	for there := false; !there; {
		select {
		case err := <-ended:
			t.Fatalf("the training ended before it was killed: %v", err)
		case <-time.After(time.Millisecond):
			_, err := os.Stat(kept)
			there = err == nil
		}
	}
	_ = cmd.Process.Kill()
	<-ended
	state := consoletest.Read(t, kept)
	program.Ends(t, dir, 5, "m.npz.partial is of a training with other flags", args("m.npz", "--seed", "2")...)
	if !bytes.Equal(consoletest.Read(t, kept), state) {
		t.Error("a training with other flags replaces what was kept")
	}
	_, told := program.Succeeds(t, dir, args("m.npz", "--progress", "plain", "--threads", "1")...)
	consoletest.InOrder(t, told, "going on after step ", " of 2500: ", " pixels, ", " products\n",
		"step 2500 of 2500: ")
	program.Succeeds(t, dir, args("whole.npz")...)
	if !bytes.Equal(consoletest.Read(t, dir, "m.npz"), consoletest.Read(t, dir, "whole.npz")) {
		t.Error("other bytes than without an interruption")
	}
	if left := consoletest.Tree(t, dir); len(left) != 3 {
		t.Errorf("left are %v", left)
	}
}
