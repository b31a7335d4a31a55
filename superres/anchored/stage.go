package anchored

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"superres/patches/plane"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/superres/stage"
	"superres/superres/training"
)

// Stage adds to the current enlargement what it learned to be
// missing. Around every cell of the enlargement it takes a patch p of its input,
// brings it into canonical form (form.go), and computes
//
//	z = V·p                    a few whitened coordinates, in which patches are compared
//	k = argmax_j d_jᵀz         the anchor: the atom of D_L in a code with 1 non-zero
//	r = R_kᵀ·(U·p)             its regressor, between coordinates of input and output
//	block = W·r                what is missing around the cell; overlaps are averaged.
//
// It computes in integers: p, V, U, r and W have 16 bits, z, U·p, d and R have 8, each
// with a scale for a patch, a matrix or a regressor. That costs less than 0.005 dB, and is
// the same on every machine.
//
// Relation to the coupled stage: there α codes the patch over D_L, and D_H·α, a linear
// map of the few coefficients that were found, rebuilds it. Here the code has 1
// non-zero, and its place alone is used: it says of what kind the patch is, and a
// linear map of the whole patch, learned for that kind, rebuilds what is missing.
// D_H has become one matrix an atom. A code of one atom is found fast, and nothing
// of the patch is lost to sparsity.
//
// After R. Timofte, V. De Smet, L. Van Gool: Anchored neighborhood regression, ICCV
// 2013, doi:10.1109/ICCV.2013.241, and A+, ACCV 2014,
// doi:10.1007/978-3-319-16817-3_8; the cascade and the use of symmetry after R.
// Timofte, R. Rothe, L. Van Gool: Seven ways to improve example-based single image
// super resolution, CVPR 2016, doi:10.1109/CVPR.2016.206; regressors that a cheap
// property of the patch selects also in Y. Romano, J. Isidoro, P. Milanfar: RAISR,
// IEEE Trans. Computational Imaging 3 (2017), doi:10.1109/TCI.2016.2629284.
type Stage struct {
	params params
	tables tables
	scale  int

	form        canonical
	in, out     []int32 // where the samples of a patch and of a block lie in a tile, orbit after orbit
	search      *search
	analysis    []int32   // [Vᵀ Uᵀ], rounded to 16 bits, with room after each
	synthesis   []int32   // Wᵀ, the same
	inputUnit   float32   // what 1 in Uᵀ stands for
	outUnit     float32   // and in Wᵀ
	backwards   []float32 // W, with room
	blockBudget int       // about what the blocks take that are worked on together
}

// params is what a model file says of a Stage.
type params struct {
	Input      string              `json:"input"` // "low" or "current"
	Patch      int                 `json:"patch"` // side of a patch of the input
	Cell       int                 `json:"cell"`  // side of a cell, in samples of the enlargement
	Block      int                 `json:"block"` // side of a block of the output
	Sigma      float64             `json:"sigma"` // of the window, in samples of the input
	Symmetries training.Symmetries `json:"symmetries"`
	Anchors    int                 `json:"anchors"` // K
	Centroids  int                 `json:"centroids"`
	Candidates int                 `json:"candidates"` // anchors of a centroid
	SearchDims int                 `json:"search_dims"`
	InputDims  int                 `json:"input_dims"`
	OutputDims int                 `json:"output_dims"`
}

// tables are the arrays of a Stage as its file holds them.
type tables struct {
	search    []float32 // Vᵀ: features×SearchDims
	input     []float32 // Uᵀ: features×InputDims, white
	output    []float32 // Wᵀ: OutputDims×Block²
	anchors   []int8    // Anchors×SearchDims: directions
	centroids []float32 // Centroids×SearchDims
	lists     []uint16  // Centroids×Candidates
	maps      []uint8   // Anchors×coefs: the regressors, as kernel.Maps has them
	steps     []float32 // Anchors×1: what a regressor's 1 stands for
}

// The limits of a stage; maxCoefs bounds the coefficients of its regressors, with those
// that fill them up. Of each file the stages share a budget besides: see Reserve.
const (
	maxAnchorPatch = 16
	maxAnchors     = 16384
	maxCoefs       = 48 << 20
)

const fromLow, fromCurrent = "low", "current"

// features is the length of a patch as a vector. Without symmetries a 1 is appended,
// so that the linear maps are affine.
func (p params) features() int {
	if p.Symmetries == training.NoSymmetries {
		return p.Patch*p.Patch + 1
	}
	return p.Patch * p.Patch
}

// coefs is how many coefficients a regressor has, of a byte each, filled up to whole words.
func (p params) coefs() int { return kernel.Quad * p.inputWords() * p.OutputDims }

// check tells what is wrong with the parameters.
func (p params) check(scale int) error {
	step := 1
	if p.Input == fromCurrent {
		step = p.Cell
	}
	switch {
	case p.Input != fromLow && p.Input != fromCurrent:
		return fmt.Errorf("input %.20q, expected %q or %q", p.Input, fromLow, fromCurrent)
	case p.Symmetries != training.AllSymmetries && p.Symmetries != training.NoSymmetries:
		return fmt.Errorf("symmetries %.20q, expected %q or %q", p.Symmetries, training.AllSymmetries, training.NoSymmetries)
	case scale < 2 || scale > 4 || p.Cell < 1 || p.Cell > 4 || p.Input == fromLow && p.Cell != scale:
		return fmt.Errorf("cells of %d at scale %d", p.Cell, scale)
	case p.Patch < step || p.Patch > maxAnchorPatch || (p.Patch-step)%2 != 0:
		return fmt.Errorf("patches of side %d on cells of %d", p.Patch, step)
	case p.Block < p.Cell || p.Block > maxAnchorPatch || (p.Block-p.Cell)%2 != 0:
		return fmt.Errorf("blocks of side %d on cells of %d", p.Block, p.Cell)
	case !(p.Sigma > 0.05 && p.Sigma < 100):
		return fmt.Errorf("a window of σ %g", p.Sigma)
	case p.Anchors < 1 || p.Anchors > maxAnchors || p.Centroids < 1 || p.Centroids > p.Anchors || p.Candidates < 1 || p.Candidates > p.Anchors || p.Centroids*p.Candidates > 1<<20:
		return fmt.Errorf("%d anchors, %d centroids, %d candidates", p.Anchors, p.Centroids, p.Candidates)
	case p.SearchDims < 1 || p.SearchDims > p.features() || p.InputDims < 1 || p.InputDims > p.features() || p.OutputDims < 1 || p.OutputDims > p.Block*p.Block:
		return fmt.Errorf("%d, %d and %d dimensions of %d and %d", p.SearchDims, p.InputDims, p.OutputDims, p.features(), p.Block*p.Block)
	}
	return nil
}

// newAnchored makes the stage of parameters that have been checked and tables of the
// right sizes.
func newStage(scale int, p params, t tables) (*Stage, error) {
	for _, j := range t.lists {
		if int(j) >= p.Anchors {
			return nil, fmt.Errorf("candidate %d of %d anchors", j, p.Anchors)
		}
	}
	t.maps = paddedMaps(t.maps)
	a := blankStage(scale, p)
	a.tables, a.blockBudget = t, blockBudget
	a.search = newSearch(p.SearchDims, unpackAnchors(t.anchors, p.SearchDims), t.centroids, t.lists)
	height, size := p.searchRows()+p.inputRows(), p.Block*p.Block
	a.analysis = make([]int32, wordsOf(p.features())*height)
	packPairs(a.analysis, height, 0, t.search, p.SearchDims) // only the order of products counts
	a.inputUnit = packPairs(a.analysis, height, p.searchRows(), t.input, p.InputDims)
	a.synthesis = make([]int32, wordsOf(p.OutputDims)*p.blockRows())
	a.outUnit = packPairs(a.synthesis, p.blockRows(), 0, t.output, size)
	a.backwards = padded(columns(t.output, size), p.OutputDims, p.outWidth())
	return a, nil
}

const kind = "anchored"

func init() { stage.Register(kind, load) }

func load(scale int, text json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if err := p.check(scale); err != nil {
		return nil, err
	}
	if a.Has("regressors") {
		return nil, errors.New("its regressors are as an older superres wrote them; train the model again, or use one of this version")
	}
	coefs := p.Anchors * p.coefs()
	if coefs > maxCoefs {
		return nil, fmt.Errorf("the stage has more than %d coefficients", maxCoefs)
	}
	if err := a.Reserve(2 * int64(coefs)); err != nil {
		return nil, err
	}
	t, err := loadTables(p, a)
	if err != nil {
		return nil, err
	}
	return newStage(scale, p, t)
}

func loadTables(p params, a *stage.Arrays) (t tables, err error) {
	t.search = table[float32](a, &err, "search", p.features(), p.SearchDims)
	t.input = table[float32](a, &err, "input", p.features(), p.InputDims)
	t.output = table[float32](a, &err, "output", p.OutputDims, p.Block*p.Block)
	t.anchors = table[int8](a, &err, "anchors", p.Anchors, p.SearchDims)
	t.centroids = table[float32](a, &err, "centroids", p.Centroids, p.SearchDims)
	t.lists = table[uint16](a, &err, "lists", p.Centroids, p.Candidates)
	t.maps = table[uint8](a, &err, "maps", p.Anchors, p.coefs())
	t.steps = table[float32](a, &err, "steps", p.Anchors, 1)
	return t, err
}

// table is stage.Get, unless there was an error before.
func table[T stage.Element](a *stage.Arrays, err *error, name string, rows, cols int) (x []T) {
	if *err == nil {
		x, *err = stage.Get[T](a, name, rows, cols)
	}
	return x
}

// Kind implements stage.Stage.
func (a *Stage) Kind() string { return kind }

// Reach implements stage.Stage: the blocks over a sample, and the patches they are made of.
func (a *Stage) Reach() int {
	p := a.params
	samples := edge(p.Block, p.Cell)
	if p.Input == fromCurrent {
		samples += p.Cell - 1 + edge(p.Patch, p.Cell) // the cells may begin anywhere in a row of low
	}
	rows := (samples + a.scale - 1) / a.scale
	if p.Input == fromLow {
		rows += edge(p.Patch, 1)
	}
	return rows
}

// Save implements stage.Stage.
func (a *Stage) Save(to *stage.Arrays) any {
	p, t := a.params, a.tables
	stage.Put(to, "search", p.features(), t.search)
	stage.Put(to, "input", p.features(), t.input)
	stage.Put(to, "output", p.OutputDims, t.output)
	stage.Put(to, "anchors", p.Anchors, t.anchors)
	stage.Put(to, "centroids", p.Centroids, t.centroids)
	stage.Put(to, "lists", p.Centroids, t.lists)
	stage.Put(to, "maps", p.Anchors, t.maps)
	stage.Put(to, "steps", p.Anchors, t.steps)
	return p
}

// Apply implements stage.Stage.
func (a *Stage) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	return a.apply(ctx, low, current, regressors{a.tables.maps, a.tables.steps}, w)
}

// grid places the patches for an enlargement of w×h.
func (a *Stage) grid(w, h int) grid {
	p := a.params
	g := grid{patch: p.Patch, step: 1, block: p.Block, cell: p.Cell, width: w, height: h}
	if p.Input == fromCurrent {
		g.step = p.Cell
	}
	g.cols, g.rows = (w+p.Cell-1)/p.Cell, (h+p.Cell-1)/p.Cell
	return g
}

// patchesTogether is about how many patches a worker takes at a time: so many that
// some share a regressor, so few that they stay in the second-level cache.
const patchesTogether = 8192

// blockBudget is Stage.blockBudget, but in tests.
const blockBudget = 8 << 20

// apply applies the stage with the given regressors in place of its own.
func (a *Stage) apply(ctx context.Context, low, current *plane.Plane, with regressors, w *stage.Work) (*plane.Plane, error) {
	g := a.grid(current.W, current.H)
	input := current
	if a.params.Input == fromLow {
		input = low
	}
	rows := a.rowsTogether(g) // bounds the memory, changes nothing else
	out := w.Plane(current.W, current.H)
	blocks := g.blockRows(w, rows)
	defer w.Give(blocks.pix)
	var b layout
	var scratches []*scratch // of the workers
	for from := 0; from < g.rows; from += rows {
		to := min(from+rows, g.rows)
		g.cut(&b, parallel.Rows, input.Row, input.W, input.H, g.patch, g.step, from, to)
		worker := 0
		err := parallel.For(ctx, b.tiles(), parallel.Even(b.tiles(), patchesTogether/tileWidth), func() func(lo, hi int) {
			if worker++; worker > len(scratches) {
				scratches = append(scratches, scratchPool.Get().(*scratch))
			}
			s := scratches[worker-1]
			return func(lo, hi int) {
				a.analyse(s, &b, lo, hi)
				a.rebuild(s, with, &b, lo, hi, blocks, from)
			}
		})
		if err == nil {
			err = g.average(ctx, out, current, blocks, from, to)
		}
		if err != nil {
			return nil, err
		}
		blocks.advance(rows)
		w.Report(float64(to) / float64(g.rows))
	}
	for _, s := range scratches { // those of work that has failed are garbage
		scratchPool.Put(s)
	}
	return out, nil
}

// scratchPool keeps the memory of workers.
var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// rowsTogether is how many rows of cells are worked on together.
func (a *Stage) rowsTogether(g grid) int {
	return min(g.rows, max(1, a.blockBudget/a.blockRowBytes(g)))
}

// blockRowBytes is what the blocks of a row of cells take.
func (a *Stage) blockRowBytes(g grid) int {
	return 4 * g.block * g.block * (vectors(g.cols) + 2*margin)
}

// Memory implements stage.Stage: the tables; blocks, a layout of the input, and what each
// worker has found out about some patches.
func (a *Stage) Memory(width, rows int) (fixed, working int64) {
	p := a.params
	fixed = int64(2*len(a.tables.maps) + 8*p.Anchors*p.SearchDims)
	g := a.grid(width*a.scale, rows*a.scale)
	together := a.rowsTogether(g)
	blocks := int64(together+(g.block-1)/g.cell) * int64(a.blockRowBytes(g))
	input := 4 * int64(together*g.step+g.patch) * int64(g.step*(vectors(g.cols)+g.patch))
	worker := int64(min(patchesTogether, together*g.cols)+tileWidth) * int64(4*(p.rowWords()+p.outWidth()+7))
	return fixed, blocks + input + worker*int64(runtime.GOMAXPROCS(0))
}

// Settings implements stage.Tunable: all stages of a cascade were learned one after the
// other, so that fewer are a model too, a faster one.
func (a *Stage) Settings() stage.Settings { return stage.Step }

// Tune implements stage.Tunable.
func (a *Stage) Tune(t stage.Tuning) (stage.Stage, error) {
	if t.Coder != "" || t.Sparsity != 0 {
		return nil, usage.Errorf("anchored: anchored stages choose one atom a patch: a coder or a sparsity means nothing to them")
	}
	return a, nil
}

// KeepsAreas implements stage.AreaKeeper: a cascade learns from photographs, and rings
// beside what is drawn.
func (a *Stage) KeepsAreas() bool { return true }
