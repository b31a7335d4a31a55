package upscale

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
)

// report tells people, with a bar and lines, and programs, with events, how the work on each picture goes, and counts
// the pictures. It reports the end of a picture when all before it have ended, too. It is safe for concurrent use.
type report struct {
	out, err io.Writer // standard output and error

	mu      sync.Mutex    // guards the fields below
	events  *json.Encoder // writes the events of --json; nil: --json is not given
	bar     *console.Progress
	dry     bool // --dry-run: nothing is enlarged; false: pictures are enlarged
	verbose bool // a line describes each picture; false: no such lines
	quiet   bool // warnings and remarks are not printed

	began                       time.Time
	total, made, skipped, plans int              // numbers of pictures: in all, enlarged, skipped, planned in a dry run
	failed                      []string         // paths of the inputs that failed
	last                        error            // the latest failure
	missing                     []string         // kinds of files for which a missing program was reported
	others                      []pictures.Other // pictures of unreadable kinds
	earlier                     int              // number of pictures left out since superres enlarged them before
	videos                      []pictures.Input // videos found in folders, which are left out

	jobs     []job      // all pictures to enlarge
	results  []*outcome // outcome of each job; nil: the job has not ended, or was reported already
	reported int        // number of jobs reported: jobs[:reported]
	pace     *pace
}

// newReport returns a report whose clock starts now. If asJSON is true, the report writes events to standard output.
func newReport(s *console.Streams, asJSON bool) *report {
	r := &report{out: s.Out, err: s.Err, began: time.Now()}
	if asJSON {
		r.events = json.NewEncoder(s.Out)
		r.events.SetEscapeHTML(false)
	}
	return r
}

// write writes the event ev if --json is given. Write errors are reported when the program ends. The caller holds r.mu.
func (r *report) write(ev any) {
	if r.events != nil {
		_ = r.events.Encode(ev)
	}
}

// start sets the bar, the options and the total number of pictures. If quiet is true, warnings are not printed.
func (r *report) start(bar *console.Progress, opt Options, total int, quiet bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bar, r.dry, r.verbose, r.quiet, r.total = bar, opt.DryRun, opt.Verbose, quiet, total
	bar.Several(total > 1 && !opt.DryRun)
}

// skip counts j as skipped and writes the event "skip", with the reason in j.
func (r *report) skip(j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipped++
	r.write(pictureEvent{Event: "skip", Input: paths.Name(j.Path), Output: paths.Name(j.output), Reason: j.reason})
}

// leaveOut reports each earlier result, picture of an unreadable kind and video in a folder, which b leaves out, by an
// event and, with --verbose or --dry-run, by a line. It returns the first error of a line on standard output.
func (r *report) leaveOut(b *batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.others, r.earlier, r.videos = b.others, len(b.results), b.videos
	var err error
	tell := func(ev pictureEvent, why string) {
		r.write(ev)
		text := string(ev.Input) + ": left out, " + why
		switch {
		case r.verbose && !r.dry:
			r.say(text)
		case r.dry:
			err = cmp.Or(err, r.print(text))
		}
	}
	for _, in := range b.results {
		tell(pictureEvent{Event: "result", Input: paths.Name(in.Path)}, "superres enlarged it before")
	}
	for _, o := range b.others {
		tell(pictureEvent{Event: "unreadable", Input: paths.Name(o.Path), Reason: o.Reason(), Kind: o.Kind.Title},
			o.Reason())
	}
	for _, in := range b.videos {
		tell(pictureEvent{Event: "video", Input: paths.Name(in.Path)}, "a video in a folder")
	}
	return err
}

// tallies returns up to three lines, on the files left out: earlier results, videos in folders, then unreadable kinds.
func (r *report) tallies() (lines []string) {
	if r.earlier > 0 {
		lines = append(lines, tellResults(r.earlier))
	}
	if len(r.videos) > 0 {
		lines = append(lines, pictures.TellVideos(r.videos))
	}
	if text := pictures.Skipped(r.others); text != "" {
		lines = append(lines, text)
	}
	return lines
}

// planned counts a picture of a dry run and writes its event ev, which holds the plan.
func (r *report) planned(ev pictureEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plans++
	r.write(ev)
}

// plan prints a line of a dry run; with --json it prints nothing.
func (r *report) plan(format string, args ...any) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.print(fmt.Sprintf(format, args...))
}

// print is like plan, but takes a finished text, and the caller holds r.mu.
func (r *report) print(text string) error {
	if r.events != nil {
		return nil
	}
	_, err := fmt.Fprintln(r.out, safefile.OneLine(text))
	return err
}

func (r *report) warn(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bar.Warn(err)
}

// fail counts the picture of the event ev as failed and reports the error err.
func (r *report) fail(ev pictureEvent, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure(ev, err)
}

// failure does what fail does, for callers that hold r.mu. It prints err only if there are several pictures: with a
// single one, err ends the call and is printed then. What to install for a kind of file is printed only once.
func (r *report) failure(ev pictureEvent, err error) {
	r.failed, r.last = append(r.failed, string(ev.Input)), err
	r.write(failure(ev, err))
	if m, is := errors.AsType[*decoders.Missing](err); is {
		if slices.Contains(r.missing, m.Title) {
			err = fmt.Errorf("%s: is %s, too", m.Name, m.Title)
		}
		r.missing = append(r.missing, m.Title)
	}
	if r.total > 1 {
		r.bar.Warn(err)
	}
}

// setJobs sets the pictures to enlarge and starts their pace. In the methods below, i is an index into jobs.
func (r *report) setJobs(jobs []job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.jobs, r.results = jobs, make([]*outcome, len(jobs))
	var weights []int64
	for _, j := range jobs {
		weights = append(weights, j.bytes)
	}
	r.pace = newPace(weights)
}

// event returns the event "start" of picture i, from which callers make the other events of the picture.
func (r *report) event(i int) pictureEvent {
	return pictureEvent{Event: "start", Input: paths.Name(r.jobs[i].Path), Output: paths.Name(r.jobs[i].output),
		Number: i + 1, Of: len(r.jobs)}
}

// begin writes the event "start" of picture i, and shows in the bar that the work on the picture begins.
func (r *report) begin(i int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(r.event(i))
	r.bar.Set("enlarging", r.pace.share())
	if n := len(r.jobs); n > 1 {
		r.bar.Describe(fmt.Sprintf("%d of %d", i+1, n))
	}
}

// progress records the share of picture i that is done, 0 to 1, and shows in the bar the progress of all pictures.
func (r *report) progress(i int, share float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pace.set(i, share)
	r.bar.Set("enlarging", r.pace.share())
}

// end records the outcome of picture i. Outcomes are reported in the order of the pictures: end reports those recorded
// so far, up to the first picture that has not ended yet.
func (r *report) end(i int, out outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[i] = &out
	r.pace.set(i, 1)
	for r.reported < len(r.jobs) && r.results[r.reported] != nil {
		r.tell(r.reported)
		r.results[r.reported] = nil // frees memory: there may be a million outcomes
		r.reported++
	}
}

// reportRest reports, after an interruption, the outcomes that end has held back since an earlier picture never ended.
func (r *report) reportRest() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := r.reported; i < len(r.jobs); i++ {
		if r.results[i] != nil {
			r.tell(i)
		}
	}
}

// tell counts picture i and reports its outcome: an event, with r.verbose a line about the model, unless r.quiet a line
// for each warning, and at last the error, or a line that says what was written. The caller holds r.mu.
func (r *report) tell(i int) {
	j, out, ev := r.jobs[i], r.results[i], r.event(i)
	if r.verbose && out.Plan != nil && out.Choice.Name() != "" {
		r.say(j.Path + ": " + out.Plan.String())
	}
	if !r.quiet {
		for _, text := range out.warnings() {
			r.say("superres: " + j.Path + ": " + text)
		}
	}
	ev.ended(*out)
	if j.Large {
		ev.Reason = "large"
	}
	if out.err != nil {
		r.failure(ev, out.err)
		return
	}
	r.made++
	r.write(ev)
	if out.Written > 0 && len(r.jobs) == 1 {
		r.bar.Line("%s, %d frames of %d×%d, %s, %.2f frames a second%s", j.output, out.Written, out.Output.X,
			out.Output.Y, console.Elapsed(out.seconds), float64(out.Written-out.Earlier)/out.seconds,
			out.agreement(r.verbose))
		return
	}
	if n := len(r.jobs); n > 1 {
		r.bar.Line("[%d/%d] %s, %d×%d, %s%s%s", i+1, n, j.output, out.Output.X, out.Output.Y,
			console.Elapsed(out.seconds), out.agreement(r.verbose), r.pace.remaining())
		return
	}
	r.bar.Line("%s, %d×%d, %s%s", j.output, out.Output.X, out.Output.Y, console.Elapsed(out.seconds),
		out.agreement(r.verbose))
}

// note prints text, a remark about the call, unless the report is quiet.
func (r *report) note(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.quiet {
		r.say("superres: " + text)
	}
}

// say prints text as one line on standard error, without mixing it with the bar. The caller holds r.mu.
func (r *report) say(text string) {
	r.bar.Pause()
	fmt.Fprintln(r.err, safefile.OneLine(text))
}

// counts returns how many pictures were enlarged, planned in a dry run, skipped, and failed.
func (r *report) counts() (made, planned, skipped, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made, r.plans, r.skipped, len(r.failed)
}

// verdict returns the error that ends the program, or nil if no picture failed, and prints how many pictures are done,
// if there are several and none failed, and how many files were left out.
func (r *report) verdict() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	failed := len(r.failed)
	defer r.sayTallies()
	switch {
	case failed == 0:
		if r.total > 1 {
			r.bar.Line("%d done, %d skipped, in %s", r.made, r.skipped, console.Elapsed(time.Since(r.began).Seconds()))
		}
		return nil
	case r.total == 1:
		return r.last
	case failed == r.total:
		return console.Failf(console.ExitNothing, "all %d pictures failed", failed)
	}
	others := "are done"
	if r.dry {
		others = "can be made or are there"
	}
	return console.Failf(console.ExitSome, "%d of %d pictures failed, %d %s: %s", failed, r.total, r.total-failed,
		others, console.FirstOf(r.failed))
}

// sayTallies prints the lines that r.tallies returns, then advice about the files of kinds that are not read. It prints
// nothing if r.quiet is set, nor in a dry run, in which session.show prints them. The caller holds r.mu.
func (r *report) sayTallies() {
	if r.quiet || r.dry {
		return
	}
	lines := r.tallies()
	if len(r.others) > 0 && !r.verbose {
		lines[len(lines)-1] += "; --verbose lists them" // the last line is about these kinds
		lines = append(lines, pictures.Advice(r.others)...)
	}
	for _, text := range lines {
		r.say("superres: " + text)
	}
}

// summary writes the event "summary". err is the error that ends the program, or nil.
func (r *report) summary(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ev := summaryEvent{Event: "summary", Total: r.total, Done: r.made, Skipped: r.skipped, Planned: r.plans,
		Unreadable: len(r.others), Results: r.earlier, Videos: len(r.videos), Failed: len(r.failed),
		Seconds: time.Since(r.began).Seconds(), Failures: append([]paths.Name{}, paths.Names(r.failed)...)}
	if err != nil {
		ev.Error, ev.ExitCode = console.Message(err), console.ExitCode(err)
		if i, ok := errors.AsType[console.Interrupt](context.Cause(ctx)); ok {
			ev.Error, ev.ExitCode = i.Error(), i.Code()
		}
	}
	r.write(ev)
}

// frame reports that frame n of picture i was written. to is the size of the frame in pixels, and seconds the time
// since the work on the picture began. earlier is the number of frames that an earlier run wrote, which do not count
// for the speed. share is how much of the picture is done, 0 to 1; 0 means unknown.
func (r *report) frame(i, n, earlier int, to image.Point, seconds, share float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.jobs[i]
	r.write(frameEvent{Event: "frame", Input: paths.Name(j.Path), Output: paths.Name(j.output), Frame: n,
		Width: to.X, Height: to.Y, Seconds: seconds})
	const what = "enlarging"
	if share == 0 {
		r.bar.Spin(what)
	} else {
		r.pace.set(i, share)
		r.bar.Set(what, r.pace.share())
	}
	r.bar.Describe(fmt.Sprintf("frame %d, %.2f a second", n, float64(n-earlier)/seconds))
}
