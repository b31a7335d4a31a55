package stagetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"superres/internal/heap"
	"superres/patches/plane"
	"superres/superres/stage"
)

// RunNetwork checks n against the contract of stage.Network:
//
//   - a run returns a result of the right size, of finite samples, in memory of its own, leaves its arguments
//     unchanged, keeps none of them, and returns the same the second time, also for the smallest pictures, and if all
//     planes are the same plane;
//   - the division of the rows between calls, the number of workers, old content in memory of a pool, and concurrent
//     runs change no bit;
//   - no row is held back once the Reach rows below it have arrived, and no rows and columns further away count;
//   - it reports its progress, and ends with ctx.Err() after ctx has ended;
//   - it takes no more memory than Memory estimates, and Memory does not estimate far too much;
//   - after saving and loading it is the same, and a damaged file is refused without a panic.
func RunNetwork(t testing.TB, n stage.Network) {
	t.Helper()
	s := imported{n}
	c := &check{TB: t, scale: n.Scale(), subject: s}
	for _, f := range []func(){c.result, c.checkTiny, c.progress, c.checkCancelled, c.workers, c.checkPool,
		c.checkConcurrent, c.checkSaved, c.checkDamaged} {
		f()
	}
	d := networkCheck{c, n}
	for _, f := range []func(){d.grey, d.checkDivisions, d.checkRunsApart, d.reach, d.memory} {
		f()
	}
}

// imported is the subject for a stage.Network. It pushes the whole picture in one call.
type imported struct{ stage.Network }

func (i imported) apply(ctx context.Context, in input, w *stage.Work) ([]*plane.Plane, error) {
	return i.Start(in.low[0].W, in.low[0].H).Push(ctx, in.low, w)
}

func (i imported) tune(stage.Tuning) (subject, bool, error) { return nil, false, nil }

func (i imported) load(f *stage.File, scale int, h stage.Head) (subject, error) {
	n, err := f.Network(memberName, scale, h)
	return imported{n}, err
}

// networkCheck adds the checks that only a Network needs.
type networkCheck struct {
	*check
	network stage.Network
}

// planes returns the planes of a picture of w×h samples with edges and noise.
func (c networkCheck) planes(w, h int) []*plane.Plane { return c.picture(w, h).low }

// pushAll takes a picture through a run and returns the whole result. parts are the numbers of rows of successive
// calls, repeated as often as needed. It reports results of the wrong size, and rows held back too long.
func (c networkCheck) pushAll(run stage.NetworkRun, in []*plane.Plane, parts ...int) []*plane.Plane {
	c.Helper()
	w, h := in[0].W, in[0].H
	out := make([]*plane.Plane, len(in))
	for i := range out {
		out[i] = plane.New(w*c.scale, h*c.scale)
	}
	done := 0
	for from, k := 0, 0; from < h; k++ {
		to := min(from+parts[k%len(parts)], h)
		rows := make([]*plane.Plane, len(in))
		for i, p := range in {
			rows[i] = p.Crop(0, from, w, to-from)
		}
		got, err := run.Push(context.Background(), rows, nil)
		if err != nil || got != nil && len(got) != len(in) {
			c.failf("Push: %d planes, expected %d, error %v", len(got), len(in), err)
			return out
		}
		for i, p := range got {
			if p.W != w*c.scale || p.H != got[0].H || p.H == 0 || done+p.H > h*c.scale || len(p.Pix) != p.W*p.H {
				c.failf("Push returns rows %d to %d of %d, each of %d samples, expected %d", done, done+p.H, h*c.scale,
					p.W, w*c.scale)
				return out
			}
			copy(out[i].Pix[done*p.W:], p.Pix)
		}
		if len(got) > 0 {
			done += got[0].H
		}
		due := to - c.network.Reach()
		if to == h {
			due = h
		}
		if done < due*c.scale {
			c.failf("%d rows of %d have arrived, and %d of the result are returned, expected %d or more", to, h, done,
				due*c.scale)
			return out
		}
		for _, p := range rows { // the run must not have kept them
			for i := range p.Pix {
				p.Pix[i] = float32(math.NaN())
			}
		}
		from = to
	}
	return out
}

// grey passes one plane for all channels, and requires the same result as for separate planes with equal samples.
func (c networkCheck) grey() {
	same := c.planes(23, 17)[0]
	in, copies := make([]*plane.Plane, c.network.Channels()), make([]*plane.Plane, c.network.Channels())
	for i := range in {
		in[i], copies[i] = same, same.Crop(0, 0, same.W, same.H)
	}
	if !samePlanes(c.run(input{low: in, current: c.emptyResults(in)}, nil),
		c.run(input{low: copies, current: c.emptyResults(in)}, nil)) {
		c.failf("another result when several planes are the same one")
	}
}

// checkDivisions divides the rows of a picture between calls in many ways, and requires the same result each time.
func (c networkCheck) checkDivisions() {
	reach := c.network.Reach()
	in := c.planes(19, reach+41)
	whole := c.network.Start(19, reach+41)
	want := c.pushAll(whole, in, reach+41)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, parts := range [][]int{{1}, {2}, {7}, {16, 1}, {reach + 1}, {1 + rng.IntN(9), 1 + rng.IntN(30), 3}} {
		run := c.network.Start(19, reach+41)
		if !samePlanes(c.pushAll(run, in, parts...), want) {
			c.failf("pushed in parts of %d rows it gives other bits", parts)
		}
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	if !samePlanes(c.pushAll(c.network.Start(19, reach+41), in, 5), want) {
		c.failf("pushed in parts of 5 rows by three workers it gives other bits")
	}
}

// checkRunsApart pushes two pictures alternately through two runs: the results must be as with one run after the other.
func (c networkCheck) checkRunsApart() {
	h := c.network.Reach() + 20
	first, second := c.planes(17, h), c.planes(18, h)
	a, b := c.network.Start(17, h), c.network.Start(18, h)
	var got [2][]*plane.Plane
	for from := 0; from < h; from += 5 {
		for i, run := range []stage.NetworkRun{a, b} {
			in := [][]*plane.Plane{first, second}[i]
			var rows []*plane.Plane
			for _, p := range in {
				rows = append(rows, p.Crop(0, from, p.W, min(5, h-from)))
			}
			out, err := run.Push(context.Background(), rows, nil)
			if err != nil {
				c.failf("Push: %v", err)
				return
			}
			for k, p := range out {
				if k == len(got[i]) {
					got[i] = append(got[i], plane.New(p.W, 0))
				}
				got[i][k].Pix, got[i][k].H = append(got[i][k].Pix, p.Pix...), got[i][k].H+p.H
			}
		}
	}
	if !samePlanes(got[0], c.pushAll(c.network.Start(17, h), first, h)) ||
		!samePlanes(got[1], c.pushAll(c.network.Start(18, h), second, h)) {
		c.failf("two runs in turns give other bits than one after the other")
	}
}

// reach cuts rows and columns off a picture, and requires unchanged bits further than Reach from the cuts.
func (c networkCheck) reach() {
	reach := c.network.Reach()
	if reach < 0 {
		c.failf("reach %d", reach)
		return
	}
	const a = stage.Alignment
	side := a + 2*reach + 9
	in := c.planes(side, side)
	want := c.pushAll(c.network.Start(side, side), in, side)
	for _, part := range [][4]int{{a, 0, side - a, side}, {0, a, side, side - a}, {0, 0, side - a, side},
		{0, 0, side, side - a}, {a, a, side - a, side - a}} {
		x, y, w, h := part[0], part[1], part[2], part[3]
		cut := make([]*plane.Plane, len(in))
		for i, p := range in {
			cut[i] = p.Crop(x, y, w, h)
		}
		for i, p := range c.pushAll(c.network.Start(w, h), cut, h) {
			if err := c.sameBeyond(p, want[i], x, y, side); err != nil {
				c.failf("the part %d×%d at (%d, %d) of %d×%d: %v, more than the %d samples of Reach count", w, h, x, y,
					side, side, err, reach)
				return
			}
		}
	}
}

// sameBeyond compares the result of a part, which begins at (x, y) of a picture of the given side, with the result of
// the whole. It leaves out samples within the reach of an edge of the part that is no edge of the picture.
func (c networkCheck) sameBeyond(part, whole *plane.Plane, x, y, side int) error {
	limits := func(from, length int) (lo, hi int) {
		lo, hi = 0, length
		if from > 0 {
			lo = c.network.Reach()
		}
		if from+length < side {
			hi = length - c.network.Reach()
		}
		return lo * c.scale, hi * c.scale
	}
	left, right := limits(x, part.W/c.scale)
	top, bottom := limits(y, part.H/c.scale)
	for v := top; v < bottom; v++ {
		if !slices.Equal(part.Row(v)[left:right], whole.Row(v + y*c.scale)[x*c.scale:][left:right]) {
			return fmt.Errorf("row %d of the result differs", v)
		}
	}
	return nil
}

// memory compares Memory with the least of three peaks while pictures of two heights are pushed 32 rows at a time, with
// a collector that leaves hardly any garbage. Memory may be a quarter and some planes too low, or 16 times too high.
func (c networkCheck) memory() {
	const slack, w = 1 << 20, 64
	for _, h := range []int{100, 500} {
		in := c.planes(w, h)
		fixed, working := c.network.Memory(w, h)
		if fixed < 0 || working < 0 {
			c.failf("Memory(%d, %d) is %d and %d", w, h, fixed, working)
		}
		var returned int64 // by one call
		most := int64(math.MaxInt64)
		for range 3 {
			most = min(most, heap.Peak(heap.Objects, func() { returned = c.pushParts(in, 32) }))
		}
		if most > working+working/4+3*returned+2*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB beside %d KiB that a call returns", w, h, most>>10,
				working>>10, returned>>10)
		}
		if working > 16*max(most, 0)+64*slack {
			c.failf("%d×%d takes %d KiB, Memory says %d KiB: far too much", w, h, most>>10, working>>10)
		}
	}
}

// pushParts pushes a picture in parts of the given height, and returns the most bytes that one call returned.
func (c networkCheck) pushParts(in []*plane.Plane, rows int) (most int64) {
	run := c.network.Start(in[0].W, in[0].H)
	part := make([]*plane.Plane, len(in))
	for from := 0; from < in[0].H; from += rows {
		for i, p := range in {
			to := min(from+rows, p.H)
			part[i] = &plane.Plane{W: p.W, H: to - from, Pix: p.Pix[from*p.W : to*p.W]}
		}
		out, err := run.Push(context.Background(), part, nil)
		if err != nil {
			c.failf("Push: %v", err)
		}
		bytes := int64(0)
		for _, p := range out {
			bytes += 4 * int64(len(p.Pix))
		}
		most = max(most, bytes)
	}
	return most
}
