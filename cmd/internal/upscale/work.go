package upscale

import (
	"context"
	"image"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/parallel"
	"superres/internal/safefile"
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
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(e.opt.Limits.Memory)) // near it garbage is collected sooner
	console.LimitProcess(ctx, e.opt.Limits)
	over, end := watchMemory()
	defer end()
	w := &work{enlarger: e, jobs: b.jobs, told: told, room: newRoom(e.opt.Limits.Memory), over: over}
	err := parallel.Each(ctx, w.numbers(), w.do, func(struct{}) error { return nil })
	if err == nil {
		err = w.doAgain(ctx)
	}
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
	over *overrun

	mu    sync.Mutex // guards again
	again []int      // pictures that were stopped with others: see overrun
}

// numbers are those of the pictures, from 0.
func (w *work) numbers() []int {
	list := make([]int, len(w.jobs))
	for i := range list {
		list[i] = i
	}
	return list
}

// do enlarges picture i beside others. It fails only when ctx ends.
func (w *work) do(ctx context.Context, i int) (struct{}, error) {
	w.room.queue(i)
	enter := sync.OnceFunc(w.room.next)
	defer enter() // also if it is refused before its size is known
	w.told.begin(i)
	need := int64(0)
	stopped, err := w.try(ctx, i, func(bytes int64) {
		need = bytes
		w.room.take(need)
		enter()
	})
	w.room.give(need)
	if stopped {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.again = append(w.again, i)
	}
	return struct{}{}, err
}

// doAgain enlarges the pictures that were stopped, one at a time. It fails only when ctx ends.
func (w *work) doAgain(ctx context.Context) error {
	slices.Sort(w.again)
	for _, i := range w.again {
		if _, err := w.try(ctx, i, func(int64) {}); err != nil {
			return err
		}
	}
	return nil
}

// try enlarges picture i, and waits by admit for the bytes that it takes. stopped tells that it
// was stopped with others, and is to be tried again. It fails only when ctx ends.
func (w *work) try(ctx context.Context, i int, admit func(bytes int64)) (stopped bool, err error) {
	began, out := time.Now(), outcome{}
	end := func() {}
	defer func() { end() }()
	out.tell = func(n int, share float64) {
		w.told.frame(i, n, out.to, time.Since(began).Seconds(), share)
	}
	of, watched := w.over.begin(ctx)
	promised := int64(0)
	admitted := func(bytes int64) {
		admit(bytes)
		promised = bytes
		watched.promise(bytes)
		end = parallel.Task()
	}
	name := nameOf(w.jobs[i])
	out.err = console.Picture(name, func() error {
		if w.opt.Frames {
			return w.video(of, i, &out, admitted)
		}
		return w.one(of, w.jobs[i], &out, admitted, func(share float64) { w.told.progress(i, share) })
	})
	stopped, alone := watched.end()
	switch {
	case out.err == nil: // also if it was finished before it saw that it was stopped
	case ctx.Err() != nil:
		return false, ctx.Err()
	case stopped && !alone:
		return true, nil
	case stopped:
		const reason = "took more than twice the %s of memory that were expected, and was stopped; please report it with the file"
		out.err = safefile.Refuse(safefile.ErrLimit, name, reason, console.Bytes(max(promised, headBytes)))
	}
	out.seconds = time.Since(began).Seconds()
	w.told.end(i, out)
	return false, nil
}
