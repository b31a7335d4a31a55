package upscale

import (
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// program runs superres upscale and superres restore.
var program = consoletest.Of(Command, Restore)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// expect runs the command in dir with standard input stdin and the arguments line. It checks the exit code, and that
// standard error contains parts.
func expect(t *testing.T, dir, stdin, line string, code int, parts ...string) (stdout, stderr string) {
	t.Helper()
	stdout, stderr, got := call(t, dir, stdin, append([]string{"upscale"}, strings.Fields(line)...)...)
	if got != code {
		t.Errorf("%s: exit %d, expected %d: %s", line, got, code, stderr)
	}
	for _, part := range parts {
		if !strings.Contains(filepath.ToSlash(stderr), part) {
			t.Errorf("%s: no %q in %s", line, part, stderr)
		}
	}
	return stdout, stderr
}

// succeeds runs the command like expect, without input, and expects exit code 0 and no output.
func succeeds(t *testing.T, dir, line string) {
	t.Helper()
	if stdout, stderr := expect(t, dir, "", line, 0); stdout+stderr != "" {
		t.Errorf("%s: %s%s", line, stdout, stderr)
	}
}

// putText writes text to the file name of dir.
func putText(t *testing.T, dir, name, text string) {
	t.Helper()
	consoletest.Put(t, filepath.Join(dir, name), []byte(text))
}
