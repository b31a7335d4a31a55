package upscale

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/scheduling"
	"superres/internal/settings"
	"superres/internal/usage"
	"superres/superres"
)

// Service enlarges single pictures, each with its own settings, with the same code as superres upscale and to the same
// bytes. It never opens a file by a name from a request. It is safe for concurrent use.
type Service struct {
	// Limits are the limits of one picture. Decode limits the time to decode it, Whole the time in all; 0: no limit.
	Limits        console.Limits
	Decode, Whole time.Duration

	// Aside is a temporary file, used by one picture at a time; nil: each picture gets a new file.
	Aside *os.File

	mu       sync.Mutex // guards provided
	provided provided
}

// provided is a user's model that Provide has loaded. The zero value stands for no model.
type provided struct {
	name, version string
	model         *superres.Model
}

// NewService returns a service with limits for each picture; decode and whole become the fields Decode and Whole.
func NewService(limits console.Limits, decode, whole time.Duration) *Service {
	limits.Result = 400e6 // pixels of a result: fewer than in a call, as a request may come from anybody
	return &Service{Limits: limits, Decode: decode, Whole: whole}
}

// Parameters returns the options of the command that a request may set. No such option names a file or another program.
func Parameters() settings.Table { return new(Options).table().Requested() }

// Request holds the settings for one picture.
type Request struct {
	*enlarging.Enlarger
	opt   Options
	name  string      // file name of the picture; empty: unknown
	asMap bool        // the result is the map of --map; false: the enlarged picture
	sure  image.Image // the map, once it is drawn
	aside *os.File    // Service.Aside: a temporary file

	made    enlarging.Made   // how another program made the picture; zero value: none did
	becomes imagefile.Format // format of the result if another program made the picture; empty: the picture's
}

// SetOriginal says that another program made the picture from the first size bytes of original; how tells in which way.
func (r *Request) SetOriginal(how decoders.Way, original io.ReaderAt, size int64) {
	_, kind, _ := imagefile.IdentifyAt(original, r.name)
	r.made, r.becomes = how.Of(original, size), decoders.FormatFor(original, size, kind)
}

// Request returns the request with params. Each parameter may be given once: the options that Parameters lists; name,
// the file name of the picture, used only for the name and format of the result and for messages; region, X,Y,W,H in
// pixels, the only part of the picture to enlarge, to the same pixels as if all were enlarged; and map, true or false:
// if true, the result is the picture that --map draws. It fails as superres upscale does.
func (s *Service) Request(ctx context.Context, params url.Values) (*Request, error) {
	r, err := s.read(ctx, params)
	if err == nil {
		if r.Enlarger, err = enlarging.New(r.opt.Settings); err == nil {
			r.opt.takeSize(r.Enlarger)
		}
	}
	return r, err
}

// Check returns the error that Request would return for params, but finds no errors in models, as it opens no model.
func (s *Service) Check(ctx context.Context, params url.Values) error {
	_, err := s.read(ctx, params)
	return err
}

// read returns the request with params, checked, but without an Enlarger, because it opens no model.
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
			if region, err = enlarging.ParseRegion(values[0]); err != nil {
				err = fmt.Errorf("region %s: %w", values[0], err)
			}
		case name == "map":
			if r.asMap, err = strconv.ParseBool(values[0]); err != nil {
				err = console.Usage("map %s: expected true or false", values[0])
			}
		case o != nil && o.Request && o.Name == name:
			if err = o.Set(values[0]); err != nil {
				err = console.Fail(console.ExitUsage, err)
			}
		default:
			err = console.Usage("%s", usage.Unknown("parameter", name, append(options.Requested().Names(), "name",
				"region", "map", "id")))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := r.opt.complete(options, nil); err != nil {
		return nil, err
	}
	if name := r.opt.Model; name != models.Auto && !slices.Contains(s.names(), name) {
		return nil, superres.Unusable(errors.New(usage.Unknown("model", name, append([]string{models.Auto},
			s.names()...))))
	}
	r.aside = s.Aside
	r.opt.Limits, r.opt.DecodeTime, r.opt.WholeTime = s.Limits, s.Decode, s.Whole
	if r.opt.Open, r.opt.Region = s.model, region; !region.Empty() {
		r.opt.Keep.FirstFrame = true // a region is part of a single picture
	}
	if r.asMap {
		r.opt.Naming.Format, r.opt.Keep.FirstFrame = "png", true
		r.opt.Map = func(m image.Image) error { r.sure = m; return nil }
	}
	return r, nil
}

// names returns the names of all models that a request may use: the embedded models, the user's models if this process
// can see them, and the model that Provide has loaded.
func (s *Service) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := models.Names()
	if s.provided.model != nil && !slices.Contains(list, s.provided.name) {
		list = append(list, s.provided.name)
	}
	return list
}

// Provide makes the service use the first size bytes of r as the user's model called name, instead of the model that
// was provided before. version differs for files with different content; if name and version are the same as before, r
// is not read. Provide is for processes that cannot open files.
func (s *Service) Provide(name, version string, r io.ReaderAt, size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provided.name == name && s.provided.version == version {
		return nil
	}
	s.provided = provided{} // frees the memory of the previous model first
	m, err := superres.Load(r, size)
	if err != nil {
		return fmt.Errorf("model %s: %w", name, err)
	}
	s.provided = provided{name, version, m}
	return nil
}

// model returns the model called name: the provided model, an embedded model, or one of the user's models.
func (s *Service) model(name string) (*superres.Model, error) {
	s.mu.Lock()
	provided := s.provided
	s.mu.Unlock()
	if provided.name == name && provided.model != nil {
		return provided.model, nil
	}
	return models.Open(context.Background(), name)
}

// baseName returns the last part of name, a path of any operating system, or "" if it has only dots, dashes and spaces.
func baseName(name string) string {
	name = path.Base(safefile.OneLine(strings.ReplaceAll(name, `\`, "/")))
	if strings.Trim(name, "./- ") == "" {
		return ""
	}
	return name
}

// resultOf returns the name and format of the result for the picture in the first size bytes of body. It refuses video.
func (r *Request) resultOf(ctx context.Context, body io.ReaderAt, size int64) (out pictures.Output, err error) {
	in := pictures.Input{Path: r.title(), Place: r.title()}
	if r.opt.Size.Scale == 0 {
		pixels, _ := r.ResultSize(ctx, &enlarging.Body{Title: in.Path, Bytes: body, Size: size, Made: r.made})
		in.SetSize(pixels) // for the name
	}
	head := make([]byte, pictures.HeadBytes)
	n, _ := body.ReadAt(head, 0) // an error occurs again when the picture is read
	if pictures.BeginsContainer(head[:n]) {
		return out, safefile.Refuse(safefile.ErrInput, in.Path, "is a video; in a terminal, superres FILE enlarges it")
	}
	if in.Format, _, err = imagefile.IdentifyAt(body, in.Path); err != nil {
		return out, err
	}
	in.Format = cmp.Or(r.becomes, in.Format) // r.becomes is set if another program made the picture
	if r.opt.Naming.WantsGIF() || in.Format.SplitsAnimations() || imagefile.NamedFormat(in.Place).SplitsAnimations() {
		in.Several = !r.opt.Keep.FirstFrame && imagefile.HoldsSeveralAt(body, size) // decides the format only here
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

func (r *Request) title() string { return cmp.Or(r.name, "picture") }

// Result describes the result of a request: of Upscale, or, before the work, of Inspect.
type Result struct {
	// Name is the suggested file name of the result.
	Name string
	// Format is png, jpeg, webp, bmp, tiff or gif.
	Format imagefile.Format
	// Event is the event of the command for the picture, "done" or "plan", as JSON.
	Event json.RawMessage
}

// Upscale enlarges the picture in the first size bytes of body, which must not change. to receives the result; after an
// error, the bytes written are useless. Before it takes much memory it calls admit, which may block, or refuse the
// picture with an error. progress is called with the share of the work done, 0 to 1, by one goroutine at a time, and
// may block. Upscale fails as superres upscale does, with the error of admit, or with the cause of the end of ctx. If a
// map is asked for, to receives the map, which Enlarge leaves in r.sure, in place of the result.
func (r *Request) Upscale(ctx context.Context, body io.ReaderAt, size int64, to io.Writer,
	admit func(scheduling.Load) error, progress func(share float64)) (Result, error) {
	began := time.Now()
	result := to
	if r.asMap {
		result = io.Discard
	}
	answer, err := r.answer(ctx, body, size, result, func(file enlarging.Job, ev *pictureEvent) error {
		p, err := r.Enlarge(ctx, file, enlarging.Watch{
			Admit: func(p *enlarging.Plan) error {
				err := admit(scheduling.Load{Memory: p.Memory, Pixels: p.Pixels})
				began = time.Now() // the time in the queue does not count
				return err
			},
			Progress: func(_ *enlarging.Plan, _ int, share float64) { progress(share) },
		})
		ev.ended(outcome{p, time.Since(began).Seconds(), err})
		return err
	})
	if err == nil && r.asMap {
		err = png.Encode(to, r.sure)
	}
	return answer, err
}

// Inspect returns how Upscale would enlarge the picture in the first size bytes of body. It reads only the header,
// unless the choice of model depends on the pixels. admit is as in Upscale, but Load.Pixels is the size of the picture.
func (r *Request) Inspect(ctx context.Context, body io.ReaderAt, size int64,
	admit func(scheduling.Load) error) (Result, error) {
	return r.answer(ctx, body, size, io.Discard, func(file enlarging.Job, ev *pictureEvent) error {
		p, err := r.Enlarger.Inspect(ctx, file, func(p *enlarging.Plan) error {
			return admit(scheduling.Load{Memory: p.Memory, Pixels: int64(p.Input.X) * int64(p.Input.Y)})
		})
		ev.trial(p)
		return err
	})
}

// answer calls work for the picture in the first size bytes of body, with to as its output, and describes the result by
// the event that work fills in. If ctx has ended, the error is the cause of the end.
func (r *Request) answer(ctx context.Context, body io.ReaderAt, size int64, to io.Writer,
	work func(enlarging.Job, *pictureEvent) error) (Result, error) {
	out, err := r.resultOf(ctx, body, size)
	if err != nil {
		return Result{}, err
	}
	ev := pictureEvent{Input: paths.Name(r.title()), Output: paths.Name(out.Path), Number: 1, Of: 1}
	file := enlarging.Job{Source: &enlarging.Body{Title: r.title(), Bytes: body, Size: size, Made: r.made},
		Format: out.Format, Sink: enlarging.Response{Name: out.Path, To: to, Scratch: r.aside}}
	if err = work(file, &ev); err != nil {
		return Result{}, cmp.Or(context.Cause(ctx), err)
	}
	text, err := json.Marshal(ev)
	return Result{Name: out.Path, Format: out.Format, Event: text}, err
}
