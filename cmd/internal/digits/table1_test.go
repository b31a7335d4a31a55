package digits

import (
	"fmt"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/scoring"
	"superres/internal/golden"
	"superres/mnist"
)

// The digits of the paper's Table 1, from MNIST's training file where it is at hand: the scores that superres/README.md
// states, by the command that the help shows.
func TestTable1(t *testing.T) {
	file := golden.Data(t, "mnist", "train-images-idx3-ubyte.gz")
	var list []string
	for _, d := range mnist.Table1() {
		list = append(list, fmt.Sprint(d.Index))
	}
	stdout, _ := program.Succeeds(t, ".", "eval", "-m", "nearest", "-m", "digits", "--index", strings.Join(list, ","),
		"--json", file)
	table := consoletest.Decode[scoring.Scores](t, stdout)
	if len(table.Rows) != 4 || table.Protocol != "nfe" || fmt.Sprintf("%.4f", *table.Mean[0].NFE) != "0.1051" ||
		*table.Mean[1].NFE > 0.0080 {
		t.Errorf("%s", stdout)
	}
	// Each image number picks one image, and none twice.
	if _, stderr, code := call(t, ".", "", "eval", "-m", "digits", "--index", "60000", file); code != 2 ||
		!strings.Contains(stderr, "no image 60000") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
