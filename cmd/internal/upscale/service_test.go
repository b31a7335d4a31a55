package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/scheduling"
	"superres/internal/testimage"
	library "superres/superres/files"
)

func newTestService() *Service {
	return NewService(console.Limits{Memory: 2 << 30, Pixels: 50e6}, 30*time.Second, 0)
}

// served returns the result of s for picture with the parameters in query.
func served(t *testing.T, s *Service, picture []byte, query string) ([]byte, Result, error) {
	t.Helper()
	params := must.Get(url.ParseQuery(query))(t)
	r, err := s.Request(t.Context(), params)
	if err != nil {
		return nil, Result{}, err
	}
	var out bytes.Buffer
	result, err := r.Upscale(t.Context(), bytes.NewReader(picture), int64(len(picture)), &out,
		func(scheduling.Load) error { return nil }, func(float64) {})
	return out.Bytes(), result, err
}

// filed returns the result of package files for picture with the parameters in query.
func filed(t *testing.T, picture []byte, query url.Values) []byte {
	t.Helper()
	var opt library.Options
	for name, values := range query {
		if name != "name" {
			must.Succeed(t, opt.Set(name, values[0]))
		}
	}
	var out bytes.Buffer
	e := must.Get(library.New(opt))(t)
	must.Get(e.Upscale(t.Context(), &out, bytes.NewReader(picture)))(t)
	return out.Bytes()
}

// Package files knows the parameters of a service by the same names.
func TestLibraryKnowsTheParameters(t *testing.T) {
	var opt library.Options
	for _, o := range Parameters() {
		if err := opt.Set(o.Name, o.To.String()); err != nil && strings.Contains(err.Error(), "unknown option") {
			t.Error(err)
		}
	}
}

// A service, and package files, return the same bytes as the command, also for animations; a service the same events.
func TestServiceMakesTheSame(t *testing.T) {
	s, dir := newTestService(), t.TempDir()
	frames := []image.Image{testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 40, 30)), true),
		image.NewNRGBA(image.Rect(0, 0, 40, 30))}
	inputs := map[string][]byte{"in.png": consoletest.Read(t, golden.Root(t), "testdata/hopper.png"),
		"in.gif": scenes(t, "gif", 0, frames...)}
	for query, flags := range map[string]string{
		"name=in.png":                         "",
		"name=in.png&scale=1.5&model=bicubic": "-s 1.5 -m bicubic",
		"name=in.png&fit=300x200&format=jpeg&quality=80&effort=fast": "--fit 300x200 -f jpeg --quality 80 " +
			"--effort fast",
		"name=in.png&denoise=0.4&strength=0.5&metadata=strip&depth=16": "--denoise 0.4 --strength 0.5 --metadata " +
			"strip --depth 16",
		"name=in.gif":                  "",
		"name=in.gif&format=png":       "-f png",
		"name=in.gif&first-frame=true": "--first-frame",
	} {
		name := query[len("name="):len("name=in.png")]
		consoletest.Put(t, filepath.Join(dir, name), inputs[name])
		got, result, err := served(t, s, inputs[name], query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		stdout, _ := expect(t, dir, "", name+" --on-exist overwrite --json "+flags, 0)
		lines := strings.Split(strings.TrimSpace(stdout), "\n")
		event := consoletest.Decode[pictureEvent](t, string(result.Event))
		want := consoletest.Decode[pictureEvent](t, lines[len(lines)-2])
		event.Seconds, want.Seconds = 0, 0
		if !reflect.DeepEqual(event, want) {
			t.Errorf("%s: tells %+v, the command %+v", query, event, want)
		}
		if !bytes.Equal(got, consoletest.Read(t, dir, string(want.Output))) {
			t.Errorf("%s: not the bytes of the command", query)
		}
		if again := filed(t, inputs[name], must.Get(url.ParseQuery(query))(t)); !bytes.Equal(again, got) {
			t.Errorf("%s: package files makes other bytes", query)
		}
	}
	// A region of an animation is one of its first frame.
	part, _, err := served(t, s, inputs["in.gif"], "name=in.gif&region=0,0,8,8&format=png")
	must.Succeed(t, err)
	if img, err := png.Decode(bytes.NewReader(part)); err != nil || img.Bounds().Dx() != 16 {
		t.Errorf("a region: %v, %v", img.Bounds(), err)
	}
}

// Requests at the same time do not affect each other's settings.
func TestRequestsBesideOneAnother(t *testing.T) {
	s := newTestService()
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			r, err := s.Request(t.Context(), url.Values{"quality": {strconv.Itoa(i + 1)}, "model": {"nearest"}})
			if err != nil || r.opt.Quality != i+1 {
				t.Error(r, err)
			}
			if r, err = s.Request(t.Context(), url.Values{"model": {"nearest"}}); err != nil || r.opt.Quality != 95 {
				t.Error(r, err)
			}
		})
	}
	group.Wait()
}

// A region has the same pixels as in the whole result, at any scale, with any model, anywhere.
func TestRegions(t *testing.T) {
	golden.NotShort(t, "computes for long")
	putNetworks(t)
	s := newTestService()
	const w, h = 320, 241
	encode := func(img image.Image) []byte { return encoded(t, img, "png", imagefile.EncodeOptions{Alpha: true}) }
	drawn := func(alpha func(x, y int) uint8) []byte {
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for c, tone := range []float64{0.4, 0.8, 1.7} {
			for i, v := range testimage.Drawing(w, h, tone).Pix {
				img.Pix[4*i+c], img.Pix[4*i+3] = v^uint8(i*i>>7&3), alpha(i%w, i/w)
			}
		}
		return encode(img)
	}
	varying := encode(halfNoisy(imaging.Resize(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")),
		w, h, imaging.CatmullRom)))
	photo := drawn(func(_, _ int) uint8 { return 255 })
	clear := drawn(func(x, y int) uint8 { return uint8(min(255, max(0, 3*x-y))) })
	for _, c := range []struct {
		picture []byte
		query   string
		full    bool // tried when all is
	}{
		{photo, "scale=1.5", false}, {photo, "width=333&model=bicubic", false}, {clear, "scale=2&effort=fast", false},
		{varying, "scale=2.5&effort=fast", false}, {photo, "scale=3&model=rgb2", false},
		{photo, "scale=1.5&model=rgb1", false}, {clear, "scale=2&model=luma2", false},
		{photo, "scale=2", true}, {photo, "scale=3", true}, {photo, "scale=4&denoise=0.5", true},
		{photo, "scale=2.5", true}, {photo, "scale=1", true}, {photo, "width=333", true},
		{photo, "scale=2&model=coupled", true}, {photo, "scale=3&model=coupled", true},
		{photo, "scale=3&model=bicubic", true}, {photo, "scale=3&model=lanczos", true},
		{photo, "scale=3&model=nearest", true}, {photo, "scale=2&effort=fast&strength=0.7", true},
		{varying, "scale=2", true}, {varying, "scale=2&effort=max", true}, {photo, "scale=2&effort=max", true},
		{photo, "scale=8&effort=fast", true},
	} {
		if c.full && consoletest.Full(0, 1) == 0 {
			continue
		}
		data, told, err := served(t, s, c.picture, c.query)
		must.Succeed(t, err)
		if mixed := bytes.Contains(told.Event, []byte(`"varies":true`)); mixed != bytes.Equal(c.picture, varying) {
			t.Errorf("%s: noise that varies: %v", c.query, mixed)
		}
		whole := must.Get(png.Decode(bytes.NewReader(data)))(t)
		size := whole.Bounds().Size()
		for _, r := range []image.Rectangle{image.Rect(0, 0, 10, 9), image.Rect(97, 80, 130, 97),
			image.Rect(121, 101, 122, 102), image.Rect(150, 120, w, h), image.Rect(0, 0, w, h)} {
			data, result, err := served(t, s, c.picture,
				fmt.Sprintf("%s&region=%d,%d,%d,%d", c.query, r.Min.X, r.Min.Y, r.Dx(), r.Dy()))
			if err != nil {
				t.Errorf("%s: %v: %v", c.query, r, err)
				continue
			}
			got := must.Get(png.Decode(bytes.NewReader(data)))(t)
			// From the pixel in which the region begins to that in which it ends.
			want := image.Rect(r.Min.X*size.X/w, r.Min.Y*size.Y/h, (r.Max.X*size.X+w-1)/w, (r.Max.Y*size.Y+h-1)/h)
			if got.Bounds().Size() != want.Size() ||
				!bytes.Contains(result.Event, fmt.Appendf(nil, `"width":%d,"height":%d`, want.Dx(), want.Dy())) {
				t.Errorf("%s: %v is %v, expected %v; %s", c.query, r, got.Bounds().Size(), want.Size(), result.Event)
				continue
			}
			differ := 0
			for y := range want.Dy() {
				for x := range want.Dx() {
					is, was := got.At(x, y), whole.At(want.Min.X+x, want.Min.Y+y)
					if same := color.NRGBA64Model.Convert; same(is) != same(was) {
						differ++
					}
				}
			}
			if differ > 0 {
				t.Errorf("%s: %d pixels of %v differ from those of the whole", c.query, differ, r)
			}
		}
	}
}
