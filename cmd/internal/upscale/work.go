package upscale

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/parallel"
)

// enlargeJobs enlarges the pictures of b and reports them to r. As many are enlarged at the same time as there are
// processors, if memory allows. If a picture fails, the others go on.
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
	limit := e.opt.Limits.Memory + console.Ballast          // the ballast counts as memory, but takes none
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit)) // sets limit now, and the limit before it at the end
	console.LimitProcess(ctx, e.opt.Limits)
	w := &crew{session: e, jobs: b.jobs, report: r, budget: newBudget(e.opt.Limits.Memory)}
	err := parallel.Each(ctx, parallel.Numbers(len(b.jobs)), w.do, func(struct{}) error { return nil })
	r.reportRest()
	if err != nil {
		return err
	}
	return r.verdict()
}

// crew enlarges the pictures of a batch in order, several at once: while some are enlarged, others are read or written.
type crew struct {
	*session
	jobs   []job
	report *report
	budget *budget
}

// do enlarges picture i and reports its outcome. Several calls may run at the same time. It fails only when ctx ends.
func (w *crew) do(ctx context.Context, i int) (struct{}, error) {
	w.budget.queue(i)                       // waits until all earlier pictures have their memory
	letNext := sync.OnceFunc(w.budget.next) // lets the next picture take memory
	defer letNext()                         // also if the picture is refused before its size is known
	w.report.begin(i)
	began, out, j := time.Now(), outcome{}, w.jobs[i]
	need, endTask := int64(0), func() {}
	defer func() {
		w.budget.give(need)
		endTask()
	}()
	watch := enlarging.Watch{
		Admit: func(p *enlarging.Plan) error {
			if need = p.Memory; j.format == pictures.Container {
				need = w.opt.Limits.Memory // no other picture meanwhile: FFmpeg takes processors and memory, too
			}
			w.budget.take(need)
			letNext()
			endTask = parallel.Task() // the pictures in progress share the processors
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
		out.Plan, err = w.enlarge(ctx, j, watch)
		return err
	})
	if out.err != nil && ctx.Err() != nil {
		return struct{}{}, ctx.Err()
	}
	out.seconds = time.Since(began).Seconds()
	w.report.end(i, out)
	return struct{}{}, nil
}
