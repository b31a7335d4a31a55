package console

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"

	"superres/internal/safefile"
)

// Progress shows how far the work is, on stderr: a moving bar, plain lines, or nothing.
type Progress struct {
	w       io.Writer
	bar     *progressbar.ProgressBar
	style   string
	auto    bool // the style was not asked for
	shown   string
	endless bool // nobody knows how much there is: see Spin
	done    int  // thousandths shown
}

// NewProgress shows what --progress and --quiet, of ProgressOptions, ask for.
func NewProgress(c *cli.Context, s *Streams) *Progress {
	style := c.String("progress")
	if style == "auto" {
		switch plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"; {
		case !IsTerminal(s.Err):
			style = "none"
		case plain: // it is a terminal all the same, on which somebody waits
			style = "plain"
		default:
			style = "bar"
		}
	}
	if c.Bool("quiet") {
		style = "none"
	}
	return &Progress{w: s.Err, style: style, auto: c.String("progress") == "auto" && !c.Bool("quiet")}
}

// Several says whether there is more than one thing to report: then lines are worth having where no bar can be,
// unless none were asked for.
func (p *Progress) Several(yes bool) {
	if yes && p.auto && p.style == "none" {
		p.style = "plain"
	}
}

// Plain tells whether lines are wanted while the work goes on.
func (p *Progress) Plain() bool { return p.style == "plain" }

// Set shows the share done, 0..1, of the work called what.
func (p *Progress) Set(what string, share float64) {
	if p.style != "bar" {
		return
	}
	const whole = 1000
	if p.bar == nil || p.shown != what || p.endless {
		p.Clear()
		p.shown, p.done, p.endless = what, 0, false
		p.bar = progressbar.NewOptions(whole,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	if done := int(whole * share); done > p.done && done < whole {
		p.done = done
		_ = p.bar.Set(done) // a bar that cannot be drawn is no error
	}
}

// Spin shows that the work called what goes on, of which nobody knows how much there is.
func (p *Progress) Spin(what string) {
	if p.style != "bar" {
		return
	}
	if p.bar == nil || !p.endless {
		p.Clear()
		p.shown, p.endless = what, true
		p.bar = progressbar.NewOptions(-1,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	_ = p.bar.Add(1) // a bar that cannot be drawn is no error
}

// Describe puts what has been reached beside the bar.
func (p *Progress) Describe(text string) {
	if p.bar != nil {
		p.bar.Describe(p.shown + ", " + text)
	}
}

// Clear takes the bar away.
func (p *Progress) Clear() {
	p.Pause()
	p.bar = nil
}

// Pause takes the bar away until it moves again.
func (p *Progress) Pause() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Line says something that stays: on a terminal and in plain logs.
func (p *Progress) Line(format string, args ...any) {
	if p.style == "none" {
		return
	}
	p.Pause()
	fmt.Fprintln(p.w, safefile.OneLine(fmt.Sprintf(format, args...)))
}

// Warn reports the failure of one file among others.
func (p *Progress) Warn(err error) {
	p.Pause()
	fmt.Fprintln(p.w, "superres:", Message(err))
}
