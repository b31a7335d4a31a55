package external

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/safefile"
)

// The names of the files of a problem and of its answer.
const (
	problemFile = "problem.json"
	signalsFile = "Y.npy"     // M×N
	startFile   = "D0.npy"    // M×K
	atomsFile   = "D.npy"     // M×K
	codesFile   = "X.npy"     // K×N
	traceFile   = "trace.csv" // a line for every iteration
)

// statement is the content of problem.json.
type statement struct {
	// Task is "learn" or "code".
	Task string `json:"task"`
	// Entries is M, Signals N and Atoms K.
	Entries int `json:"entries"`
	Signals int `json:"signals"`
	Atoms   int `json:"atoms"`
	// Sparsity is the largest number of non-zeros of a code, or 0 for no limit.
	Sparsity int `json:"sparsity"`
	// Tolerance is the residual norm at which a code may end. It is 0 for a learner.
	Tolerance float64 `json:"tolerance"`
	// Iterations is the largest number of iterations. It is 0 for a coder.
	Iterations int `json:"iterations"`
	// Seed is the seed of all random numbers, 0 to 2³¹−1, which fits into integers of all languages; 0 for a coder.
	Seed uint64 `json:"seed"`
	// Seconds is the time limit for the problem.
	Seconds float64 `json:"seconds"`
}

// result returns the name of the file that the program must write.
func (s statement) result() string {
	if s.Task == "code" {
		return codesFile
	}
	return atomsFile
}

// pose writes a problem into folder: problem.json, and matrices by file name. Its errors wrap safefile.ErrOutput.
func pose(folder string, s statement, matrices map[string]*mat.Dense) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(folder, problemFile)
	if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		return safefile.Unwritable(name, err)
	}
	for base, m := range matrices {
		name := filepath.Join(folder, base)
		if err := writeFile(name, func(w io.Writer) error { return npz.WriteMatrix(w, m) }); err != nil {
			return safefile.Unwritable(name, err)
		}
	}
	return nil
}

// writeFile writes a file in the folder of a problem. The folder is temporary, so the file need not survive a crash.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	return errors.Join(err, f.Close())
}
