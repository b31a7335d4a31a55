package upscale

import (
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
)

// errEnough ends the reading of a picture of which the header is enough.
var errEnough = errors.New("enough")

// show is a batch on trial: it reads the headers, and whole pictures where what is found in
// them decides what enlarges them, and writes nothing.
func (e enlarger) show(ctx context.Context, b *batch, told *account) error {
	if err := told.leaveOut(b.others); err != nil {
		return err
	}
	for j := range b.skipped() {
		told.skip(j)
		why := map[string]string{"exists": "exists", "done": "is done"}[j.skip]
		if err := told.plan("%s: skipped, %s %s", j.Path, j.output, why); err != nil {
			return err
		}
	}
	var needs []int64
	for i, j := range b.jobs {
		ev := pictureEvent{Event: "plan", Input: paths.Name(j.Path), Output: paths.Name(j.output), Number: i + 1, Of: len(b.jobs)}
		var by choice
		err := console.Picture(nameOf(j), func() (err error) {
			by, err = e.look(ctx, j, &ev, func(int64) {})
			return err
		})
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			told.fail(ev, err)
			continue
		}
		told.planned(ev)
		needs = append(needs, ev.Memory)
		frames := ""
		if ev.Frames > 0 {
			frames = fmt.Sprintf(" (%d)", ev.Frames)
		}
		if err := told.plan("%s %dx%d%s -> %s %dx%d, %v, about %s", j.Path, ev.InputWidth, ev.InputHeight, frames, j.output, ev.Width, ev.Height, by, console.Bytes(ev.Memory)); err != nil {
			return err
		}
	}
	slices.Sort(needs)
	most := int64(0)
	for _, need := range needs[max(0, len(needs)-runtime.GOMAXPROCS(0)):] {
		most = min(most+need, e.opt.Limits.Memory)
	}
	planned, skipped, failed := told.counts()
	if text := pictures.Skipped(b.others); text != "" {
		if err := told.plan("%s", text); err != nil {
			return err
		}
	}
	if err := told.plan("%d to make, %d skipped, %d cannot be, at most about %s at a time", planned, skipped, failed, console.Bytes(most)); err != nil {
		return err
	}
	if n := len(b.problems); n > 1 {
		for _, p := range b.problems {
			told.warn(p)
		}
		return console.Fail(console.ExitCode(b.problems[0]), fmt.Errorf("nothing would be made, for %d reasons", n))
	} else if n == 1 {
		return b.problems[0]
	}
	if failed == 0 {
		return nil
	}
	return told.verdict()
}

// look fills in what a picture tells of its enlargement. It calls admit as one does, where
// the whole picture is read.
func (e enlarger) look(ctx context.Context, j job, ev *pictureEvent, admit func(bytes int64)) (by choice, err error) {
	if j.Path == "-" {
		return by, console.Usage("--dry-run does not read standard input; name files")
	}
	if e.opt.Frames {
		return e.lookAtFrames(ctx, j, ev)
	}
	limits := e.limits()
	whole := e.engines.at != nil && e.engines.level < 0
	several, fileHeld, together := imagefile.Format(""), int64(0), 1 // as in one
	limits.Several = func(kind imagefile.Format) { several, whole = kind, true }
	limits.Accept = func(cfg image.Config, held int64) (err error) {
		ev.InputWidth, ev.InputHeight = cfg.Width, cfg.Height
		if several != "" {
			fileHeld = held
			ev.Width, ev.Height, ev.Memory, together, err = e.measureSeveral(j, several, cfg, held)
		} else {
			ev.Width, ev.Height, ev.Memory, err = e.measure(j, cfg, held)
		}
		if err != nil {
			return err
		}
		if !whole {
			return errEnough
		}
		admit(ev.Memory)
		return ctx.Err()
	}
	pic, err := e.open(ctx, j, limits)
	if err != nil && !errors.Is(err, errEnough) {
		return by, err
	}
	if several != "" {
		return e.lookAtSeveral(ctx, j, pic, fileHeld, together, ev)
	}
	by, err = e.engines.ofOne(ctx, pic)
	ev.chosen(by)
	return by, err
}
