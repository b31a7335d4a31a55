package app

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"time"

	"superres/internal/imagefile"
)

// all enlarges one picture after the other; one that fails does not end the rest.
func (u *upscaler) all(ctx context.Context, b batch) error {
	swept := map[string]bool{}
	sweep := func(j job) {
		for _, dir := range []string{j.root, filepath.Dir(j.output)} {
			if j.output != "-" && !swept[dir] {
				swept[dir] = true
				// What a killed run left, if anything; not to be able to is no error.
				_, _ = imagefile.Sweep(dir, time.Hour)
			}
		}
	}
	for _, j := range b.skipped {
		sweep(j)
		u.skip(j)
	}
	n := len(b.jobs)
	pace := newPace(b.jobs)
	var last error
	for i, j := range b.jobs {
		sweep(j)
		ev := pictureEvent{Event: "start", Input: j.path, Output: j.output, Number: i + 1, Of: n}
		u.events.picture(ev)
		began := time.Now()
		u.bar.set("enlarging", pace.share(j, 0))
		if n > 1 {
			u.bar.describe(fmt.Sprintf("%d of %d", i+1, n))
		}
		from, to, err := u.one(ctx, j, func(share float64) { u.bar.set("enlarging", pace.share(j, share)) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		ev.Seconds = time.Since(began).Seconds()
		pace.end(j)
		if err != nil {
			last = err
			u.fail(ev, err)
			continue
		}
		u.tally.done++
		ev.Event, ev.InputWidth, ev.InputHeight, ev.Width, ev.Height = "done", from.X, from.Y, to.X, to.Y
		u.events.picture(ev)
		text := fmt.Sprintf("%s: %dx%d in %.2f s", j.output, to.X, to.Y, ev.Seconds)
		if n > 1 {
			text = fmt.Sprintf("[%d/%d] %s, %s left", i+1, n, text, pace.left())
		}
		u.bar.line("%s", text)
	}
	if err := u.past.end(b, u.tally.failures); err != nil {
		return err
	}
	return u.verdict(last)
}

func (u *upscaler) skip(j job) {
	u.tally.skipped++
	u.events.picture(pictureEvent{Event: "skip", Input: j.path, Output: j.output, Reason: j.skip})
}

// fail counts and reports the failure of one picture; that of a single one is what
// the program ends with.
func (u *upscaler) fail(ev pictureEvent, err error) {
	u.tally.failures = append(u.tally.failures, ev.Input)
	u.events.picture(failure(ev, err))
	if u.tally.total > 1 {
		u.bar.warn(err)
	}
}

// verdict sums up a batch; last is the last failure, if any.
func (u *upscaler) verdict(last error) error {
	t := u.tally
	failed := len(t.failures)
	switch {
	case failed == 0:
		if t.total > 1 {
			u.bar.line("%d done, %d skipped, in %v", t.done, t.skipped, time.Since(t.began).Round(time.Second/10))
		}
		return nil
	case t.total == 1:
		return last
	case failed == t.total:
		return codedError{fmt.Errorf("all %d pictures failed", failed), exitNone}
	}
	const most = 10
	names := strings.Join(t.failures[:min(most, failed)], ", ")
	if failed > most {
		names += fmt.Sprintf(" and %d more", failed-most)
	}
	fate := "are done"
	if u.dry {
		fate = "can be made or are there"
	}
	return codedError{fmt.Errorf("%d of %d pictures failed, %d %s: %s", failed, t.total, t.total-failed, fate, names), exitSome}
}

// pace estimates how far a batch is, by the bytes of the inputs.
type pace struct {
	done, all float64
	began     time.Time
}

// weight of a picture: that of a small file is mostly not its bytes.
func weight(j job) float64 { return float64(j.bytes) + 1<<12 }

func newPace(jobs []job) *pace {
	p := &pace{began: time.Now()}
	for _, j := range jobs {
		p.all += weight(j)
	}
	return p
}

// share of the whole work that is done with a share of a job.
func (p *pace) share(j job, share float64) float64 { return (p.done + share*weight(j)) / p.all }

func (p *pace) end(j job) { p.done += weight(j) }

// left is how long the rest will take at this pace.
func (p *pace) left() time.Duration {
	rest := (p.all - p.done) / p.done
	return time.Duration(rest * float64(time.Since(p.began))).Round(time.Second)
}

// errEnough ends the reading of a picture of which the header is enough.
var errEnough = errors.New("enough")

// show is a batch on trial: it reads the headers alone and writes nothing.
func (u *upscaler) show(ctx context.Context, b batch) error {
	for _, j := range b.skipped {
		u.skip(j)
		why := map[string]string{"exists": "exists", "done": "is done"}[j.skip]
		if err := u.print("%s: skipped, %s %s", j.path, j.output, why); err != nil {
			return err
		}
	}
	var last error
	most := int64(0)
	for i, j := range b.jobs {
		ev := pictureEvent{Event: "plan", Input: j.path, Output: j.output, Number: i + 1, Of: len(b.jobs)}
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
		most = max(most, ev.Memory)
		if err := u.print("%s %dx%d -> %s %dx%d, about %s", j.path, ev.InputWidth, ev.InputHeight, j.output, ev.Width, ev.Height, gib(ev.Memory)); err != nil {
			return err
		}
	}
	if err := u.print("%d to make, %d skipped, %d cannot be, at most about %s at a time", u.tally.planned, u.tally.skipped, len(u.tally.failures), gib(most)); err != nil {
		return err
	}
	if n := len(b.problems); n > 1 {
		for _, p := range b.problems {
			u.bar.warn(p)
		}
		return codedError{fmt.Errorf("nothing would be made: %d outputs clash or exist", n), exitOutput}
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
	_, err := fmt.Fprintln(u.out, imagefile.OneLine(fmt.Sprintf(format, args...)))
	return err
}

// look fills in what the header of a picture tells of its enlargement.
func (u *upscaler) look(ctx context.Context, j job, ev *pictureEvent) error {
	if j.path == "-" {
		return usage("--dry-run does not read standard input; name files")
	}
	limits := u.limits
	limits.Accept = func(cfg image.Config) (err error) {
		ev.InputWidth, ev.InputHeight = cfg.Width, cfg.Height
		if ev.Width, ev.Height, ev.Memory, err = u.measure(cfg); err != nil {
			return err
		}
		return errEnough
	}
	if _, err := imagefile.Open(ctx, j.path, limits); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}
