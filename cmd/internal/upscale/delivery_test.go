package upscale

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// A picture fails if standard output cannot be written to; output to the null device succeeds.
func TestStandardOutput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	consoletest.Blobs(t, dir, 9, 7, "a.png")
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no shell")
	}
	succeeds(t, dir, "a.png -m nearest -o want.png")
	for _, line := range []string{"a.png -o -", "-- -"} {
		for redirected, want := range map[string]int{">/dev/full": console.ExitOutput, ">/dev/null": 0, ">b.png": 0} {
			cmd := consoletest.Process(dir, strings.Fields("upscale -m nearest "+line)...)
			cmd.Args = append([]string{"sh", "-c", `exec "$0" "$@" <a.png ` + redirected}, cmd.Args...)
			cmd.Path = shell
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Run(); err != nil {
				if _, ok := errors.AsType[*exec.ExitError](err); !ok {
					t.Fatal(err)
				}
			}
			if code := cmd.ProcessState.ExitCode(); code != want ||
				(want != 0) != strings.Contains(errs.String(), "standard output cannot be written") {
				t.Errorf("%s %s: exit %d, %s", line, redirected, code, errs.String())
			}
		}
		if !bytes.Equal(consoletest.Read(t, "b.png"), consoletest.Read(t, "want.png")) {
			t.Errorf("%s: other bytes than in a file", line)
		}
	}
}

// looking is a standard error that calls a function when it is first written to.
type looking struct {
	bytes.Buffer
	look func()
}

func (l *looking) Write(p []byte) (int, error) {
	l.look()
	return l.Buffer.Write(p)
}

// The error says so if another program makes an output while this one works on it.
func TestOvertaken(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	consoletest.Blobs(t, dir, 9, 7, "in/a.png")
	made := false
	out := &looking{look: func() {
		if _, err := os.Stat("out"); err == nil && !made { // the check for existing outputs is over
			made = true
			putText(t, dir, "out/a_2x.png", "of another")
		}
	}}
	errs, code := program.Into(out, "upscale", "in", "-o", "out", "-m", "nearest", "--json")
	want := "has been made by another program since this one began; if that is another superres in out, wait for it"
	if !made || code != console.ExitOutput && code != console.ExitSome || !strings.Contains(errs, want) {
		t.Errorf("exit %d, made %t, %s", code, made, errs)
	}
	if got := consoletest.Read(t, "out/a_2x.png"); string(got) != "of another" {
		t.Errorf("the other's file was replaced by %d bytes", len(got))
	}
}
