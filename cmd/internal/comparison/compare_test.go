package comparison

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/scoring"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/learners/external/externaltest"
	"superres/mnist"
)

// idx writes an IDX file of count rings and a black picture at the end.
func idx(t *testing.T, path string, count int) {
	t.Helper()
	consoletest.Put(t, path, consoletest.IDX(append(consoletest.Rings(count, 28, 28),
		image.NewGray(image.Rect(0, 0, 28, 28)))))
}

type comparedRuns struct {
	Command   string
	Pictures  []string
	Baselines map[string][]scoring.Cell
	Runs      []struct {
		Learner   string
		Run       int
		Plain     []scoring.Cell
		Projected []scoring.Cell `json:"back_projected"`
		RMSE      float64
		Failure   string
	}
}

func readRuns(t *testing.T, dir string) comparedRuns {
	t.Helper()
	return consoletest.Decode[comparedRuns](t, string(consoletest.Read(t, dir, "runs.json")))
}

// A comparison has the same figures for any number of workers, is in every format, and is not run again where it is
// there.
func TestCompare(t *testing.T) {
	dir := t.TempDir()
	idx(t, filepath.Join(dir, "train-images-idx3-ubyte"), 30)
	args := strings.Fields("compare --protocol pooled --images train-images-idx3-ubyte --index 3,9,30 " +
		"--learners rop,ksvd:exact=false,mod --seeds 2 --atoms 16 --patches 60 --iterations 12 -q .")
	out, errs := program.Succeeds(t, dir, append(args, "-o", "a", "-j", "1")...)
	if errs != "" || !strings.Contains(out, "ksvd:exact=false") || !strings.Contains(out, "low resolution") {
		t.Fatal(out, errs)
	}
	program.Succeeds(t, dir, append(args, "-o", "b", "-j", "3")...)
	first, second := readRuns(t, filepath.Join(dir, "a")), readRuns(t, filepath.Join(dir, "b"))
	if !slices.Equal(plainRuns(first), plainRuns(second)) {
		t.Error("3 workers give other figures than 1")
	}
	if len(first.Runs) != 8 || len(first.Pictures) != 3 || len(first.Baselines["nearest"]) != 3 {
		t.Fatalf("%+v", first)
	}
	if c := first.Runs[0].Plain; c[0].NFE == nil || c[2].NFE != nil {
		t.Errorf("a stroke and a black picture: %v", c)
	}
	for name, want := range map[string]string{
		"table.tex": `\toprule`, "table.csv": "low resolution",
	} {
		if !strings.Contains(string(consoletest.Read(t, dir, "a", name)), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	comparePage(t, string(consoletest.Read(t, dir, "a", "report.html")))
	before := consoletest.Read(t, dir, "a", "journal.jsonl")
	program.Succeeds(t, dir, append(args, "-o", "a")...)
	if after := consoletest.Read(t, dir, "a", "journal.jsonl"); !bytes.Equal(before, after) {
		t.Error("runs that were there were run again")
	}
}

// comparePage checks that the page of TestCompare begins with a finding for each form, then has its pictures, two of
// which can be laid over one another, then the tables, with one learner of a row in bold at most.
func comparePage(t *testing.T, page string) {
	consoletest.InOrder(t, page,
		`<p class="finding">`, `<p class="further">`,
		"<code>superres compare --protocol pooled --images train-images-idx3-ubyte --index 3,9,30", "<details>",
		"--coder omp", "</details>",
		`<a href="#section0">Ranking</a>`, `<a href="#section1">Pictures of run `, `<section id="section1" data-a="`,
		"data-scene=", "Figures",
		"Learning", "</svg> rop</span>", "</svg> mod</span>",
	)
	// Three pictures by truth, low resolution and bicubic once, and by the DCT and three learners in two ways.
	if n := strings.Count(page, "data-scene="); n != 3*(3+2*4) {
		t.Errorf("%d pictures can be laid over one another, expected 33", n)
	}
	// In two rankings, all but the best learner have a mean and a difference; in two tables, two pictures and their
	// mean have figures, by four dictionaries after two interpolations.
	row := regexp.MustCompile(`(?s)<tr><td>(?:[^<]+)</td><td>[\d.]+(?:<sup>\d</sup>)?</td><td>[\d.]+</td>(<td.*?)</tr>`)
	rows := row.FindAllStringSubmatch(page[:strings.Index(page, "<h2>Learning")], -1)
	if len(rows) != 2*5+2*3 {
		t.Fatalf("%d rows of figures, expected 16", len(rows))
	}
	for _, row := range rows {
		if strings.Count(row[1], `class="best"`) > 1 {
			t.Errorf("more than one learner is ahead of all others: %s", row[0])
		}
	}
}

// plainRuns leaves out what time decides.
func plainRuns(r comparedRuns) []string {
	var list []string
	for _, one := range r.Runs {
		list = append(list, fmt.Sprint(one.Learner, one.Run, *one.Plain[0].NFE, *one.Projected[1].NFE, one.RMSE))
	}
	return list
}

// compare restores its pictures again after one has changed or another was added, and keeps no earlier result.
func TestCompareChangedPictures(t *testing.T) {
	dir := t.TempDir()
	train := filepath.Join(dir, "train-images-idx3-ubyte")
	idx(t, train, 10)
	test := consoletest.Rings(2, 28, 28)
	consoletest.WritePicture(t, filepath.Join(dir, "test", "b.png"), test[0])
	runs := func(want int) float64 {
		t.Helper()
		program.Succeeds(t, dir, "compare", "--protocol", "pooled", "--images", "test", "--learners", "mod", "--seeds",
			"1", "--atoms", "16", "--patches", "60", "--iterations", "3", "-q", ".", "-o", "out")
		got := readRuns(t, filepath.Join(dir, "out"))
		if len(got.Runs) != 2 || len(got.Runs[1].Plain) != want {
			t.Fatalf("%+v, expected %d pictures", got, want)
		}
		return *got.Runs[1].Plain[0].NFE
	}
	first := runs(1)
	consoletest.WritePicture(t, filepath.Join(dir, "test", "b.png"), test[1])
	second := runs(1)
	if second == first {
		t.Error("another picture of the same name has the same score")
	}
	idx(t, train, 20)
	if runs(1) == second {
		t.Error("another training file of the same name gives the same score")
	}
	consoletest.WritePicture(t, filepath.Join(dir, "test", "a.png"), test[0])
	runs(2)
	lines := func() int { return bytes.Count(consoletest.Read(t, dir, "out", "journal.jsonl"), []byte("\n")) }
	if before := lines(); before != 8 {
		t.Errorf("%d runs kept, expected 8", before)
	}
	consoletest.Put(t, filepath.Join(dir, "test", "notes.txt"), []byte("no picture"))
	if runs(2); lines() != 8 {
		t.Error("the same pictures are run again")
	}
}

func TestCompareErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "train-images-idx3-ubyte")
	idx(t, file, 5)
	consoletest.Put(t, filepath.Join(dir, "cut", "train-images-idx3-ubyte"), []byte("\x00\x00\x08\x03\x00\x00"))
	program.RefusesLines(t, dir, "compare -o new", []consoletest.RefusedLine{
		{"", 2, "expected the folder"},
		{"--protocol singel .", 2, `did you mean "single"`},
		{"--protocol patches .", 4, "no pictures"},
		{"--learners rpo .", 2, `did you mean "rop"`},
		{".", 4, "Table 1 needs image"},
		{"--protocol pooled --seeds 1000000000 --learners mod --images train-images-idx3-ubyte .", 2,
			"1000000 at most"},
		{"missing", 4, "no train-images"},
		{"cut", 4, "header"},
		{"--models missing.npz --images train-images-idx3-ubyte .", 6, "missing.npz"},
	})
	for args, want := range map[string]string{ // failures of runs, which the report has
		"--sparsity 40 --atoms 12 --images train-images-idx3-ubyte --learners mod --patches 20 .": "sparsity 40 is " +
			"more than the 12 atoms",
		"--atoms 1000000000 --learners mod --images train-images-idx3-ubyte .": "the limit is",
	} {
		program.Ends(t, dir, console.ExitSome, want, append([]string{"compare", "-o", "new"},
			strings.Fields(args)...)...)
	}
}

// The paper's low-resolution column comes out to the last digit.
func TestCompareTable1(t *testing.T) {
	file := golden.Data(t, "mnist", "train-images-idx3-ubyte.gz")
	dir := t.TempDir()
	_, errs, code := call(t, dir, "", "compare", "--learners", "mod", "--seeds", "1", "--iterations", "2", "-q",
		filepath.Dir(file), "-o", "out")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	r := readRuns(t, filepath.Join(dir, "out"))
	for i, d := range mnist.Table1() {
		if got := fmt.Sprintf("%.4f", *r.Baselines["nearest"][i].NFE); got != fmt.Sprintf("%.4f", d.LowError) {
			t.Errorf("digit %d: low resolution %s, the paper has %.4f", d.Digit, got, d.LowError)
		}
	}
}

// learned returns the row of a learner in the table of learning in the folder out.
func learned(t *testing.T, dir, learner string) []string {
	t.Helper()
	_, table, _ := strings.Cut(string(consoletest.Read(t, filepath.Join(dir, "out", "table.csv"))), "\nlearning,")
	_, table, _ = strings.Cut(table, "\n") // the rest of the head
	all := must.Get(csv.NewReader(strings.NewReader(table)).ReadAll())(t)
	for _, row := range all {
		if row[0] == learner {
			return row
		}
	}
	t.Fatalf("%s is not in %s", learner, table)
	return nil
}

// A learner that failed has no numbers.
func TestCompareFailures(t *testing.T) {
	dir := t.TempDir()
	idx(t, filepath.Join(dir, "train-images-idx3-ubyte"), 10)
	bad := "exec:" + externaltest.Command("tired", "0")
	program.Ends(t, dir, console.ExitSome, "ended without an answer", "compare", "--protocol", "pooled", "--images",
		"train-images-idx3-ubyte", "--index", "3", "--seeds", "1", "--atoms", "16", "--patches", "60", "--iterations",
		"2", "-q", "-o", "out", "--learners", "mod,"+bad, ".")
	if row := learned(t, dir, bad); strings.Join(row[1:], "") != strings.Repeat("–", len(row)-1) {
		t.Errorf("%q", row)
	}
	all := consoletest.Decode[struct{ Runs []map[string]any }](t, string(consoletest.Read(t, dir, "out", "runs.json")))
	if len(all.Runs) != 3 {
		t.Fatalf("%d runs", len(all.Runs))
	}
	for _, run := range all.Runs {
		if _, has := run["rmse"]; has != (run["learner"] != bad) || has == (run["failure"] != nil) {
			t.Errorf("%v", run)
		}
	}
}
