package coupled

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/patches"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Stage is the stage of the paper (section 4.2, after Yang et al. 2010): each low-resolution patch P_L is coded over
// the low half of a dictionary, P_L ≈ D_L·α, and rebuilt from the high half, D_H·α; overlapping patches are averaged.
//
// Two extensions are off in the paper's form. Mean subtracts the mean of the low-resolution patch before coding and
// adds it to the result. With Detail, D_H·α is added to the enlargement before this stage, so that details which the
// dictionary lacks stay as interpolation left them.
type Stage struct {
	// Patch is the side of a low-resolution patch, 1 to 16.
	Patch int
	// Mean is true if the mean of a patch is subtracted before the patch is coded.
	Mean bool
	// Detail is true if D_H·α is added to the enlargement before this stage, and false if it replaces that enlargement.
	Detail bool
	// Coder is the spec of the sparse coder: its name and parameters.
	Coder string
	// Low is D_L, Patch²×K.
	Low *sparse.Dictionary
	// High is D_H, (scale·Patch)²×K.
	High *sparse.Dictionary

	coder sparse.Coder
	scale int
	high  []float32 // the atoms of High, one after another
}

// MaxPatch and MaxAtoms bound the memory that a forged file can make a program allocate.
const (
	MaxPatch = 16
	MaxAtoms = 4096
)

// NewCoder returns the coder for a spec. It codes a signal of zeros over d, so that a coder that does not suit the
// dictionary fails here and not during the work.
func NewCoder(spec string, d *sparse.Dictionary) (sparse.Coder, error) {
	coder, err := sparse.New(spec)
	if err != nil {
		return nil, err
	}
	n, _ := d.Dims()
	_, err = coder.Code(context.Background(), d, mat.NewDense(n, 1, nil))
	return coder, err
}

// New returns a copy of c, ready to enlarge by scale. The exported fields of c must be set. The copy shares the
// dictionaries of c. New fails if the size of patches or the scale is out of range, if the dictionaries do not have
// the sizes that follow from these, or if the coder is invalid.
func New(scale int, c Stage) (*Stage, error) {
	if c.Patch < 1 || c.Patch > MaxPatch || scale < 2 || scale > 4 {
		return nil, fmt.Errorf("coupled: a stage of patch size %d and scale %d, expected 1 to %d and 2 to 4", c.Patch,
			scale, MaxPatch)
	}
	n, k := c.Low.Dims()
	m, l := c.High.Dims()
	if n != c.Patch*c.Patch || m != n*scale*scale || k != l || k > MaxAtoms {
		return nil, fmt.Errorf("coupled: a stage of %d×%d and %d×%d atoms, expected %d and %d rows and equal "+
			"numbers up to %d", n, k, m, l, c.Patch*c.Patch, c.Patch*c.Patch*scale*scale, MaxAtoms)
	}
	var err error
	if c.coder, err = NewCoder(c.Coder, c.Low); err != nil {
		return nil, err
	}
	c.scale = scale
	c.high = make([]float32, 0, m*k)
	for j := range k {
		for _, v := range c.High.Atom(j) {
			c.high = append(c.high, float32(v))
		}
	}
	return &c, nil
}

// Storable returns an error if spec is no coder, or a coder that is an external program. A model file must not name
// such a coder, as users of the file may not have the program.
func Storable(spec string) error {
	coder, err := sparse.New(spec)
	if err != nil {
		return err
	}
	if _, is := coder.(plugin.Program); is {
		return usage.Errorf("coupled: the coder %s is a program, which no model may name; expected one of this "+
			"program's own", spec)
	}
	return nil
}

// params are the parameters of a stage in a model file.
type params struct {
	Patch  int    `json:"patch"`
	Mean   bool   `json:"mean"`
	Detail bool   `json:"detail"`
	Coder  string `json:"coder"`
}

func init() { stage.Register(kind, load) }

const kind = "coupled"

// load is the stage.Loader of the coupled stage.
func load(scale int, text json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if p.Patch < 1 || p.Patch > MaxPatch {
		return nil, fmt.Errorf("patch size %d, expected 1 to %d", p.Patch, MaxPatch)
	}
	if err := Storable(p.Coder); err != nil {
		return nil, err
	}
	side := p.Patch * p.Patch
	low, err := a.GetMatrix("low", side, -MaxAtoms) // up to MaxAtoms columns
	if err != nil {
		return nil, err
	}
	_, k := low.Dims()
	if err := a.Reserve(8 * int64(k) * int64(k)); err != nil { // for the Gram matrix of D_L
		return nil, err
	}
	high, err := a.GetMatrix("high", side*scale*scale, k)
	if err != nil {
		return nil, err
	}
	c := Stage{Patch: p.Patch, Mean: p.Mean, Detail: p.Detail, Coder: p.Coder}
	if c.Low, err = sparse.NewDictionary(low); err != nil {
		return nil, err
	}
	if c.High, err = sparse.NewDictionary(high); err != nil {
		return nil, err
	}
	return New(scale, c)
}

// Kind implements stage.Stage, as does Save, which puts the dictionaries into a and returns the other parameters.
func (c *Stage) Kind() string { return kind }

// Reach implements stage.Stage. It is one row less than a patch, since a sample depends on all patches that cover it.
func (c *Stage) Reach() int { return c.Patch - 1 }

func (c *Stage) Save(a *stage.Arrays) any {
	a.PutMatrix("low", c.Low.Matrix())
	a.PutMatrix("high", c.High.Matrix())
	return params{c.Patch, c.Mean, c.Detail, c.Coder}
}

// Apply implements stage.Stage. It cuts, codes, rebuilds and averages patches, some rows at a time. A picture smaller
// than a patch is extended, and the result cropped. With Detail it is added to current, the picture enlarged so far.
func (c *Stage) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	whole := low.Extend(c.Patch, c.Patch)
	grid := patches.Grid{W: whole.W, H: whole.H, Size: c.Patch, Step: 1}
	average := patches.NewAverager(grid.Scale(c.scale))
	// The number of rows limits the memory. It does not change the result.
	rows := max(1, togetherBytes/(grid.Cols()*c.patchBytes()))
	var cut, built []float32
	for from := 0; from < grid.Rows(); from += rows {
		to := min(from+rows, grid.Rows())
		cut = grid.ExtractRows(whole, from, to, cut)
		var err error
		if built, err = c.rebuild(ctx, cut, built); err != nil {
			return nil, err
		}
		average.Add(built)
		w.Report(float64(to) / float64(grid.Rows()))
	}
	out := average.Plane()
	if out.W != current.W || out.H != current.H {
		out = out.Crop(0, 0, current.W, current.H)
	}
	if c.Detail {
		for i, v := range current.Pix {
			out.Pix[i] += v
		}
	}
	return out, nil
}

// togetherBytes is the approximate memory of the patches that are coded at once.
const togetherBytes = 16 << 20

// patchBytes returns the memory in bytes of a pair of patches that is being coded: the samples of both in float32,
// the low patch in float64, and a code of up to Patch² indexes and values.
func (c *Stage) patchBytes() int {
	n := c.Patch * c.Patch
	return 4*n*(1+c.scale*c.scale) + 8*n + 16*n
}

// Memory implements stage.Stage. fixed is for the dictionaries and the Gram matrix of D_L, working for the patches that
// are coded at once and the coder's memory in each worker.
func (c *Stage) Memory(width, rows int) (fixed, working int64) {
	n, k := c.Low.Dims()
	m, _ := c.High.Dims()
	fixed = int64(k) * int64(8*k+16*n+12*m) // Gram matrix; D_L, also at length 1; D_H, also in float32
	row := width * c.patchBytes()
	together := min(max(togetherBytes, row), rows*row)
	return fixed, int64(together) + int64(runtime.GOMAXPROCS(0))*int64(8*k*min(n, k))
}

// Settings implements stage.Tunable: the coder can be set.
func (c *Stage) Settings() stage.Settings { return stage.Coding }

// Tune implements stage.Tunable: it sets the coder or its sparsity. It returns c itself if t has neither.
func (c *Stage) Tune(t stage.Tuning) (stage.Stage, error) {
	if t.Coder == "" && t.Sparsity == 0 {
		return c, nil
	}
	tuned := *c
	if t.Coder != "" {
		tuned.Coder = t.Coder
	}
	if t.Sparsity != 0 {
		var err error
		if tuned.Coder, err = sparse.WithSparsity(tuned.Coder, t.Sparsity); err != nil {
			return nil, err
		}
	}
	return New(c.scale, tuned)
}

// code returns the codes over D_L of the patches in low, which lie there one after another, and the means that it has
// subtracted from the patches, or nil if it subtracts none.
func (c *Stage) code(ctx context.Context, low []float32) (codes *sparse.Codes, means []float32, err error) {
	n := c.Patch * c.Patch
	count := len(low) / n
	y := mat.NewDense(n, count, nil)
	if c.Mean {
		means = make([]float32, count)
	}
	raw := y.RawMatrix().Data
	for j := range count {
		patch := low[j*n : (j+1)*n]
		mean := 0.0
		if c.Mean {
			mean = meanOf(patch)
			means[j] = float32(mean)
		}
		for i, v := range patch {
			raw[i*count+j] = float64(v) - mean
		}
	}
	codes, err = c.coder.Code(ctx, c.Low, y)
	return codes, means, err
}

// rebuild returns the high-resolution patches for the low-resolution patches low, in dst if it is large enough: sums of
// high atoms times the coefficients of the codes. Means that code subtracted are added unless Detail is set.
func (c *Stage) rebuild(ctx context.Context, low, dst []float32) ([]float32, error) {
	codes, means, err := c.code(ctx, low)
	if err != nil {
		return nil, err
	}
	count := codes.Signals()
	m := c.Patch * c.Patch * c.scale * c.scale
	if cap(dst) < count*m {
		dst = make([]float32, count*m)
	}
	dst = dst[:count*m]
	err = parallel.For(ctx, count, 256, func() func(lo, hi int) {
		return func(lo, hi int) {
			for j := lo; j < hi; j++ {
				patch := dst[j*m : (j+1)*m]
				clear(patch)
				if c.Mean && !c.Detail {
					for i := range patch {
						patch[i] = means[j]
					}
				}
				index, value := codes.Column(j)
				for i, k := range index {
					v := float32(value[i])
					for h, a := range c.high[int(k)*m : int(k+1)*m] {
						patch[h] += float32(v * a)
					}
				}
			}
		}
	})
	return dst, err
}

func meanOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}
