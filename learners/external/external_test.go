package external_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/internal/safefile"
	"superres/learners"
	"superres/learners/external"
	"superres/learners/external/externaltest"
	"superres/learners/learnertest"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == externaltest.Name {
		os.Exit(externaltest.Serve(os.Stdin, os.Stdout, os.Stderr, os.Args[2:]))
	}
	// The race detector has every process that ends, of which there are many, wait a second.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// learner returns a learner whose program is the test binary.
func learner(words ...string) *external.Learner {
	return &external.Learner{Program: external.Program{Command: externaltest.Command(words...)}}
}

// smallProblem returns 20 signals of 4 entries, and the options to learn 6 atoms.
func smallProblem() (*mat.Dense, learners.Options) {
	opt := learners.Options{Atoms: 6, Iterations: 2, Coder: sparse.OMP{Sparsity: 1}}
	return learnertest.Planted(4, 6, 1, 20, 1), opt
}

// ownTemp gives the test a folder for temporary files, and checks that it is empty in the end.
func ownTemp(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("%d temporary files are left, %v", len(left), err)
		}
	})
}

func TestLearnerConforms(t *testing.T) {
	ownTemp(t)
	t.Run("with codes", func(t *testing.T) {
		learnertest.Run(t,
			external.WithCodes{Learner: learner("serve", "codes")})
	})
	t.Run("without", func(t *testing.T) { learnertest.Run(t, external.WithoutCodes{Learner: learner("serve")}) })
}

func TestCoderConforms(t *testing.T) {
	ownTemp(t)
	sparsetest.Run(t, func(sparsity int, tolerance float64) sparse.Coder {
		return &external.Coder{Program: external.Program{Command: externaltest.Command("serve")}, Sparsity: sparsity,
			Tolerance: tolerance}
	})
}

// What comes back is what the same learner gives here, with codes or without.
func TestSameResult(t *testing.T) {
	ownTemp(t)
	y := learnertest.Planted(8, 12, 2, 90, 1)
	opt := learners.Options{Atoms: 12, Iterations: 9, Coder: sparse.OMP{Sparsity: 2}, Seed: 1<<31 + 3}
	want := must.Get(learners.MOD{}.Learn(t.Context(), y, opt))(t)
	ctx, end := external.Keep(t.Context())
	defer end()
	for _, words := range []string{"serve", "serve codes", "serve codes trace"} {
		var traced []learners.Step
		opt.Trace = func(s learners.Step) { traced = append(traced, s) }
		got, err := learner(strings.Fields(words)...).Learn(ctx, y, opt)
		if err != nil {
			t.Fatalf("%s: %v", words, err)
		}
		learnertest.Check(t, got, y, 12)
		if !mat.EqualApprox(got.Dictionary.Matrix(), want.Dictionary.Matrix(), 1e-12) {
			t.Errorf("%s: another dictionary", words)
		}
		if strings.Contains(words, "codes") && !mat.EqualApprox(got.Codes.Dense(), want.Codes.Dense(), 1e-9) {
			t.Errorf("%s: other codes", words)
		}
		steps, last := 1, 0 // without a number
		if strings.Contains(words, "trace") {
			steps, last = len(want.Steps), len(want.Steps)
		}
		if len(got.Steps) != steps || len(traced) != steps || traced[steps-1].Iteration != last ||
			got.Stop != external.Answered {
			t.Errorf("%s: %d steps, %d traced, expected %d; the last %+v; stop %q", words, len(got.Steps), len(traced),
				steps, traced[len(traced)-1], got.Stop)
		}
	}
}

// Each misdeed fails its own problem alone, with an error that names it.
func TestMisdeeds(t *testing.T) {
	ownTemp(t)
	y, opt := smallProblem()
	l := learner("wild", filepath.ToSlash(filepath.Join(t.TempDir(), "count")))
	l.Limit = time.Second
	ctx, end := external.Keep(t.Context())
	defer end()
	for i, want := range append(externaltest.Wild, "", "") {
		r, err := l.Learn(ctx, y, opt)
		if want == "" {
			if err != nil {
				t.Errorf("problem %d: %v", i+1, err)
			}
			continue
		}
		if r != nil || !errors.Is(err, external.ErrProgram) || !strings.Contains(err.Error(), want) ||
			strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("problem %d: %v, expected %q", i+1, err, want)
		}
		if i == 0 && !strings.Contains(err.Error(), "it said: 3 | 4 | 5 | [31m6 | Segmentation fault") {
			t.Errorf("the last lines of the standard error: %v", err)
		}
		if i == 2 && !strings.HasSuffix(err.Error(), "; it said: wrong on purpose") {
			t.Errorf("the last lines of a program that lies: %v", err)
		}
	}
}

// The error for a missing answer has advice for the author of the program.
func TestNoAnswer(t *testing.T) {
	ownTemp(t)
	y, opt := smallProblem()
	for words, want := range map[string]string{
		"tired 0": "ended without an answer (exit status 0)",
		"mute": "no answer in 1 s, the limit for a problem; D.npy is there: was the answer flushed, with a " +
			"line end?; it said: ",
	} {
		l := learner(strings.Fields(words)...)
		l.Limit = time.Minute
		if words == "mute" {
			l.Limit = time.Second
		}
		if _, err := l.Learn(t.Context(), y, opt); !errors.Is(err, external.ErrProgram) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", words, err, want)
		}
	}
}

// What a program does after an answer is no fault of the problem that comes next: what it prints is passed over, and
// one that has ended is restarted.
func TestAfterAnAnswer(t *testing.T) {
	ownTemp(t)
	y, opt := smallProblem()
	for _, words := range []string{"loud", "tired 1", "tired 2"} {
		ctx, end := external.Keep(t.Context())
		for i := range 5 {
			if _, err := learner(strings.Fields(words)...).Learn(ctx, y, opt); err != nil {
				t.Errorf("%s: problem %d: %v", words, i, err)
			}
		}
		if n := external.Running(ctx); n != 1 {
			t.Errorf("%s: %d programs for one problem at a time", words, n)
		}
		end()
	}
}

// One program serves many problems, and several at a time are several programs.
func TestKept(t *testing.T) {
	ownTemp(t)
	y, opt := smallProblem()
	l := learner("serve")
	ctx, end := external.Keep(t.Context())
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 4 {
				if _, err := l.Learn(ctx, y, opt); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n := external.Running(ctx); n < 1 || n > 3 {
		t.Errorf("%d programs ran for three at a time", n)
	}
	end()
	if n := external.Running(ctx); n != 0 {
		t.Errorf("%d programs are left", n)
	}
	if _, err := l.Learn(ctx, y, opt); err == nil {
		t.Error("a program was started after the end")
	}
}

// What a context, a limit or the end of Keep ends is ended with all that it has started, and its folder is removed.
func TestNothingIsLeft(t *testing.T) {
	ownTemp(t)
	var all sync.WaitGroup
	for _, how := range []string{"context", "limit", "keep"} {
		file := filepath.ToSlash(filepath.Join(t.TempDir(), "child"))
		all.Go(func() {
			if err := endFamily(t, how, file); err != nil {
				t.Errorf("%s: %v", how, err)
			}
		})
	}
	all.Wait()
}

// endFamily runs a program that writes the number of its child to a file, and ends it as how says.
func endFamily(t *testing.T, how, file string) error {
	y, opt := smallProblem()
	l := learner("family", file)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	end := cancel
	switch how {
	case "keep":
		ctx, end = external.Keep(ctx)
	case "limit":
		l.Limit, end = 1500*time.Millisecond, func() {}
	}
	done := make(chan error, 1)
	go func() {
		_, err := l.Learn(ctx, y, opt)
		done <- err
	}()
	var child int
	for child == 0 {
		select {
		case err := <-done:
			return fmt.Errorf("the program ended before it had started a child: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
		text, _ := os.ReadFile(file)
		_, _ = fmt.Sscan(string(text), &child)
	}
	end()
	if err := <-done; err == nil || how == "context" && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the program ended with %w", err)
	}
	if !external.Gone(child) {
		return errors.New("a process that the program started is left")
	}
	return nil
}

func TestSpecs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, mode := range map[string]os.FileMode{"mine.sh": 0o755, "my, own 'program'.sh": 0o755, "text.py": 0o644} {
		must.Succeed(t, os.WriteFile(name, []byte("#!/bin/sh\n"), mode))
	}
	self := must.Get(os.Executable())(t)
	specs := map[string]string{ // what the error says; empty is none
		"exec":                               "no program is named",
		"exec:":                              "no program is named",
		`exec:"`:                             `a " is not closed`,
		"exec:./none":                        "no such program",
		"exec:./no such":                     "put quotes around",
		`exec:"` + self + `" a b`:            "",
		`exec:'` + self + `' x,limit=2m`:     "",
		`exec:"` + self + `",limit=-1s`:      "limit=-1s: expected more than 0",
		`exec:"` + self + `",limit=0s`:       "limit=0s: expected more than 0",
		`exec:"` + self + `",limit=5`:        "limit=5: expected a time with its unit, such as 5s",
		`exec:"` + self + `",limit=x`:        "limit=x: expected a time with its unit",
		`exec:"` + self + `",command=x`:      `parameter "command"`,
		`exec:"` + self + `" "a,b",limit=1s`: "",
	}
	if !external.Windows { // where files are not executable by their mode
		specs["exec:./mine.sh"], specs[`exec:"./my, own 'program'.sh"`] = "", ""
		specs["exec:mine.sh"], specs["exec:./text.py"] = "is written with it, ./mine.sh", "make it executable"
	}
	for spec, want := range specs {
		_, err := learners.New(spec)
		if (err == nil) != (want == "") || err != nil &&
			(!strings.Contains(err.Error(), want) || !errors.Is(err, plugin.ErrSettings)) {
			t.Errorf("%s: %v, expected %q", spec, err, want)
		}
	}
}

// The fingerprint has the hashes of the program and of the files among its arguments.
func TestFingerprint(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Succeed(t, os.WriteFile("my script", []byte("one"), 0o666))
	print := func(command string) string {
		t.Helper()
		l := &external.Learner{Program: external.Program{Command: command}}
		return must.Get(plugin.Fingerprint(l, sparse.OMP{}))(t)
	}
	program := externaltest.Command()
	alone, with := print(program), print(program+` --x=3 "my script"`)
	const sum = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed" // of "one"
	if len(alone) != 64 || with != alone+" "+sum {
		t.Errorf("%s, with the script %s", alone, with)
	}
	must.Succeed(t, os.WriteFile("my script", []byte("two"), 0o666))
	if print(program+` --x=3 "my script"`) == with {
		t.Error("a changed script has the same fingerprint")
	}
	if text, err := plugin.Fingerprint(learners.MOD{}, sparse.OMP{}); text != "" || err != nil {
		t.Errorf("what is no program: %q, %v", text, err)
	}
}

// A code with more non-zeros than the sparsity is refused.
func TestCoderIsHeldToItsSparsity(t *testing.T) {
	ownTemp(t)
	d := sparsetest.Dictionary(t, 4, 6, 1)
	c := &external.Coder{Program: external.Program{Command: externaltest.Command("dense")}, Sparsity: 2}
	if _, err := c.Code(t.Context(), d, sparsetest.Gaussian(4, 5, 2)); !errors.Is(err, external.ErrProgram) ||
		!strings.Contains(err.Error(), "non-zeros, expected at most 2") {
		t.Errorf("%v", err)
	}
}

// unset removes a variable from the environment for a test.
func unset(t *testing.T, name string) {
	t.Helper()
	t.Setenv(name, "") // so that it is as before after the test
	must.Succeed(t, os.Unsetenv(name))
}

// Programs use one thread, unless the environment says otherwise.
func TestThreads(t *testing.T) {
	ownTemp(t)
	unset(t, "OMP_NUM_THREADS")
	unset(t, "MKL_NUM_THREADS")
	y := learnertest.Planted(4, 6, 1, 20, 1)
	for _, want := range []string{`"1 and 1"`, `"1 and 7"`} {
		if _, err := learner("threads").Learn(t.Context(), y, learners.Options{Atoms: 6}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
		t.Setenv("MKL_NUM_THREADS", "7")
	}
}

// Requests are ASCII, and the folder of temporary files may have any name.
func TestFoldersOfAnyName(t *testing.T) {
	const name = "Jörg's 😀, \"folder\" & <more>"
	text := must.Get(json.Marshal(name))(t)
	plain := safefile.PlainASCII(text)
	var back string
	if err := json.Unmarshal(plain, &back); err != nil || back != name ||
		strings.ContainsFunc(string(plain), func(r rune) bool { return r > 126 }) {
		t.Errorf("%s gives %q, %v", plain, back, err)
	}
	if external.Windows {
		return // where no file has such a name
	}
	dir := filepath.Join(t.TempDir(), name)
	must.Succeed(t, os.Mkdir(dir, 0o777))
	t.Setenv("TMPDIR", dir)
	y, opt := smallProblem()
	if _, err := learner("serve").Learn(t.Context(), y, opt); err != nil {
		t.Error(err)
	}
}
