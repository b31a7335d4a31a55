package learn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners/external/externaltest"
)

// ownTemp sets a temporary folder for the test alone, and returns it.
func ownTemp(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

// If the input file for an external program cannot be written, the error is of output and does not name the data.
func TestNoPlaceForProblems(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	none := filepath.Join(ownTemp(t), "none")
	t.Setenv("TMPDIR", none)
	t.Setenv("TMP", none)
	learner := "exec:" + externaltest.Command("serve")
	_, errs, code := call(t, dir, "", "learn", "Y.npy", "-o", "D.npy", "--learner", learner)
	if code != 5 || !strings.Contains(errs, "cannot be written: ") || strings.Contains(errs, "Y.npy") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// A run removes the temporary files that a killed run left: of its outputs and of its external programs.
func TestKilled(t *testing.T) {
	dir, temp := t.TempDir(), ownTemp(t)
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), sparseSignals())
	args := []string{"learn", "Y.npy", "-o", "D.npy", "-q", "--iterations", "2", "--learner"}
	cmd := consoletest.Process(dir, append(args, "exec:"+externaltest.Command("hang"))...)
	must.Succeed(t, cmd.Start())
	left := func() int {
		entries := must.Get(os.ReadDir(temp))(t)
		return len(entries)
	}
	for range 1000 {
		if left() > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if left() != 1 {
		t.Fatalf("%d folders of problems", left())
	}
	_, errs, code := call(t, dir, "", append(args, "exec:"+externaltest.Command("serve"))...)
	if code != 0 || left() != 0 {
		t.Errorf("exit %d, %s%d are left", code, errs, left())
	}
}
