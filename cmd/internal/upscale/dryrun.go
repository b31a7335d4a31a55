package upscale

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/enlarging"
)

// show reports to r what a run of b would make. It reads headers, and pictures if the choice of model depends on them.
func (e *session) show(ctx context.Context, b *batch, r *report) error {
	if err := r.leaveOut(b); err != nil {
		return err
	}
	for j := range b.skipped() {
		r.skip(j)
		why := map[string]string{"exists": j.output + " exists", "done": j.output + " is done",
			"large": "it is large enough already"}[j.reason]
		if err := r.plan("%s: skipped, %s", j.Path, why); err != nil {
			return err
		}
	}
	var needs []int64
	for i, j := range b.jobs {
		ev := pictureEvent{Event: "plan", Input: paths.Name(j.Path), Output: paths.Name(j.output), Number: i + 1,
			Of: len(b.jobs)}
		if j.Large {
			ev.Reason = "large"
			r.planned(ev)
			if err := r.plan("%s -> %s, a copy: it is large enough already", j.Path, j.output); err != nil {
				return err
			}
			continue
		}
		var p *enlarging.Plan
		err := console.Picture(j.title(), func() (err error) {
			if j.fromStandard() {
				return console.Usage("--dry-run does not read standard input; name files")
			}
			p, err = e.Inspect(ctx, e.jobOf(ctx, j), func(*enlarging.Plan) error { return nil }) // admits all
			ev.trial(p)
			return err
		})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.fail(ev, err)
			continue
		}
		r.planned(ev)
		needs = append(needs, ev.Memory)
		frames := ""
		if ev.Frames > 0 {
			frames = fmt.Sprintf(" (%d)", ev.Frames)
		}
		if err := r.plan("%s %d×%d%s -> %s %d×%d, %v, about %s", j.Path, ev.InputWidth, ev.InputHeight, frames,
			j.output, ev.Width, ev.Height, p.Choice, console.Bytes(ev.Memory)); err != nil {
			return err
		}
	}
	slices.Sort(needs)
	most := int64(0) // memory of the largest pictures, as many as there are processors, within the limit
	for _, need := range needs[max(0, len(needs)-runtime.GOMAXPROCS(0)):] {
		most = min(most+need, e.opt.Limits.Memory)
	}
	_, planned, skipped, failed := r.counts()
	for _, text := range r.tallies() {
		if err := r.plan("%s", text); err != nil {
			return err
		}
	}
	memory := ""
	if planned > 0 {
		memory = fmt.Sprintf(", at most about %s at a time", console.Bytes(most))
	}
	if err := r.plan("%d to make, %d skipped, %d cannot be%s", planned, skipped, failed+len(b.problems),
		memory); err != nil {
		return err
	}
	if n := len(b.problems); n > 1 {
		for _, p := range b.problems {
			r.warn(p)
		}
		return console.Fail(console.ExitCode(b.problems[0]), fmt.Errorf("nothing would be made, for %d reasons", n))
	} else if n == 1 {
		return b.problems[0]
	}
	if failed == 0 {
		return nil
	}
	return r.verdict()
}
