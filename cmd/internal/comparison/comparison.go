package comparison

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/internal/report"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/anchored"
	"superres/superres/coupled"
	"superres/superres/resample"
	"superres/superres/stage"
)

// comparisonTask is one learner in one run, with all that decides its result.
type comparisonTask struct {
	Protocol   string `json:"protocol"`
	Learner    string `json:"learner"`
	Anchors    bool   `json:"anchors,omitempty"` // of an anchored stage; else a coupled one
	Coder      string `json:"coder"`
	Run        int    `json:"run"` // training picture of the protocol single, else added to the seed
	Seed       uint64 `json:"seed"`
	Atoms      int    `json:"atoms"`
	Patches    int    `json:"patches"`
	Iterations int    `json:"limit"`
	Back       int    `json:"back_projection"`
	Data       string `json:"data"`
	Index      string `json:"index"`
	Limit      int    `json:"images_limit"`
}

// weight grows with the work.
func (t comparisonTask) weight() float64 {
	return float64(t.Atoms) * float64(t.Patches) * float64(t.Iterations)
}

// comparisonResult is what a learner came to.
type comparisonResult struct {
	comparisonTask
	Plain      []restored   `json:"plain"`                    // the tests, as the paper does it, or by an anchored stage
	Projected  []restored   `json:"back_projected,omitempty"` // and with back-projection
	RMSE       float64      `json:"rmse"`                     // of the training patches
	NonZeros   float64      `json:"non_zeros"`
	Iterations int          `json:"iterations"`
	Stop       string       `json:"stop"`
	Used       int          `json:"used"`      // atoms that a training patch uses
	Coherence  float64      `json:"coherence"` // largest |cos| between two atoms
	Seconds    float64      `json:"seconds"`   // of learning, beside the other runs
	Curve      []curvePoint `json:"curve"`
	Mosaic     []byte       `json:"mosaic,omitempty"` // PNG of the atoms, of the first run
	Failure    string       `json:"failure,omitempty"`
}

type curvePoint struct {
	Iteration int     `json:"iteration"`
	Seconds   float64 `json:"seconds"`
	RMSE      float64 `json:"rmse"`
}

// run does one task. The error is ctx's; what fails is told in the result.
func (cmp *comparison) run(ctx context.Context, t comparisonTask) (comparisonResult, error) {
	r := comparisonResult{comparisonTask: t}
	learn := cmp.learn
	if t.Anchors {
		learn = cmp.learnAnchors
	}
	if err := learn(ctx, &r); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.Failure = console.Message(err)
	}
	return r, nil
}

func (cmp *comparison) learn(ctx context.Context, r *comparisonResult) error {
	p := cmp.protocol
	learner, err := learners.New(r.Learner)
	if err != nil {
		return err
	}
	const entries = 9 + 36 // of a stacked pair
	if err := cmp.enough(learners.Memory(learner, entries, p.patches, p.atoms, p.sparsity)); err != nil {
		return err
	}
	train, seed := cmp.train, r.Seed+uint64(r.Run)
	if p.name == "single" {
		train, seed = cmp.train[r.Run:r.Run+1], r.Seed
	}
	var result *learners.Result
	flat := p.flat / 255
	if flat == 0 {
		flat = -1 // none is left out
	}
	model, err := superres.Train(ctx, train, coupled.Trainer{
		Scale: comparedScale, Degradation: cmp.degradation(), Patches: p.patches, Flat: flat, Reductions: []float64{},
		KeepMean: !p.photo, WholePatches: !p.refit, NoRefit: !p.refit, BackProject: -1,
		Learner: r.Learner, Coder: r.Coder, Atoms: p.atoms, Iterations: p.iterations, Seed: seed,
		Learned: func(l *learners.Result) { result = l },
	}, superres.TrainOptions{})
	if err != nil {
		return err
	}
	if err := r.describe(result); err != nil {
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

// anchoredBack is how often an anchored stage is back-projected, as superres train does.
const anchoredBack = 1

// learnAnchors makes a model of one anchored stage, with the anchors of the learner.
func (cmp *comparison) learnAnchors(ctx context.Context, r *comparisonResult) error {
	p, backProject := cmp.protocol, r.Back
	if backProject == 0 {
		backProject = -1 // none
	}
	trainer := anchored.Trainer{
		Scale: comparedScale, Degradation: resample.Cubic, Stages: 1, Learner: r.Learner, Atoms: p.atoms, Iterations: p.iterations, Samples: p.patches,
		Flat: 1.5 / 255, Reductions: []float64{}, BackProject: backProject, MaxMemory: cmp.limits.Memory / int64(cmp.together()), Seed: r.Seed + uint64(r.Run),
	}
	if r.Learner != anchored.SphericalMeans {
		learner, err := learners.New(r.Learner)
		if err != nil {
			return err
		}
		const entries = 16 // coordinates in which anchors are compared
		if err := cmp.enough(learners.Memory(learner, entries, p.patches, p.atoms, 1)); err != nil {
			return err
		}
	}
	began := time.Now()
	model, err := superres.Train(ctx, cmp.train, trainer, superres.TrainOptions{})
	if err != nil {
		return err
	}
	r.Seconds = time.Since(began).Seconds()
	r.Plain, err = cmp.restoreAll(ctx, model, r.Run)
	return err
}

// together is how many runs there may be at a time.
func (cmp *comparison) together() int {
	return min(runtime.GOMAXPROCS(0), max(1, len(cmp.learners)*cmp.protocol.runs))
}

// enough refuses runs of which each needs so many bytes.
func (cmp *comparison) enough(bytes float64) error {
	p, together := cmp.protocol, float64(cmp.together())
	if need := together * bytes; need > float64(cmp.limits.Memory) {
		return fmt.Errorf("learning %d atoms from %d patches needs %s for %.0f runs at a time, the limit is %s; use --max-memory, a smaller -j or fewer --patches",
			p.atoms, p.patches, console.Bytes(int64(min(need, 1<<60))), together, console.Bytes(cmp.limits.Memory))
	}
	return nil
}

// restoreAll restores the tests; those of the first run are shown.
func (cmp *comparison) restoreAll(ctx context.Context, m *superres.Model, run int) (list []restored, err error) {
	for i, test := range cmp.tests {
		one, err := cmp.restore(ctx, m, test, run == 0 && i < shownTests)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", test.name, err)
		}
		list = append(list, one)
	}
	return list, nil
}

// describe takes what the report tells of a result.
func (r *comparisonResult) describe(l *learners.Result) error {
	last := l.Steps[len(l.Steps)-1]
	r.RMSE, r.NonZeros, r.Iterations, r.Stop, r.Seconds = last.RMSE, last.NonZeros, last.Iteration, string(l.Stop), last.Elapsed.Seconds()
	for _, count := range l.Codes.Usage() {
		if count > 0 {
			r.Used++
		}
	}
	r.Coherence = l.Dictionary.Angles(1).Max
	if r.Run == 0 {
		if err := r.draw(l.Dictionary); err != nil {
			return err
		}
	}
	next := 1.0
	for _, s := range l.Steps {
		if s.Iteration == last.Iteration || float64(s.Iteration) >= next {
			r.Curve = append(r.Curve, curvePoint{s.Iteration, s.Elapsed.Seconds(), s.RMSE})
			next = max(next*1.15, float64(s.Iteration)+1)
		}
	}
	return nil
}

// draw makes the mosaic of the stacked atoms, low halves beside high ones.
func (r *comparisonResult) draw(d *sparse.Dictionary) error {
	rows, atoms := d.Dims()
	side := int(math.Sqrt(float64(rows / (1 + comparedScale*comparedScale))))
	low, err := d.Rows(0, side*side)
	if err != nil {
		return err
	}
	high, err := d.Rows(side*side, rows)
	if err != nil {
		return err
	}
	order := make([]int, atoms)
	for i := range order {
		order[i] = i
	}
	img, err := mosaic.Draw([]mosaic.Panel{mosaic.NewPanel(low, side, side, comparedScale), mosaic.NewPanel(high, side*comparedScale, side*comparedScale, 1)}, order, 3)
	if err == nil {
		r.Mosaic, err = report.PNG(img)
	}
	return err
}
