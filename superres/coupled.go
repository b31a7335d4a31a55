package superres

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/internal/plugin"
	"superres/learners/sparse"
	"superres/patches"
)

// Coupled is the stage of the paper (section 4.2, after Yang et al. 2010): each
// low-resolution patch is coded over the low half of a dictionary, P_L ≈ D_L·α,
// rebuilt from the high half, D_H·α, and the overlaps are averaged.
//
// Two extensions, both off in the paper's form: Mean takes the mean of the
// low-resolution patch off before coding and puts it back on the result; with
// Detail the high half holds what the enlargement before this stage misses, so
// that what the code leaves over is still there, enlarged the plain way.
type Coupled struct {
	Patch  int  // side of a low-resolution patch
	Mean   bool // code patches without their mean
	Detail bool // D_H·α is added to the current enlargement rather than put in its place
	Coder  string
	Low    *sparse.Dictionary // D_L: Patch²×K
	High   *sparse.Dictionary // D_H: (scale·Patch)²×K

	coder sparse.Coder
	scale int
	high  []float32 // the atoms of High, one after the other
}

// NewCoupled completes a stage whose exported fields are set, for a scale. It
// fails when the sizes or the coder are wrong.
func NewCoupled(scale int, c Coupled) (*Coupled, error) {
	if c.Patch < 1 || c.Patch > 64 || scale < 2 || scale > 4 {
		return nil, fmt.Errorf("superres: coupled stage of patch size %d and scale %d, expected 1 to 64 and 2 to 4", c.Patch, scale)
	}
	n, k := c.Low.Dims()
	m, l := c.High.Dims()
	if n != c.Patch*c.Patch || m != n*scale*scale || k != l {
		return nil, fmt.Errorf("superres: coupled stage of %d×%d and %d×%d atoms, expected %d and %d rows and equal numbers",
			n, k, m, l, c.Patch*c.Patch, c.Patch*c.Patch*scale*scale)
	}
	var err error
	if c.coder, err = sparse.New(c.Coder); err != nil {
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

// coupledParams is what a model file says of a Coupled.
type coupledParams struct {
	Patch  int    `json:"patch"`
	Mean   bool   `json:"mean"`
	Detail bool   `json:"detail"`
	Coder  string `json:"coder"`
}

func init() {
	RegisterStage("coupled", func(scale int, params json.RawMessage, a *StageArrays) (Stage, error) {
		var p coupledParams
		if err := unmarshal(params, &p); err != nil {
			return nil, err
		}
		side := p.Patch * p.Patch
		low, err := a.Get("low", side, -1)
		if err != nil {
			return nil, err
		}
		_, k := low.Dims()
		high, err := a.Get("high", side*scale*scale, k)
		if err != nil {
			return nil, err
		}
		c := Coupled{Patch: p.Patch, Mean: p.Mean, Detail: p.Detail, Coder: p.Coder}
		if c.Low, err = sparse.NewDictionary(low); err != nil {
			return nil, err
		}
		if c.High, err = sparse.NewDictionary(high); err != nil {
			return nil, err
		}
		return NewCoupled(scale, c)
	})
}

// Kind implements Stage.
func (c *Coupled) Kind() string { return "coupled" }

// Save implements Stage.
func (c *Coupled) Save(a *StageArrays) any {
	a.Put("low", c.Low.Matrix())
	a.Put("high", c.High.Matrix())
	return coupledParams{c.Patch, c.Mean, c.Detail, c.Coder}
}

// Apply implements Stage.
func (c *Coupled) Apply(ctx context.Context, low, current *patches.Plane, report func(float64)) (*patches.Plane, error) {
	whole := low.Extend(c.Patch, c.Patch)
	grid := patches.Grid{W: whole.W, H: whole.H, Size: c.Patch, Step: 1}
	average := patches.NewAverager(grid.Scale(c.scale))
	rows := max(1, 1<<14/grid.Cols()) // coded together: bounds the memory, changes nothing else
	var cut, built []float32
	for from := 0; from < grid.Rows(); from += rows {
		to := min(from+rows, grid.Rows())
		cut = grid.ExtractRows(whole, from, to, cut)
		var err error
		if built, err = c.rebuild(ctx, cut, built); err != nil {
			return nil, err
		}
		average.Add(built)
		report(float64(to) / float64(grid.Rows()))
	}
	out := average.Plane().Crop(0, 0, current.W, current.H)
	if c.Detail {
		for i, v := range current.Pix {
			out.Pix[i] += v
		}
	}
	return out, nil
}

// rebuild turns low-resolution patches into high-resolution ones, in dst when it
// is large enough.
func (c *Coupled) rebuild(ctx context.Context, low, dst []float32) ([]float32, error) {
	n := c.Patch * c.Patch
	count := len(low) / n
	y := mat.NewDense(n, count, nil)
	var means []float32
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
	codes, err := c.coder.Code(ctx, c.Low, y)
	if err != nil {
		return nil, err
	}
	m := n * c.scale * c.scale
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
						patch[h] += v * a
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

// probe codes the zero patch, to find a coder that does not suit the dictionary
// before there is work.
func (c *Coupled) probe() error {
	n, _ := c.Low.Dims()
	_, err := c.coder.Code(context.Background(), c.Low, mat.NewDense(n, 1, nil))
	return err
}

// WithSparsity returns the spec of a coder with its parameter sparsity set. It
// fails when the coder declares none.
func WithSparsity(spec string, s int) (string, error) {
	if !sparse.HasParam(spec, "sparsity") {
		return "", plugin.Errorf("superres: coder %s has no sparsity", spec)
	}
	sep := ":"
	if strings.Contains(spec, ":") {
		sep = ","
	}
	return fmt.Sprintf("%s%ssparsity=%d", spec, sep, s), nil
}
