package upscale

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/parallel"
	"superres/internal/safefile"
)

// enlargeJobs enlarges the pictures of b, at most one per processor at a time and as memory allows. One that fails
// does not end the others.
func (e *session) enlargeJobs(ctx context.Context, b *batch, r *report) error {
	for _, err := range e.past.Warnings() {
		r.bar.Warn(err)
	}
	if err := r.leaveOut(b); err != nil {
		return err
	}
	for j := range b.skipped() {
		r.skip(j)
	}
	r.setJobs(b.jobs)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(e.opt.Limits.Memory)) // near it garbage is collected sooner
	console.LimitProcess(ctx, e.opt.Limits)
	over, end := watchMemory()
	defer end()
	w := &crew{session: e, jobs: b.jobs, report: r, budget: newBudget(e.opt.Limits.Memory), over: over}
	err := parallel.Each(ctx, w.numbers(), w.do, func(struct{}) error { return nil })
	if err == nil {
		err = w.doAgain(ctx)
	}
	r.reportRest()
	if err != nil {
		return err
	}
	if err := e.past.End(b.tallies(r.failures()), len(b.inputs)); err != nil {
		return err
	}
	return r.verdict()
}

// crew enlarges the pictures of a batch. They begin in order, one per processor at a time, so that some are read or
// written while others are enlarged.
type crew struct {
	*session
	jobs   []job
	report *report
	budget *budget
	over   *overrun

	mu    sync.Mutex // guards again
	again []int      // indices of pictures stopped together for using too much memory
}

// numbers returns the indices of the pictures.
func (w *crew) numbers() []int {
	list := make([]int, len(w.jobs))
	for i := range list {
		list[i] = i
	}
	return list
}

// do enlarges picture i while others may be in work. It fails only when ctx ends.
func (w *crew) do(ctx context.Context, i int) (struct{}, error) {
	w.budget.queue(i)
	enter := sync.OnceFunc(w.budget.next)
	defer enter() // also if it is refused before its size is known
	w.report.begin(i)
	need := int64(0)
	stopped, err := w.try(ctx, i, func(bytes int64) {
		need = bytes
		w.budget.take(need)
		enter()
	})
	w.budget.give(need)
	if stopped {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.again = append(w.again, i)
	}
	return struct{}{}, err
}

// doAgain enlarges the pictures that were stopped, one at a time. It fails only when ctx ends.
func (w *crew) doAgain(ctx context.Context) error {
	slices.Sort(w.again)
	for _, i := range w.again {
		if _, err := w.try(ctx, i, func(int64) {}); err != nil {
			return err
		}
	}
	return nil
}

// try enlarges picture i, calling admit, which may block, with the bytes that it takes. stopped says that it was
// stopped together with others and must be tried again. It fails only when ctx ends.
func (w *crew) try(ctx context.Context, i int, admit func(bytes int64)) (stopped bool, err error) {
	began, out, j := time.Now(), outcome{}, w.jobs[i]
	end := func() {}
	defer func() { end() }()
	of, watched := w.over.begin(ctx)
	promised := int64(0)
	watch := enlarging.Watch{
		Admit: func(p *enlarging.Plan) error {
			if need := p.Memory; j.format != pictures.Container {
				admit(need)
			} else {
				admit(w.opt.Limits.Memory) // alone: FFmpeg takes processors and memory besides
			}
			promised = p.Memory
			watched.promise(p.Memory)
			end = parallel.Task()
			return nil
		},
		Progress: func(p *enlarging.Plan, written int, share float64) {
			if written == 0 {
				w.report.progress(i, share)
			} else {
				w.report.frame(i, written, p.Earlier, p.Output, time.Since(began).Seconds(), share)
			}
		},
	}
	out.err = console.Picture(j.title(), func() (err error) {
		out.Plan, err = w.enlarge(of, j, watch)
		return err
	})
	stopped, alone := watched.end()
	switch {
	case out.err == nil: // also if it ended before it noticed that it was stopped
	case ctx.Err() != nil:
		return false, ctx.Err()
	case stopped && !alone:
		return true, nil
	case stopped:
		const reason = "took more than twice the %s of memory that were expected, and was stopped; " +
			"please report it with the file"
		out.err = safefile.Refuse(safefile.ErrLimit, j.title(), reason, console.Bytes(max(promised, headBytes)))
	}
	out.seconds = time.Since(began).Seconds()
	w.report.end(i, out)
	return false, nil
}
