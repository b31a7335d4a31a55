package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"superres/internal/safefile"
)

// Progress shows on standard error how much of the work is done: as a moving bar, as plain lines, or not at all.
type Progress struct {
	w       io.Writer
	bar     *progressbar.ProgressBar
	style   string // "bar", "plain" or "none"
	auto    bool   // --progress is auto, and --quiet is not given
	shown   string // name of the work in the bar
	note    string // text of Describe
	endless bool   // Spin began the bar, for work of unknown size
	visible bool   // the last line of the terminal is the bar

	began        time.Time // when the bar was first shown
	first, share float64   // share of the work done, 0 to 1, when the bar was first shown, and now
	drawn        time.Time // when the bar was last drawn
}

// thousandths is the number of steps of a bar, and betweenDraws the shortest time between two drawings of the bar.
const (
	thousandths  = 1000
	betweenDraws = 100 * time.Millisecond
)

// NewProgress returns a Progress that writes to s.Err in the style that --progress and --quiet of c ask for.
func NewProgress(c *cli.Context, s *Streams) *Progress {
	style := c.String("progress")
	if style == "auto" {
		switch plain := os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb"; {
		case !IsTerminal(s.Err):
			style = "none"
		case plain: // the terminal cannot show a bar, but somebody waits
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

// Several says whether there are several files. If so, --progress auto shows plain lines if there is no terminal.
func (p *Progress) Several(yes bool) {
	if yes && p.auto && p.style == "none" {
		p.style = "plain"
	}
}

// Plain reports whether the style is plain lines, not a bar or nothing.
func (p *Progress) Plain() bool { return p.style == "plain" }

// Set shows in the bar the share, 0 to 1, that is done of the work called what. In other styles it does nothing.
func (p *Progress) Set(what string, share float64) {
	if p.style != "bar" {
		return
	}
	share = min(max(share, 0), 1-1.0/thousandths) // a bar that is full would disappear
	if p.bar == nil || p.shown != what || p.endless {
		p.Clear()
		p.shown, p.note, p.endless = what, "", false
		p.began, p.first, p.share, p.drawn = time.Now(), share, share, time.Time{}
		p.bar = progressbar.NewOptions(thousandths,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(what), progressbar.OptionSetWidth(30),
			progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish())
	}
	p.share = max(p.share, share) // the bar never goes back
	p.draw()
}

// draw draws the bar and the text beside it, unless it was drawn less than betweenDraws ago.
func (p *Progress) draw() {
	now := time.Now()
	if now.Sub(p.drawn) < betweenDraws {
		return
	}
	p.drawn, p.visible = now, true
	_ = p.bar.Set(int(thousandths * p.share)) // a bar that cannot be drawn is no error
	room := 0                                 // characters beside the bar; 0: unknown
	if f, ok := file(p.w); ok {
		const others = len(" 100% ||  ") + 1 // characters besides the text, if the library shortens the bar to nothing
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > others {
			room = columns - others
		}
	}
	p.bar.Describe(p.text(now, room))
}

// text returns the line beside the bar: the name of the work, the text of Describe and, once it can be estimated, the
// time left. Describe's text is cut to keep the line within room characters (0: any): a wrapped one cannot be erased.
func (p *Progress) text(now time.Time, room int) string {
	const (
		soonest = time.Second // the time left is not shown before this time
		least   = 0.01        // nor before this share of the work is done
	)
	left := ""
	if took, made := now.Sub(p.began), p.share-p.first; took >= soonest && made >= least {
		left = ", " + Remaining(time.Duration(float64(took)*(1-p.share)/made))
	}
	note := []rune(p.note)
	if len(note) > 0 {
		note = append([]rune(", "), note...)
	}
	if over := utf8.RuneCountInString(p.shown+left) + len(note) - room; room > 0 && over > 0 {
		note = note[:max(len(note)-over, 0)]
	}
	return p.shown + strings.TrimRight(string(note), " ,") + left
}

// Spin shows in the bar that work of unknown size, called what, goes on. In other styles it does nothing.
func (p *Progress) Spin(what string) {
	if p.style != "bar" {
		return
	}
	if p.bar == nil || !p.endless {
		p.Clear()
		p.shown, p.note, p.endless = what, "", true
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription(what),
			progressbar.OptionThrottle(betweenDraws), progressbar.OptionClearOnFinish())
	}
	p.visible = true
	_ = p.bar.Add(1) // a bar that cannot be drawn is no error
}

// Describe shows text beside the bar, such as the approximation error so far. Without a bar it does nothing.
func (p *Progress) Describe(text string) {
	if p.note == "" {
		p.drawn = time.Time{} // the first text is shown at once
	}
	switch p.note = text; {
	case p.bar == nil:
	case p.endless:
		p.visible = true
		p.bar.Describe(p.shown + ", " + text)
	default:
		p.draw()
	}
}

// Clear removes the bar; the next call of Set or Spin begins a new bar.
func (p *Progress) Clear() {
	p.Pause()
	p.bar = nil
}

// Pause hides the bar until it is drawn again.
func (p *Progress) Pause() {
	if p.bar != nil && p.visible {
		_ = p.bar.Clear()
		p.visible = false
	}
}

// Line prints a formatted line that stays on the terminal, unless the style is none.
func (p *Progress) Line(format string, args ...any) {
	if p.style == "none" {
		return
	}
	p.Pause()
	fmt.Fprintln(p.w, safefile.OneLine(fmt.Sprintf(format, args...)))
}

// Warn prints err, the error of one of several files, in any style.
func (p *Progress) Warn(err error) {
	p.Pause()
	fmt.Fprintln(p.w, "superres:", Message(err))
}
