package upscale

import (
	"fmt"
	"math"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/enlarging"
	"superres/internal/safefile"
)

// With --json, upscale writes one event a line to standard output: a JSON object of one of the types below, in UTF-8.
// First come "result" for each picture left out because superres already enlarged it, "unreadable" for each picture in
// a folder that is of an unreadable kind, and "video" for each video in a folder. Then comes, for each picture, "skip",
// or "start" and later "done" or "fail", in the order of the work; videos, animations and files with pages have a
// "frame" in between for each frame written. "summary" comes last, even if no work could begin. With --dry-run the
// events are "result", "unreadable", "video", "skip", "plan" or "fail", and "summary". In names, a byte that is not
// valid UTF-8 is a zero byte and two hexadecimal digits. Fields may be added; existing ones keep their meaning.

// pictureEvent is an event about one picture. Comments name the events that have a field, such as "done, plan".
type pictureEvent struct {
	Event       string     `json:"event"` // result, unreadable, video, skip, start, done, fail, plan
	Input       paths.Name `json:"input"` // the path as the user named it or as it was found; "-": standard input
	Output      paths.Name `json:"output"`
	Number      int        `json:"number,omitempty"`       // position among the pictures not skipped, from 1
	Of          int        `json:"of,omitempty"`           // number of pictures not skipped
	Reason      string     `json:"reason,omitempty"`       // skip: exists, large, done; done: large; unreadable: why
	Kind        string     `json:"kind,omitempty"`         // unreadable: the kind of file, such as HEIC
	InputWidth  int        `json:"input_width,omitempty"`  // done, plan: width of the input, in pixels
	InputHeight int        `json:"input_height,omitempty"` // done, plan: height of the input, in pixels
	Width       int        `json:"width,omitempty"`        // done, plan: width of the output, in pixels
	Height      int        `json:"height,omitempty"`       // done, plan: height of the output, in pixels
	Model       paths.Name `json:"model,omitempty"`        // done, plan: name of the model, or of its file
	Level       float64    `json:"level,omitempty"`        // done, plan: strength at which the model works, 0 to 1
	Noise       float64    `json:"noise,omitempty"`        // done, plan: standard deviation of the noise, scale 0..255
	ColourNoise float64    `json:"colour_noise,omitempty"` // done, plan: noise of colour, if colour_level is present
	ColourLevel float64    `json:"colour_level,omitempty"` // done, plan: level for colour, if colour has its own
	Varies      bool       `json:"varies,omitempty"`       // done, plan: noise and level vary; their fields hold maxima
	NoiseLeast  float64    `json:"noise_least,omitempty"`  // done, plan: the least noise, if it varies
	LevelLeast  float64    `json:"level_least,omitempty"`  // done, plan: the least level, if it varies
	WebPIndex   float64    `json:"webp_index,omitempty"`   // done, plan: quantiser index of a lossy WebP
	Palette     float64    `json:"palette,omitempty"`      // done, plan: the Noise that harms as much as the palette
	Robust      float64    `json:"robust,omitempty"`       // done, plan: share of photo-real in a mixture, 0 to 1
	Trust       float64    `json:"trust,omitempty"`        // done, plan: likelihood of a clean reduction, 0 to 1
	Plain       float64    `json:"plain,omitempty"`        // done, plan: share of the model's detail left out
	Blur        float64    `json:"blur,omitempty"`         // done, plan: blur undone, standard deviation in pixels
	Sharpening  float64    `json:"sharpening,omitempty"`   // done, plan: factor of the sharpening that was undone
	Repeated    int        `json:"repeated,omitempty"`     // done, plan: side of the squares of equal pixels
	Salt        float64    `json:"salt,omitempty"`         // done, plan: share of samples with salt-and-pepper noise
	JPEGQuality int        `json:"jpeg_quality,omitempty"` // done, plan: quality of JPEG compression that was found
	Memory      int64      `json:"memory,omitempty"`       // plan: estimate of the memory needed, in bytes
	Seconds     float64    `json:"seconds,omitempty"`      // done, fail: time taken
	Frames      int        `json:"frames,omitempty"`       // done: frames written; plan: frames, if there are several
	LRPSNR      float64    `json:"lr_psnr,omitempty"`      // done: PSNR of the reduced result against the input, in dB
	Warnings    []string   `json:"warnings,omitempty"`     // done, fail: what the output lacks, a line each
	Error       string     `json:"error,omitempty"`        // fail: one line
	Class       string     `json:"class,omitempty"`        // fail: usage, input, output, model, limit, other
	ExitCode    int        `json:"exit_code,omitempty"`    // fail: exit code of the class
}

// plan copies the sizes, the model and the flaws that were found from p, the plan of a picture, to the fields of ev.
// The fields of flaws stay 0, and are then left out of the JSON, if the picture was not measured.
func (ev *pictureEvent) plan(p *enlarging.Plan) {
	ev.InputWidth, ev.InputHeight, ev.Width, ev.Height = p.Input.X, p.Input.Y, p.Output.X, p.Output.Y
	c := p.Choice
	if c.Name() == "" {
		return // no model was chosen
	}
	ev.Model, ev.Level = paths.Name(filepath.Base(c.Name())), c.Strength
	if c.Found == nil { // not measured
		return
	}
	ev.Noise, ev.JPEGQuality = hundredths(c.Found.Noise), c.Found.Quality
	if ev.ColourLevel = c.ColourStrength; c.ColourStrength > 0 {
		ev.ColourNoise = hundredths(c.Found.ColourNoise)
	}
	ev.Varies, ev.NoiseLeast, ev.LevelLeast = c.Varies(), hundredths(c.LeastNoise), c.LeastStrength
	ev.Plain, ev.Repeated, ev.Salt = c.Plain, c.Found.Repeated, math.Round(1e4*c.Found.Salt)/1e4
	ev.Blur, ev.Sharpening = hundredths(c.Correction.Blur()), hundredths(c.Sharpening())
	if c.Robust < 1 { // with 1 the robust model enlarges alone, and Model names it
		ev.Robust = c.Robust
	}
	ev.Trust = hundredths(c.Trust)
	ev.Palette = hundredths(c.Found.Palette)
	ev.WebPIndex = math.Round(10*c.Found.WebP) / 10
}

// trial makes ev the event "plan" for p, the plan of a picture in a dry run or in a call to inspect.
func (ev *pictureEvent) trial(p *enlarging.Plan) {
	ev.plan(p)
	ev.Event, ev.Memory, ev.Frames = "plan", p.Memory, p.Frames
}

func hundredths(v float64) float64 { return math.Round(100*v) / 100 }

// outcome says how the work on a picture ended.
type outcome struct {
	*enlarging.Plan // nil: the work failed before there was a plan
	seconds         float64
	err             error
}

// warnings returns a line for each thing in the picture that the result lacks, such as a profile.
func (o outcome) warnings() []string {
	if o.Plan == nil {
		return nil
	}
	return o.Warnings
}

// agreement returns the LR-PSNR (the PSNR of the reduced result against the picture) as text for the end of a line. It
// returns "" if there is none and, unless verbose is true, for all models but networks of other programs.
func (o outcome) agreement(verbose bool) string {
	if o.Report == nil || o.Report.LRPSNR == 0 || o.Choice.Model.Network == nil && !verbose {
		return ""
	}
	return fmt.Sprintf(", LR-PSNR %.1f dB", o.Report.LRPSNR)
}

// ended sets the time and the warnings of ev from out and, if the picture was enlarged, makes ev the event "done",
// with the plan, the frames written and the LR-PSNR. If the work failed, report.failure sets the other fields.
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
	if r := out.Report; r != nil {
		ev.LRPSNR = hundredths(r.LRPSNR)
	}
}

// frameEvent is the event after a frame of a video, or of another file with several pictures, was written.
type frameEvent struct {
	Event   string     `json:"event"` // frame
	Input   paths.Name `json:"input"`
	Output  paths.Name `json:"output"`
	Frame   int        `json:"frame"` // number of the frame, from 1
	Width   int        `json:"width"` // width and height of the output, in pixels
	Height  int        `json:"height"`
	Seconds float64    `json:"seconds"` // time since the work on the first frame began
}

// summaryEvent is the last event of a call.
type summaryEvent struct {
	Event      string       `json:"event"` // summary
	Total      int          `json:"total"` // number of pictures; with --shard, of this part
	Done       int          `json:"done"`
	Skipped    int          `json:"skipped"`
	Failed     int          `json:"failed"`
	Unreadable int          `json:"unreadable"` // pictures of unreadable kinds, which total does not count
	Results    int          `json:"results"`    // pictures left out as earlier results, which total does not count
	Videos     int          `json:"videos"`     // videos in folders, which are left out and total does not count
	Planned    int          `json:"planned"`    // with --dry-run: pictures that would be enlarged
	Seconds    float64      `json:"seconds"`
	ExitCode   int          `json:"exit_code"`
	Error      string       `json:"error,omitempty"` // one line; empty: the exit code is 0
	Failures   []paths.Name `json:"failures"`        // the inputs that failed
}

// failure returns ev as the event "fail", with the message, class and exit code of err.
func failure(ev pictureEvent, err error) pictureEvent {
	ev.Event, ev.Error, ev.ExitCode = "fail", console.Message(err), console.ExitCode(err)
	ev.Class = map[int]string{console.ExitUsage: "usage", console.ExitInput: "input", console.ExitOutput: "output",
		console.ExitModel: "model", console.ExitLimit: "limit"}[ev.ExitCode]
	if ev.Class == "" {
		ev.Class = "other"
	}
	return ev
}
