package stagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/patches/plane"
	"superres/superres/stage"
)

// mean is a stage that takes the mean of so many rows above and below, in a way that can lie about itself.
type mean struct {
	Rows int    `json:"rows"` // above and below
	Lie  string `json:"lie"`
}

var hoard atomic.Pointer[[]float32]

func (m mean) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scale, above, below := current.H/low.H, m.Rows, m.Rows
	switch m.Lie {
	case "above":
		above++
	case "below":
		below++
	}
	if m.Lie == "memory" {
		much := make([]float32, 200*len(current.Pix))
		hoard.Store(&much)
	}
	if m.Lie == "growth" {
		some := make([]float32, 5*len(current.Pix)) // not so much that it is found in a low plane
		hoard.Store(&some)
	}
	out := w.Plane(current.W, current.H)
	if m.Lie == "input" {
		current.Pix[0] = 0
	}
	if m.Lie == "memory of the input" {
		out = current
	}
	for y := range current.H {
		if y == low.H*scale/2 && m.Lie != "late" {
			w.Report(0.5)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		} else if y == low.H*scale/2 {
			w.Report(0.5)
		}
		lo, hi := max(y/scale-above, 0)*scale, min(y/scale+below+1, low.H)*scale
		if m.Lie == "last row" && y/scale == low.H-1 {
			lo = max(y/scale-above-1, 0) * scale
		}
		row := out.Row(y)
		if m.Lie != "pool" {
			clear(row)
		}
		for v := lo; v < hi; v++ {
			for x, s := range current.Row(v) {
				row[x] += s / float32(hi-lo)
			}
		}
		if m.Lie == "workers" && runtime.GOMAXPROCS(0) == 5 {
			row[0] += float32(runtime.GOMAXPROCS(0)) / 1000
		}
	}
	if m.Lie != "progress" {
		w.Report(1)
	}
	if m.Lie == "size" {
		out = out.Crop(0, 0, out.W, out.H-1)
	}
	return out, nil
}

func (m mean) Reach() int   { return m.Rows }
func (m mean) Kind() string { return "mean" }

func (m mean) Memory(_, _ int) (fixed, working int64) {
	switch m.Lie {
	case "growth":
		return 0, 1 << 20 // as it is for low planes
	case "too much":
		return 0, 1 << 40
	}
	return 0, 0
}

func (m mean) Settings() stage.Settings { return stage.Graded }

func (m mean) Tune(stage.Tuning) (stage.Stage, error) {
	if m.Lie == "tune" {
		return mean{m.Rows + 1, m.Lie}, nil
	}
	return m, nil
}

func (m mean) Save(a *stage.Arrays) any {
	if m.Lie == "save" {
		return mean{m.Rows + 1, m.Lie}
	}
	stage.Put(a, "rows", 1, []int16{int16(m.Rows)})
	if m.Lie == "arrays" {
		a.PutMatrix("table", mat.NewDense(3, 3, nil))
	}
	return m
}

func init() {
	stage.Register("mean", loadMean)
}

func loadMean(_ int, params json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	var m mean
	if strings.Contains(string(params), `"lie":"damage"`) {
		if json.Unmarshal(params, &m) != nil {
			panic("damaged")
		}
		return m, nil
	}
	if err := stage.Unmarshal(params, &m); err != nil {
		return nil, err
	}
	if m.Rows < 0 || m.Rows > 100 {
		return nil, fmt.Errorf("%d rows, expected 0 to 100", m.Rows)
	}
	if m.Lie != "save" {
		rows, err := stage.Get[int16](a, "rows", 1, 1)
		if err != nil {
			return nil, err
		}
		m.Rows = int(rows[0])
	}
	if m.Lie == "arrays" {
		table, err := a.GetMatrix("table", -9, -9)
		if err != nil {
			return nil, err
		}
		table.At(2, 2) // which may not be there
	}
	return m, nil
}

// failures is a test that fails, kept.
type failures []string

func (*failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// tint is a mean of colour.
type tint struct{ mean }

func (c tint) Apply(ctx context.Context, low [2]*plane.Plane, luma *plane.Plane, current [2]*plane.Plane,
	w *stage.Work) error {
	if c.Lie == "luma" {
		luma.Pix[0] = 0
	}
	for i, p := range current {
		out, err := c.mean.Apply(ctx, low[i], p,
			stage.NewWork(nil, func(share float64) { w.Report((float64(i) + share) / 2) }))
		if err != nil {
			return err
		}
		copy(p.Pix, out.Pix)
	}
	return nil
}

// Memory counts the planes that the mean makes before they are copied.
func (c tint) Memory(width, rows int) (fixed, working int64) {
	fixed, working = c.mean.Memory(width, rows)
	return fixed, working + 2*16*int64(width)*int64(rows)
}

func (c tint) Tune(stage.Tuning) (stage.Colour, error) { return c, nil }

func init() {
	stage.RegisterColour("mean", func(scale int, params json.RawMessage, a *stage.Arrays) (stage.Colour, error) {
		m, err := loadMean(scale, params, a)
		if err != nil {
			return nil, err
		}
		return tint{m.(mean)}, nil
	})
}

// A stage that keeps its promises passes, and one that lies is found out by what it lies about. So
// is what enlarges colour.
func TestRunFindsLies(t *testing.T) {
	for lie, want := range map[string]string{
		"": "", "above": "of Reach count", "below": "of Reach count", "last row": "of Reach count",
		"growth": "KiB more", "too much": "far too much",
		"late": "ends on the way", "arrays": "panic", "tune": "asked for nothing", "memory": "Memory says",
		"workers": "workers give other bits", "pool": "memory of the pool",
		"input": "changes what it is given", "memory of the input": "returns the memory",
		"progress": "progress ends at", "size": "wrong size",
		"save": "saved", "damage": "panic",
	} {
		var got failures
		Run(&got, 2, mean{3, lie})
		expect(t, "stage", lie, got, want)
	}
	for lie, want := range map[string]string{
		"": "", "above": "of Reach count", "last row": "of Reach count", "luma": "changes what it is given",
		"workers":  "workers give other bits",
		"progress": "progress ends at", "save": "saved", "damage": "panic", "too much": "far too much",
	} {
		var got failures
		RunColour(&got, 2, tint{mean{3, lie}})
		expect(t, "colour", lie, got, want)
	}
}

func expect(t *testing.T, kind, lie string, got failures, want string) {
	t.Helper()
	switch text := strings.Join(got, "\n"); {
	case want == "" && len(got) > 0:
		t.Errorf("a %s that keeps its promises fails: %s", kind, text)
	case want != "" && !strings.Contains(text, want):
		t.Errorf("a %s that lies about its %s: found %q, expected %q", kind, lie, text, want)
	}
}

// One row too many above a band, or for the last row of the picture alone, is found whatever the reach is.
func TestRunFindsEveryReach(t *testing.T) {
	for _, rows := range []int{0, 1, 2, 3, 11, 12, 13, 30} { // around multiples of stage.Alignment
		for _, lie := range []string{"above", "below", "last row"} {
			var got failures
			(&check{TB: &got, scale: 2, subject: enlarger{mean{rows, lie}}}).reach()
			if text := strings.Join(got, "\n"); !strings.Contains(text, "of Reach count") {
				t.Errorf("reach %d: a row too many (%s) is not found: %q", rows, lie, text)
			}
		}
	}
}
