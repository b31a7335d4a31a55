package recovery

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/learners/external/externaltest"
)

// column picks a column of a trials.csv by its name.
func column(rows [][]string, name string) (list []string) {
	at := slices.Index(rows[0], name)
	for _, row := range rows[1:] {
		list = append(list, row[at])
	}
	return list
}

// An external learner is scored by the same code as the others: MOD as an external program has the errors of MOD.
func TestRecoverByAProgram(t *testing.T) {
	dir := t.TempDir()
	serve, codes := "exec:"+externaltest.Command("serve"), "exec:"+externaltest.Command("serve codes")
	args := []string{"recover", "--panel", "8,12,2", "--n", "60,30", "--trials", "2", "--iterations", "20",
		"--learners", "mod," + serve + "," + codes + ",limit=1m", "-q", "-o", "out"}
	if _, errs := program.Succeeds(t, dir, args...); errs != "" {
		t.Error(errs)
	}
	all := rows(t, filepath.Join(dir, "out", "trials.csv"))
	programs, assigned, iterations := column(all, "program"), column(all, "assigned"), column(all, "iterations")
	for i := 0; i < len(assigned); i += 3 {
		var v [3]float64
		for j := range v {
			must.Get(fmt.Sscan(assigned[i+j], &v[j]))(t)
			if d := v[j] - v[0]; d > 1e-9 || d < -1e-9 {
				t.Errorf("errors of MOD within and outside: %v", v)
			}
		}
		if programs[i] != "" || len(programs[i+1]) != 64 || programs[i+2] != programs[i+1] {
			t.Errorf("fingerprints %q", programs[i:i+3])
		}
		if iterations[i] == "" || iterations[i+1] != "" || iterations[i+2] != "" { // they leave no trace
			t.Errorf("iterations %q", iterations[i:i+3])
		}
	}
	if n := strings.Count(string(consoletest.Read(t, dir, "out", "report.html")), "s external"); n != 4 {
		t.Errorf("%d times are marked as external, expected 4", n)
	}
}

// Each misdeed of an external program costs one trial, and the same command tries it again.
func TestRecoverByAWildProgram(t *testing.T) {
	dir := t.TempDir()
	spec := "exec:" + externaltest.Command("wild", filepath.ToSlash(filepath.Join(dir, "count"))) + ",limit=1s"
	bad := len(externaltest.Wild)
	args := []string{"recover", "--panel", "4,6,1", "--n", "20", "--trials", fmt.Sprint(bad + 3), "--iterations", "3",
		"--learners", "mod," + spec, "-q", "-j", "1", "-o", "out"}
	_, errs, code := call(t, dir, "", args...)
	if want := fmt.Sprintf("%d of %d trials failed", bad, 2*(bad+3)); code != console.ExitSome ||
		!strings.Contains(errs, want) || !strings.Contains(errs, "; the same command tries them again") {
		t.Errorf("exit %d, %s", code, errs)
	}
	table := rows(t, filepath.Join(dir, "out", "trials.csv"))
	failure := column(table, "failure")
	for i, text := range failure {
		if i%2 == 0 && text != "" {
			t.Errorf("MOD beside it: %s", text)
		}
	}
	for _, name := range []string{"assigned", "in_order", "recovered", "rmse", "non_zeros", "iterations", "replaced",
		"stop"} {
		for i, text := range column(table, name) {
			if (text == "") != (failure[i] != "") {
				t.Errorf("trial %d, failure %q: %s is %q", i, failure[i], name, text)
			}
		}
	}
	all := consoletest.Decode[struct{ Trials []map[string]any }](t,
		string(consoletest.Read(t, dir, "out", "trials.json")))
	if len(all.Trials) != len(failure) {
		t.Fatalf("%d trials, expected %d", len(all.Trials), len(failure))
	}
	for i, trial := range all.Trials {
		if _, has := trial["assigned"]; has == (failure[i] != "") || trial["learner"] == nil || failure[i] != "" &&
			trial["failure"] != failure[i] {
			t.Errorf("trial %d, failure %q: %v", i, failure[i], trial)
		}
	}
	program.Succeeds(t, dir, args...)
}

// The trials of a program that has changed are run again, and no others.
func TestRecoverByAChangedProgram(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "my script, of 'mine'"), []byte("one"))
	args := []string{"recover", "--panel", "4,6,1", "--n", "20", "--trials", "2", "--iterations", "2", "-q", "-o",
		"out", "--learners", `mod,exec:` + externaltest.Command("serve", `"my script, of 'mine'"`)}
	journal := func() int {
		t.Helper()
		program.Succeeds(t, dir, args...)
		text := consoletest.Read(t, dir, "out", "journal.jsonl")
		return bytes.Count(text, []byte("\n"))
	}
	for i, want := range []int{4, 4, 6} {
		if i == 2 {
			consoletest.Put(t, filepath.Join(dir, "my script, of 'mine'"), []byte("two"))
		}
		if got := journal(); got != want {
			t.Errorf("call %d: %d trials in the journal, expected %d", i, got, want)
		}
	}
}

// The parts of a sweep, in any number, make the report of the whole.
func TestRecoverInParts(t *testing.T) {
	dir := t.TempDir()
	args := []string{"recover", "--panel", "8,12,2", "--panel", "6,9,2", "--n", "60,30", "--trials", "2",
		"--iterations", "20", "--learners", "rop,mod", "-q"}
	program.Succeeds(t, dir, append(args, "-o", "whole")...)
	want := rows(t, filepath.Join(dir, "whole", "trials.csv"))
	for _, parts := range []int{1, 3} {
		out := fmt.Sprintf("in%d", parts)
		for i := range parts {
			if text, errs := program.Succeeds(t, dir,
				append(args, "-o", out, "--shard", fmt.Sprintf("%d/%d", i, parts))...); text+errs != "" {
				t.Errorf("part %d: %s%s", i, text, errs)
			}
			if _, err := os.Stat(filepath.Join(dir, out, "report.html")); err == nil {
				t.Error("a part wrote a report")
			}
		}
		text, errs := program.Succeeds(t, dir, append(args, "-o", out)...)
		if own := string(consoletest.Read(t, dir, out, "journal.jsonl")); errs != "" || own != "" ||
			!strings.Contains(text, "M = 8, K = 12, S = 2") {
			t.Errorf("the whole has run %q: %s%s", own, text, errs)
		}
		if got := rows(t, filepath.Join(dir, out, "trials.csv")); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d parts give other numbers than the whole", parts)
		}
		if strings.Contains(string(consoletest.Read(t, dir, out, "report.html")), "--shard") {
			t.Error("the page names the parts")
		}
	}
}
