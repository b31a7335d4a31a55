package handler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/files"
)

// counted is a file system that counts what is opened and may hold up readers.
type counted struct {
	fstest.MapFS
	opened atomic.Int32
	gate   chan struct{} // reading waits until it is closed; nil: it does not
	fault  string        // reading panics with it
}

func (c *counted) Open(name string) (fs.File, error) {
	c.opened.Add(1)
	f, err := c.MapFS.Open(name)
	if err != nil {
		return nil, err
	}
	return &gated{f, c}, nil
}

type gated struct {
	fs.File
	of *counted
}

func (g *gated) ReadAt(p []byte, offset int64) (int, error) {
	if g.of.fault != "" {
		panic(g.of.fault)
	}
	if g.of.gate != nil {
		<-g.of.gate
	}
	return g.File.(io.ReaderAt).ReadAt(p, offset)
}

var someTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// photos returns the files of the tests, each with a time.
func photos(t *testing.T) fstest.MapFS {
	fsys := fstest.MapFS{"dir/a b.jpg": {Data: imagetest.JPEG(t, testimage.Drawing(60, 40, 1), 90)},
		"cat.png": {Data: imagetest.PNG(t, testimage.Drawing(60, 40, 1))}}
	for _, f := range fsys {
		f.ModTime = someTime
	}
	return fsys
}

// newTest returns a handler with the options opt for fsys.
func newTest(t *testing.T, fsys fs.FS, opt Options) *Handler {
	t.Helper()
	opt.Files = fsys
	if opt.Enlarge.Model == "" {
		opt.Enlarge.Model = "nearest"
	}
	return must.Get(New(opt))(t)
}

// get returns the answer of h to a request with header lines "Name: value".
func get(h http.Handler, target string, header ...string) *httptest.ResponseRecorder {
	method, path, ok := strings.Cut(target, " ")
	if !ok {
		method, path = http.MethodGet, target
	}
	r := httptest.NewRequest(method, path, nil)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// The answer has the bytes of package files, which are kept, with a tag that saves the work.
func TestAnswers(t *testing.T) {
	fsys := &counted{MapFS: photos(t)}
	h := newTest(t, fsys, Options{MaxAge: time.Hour})
	for target, opt := range map[string]files.Options{
		"/cat.png": {}, "/cat.png?scale=3&format=jpeg&quality=50": {Scale: 3, Format: "jpeg", Quality: 50},
		"/dir/a%20b.jpg?fit=200x100": {Width: 200, Height: 100, Fit: true}, "/cat.png?width=70": {Width: 70},
	} {
		name := strings.ReplaceAll(strings.TrimPrefix(strings.Split(target, "?")[0], "/"), "%20", " ")
		opt.Model = "nearest"
		var want bytes.Buffer
		in := bytes.NewReader(fsys.MapFS[name].Data)
		made := must.Get(must.Get(files.New(opt))(t).Upscale(t.Context(), &want, in))(t)
		got := get(h, target)
		tag := got.Header().Get("ETag")
		if got.Code != 200 || !bytes.Equal(got.Body.Bytes(), want.Bytes()) ||
			got.Header().Get("Content-Type") != made.MIMEType() ||
			got.Header().Get("Cache-Control") != "max-age=3600" || len(tag) != 34 {
			t.Errorf("%s: %d, %d bytes, %v", target, got.Code, got.Body.Len(), got.Header())
		}
		opened := fsys.opened.Load()
		again, head := get(h, target), get(h, "HEAD "+target)
		if !bytes.Equal(again.Body.Bytes(), want.Bytes()) || head.Body.Len() > 0 || head.Header().Get("ETag") != tag ||
			head.Header().Get("Content-Length") != fmt.Sprint(want.Len()) || fsys.opened.Load() != opened+2 {
			t.Errorf("%s: %d bytes from memory, head %v", target, again.Body.Len(), head.Header())
		}
		part := get(h, target, "Range: bytes=3-9")
		if part.Code != 206 || !bytes.Equal(part.Body.Bytes(), want.Bytes()[3:10]) {
			t.Errorf("%s: a range: %d, %q", target, part.Code, part.Body)
		}
		h := newTest(t, fsys, Options{MaxAge: time.Hour}) // which has made nothing
		for _, value := range []string{tag, `"x", W/` + tag} {
			none := get(h, target, "If-None-Match: "+value)
			if none.Code != 304 || none.Body.Len() > 0 || none.Header().Get("ETag") != tag || h.results.bytes != 0 {
				t.Errorf("%s: %d with %d bytes where the tag holds", target, none.Code, none.Body.Len())
			}
		}
		if old := get(h, target, `If-None-Match: "x"`); old.Code != 200 {
			t.Errorf("%s: %d with an old tag", target, old.Code)
		}
	}
}

// The tag changes with the file, its time and each option, and without a time with the content.
func TestTags(t *testing.T) {
	fsys := photos(t)
	h := newTest(t, fsys, Options{Parameters: []string{"scale", "format", "denoise", "strength", "effort"}})
	seen := map[string]string{}
	check := func(what, target string) {
		tag := get(h, target).Header().Get("ETag")
		if before, known := seen[tag]; known || tag == "" {
			t.Errorf("%s has the tag %s of %q", what, tag, before)
		}
		seen[tag] = what
	}
	for _, target := range []string{"/cat.png", "/cat.png?scale=2", "/cat.png?scale=2.5", "/cat.png?format=jpeg",
		"/cat.png?denoise=0", "/cat.png?strength=1", "/cat.png?strength=0.9", "/dir/a%20b.jpg"} {
		check(target, target)
	}
	fsys["cat.png"].ModTime = someTime.Add(time.Nanosecond)
	check("a newer file", "/cat.png")
	fsys["cat.png"].ModTime = time.Time{}
	check("a file without time", "/cat.png")
	fsys["cat.png"].Data = imagetest.PNG(t, testimage.Drawing(60, 40, 2))
	check("another without time", "/cat.png")
	h.version += "x"
	check("another version", "/cat.png")
}

// Everything that is wrong has its status, in words that tell nothing of the machine.
func TestRefusals(t *testing.T) {
	fsys := photos(t)
	fsys["large.png"] = &fstest.MapFile{Data: imagetest.PNG(t, imagetest.Ramp(1000, 1000)), ModTime: someTime}
	var logged []error
	h := newTest(t, fsys, Options{Enlarge: files.Options{Limits: files.Limits{Pixels: 1e6, ResultPixels: 5e6}},
		Log: func(_ *http.Request, _ int, err error) { logged = append(logged, err) }})
	for _, c := range []struct {
		target string
		status int
		want   string
	}{
		{"POST /cat.png", 405, "GET and HEAD"},
		{"/dog.png", 404, "there is no such picture\n"},
		{"/dir", 404, "there is no such"}, {"/", 404, "there is"}, {"/dir/../cat.png", 404, "there"},
		{"//cat.png", 404, "there"},
		{"/..%2fcat.png", 404, "there"}, {"/dir%5ca", 404, "there"}, {"/cat.png%00", 404, "there"},
		{"/./cat.png", 404, "there"},
		{"/cat.png?scale=17", 400, "scale 17: expected 1 to 16"},
		{"/cat.png?scale=2&scale=3", 400, "scale is given 2 times"},
		{"/cat.png?scale=2&width=100", 400, "expected one of them"},
		{"/cat.png?scael=2", 400, `unknown parameter "scael"; did you mean "scale"`},
		{"/cat.png?effort=max", 400, "unknown parameter"},
		{"/cat.png?output=/etc/passwd", 400, "unknown parameter"},
		{"/cat.png?scale=%zz", 400, "the parameters cannot be read"},
		{"/cat.png?width=10", 400, "nothing is made smaller"},
		{"/cat.png?format=gif", 400, "animations alone"},
		{"/large.png?scale=4", 413, "output 4000×4000 is more than 5 megapixels"},
	} {
		got := get(h, c.target)
		if got.Code != c.status || !strings.Contains(got.Body.String(), c.want) || got.Header().Get("ETag") != "" ||
			got.Header().Get("Cache-Control") != "no-store" || strings.Count(got.Body.String(), "\n") != 1 {
			t.Errorf("%s: %d, %q, %v", c.target, got.Code, got.Body, got.Header())
		}
	}
	if len(logged) != 20 {
		t.Errorf("%d lines are logged", len(logged))
	}
	broken := newTest(t, &counted{MapFS: fsys, fault: "/secret/path"}, Options{})
	if got := get(broken, "/cat.png"); got.Code != 422 || strings.Count(got.Body.String(), "\n") != 1 {
		t.Errorf("a panic: %d, %q", got.Code, got.Body)
	}
	for _, opt := range []Options{{}, {Files: fsys, Memory: -1}, {Files: fsys, Enlarge: files.Options{Scale: 99}}} {
		if _, err := New(opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
}

// Hostile files are refused, and what is damaged is not decoded again.
func TestHostileFiles(t *testing.T) {
	fsys := &counted{MapFS: fstest.MapFS{}}
	for _, c := range imagetest.Hostile(t) {
		name := strings.Trim(strings.ReplaceAll(c.Name, "/", "-"), ".")
		fsys.MapFS[name] = &fstest.MapFile{Data: c.Data, ModTime: someTime}
		h := newTest(t, fsys, Options{Memory: 16 << 30, Enlarge: files.Options{
			Limits: files.Limits{Pixels: 50e6, ResultPixels: 1e9}}})
		want := 422
		if c.Limit {
			want = 413
		}
		before := fsys.opened.Load()
		target := "/" + strings.ReplaceAll(strings.ReplaceAll(name, "%", "%25"), " ", "%20")
		got := get(h, target)
		if got.Code != want {
			t.Errorf("%s: %d, %s", name, got.Code, got.Body)
		}
		if again := get(h, target); again.Body.String() != got.Body.String() ||
			!c.Limit && fsys.opened.Load() != before+3 { // once for each request, and once for the work
			t.Errorf("%s: %q again, %d times opened", name, again.Body, fsys.opened.Load()-before)
		}
		h.left(t)
	}
}

// left checks that nobody is in work, and that all bytes are those of kept results.
func (h *Handler) left(t *testing.T) {
	t.Helper()
	kept := int64(0)
	for at := h.results.order.Front(); at != nil; at = at.Next() {
		one := at.Value.(*result)
		if kept += one.bytes; one.uses != 0 {
			t.Errorf("a result with %d uses", one.uses)
		}
	}
	h.flights.mu.Lock()
	flights := len(h.flights.all)
	h.flights.mu.Unlock()
	waiting, working := h.scheduler.Pictures()
	if kept != h.results.bytes || kept > h.Results || waiting+working+len(h.heads)+flights != 0 {
		t.Errorf("%d of %d bytes are kept; %d wait, %d in work, %d heads, %d flights", kept, h.results.bytes,
			waiting, working, len(h.heads), flights)
	}
}

// eventually fails the test unless is becomes true soon.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("it never happens that %s", what)
}

// Equal requests at the same time are worked on once. Those that leave do not stop the work, but the last one does.
func TestSharedWork(t *testing.T) {
	fsys := &counted{MapFS: photos(t), gate: make(chan struct{})}
	h := newTest(t, fsys, Options{})
	waiting := func(n int) func() bool {
		return func() bool {
			h.flights.mu.Lock()
			defer h.flights.mu.Unlock()
			for _, one := range h.flights.all {
				return one.waiting == n
			}
			return n == 0
		}
	}
	var group sync.WaitGroup
	ask := func(ctx context.Context, want int) {
		group.Go(func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/cat.png", nil))
			if want > 0 && (w.Code != 200 || w.Body.Len() != want) {
				t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
			}
		})
	}
	size := get(newTest(t, fsys.MapFS, Options{}), "/cat.png").Body.Len()
	leaving, leave := context.WithCancel(t.Context())
	ask(leaving, 0)
	eventually(t, "the first waits", waiting(1))
	for range 19 {
		ask(t.Context(), size)
	}
	eventually(t, "all wait", waiting(20))
	leave()
	eventually(t, "one leaves", waiting(19))
	close(fsys.gate)
	group.Wait()
	if n := fsys.opened.Load(); n != 20+1 {
		t.Errorf("opened %d times, expected once for each request, and once for the work", n)
	}
	h.left(t)

	fsys.gate = make(chan struct{})
	h = newTest(t, fsys, Options{})
	gone, cancel := context.WithCancel(t.Context())
	ask(gone, 0)
	ask(gone, 0)
	eventually(t, "both wait", waiting(2))
	cancel()
	group.Wait()
	close(fsys.gate)
	eventually(t, "the work ends", func() bool { return len(h.heads) == 0 })
	if h.left(t); h.results.bytes != 0 {
		t.Error("a result that nobody waits for is kept")
	}
}

// Too many different requests at the same time are told to come again.
func TestBusy(t *testing.T) {
	fsys := &counted{MapFS: photos(t), gate: make(chan struct{})}
	h := newTest(t, fsys, Options{Queue: 1})
	var group sync.WaitGroup
	var busy, ok atomic.Int32
	for i := range 40 {
		group.Go(func() {
			switch got := get(h, fmt.Sprintf("/cat.png?width=%d", 100+i)); {
			case got.Code == 429 && got.Header().Get("Retry-After") != "":
				busy.Add(1)
			case got.Code == 200:
				ok.Add(1)
			default:
				t.Errorf("%d %s", got.Code, got.Body)
			}
		})
	}
	eventually(t, "most are refused", func() bool { return int(busy.Load()) == 40-h.flights.most })
	close(fsys.gate)
	group.Wait()
	if ok.Load() == 0 {
		t.Error("none is enlarged")
	}
	h.left(t)
}

// Results never have more bytes than allowed. Those that are sent stay until they are sent, and are counted.
func TestResultsAreBounded(t *testing.T) {
	fsys := photos(t)
	h := newTest(t, fsys, Options{Results: 2 * blockBytes})
	for i := range 60 {
		if got := get(h, fmt.Sprintf("/cat.png?format=bmp&width=%d", 200+i)); got.Code != 200 {
			t.Fatal(got.Code, got.Body)
		}
		if h.results.bytes > h.Results {
			t.Fatalf("%d bytes", h.results.bytes)
		}
	}
	h.left(t)
	if n := h.results.order.Len(); n < 2 || n == 60 {
		t.Errorf("%d are kept", n)
	}
	if first := h.results.order.Front().Value.(*result); first.blocks == nil || first.isKept == false {
		t.Error("the last is not kept")
	}
	// Results of random samples do not fit.
	noise := imagetest.Ramp(500, 500)
	for i := range noise.Pix {
		noise.Pix[i] = uint8(i * i >> 7 * i)
	}
	fsys["noise.png"] = &fstest.MapFile{Data: imagetest.PNG(t, noise), ModTime: someTime}
	got := get(h, "/noise.png?format=bmp")
	if got.Code != 413 || !strings.Contains(got.Body.String(), "its result has more than 0 MiB") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	h.left(t)
	// What is being sent takes the place of others.
	var held []*result
	for i := range 100 {
		r, err := h.result(t.Context(), must.Get(h.read(httptest.NewRequest("GET",
			fmt.Sprintf("/cat.png?format=bmp&width=%d", 220+i), nil)))(t))
		if err != nil {
			break
		}
		held = append(held, r)
	}
	if got := get(h, "/cat.png?scale=4"); got.Code != 429 || len(held) == 0 || len(held) > 20 {
		t.Errorf("%d %s, while %d are sent", got.Code, got.Body, len(held))
	}
	for _, r := range held {
		if data := must.Get(io.ReadAll(r.reader()))(t); int64(len(data)) != r.size || string(data[:2]) != "BM" {
			t.Errorf("%d bytes", len(data))
		}
		r.release()
	}
	if got := get(h, "/cat.png?scale=4"); got.Code != 200 {
		t.Errorf("%d %s afterwards", got.Code, got.Body)
	}
	h.left(t)
}

// A file that changes while it is read makes no result.
func TestChangedFile(t *testing.T) {
	fsys := photos(t)
	h := newTest(t, fsys, Options{})
	q := must.Get(h.read(httptest.NewRequest("GET", "/cat.png", nil)))(t)
	fsys["cat.png"].ModTime = time.Now()
	if _, err := h.result(t.Context(), q); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Error(err)
	}
	h.left(t)
	file := must.Get(fsys.Open("cat.png"))(t)
	if err := (&request{size: q.size, mtime: someTime}).check(file); err == nil {
		t.Error("the change is not seen")
	}
	if err := errors.Join(file.Close()); err != nil {
		t.Error(err)
	}
}

// A file that cannot be read at any place is read into memory.
func TestPlainFiles(t *testing.T) {
	fsys := photos(t)
	h := newTest(t, plain{fsys}, Options{})
	if a, b := get(h, "/cat.png"), get(newTest(t, fsys, Options{}), "/cat.png"); a.Code != 200 ||
		!bytes.Equal(a.Body.Bytes(), b.Body.Bytes()) {
		t.Error(a.Code, a.Body.Len(), b.Body.Len())
	}
	h.left(t)
}

type plain struct{ fs.FS }

func (p plain) Open(name string) (fs.File, error) {
	f, err := p.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return struct{ fs.File }{f}, nil
}
