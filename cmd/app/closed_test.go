package app

import (
	"bytes"
	"errors"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
)

// Where standard output is closed, what could not be written to it is an error of the output; what a shell throws
// away is none.
func TestClosedStandardOutput(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	picture := golden.Root(t) + "/testdata/hopper.png"
	for _, line := range []string{
		"version", "version --json", "--version", "--help", "upscale --help", "upscale --help all",
		"models", "models photo",
		"learners", "coders",
		"man", "completion bash", "dict show coupled", "eval -m nearest PICTURE", "eval -m nearest --json PICTURE",
		"upscale -m nearest --dry-run PICTURE",
		"upscale -m nearest --dry-run --json PICTURE",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "PICTURE", picture))
		for redirected, want := range map[string]int{">&-": console.ExitOutput, ">/dev/null": 0,
			"1<>/dev/null 2>&1": 0} {
			cmd := consoletest.Process(t.TempDir(), args...)
			cmd.Args = append([]string{"sh", "-c", `exec "$0" "$@" ` + redirected}, cmd.Args...)
			cmd.Path = shell
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Run(); err != nil {
				if _, ok := errors.AsType[*exec.ExitError](err); !ok {
					t.Fatal(err)
				}
			}
			said := strings.Contains(errs.String(), "standard output is closed")
			if code := cmd.ProcessState.ExitCode(); code != want || said != (want != 0) {
				t.Errorf("%s %s: exit %d, %s", line, redirected, code, errs.String())
			}
		}
	}
}
