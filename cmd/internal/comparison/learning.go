package comparison

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"math"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/mosaic"
	"superres/cmd/internal/scoring"
	"superres/internal/parallel"
	"superres/internal/report"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/coupled/learning"
	"superres/superres/fit"
	"superres/superres/resample"
	"superres/superres/stage"
)

// learn trains a model of one coupled stage with the settings of the protocol, restores the test pictures with the
// model, without and with back-projection, and writes the results to r.
func (cmp *comparison) learn(ctx context.Context, r *result) error {
	p := cmp.opt.Protocol
	coder, err := sparse.New(r.Coder)
	if err != nil {
		return err
	}
	const entries = 9 + 36 // a 3×3 and a 6×6 patch, stacked into one vector
	// Memory in bytes: room for four copies of the DCT, and the inner products of its atoms. A learner says its own.
	inUse := 4*8*entries*float64(p.atoms) + 8*math.Pow(float64(p.atoms), 2)
	var given *sparse.Dictionary
	if r.Learner != fixedDCT {
		learner, err := learners.New(r.Learner)
		if err != nil {
			return err
		}
		inUse = learner.Memory(entries, p.patches, p.atoms, p.sparsity)
	}
	if err := cmp.checkMemory(8*entries*float64(p.patches) + inUse); err != nil {
		return err
	}
	if r.Learner == fixedDCT {
		if given, err = coupledDCT(p.atoms); err != nil {
			return err
		}
	}
	train, seed := cmp.data.train, r.Seed+uint64(r.Run)
	var found error // error from examining the dictionary
	if p.name == "single" {
		train, seed = cmp.data.train[r.Run:r.Run+1], r.Seed // runs differ by the digit alone
	}
	model, err := fit.Train(ctx, train, learning.Trainer{
		Scale: scale, Degradation: resample.Box, Patch: 3, Patches: p.patches, Flat: p.flat / 255, Detail: p.refit,
		Refit: p.refit, Learner: r.Learner, Coder: r.Coder, Atoms: p.atoms, Iterations: p.iterations, Seed: seed,
		Fixed: given,
		Learned: func(l *learners.Result, stacked *mat.Dense) {
			found = r.describe(l)
			if found == nil {
				r.Coded, found = codedError(ctx, coder, l.Dictionary, stacked, stacked)
			}
		},
	}, fit.Options{})
	if err = stdcmp.Or(err, found); err != nil {
		return err
	}
	projected, err := model.Tune(stage.Tuning{BackProject: &p.back})
	if err != nil {
		return err
	}
	if r.Plain, err = cmp.restoreAll(ctx, model, r.Run); err != nil {
		return err
	}
	r.Projected, err = cmp.restoreAll(ctx, projected, r.Run)
	return err
}

// workers returns the number of runs of learners that work at the same time.
func (cmp *comparison) workers() int {
	return min(runtime.GOMAXPROCS(0), max(1, len(cmp.opt.Learners)*cmp.opt.Protocol.runs))
}

// checkMemory fails if the runs that work at the same time, each taking inUse bytes, exceed the memory limit.
func (cmp *comparison) checkMemory(inUse float64) error {
	p, workers := cmp.opt.Protocol, cmp.workers()
	return console.EnoughMemory(cmp.opt.Limits.Memory, fmt.Sprintf("learning %d atoms from %d patches, %d runs at a "+
		"time,", p.atoms, p.patches, workers), console.Process(float64(workers)*inUse),
		", a smaller -j or fewer --patches")
}

// describe sets fields of r from l, the result of learning. In run 0 it also draws the picture of the atoms. r.Curve
// gets the last step of l and, of those before, the first seven and then ever fewer: the least number of an iteration
// for the next grows by 15 % with each. If the learner counts no iterations, r.Curve gets all steps.
func (r *result) describe(l *learners.Result) error {
	last := l.Steps[len(l.Steps)-1]
	r.RMSE, r.NonZeros, r.Iterations, r.Stop, r.Seconds = last.RMSE, last.NonZeros, last.Iteration, string(l.Stop),
		last.Elapsed.Seconds()
	for _, count := range l.Codes.Usage() {
		if count > 0 {
			r.Used++
		}
	}
	r.Coherence = l.Dictionary.Angles(1).Max // the largest |cos| of the angle between two atoms
	r.Least, r.Falling = l.Least(), l.Falling()
	next := 1.0 // the least number of an iteration that r.Curve gets next
	for _, s := range l.Steps {
		if s.Iteration == last.Iteration || float64(s.Iteration) >= next {
			r.Curve = append(r.Curve, curvePoint{s.Iteration, s.Elapsed.Seconds(), s.RMSE})
			next = max(next*1.15, float64(s.Iteration)+1)
		}
	}
	if r.Run == 0 {
		return r.draw(l.Dictionary)
	}
	return nil
}

// The names of dictionaries that are not learned; in tasks and tables they stand in place of the name of a learner.
const fixedDCT, fixedSamples = "dct", "samples"

// coupledDCT returns an overcomplete DCT of 6×6 patches as a dictionary of stacked pairs: above each 6×6 atom are the
// means of its 2×2 blocks. It needs no learning. It has only frequencies that 3×3 patches can show: higher frequencies
// leave little in the low half, so the coder would use them for noise.
func coupledDCT(atoms int) (*sparse.Dictionary, error) {
	const high, low = 6, 3
	d, err := overcompleteDCT(high*high, atoms, true, 1./scale)
	if err != nil {
		return nil, err
	}
	var stacked []float64
	for k := range atoms {
		atom, pair := d.Atom(k), make([]float64, low*low+high*high)
		for i, v := range atom { // entry i is in row i/high and column i%high
			pair[i/high/scale*low+i%high/scale] += v / (scale * scale)
			pair[low*low+i] = v
		}
		learners.Normalise(pair)
		stacked = append(stacked, pair...)
	}
	return sparse.FromAtoms(low*low+high*high, stacked)
}

// draw sets r.Mosaic to a picture of the atoms of d: of each the low-resolution half, enlarged, beside the other half.
func (r *result) draw(d *sparse.Dictionary) error {
	rows, atoms := d.Dims()
	side := int(math.Sqrt(float64(rows / (1 + scale*scale)))) // of the low half, in pixels: rows = side²·(1 + scale²)
	low, err := d.Rows(0, side*side)
	if err != nil {
		return err
	}
	high, err := d.Rows(side*side, rows)
	if err != nil {
		return err
	}
	const zoom = 3
	img, err := mosaic.Draw([]mosaic.Panel{mosaic.NewPanel(low, side, side, scale),
		mosaic.NewPanel(high, side*scale, side*scale, 1)}, parallel.Numbers(atoms), zoom)
	if err == nil {
		r.Mosaic, err = report.PNG(img)
	}
	return err
}

// restored is the restoration of a test picture, with its scores.
type restored struct {
	// Cell holds the scores of the restored picture against the test picture.
	scoring.Cell
	// Picture is the restored picture, or the part of it to show, as PNG; empty if it is not stored.
	Picture []byte `json:"picture,omitempty"`
}

// baseline is an interpolation or a model trained earlier, with its scores.
type baseline struct {
	name   string // its name in tables
	plain  bool   // it is an interpolation; false: a trained model
	model  *superres.Model
	scores []restored // one for each test picture, after restoring
}

// openBaselines opens the plain interpolations and the models in cmp.opt.Models, without their scores.
func (cmp *comparison) openBaselines(ctx context.Context) (list []baseline, err error) {
	for _, name := range append([]string{"nearest", "bicubic"}, cmp.opt.Models...) {
		m, err := models.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		if m.IsPlain() { // pictures are reduced for it by the mean of 2×2 blocks, as in the paper
			plain := *m
			m, plain.Degradation = &plain, resample.Box
		}
		list = append(list, baseline{name: name, plain: m.IsPlain(), model: m})
	}
	return list, nil
}

// restoreAll reduces all test pictures, enlarges them again with m, and returns the normalised squared error (NFE) of
// each: ‖Î − I‖²/‖I‖². It keeps the first pictures, or parts: maxKept in run 0, maxShown in later runs before maxRuns.
func (cmp *comparison) restoreAll(ctx context.Context, m *superres.Model, run int) (list []restored, err error) {
	for i, test := range cmp.data.tests {
		e, shown, err := m.RestoreExact(ctx, test.img, scale)
		r := restored{Cell: scoring.Cell{NFE: console.Finite(e)}}
		if err == nil && (run == 0 && i < maxKept || run < maxRuns && i < maxShown) {
			r.Picture, err = crop(shown, test.img)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", test.name, err)
		}
		list = append(list, r)
	}
	return list, nil
}
