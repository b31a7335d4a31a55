package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
)

// program has the command of this package.
var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

func TestBench(t *testing.T) {
	golden.NotShort(t, "takes seconds")
	stdout, stderr, code := call(t, t.TempDir(), "", "bench", "--json", "--runs", "1", "--only",
		"^photo.*fast|^[A-OQ-Z]|^PNG (of|768×512.*fast)|digits")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var r report
	must.Succeed(t, json.Unmarshal([]byte(stdout), &r))
	if r.Workers != 1 || len(r.Tasks) != 11 {
		t.Errorf("%+v", r)
	}
	for _, task := range r.Tasks {
		if task.Speed <= 0 || task.Unit == "" || task.Processor <= 0 {
			t.Errorf("%+v", task)
		}
	}
	if busy := (report{Free: 0.6}).busy(); !strings.Contains(busy, "40 %") || (report{Free: 0.95}).busy() != "" {
		t.Error(busy)
	}
	text := r.head()
	for _, task := range r.Tasks {
		text += task.line()
	}
	consoletest.InOrder(t, text, "workers: 1\n", "\nPNG 768×512 to 1536×1024, fast ", "\nphoto to 1536×1024, fast ",
		" megapixels/s", "\nPNG of 1536×1024 ", "\nOMP n=9 K=128 S=3 ", "\nK-SVD exact, 20 iterations ")
	for _, args := range [][]string{{"bench", "x"}, {"bench", "-j", "-1"}, {"bench", "--runs", "0"},
		{"bench", "--only", "("}} {
		if _, _, code := call(t, t.TempDir(), "", args...); code != 2 {
			t.Errorf("%v: exit %d", args, code)
		}
	}
}
