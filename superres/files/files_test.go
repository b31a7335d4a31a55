package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"
	"testing"
	"time"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres"
	"superres/superres/files"
)

// upscale returns the file that opt makes of data.
func upscale(t *testing.T, opt files.Options, data []byte) ([]byte, files.Result, error) {
	t.Helper()
	var out bytes.Buffer
	result, err := must.Get(files.New(opt))(t).Upscale(t.Context(), &out, bytes.NewReader(data))
	return out.Bytes(), result, err
}

// Results have the format of the file where it can be written, and are described.
func TestFormats(t *testing.T) {
	still, moving := imagetest.Indexed(12, 9), imagetest.GIF(t, imagetest.Indexed(12, 9), imagetest.Indexed(12, 9))
	for _, c := range []struct {
		data           []byte
		format         string
		want           string
		pictures, wide int
	}{
		{imagetest.JPEG(t, imagetest.Ramp(12, 9), 90), "", "jpeg", 1, 24},
		{imagetest.PNG(t, imagetest.Ramp(12, 9)), "JPEG", "jpeg", 1, 24},
		{imagetest.PNG(t, imagetest.Ramp(12, 9)), "", "png", 1, 24},
		{imagetest.GIF(t, still), "", "png", 1, 24},
		{moving, "", "gif", 2, 24},
		{moving, "png", "png", 2, 24},
	} {
		data, got, err := upscale(t, files.Options{Format: c.format, Model: "nearest"}, c.data)
		if err != nil || got.Format != c.want || got.Pictures != c.pictures || got.Width != c.wide ||
			got.InputWidth != 12 || got.InputHeight != 9 ||
			got.Height != 18 || got.Model != "nearest" || got.MIMEType() != "image/"+c.want {
			t.Errorf("%+v, %v, expected %+v", got, err, c)
		}
		cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || format != c.want || cfg.Width != c.wide {
			t.Errorf("%s of %d pixels, %v", format, cfg.Width, err)
		}
	}
}

// Every wrong option and every refused file has its class, and nothing panics.
func TestRefusals(t *testing.T) {
	half, two := 0.5, 2.0
	for want, opt := range map[string]files.Options{
		"scale 17: expected 1 to 16":                          {Scale: 17},
		"size -1×0: expected more than nothing":               {Width: -1},
		"expected one of them":                                {Scale: 2, Width: 100},
		"expected a width and a height":                       {Width: 100, Fit: true},
		`format "heic": expected png, jpeg`:                   {Format: "heic"},
		"quality 101: expected 1 to 100":                      {Quality: 101},
		"depth 12: expected 8 or 16":                          {Depth: 12},
		"denoise 2: expected 0 to 1":                          {Denoise: &two},
		"strength 2: expected 0 to 1.3":                       {Strength: &two},
		"denoise 0.5: the model nearest takes no noise away":  {Denoise: &half, Model: "nearest"},
		`unknown effort "good"`:                               {Effort: "good"},
		"depth 16: JPEG has 8 bits a sample":                  {Depth: 16, Format: "jpeg"},
		"format gif: it is written for animations alone":      {Format: "gif"},
		"10×10 would become 5×5, and nothing is made smaller": {Width: 5},
		"region": {Region: image.Rect(0, 0, 11, 1)},
	} {
		e, err := files.New(opt)
		if err == nil {
			_, err = e.Upscale(t.Context(), io.Discard, bytes.NewReader(imagetest.PNG(t, imagetest.Ramp(10, 10))))
		}
		if !errors.Is(err, files.ErrOptions) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
	if _, err := files.New(files.Options{Model: "foto"}); !errors.Is(err, superres.ErrModel) {
		t.Error(err)
	}
	for _, c := range imagetest.Hostile(t) {
		class := files.ErrInput
		if c.Limit {
			class = files.ErrLimit
		}
		_, _, err := upscale(t, files.Options{Limits: files.Limits{Pixels: 50e6}}, c.Data)
		if !errors.Is(err, class) || !strings.HasPrefix(err.Error(), "picture: ") {
			t.Errorf("%s: %v, expected %v", c.Name, err, class)
		}
	}
	picture := imagetest.PNG(t, imagetest.Ramp(600, 600))
	for _, limits := range []files.Limits{{Pixels: 300e3}, {ResultPixels: 1e6}, {Memory: 40 << 20}, {Decoding: 1},
		{Time: time.Microsecond}} {
		if _, _, err := upscale(t, files.Options{Limits: limits}, picture); !errors.Is(err, files.ErrLimit) {
			t.Errorf("%+v: %v", limits, err)
		}
	}
}

// Set reads what Options hold, and refuses all else.
func TestSet(t *testing.T) {
	var opt files.Options
	for _, c := range []string{"fit=800x600", "region=1,2,3,4", "model=photo", "denoise=0.5", "strength=1.1",
		"effort=fast", "format=jpeg", "quality=80", "metadata=strip", "provenance=false", "depth=8",
		"first-frame=true"} {
		name, text, _ := strings.Cut(c, "=")
		must.Succeed(t, opt.Set(name, text))
	}
	got := fmt.Sprint(opt.Width, opt.Height, opt.Fit, opt.Region, " ", opt.Model, " ", *opt.Denoise, *opt.Strength, " ",
		opt.Effort, " ", opt.Format, " ", opt.Quality, opt.StripMetadata, opt.NoProvenance, opt.Depth, opt.FirstFrame)
	if want := "800 600 true (1,2)-(4,6) photo 0.5 1.1 fast jpeg 80 true true 8 true"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	for _, c := range []string{"denoise=auto", "scale=300%", "width=70", "height=80", "depth=same", "metadata=keep"} {
		name, text, _ := strings.Cut(c, "=")
		must.Succeed(t, opt.Set(name, text))
	}
	if opt.Denoise != nil || opt.Scale != 3 || opt.Width != 70 || opt.Height != 80 || opt.Depth != 0 ||
		opt.StripMetadata {
		t.Errorf("%+v", opt)
	}
	for _, c := range []string{"scale=0", "scale=NaN", "width=0", "width=1e3", "height=99999999999999999999", "fit=4",
		"region=1", "denoise=2", "strength=-1", "strength=NaN", "effort=", "quality=0", "metadata=no",
		"provenance=maybe", "depth=12", "first-frame=yes", "output=/etc/passwd", "coder=exec:sh",
		"scale=" + strings.Repeat("9", 10000)} {
		name, text, _ := strings.Cut(c, "=")
		if err := opt.Set(name, text); !errors.Is(err, files.ErrOptions) || len(err.Error()) > 300 {
			t.Errorf("%.40s: %v", c, err)
		}
	}
}

// Admit is asked once, before any work, and its error comes back as it is. The end of the context ends the work.
func TestWatch(t *testing.T) {
	data := imagetest.PNG(t, testimage.Drawing(400, 300, 1))
	e := must.Get(files.New(files.Options{}))(t)
	refused := errors.New("refused")
	asked := 0
	_, err := e.UpscaleAt(t.Context(), io.Discard, bytes.NewReader(data), int64(len(data)), files.Watch{
		Admit: func(need files.Need) error {
			if asked++; need.Memory < 30<<20 || need.Memory > 200<<20 || need.Pixels != 800*600 || need.Width != 800 ||
				need.Height != 600 {
				t.Errorf("%+v", need)
			}
			return refused
		}, Progress: func(float64) { t.Error("it works") }})
	if err != refused || asked != 1 {
		t.Errorf("%v after %d questions", err, asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = e.UpscaleAt(ctx, io.Discard, bytes.NewReader(data), int64(len(data)), files.Watch{
		Progress: func(share float64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// A panic is an error of the file.
	_, err = e.UpscaleAt(t.Context(), io.Discard, bytes.NewReader(data), int64(len(data)), files.Watch{
		Progress: func(share float64) { panic("a fault") }})
	const fault = "a fault of superres, not of the file: a fault;"
	if !errors.Is(err, files.ErrInput) || !strings.Contains(err.Error(), fault) {
		t.Error(err)
	}
	// An error of the writer comes back.
	broken := errors.New("broken pipe")
	if _, err = e.Upscale(t.Context(), writer{broken}, bytes.NewReader(data)); !errors.Is(err, broken) {
		t.Error(err)
	}
	part := io.MultiReader(bytes.NewReader(data[:99]), reader{broken})
	if _, err = e.Upscale(t.Context(), io.Discard, part); !errors.Is(err, broken) {
		t.Error(err)
	}
}

type writer struct{ error }

func (w writer) Write([]byte) (int, error) { return 0, w.error }

type reader struct{ error }

func (r reader) Read([]byte) (int, error) { return 0, r.error }
