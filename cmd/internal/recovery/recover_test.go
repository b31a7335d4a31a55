package recovery

import (
	"bytes"
	"encoding/csv"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/internal/must"
	"superres/internal/safefile"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// rows reads a trials.csv without its seconds.
func rows(t *testing.T, path string) [][]string {
	t.Helper()
	text := consoletest.Read(t, path)
	list := must.Get(csv.NewReader(bytes.NewReader(text)).ReadAll())(t)
	seconds := slices.Index(list[0], "seconds")
	for i := range list {
		list[i] = slices.Delete(list[i], seconds, seconds+1)
	}
	return list
}

func TestRecover(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	args := []string{"recover", "--panel", "8,12,2", "--n", "60,30", "--trials", "2", "--iterations", "20",
		"--learners", "rop,ksvd:exact=false,mod", "-q"}
	out, errs := program.Succeeds(t, dir, append(args, "-o", a, "-j", "1")...)
	if errs != "" || !strings.Contains(out, "M = 8, K = 12, S = 2") || !strings.Contains(out, "ksvd:exact=false") {
		t.Fatal(out, errs)
	}
	program.Succeeds(t, dir, append(args, "-o", b, "-j", "4")...)
	first := rows(t, filepath.Join(a, "trials.csv"))
	if len(first) != 1+2*2*3 || first[1][3] != "30" || first[12][3] != "60" {
		t.Errorf("%d rows, N from %s to %s", len(first), first[1][3], first[len(first)-1][3])
	}
	if !slices.EqualFunc(first, rows(t, filepath.Join(b, "trials.csv")), slices.Equal) {
		t.Error("4 workers give other numbers than 1")
	}
	page := string(consoletest.Read(t, a, "report.html"))
	if !strings.Contains(page, "<svg") || !strings.Contains(page, "--iterations 20") {
		t.Errorf("the page has no plot, or not the command: %d bytes", len(page))
	}
	all := consoletest.Decode[struct {
		Command string
		Trials  []map[string]any
	}](t, string(consoletest.Read(t, a, "trials.json")))
	if len(all.Trials) != 12 || !strings.HasPrefix(all.Command, "superres recover --panel 8,12,2") {
		t.Errorf("trials.json: %d trials, %q", len(all.Trials), all.Command)
	}

	// More trials of the same: those that are there are not run again, a line that was cut short is.
	journal := filepath.Join(a, "journal.jsonl")
	before := consoletest.Read(t, journal)
	consoletest.Put(t, journal, before[:len(before)-20])
	args[slices.Index(args, "--trials")+1] = "3"
	program.Succeeds(t, dir, append(args, "-o", a)...)
	after := consoletest.Read(t, journal)
	end := bytes.LastIndexByte(before[:len(before)-20], '\n') + 1
	if !bytes.HasPrefix(after, before[:end]) || bytes.Count(after, []byte("\n")) != 18 {
		t.Errorf("the journal has %d lines, or others than before", bytes.Count(after, []byte("\n")))
	}
	// One damaged line is passed over, and said; two are too many.
	consoletest.Put(t, journal, append([]byte("{\n"), after...))
	program.Ends(t, dir, 0, "line 1 is damaged", append(args, "-o", a)...)
	consoletest.Put(t, journal, append([]byte("{\n{\n"), after...))
	program.Ends(t, dir, console.ExitOutput, "lines 1 and 2 are damaged", append(args, "-o", a)...)
}

func TestRecoverErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "file"), nil)
	const base = "recover --learners mod --panel 8,12,2 --n 30 --trials 1 --iterations 2 -o out"
	program.RefusesLines(t, dir, base, []consoletest.RefusedLine{
		{"--panel 8,12", 2, "expected M,K,S"},
		{"--panel 8,12,13", 2, "S at most K"},
		{"--panel e", 2, "a, b, c or d"},
		{"--n 0", 2, "no whole number from 1 on"},
		{"--learners rop,rpo", 2, `did you mean "rop"`},
		{"--learners rop,rop", 2, "twice"},
		{"--learners ,", 2, "names none"},
		{"--learners rop:penalty=-1", 2, "penalty -1, expected 0 or more"},
		{"--coder omp:tolerance=NaN", 2, "tolerance NaN, expected 0 or more"},
		{"--coder opm", 2, `did you mean "omp"`},
		{"--max-memory 1 --n 3000000", 7, "the limit is"},
		{"--learners rop --max-memory 100 --panel 1,16777216,1 --n 1", 7, "the limit is"},
		{"--trials 1000000000", 2, "1000000 at most"},
		{"-o=", 2, "-o names nothing"},
		{"extra", 2, "takes no argument"},
		{"-o file", 5, "not a directory"},
		{"--shard 0/2 -o file", 5, "file: cannot be written: not a directory"},
	})
}

// A folder is one run's at a time: two would write over one another's trials.
func TestRecoverTwiceAtOnce(t *testing.T) {
	dir := t.TempDir()
	args := []string{"recover", "--learners", "mod", "--panel", "8,12,2", "--n", "30", "--trials", "2", "--iterations",
		"2", "-o", dir}
	j := must.Get(parts.OpenJournal[int](filepath.Join(dir, "journal.jsonl"), 0o666, nil))(t)
	if !safefile.Lock(j.File) {
		t.Skip("no locks here")
	}
	program.Ends(t, dir, console.ExitOutput, "another superres is at work", args...)
	must.Succeed(t, j.Close())
	program.Succeeds(t, dir, args...)
}

// The runtime dies of some ten thousand processors.
func TestManyJobs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	_, errs, code := call(t, t.TempDir(), "", "recover", "--learners", "mod", "--panel", "8,12,2", "--n", "30",
		"--trials", "1", "--iterations", "2", "-o", "out", "-j", "100000")
	if most := runtime.GOMAXPROCS(0); code != 0 || most > 256 {
		t.Errorf("exit %d with %d processors, %s", code, most, errs)
	}
}

// Plain lines report the progress.
func TestRecoverPlainProgress(t *testing.T) {
	_, errs, code := call(t, t.TempDir(), "", "recover", "--learners", "mod", "--panel", "8,12,2", "--n", "30",
		"--trials", "30", "--iterations", "2", "-o", "out", "--progress", "plain")
	const head = "3 of 30 trials\n6 of 30 trials\n"
	if code != 0 || strings.Count(errs, "\n") != 11 || !strings.HasPrefix(errs, head) {
		t.Errorf("exit %d, %s", code, errs)
	}
}
