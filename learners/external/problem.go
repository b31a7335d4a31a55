package external

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/safefile"
)

// The files of a problem and of its answer.
const (
	problemFile = "problem.json"
	signalsFile = "Y.npy"     // M×N
	startFile   = "D0.npy"    // M×K
	atomsFile   = "D.npy"     // M×K
	codesFile   = "X.npy"     // K×N
	traceFile   = "trace.csv" // a line for every iteration
)

// statement is problem.json.
type statement struct {
	// Task is "learn" or "code".
	Task string `json:"task"`
	// Entries is M, Signals N and Atoms K.
	Entries int `json:"entries"`
	Signals int `json:"signals"`
	Atoms   int `json:"atoms"`
	// Sparsity is how many non-zeros a code has at most. 0 is that nothing is said of it.
	Sparsity int `json:"sparsity"`
	// Tolerance is the residual norm at which a code may end. Of a learner it is 0: by which
	// rule its coder ends, that coder knows.
	Tolerance float64 `json:"tolerance"`
	// Iterations is how many there are at most. Of a coder it is 0.
	Iterations int `json:"iterations"`
	// Seed is that of all random draws, 0 to 2³¹−1: what every language takes. Of a coder
	// it is 0.
	Seed uint64 `json:"seed"`
	// Seconds is the limit for the problem.
	Seconds float64 `json:"seconds"`
}

// result is the file that an answer must have.
func (s statement) result() string {
	if s.Task == "code" {
		return codesFile
	}
	return atomsFile
}

// pose writes a problem into its folder: what is asked for, and matrices by their files. Its
// errors are of the class safefile.ErrOutput.
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

// writeFile writes a file in the folder of a problem, which goes away with it, so that
// nothing needs to be safe on the disk.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<16)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if err2 := f.Close(); err == nil {
		err = err2
	}
	return err
}
