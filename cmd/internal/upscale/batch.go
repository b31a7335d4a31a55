package upscale

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/parallel"
)

// all enlarges the pictures, as many at a time as there are processors and as there is
// memory for; one that fails does not end the rest.
func (u *upscaler) all(ctx context.Context, b batch) error {
	for _, j := range b.skipped {
		u.sweep(j)
		u.skip(j)
	}
	w := newWork(u, b.jobs)
	err := parallel.Each(ctx, w.numbers(), w.do, func(struct{}) error { return nil })
	w.reportRest()
	if err != nil {
		return err
	}
	if err := u.past.End(b.roots, b.files(), u.tally.failures); err != nil {
		return err
	}
	return u.verdict(w.last)
}

// sweep removes what a killed run left, if anything, where a picture is to go.
func (u *upscaler) sweep(j job) {
	for _, dir := range []string{j.root, filepath.Dir(j.output)} {
		if j.output != "-" && !u.swept[dir] {
			u.swept[dir] = true
			_, _ = imagefile.Sweep(dir, time.Hour) // not to be able to is no error
		}
	}
}

func (u *upscaler) skip(j job) {
	u.tally.skipped++
	u.events.picture(pictureEvent{Event: "skip", Input: j.Path, Output: j.output, Reason: j.skip})
}

// fail counts and reports the failure of one picture; that of a single one is what
// the program ends with.
func (u *upscaler) fail(ev pictureEvent, err error) {
	u.tally.failures = append(u.tally.failures, ev.Input)
	u.events.picture(failure(ev, err))
	if u.tally.total > 1 {
		u.bar.Warn(err)
	}
}

// verdict sums up a batch; last is the last failure, if any.
func (u *upscaler) verdict(last error) error {
	t := u.tally
	failed := len(t.failures)
	switch {
	case failed == 0:
		if t.total > 1 {
			u.bar.Line("%d done, %d skipped, in %v", t.done, t.skipped, time.Since(t.began).Round(time.Second/10))
		}
		return nil
	case t.total == 1:
		return last
	case failed == t.total:
		return console.Fail(console.ExitNothing, fmt.Errorf("all %d pictures failed", failed))
	}
	fate := "are done"
	if u.dry {
		fate = "can be made or are there"
	}
	return console.Fail(console.ExitSome, fmt.Errorf("%d of %d pictures failed, %d %s: %s", failed, t.total, t.total-failed, fate, console.FirstOf(t.failures)))
}

// errEnough ends the reading of a picture of which the header is enough.
var errEnough = errors.New("enough")

// show is a batch on trial: it reads the headers alone and writes nothing.
func (u *upscaler) show(ctx context.Context, b batch) error {
	for _, j := range b.skipped {
		u.skip(j)
		why := map[string]string{"exists": "exists", "done": "is done"}[j.skip]
		if err := u.print("%s: skipped, %s %s", j.Path, j.output, why); err != nil {
			return err
		}
	}
	var last error
	var needs []int64
	for i, j := range b.jobs {
		ev := pictureEvent{Event: "plan", Input: j.Path, Output: j.output, Number: i + 1, Of: len(b.jobs)}
		if err := u.look(ctx, j, &ev); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			last = err
			u.fail(ev, err)
			continue
		}
		u.tally.planned++
		u.events.picture(ev)
		needs = append(needs, ev.Memory)
		if err := u.print("%s %dx%d -> %s %dx%d, about %s", j.Path, ev.InputWidth, ev.InputHeight, j.output, ev.Width, ev.Height, console.Bytes(ev.Memory)); err != nil {
			return err
		}
	}
	slices.Sort(needs)
	most := int64(0)
	for _, need := range needs[max(0, len(needs)-runtime.GOMAXPROCS(0)):] {
		most = min(most+need, u.memory)
	}
	if err := u.print("%d to make, %d skipped, %d cannot be, at most about %s at a time", u.tally.planned, u.tally.skipped, len(u.tally.failures), console.Bytes(most)); err != nil {
		return err
	}
	if n := len(b.problems); n > 1 {
		for _, p := range b.problems {
			u.bar.Warn(p)
		}
		return console.Fail(console.ExitOutput, fmt.Errorf("nothing would be made: %d outputs clash or exist", n))
	} else if n == 1 {
		return b.problems[0]
	}
	if last == nil {
		return nil
	}
	return u.verdict(last)
}

// print writes a line of a plan, unless the plan is of events.
func (u *upscaler) print(format string, args ...any) error {
	if u.events != nil {
		return nil
	}
	_, err := fmt.Fprintln(u.Out, imagefile.OneLine(fmt.Sprintf(format, args...)))
	return err
}

// look fills in what the header of a picture tells of its enlargement.
func (u *upscaler) look(ctx context.Context, j job, ev *pictureEvent) error {
	if j.Path == "-" {
		return console.Usage("--dry-run does not read standard input; name files")
	}
	limits := u.limits
	limits.Accept = func(cfg image.Config) (err error) {
		ev.InputWidth, ev.InputHeight = cfg.Width, cfg.Height
		if ev.Width, ev.Height, ev.Memory, err = u.measure(cfg); err != nil {
			return err
		}
		return errEnough
	}
	if _, err := imagefile.Open(ctx, j.Path, limits); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}
