package external

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/sparse"
)

// Learner is a learner that runs an external program. If the program writes no codes, opt.Coder computes them.
type Learner struct{ Program }

// Answered is the StopReason of all results of programs: the program has answered.
const Answered learners.StopReason = "program answered"

// Learn implements learners.Learner. Whether the result is the same for the same Y, options and seed depends on the
// program. The steps come from the program's trace; without a trace there is one step with the number 0. The RMSE and
// the non-zeros of the last step are computed here. When ctx ends, the result is nil.
func (l *Learner) Learn(ctx context.Context, y *mat.Dense, opt learners.Options) (*learners.Result, error) {
	began := time.Now()
	opt, start, err := learners.Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	answer, done, err := l.solve(ctx, statement{
		Task: "learn", Entries: m, Signals: n, Atoms: opt.Atoms, Sparsity: sparse.MostNonZeros(opt.Coder),
		Iterations: opt.Iterations,
		Seed:       opt.Seed & math.MaxInt32,
	}, map[string]*mat.Dense{signalsFile: y, startFile: start.Matrix()})
	defer done()
	if err != nil {
		return nil, err
	}
	r := &learners.Result{Stop: Answered}
	var lengths []float64
	if r.Dictionary, lengths, err = answer.readDictionary(m, opt.Atoms); err != nil {
		return nil, err
	}
	if r.Codes, err = answer.readCodes(opt.Atoms, n, lengths); err != nil {
		return nil, err
	}
	if r.Steps, err = answer.readTrace(); err != nil {
		return nil, err
	}
	answer.accept()
	if r.Codes == nil {
		if r.Codes, err = opt.Coder.Code(ctx, r.Dictionary, y); err != nil {
			return nil, err
		}
	}
	if r, err = learners.Finish(r); err != nil {
		return nil, err
	}
	if len(r.Steps) == 0 {
		r.Steps = make([]learners.Step, 1)
	}
	last := &r.Steps[len(r.Steps)-1]
	last.RMSE, last.NonZeros, last.Elapsed = rmse(y, r), float64(len(r.Codes.Index))/float64(n), time.Since(began)
	if math.IsNaN(last.RMSE) || math.IsInf(last.RMSE, 0) {
		return nil, l.fail("%s and %s give a residual that is not finite", atomsFile, codesFile)
	}
	if opt.Trace != nil {
		for _, s := range r.Steps {
			opt.Trace(s)
		}
	}
	return r, nil
}

// rmse returns ‖Y − DX‖_F / √(MN) for the M×N signals y and the dictionary D and codes X of r.
func rmse(y *mat.Dense, r *learners.Result) float64 {
	m, n := y.Dims()
	residual, sum := make([]float64, m), 0.0
	for j := range n {
		mat.Col(residual, j, y)
		index, value := r.Codes.Column(j)
		for i, k := range index {
			for h, v := range r.Dictionary.Atom(int(k)) {
				residual[h] -= value[i] * v
			}
		}
		for _, v := range residual {
			sum += v * v
		}
	}
	return math.Sqrt(sum / float64(m*n))
}

// Memory implements learners.Learner. It counts the memory of this process, not of the program. The program may or may
// not write codes, so the estimate is the larger of the two cases.
func (l *Learner) Memory(m, n, k, s int) float64 {
	return max(memoryWithCodes(m, n, k, s), memoryWithoutCodes(m, n, k, s))
}

// memoryWithCodes estimates the memory if the program writes codes: the codes twice (first as the matrix read from the
// file and as sparse codes, later as two sparse codes) and the dictionary three times.
func memoryWithCodes(m, n, k, s int) float64 {
	codes := 12*float64(n)*float64(min(s, k)) + 8*float64(n)
	return 8*3*float64(m)*float64(k) + codes + max(8*float64(k)*float64(n), codes)
}

// memoryWithoutCodes estimates the memory if opt.Coder computes the codes: the coder's memory, and three dictionaries.
func memoryWithoutCodes(m, n, k, s int) float64 {
	held, working := sparse.Memory(m, k, n, s)
	return 8*3*float64(m)*float64(k) + held + working
}
