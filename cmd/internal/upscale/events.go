package upscale

import (
	"encoding/json"
	"io"
	"math"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// With --json, upscale writes one event a line to standard output, each a JSON object
// of one of these types, in UTF-8: for every picture "skip", or "start" and then
// "done" or "fail", in the order of the work, "unreadable" before them for each picture of
// a folder that is of a kind that cannot be read, for a stream of frames, an animation or a
// file with pages "frame" for each that is written between "start" and the end, and "summary" in the end, also when
// nothing could be begun. With --dry-run it is "unreadable", "skip", "plan" or "fail", and
// "summary". A byte of a name that is of no UTF-8 is a zero byte and its two hexadecimal
// digits: see paths.Name.
// New fields may be added to the types, and the present ones keep their meaning.

// pictureEvent tells of one picture. Fields that do not apply are left out.
type pictureEvent struct {
	Event       string     `json:"event"` // unreadable, skip, start, done, fail, plan
	Input       paths.Name `json:"input"` // the path as it was named or found; "-" is standard input
	Output      paths.Name `json:"output"`
	Number      int        `json:"number,omitempty"`       // of the picture among those not skipped, from 1
	Of          int        `json:"of,omitempty"`           // how many are not skipped
	Reason      string     `json:"reason,omitempty"`       // skip: "exists", or "done" by the journal; unreadable: why
	Kind        string     `json:"kind,omitempty"`         // unreadable: what it is, such as HEIC
	InputWidth  int        `json:"input_width,omitempty"`  // done, plan: in pixels
	InputHeight int        `json:"input_height,omitempty"` // done, plan
	Width       int        `json:"width,omitempty"`        // done, plan: of the output
	Height      int        `json:"height,omitempty"`       // done, plan
	Model       paths.Name `json:"model,omitempty"`        // done, plan
	Level       float64    `json:"level,omitempty"`        // done, plan: at which the model works, 0..1
	Noise       float64    `json:"noise,omitempty"`        // done, plan: that was found, as a deviation of 255 levels
	ColourNoise float64    `json:"colour_noise,omitempty"` // done, plan: that of colour, if its level differs
	ColourLevel float64    `json:"colour_level,omitempty"` // done, plan: then that level
	Varies      bool       `json:"varies,omitempty"`       // done, plan: noise and level vary, and are the greatest
	NoiseLeast  float64    `json:"noise_least,omitempty"`  // done, plan: the least, where it varies
	LevelLeast  float64    `json:"level_least,omitempty"`  // done, plan: the least, where it varies
	WebPIndex   float64    `json:"webp_index,omitempty"`   // done, plan: that of the steps of a lossy WebP
	Sharpened   bool       `json:"sharpened,omitempty"`    // done, plan: where it was looked for
	JPEGQuality int        `json:"jpeg_quality,omitempty"` // done, plan: of compression that was found
	Memory      int64      `json:"memory,omitempty"`       // plan: estimate, in bytes
	Seconds     float64    `json:"seconds,omitempty"`      // done, fail
	Frames      int        `json:"frames,omitempty"`       // done: those written; plan: those of a file of several
	Warnings    []string   `json:"warnings,omitempty"`     // done, fail: what the output lacks, a line each
	Error       string     `json:"error,omitempty"`        // fail: one line
	Class       string     `json:"class,omitempty"`        // fail: usage, input, output, model, limit, other
	ExitCode    int        `json:"exit_code,omitempty"`    // fail: that of the class
}

// plan notes the plan for the picture: sizes, what enlarges it, and what was found wrong with it.
func (ev *pictureEvent) plan(p *enlarging.Plan) {
	ev.InputWidth, ev.InputHeight, ev.Width, ev.Height = p.Input.X, p.Input.Y, p.Output.X, p.Output.Y
	c := p.Choice
	if c.Model() == "" {
		return // nothing was chosen
	}
	ev.Model, ev.Level = paths.Name(filepath.Base(c.Model())), c.Strength
	if c.Found == nil {
		return
	}
	ev.Noise, ev.JPEGQuality = hundredths(c.Found.Noise), c.Found.Quality
	if ev.ColourLevel = c.ColourStrength; c.ColourStrength > 0 {
		ev.ColourNoise = hundredths(c.Found.ColourNoise)
	}
	ev.Varies, ev.NoiseLeast, ev.LevelLeast = c.Varies(), hundredths(c.LeastNoise), c.LeastStrength
	ev.Sharpened = c.Found.Sharpened
	ev.WebPIndex = math.Round(10*c.Found.WebP) / 10
}

// trial notes the plan for a picture of which nothing is made.
func (ev *pictureEvent) trial(p *enlarging.Plan) {
	ev.plan(p)
	ev.Event, ev.Memory, ev.Frames = "plan", p.Memory, p.Frames
}

func hundredths(v float64) float64 { return math.Round(100*v) / 100 }

// outcome is what has become of a picture.
type outcome struct {
	*enlarging.Plan // nil: there was none
	seconds         float64
	err             error
}

// warnings are what the result lacks of the picture.
func (o outcome) warnings() []string {
	if o.Plan == nil {
		return nil
	}
	return o.Warnings
}

// ended notes what has become of the picture; of one that failed the rest is for failure.
func (ev *pictureEvent) ended(out outcome) {
	ev.Seconds = out.seconds
	for _, text := range out.warnings() {
		ev.Warnings = append(ev.Warnings, safefile.OneLine(text))
	}
	if out.err != nil {
		return
	}
	ev.plan(out.Plan)
	ev.Event, ev.Frames = "done", out.Written
}

// frameEvent tells of one frame of a stream, or of a file of several pictures.
type frameEvent struct {
	Event   string     `json:"event"` // frame
	Input   paths.Name `json:"input"`
	Output  paths.Name `json:"output"`
	Frame   int        `json:"frame"` // its number, from 1
	Width   int        `json:"width"` // of the output
	Height  int        `json:"height"`
	Seconds float64    `json:"seconds"` // from the beginning of the first frame to the end of this one
}

// summaryEvent is the last one.
type summaryEvent struct {
	Event      string       `json:"event"` // summary
	Total      int          `json:"total"` // pictures, of this part with --shard
	Done       int          `json:"done"`
	Skipped    int          `json:"skipped"`
	Failed     int          `json:"failed"`
	Unreadable int          `json:"unreadable"` // pictures of kinds that cannot be read, which are none of the total
	Planned    int          `json:"planned"`    // with --dry-run: that would be tried
	Seconds    float64      `json:"seconds"`
	ExitCode   int          `json:"exit_code"`
	Error      string       `json:"error,omitempty"` // one line, when the exit code is not 0
	Failures   []paths.Name `json:"failures"`        // the inputs that failed
}

// events writes events; a nil one writes nothing.
type events struct{ *json.Encoder }

func newEvents(w io.Writer) *events {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return &events{enc}
}

// picture writes an event; what cannot be written is told by the end of the program.
func (e *events) picture(ev pictureEvent) {
	if e != nil {
		_ = e.Encode(ev)
	}
}

// frame is picture for a frame.
func (e *events) frame(ev frameEvent) {
	if e != nil {
		_ = e.Encode(ev)
	}
}

// failure makes the event of a picture that failed.
func failure(ev pictureEvent, err error) pictureEvent {
	ev.Event, ev.Error, ev.ExitCode = "fail", console.Message(err), console.ExitCode(err)
	ev.Class = map[int]string{console.ExitUsage: "usage", console.ExitInput: "input", console.ExitOutput: "output",
		console.ExitModel: "model", console.ExitLimit: "limit"}[ev.ExitCode]
	if ev.Class == "" {
		ev.Class = "other"
	}
	return ev
}
