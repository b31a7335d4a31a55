package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/app"
	"superres/cmd/internal/serve"
	"superres/internal/must"
)

// programVariable is the environment variable that makes the test binary the program superres.
const programVariable = "SUPERRES_TEST_PYTHON"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" || serve.IsWorker() {
		app.Main()
	}
	os.Exit(m.Run())
}

// findPython returns a Python with NumPy, and skips the test where there is none: the one that SUPERRES_PYTHON names,
// the interpreter of the system, or the one on the path.
func findPython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("SUPERRES_PYTHON"), "/usr/bin/python3", "python3", "python"} {
		if path, err := exec.LookPath(name); err == nil && exec.Command(path, "-c", "import sys, numpy; "+
			"sys.exit(sys.version_info < (3, 9))").Run() == nil {
			return path
		}
	}
	t.Skip("there is no Python 3.9 or newer with NumPy (Debian: python3-numpy)")
	return ""
}

// The tests of the module pass, with this test as the program. Those that are skipped are logged.
func TestPython(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), findPython(t), "-B", "test_superres.py", "-v")
	program := must.Get(os.Executable())(t)
	module := must.Get(filepath.Abs("."))(t)
	cmd.Env = append(os.Environ(), programVariable+"=1", "SUPERRES_PROGRAM="+program, "PYTHONPATH="+module)
	if testing.Short() {
		cmd.Env = append(cmd.Env, "SUPERRES_TEST_SHORT=1")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := 0
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.Contains(line, "... skipped"):
			t.Log(strings.TrimSpace(line))
		case strings.HasSuffix(line, "... ok\n") || line == "ok\n":
			ran++
		}
	}
	if ran < 10 {
		t.Errorf("only %d tests have run\n%s", ran, out)
	}
}
