package external

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
	"superres/internal/safefile"
	"superres/learners"
	"superres/learners/sparse"
)

// reply is the answer of a program to a problem: the files in the folder of the problem. The program gets no other
// problem until the reply is accepted; if the reply fails, the program is ended.
type reply struct {
	Program
	problem  statement
	folder   string
	programs *programs
	proc     *process
}

// accept makes the program available for the next problem.
func (r reply) accept() {
	r.programs.giveBack(r.Program, r.proc)
}

// fail returns the error of a reply that cannot be accepted. It ends the program first, to read all its standard error.
func (r reply) fail(format string, args ...any) error {
	r.programs.end(r.proc)
	return r.Program.fail("%s%s", fmt.Sprintf(format, args...), r.proc.stderr.quote())
}

// failMissing returns the error of a reply that lacks the required file.
func (r reply) failMissing() error {
	return r.fail("answered, but left no %s", r.problem.result())
}

// open opens a file of the reply, and returns its size in bytes. If the file does not exist, it returns nil and no
// error. A pipe or another file that is not regular is an error.
func (r reply) open(name string) (*os.File, int64, error) {
	path := filepath.Join(r.folder, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	f, size, err := safefile.OpenRegular(path)
	if fault, ok := errors.AsType[*safefile.Fault](err); ok {
		return nil, 0, r.fail("%s: %s", name, fault.Reason) // without the path, since the folder is temporary
	}
	if err != nil {
		return nil, 0, r.fail("%s: %v", name, err)
	}
	return f, size, nil
}

// readMatrix reads a rows×cols matrix from a file of the reply, nil if it is missing. column is the word for a column.
func (r reply) readMatrix(name string, rows, cols int, column string) (*mat.Dense, error) {
	f, size, err := r.open(name)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 {
		return nil, r.fail("%s is empty; close it before the answer", name)
	}
	m, err := matfile.Read(f, size, name, matfile.Options{Column: column, Accept: func(m, n int) error {
		if m != rows || n != cols {
			return fmt.Errorf("%s is %d×%d, expected %d×%d", name, m, n, rows, cols)
		}
		return nil
	}})
	if err != nil {
		return nil, r.fail("%v", err)
	}
	return m, nil
}

// readDictionary reads D. It returns the dictionary with atoms scaled to length 1, and their lengths before.
func (r reply) readDictionary(m, k int) (*sparse.Dictionary, []float64, error) {
	d, err := r.readMatrix(atomsFile, m, k, "atom")
	if err != nil {
		return nil, nil, err
	}
	if d == nil {
		return nil, nil, r.failMissing()
	}
	atoms, lengths := make([]float64, m*k), make([]float64, k)
	for j := range k {
		if lengths[j] = learners.Normalise(mat.Col(atoms[j*m:(j+1)*m], j, d)); lengths[j] == 0 {
			return nil, nil, r.fail("%s: atom %d (counted from 0) is zero; expected a direction", atomsFile, j)
		}
	}
	out, err := sparse.FromAtoms(m, atoms)
	if err != nil {
		return nil, nil, r.fail("%s: %v", atomsFile, err)
	}
	return out, lengths, nil
}

// readCodes reads X (k×n), and multiplies each row of X by its entry of scale, the length that the program gave the
// atom, unless scale is nil. More non-zeros than the problem allows are an error. Without an X the codes are nil.
func (r reply) readCodes(k, n int, scale []float64) (*sparse.Codes, error) {
	x, err := r.readMatrix(codesFile, k, n, "signal")
	if x == nil || err != nil {
		return nil, err
	}
	count := 0
	for i := range k {
		for _, v := range x.RawRowView(i) {
			if v != 0 {
				count++
			}
		}
	}
	codes := &sparse.Codes{Atoms: k, Start: make([]int, 1, n+1), Index: make([]int32, 0, count),
		Value: make([]float64, 0, count)}
	for j := range n {
		for i := range k {
			v := x.At(i, j)
			if scale != nil {
				v *= scale[i]
			}
			if math.IsInf(v, 0) {
				return nil, r.fail("%s: coefficient %d of signal %d is too large for an atom of length 1", codesFile,
					i, j)
			}
			if v != 0 {
				codes.Index, codes.Value = append(codes.Index, int32(i)), append(codes.Value, v)
			}
		}
		if count, limit := len(codes.Index)-codes.Start[j], r.problem.Sparsity; limit > 0 && count > limit {
			advice := ""
			if r.problem.result() != codesFile {
				advice = fmt.Sprintf("; leave %s out, and the coder makes the codes", codesFile)
			}
			return nil, r.fail("%s: signal %d (counted from 0) has %d non-zeros, expected at most %d%s", codesFile, j,
				count, limit, advice)
		}
		codes.Start = append(codes.Start, len(codes.Index))
	}
	return codes, nil
}

// maxTrace is the size in bytes of the largest trace that is read.
const maxTrace = 16 << 20

// readTrace reads the steps from the program's trace. Its columns are named as in the traces of superres learn;
// iteration and rmse are required. Without a trace there are no steps.
func (r reply) readTrace() ([]learners.Step, error) {
	f, size, err := r.open(traceFile)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	if size > maxTrace {
		return nil, r.fail("%s has %d bytes, expected at most %d", traceFile, size, maxTrace)
	}
	lines := csv.NewReader(io.LimitReader(f, size))
	lines.TrimLeadingSpace = true
	head, err := lines.Read()
	if err == io.EOF {
		return nil, r.fail("%s is empty; its first line names the columns, iteration,rmse", traceFile)
	}
	if err != nil {
		return nil, r.fail("%s: %v", traceFile, err)
	}
	for _, name := range []string{"iteration", "rmse"} {
		if !slices.Contains(head, name) {
			return nil, r.fail("%s has no column %s; its first line names the columns, iteration,rmse", traceFile, name)
		}
	}
	var steps []learners.Step
	for {
		row, err := lines.Read()
		if err == io.EOF {
			return steps, nil
		}
		if err != nil {
			return nil, r.fail("%s: %v", traceFile, err)
		}
		step, err := parseStep(head, row)
		if err == nil && (step.Iteration < 1 || len(steps) > 0 && step.Iteration <= steps[len(steps)-1].Iteration) {
			err = fmt.Errorf("iteration %d, expected 1 or more, and more from line to line", step.Iteration)
		}
		if err != nil {
			return nil, r.fail("%s: line %d: %v", traceFile, len(steps)+2, err)
		}
		steps = append(steps, step)
	}
}

// parseStep parses a line of a trace. head names the columns; unknown columns are ignored, and fields without a column
// stay 0. All values must be numbers from 0 to below 1e15, iteration and replaced whole numbers.
func parseStep(head, row []string) (s learners.Step, err error) {
	var iteration, replaced, seconds float64
	fields := map[string]*float64{
		"iteration": &iteration, "replaced": &replaced, "seconds": &seconds, "rmse": &s.RMSE,
		"nonzeros": &s.NonZeros, "primal": &s.Primal, "dual": &s.Dual,
	}
	for i, name := range head {
		field := fields[name]
		if field == nil {
			continue
		}
		isInteger := field == &iteration || field == &replaced
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil || !(v >= 0 && v < 1e15) || isInteger && v != math.Trunc(v) {
			return s, fmt.Errorf("%s is %q, expected 0 to below 1e15, whole for iteration and replaced", name, row[i])
		}
		*field = v
	}
	s.Iteration, s.Replaced = int(iteration), int(replaced)
	s.Elapsed = time.Duration(min(seconds, 1e9) * float64(time.Second)) // a Duration holds 9.2e9 s
	return s, nil
}
