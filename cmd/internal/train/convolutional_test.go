package train

import (
	"bytes"
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
		_, stderr = program.Succeeds(t, dir, append(append([]string{"train"}, args...), quick...)...)
		return stderr
	}
	provenance := func(model string) superres.Provenance {
		t.Helper()
		stdout, _ := program.Succeeds(t, dir, "models", "--json", model)
		return consoletest.Decode[struct{ Provenance superres.Provenance }](t, stdout).Provenance
	}
	// 3 steps of 10 patches of 8×8 pixels, and 5·5·16 + 9·16·16 + 9·16·4 weights
	const line = `step 3 of 3: 1\.92 K pixels, 6\.3 M products, [\d.]+ dB, error [\d.]+ of 255, rate [\de.-]+` +
		`(, \d+ channels silent)?; [\d.]+ s\n` +
		`1\.npz: ×2 from bicubic, .* on 1 held-out pictures \(.*\); 1\.92 K pixels, 6\.3 M products; [\d.]+ s\n`
	told := train("set", "-o", "1.npz", "--held-out", "1", "--progress", "plain")
	if !regexp.MustCompile("^" + line + "$").MatchString(told) {
		t.Errorf("told %q", told)
	}
	first := provenance("1.npz")
	if first.Pixels != 1920 || strings.Contains(first.Command, "--atoms") {
		t.Errorf("%+v", first)
	}
	program.Succeeds(t, dir, append(strings.Fields(first.Command)[1:], "-o", "2.npz")...)
	if !bytes.Equal(consoletest.Read(t, dir, "1.npz"), consoletest.Read(t, dir, "2.npz")) {
		t.Error("the recorded command makes another model")
	}
	for flag, want := range map[string]string{"--damage": "0", "--degradation=box": "0", "--grain=3": "3",
		"--damage=false": "2"} {
		train("set", "-o", "g.npz", "--on-exist", "overwrite", flag)
		stdout, _ := program.Succeeds(t, dir, "models", "--json", "g.npz")
		if !strings.Contains(stdout, "--grain "+want+" ") ||
			strings.Contains(stdout, `\"grain\":`+want) != (want != "0") {
			t.Errorf("%s: expected grain of %s to be recorded and in force: %s", flag, want, stdout)
		}
	}
	train("set", "-o", "3.npz", "--scale", "3", "--init", "1.npz")
	if begun := provenance("3.npz").Init; begun.Command != first.Command {
		t.Errorf("it began with a model of %q", begun.Command)
	}
	train("set", "-o", "mean.npz", "--seed", "2")
	train("set", "-o", "mean.npz", "--on-exist", "overwrite", "--init", "1.npz,mean.npz")
	if mean := provenance("mean.npz"); mean.Init.Command != first.Command || len(mean.InitOthers) != 1 ||
		!strings.Contains(mean.InitOthers[0].Command, "--seed 2 ") ||
		!strings.Contains(mean.Command, "--init 1.npz,mean.npz ") {
		t.Errorf("it began with the mean of models of %+v", mean)
	}
	train("set", "-o", "4.npz", "--teachers", filepath.Join(dir, "1.npz")+",photo")
	if taught := provenance("4.npz"); len(taught.Teachers) != 2 || taught.Teachers[0].Command != first.Command ||
		!strings.Contains(taught.Command, "--teachers 1.npz,photo ") {
		t.Errorf("it learned from models of %+v", taught)
	}
	network := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}}
	network.Provenance.Imported = &superres.Imported{File: "blur.param", Format: "ncnn"}
	var file bytes.Buffer
	must.Succeed(t, network.Save(&file))
	consoletest.Put(t, filepath.Join(dir, "blur.npz"), file.Bytes())
	train("set", "-o", "5.npz", "--teachers", "blur.npz")
	if by := provenance("5.npz").Teachers; len(by) != 1 || by[0].Imported.File != "blur.param" ||
		bytes.Equal(consoletest.Read(t, dir, "5.npz"), consoletest.Read(t, dir, "1.npz")) {
		t.Errorf("a network teaches nothing: %+v", by)
	}
	program.Succeeds(t, dir, "upscale", "-m", "3.npz", "set/a.png", "-o", "a.png")
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	program.RefusesLines(t, dir, "train set -o m.npz", []consoletest.RefusedLine{
		{"--depth 2", 2, "ask for some with --convolutional"},
		{"--convolutional --atoms 9", 2, "--atoms concerns coupled models, not the convolutional stages of --convol"},
		{"--convolutional --channels 20", 2, "20 channels"},
		{"--convolutional --init 1.npz,photo", 2,
			"networks of several shapes: ×2, 16 channels, 1 layers, and ×2, 48 channels, 10 layers"},
		{"--convolutional --init bicubic", 6, "bicubic has no convolutional stage to begin with"},
		{"--convolutional --teachers 1.npz,coupled", 6, "coupled has no convolutional stage to learn from"},
		{"--convolutional --scale 3 --teachers 1.npz", 2, "a teacher for scale 2, expected one for 3"},
		{"--convolutional --init 1.npz", 2, "has 16 channels and depth 1, expected 48 and at most 10"},
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
