package upscale

import (
	"context"
	"image"
	"sync"
	"time"

	"superres/internal/parallel"
)

// outcome is what has become of a picture.
type outcome struct {
	from, to image.Point // sizes of the picture and of the result
	by       choice      // of a model
	about    string      // the picture and its model
	need     int64       // bytes, as estimated
	warnings []string    // what the result has not got of the picture
	seconds  float64
	frames   int // of a stream or a sequence: that were written
	err      error
	tell     func(frame int, share float64) // of a sequence: that a frame was written
}

// all enlarges the pictures, as many at a time as there are processors and as there is
// memory for; one that fails does not end the rest.
func (e enlarger) all(ctx context.Context, b *batch, told *account) error {
	for _, err := range e.past.Warnings() {
		told.bar.Warn(err)
	}
	if err := told.leaveOut(b.others); err != nil {
		return err
	}
	for j := range b.skipped() {
		told.skip(j)
	}
	told.work(b.jobs)
	w := &work{enlarger: e, jobs: b.jobs, told: told, room: newRoom(e.opt.Limits.Memory)}
	err := parallel.Each(ctx, w.numbers(), w.do, func(struct{}) error { return nil })
	told.rest()
	if err != nil {
		return err
	}
	if err := e.past.End(b.tallies(told.failures()), len(b.inputs)); err != nil {
		return err
	}
	return told.verdict()
}

// work is the pictures of a batch in work. They begin in their order, one for each
// processor at a time, so that one is read or written while another is enlarged.
type work struct {
	enlarger
	jobs []job
	told *account
	room *room
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
	w.room.queue(i)
	enter := sync.OnceFunc(w.room.next)
	defer enter() // also if it is refused before its size is known
	w.told.begin(i)
	began, need := time.Now(), int64(0)
	end := func() {}
	defer func() { end() }()
	var out outcome
	admit := func(bytes int64) {
		need = bytes
		w.room.take(need)
		enter()
		end = parallel.Task()
	}
	if w.opt.Frames {
		out.err = w.video(ctx, i, &out, admit)
	} else {
		out.tell = func(n int, share float64) {
			w.told.frame(i, n, out.to, time.Since(began).Seconds(), share)
		}
		out.err = w.one(ctx, w.jobs[i], &out, admit, func(share float64) { w.told.progress(i, share) })
	}
	w.room.give(need)
	if out.err != nil && ctx.Err() != nil {
		return struct{}{}, ctx.Err()
	}
	out.seconds = time.Since(began).Seconds()
	w.told.end(i, out)
	return struct{}{}, nil
}
