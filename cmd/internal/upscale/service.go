package upscale

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"image"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/settings"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	embedded "superres/superres/models"
)

// Service enlarges pictures that come one by one, each with settings of its own, as the
// command does with those of a call: by the same code, to the same bytes. No name of a
// request is ever that of a file. It is safe for concurrent use.
type Service struct {
	limits        console.Limits
	decode, whole time.Duration
	aside         *os.File // see PuttingAside

	mu     sync.Mutex // guards models
	models map[string]*superres.Model
}

// NewService makes a service with the limits of a machine. A picture may take the time
// decode to be decoded, and whole in all; 0 is any time.
func NewService(limits console.Limits, decode, whole time.Duration) *Service {
	return &Service{limits: limits, decode: decode, whole: whole, models: map[string]*superres.Model{}}
}

// PuttingAside has the service put aside in a file what it cannot keep in memory while a result is
// made, for one picture at a time. nil: each picture has a new file. It returns the service, and
// is to be called before any picture.
func (s *Service) PuttingAside(f *os.File) *Service {
	s.aside = f
	return s
}

// Parameters returns the options of the command that a request may have. None leads to a file or
// to another program.
func Parameters() settings.Table { return new(Options).table().Requested() }

// Request is what is asked for with one picture.
type Request struct {
	*enlarging.Enlarger
	opt   Options
	name  string // of the picture; empty: it has none
	aside *os.File
}

// Request reads parameters, each once at most: those flags, name, that of the picture's
// file, which is for the name of the result and for messages alone, and region, X,Y,W,H, a
// part of the picture, in pixels, which is made alone, with the pixels that it has in the
// whole. Its errors are those of the command.
func (s *Service) Request(ctx context.Context, params url.Values) (*Request, error) {
	r, err := s.read(ctx, params)
	if err == nil {
		r.Enlarger, err = enlarging.New(r.opt.Settings)
	}
	return r, err
}

// Check refuses parameters as Request does, but for those that a model does not take: it opens none.
func (s *Service) Check(ctx context.Context, params url.Values) error {
	_, err := s.read(ctx, params)
	return err
}

// read reads the parameters of a request.
func (s *Service) read(ctx context.Context, params url.Values) (*Request, error) {
	r := &Request{}
	options := r.opt.table()
	var region image.Rectangle
	var err error
	for _, name := range slices.Sorted(maps.Keys(params)) {
		values := params[name]
		o := options.Find(name)
		switch {
		case len(values) > 1:
			return nil, console.Usage("%s is given %d times, expected once", name, len(values))
		case name == "name":
			r.name = baseName(values[0])
		case name == "region":
			region, err = enlarging.ParseRegion(values[0])
		case o != nil && o.Request && o.Name == name:
			if err = o.Set(values[0]); err != nil {
				err = console.Fail(console.ExitUsage, err)
			}
		default:
			err = console.Usage("%s", usage.Unknown("parameter", name, append(options.Requested().Names(), "name",
				"region", "id")))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.opt.complete(options, nil); err != nil {
		return nil, err
	}
	if name := r.opt.Model; name != models.Auto && !slices.Contains(embedded.Names(), name) {
		return nil, superres.Unusable(errors.New(usage.Unknown("model", name, append([]string{models.Auto},
			embedded.Names()...))))
	}
	r.aside = s.aside
	r.opt.Limits, r.opt.DecodeTime, r.opt.WholeTime = s.limits, s.decode, s.whole
	if r.opt.Open, r.opt.Region = s.model, region; !region.Empty() {
		r.opt.Keep.FirstFrame = true // of which it is a part
	}
	return r, nil
}

// model opens an embedded model, once.
func (s *Service) model(name string) (*superres.Model, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.models[name]; m != nil {
		return m, nil
	}
	m, err := models.Open(name)
	if err == nil {
		s.models[name] = m
	}
	return m, err
}

// baseName is the last part of a path of any system, as a client names a file; empty when
// it names none.
func baseName(name string) string {
	name = path.Base(safefile.OneLine(strings.ReplaceAll(name, `\`, "/")))
	if strings.Trim(name, "./- ") == "" {
		return ""
	}
	return name
}

// resultOf names the result of the picture in a body of size bytes.
func (r *Request) resultOf(body io.ReaderAt, size int64) (out pictures.Output, err error) {
	in := pictures.Input{Path: r.title(), Place: r.title()}
	if in.Format, _, err = imagefile.IdentifyAt(body, in.Path); err != nil {
		return out, err
	}
	if r.opt.Naming.WantsGIF() || in.Format.OnlyAnimates() || imagefile.NamedFormat(in.Place).OnlyAnimates() {
		in.Several = !r.opt.Keep.FirstFrame && imagefile.HoldsSeveralAt(body, size)
	}
	namer, err := pictures.NewNamer(r.opt.Naming, true)
	if err != nil {
		return out, err
	}
	if out, err = namer.Output(in); err != nil {
		return out, err
	}
	out.Path = path.Base(baseName(out.Path))
	return out, r.opt.checkDepth(out.Format)
}

// title is what messages call the picture.
func (r *Request) title() string { return cmp.Or(r.name, "picture") }

// Result is what has become of a picture, or would.
type Result struct {
	// Name is that of a file of the result.
	Name string
	// Format is png, jpeg, bmp, tiff or gif.
	Format imagefile.Format
	// Event is the event, in JSON, by which the command tells of it: done or plan.
	Event json.RawMessage
}

// Load is what a picture takes of the machine.
type Load struct {
	// Memory is in bytes, as estimated.
	Memory int64
	// Pixels are those of the result, as often as each is made.
	Pixels int64
}

// Upscale enlarges the picture in body, of so many bytes, which stays as it is meanwhile, and
// writes the result to to; after an error what it has written is worth nothing. Before it
// takes any memory to speak of it calls admit, which may wait, or refuse the picture by an
// error; what it was admitted to is free when Upscale returns. progress is called with the
// share done, 0..1, from one goroutine at a time, and may wait, too. Its errors are those of
// the command, the error of admit, or the cause of the end of ctx.
func (r *Request) Upscale(ctx context.Context, body io.ReaderAt, size int64, to io.Writer, admit func(Load) error,
	progress func(share float64)) (Result, error) {
	began := time.Now()
	return r.answer(ctx, body, size, to, admit,
		func(ctx context.Context, file enlarging.Job, ev *pictureEvent, admit func(Load)) error {
			p, err := r.Enlarge(ctx, file, enlarging.Watch{
				Admit: func(p *enlarging.Plan) {
					admit(Load{Memory: p.Memory, Pixels: p.Pixels()})
					began = time.Now()
				},
				Progress: func(_ *enlarging.Plan, _ int, share float64) { progress(share) },
			})
			ev.ended(outcome{p, time.Since(began).Seconds(), err})
			return err
		})
}

// Inspect tells what Upscale would make of a picture. It reads the header, and the whole
// picture, admitted as there, where what is found in it decides what enlarges it.
func (r *Request) Inspect(ctx context.Context, body io.ReaderAt, size int64, admit func(Load) error) (Result, error) {
	return r.answer(ctx, body, size, io.Discard, admit,
		func(ctx context.Context, file enlarging.Job, ev *pictureEvent, admit func(Load)) error {
			p, err := r.Enlarger.Inspect(ctx, file, func(p *enlarging.Plan) {
				admit(Load{p.Memory, int64(p.Input.X) * int64(p.Input.Y)})
			})
			ev.trial(p)
			return err
		})
}

// answer has work do something about a picture and fill in the event.
func (r *Request) answer(ctx context.Context, body io.ReaderAt, size int64, to io.Writer, admit func(Load) error,
	work func(context.Context, enlarging.Job, *pictureEvent, func(Load)) error) (Result, error) {
	out, err := r.resultOf(body, size)
	if err != nil {
		return Result{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ev := pictureEvent{Input: paths.Name(r.title()), Output: paths.Name(out.Path), Number: 1, Of: 1}
	file := enlarging.Job{
		Source: &enlarging.Body{Title: r.title(), Bytes: body, Size: size}, Format: out.Format,
		Sink: enlarging.Response{Name: out.Path, To: to, Scratch: r.aside},
	}
	err = work(ctx, file, &ev, func(l Load) {
		if err := admit(l); err != nil {
			cancel(err) // what follows looks at it first
		}
	})
	if err != nil {
		return Result{}, cmp.Or(context.Cause(ctx), err)
	}
	text, err := json.Marshal(ev)
	return Result{Name: out.Path, Format: out.Format, Event: text}, err
}
