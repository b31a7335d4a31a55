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

// Coder finds sparse codes: X with Y ≈ D·X. A coder is a plain value that keeps no state between calls, and is safe
// for concurrent use.
type Coder interface {
	// Code returns the K×N codes of the columns of y over d. It returns an error if the sizes do not fit, or if y is
	// empty or the square of an entry is not finite, and ctx.Err() when ctx ends. y is not changed. The result does not
	// depend on the number of workers, and the code of a signal not on the other signals.
	Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error)
}

// Limited is a coder that can say how many non-zeros a code has at most.
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

// Penalised is a coder that minimises something else than ‖y − Dx‖².
type Penalised interface {
	// Objective returns what the codes x of all signals minimise, from ‖Y − DX‖² and x.
	Objective(squaredError float64, x *Codes) float64
}

// Objective returns what c minimises by choosing the codes x: ‖Y − DX‖², which is squaredError, or more where c is
// Penalised.
func Objective(c Coder, squaredError float64, x *Codes) float64 {
	if p, ok := c.(Penalised); ok {
		return p.Objective(squaredError, x)
	}
	return squaredError
}

// Info describes a registered coder.
type Info = plugin.Info[Coder]

// A table filled by Register, not a list: other modules may plug in.
var registry = plugin.NewRegistry[Coder]("coder")

// Register adds a coder. It panics if info.Name is empty or already registered. Call it in init.
func Register(info Info) { registry.Register(info) }

// List describes the registered coders, sorted by name.
func List() []Info { return registry.List() }

// New makes the coder of a spec such as "omp" or "omp:sparsity=3".
func New(spec string) (Coder, error) { return registry.New(spec) }

// Revision returns the revision of the coder that spec names: codes that were kept from another revision are not what
// the coder gives now.
func Revision(spec string) (int, error) { return registry.Revision(spec) }

// WithSparsity returns the spec of a coder with its parameter sparsity set. It returns an error if the coder has no
// such parameter.
func WithSparsity(spec string, sparsity int) (string, error) {
	if !registry.Has(spec, "sparsity") {
		if _, err := New(spec); err != nil {
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

// solver codes one signal y of n entries, which it does not change. It writes the chosen atoms, in any order, to index
// and their coefficients, for the atoms at their actual lengths, to value, and returns how many atoms it chose. corr is
// Dᵀy over the unit atoms, with zeros up to a multiple of the width of package kernel; a solver may change it. Each
// worker has a solver of its own, which may keep scratch memory.
type solver func(y, corr []float64, index []int32, value []float64) int

// codeLimited is codeEach for a coder with the given sparsity and tolerance, which it checks. newSolver gets the
// largest number of non-zeros of a signal.
func codeLimited(ctx context.Context, d *Dictionary, y *mat.Dense, sparsity int, tolerance float64,
	newSolver func(most int) solver) (*Codes, error) {
	most, err := maxNonZeros(sparsity, tolerance, d)
	if err != nil {
		return nil, err
	}
	return codeEach(ctx, d, y, most, func() solver { return newSolver(most) })
}

// codeEach runs solvers over the columns of y, on all workers. most is the largest number of non-zeros of a signal.
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
	start := make([]int, signals+1) // first the number of non-zeros of each signal, later the offsets
	bad := make([]int, len(blocks)) // 1 + the first signal of a block that is not finite, or 0
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

// grain is how many signals a worker takes at a time.
const grain = 64

// batchSize is how many signals are multiplied by the dictionary at a time.
const batchSize = 32

// batch holds up to batchSize signals and their products with the unit atoms.
type batch struct {
	d    *Dictionary
	y    blas64.General
	size int       // the capacity in signals
	cols []float64 // n×size by rows
	rows []float64 // signal after signal
	corr []float64 // Dᵀy, d.wide entries a signal
}

// newBatch returns an empty batch of the signals y.
func newBatch(d *Dictionary, y *mat.Dense) *batch {
	b := &batch{d: d, y: y.RawMatrix()}
	b.size = min(batchSize, kernel.PadTo(b.y.Cols, kernel.Rows)) // fewer where there are fewer signals
	b.cols, b.rows = make([]float64, d.n*b.size), make([]float64, d.n*b.size)
	b.corr = make([]float64, d.wide*b.size)
	return b
}

// fill loads the signals [lo, hi). Their number is rounded up to a multiple of kernel.Rows, so that values of earlier
// signals in the remaining columns may be multiplied too.
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
	return b.rows[j*b.d.n : (j+1)*b.d.n], b.corr[j*b.d.wide : (j+1)*b.d.wide]
}

// tidyCode sorts a code by atom, by insertion because codes are short, drops exact zeros, and returns how many entries
// remain.
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

// maxNonZeros checks the two limits that every coder has, and returns the largest number of non-zeros of a signal:
// sparsity, or min(n, K) where that is 0.
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

// checkLimits refuses a sparsity and a tolerance without a meaning for any dictionary.
func checkLimits(sparsity int, tolerance float64) error {
	return plugin.CheckNumbers("sparse", map[string]float64{"sparsity": float64(sparsity), "tolerance": tolerance})
}

// axpy adds a·x to y.
func axpy(a float64, x, y []float64) {
	blas64.Implementation().Daxpy(len(x), a, x, 1, y, 1)
}

// Memory estimates the memory of coding, in bytes, by any coder of this package, without the signals and the atoms:
// for signals of n entries over k atoms, with at most s non-zeros in a code. result stays as long as the dictionary
// and its codes do; working is what coding takes besides. Learners use it in their own estimates. It does not
// overflow for any sizes.
func Memory(n, k, signals, s int) (result, working float64) {
	rows, wide, count := float64(n), kernel.Width*math.Ceil(float64(k)/kernel.Width), float64(signals)
	most := float64(min(s, k))
	widest := min(3*most, rows, float64(k)) // the support of CoSaMP, which is the largest of all coders
	codes := nonZero*most*count + 8*count

	result = 8*wide*(rows+wide) + codes
	batch := min(batchSize, kernel.Rows*math.Ceil(count/kernel.Rows))
	worker := 8*batch*(2*rows+wide) + 8*(widest*widest+most*wide+4*(rows+wide)) + nonZero*grain*most
	working = codes + worker*min(float64(runtime.GOMAXPROCS(0)), math.Ceil(count/grain))
	if wide > panel {
		working = max(working, 8*wide*rows) // while the panels are filled
	}
	return result, working
}

// nonZero is how many bytes a non-zero of Codes takes.
const nonZero = 12
