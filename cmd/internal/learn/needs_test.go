package learn

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
)

// A run with too low a --max-memory says before it learns how much it needs, and with that limit it runs. TestMeasure
// checks that it does not take more.
func TestNeeds(t *testing.T) {
	dir := t.TempDir()
	y := mat.NewDense(12, 5000, nil)
	y.Apply(func(i, j int, _ float64) float64 { return float64((i*7 + j*j) % 11) }, y)
	consoletest.PutMatrix(t, filepath.Join(dir, "wide.npy"), y)
	try := func(memory int) (stderr string, code int) {
		_, stderr, code = call(t, dir, "", "learn", "--iterations", "3", "-q", "-o", "D.npy", "--on-exist", "overwrite",
			"--max-memory", strconv.Itoa(memory), "wide.npy", "--atoms", "20")
		return stderr, code
	}
	refused, code := try(8)
	found := regexp.MustCompile(`needs (\d+) MiB`).FindStringSubmatch(refused)
	if found == nil || code != 7 {
		t.Fatalf("exit %d, %s", code, refused)
	}
	need, _ := strconv.Atoi(found[1])
	if stderr, code := try(need - 1); code != 7 || !strings.Contains(stderr, "use --max-memory") {
		t.Errorf("with 1 MiB less: exit %d, %s", code, stderr)
	}
	if stderr, code := try(need + 1); code != 0 {
		t.Errorf("with 1 MiB more, for it is rounded: exit %d, %s", code, stderr)
	}
}
