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
	auto    bool // --progress is auto, and --quiet is not given
	shown   string
	endless bool // the bar is one of Spin, for work of unknown size
	done    int  // thousandths of the work that the bar shows
}

// NewProgress returns progress on s.Err in the style that --progress and --quiet of c ask for.
func NewProgress(c *cli.Context, s *Streams) *Progress {
	style := c.String("progress")
	if style == "auto" {
		switch plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"; {
		case !IsTerminal(s.Err):
			style = "none"
		case plain: // a terminal that takes no bar: somebody waits
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

// Several, if yes, shows plain lines where --progress auto would show nothing: they are worth it for several files.
func (p *Progress) Several(yes bool) {
	if yes && p.auto && p.style == "none" {
		p.style = "plain"
	}
}

// Plain reports whether the style is plain lines; false means a bar or nothing.
func (p *Progress) Plain() bool { return p.style == "plain" }

// Set shows in the bar the share done, from 0 to 1, of the work called what. It does nothing without a bar.
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

// Spin shows in the bar that the work called what, whose size is unknown, goes on. It does nothing without a bar.
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

// Describe puts text, such as the error reached, beside the bar.
func (p *Progress) Describe(text string) {
	if p.bar != nil {
		p.bar.Describe(p.shown + ", " + text)
	}
}

// Clear removes the bar; the next Set or Spin begins a new one.
func (p *Progress) Clear() {
	p.Pause()
	p.bar = nil
}

// Pause hides the bar until it moves again.
func (p *Progress) Pause() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// Line prints a formatted line that stays, unless the style is none.
func (p *Progress) Line(format string, args ...any) {
	if p.style == "none" {
		return
	}
	p.Pause()
	fmt.Fprintln(p.w, safefile.OneLine(fmt.Sprintf(format, args...)))
}

// Warn prints err, the failure of one file among others, in any style.
func (p *Progress) Warn(err error) {
	p.Pause()
	fmt.Fprintln(p.w, "superres:", Message(err))
}
