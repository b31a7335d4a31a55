// Package stagetest checks what every stage promises, whatever it computes: a stage's test
// calls [Run].
package stagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/internal/heap"
	"superres/internal/npz"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// TB is what Run needs of *testing.T. It is an interface so that a test can see that Run
// fails a stage that lies.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Run checks a stage of a model of the given scale against the contract of stage.Stage:
//
//   - Apply gives an enlargement of the right size in memory of its own, leaves what it is
//     given alone, and gives the same the second time, also on the smallest planes;
//   - it reports its progress, and ends with ctx.Err() when ctx has ended;
//   - any number of workers, memory of a pool with anything in it, and concurrent calls
//     change no bit;
//   - the rows that Reach promises are the only ones that count: bands give the bits of the
//     whole;
//   - it takes no more memory than Memory says, and Memory does not say far too much;
//   - a Tunable that is asked for nothing is the same, and what it becomes keeps its Reach;
//   - saved and loaded it is the same, and what is damaged is refused without a panic.
func Run(t TB, scale int, s stage.Stage) {
	t.Helper()
	c := &check{TB: t, scale: scale, stage: s}
	for _, f := range []func(){c.apply, c.tiny, c.progress, c.cancelled, c.workers, c.pool, c.concurrent, c.reach, c.memory, c.tuned, c.saved, c.damaged} {
		f()
	}
}

// check is one run.
type check struct {
	TB
	scale  int
	stage  stage.Stage
	failed bool
}

func (c *check) failf(format string, args ...any) {
	c.Helper()
	c.failed = true
	c.Errorf("stage %s at scale %d: %s", c.stage.Kind(), c.scale, fmt.Sprintf(format, args...))
}

// planes returns a picture of w×h with edges and grain, and its interpolation.
func (c *check) planes(w, h int) (low, current *plane.Plane) {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	low = plane.New(w, h)
	for i := range low.Pix {
		x, y := float64(i%w), float64(i/w)
		v := 0.5 + 0.3*math.Tanh(3*math.Sin(x/3+y/5)) + 0.1*(rng.Float64()-0.5)
		low.Pix[i] = float32(math.Round(255*v) / 255)
	}
	return low, resample.Resize(low, w*c.scale, h*c.scale, resample.Bicubic)
}

// run is Apply without an error.
func (c *check) run(low, current *plane.Plane, w *stage.Work) *plane.Plane {
	c.Helper()
	out, err := c.stage.Apply(context.Background(), low, current, w)
	if err != nil || out == nil || out.W != current.W || out.H != current.H || len(out.Pix) != out.W*out.H {
		c.failf("Apply on %d×%d: %v, or a result of the wrong size", low.W, low.H, err)
		return plane.New(current.W, current.H)
	}
	return out
}

func (c *check) apply() {
	low, current := c.planes(23, 17)
	before := [2][]float32{slices.Clone(low.Pix), slices.Clone(current.Pix)}
	got := c.run(low, current, nil)
	if !slices.Equal(before[0], low.Pix) || !slices.Equal(before[1], current.Pix) {
		c.failf("Apply changes what it is given")
	}
	if &got.Pix[0] == &low.Pix[0] || &got.Pix[0] == &current.Pix[0] {
		c.failf("Apply returns the memory of what it is given")
	}
	for i, v := range got.Pix {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			c.failf("sample %d is %g", i, v)
			break
		}
	}
	if again := c.run(low, current, nil); !slices.Equal(again.Pix, got.Pix) {
		c.failf("another result the second time")
	}
}

func (c *check) tiny() {
	for _, side := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {2, 2}, {5, 3}} {
		low, current := c.planes(side[0], side[1])
		c.run(low, current, nil)
	}
}

func (c *check) progress() {
	low, current := c.planes(40, 30)
	last := 0.0
	c.run(low, current, stage.NewWork(nil, func(share float64) {
		if !(share >= last && share <= 1) {
			c.failf("progress %g after %g", share, last)
		}
		last = share
	}))
	if last != 1 {
		c.failf("progress ends at %g", last)
	}
}

func (c *check) cancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	low, current := c.planes(23, 17)
	if out, err := c.stage.Apply(ctx, low, current, nil); !errors.Is(err, context.Canceled) || out != nil {
		c.failf("Apply after its context has ended: error %v", err)
	}
	// One that has told of a part of its work has another part before it.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	low, current = c.planes(150, 400)
	early := false
	out, err := c.stage.Apply(ctx, low, current, stage.NewWork(nil, func(share float64) {
		if share < 1 {
			early = true
			cancel()
		}
	}))
	if early && (!errors.Is(err, context.Canceled) || out != nil) {
		c.failf("Apply whose context ends on the way: error %v", err)
	}
}

func (c *check) workers() {
	low, current := c.planes(83, 61)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := c.run(low, current, nil)
	for count := 2; count <= 8; count++ {
		runtime.GOMAXPROCS(count)
		if got := c.run(low, current, nil); !slices.Equal(got.Pix, want.Pix) {
			c.failf("%d workers give other bits than one", count)
		}
	}
}

func (c *check) pool() {
	low, current := c.planes(37, 41)
	want := c.run(low, current, nil)
	pool := &stage.Pool{}
	for n := 1 << 8; n <= 1<<19; n *= 2 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(math.NaN())
		}
		pool.Give(v)
	}
	if got := c.run(low, current, stage.NewWork(pool, nil)); !slices.Equal(got.Pix, want.Pix) {
		c.failf("what memory of the pool held is in the result")
	}
}

func (c *check) concurrent() {
	if c.failed {
		return // as one that writes to what it is given would only race
	}
	low, current := c.planes(31, 29)
	want := c.run(low, current, nil)
	const calls = 4
	results := make(chan *plane.Plane, calls)
	for range calls {
		go func() {
			out, _ := c.stage.Apply(context.Background(), low, current, nil)
			results <- out
		}()
	}
	for range calls {
		if out := <-results; out == nil || !slices.Equal(out.Pix, want.Pix) {
			c.failf("a call beside others gives other bits")
		}
	}
}

// reach gives Apply parts of a picture, as bands are, and wants the bits of the whole.
// Bands begin at multiples of Alignment, which gives most of them more rows above than Reach
// promises: those that have no row more are among them, up to the last row of the picture.
func (c *check) reach() {
	reach := c.stage.Reach()
	if reach < 0 {
		c.failf("reach %d", reach)
		return
	}
	const a = stage.Alignment
	h := reach + (reach/a+5)*a + 1
	low, current := c.planes(19, h)
	want := c.run(low, current, nil)
	band := func(from, to int) bool {
		top, end := max(from-reach, 0)/a*a, min(to+reach, h)
		got := c.run(low.Crop(0, top, low.W, end-top), current.Crop(0, top*c.scale, current.W, (end-top)*c.scale), nil)
		for y := from * c.scale; y < to*c.scale; y++ {
			if !slices.Equal(got.Row(y-top*c.scale), want.Row(y)) {
				c.failf("rows %d to %d of %d, from a band of %d to %d, are not those of the whole: more than the %d rows of Reach count", from, to-1, h, top, end-1, reach)
				return false
			}
		}
		return true
	}
	for from := reach; from < h; from += a {
		if !band(from, from+1) {
			return
		}
	}
	for _, length := range []int{1, 5, a, 2*a + 1} {
		for from := 0; from < h; from += max(length, 1+h/9) {
			if !band(from, min(from+length, h)) {
				return
			}
		}
	}
}

// memory measures the most that is held during a call, with a collector that leaves hardly
// any garbage, for planes of two heights: so little is held for one, so much more for the
// other.
func (c *check) memory() {
	const slack = 1 << 20
	var measured, told [2]int64
	for i, h := range []int{100, 1500} {
		const w = 64
		low, current := c.planes(w, h)
		fixed, working := c.stage.Memory(w, h)
		if fixed < 0 || working < 0 {
			c.failf("Memory(%d, %d) is %d and %d", w, h, fixed, working)
		}
		most := int64(math.MaxInt64) // garbage adds to some of the calls
		for range 3 {
			most = min(most, heap.Peak(heap.Objects, func() { c.run(low, current, nil) }))
		}
		measured[i], told[i] = most-4*int64(len(current.Pix)), working // without the result
		if measured[i] > working+working/4+2*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB beside the result", w, h, measured[i]>>10, working>>10)
		}
		if working > 16*max(measured[i], 0)+64*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB: far too much", w, h, measured[i]>>10, working>>10)
		}
	}
	if more := measured[1] - measured[0]; more > told[1]-told[0]+told[1]/4+slack {
		c.failf("a higher plane takes %d KiB more, Memory says %d KiB", more>>10, (told[1]-told[0])>>10)
	}
}

// tuned asks a Tunable for nothing, and for what may be asked of it.
func (c *check) tuned() {
	t, ok := c.stage.(stage.Tunable)
	if !ok {
		return
	}
	low, current := c.planes(23, 17)
	want := c.run(low, current, nil)
	if same, err := t.Tune(stage.Tuning{}); err != nil || same == nil || !slices.Equal((&check{TB: c.TB, scale: c.scale, stage: same}).run(low, current, nil).Pix, want.Pix) {
		c.failf("Tune, asked for nothing, makes another stage (%v)", err)
	}
	none, one := 0, 1
	for setting, asked := range map[stage.Settings][]stage.Tuning{
		stage.Coding:         {{Sparsity: 1}, {Coder: "mp:sparsity=1"}, {Coder: "?"}},
		stage.BackProjecting: {{BackProject: &none}, {BackProject: &one}},
		stage.Leveled:        {{Level: 0.3}, {Level: 1}, {Level: 2}},
	} {
		for _, how := range asked {
			other, err := t.Tune(how)
			switch {
			case t.Settings()&setting == 0 || err != nil:
				continue // refused, or of no concern
			case other == nil && setting != stage.BackProjecting:
				c.failf("Tune leaves the stage out for %+v", how)
			case other != nil:
				(&check{TB: c.TB, scale: c.scale, stage: other}).reach()
			}
		}
	}
	if got := c.run(low, current, nil); !slices.Equal(got.Pix, want.Pix) {
		c.failf("Tune changes the stage that it is asked of")
	}
}

// file returns the stage as a file keeps it.
func (c *check) file() (heads []stage.Head, data []byte) {
	heads, matrices, arrays, err := stage.Save([]stage.Stage{c.stage})
	if err != nil {
		c.failf("Save: %v", err)
		return nil, nil
	}
	var b bytes.Buffer
	text := npz.Text{Name: "stages.json", Data: []byte("{}")}
	if err := npz.Write(&b, []npz.Text{text}, matrices, arrays...); err != nil {
		c.failf("Save: %v", err)
	}
	return heads, b.Bytes()
}

// load is what a program does with a file: nothing in it is trusted.
func (c *check) load(heads []stage.Head, data []byte) ([]stage.Stage, error) {
	f, err := npz.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	return stage.Load(c.scale, heads, f)
}

func (c *check) saved() {
	heads, data := c.file()
	back, err := c.load(heads, data)
	if err != nil || len(back) != 1 {
		c.failf("it does not load what it saved: %v", err)
		return
	}
	if _, again := (&check{TB: c.TB, scale: c.scale, stage: back[0]}).file(); !bytes.Equal(data, again) || stage.Describe(back[0]) != stage.Describe(c.stage) {
		c.failf("saved, loaded and saved it gives another file")
	}
	low, current := c.planes(23, 17)
	if got, want := (&check{TB: c.TB, scale: c.scale, stage: back[0]}).run(low, current, nil), c.run(low, current, nil); !slices.Equal(got.Pix, want.Pix) {
		c.failf("loaded it gives another result")
	}
}

// damaged cuts files off, turns bits, and sets parameters to what they cannot be. Loading
// them may fail or not, but must not panic; what loads must work.
func (c *check) damaged() {
	heads, data := c.file()
	attempt := func(what string, heads []stage.Head, data []byte, mustFail bool) {
		defer func() {
			if r := recover(); r != nil {
				c.failf("%s: panic: %v", what, r)
			}
		}()
		back, err := c.load(heads, data)
		if err != nil {
			return
		}
		if mustFail {
			c.failf("%s is not refused", what)
			return
		}
		low, current := c.planes(7, 5)
		(&check{TB: c.TB, scale: c.scale, stage: back[0]}).run(low, current, nil)
	}
	attempt("a parameter that nobody knows", withParameter(heads, "unheard_of", "1"), data, true)
	attempt("parameters that are no object", []stage.Head{{Kind: heads[0].Kind, Params: json.RawMessage("[1]")}}, data, true)
	for i := range 8 {
		attempt("a file that is cut off", heads, data[:len(data)*i/8], len(data) > 400)
	}
	var params map[string]json.RawMessage
	if err := json.Unmarshal(heads[0].Params, &params); err != nil {
		c.failf("its parameters are no JSON object: %v", err)
		return
	}
	names := slices.Sorted(maps.Keys(params))
	for _, name := range names {
		for _, value := range []string{"-1", "0", "1", "3", "1e9", "2147483648", `"?"`, "null", "[]", "true"} {
			attempt(fmt.Sprintf("%s = %s", name, value), withParameter(heads, name, value), data, false)
		}
	}
	for i, other := range c.others() {
		attempt(fmt.Sprintf("a file with another array, %d", i), heads, other, false)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	for range 60 {
		bad := slices.Clone(data)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		attempt("a file with a wrong bit", heads, bad, false)
	}
}

// others are whole files in which one array is of another size, of zeros, or missing.
func (c *check) others() (files [][]byte) {
	_, matrices, arrays, err := stage.Save([]stage.Stage{c.stage})
	if err != nil {
		return nil // it has been told
	}
	put := func(matrices []npz.Matrix, arrays []npz.Array) {
		var b bytes.Buffer
		if npz.Write(&b, []npz.Text{{Name: "stages.json", Data: []byte("{}")}}, matrices, arrays...) == nil {
			files = append(files, b.Bytes())
		}
	}
	for i, m := range matrices {
		rows, cols := m.Data.Dims()
		put(slices.Delete(slices.Clone(matrices), i, i+1), arrays)
		for _, size := range [][2]int{{1, 1}, {rows - 1, cols}, {rows + 1, cols}, {rows, cols - 1}, {rows, cols + 1}, {rows, cols}} {
			if size[0] > 0 && size[1] > 0 {
				other := slices.Clone(matrices)
				other[i].Data = mat.NewDense(size[0], size[1], nil)
				put(other, arrays)
			}
		}
	}
	for i, a := range arrays {
		put(matrices, slices.Delete(slices.Clone(arrays), i, i+1))
		for _, count := range []int{1, a.Len() - 1, a.Len()} {
			if count > 0 {
				other := slices.Clone(arrays)
				other[i] = a.Begin(count)
				put(matrices, other)
			}
		}
	}
	return files
}

// withParameter returns the head of a stage with a parameter set.
func withParameter(heads []stage.Head, name, value string) []stage.Head {
	params := map[string]json.RawMessage{}
	if json.Unmarshal(heads[0].Params, &params) != nil {
		return heads
	}
	params[name] = json.RawMessage(value)
	text, err := json.Marshal(params)
	if err != nil {
		return heads
	}
	return []stage.Head{{Kind: heads[0].Kind, Params: text}}
}
