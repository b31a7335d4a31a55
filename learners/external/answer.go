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

// reply is what a program has left in the folder of a problem, and the program, which
// waits until it is accepted.
type reply struct {
	Program
	asked    statement
	folder   string
	programs *programs
	proc     *process
}

// accepted lets the program have the next problem.
func (r reply) accepted() {
	if !r.Once {
		r.programs.giveBack(r.Program, r.proc)
	}
}

// failed makes the error of a reply that cannot be accepted. The program is ended before, so
// that all that it said is there.
func (r reply) failed(format string, args ...any) error {
	r.programs.end(r.proc)
	return r.Program.failed("%s%s", fmt.Sprintf(format, args...), r.proc.said.after())
}

// lacks makes the error of a reply without its result.
func (r reply) lacks() error {
	if r.Once {
		return r.failed("ended with status 0, but left no %s; a program that reads problems from its standard input is named with exec", r.asked.result())
	}
	return r.failed("answered, but left no %s", r.asked.result())
}

// open opens a file that a program has left, and returns its size. It is nil when there is
// none.
func (r reply) open(name string) (*os.File, int64, error) {
	path := filepath.Join(r.folder, name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	f, size, err := safefile.OpenRegular(path)
	if fault, ok := errors.AsType[*safefile.Fault](err); ok {
		return nil, 0, r.failed("%s: %s", name, fault.Reason) // of a folder that nobody sees
	}
	if err != nil {
		return nil, 0, r.failed("%s: %v", name, err)
	}
	return f, size, nil
}

// readMatrix reads a matrix that a program has left, of rows×cols. It is nil when there is
// none.
func (r reply) readMatrix(name string, rows, cols int, column string) (*mat.Dense, error) {
	f, size, err := r.open(name)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	if size == 0 {
		return nil, r.failed("%s is empty; close it before the answer", name)
	}
	m, err := matfile.Read(f, size, name, matfile.Options{Column: column, Accept: func(m, n int) error {
		if m != rows || n != cols {
			return fmt.Errorf("%s is %d×%d, expected %d×%d", name, m, n, rows, cols)
		}
		return nil
	}})
	if err != nil {
		return nil, r.failed("%v", err)
	}
	return m, nil
}

// readDictionary reads D, its atoms brought to length 1, and the lengths they had.
func (r reply) readDictionary(m, k int) (*sparse.Dictionary, []float64, error) {
	d, err := r.readMatrix(atomsFile, m, k, "atom")
	if err != nil {
		return nil, nil, err
	}
	if d == nil {
		return nil, nil, r.lacks()
	}
	atoms, lengths := make([]float64, m*k), make([]float64, k)
	for j := range k {
		atom := atoms[j*m : (j+1)*m]
		largest := 0.0
		for i := range atom {
			atom[i] = d.At(i, j)
			largest = max(largest, math.Abs(atom[i]))
		}
		if largest == 0 {
			return nil, nil, r.failed("%s: atom %d (counted from 0) is zero; expected a direction", atomsFile, j)
		}
		sum := 0.0 // of the scaled entries: neither overflows nor underflows
		for i := range atom {
			atom[i] /= largest
			sum += atom[i] * atom[i]
		}
		length := math.Sqrt(sum)
		for i := range atom {
			atom[i] /= length
		}
		lengths[j] = largest * length
	}
	out, err := sparse.FromAtoms(m, atoms)
	if err != nil {
		return nil, nil, r.failed("%s: %v", atomsFile, err)
	}
	return out, lengths, nil
}

// readCodes reads X, of which row k is multiplied by scale[k], where scale is not nil. A
// signal with more non-zeros than were asked for is an error. It is nil when there is none.
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
	codes := &sparse.Codes{Atoms: k, Start: make([]int, 1, n+1), Index: make([]int32, 0, count), Value: make([]float64, 0, count)}
	for j := range n {
		for i := range k {
			v := x.At(i, j)
			if scale != nil {
				v *= scale[i]
			}
			if math.IsInf(v, 0) {
				return nil, r.failed("%s: coefficient %d of signal %d is too large for an atom of length 1", codesFile, i, j)
			}
			if v != 0 {
				codes.Index, codes.Value = append(codes.Index, int32(i)), append(codes.Value, v)
			}
		}
		if has, most := len(codes.Index)-codes.Start[j], r.asked.Sparsity; most > 0 && has > most {
			advice := ""
			if r.asked.result() != codesFile {
				advice = fmt.Sprintf("; leave %s out, and the coder makes the codes", codesFile)
			}
			return nil, r.failed("%s: signal %d (counted from 0) has %d non-zeros, expected at most %d%s", codesFile, j, has, most, advice)
		}
		codes.Start = append(codes.Start, len(codes.Index))
	}
	return codes, nil
}

// largestTrace is that of a trace, in bytes.
const largestTrace = 16 << 20

// readTrace reads what the program says of its iterations: columns by the names that
// superres learn gives them, of which iteration and rmse must be there. It is empty when
// there is none.
func (r reply) readTrace() ([]learners.Step, error) {
	f, size, err := r.open(traceFile)
	if f == nil || err != nil {
		return nil, err
	}
	defer f.Close()
	if size > largestTrace {
		return nil, r.failed("%s has %d bytes, expected at most %d", traceFile, size, largestTrace)
	}
	lines := csv.NewReader(io.LimitReader(f, size))
	lines.TrimLeadingSpace = true
	head, err := lines.Read()
	if err == io.EOF {
		return nil, r.failed("%s is empty; its first line names the columns, iteration,rmse", traceFile)
	}
	if err != nil {
		return nil, r.failed("%s: %v", traceFile, err)
	}
	for _, name := range []string{"iteration", "rmse"} {
		if !slices.Contains(head, name) {
			return nil, r.failed("%s has no column %s; its first line names the columns, iteration,rmse", traceFile, name)
		}
	}
	var steps []learners.Step
	for {
		row, err := lines.Read()
		if err == io.EOF {
			return steps, nil
		}
		if err != nil {
			return nil, r.failed("%s: %v", traceFile, err)
		}
		step, err := stepOf(head, row)
		if err == nil && (step.Iteration < 1 || len(steps) > 0 && step.Iteration <= steps[len(steps)-1].Iteration) {
			err = fmt.Errorf("iteration %d, expected 1 or more, and more from line to line", step.Iteration)
		}
		if err != nil {
			return nil, r.failed("%s: line %d: %v", traceFile, len(steps)+2, err)
		}
		steps = append(steps, step)
	}
}

// stepOf reads a line of a trace.
func stepOf(head, row []string) (s learners.Step, err error) {
	for i, name := range head {
		var whole *int
		var number *float64
		seconds := 0.0
		switch name {
		case "iteration":
			whole = &s.Iteration
		case "replaced":
			whole = &s.Replaced
		case "rmse":
			number = &s.RMSE
		case "nonzeros":
			number = &s.NonZeros
		case "primal":
			number = &s.Primal
		case "dual":
			number = &s.Dual
		case "seconds":
			number = &seconds
		default:
			continue
		}
		v, err := strconv.ParseFloat(row[i], 64)
		if err != nil || !(v >= 0 && v < 1e15) || whole != nil && v != math.Trunc(v) {
			return s, fmt.Errorf("%s is %q, expected a number, 0 or more", name, row[i])
		}
		if whole != nil {
			*whole = int(v)
			continue
		}
		*number = v
		if name == "seconds" {
			s.Elapsed = time.Duration(min(seconds, 1e9) * float64(time.Second))
		}
	}
	return s, nil
}
