// Package externaltest is a program that package external runs in tests. It is part of the test binary: the binary's
// TestMain calls Serve if the first argument is Name. It learns and codes as this module does, or misbehaves.
package externaltest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
	"superres/internal/npz"
	"superres/learners"
	"superres/learners/sparse"
)

// Name is the first argument of a test binary that should call Serve.
const Name = "external-program"

// Command returns the command of a spec that runs the test binary with the given words as arguments of Serve.
func Command(words ...string) string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return `"` + self + `" ` + Name + " " + strings.Join(words, " ")
}

// Serve is the main function of the program; args are the arguments after Name, and the result is the exit code. It
// learns by MOD, and gives the atoms arbitrary lengths and signs.
//
//	serve       solves problems; with "codes" and "trace" it writes these files too
//	wild FILE   appends a line to FILE for each problem, and makes the error that belongs
//	            to the number of lines: see wild
//	family FILE starts a process that never ends, writes its process number to FILE and hangs
//	threads     answers each problem with an error that says how many threads it may use
//	dense       codes with all atoms, ignoring the sparsity
//	loud        prints a line before every answer but the first
//	tired N     solves N problems, and ends normally when it gets another one
//	mute        writes its files but never answers
//	hang        never ends
func Serve(in io.Reader, out, errs io.Writer, args []string) int {
	switch args[0] {
	case "family":
		child := exec.Command(os.Args[0], Name, "hang")
		child.Stderr = errs
		if err := child.Start(); err != nil {
			return 1
		}
		if err := os.WriteFile(args[1], []byte(strconv.Itoa(child.Process.Pid)), 0o666); err != nil {
			return 1
		}
		hang()
	case "hang":
		hang()
	}
	lines := bufio.NewScanner(in)
	for served := 0; lines.Scan(); served++ {
		if args[0] == "tired" && strconv.Itoa(served) == args[1] {
			return 0
		}
		if args[0] == "loud" && served > 0 {
			fmt.Fprintln(out, "done.")
		}
		var asked struct{ Folder string }
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			return 2
		}
		if args[0] == "wild" {
			if code, over := wild(args[1], asked.Folder, out, errs); over {
				return code
			}
			continue
		}
		fmt.Fprintln(errs, "a line that nobody needs")
		err := errors.New(os.Getenv("OMP_NUM_THREADS") + " and " + os.Getenv("MKL_NUM_THREADS"))
		if args[0] != "threads" {
			err = solve(asked.Folder, args)
		}
		if err != nil {
			answer, _ := json.Marshal(map[string]string{"folder": asked.Folder, "error": err.Error()})
			fmt.Fprintf(out, "%s\n", answer)
			continue
		}
		if args[0] == "mute" {
			hang()
		}
		fmt.Fprintln(out, lines.Text())
	}
	return 0
}

func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// Wild lists parts of the error messages for the problems of "wild", in order. Later problems are solved correctly.
var Wild = []string{
	"ended without an answer (exit status 3)", "no answer in", "D.npy is 1×1, expected",
	"D.npy: entry 0 of atom 0 (counted from 0) is NaN", `printed "iteration 1"`,
	`printed "{"folder":"elsewhere"}"`, "left no D.npy", "a word of its own", "D.npy: atom 0 (counted from 0) is zero",
	"X.npy is 1×1, expected", "trace.csv has no column rmse",
	"D.npy: is a pipe", `printed "xxxx`, "trace.csv is empty", "did not say why",
	"non-zeros, expected at most 1; leave X.npy out", "D.npy is empty",
}

// wild is a learner that makes another error, in the order of Wild, at each call: file gets a line for each call.
// It solves the problem in folder first. over reports whether the program must end, with the exit code that it returns.
func wild(file, folder string, out, errs io.Writer) (code int, over bool) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return 4, true
	}
	defer f.Close()
	if _, err := f.WriteString("x\n"); err != nil {
		return 4, true
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return 4, true
	}
	fmt.Fprintln(errs, "wrong on purpose") // long before the answer, which is written to standard output
	answer, _ := json.Marshal(map[string]string{"folder": folder})
	if err := solve(folder, []string{"codes", "trace"}); err != nil {
		return 5, true
	}
	leave := func(name string, m *mat.Dense) { _ = write(filepath.Join(folder, name), m) }
	var d *mat.Dense
	if d, err = matfile.Open(filepath.Join(folder, "D.npy"), matfile.Options{}); err != nil {
		return 6, true
	}
	switch strings.Count(string(text), "\n") {
	case 1:
		fmt.Fprintln(errs, "the first of seven\n2\n3\n4\n5\n\x1b[31m6\nSegmentation fault, as it were")
		return 3, true
	case 2:
		hang()
	case 3: // the wrong size
		leave("D.npy", mat.NewDense(1, 1, []float64{1}))
	case 4:
		d.Set(0, 0, nan())
		leave("D.npy", d)
	case 5:
		fmt.Fprintln(out, "iteration 1")
	case 6:
		answer = []byte(`{"folder":"elsewhere"}`)
	case 7:
		_ = os.Remove(filepath.Join(folder, "D.npy"))
	case 8:
		answer, _ = json.Marshal(map[string]string{"folder": folder, "error": "a word of its own"})
	case 9:
		rows, _ := d.Dims()
		d.SetCol(0, make([]float64, rows))
		leave("D.npy", d)
	case 10:
		leave("X.npy", mat.NewDense(1, 1, []float64{1}))
	case 11:
		_ = os.WriteFile(filepath.Join(folder, "trace.csv"), []byte("iteration,error\n1,2\n"), 0o666)
	case 12:
		_ = os.Remove(filepath.Join(folder, "D.npy"))
		if exec.Command("mkfifo", filepath.Join(folder, "D.npy")).Run() != nil { // this system has no mkfifo
			answer = []byte(`{"error":"D.npy: is a pipe"}`)
		}
	case 13:
		answer = []byte(strings.Repeat("x", 1<<17))
	case 14:
		_ = os.WriteFile(filepath.Join(folder, "trace.csv"), nil, 0o666)
	case 15:
		answer, _ = json.Marshal(map[string]string{"folder": folder, "error": ""})
	case 16:
		x, err := matfile.Open(filepath.Join(folder, "X.npy"), matfile.Options{})
		if err != nil {
			return 7, true
		}
		rows, _ := x.Dims()
		x.SetCol(2, slices.Repeat([]float64{1}, rows))
		leave("X.npy", x)
	case 17:
		_ = os.WriteFile(filepath.Join(folder, "D.npy"), nil, 0o666)
	}
	fmt.Fprintf(out, "%s\n", answer)
	return 0, false
}

func nan() float64 {
	zero := 0.0
	return zero / zero
}

// solve solves the problem in a folder. words are arguments of Serve. For the task "code" it writes only the codes, and
// "dense" drops their sparsity limit; else it writes a dictionary, and "codes" and "trace" write these files besides.
func solve(folder string, words []string) error {
	text, err := os.ReadFile(filepath.Join(folder, "problem.json"))
	if err != nil {
		return err
	}
	var p struct {
		Task                                          string
		Entries, Signals, Atoms, Sparsity, Iterations int
		Tolerance, Seconds                            float64
		Seed                                          uint64
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return err
	}
	y, err := matfile.Open(filepath.Join(folder, "Y.npy"), matfile.Options{})
	if err != nil {
		return err
	}
	rows, cols := y.Dims()
	if rows != p.Entries || cols != p.Signals || p.Seconds <= 0 || p.Seed >= 1<<31 {
		return fmt.Errorf("%d×%d signals for %+v", rows, cols, p)
	}
	start := "D0.npy"
	if p.Task == "code" {
		start = "D.npy"
	}
	first, err := matfile.Open(filepath.Join(folder, start), matfile.Options{})
	if err != nil {
		return err
	}
	d, err := sparse.NewDictionary(first)
	if err != nil {
		return err
	}
	coder := sparse.OMP{Sparsity: p.Sparsity, Tolerance: p.Tolerance}
	if p.Task == "code" {
		if slices.Contains(words, "dense") {
			coder.Sparsity = 0
		}
		x, err := coder.Code(context.Background(), d, y)
		if err != nil {
			return err
		}
		return write(filepath.Join(folder, "X.npy"), x.Dense())
	}
	r, err := learners.MOD{}.Learn(context.Background(), y,
		learners.Options{Iterations: p.Iterations, Coder: coder, Init: d, Seed: p.Seed})
	if err != nil {
		return err
	}
	atoms, x := r.Dictionary.Matrix(), r.Codes.Dense()
	for k := range p.Atoms {
		scale := float64(k+1) / 4
		if k%2 == 0 {
			scale = -scale
		}
		for i := range rows {
			atoms.Set(i, k, atoms.At(i, k)*scale)
		}
		for j := range cols {
			x.Set(k, j, x.At(k, j)/scale)
		}
	}
	if slices.Contains(words, "codes") {
		if err := write(filepath.Join(folder, "X.npy"), x); err != nil {
			return err
		}
	}
	if slices.Contains(words, "trace") {
		lines := "seconds,iteration,temperature,rmse\n"
		for _, s := range r.Steps {
			lines += fmt.Sprintf("%g,%d,hot,%g\n", s.Elapsed.Seconds(), s.Iteration, s.RMSE)
		}
		if err := os.WriteFile(filepath.Join(folder, "trace.csv"), []byte(lines), 0o666); err != nil {
			return err
		}
	}
	return write(filepath.Join(folder, "D.npy"), atoms)
}

// write writes m to a new file, in place of any file of that name.
func write(name string, m *mat.Dense) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(npz.WriteMatrix(f, m), f.Close())
}
