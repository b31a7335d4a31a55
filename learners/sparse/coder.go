package sparse

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/learners/plugin"
)

// Coder finds sparse codes: X with Y ≈ D·X. It keeps no state between calls, and is safe for concurrent use.
type Coder interface {
	// Code returns the K×N codes of the columns of y over d. It returns an error if the sizes do not fit, if y is
	// empty, or if the square of an entry is not finite, and ctx.Err() when ctx ends. y is not changed. The code of a
	// signal depends neither on the other signals nor on the number of workers.
	Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error)
}

// Limited is a coder that can tell the largest number of non-zeros in a code.
type Limited interface {
	// MostNonZeros returns the largest number of non-zeros of a signal, or 0 where there is no limit.
	MostNonZeros() int
}

// MostNonZeros returns the largest number of non-zeros of a signal coded by c, or 0 where c has no limit.
func MostNonZeros(c Coder) int {
	if l, ok := c.(Limited); ok {
		return l.MostNonZeros()
	}
	return 0
}

// Penalised is a coder with an objective other than ‖y − Dx‖².
type Penalised interface {
	// Objective returns the value of the coder's objective for the codes x of all signals; squaredError is ‖Y − DX‖².
	Objective(squaredError float64, x *Codes) float64
}

// Objective returns the value of the objective of c for the codes x: squaredError, ‖Y − DX‖², unless c is Penalised.
func Objective(c Coder, squaredError float64, x *Codes) float64 {
	if p, ok := c.(Penalised); ok {
		return p.Objective(squaredError, x)
	}
	return squaredError
}

// Info describes a registered coder.
type Info = plugin.Info[Coder]

// registry is filled by calls of Register, so that other modules can add coders.
var registry = plugin.NewRegistry[Coder]("coder")

// Register adds a coder. It panics if info.Name is empty or already registered. Call it in init.
func Register(info Info) { registry.Register(info) }

// List describes the registered coders, sorted by name.
func List() []Info { return registry.List() }

// New returns the coder that spec names, such as "omp" or "omp:sparsity=3".
func New(spec string) (Coder, error) { return registry.New(spec) }

// Revision returns the revision of the coder that spec names. Stored codes of another revision differ from today's.
func Revision(spec string) (int, error) { return registry.Revision(spec) }

// WithSparsity returns the spec of a coder with its parameter sparsity set, or an error if the coder has none.
func WithSparsity(spec string, sparsity int) (string, error) {
	if !registry.Has(spec, "sparsity") {
		if _, err := New(spec); err != nil { // an unknown name or parameter is the better reason
			return "", err
		}
		return "", plugin.Errorf("sparse: coder %s has no parameter sparsity", spec)
	}
	sep := ":"
	if strings.Contains(spec, ":") {
		sep = ","
	}
	return fmt.Sprintf("%s%ssparsity=%d", spec, sep, sparsity), nil
}

// solver codes one signal y of n entries, which it does not change. It writes the chosen atoms to index, in any order,
// and their coefficients, for atoms at their actual lengths, to value, and returns how many atoms it chose. corr is Dᵀy
// over the unit atoms, then zeros up to a multiple of the vector width of package kernel; a solver may change corr.
// Each worker has its own solver, which may keep scratch memory.
type solver func(y, corr []float64, index []int32, value []float64) int

// codeLimited checks sparsity and tolerance, then calls codeEach. newSolver gets the largest number of non-zeros.
func codeLimited(ctx context.Context, d *Dictionary, y *mat.Dense, sparsity int, tolerance float64,
	newSolver func(most int) solver) (*Codes, error) {
	most, err := maxNonZeros(sparsity, tolerance, d)
	if err != nil {
		return nil, err
	}
	return codeEach(ctx, d, y, most, func() solver { return newSolver(most) })
}

// codeEach codes the columns of y, with a solver for each worker. most is the largest number of non-zeros of a signal.
func codeEach(ctx context.Context, d *Dictionary, y *mat.Dense, most int, newSolver func() solver) (*Codes, error) {
	if y.IsEmpty() {
		return nil, errNoSignals
	}
	n, signals := y.Dims()
	if n != d.n {
		return nil, fmt.Errorf("sparse: signals of %d entries, the atoms have %d", n, d.n)
	}
	type block struct {
		index []int32
		value []float64
	}
	blocks := make([]block, (signals+grain-1)/grain)
	start := make([]int, signals+1) // first the number of non-zeros of each signal, later the offsets into Index
	bad := make([]int, len(blocks)) // for each block, 1 + its first signal that is not finite, or 0
	d.prepare()
	err := parallel.For(ctx, signals, grain, func() func(lo, hi int) {
		solve, load := newSolver(), newBatch(d, y)
		index, value := make([]int32, grain*most), make([]float64, grain*most)
		return func(lo, hi int) {
			used := 0
			for j := lo; j < hi; j++ {
				if (j-lo)%batchSize == 0 {
					load.fill(j, min(hi, j+batchSize))
				}
				signal, corr := load.signal((j - lo) % batchSize)
				if e := dot(signal, signal); math.IsNaN(e) || math.IsInf(e, 0) {
					if bad[lo/grain] == 0 {
						bad[lo/grain] = j + 1
					}
					continue
				}
				count := solve(signal, corr, index[used:used+most], value[used:used+most])
				count = tidyCode(index[used:used+count], value[used:used+count])
				start[j+1] = count
				used += count
			}
			blocks[lo/grain] = block{append([]int32(nil), index[:used]...), append([]float64(nil), value[:used]...)}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, j := range bad {
		if j > 0 {
			return nil, fmt.Errorf("sparse: signal %d is not finite, or too large to square", j-1)
		}
	}
	for j := range signals {
		start[j+1] += start[j]
	}
	c := &Codes{Atoms: d.k, Start: start, Index: make([]int32, 0, start[signals]),
		Value: make([]float64, 0, start[signals])}
	for _, b := range blocks {
		c.Index, c.Value = append(c.Index, b.index...), append(c.Value, b.value...)
	}
	return c, nil
}

// grain is the number of signals that a worker takes at a time.
const grain = 64

// batchSize is the number of signals that are multiplied by the dictionary at a time.
const batchSize = 32

// batch holds up to batchSize signals and their products with the unit atoms.
type batch struct {
	d    *Dictionary
	y    blas64.General // all signals, one a column
	size int            // the capacity, a number of signals
	cols []float64      // n×size by rows
	rows []float64      // signal after signal
	corr []float64      // Dᵀy, d.padded entries a signal
}

// newBatch returns an empty batch of the signals y.
func newBatch(d *Dictionary, y *mat.Dense) *batch {
	b := &batch{d: d, y: y.RawMatrix()}
	b.size = min(batchSize, kernel.PadTo(b.y.Cols, kernel.Rows)) // fewer where there are fewer signals
	b.cols, b.rows = make([]float64, d.n*b.size), make([]float64, d.n*b.size)
	b.corr = make([]float64, d.padded*b.size)
	return b
}

// fill loads the signals [lo, hi) into b.cols, one a column, and b.rows, one a row, and sets b.corr to Dᵀy for each. It
// multiplies a multiple of kernel.Rows columns, of which the last may hold values of earlier signals.
func (b *batch) fill(lo, hi int) {
	n := b.d.n
	for i := range n {
		row := b.cols[i*b.size : (i+1)*b.size]
		copy(row, b.y.Data[i*b.y.Stride+lo:i*b.y.Stride+hi])
		for j, v := range row[:hi-lo] {
			b.rows[j*n+i] = v
		}
	}
	b.d.correlate(b.corr, b.cols, b.size, kernel.PadTo(hi-lo, kernel.Rows))
}

// signal returns signal j of the batch and its products with the atoms.
func (b *batch) signal(j int) (y, corr []float64) {
	return b.rows[j*b.d.n : (j+1)*b.d.n], b.corr[j*b.d.padded : (j+1)*b.d.padded]
}

// tidyCode drops zeros from a code, sorts the rest by atom (by insertion: codes are short), and returns their number.
func tidyCode(index []int32, value []float64) int {
	n := 0
	for i, v := range value {
		if v == 0 {
			continue
		}
		k, j := index[i], n
		for ; j > 0 && index[j-1] > k; j-- {
			index[j], value[j] = index[j-1], value[j-1]
		}
		index[j], value[j] = k, v
		n++
	}
	return n
}

// maxNonZeros checks the two limits that coders have in common, and returns the largest number of non-zeros of a
// signal: sparsity, but at most n. A sparsity of 0 stands for K, and one above K is an error.
func maxNonZeros(sparsity int, tolerance float64, d *Dictionary) (int, error) {
	if err := checkLimits(sparsity, tolerance); err != nil {
		return 0, err
	}
	if sparsity > d.k {
		return 0, plugin.Errorf("sparse: sparsity %d is more than the %d atoms", sparsity, d.k)
	}
	if sparsity == 0 {
		sparsity = d.k
	}
	return min(sparsity, d.n, d.k), nil
}

// checkLimits refuses a sparsity or tolerance that is invalid for every dictionary.
func checkLimits(sparsity int, tolerance float64) error {
	return plugin.CheckNumbers("sparse", map[string]float64{"sparsity": float64(sparsity), "tolerance": tolerance})
}

func axpy(a float64, x, y []float64) {
	blas64.Implementation().Daxpy(len(x), a, x, 1, y, 1)
}

// Memory estimates how many bytes any coder of this package takes to code signals of n entries over k atoms, with at
// most s non-zeros in a code. It counts neither the signals nor the atoms. result is the memory that the dictionary and
// the codes keep; working is the additional memory during coding. Learners use Memory too. It never overflows.
func Memory(n, k, signals, s int) (result, working float64) {
	rows, padded, count := float64(n), kernel.Width*math.Ceil(float64(k)/kernel.Width), float64(signals)
	most := float64(min(s, k))
	widest := min(3*most, rows, float64(k)) // the support of CoSaMP, the largest support of any coder
	codes := nonZero*most*count + 8*count

	result = 8*padded*(rows+padded) + codes // unit atoms, their Gram matrix, codes
	batch := min(batchSize, kernel.Rows*math.Ceil(count/kernel.Rows))
	// The worker's batch, then L, the basis p of OMP, vectors of n and K numbers, and the codes of a grain of signals.
	worker := 8*batch*(2*rows+padded) + 8*(widest*widest+most*padded+4*(rows+padded)) + nonZero*grain*most
	working = codes + worker*min(float64(runtime.GOMAXPROCS(0)), math.Ceil(count/grain))
	if padded > panel {
		working = max(working, 8*padded*rows) // while prepare copies the atoms into panels
	}
	return result, working
}

// nonZero is the number of bytes that a non-zero takes in Codes.
const nonZero = 12
