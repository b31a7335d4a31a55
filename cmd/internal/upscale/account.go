package upscale

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
)

// account tells what becomes of the pictures of a call, to people by a bar and lines and
// to programs by events, and counts it. Of pictures in work beside one another it tells
// what became of them in their order, each when all before it have ended. It is safe for
// concurrent use.
type account struct {
	out, err io.Writer // standard output and error

	mu      sync.Mutex // guards all below
	events  *events
	bar     *console.Progress
	dry     bool // nothing is made
	verbose bool // each picture is described
	quiet   bool // warnings are not for people

	began                       time.Time
	total, made, skipped, plans int
	failed                      []string         // inputs
	last                        error            // that of the last picture that failed
	others                      []pictures.Other // that are of kinds that cannot be read

	jobs    []job      // in work
	results []*outcome // nil: not ended
	told    int        // results, the first ones
	pace    *pace
}

// newAccount begins to count the time. json asks for events.
func newAccount(s *console.Streams, json bool) *account {
	a := &account{out: s.Out, err: s.Err, began: time.Now()}
	if json {
		a.events = newEvents(s.Out)
	}
	return a
}

// start begins to tell of so many pictures.
func (a *account) start(bar *console.Progress, opt Options, total int, quiet bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bar, a.dry, a.verbose, a.quiet, a.total = bar, opt.DryRun, opt.Verbose, quiet, total
	bar.Several(total > 1 && !opt.DryRun)
}

// skip tells of a picture with which there is nothing to do.
func (a *account) skip(j job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skipped++
	a.events.picture(pictureEvent{Event: "skip", Input: paths.Name(j.Path), Output: paths.Name(j.output), Reason: j.skip})
}

// leaveOut tells of the pictures of kinds that cannot be read, which are none of the total.
func (a *account) leaveOut(others []pictures.Other) error {
	a.mu.Lock()
	a.others = others
	for _, o := range others {
		a.events.picture(pictureEvent{Event: "unreadable", Input: paths.Name(o.Path), Reason: o.Reason(), Kind: o.Kind.Title})
		if a.verbose && !a.dry {
			a.say(o.Path + ": skipped, " + o.Reason())
		}
	}
	a.mu.Unlock()
	if !a.dry {
		return nil
	}
	for _, o := range others {
		if err := a.plan("%s: skipped, %s", o.Path, o.Reason()); err != nil {
			return err
		}
	}
	return nil
}

// planned tells of a picture that would be made.
func (a *account) planned(ev pictureEvent) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plans++
	a.events.picture(ev)
}

// plan writes a line of a plan, unless the plan is of events.
func (a *account) plan(format string, args ...any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.events != nil {
		return nil
	}
	_, err := fmt.Fprintln(a.out, safefile.OneLine(fmt.Sprintf(format, args...)))
	return err
}

// warn tells people of an error among others.
func (a *account) warn(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bar.Warn(err)
}

// fail counts and tells the failure of one picture.
func (a *account) fail(ev pictureEvent, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure(ev, err)
}

// failure is fail for those who have the lock. That of a single picture is what the
// program ends with.
func (a *account) failure(ev pictureEvent, err error) {
	a.failed, a.last = append(a.failed, string(ev.Input)), err
	a.events.picture(failure(ev, err))
	if a.total > 1 {
		a.bar.Warn(err)
	}
}

// work says which pictures are enlarged now. The next five methods are told of them by
// their numbers, from 0.
func (a *account) work(jobs []job) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.jobs, a.results, a.pace = jobs, make([]*outcome, len(jobs)), newPace(jobs)
}

// event is the beginning of the events of picture i.
func (a *account) event(i int) pictureEvent {
	return pictureEvent{Event: "start", Input: paths.Name(a.jobs[i].Path), Output: paths.Name(a.jobs[i].output), Number: i + 1, Of: len(a.jobs)}
}

// begin tells that picture i is begun.
func (a *account) begin(i int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events.picture(a.event(i))
	a.bar.Set("enlarging", a.pace.share())
	if n := len(a.jobs); n > 1 {
		a.bar.Describe(fmt.Sprintf("%d of %d", i+1, n))
	}
}

// progress tells what share of picture i is done.
func (a *account) progress(i int, share float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pace.set(i, share)
	a.bar.Set("enlarging", a.pace.share())
}

// end tells what has become of picture i, once all before it have ended.
func (a *account) end(i int, out outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.results[i] = &out
	a.pace.set(i, 1)
	for a.told < len(a.jobs) && a.results[a.told] != nil {
		a.report(a.told)
		a.results[a.told] = nil // of a million
		a.told++
	}
}

// rest tells what else has ended, when the work was interrupted.
func (a *account) rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := a.told; i < len(a.jobs); i++ {
		if a.results[i] != nil {
			a.report(i)
		}
	}
}

// report tells what has become of picture i, for those who have the lock.
func (a *account) report(i int) {
	j, out, ev := a.jobs[i], a.results[i], a.event(i)
	if a.verbose && out.about != "" {
		a.say(j.Path + ": " + out.about)
	}
	if !a.quiet {
		for _, text := range out.warnings {
			a.say("superres: " + j.Path + ": " + text)
		}
	}
	ev.ended(*out)
	if out.err != nil {
		a.failure(ev, out.err)
		return
	}
	a.made++
	a.events.picture(ev)
	if out.frames > 0 && len(a.jobs) == 1 {
		a.bar.Line("%s, %d frames of %d×%d, %.1f s, %.2f frames a second", j.output, out.frames, out.to.X, out.to.Y, out.seconds, float64(out.frames)/out.seconds)
		return
	}
	if n := len(a.jobs); n > 1 {
		a.bar.Line("[%d/%d] %s: %dx%d in %.2f s, %s left", i+1, n, j.output, out.to.X, out.to.Y, out.seconds, a.pace.left())
		return
	}
	a.bar.Line("%s, %d×%d, %.1f s", j.output, out.to.X, out.to.Y, out.seconds)
}

// note tells people something about the call.
func (a *account) note(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.quiet {
		a.say("superres: " + text)
	}
}

// say writes a line for people beside the bar.
func (a *account) say(text string) {
	a.bar.Pause()
	fmt.Fprintln(a.err, safefile.OneLine(text))
}

// done is how many pictures were made.
func (a *account) done() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.made
}

// counts are how many pictures would be made, were skipped, and failed.
func (a *account) counts() (planned, skipped, failed int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.plans, a.skipped, len(a.failed)
}

// failures are the inputs of the pictures that failed.
func (a *account) failures() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.failed)
}

// verdict sums up a batch for people and returns what the program ends with.
func (a *account) verdict() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	failed := len(a.failed)
	defer a.skippedOthers()
	switch {
	case failed == 0:
		if a.total > 1 {
			a.bar.Line("%d done, %d skipped, in %v", a.made, a.skipped, time.Since(a.began).Round(time.Second/10))
		}
		return nil
	case a.total == 1:
		return a.last
	case failed == a.total:
		return console.Fail(console.ExitNothing, fmt.Errorf("all %d pictures failed", failed))
	}
	fate := "are done"
	if a.dry {
		fate = "can be made or are there"
	}
	return console.Fail(console.ExitSome, fmt.Errorf("%d of %d pictures failed, %d %s: %s", failed, a.total, a.total-failed, fate, console.FirstOf(a.failed)))
}

// skippedOthers says in the end what was left out, for those who have the lock.
func (a *account) skippedOthers() {
	text := pictures.Skipped(a.others)
	if text == "" || a.quiet || a.dry {
		return
	}
	if !a.verbose {
		text += "; --verbose lists them, with what to do"
	}
	a.say("superres: " + text)
}

// summary ends the events. err is what the program ends with.
func (a *account) summary(ctx context.Context, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.events == nil {
		return
	}
	ev := summaryEvent{Event: "summary", Total: a.total, Done: a.made, Skipped: a.skipped, Planned: a.plans, Unreadable: len(a.others), Failed: len(a.failed),
		Seconds: time.Since(a.began).Seconds(), Failures: append([]paths.Name{}, paths.Names(a.failed)...)}
	if err != nil {
		ev.Error, ev.ExitCode = console.Message(err), console.ExitCode(err)
		if i, ok := errors.AsType[console.Interrupt](context.Cause(ctx)); ok {
			ev.Error, ev.ExitCode = i.Error(), i.Code()
		}
	}
	_ = a.events.Encode(ev)
}
