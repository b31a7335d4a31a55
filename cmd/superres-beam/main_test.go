//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"superres/cmd/app"
	"superres/internal/must"
)

// Environment variables that make the test binary run superres-beam, and that name a picture at which a command panics.
const (
	programVariable = "SUPERRES_BEAM_TEST_AS_PROGRAM"
	panicVariable   = "SUPERRES_BEAM_TEST_PANIC"
)

func TestMain(m *testing.M) {
	pause = 300 * time.Millisecond
	switch {
	case isChild():
		os.Exit(runChild(fragile{os.Stdout, os.Getenv(panicVariable)}))
	case os.Getenv(programVariable) != "":
		os.Exit(runProgram())
	}
	if err := chooseRunner(); err != nil {
		panic(err)
	}
	beam.Init()
	muteBeam()
	os.Exit(m.Run())
}

// fragile is the standard output of a command, and panics when the command begins the picture called at.
type fragile struct {
	io.Writer
	at string
}

func (f fragile) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if f.at != "" && bytes.Contains(p, []byte(`"event":"start"`)) && bytes.Contains(p, []byte(f.at)) {
		go panic("at " + f.at)
		select {}
	}
	return n, err
}

// runPlain runs superres with args, without Beam, and fails the test unless it succeeds.
func runPlain(t *testing.T, args ...string) {
	t.Helper()
	var out bytes.Buffer
	args = append([]string{"superres"}, args...)
	if code := app.Run(t.Context(), strings.NewReader(""), &out, &out, args); code != 0 {
		t.Fatalf("exit %d, %s", code, out.String())
	}
}

// writePictures writes count pictures of w×h pixels into the folder dir and folders below it.
func writePictures(t *testing.T, dir string, count, w, h int) {
	t.Helper()
	for i := range count {
		img := image.NewGray(image.Rect(0, 0, w+i%5, h+i%7))
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				img.SetGray(x, y, color.Gray{uint8((x*x*(i+3) + y*x*7 + (x/3^y/5)*40) / 8)})
			}
		}
		name := filepath.Join(dir, fmt.Sprintf("%c/%03d.png", 'a'+i%3, i))
		var b bytes.Buffer
		err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
		err = errors.Join(err, os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, b.Bytes(), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// read returns the content of the file whose path is parts joined. Package consoletest has such a function, too, but
// defines a flag that Beam also defines.
func read(t *testing.T, parts ...string) string {
	t.Helper()
	data := must.Get(os.ReadFile(filepath.Join(parts...)))(t)
	return string(data)
}

// decode returns the value that text has as JSON.
func decode[T any](t *testing.T, text string) (v T) {
	t.Helper()
	must.Succeed(t, json.Unmarshal([]byte(text), &v))
	return v
}

// hashes returns the hashes of the files below dir, without hidden files, by path.
func hashes(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		data, err := os.ReadFile(path)
		list[strings.TrimPrefix(path, dir)] = fmt.Sprintf("%x", sha256.Sum256(data))
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return list
}

func letters(t *testing.T, report string) (list []letter) {
	t.Helper()
	for l := range strings.Lines(read(t, report+".dead-letters.jsonl")) {
		list = append(list, decode[letter](t, l))
	}
	return list
}

// runBeam runs the command args in shards parts, and returns its standard output and exit code.
func runBeam(t *testing.T, shards int, args ...string) (stdout string, code int) {
	t.Helper()
	var out bytes.Buffer
	code, err := drive(t.Context(), options{shards, 2, "report", args}, &out)
	t.Logf("exit %d, %v\n%s", code, err, out.String())
	return out.String(), code
}

// A job over 200 pictures gives the same files as the plain command, and its dead letters are a file that is no picture
// and a picture at which the process dies.
func TestPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	writePictures(t, "in", 200, 9, 8)
	runPlain(t, "upscale", "--effort", "fast", "-q", "-r", "-o", "whole", "in")
	want := hashes(t, "whole")
	if _, code := runBeam(t, 5, "upscale", "--effort", "fast", "-r", "-o", "out", "in"); code != 0 ||
		len(want) != 200 || !maps.Equal(hashes(t, "out"), want) || len(letters(t, "report")) != 0 {
		t.Errorf("exit %d, %d files, %d expected", code, len(hashes(t, "out")), len(want))
	}

	must.Succeed(t, os.WriteFile("in/a/003.png", []byte("no picture"), 0o666))
	t.Setenv(panicVariable, "b/100.png")
	_, code := runBeam(t, 5, "upscale", "--effort", "fast", "-r", "-o", "other", "--", "in")
	dead := letters(t, "report")
	if code != 3 || len(dead) != 2 || dead[0].Input != "in/a/003.png" && dead[1].Input != "in/a/003.png" {
		t.Errorf("exit %d, %+v", code, dead)
	}
	for _, l := range dead {
		want := map[string]letter{
			"in/a/003.png": {Class: "input", Error: "in/a/003.png: not an image"},
			"in/b/100.png": {Class: "died", Error: "panic: at b/100.png"},
		}[string(l.Input)]
		if l.Class != want.Class || !strings.HasPrefix(l.Error, want.Error) || want.Error == "" {
			t.Errorf("%+v", l)
		}
	}
	delete(want, "/a/003_2x.png")
	delete(want, "/b/100_2x.png")
	if got := hashes(t, "other"); !maps.Equal(got, want) {
		t.Errorf("%d files, expected %d", len(got), len(want))
	}
	t.Setenv(panicVariable, "")
	if out, code := runBeam(t, 5, "upscale", "--effort", "fast", "-r", "-o", "other", "in"); code != 3 ||
		len(letters(t, "report")) != 1 || !strings.Contains(out, "made: 1, there before: 198") {
		t.Errorf("when the panic is mended: exit %d, %+v", code, letters(t, "report"))
	}
}

// A sweep of 2 sizes, 2 numbers of signals and 5 trials gives the same numbers as the plain command.
func TestSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"recover", "--panel", "8,12,2", "--panel", "6,9,2", "--n", "30,60", "--trials", "5",
		"--iterations", "20", "--learners", "rop,mod"}
	runPlain(t, append(args, "-q", "-o", "whole")...)
	out, code := runBeam(t, 4, append(args, "-o", "parts")...)
	if code != 0 || !strings.Contains(out, "M = 8, K = 12, S = 2") {
		t.Fatalf("exit %d", code)
	}
	if got, want := trials(t, "parts"), trials(t, "whole"); len(want) != 41 ||
		!slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%d rows, expected %d, or others", len(got), len(want))
	}
}

// trials returns the rows of trials.csv in the folder dir, without the column of seconds.
func trials(t *testing.T, dir string) [][]string {
	t.Helper()
	list := must.Get(csv.NewReader(strings.NewReader(read(t, dir, "trials.csv"))).ReadAll())(t)
	seconds := slices.Index(list[0], "seconds")
	for i := range list {
		list[i] = slices.Delete(list[i], seconds, seconds+1)
	}
	return list
}

// A job whose driver was killed continues when it is run again, and keeps what was finished.
func TestKilledDriver(t *testing.T) {
	t.Chdir(t.TempDir())
	const count = 60
	writePictures(t, "in", count, 90, 80)
	runPlain(t, "upscale", "--effort", "fast", "-q", "-r", "-o", "whole", "in")
	want := hashes(t, "whole")
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "--shards", "4", "--", "upscale", "--effort", "fast", "-r", "-o", "out", "in")
		cmd.Env = append(os.Environ(), programVariable+"=1")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must.Succeed(t, cmd.Start())
		return cmd
	}
	finished := map[string]time.Time{}
	for i, share := range []int{25, 50, 75} {
		cmd := start()
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // it is killed
			close(ended)
		}()
		for deadline := time.Now().Add(time.Minute); len(hashes(t,
			"out")) < count*share/100; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it does not go on")
			}
		}
		victim := cmd.Process.Pid // the driver; its child notices and ends
		if i == 1 {
			victim = -victim // the group of all its processes
		}
		must.Succeed(t, syscall.Kill(victim, syscall.SIGKILL))
		<-ended
		for name, sum := range hashes(t, "out") {
			if want[name] != sum {
				t.Errorf("killed at %d %%: %s is not what it should be", share, name)
			}
		}
		for name, was := range finished {
			if info, err := os.Stat("out" + name); err != nil || !info.ModTime().Equal(was) {
				t.Errorf("killed at %d %%: %s was made twice (%v)", share, name, err)
			}
		}
		for _, name := range journalled(t) {
			if info, err := os.Stat("out" + name); err == nil {
				finished[name] = info.ModTime()
			}
		}
		t.Logf("killed at %d %%: %d of %d are done", share, len(finished), count)
	}
	if err := start().Wait(); err != nil {
		t.Errorf("the last run: %v", err)
	}
	if got := hashes(t, "out"); !maps.Equal(got, want) || len(got) != count || len(finished) < count/2 {
		t.Errorf("%d files, expected %d", len(got), len(want))
	}
	for name, was := range finished {
		if info, err := os.Stat("out" + name); err != nil || !info.ModTime().Equal(was) {
			t.Errorf("%s was made twice (%v)", name, err)
		}
	}
}

// journalled returns the outputs that the journals record as done.
func journalled(t *testing.T) (list []string) {
	t.Helper()
	files := must.Get(filepath.Glob("out/.superres-journal.*.jsonl"))(t)
	for _, f := range files {
		for l := range strings.Lines(read(t, f)) {
			var r struct{ State, Output string }
			if strings.HasSuffix(l, "\n") && json.Unmarshal([]byte(l), &r) == nil && r.State == "done" {
				list = append(list, "/"+r.Output)
			}
		}
	}
	return list
}

func TestUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{nil, {"eval", "a"}, {"upscale", "in"}, {"train", "in"}} {
		if code, err := drive(t.Context(), options{2, 1, "report", args}, io.Discard); code != 2 || err == nil {
			t.Errorf("%v: exit %d, %v", args, code, err)
		}
	}
	if code, err := drive(t.Context(), options{2, 1, "report", []string{"upscale", "--nonsense", "-o", "out", "in"}},
		io.Discard); code != 1 || err == nil {
		t.Errorf("an unknown flag: exit %d, %v", code, err)
	}
	many := options{2_000_000_000, 1, "report", []string{"upscale", "in", "-o", "out"}}
	if code, err := drive(t.Context(), many, io.Discard); code != 2 || err == nil ||
		!strings.Contains(err.Error(), "at most") {
		t.Errorf("two thousand million parts: exit %d, %v", code, err)
	}
}
