package upscale

import (
	"context"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/parallel"
	"superres/internal/safefile"
)

// session is one call of the command: what it is asked for, and what it works with.
type session struct {
	*enlarging.Enlarger
	opt     Options
	past    resumption
	streams *console.Streams
	in      *enlarging.Standard
}

// source is where the bytes of an input come from.
func (e *session) source(name string) enlarging.Source {
	if paths.IsStandard(name) {
		return e.in
	}
	return enlarging.File(name)
}

// jobOf is what is to be done with a picture.
func (e *session) jobOf(j job) enlarging.Job {
	out := enlarging.Job{Source: e.source(j.Path), Format: j.format}
	if j.piped() {
		out.Sink, out.Follow = enlarging.Pipe{Writer: e.streams.Out}, e.opt.Naming.Format == ""
		return out
	}
	out.Sink = enlarging.FileSink{Path: j.output, Root: j.root, Keep: func(info fs.FileInfo, write func(io.Writer) error) error {
		return e.past.Keep(j.file(), info, e.opt.OnExist == "overwrite", write)
	}}
	return out
}

// isVideo tells whether the input is a stream of video, by what it begins with. Such a stream is enlarged alone.
func (e *session) isVideo() (bool, error) {
	alone := len(e.opt.Inputs) == 1
	for _, name := range e.opt.Inputs {
		if paths.IsStandard(name) && (!alone || e.opt.DryRun || e.opt.Resume) {
			continue // refused, and not to be waited for
		}
		if !alone && !pictures.IsNamedVideo(name) || enlarging.FormatOf(e.source(name)) != pictures.Video {
			continue
		}
		if !alone {
			return false, console.Usage("%s is a stream of frames, which is enlarged alone; give each stream a call of its own", name)
		}
		return true, nil
	}
	return false, nil
}

// outcome is what has become of a picture.
type outcome struct {
	*enlarging.Plan // nil: there was none
	seconds         float64
	err             error
}

// warnings are what the result lacks of the picture.
func (o outcome) warnings() []string {
	if o.Plan == nil {
		return nil
	}
	return o.Warnings
}

// all enlarges the pictures, as many at a time as there are processors and as there is
// memory for; one that fails does not end the rest.
func (e *session) all(ctx context.Context, b *batch, r *report) error {
	for _, err := range e.past.Warnings() {
		r.bar.Warn(err)
	}
	if err := r.leaveOut(b.others); err != nil {
		return err
	}
	for j := range b.skipped() {
		r.skip(j)
	}
	r.work(b.jobs)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(e.opt.Limits.Memory)) // near it garbage is collected sooner
	console.LimitProcess(ctx, e.opt.Limits)
	over, end := watchMemory()
	defer end()
	w := &work{session: e, jobs: b.jobs, report: r, room: newRoom(e.opt.Limits.Memory), over: over}
	err := parallel.Each(ctx, w.numbers(), w.do, func(struct{}) error { return nil })
	if err == nil {
		err = w.doAgain(ctx)
	}
	r.rest()
	if err != nil {
		return err
	}
	if err := e.past.End(b.tallies(r.failures()), len(b.inputs)); err != nil {
		return err
	}
	return r.verdict()
}

// work is the pictures of a batch in work. They begin in their order, one for each
// processor at a time, so that one is read or written while another is enlarged.
type work struct {
	*session
	jobs   []job
	report *report
	room   *room
	over   *overrun

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
	w.report.begin(i)
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
	began, out, j := time.Now(), outcome{}, w.jobs[i]
	end := func() {}
	defer func() { end() }()
	of, watched := w.over.begin(ctx)
	promised := int64(0)
	watch := enlarging.Watch{
		Admit: func(p *enlarging.Plan) {
			admit(p.Memory)
			promised = p.Memory
			watched.promise(p.Memory)
			end = parallel.Task()
		},
		Progress: func(p *enlarging.Plan, written int, share float64) {
			if written == 0 {
				w.report.progress(i, share)
			} else {
				w.report.frame(i, written, p.Output, time.Since(began).Seconds(), share)
			}
		},
	}
	out.err = console.Picture(j.title(), func() (err error) {
		out.Plan, err = w.Enlarge(of, w.jobOf(j), watch)
		return err
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
		out.err = safefile.Refuse(safefile.ErrLimit, j.title(), reason, console.Bytes(max(promised, headBytes)))
	}
	out.seconds = time.Since(began).Seconds()
	w.report.end(i, out)
	return false, nil
}
