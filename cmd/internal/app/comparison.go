package app

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"math"
	"runtime"

	"superres/internal/report"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres"
)

// comparisonTask is one learner in one run, with all that decides its result.
type comparisonTask struct {
	Protocol   string `json:"protocol"`
	Learner    string `json:"learner"`
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
	Plain      []restored   `json:"plain"`          // the tests, as the paper does it
	Projected  []restored   `json:"back_projected"` // and with back-projection
	RMSE       float64      `json:"rmse"`           // of the training patches
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

// restored is a picture that was restored.
type restored struct {
	cell
	Picture []byte `json:"picture,omitempty"` // PNG of it or of a part of it, of the first run
}

type curvePoint struct {
	Iteration int     `json:"iteration"`
	Seconds   float64 `json:"seconds"`
	RMSE      float64 `json:"rmse"`
}

// baseline is what needs no learning.
type baseline struct {
	name   string
	scores []restored
}

// run does one task. The error is ctx's; what fails is told in the result.
func (cmp *comparison) run(ctx context.Context, t comparisonTask) (comparisonResult, error) {
	r := comparisonResult{comparisonTask: t}
	if err := cmp.learn(ctx, &r); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r.Failure = message(err)
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
	together := float64(min(runtime.GOMAXPROCS(0), len(cmp.learners)*p.runs))
	if need := together * learners.Memory(learner, entries, p.patches, p.atoms, p.sparsity); need > float64(cmp.memory) {
		return fmt.Errorf("learning %d atoms from %d patches needs %s for %.0f runs at a time, the limit is %s; use --max-memory, a smaller -j or fewer --patches",
			p.atoms, p.patches, gib(int64(min(need, 1<<60))), together, gib(cmp.memory))
	}
	train, seed := cmp.train, r.Seed+uint64(r.Run)
	if p.name == "single" {
		train, seed = cmp.train[r.Run:r.Run+1], r.Seed
	}
	var result *learners.Result
	model, err := superres.Train(ctx, train, superres.TrainOptions{
		Scale: comparedScale, Degradation: cmp.degradation(), Patches: p.patches, Flat: p.flat / 255, Mean: p.photo, Detail: p.refit, Refit: p.refit,
		Learner: r.Learner, Coder: r.Coder, Atoms: p.atoms, Iterations: p.iterations, Seed: seed,
		Learned: func(l *learners.Result) { result = l },
	})
	if err != nil {
		return err
	}
	if err := r.describe(result); err != nil {
		return err
	}
	projected, err := model.Tune(superres.Tuning{BackProject: &p.back})
	if err != nil {
		return err
	}
	for _, v := range []struct {
		model *superres.Model
		to    *[]restored
	}{{model, &r.Plain}, {projected, &r.Projected}} {
		for i, test := range cmp.tests {
			one, err := cmp.restore(ctx, v.model, test, r.Run == 0 && i < shownTests)
			if err != nil {
				return fmt.Errorf("%s: %w", test.name, err)
			}
			*v.to = append(*v.to, one)
		}
	}
	return nil
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
	img, err := mosaic([]panel{{low, side, side, comparedScale}, {high, side * comparedScale, side * comparedScale, 1}}, order, 3)
	if err == nil {
		r.Mosaic, err = report.PNG(img)
	}
	return err
}

// shownSide is the largest side of a picture on the page.
const shownSide = 96

// crop encodes a picture as PNG, or the part of it where the truth varies most.
func crop(img, truth image.Image) ([]byte, error) {
	b := img.Bounds()
	if b.Dx() > shownSide || b.Dy() > shownSide {
		at := busiest(truth, min(b.Dx(), shownSide), min(b.Dy(), shownSide))
		part := image.NewNRGBA(image.Rectangle{Max: at.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(at.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}

// busiest returns the window of w×h, from 0,0, in which the brightness varies most,
// among those at multiples of half its size.
func busiest(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	var best image.Rectangle
	most := -1.0
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			sum, square := 0.0, 0.0
			for i := range w * h {
				r, g, bl, _ := img.At(b.Min.X+x+i%w, b.Min.Y+y+i/w).RGBA()
				v := float64(r + g + bl)
				sum, square = sum+v, square+v*v
			}
			if spread := square - sum*sum/float64(w*h); spread > most {
				most, best = spread, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}
