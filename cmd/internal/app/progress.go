package app

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"superres/internal/safefile"
)

// workFlags are the flags of all commands that take long.
var workFlags = []cli.Flag{
	&cli.StringFlag{Name: "progress", Value: "auto", Usage: "`HOW` to show progress: auto, bar, plain (lines that stay) or none; auto is a bar on a terminal and none elsewhere"},
	&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show errors only"},
	&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "use `N` processors at most; 0 means all"},
	&cli.Int64Flag{Name: "max-memory", Usage: "refuse what needs more than `N` MiB", Value: 2048},
}

// commonFlags are those of the commands that read pictures.
var commonFlags = append(slices.Clone(workFlags),
	&cli.Int64Flag{Name: "max-pixels", Usage: "refuse pictures of more than `N` megapixels", Value: 50})

// resources is machine for commands that read pictures: it checks --max-pixels.
func resources(c *cli.Context) (memory int64, err error) {
	if n := c.Int64("max-pixels"); n < 1 || n > 1<<20 {
		return 0, usage("--max-pixels %d: expected 1 to %d megapixels", n, 1<<20)
	}
	return machine(c)
}

// machine applies --jobs and returns --max-memory in bytes.
func machine(c *cli.Context) (memory int64, err error) {
	jobs, mib := c.Int("jobs"), c.Int64("max-memory")
	switch {
	case jobs < 0:
		return 0, usage("--jobs %d: expected 0 or more", jobs)
	case mib < 1 || mib > 1<<30:
		return 0, usage("--max-memory %d: expected 1 to %d MiB", mib, 1<<30)
	case jobs > 0:
		runtime.GOMAXPROCS(min(jobs, 256)) // more cost, and are of no use
	}
	return mib << 20, nil
}

// progress shows how far the work is, on stderr: a moving bar, plain lines, or
// nothing.
type progress struct {
	w     io.Writer
	bar   *progressbar.ProgressBar
	style string
	auto  bool // the style was not asked for
	shown string
	done  int // thousandths shown
}

func newProgress(c *cli.Context, s *streams) (*progress, error) {
	style := c.String("progress")
	if err := oneOf("progress", style, "auto", "bar", "plain", "none"); err != nil {
		return nil, err
	}
	if style == "auto" {
		style = "none"
		if f, ok := s.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
			style = "bar"
		}
	}
	if c.Bool("quiet") {
		style = "none"
	}
	return &progress{w: s.err, style: style, auto: c.String("progress") == "auto" && !c.Bool("quiet")}, nil
}

// several says whether there is more than one thing to report: then lines are worth
// having where no bar can be, unless none were asked for.
func (p *progress) several(yes bool) {
	if yes && p.auto && p.style == "none" {
		p.style = "plain"
	}
}

// set shows the share done, 0..1, of the work called what.
func (p *progress) set(what string, share float64) {
	if p.style != "bar" {
		return
	}
	const whole = 1000
	if p.bar == nil || p.shown != what {
		p.clear()
		p.shown, p.done = what, 0
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

// describe puts what has been reached beside the bar.
func (p *progress) describe(text string) {
	if p.bar != nil {
		p.bar.Describe(p.shown + ", " + text)
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	p.pause()
	p.bar = nil
}

// pause takes the bar away until it moves again.
func (p *progress) pause() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}

// line says something that stays: on a terminal and in plain logs.
func (p *progress) line(format string, args ...any) {
	if p.style == "none" {
		return
	}
	p.pause()
	fmt.Fprintln(p.w, safefile.OneLine(fmt.Sprintf(format, args...)))
}

// warn reports the failure of one file among others.
func (p *progress) warn(err error) {
	p.pause()
	fmt.Fprintln(p.w, "superres:", message(err))
}
