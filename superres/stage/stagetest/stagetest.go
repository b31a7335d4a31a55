// Package stagetest checks that a stage keeps its contract: the test of a stage.Stage calls [Run], of a stage.Colour
// [RunColour], of a stage.Network [RunNetwork]. [Blur] is a small network for tests of other packages.
package stagetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"superres/internal/heap"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Run checks a stage of a model of the given scale against the contract of stage.Stage:
//
//   - Apply returns an enlargement of the right size in memory of its own, leaves its arguments unchanged, and returns
//     the same the second time, also on the smallest planes;
//   - it reports its progress, and ends with ctx.Err() after ctx has ended;
//   - the number of workers, old content in memory of a pool, and concurrent calls change no bit;
//   - no rows beyond Reach count: bands give the bits of the whole;
//   - it takes no more memory than Memory estimates, and Memory does not estimate far too much;
//   - a ColourViewer gets colour, with which all this holds as well;
//   - a Tunable with a Tuning of zeros is the same, and a tuned stage keeps its Reach;
//   - after saving and loading it is the same, and a damaged file is refused without a panic.
func Run(t testing.TB, scale int, s stage.Stage) {
	t.Helper()
	(&check{TB: t, scale: scale, subject: enlarger{s}}).all()
}

// RunColour checks c against the contract of stage.Colour, as Run checks a stage, except that Apply must leave low and
// luma unchanged, and changes the enlargement in place.
func RunColour(t testing.TB, scale int, c stage.Colour) {
	t.Helper()
	(&check{TB: t, scale: scale, subject: colourist{c}}).all()
}

// subject is a stage.Stage, a stage.Colour or a stage.Network that is checked.
type subject interface {
	Kind() string
	Reach() int
	Memory(width, rows int) (fixed, working int64)
	Save(a *stage.Arrays) any
	// apply calls Apply, or Push for the whole picture, and returns the resulting planes.
	apply(ctx context.Context, in input, w *stage.Work) ([]*plane.Plane, error)
	// tune returns the result of Tune, nil if that removes the subject. tunable is false if the subject has no Tune.
	tune(t stage.Tuning) (tuned subject, tunable bool, err error)
	// load returns a subject of the same kind, loaded from f.
	load(f *stage.File, scale int, h stage.Head) (subject, error)
}

// input holds arguments of Apply: low-resolution planes, their enlargements, and for colour the enlarged brightness.
type input struct {
	low, current []*plane.Plane
	luma         *plane.Plane
}

// planes returns all planes that Apply must leave unchanged.
func (in input) planes() []*plane.Plane {
	list := slices.Concat(in.low, in.current)
	if in.luma != nil {
		list = append(list, in.luma)
	}
	return list
}

// rows returns the part of in for the rows [top, end) of the picture.
func (in input) rows(top, end, scale int) (part input) {
	crop := func(p *plane.Plane, scale int) *plane.Plane { return p.Crop(0, top*scale, p.W, (end-top)*scale) }
	for i, p := range in.low {
		part.low, part.current = append(part.low, crop(p, 1)), append(part.current, crop(in.current[i], scale))
	}
	if in.luma != nil {
		part.luma = crop(in.luma, scale)
	}
	return part
}

// enlarger is the subject for a stage.Stage.
type enlarger struct{ stage.Stage }

// apply implements subject. A stage that looks at colour gets colour that depends on the brightness.
func (e enlarger) apply(ctx context.Context, in input, w *stage.Work) ([]*plane.Plane, error) {
	if stage.SeesColour(e.Stage) {
		low := in.low[0]
		red, blue := plane.New(low.W, low.H), plane.New(low.W, low.H)
		for i, v := range low.Pix {
			red.Pix[i], blue.Pix[i] = v-0.5, 0.5-v*v
		}
		w = w.WithColour([2]*plane.Plane{red, blue})
	}
	out, err := e.Apply(ctx, in.low[0], in.current[0], w)
	if out == nil {
		return nil, err
	}
	return []*plane.Plane{out}, err
}

// tune implements subject. It returns false if the stage has no settings, and no subject if t removes the stage.
func (e enlarger) tune(t stage.Tuning) (subject, bool, error) {
	tunable, ok := e.Stage.(stage.Tunable)
	if !ok {
		return nil, false, nil
	}
	s, err := tunable.Tune(t)
	if s == nil || err != nil {
		return nil, true, err
	}
	return enlarger{s}, true, nil
}

func (e enlarger) load(f *stage.File, scale int, h stage.Head) (subject, error) {
	s, err := f.Stage(memberName, scale, h)
	return enlarger{s}, err
}

// colourist is the subject for a stage.Colour.
type colourist struct{ stage.Colour }

// apply implements subject. It lets Apply improve copies of the interpolations, which Apply changes in place.
func (c colourist) apply(ctx context.Context, in input, w *stage.Work) ([]*plane.Plane, error) {
	var out [2]*plane.Plane
	for i, p := range in.current {
		out[i] = p.Crop(0, 0, p.W, p.H)
	}
	if err := c.Apply(ctx, [2]*plane.Plane(in.low), in.luma, Strips(out, out[0].W/in.low[0].W), w); err != nil {
		return nil, err
	}
	return out[:], nil
}

// Strips returns the argument strip for Apply of a stage.Colour to improve planes, which are interpolations by scale.
func Strips(planes [2]*plane.Plane, scale int) func(from, to int) [2]*plane.Plane {
	return func(from, to int) (part [2]*plane.Plane) {
		for i, p := range planes {
			part[i] = &plane.Plane{W: p.W, H: (to - from) * scale, Pix: p.Pix[from*scale*p.W : to*scale*p.W]}
		}
		return part
	}
}

func (c colourist) tune(t stage.Tuning) (subject, bool, error) {
	tuned, err := c.Tune(t)
	if tuned == nil || err != nil {
		return nil, true, err
	}
	return colourist{tuned}, true, nil
}

func (c colourist) load(f *stage.File, scale int, h stage.Head) (subject, error) {
	made, err := f.Colour(memberName, scale, h)
	return colourist{made}, err
}

// check is one run of the suite.
type check struct {
	testing.TB
	subject
	scale  int
	failed bool
}

func (c *check) all() {
	for _, f := range []func(){c.result, c.checkTiny, c.progress, c.checkCancelled, c.workers, c.checkPool,
		c.checkConcurrent, c.reach, c.memory, c.checkTuned, c.checkSaved, c.checkDamaged} {
		f()
	}
}

// withSubject returns a check of s with the test and scale of c.
func (c *check) withSubject(s subject) *check { return &check{TB: c.TB, subject: s, scale: c.scale} }

func (c *check) failf(format string, args ...any) {
	c.Helper()
	c.failed = true
	c.Errorf("stage %s at scale %d: %s", c.Kind(), c.scale, fmt.Sprintf(format, args...))
}

// picture returns the input for a picture of w×h samples with edges and noise, of the kind that the subject takes.
func (c *check) picture(w, h int) (in input) {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	texture := func(phase float64) *plane.Plane {
		p := plane.New(w, h)
		for i := range p.Pix {
			x, y := float64(i%w), float64(i/w)
			v := 0.5 + 0.3*math.Tanh(3*math.Sin(x/3+y/5+phase)) + 0.1*(rng.Float64()-0.5)
			p.Pix[i] = float32(math.Round(255*v) / 255)
		}
		return p
	}
	enlarged := func(p *plane.Plane) *plane.Plane { return resample.Resize(p, w*c.scale, h*c.scale, resample.Bicubic) }
	luma := texture(0)
	if n, ok := c.subject.(imported); ok { // a network
		for i := range n.Channels() {
			in.low = append(in.low, texture(float64(i)))
		}
		in.current = c.emptyResults(in.low)
		return in
	}
	if _, ok := c.subject.(enlarger); ok {
		return input{low: []*plane.Plane{luma}, current: []*plane.Plane{enlarged(luma)}}
	}
	for _, phase := range []float64{1, 2} { // for a Colour, R−Y and B−Y
		p := texture(phase)
		for i := range p.Pix {
			p.Pix[i] -= luma.Pix[i]
		}
		in.low, in.current = append(in.low, p), append(in.current, enlarged(p))
	}
	in.luma = enlarged(luma)
	return in
}

// emptyResults returns planes of the size of the enlargements of list, for a network, which does not read them.
func (c *check) emptyResults(list []*plane.Plane) (out []*plane.Plane) {
	for _, p := range list {
		out = append(out, plane.New(p.W*c.scale, p.H*c.scale))
	}
	return out
}

// run returns the planes that apply returns. If apply fails, run reports a failure and returns planes of zeros.
func (c *check) run(in input, w *stage.Work) []*plane.Plane {
	c.Helper()
	out, err := c.apply(context.Background(), in, w)
	ok := err == nil && len(out) == len(in.current)
	for i := 0; ok && i < len(out); i++ {
		ok = out[i].W == in.current[i].W && out[i].H == in.current[i].H && len(out[i].Pix) == out[i].W*out[i].H
	}
	if ok {
		return out
	}
	c.failf("Apply on %d×%d: %v, or a result of the wrong size", in.low[0].W, in.low[0].H, err)
	out = nil
	for _, p := range in.current {
		out = append(out, plane.New(p.W, p.H))
	}
	return out
}

// samePlanes reports whether a and b have the same samples.
func samePlanes(a, b []*plane.Plane) bool {
	return slices.EqualFunc(a, b, func(p, q *plane.Plane) bool { return slices.Equal(p.Pix, q.Pix) })
}

// result requires that Apply leaves its arguments unchanged, and twice returns the same finite samples in new memory.
func (c *check) result() {
	in := c.picture(23, 17)
	before := in.rows(0, 17, c.scale).planes()
	got := c.run(in, nil)
	if !samePlanes(before, in.planes()) {
		c.failf("Apply changes what it is given")
	}
	for i, p := range got {
		if &p.Pix[0] == &in.low[i].Pix[0] || &p.Pix[0] == &in.current[i].Pix[0] {
			c.failf("Apply returns the memory of what it is given")
		}
		if at := slices.IndexFunc(p.Pix, func(v float32) bool {
			return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0)
		}); at >= 0 {
			c.failf("sample %d is %g", at, p.Pix[at])
		}
	}
	if !samePlanes(c.run(in, nil), got) {
		c.failf("another result the second time")
	}
}

// checkTiny requires a result for pictures of a few samples.
func (c *check) checkTiny() {
	for _, side := range [][2]int{{1, 1}, {1, 9}, {9, 1}, {2, 2}, {5, 3}} {
		c.run(c.picture(side[0], side[1]), nil)
	}
}

// progress requires that the reported shares of the work never fall, and end with 1.
func (c *check) progress() {
	last := 0.0
	c.run(c.picture(40, 30), stage.NewWork(nil, func(share float64) {
		if !(share >= last && share <= 1) {
			c.failf("progress %g after %g", share, last)
		}
		last = share
	}))
	if last != 1 {
		c.failf("progress ends at %g", last)
	}
}

// checkCancelled ends the context before Apply and during Apply, and requires the error of the context.
func (c *check) checkCancelled() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if out, err := c.apply(ctx, c.picture(23, 17), nil); !errors.Is(err, context.Canceled) || out != nil {
		c.failf("Apply after its context has ended: error %v", err)
	}
	// After a report of less than 1, there is work left that the end of the context must stop.
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	early := false
	out, err := c.apply(ctx, c.picture(150, 400), stage.NewWork(nil, func(share float64) {
		if share < 1 {
			early = true
			cancel()
		}
	}))
	if early && (!errors.Is(err, context.Canceled) || out != nil) {
		c.failf("Apply when its context ends on the way: error %v", err)
	}
}

// workers requires the same result with 1 to 8 workers.
func (c *check) workers() {
	in := c.picture(83, 61)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := c.run(in, nil)
	for count := 2; count <= 8; count++ {
		runtime.GOMAXPROCS(count)
		if !samePlanes(c.run(in, nil), want) {
			c.failf("%d workers give other bits than one", count)
		}
	}
}

// checkPool requires the same result with a pool of memory that holds NaN.
func (c *check) checkPool() {
	in := c.picture(37, 41)
	want := c.run(in, nil)
	pool := &stage.Pool{}
	for n := 1 << 8; n <= 1<<19; n *= 2 {
		pool.Give(slices.Repeat([]float32{float32(math.NaN())}, n))
	}
	if !samePlanes(c.run(in, stage.NewWork(pool, nil)), want) {
		c.failf("what memory of the pool held is in the result")
	}
}

// checkConcurrent calls Apply four times concurrently, and requires the same result of each call.
func (c *check) checkConcurrent() {
	if c.failed {
		return // a subject that writes to its arguments would only race
	}
	in := c.picture(31, 29)
	want := c.run(in, nil)
	const calls = 4
	results := make(chan []*plane.Plane, calls)
	for range calls {
		go func() {
			out, _ := c.apply(context.Background(), in, nil)
			results <- out
		}()
	}
	for range calls {
		if !samePlanes(<-results, want) {
			c.failf("a call beside others gives other bits")
		}
	}
}

// reach gives Apply bands of a picture, and requires the same bits as for the whole picture. Bands begin at multiples
// of Alignment, so most have more rows above than Reach; some have exactly Reach rows.
func (c *check) reach() {
	reach := c.Reach()
	if reach < 0 {
		c.failf("reach %d", reach)
		return
	}
	const a = stage.Alignment
	h := reach + (reach/a+5)*a + 1 // some bands have all rows that count, above and below
	in := c.picture(19, h)
	want := c.run(in, nil)
	band := func(from, to int) bool {
		top, end := max(from-reach, 0)/a*a, min(to+reach, h)
		for i, got := range c.run(in.rows(top, end, c.scale), nil) {
			rows := got.Pix[(from-top)*c.scale*got.W : (to-top)*c.scale*got.W]
			if !slices.Equal(rows, want[i].Pix[from*c.scale*got.W:to*c.scale*got.W]) {
				c.failf("rows %d to %d of %d, from a band of %d to %d, differ from the whole: more than the %d "+
					"rows of Reach count", from, to-1, h, top, end-1, reach)
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

// memory measures what a call adds to memory, for planes of two heights; fixed memory was taken before. Both peaks, and
// their difference, may exceed Memory by slack and a quarter of working, which may be up to 16 times too high.
func (c *check) memory() {
	const slack = 1 << 20
	var measured, promised [2]int64
	for i, h := range []int{100, 1500} {
		const w = 64
		in := c.picture(w, h)
		fixed, working := c.Memory(w, h)
		if fixed < 0 || working < 0 {
			c.failf("Memory(%d, %d) is %d and %d", w, h, fixed, working)
		}
		most := int64(math.MaxInt64) // the least peak of several calls, since garbage adds to some peaks
		for range 3 {
			most = min(most, heap.Peak(heap.Objects, func() { c.run(in, nil) }))
		}
		measured[i], promised[i] = most-4*int64(len(in.current)*len(in.current[0].Pix)), working // beside the result
		if measured[i] > working+working/4+2*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB beside the result", w, h, measured[i]>>10, working>>10)
		}
		if working > 16*max(measured[i], 0)+64*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB: far too much", w, h, measured[i]>>10, working>>10)
		}
	}
	if more := measured[1] - measured[0]; more > promised[1]-promised[0]+promised[1]/4+slack {
		c.failf("a higher plane takes %d KiB more, Memory says %d KiB", more>>10, (promised[1]-promised[0])>>10)
	}
}

// checkTuned tunes the subject: a zero Tuning must change nothing, and a tuned subject must keep its Reach.
func (c *check) checkTuned() {
	in := c.picture(23, 17)
	want := c.run(in, nil)
	same, tunable, err := c.tune(stage.Tuning{})
	if !tunable {
		return
	}
	if err != nil || same == nil || !samePlanes(c.withSubject(same).run(in, nil), want) {
		c.failf("Tune, asked for nothing, makes another stage (%v)", err)
	}
	none, one := 0, 1
	for _, t := range []stage.Tuning{{Sparsity: 1}, {Coder: "mp:sparsity=1"}, {Coder: "?"}, {BackProject: &none},
		{BackProject: &one}, {Strength: 0.3}, {Strength: 1}, {Strength: 2}, {Trust: 0.5},
		{Trust: 2}, {Strength: 0.3, Trust: 1}} {
		switch other, _, err := c.tune(t); {
		case err != nil: // refused
		case other == nil && t.BackProject == nil:
			c.failf("Tune leaves the stage out for %+v", t)
		case other != nil:
			c.withSubject(other).reach()
		}
	}
	if !samePlanes(c.run(in, nil), want) {
		c.failf("Tune changes the stage that it is asked of")
	}
}
