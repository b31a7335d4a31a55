package upscale

import (
	"context"
	"fmt"
	"image"
	"sync"
	"time"

	"superres/internal/imagefile"
	"superres/internal/parallel"
)

// work is the pictures of a batch in work. They begin in their order, one for each
// processor at a time, so that one is read or written while another is enlarged; what
// becomes of each is told in their order, too, when all before it have ended.
type work struct {
	u    *upscaler
	jobs []job
	room *room

	mu      sync.Mutex // guards all below, and the bar, the events and the tally of u
	results []*outcome // nil: not ended
	told    int        // results, the first ones
	pace    *pace
	last    error // of the failures, that of the last picture
}

// outcome is what has become of a picture.
type outcome struct {
	from, to image.Point // sizes of the picture and of the result
	about    string      // the picture and its model
	need     int64       // bytes, as estimated
	warnings []string    // what the result has not got of the picture
	seconds  float64
	err      error
}

func newWork(u *upscaler, jobs []job) *work {
	return &work{u: u, jobs: jobs, room: newRoom(u.memory), results: make([]*outcome, len(jobs)), pace: newPace(jobs)}
}

// numbers are those of the pictures, from 0.
func (w *work) numbers() []int {
	list := make([]int, len(w.jobs))
	for i := range list {
		list[i] = i
	}
	return list
}

// do enlarges picture i. It fails only when ctx ends.
func (w *work) do(ctx context.Context, i int) (struct{}, error) {
	j := w.jobs[i]
	w.room.queue(i)
	enter := sync.OnceFunc(w.room.next)
	defer enter() // also if it is refused before its size is known
	w.begin(i)
	began, need := time.Now(), int64(0)
	end := func() {}
	defer func() { end() }()
	var out outcome
	out.err = w.u.one(ctx, j, &out, func(bytes int64) {
		need = bytes
		w.room.take(need)
		enter()
		end = parallel.Task()
	}, func(share float64) { w.progress(i, share) })
	w.room.give(need)
	if out.err != nil && ctx.Err() != nil {
		return struct{}{}, ctx.Err()
	}
	out.seconds = time.Since(began).Seconds()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.results[i] = &out
	w.pace.set(i, 1)
	for w.told < len(w.jobs) && w.results[w.told] != nil {
		w.report(w.told)
		w.told++
	}
	return struct{}{}, nil
}

// event is the beginning of the events of picture i.
func (w *work) event(i int) pictureEvent {
	return pictureEvent{Event: "start", Input: w.jobs[i].Path, Output: w.jobs[i].output, Number: i + 1, Of: len(w.jobs)}
}

func (w *work) begin(i int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.u.sweep(w.jobs[i])
	w.u.events.picture(w.event(i))
	w.u.bar.Set("enlarging", w.pace.share())
	if n := len(w.jobs); n > 1 {
		w.u.bar.Describe(fmt.Sprintf("%d of %d", i+1, n))
	}
}

func (w *work) progress(i int, share float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pace.set(i, share)
	w.u.bar.Set("enlarging", w.pace.share())
}

// report tells what has become of picture i.
func (w *work) report(i int) {
	u, j, out, ev := w.u, w.jobs[i], w.results[i], w.event(i)
	if u.verbose && out.about != "" {
		u.bar.Pause()
		fmt.Fprintln(u.Err, imagefile.OneLine(j.Path+": "+out.about))
	}
	u.note(j.Path, out.warnings)
	ev.Seconds = out.seconds
	for _, text := range out.warnings {
		ev.Warnings = append(ev.Warnings, imagefile.OneLine(text))
	}
	if out.err != nil {
		w.last = out.err
		u.fail(ev, out.err)
		return
	}
	u.tally.done++
	ev.Event, ev.InputWidth, ev.InputHeight, ev.Width, ev.Height = "done", out.from.X, out.from.Y, out.to.X, out.to.Y
	u.events.picture(ev)
	text := fmt.Sprintf("%s: %dx%d in %.2f s", j.output, out.to.X, out.to.Y, out.seconds)
	if n := len(w.jobs); n > 1 {
		text = fmt.Sprintf("[%d/%d] %s, %s left", i+1, n, text, w.pace.left())
	}
	u.bar.Line("%s", text)
}

// reportRest tells what else has ended, when the work was interrupted.
func (w *work) reportRest() {
	for i := w.told; i < len(w.jobs); i++ {
		if w.results[i] != nil {
			w.report(i)
		}
	}
}

// room is memory to be divided among pictures, which are let in in their order: one
// that there is not enough for waits, and all behind it.
type room struct {
	mu    sync.Mutex
	moved *sync.Cond // what is below
	turn  int        // of the picture that may take some
	free  int64      // bytes
}

func newRoom(bytes int64) *room {
	r := &room{free: bytes}
	r.moved = sync.NewCond(&r.mu)
	return r
}

// queue waits until it is the turn of picture i.
func (r *room) queue(i int) { r.when(func() bool { return r.turn == i }, 0) }

// take waits for memory and takes it. It must not be more than there is in all.
func (r *room) take(bytes int64) { r.when(func() bool { return r.free >= bytes }, bytes) }

func (r *room) when(ready func() bool, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ready() {
		r.moved.Wait()
	}
	r.free -= bytes
}

// next ends the turn of a picture.
func (r *room) next() { r.change(1, 0) }

// give gives memory back.
func (r *room) give(bytes int64) { r.change(0, bytes) }

func (r *room) change(turns int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn += turns
	r.free += bytes
	r.moved.Broadcast()
}

// pace estimates how far a batch is, by the bytes of the inputs.
type pace struct {
	weights, shares []float64 // of each picture; shares are done
	done, all       float64
	began           time.Time
}

func newPace(jobs []job) *pace {
	p := &pace{began: time.Now(), shares: make([]float64, len(jobs))}
	for _, j := range jobs {
		// The work on a small file is mostly not its bytes.
		p.weights = append(p.weights, float64(j.bytes)+1<<12)
		p.all += float64(j.bytes) + 1<<12
	}
	return p
}

// set says what share of picture i is done.
func (p *pace) set(i int, share float64) {
	p.done += p.weights[i] * (share - p.shares[i])
	p.shares[i] = share
}

// share of the whole work that is done.
func (p *pace) share() float64 { return p.done / p.all }

// left is how long the rest will take at this pace.
func (p *pace) left() time.Duration {
	rest := max((p.all-p.done)/p.done, 0)
	return time.Duration(rest * float64(time.Since(p.began))).Round(time.Second)
}
