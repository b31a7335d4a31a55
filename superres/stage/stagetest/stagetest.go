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
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"superres/internal/npz"
	"superres/patches"
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
//   - it takes no more memory than Memory says;
//   - saved and loaded it is the same, and what is damaged is refused without a panic.
func Run(t TB, scale int, s stage.Stage) {
	t.Helper()
	c := &check{TB: t, scale: scale, stage: s}
	for _, f := range []func(){c.apply, c.tiny, c.progress, c.cancelled, c.workers, c.pool, c.concurrent, c.reach, c.memory, c.saved, c.damaged} {
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
func (c *check) planes(w, h int) (low, current *patches.Plane) {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	low = patches.NewPlane(w, h)
	for i := range low.Pix {
		x, y := float64(i%w), float64(i/w)
		v := 0.5 + 0.3*math.Tanh(3*math.Sin(x/3+y/5)) + 0.1*(rng.Float64()-0.5)
		low.Pix[i] = float32(math.Round(255*v) / 255)
	}
	return low, resample.Resize(low, w*c.scale, h*c.scale, resample.Bicubic)
}

// run is Apply without an error.
func (c *check) run(low, current *patches.Plane, w *stage.Work) *patches.Plane {
	c.Helper()
	out, err := c.stage.Apply(context.Background(), low, current, w)
	if err != nil || out == nil || out.W != current.W || out.H != current.H || len(out.Pix) != out.W*out.H {
		c.failf("Apply on %d×%d: %v, or a result of the wrong size", low.W, low.H, err)
		return patches.NewPlane(current.W, current.H)
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
}

func (c *check) workers() {
	low, current := c.planes(83, 61)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := c.run(low, current, nil)
	for _, count := range []int{2, 3, 8} {
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
	results := make(chan *patches.Plane, calls)
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
func (c *check) reach() {
	reach := c.stage.Reach()
	if reach < 0 {
		c.failf("reach %d", reach)
		return
	}
	h := 2*reach + 5*stage.Alignment + 7
	low, current := c.planes(19, h)
	want := c.run(low, current, nil)
	for _, length := range []int{1, 5, stage.Alignment, 2*stage.Alignment + 1} {
		for from := 0; from < h; from += max(length, 1+h/9) {
			to := min(from+length, h)
			top := max(from-reach, 0) / stage.Alignment * stage.Alignment
			end := min(to+reach, h)
			got := c.run(low.Crop(0, top, low.W, end-top), current.Crop(0, top*c.scale, current.W, (end-top)*c.scale), nil)
			for y := from * c.scale; y < to*c.scale; y++ {
				if !slices.Equal(got.Row(y-top*c.scale), want.Row(y)) {
					c.failf("rows %d to %d of %d, from a band of %d to %d, are not those of the whole: more than the %d rows of Reach count", from, to-1, h, top, end-1, reach)
					return
				}
			}
		}
	}
}

// memory measures the most that is held during a call, with a collector that leaves hardly
// any garbage.
func (c *check) memory() {
	const slack = 2 << 20
	for _, side := range [][2]int{{64, 48}, {300, 200}} {
		low, current := c.planes(side[0], side[1])
		fixed, working := c.stage.Memory(side[0], side[1])
		if fixed < 0 || working < 0 {
			c.failf("Memory(%d, %d) is %d and %d", side[0], side[1], fixed, working)
		}
		result, most := 4*int64(len(current.Pix)), int64(0)
		for range 2 {
			most = max(most, held(func() { c.run(low, current, nil) }))
		}
		if most > working+working/4+result+slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB beside the result", side[0], side[1], (most-result)>>10, working>>10)
		}
	}
}

// held returns by how many bytes the heap was larger at most while f ran.
func held(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	runtime.GC()
	read := func() int64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int64(sample[0].Value.Uint64())
	}
	before := read()
	stop, peak := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			most = max(most, read())
			select {
			case <-stop:
				peak <- most - before
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	f()
	close(stop)
	return <-peak
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
	rng := rand.New(rand.NewPCG(1, 0))
	for range 60 {
		bad := slices.Clone(data)
		bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
		attempt("a file with a wrong bit", heads, bad, false)
	}
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
