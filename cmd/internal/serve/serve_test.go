package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/serve/page"
	"superres/cmd/internal/upscale"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/settings"
	embedded "superres/superres/models"
)

// program runs superres serve, and superres upscale, which makes the same files.
var program = consoletest.Of(Command, App, upscale.Command)

func TestMain(m *testing.M) {
	os.Setenv("SUPERRES_PANIC", "fatal")
	if IsWorker() {
		debug.SetGCPercent(30) // as the program does
		os.Exit(Work())
	}
	program.Main(m)
}

// tested is a running server with its test.
type tested struct {
	*site
	t       *testing.T
	url     string // with the token
	bare    string // without
	stop    func() // ends the server and waits for its end
	folder  string // its folder for temporary files
	stopped chan error
	lines   *lines
}

// lines collects lines of a log. It is safe for concurrent use.
type lines struct {
	mu   sync.Mutex
	list []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, line)
}

// all returns the lines so far.
func (l *lines) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// start starts a server with the default options, changed by change.
func start(t *testing.T, change func(*options)) *tested {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	opt := options{address: "127.0.0.1:0", loopback: true, token: "0123456789abcdef", queue: 8,
		limits: console.Limits{Memory: 2 << 30, Pixels: 50e6}, decode: 30 * time.Second, patience: usual}
	if change != nil {
		change(&opt)
	}
	l := must.Get(listen(t.Context(), opt))(t)
	log := &lines{}
	s := newSite(opt, l.Addr(), log.add)
	ctx, cancel := context.WithCancel(context.Background())
	out := &tested{site: s, t: t, lines: log, url: s.address(), folder: folder, stopped: make(chan error, 1)}
	out.bare = "http://" + l.Addr().String() + "/"
	go func() { out.stopped <- s.serve(ctx, l) }()
	out.stop = func() {
		cancel()
		if err := <-out.stopped; err != nil {
			t.Error(err)
		}
		out.stopped <- nil
	}
	t.Cleanup(out.stop)
	return out
}

// answer is the answer to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request, which change may change, and returns the answer.
func (s *tested) do(method, url string, body io.Reader, change func(*http.Request)) answer {
	s.t.Helper()
	r := must.Get(http.NewRequestWithContext(s.t.Context(), method, url, body))(s.t)
	if change != nil {
		change(r)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got := must.Get(client.Do(r))(s.t)
	defer got.Body.Close()
	return answer{got.StatusCode, got.Header, must.Get(io.ReadAll(got.Body))(s.t)}
}

// failed checks that the answer is an error with status, exit code exit and text in its message.
func (a answer) failed(t *testing.T, what string, status, exit int, text string) {
	t.Helper()
	var f failure
	if err := json.Unmarshal(a.body, &f); err != nil || a.status != status || f.Exit != exit ||
		!strings.Contains(f.Error, text) {
		t.Errorf("%s: %d %s (%v), expected %d, exit %d and %q", what, a.status, a.body, err, status, exit, text)
	}
}

// left checks that nothing is left of past requests: no file, no slot and no watch.
func (s *tested) left() {
	s.t.Helper()
	if files := consoletest.Tree(s.t, s.folder); len(files) > 0 {
		s.t.Errorf("files are left: %v", files)
	}
	var waiting, working, watches int
	for range 500 {
		waiting, working = s.scheduler.Pictures()
		s.watches.mu.Lock()
		watches = len(s.watches.all)
		s.watches.mu.Unlock()
		if len(s.places)+waiting+working+watches == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Errorf("%d places, %d waiting, %d working, %d watches are left", len(s.places), waiting, working, watches)
}

func hopper(t *testing.T) []byte { return consoletest.Read(t, golden.Root(t), "testdata/hopper.png") }

// encoded returns a picture of w×h as PNG.
func encoded(t *testing.T, w, h int) []byte {
	path := filepath.Join(t.TempDir(), "a.png")
	consoletest.WritePicture(t, path, consoletest.Blob(w, h))
	return consoletest.Read(t, path)
}

// The server returns the same bytes and the same event as the command.
func TestUpscale(t *testing.T) {
	s, dir, photo := start(t, nil), t.TempDir(), hopper(t)
	consoletest.Put(t, filepath.Join(dir, "hé.png"), photo)
	for _, method := range []string{"PUT", "POST"} {
		got := s.do(method, s.url+"v1/upscale?scale=3&format=jpeg&quality=80&name=h%C3%A9.png", bytes.NewReader(photo),
			nil)
		if _, stderr, code := program.Call(t, dir, "", "upscale", "hé.png", "-s", "3", "-f", "jpeg", "--quality", "80",
			"-o", "out.jpg", "--on-exist", "overwrite"); code != 0 {
			t.Fatal(stderr)
		}
		if !bytes.Equal(got.body, consoletest.Read(t, dir, "out.jpg")) {
			t.Errorf("%s: %d, %d bytes that are not those of the command", method, got.status, len(got.body))
		}
		var event struct {
			Event, Input, Output, Model string
			Width                       int
		}
		if err := json.Unmarshal([]byte(got.header.Get("Superres-Result")), &event); err != nil ||
			event.Event != "done" || event.Width != 384 || event.Model != "photo" || event.Input != "hé.png" ||
			event.Output != "hé_3x.jpg" {
			t.Errorf("%s: %+v (%v)", method, event, err)
		}
		if h := got.header; h.Get("Content-Type") != "image/jpeg" ||
			h.Get("Content-Disposition") != "attachment; filename*=utf-8''h%C3%A9_3x.jpg" ||
			h.Get("Content-Length") != fmt.Sprint(len(got.body)) {
			t.Errorf("%s: %v", method, h)
		}
	}
	s.left()
}

// With map a request has the map of the command, and that of a region is a part of it.
func TestMapOfUpscale(t *testing.T) {
	s, dir, photo := start(t, nil), t.TempDir(), hopper(t)
	consoletest.Put(t, filepath.Join(dir, "a.png"), photo)
	program.Succeeds(t, dir, "upscale", "a.png", "-q", "-m", "photo", "--map", "m.png")
	whole := s.do("PUT", s.url+"v1/upscale?model=photo&map=true", bytes.NewReader(photo), nil)
	if !bytes.Equal(whole.body, consoletest.Read(t, dir, "m.png")) {
		t.Errorf("%d, %d bytes that are not those of the command", whole.status, len(whole.body))
	}
	got := s.do("PUT", s.url+"v1/upscale?model=photo&map=true&region=40,30,20,10", bytes.NewReader(photo), nil)
	part, err := png.Decode(bytes.NewReader(got.body))
	if err != nil || part.Bounds().Size() != image.Pt(40, 20) {
		t.Fatalf("%d: %v", got.status, err)
	}
	all := must.Get(png.Decode(bytes.NewReader(whole.body)))(t)
	for y := range 20 {
		for x := range 40 {
			if part.At(x, y) != all.At(80+x, 60+y) {
				t.Fatalf("(%d, %d) of a region is %v, expected %v", x, y, part.At(x, y), all.At(80+x, 60+y))
			}
		}
	}
}

// A model of the user is offered, and makes the same bytes as the command, also after its file has changed. Requests
// name no other file.
func TestUpscaleByUsersModel(t *testing.T) {
	dir, photo := t.TempDir(), hopper(t)
	t.Setenv("SUPERRES_MODELS", dir)
	consoletest.Put(t, filepath.Join(dir, "a.png"), photo)
	s := start(t, nil)
	s.do("PUT", s.url+"v1/upscale?model=mine", bytes.NewReader(photo), nil).failed(t, "none", 400, 6, "unknown model")
	for _, from := range []string{"photo-fast", "coupled"} {
		var file bytes.Buffer
		must.Succeed(t, must.Get(embedded.Open(from))(t).Save(&file))
		consoletest.Put(t, filepath.Join(dir, "mine.npz"), file.Bytes())
		program.Succeeds(t, dir, "upscale", "-m", "mine", "a.png", "-o", "out.png", "--on-exist", "overwrite")
		for range 2 {
			got := s.do("PUT", s.url+"v1/upscale?model=mine&name=a.png", bytes.NewReader(photo), nil)
			if !bytes.Equal(got.body, consoletest.Read(t, dir, "out.png")) {
				t.Errorf("%s: %d, not the bytes of the command: %.300s", from, got.status, got.body)
			}
		}
	}
	if options := s.do("GET", s.url+"v1/options", nil, nil); !strings.Contains(string(options.body), `"mine"`) {
		t.Error("the model is not offered")
	}
	if page := s.do("GET", s.url, nil, nil); !strings.Contains(string(page.body), `"models":["mine"]`) {
		t.Error("the page does not offer the model")
	}
	consoletest.Put(t, filepath.Join(dir, "mine.npz"), []byte("damaged"))
	s.do("PUT", s.url+"v1/upscale?model=mine", bytes.NewReader(photo), nil).failed(t, "damaged", 400, 6, "model mine: ")
	s.left()
}

// The server returns the same plan as the command with --dry-run, without enlarging.
func TestInspect(t *testing.T) {
	s := start(t, nil)
	got := s.do("POST", s.url+"v1/inspect?fit=300x200", bytes.NewReader(hopper(t)), nil)
	var event struct {
		Event, Model  string
		Width, Height int
		InputWidth    int `json:"input_width"`
		Memory        int64
		Noise         float64
	}
	if err := json.Unmarshal(got.body, &event); err != nil || got.status != 200 || event.Event != "plan" ||
		event.Width != 200 || event.Height != 200 || event.InputWidth != 128 || event.Memory < 1<<20 ||
		event.Model != "photo" || event.Noise != 0 {
		t.Errorf("%d %s (%v)", got.status, got.body, err)
	}
	s.left()
}

// events reads all events of id.
func (s *tested) events(id string) <-chan []string {
	r := must.Get(http.NewRequestWithContext(s.t.Context(), "GET", s.url+"v1/events?id="+id, nil))(s.t)
	got := must.Get(http.DefaultClient.Do(r))(s.t)
	out := make(chan []string, 1)
	go func() {
		defer got.Body.Close()
		text, _ := io.ReadAll(got.Body)
		var lines []string
		for line := range strings.SplitSeq(string(text), "\n") {
			if event, is := strings.CutPrefix(line, "data: "); is {
				lines = append(lines, event)
			}
		}
		out <- lines
	}()
	return out
}

// v1/events reports the progress of a picture until its end.
func TestEvents(t *testing.T) {
	s := start(t, nil)
	good, bad := s.events("good"), s.events("bad")
	if got := s.do("POST", s.url+"v1/upscale?id=good", bytes.NewReader(encoded(t, 600, 400)), nil); got.status != 200 {
		t.Fatalf("%s", got.body)
	}
	s.do("POST", s.url+"v1/upscale?id=bad&scale=3", strings.NewReader("no picture"), nil).failed(t, "bad", 422, 4,
		"not an image")
	list := <-good
	if n := len(list); n < 2 || !strings.Contains(list[0], `{"event":"progress","share":`) ||
		!strings.Contains(list[n-1], `"event":"done"`) || !strings.Contains(list[n-1], `"width":1200`) {
		t.Errorf("%q", list)
	}
	if list := <-bad; len(list) != 1 || !strings.Contains(list[0],
		`{"event":"failed","error":"picture: not an image`) || !strings.Contains(list[0], `"exit":4}`) {
		t.Errorf("%q", list)
	}
	s.do("GET", s.url+"v1/events", nil, nil).failed(t, "no id", 400, 2, "no id")
	s.do("GET", s.url+"v1/events?id="+strings.Repeat("x", 100), nil, nil).failed(t, "long id", 400, 2, "longer than 64")
	s.left()
}

// v1/options lists the parameters of v1/upscale, with the help texts of the command.
func TestOptions(t *testing.T) {
	s := start(t, nil)
	var got []settings.Description
	must.Succeed(t, json.Unmarshal(s.do("GET", s.url+"v1/options", nil, nil).body, &got))
	want, err := json.Marshal(upscale.Parameters().Describe())
	if again, _ := json.Marshal(got); err != nil || !bytes.Equal(again, want) {
		t.Errorf("%s, expected %s (%v)", again, want, err)
	}
	for _, private := range []string{"output", "resume", "max-memory", "jobs", "timeout", "coder"} {
		if slices.Contains(names(got), private) {
			t.Errorf("a request may have --%s", private)
		}
	}
	s.do("POST", s.url+"v1/options", nil, nil).failed(t, "POST", 405, 2, "not for this address")
}

// The page contains its settings, and its policy lets the browser run nothing else.
func TestPage(t *testing.T) {
	s := start(t, nil)
	got := s.do("GET", s.url, nil, nil)
	_, rest, _ := strings.Cut(string(got.body), `id="settings">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var at page.Settings
	if err := json.Unmarshal([]byte(text), &at); err != nil || at.Version != console.Version ||
		!slices.Equal(names(at.Options), upscale.Parameters().Names()) || at.MaxMemory != 2<<30 {
		t.Errorf("%d %q (%v)", got.status, text, err)
	}
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
			"connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin",
		"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8",
	} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %q", name, got.header.Get(name))
		}
	}
	if got := s.do("GET", strings.TrimSuffix(s.url, "/"), nil, nil); got.status != 308 ||
		got.header.Get("Location") != "/"+s.token+"/" {
		t.Errorf("without a slash: %d %v", got.status, got.header)
	}
	s.do("POST", s.url, nil, nil).failed(t, "method", 405, 2, "use GET or HEAD")
}

// Invalid parameters and pictures are refused with the messages of the command.
func TestRefusals(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		query, body  string
		status, exit int
		want         string
	}{
		{"upscale?scale=99", "", 400, 2, "scale 99: expected 1 to 16"},
		{"upscale?scale=2&scale=3", "", 400, 2, "scale is given 2 times"},
		{"upscale?scale=2&width=30", "", 400, 2, "scale and width: expected one of them"},
		{"upscale?scal=3", "", 400, 2, `unknown parameter "scal"; did you mean "scale"?`},
		{"upscale?quality=x", "", 400, 2, `quality "x": expected a whole number`},
		{"upscale?%zz", "", 400, 2, "cannot be read"},
		{"upscale?output=/tmp/x", "", 400, 2, `unknown parameter "output"`},
		{"upscale?coder=exec:touch", "", 400, 2, `unknown parameter "coder"`},
		{"upscale?resume=true", "", 400, 2, `unknown parameter "resume"`},
		{"upscale?jobs=9", "", 400, 2, `unknown parameter "jobs"`},
		{"upscale?model=../model.npz", "", 400, 6, `unknown model "../model.npz"`},
		{"upscale?model=photo.npz", "", 400, 6, `unknown model "photo.npz"`},
		{"upscale?model=photos", "", 400, 6, `did you mean "photo"?`},
		{"upscale?map=perhaps", "", 400, 2, "expected true or false"},
		{"upscale?region=1,2,3", "", 400, 2, "expected X,Y,W,H"},
		{"upscale?region=100,100,29,29", string(hopper(t)), 400, 2, "not within the picture of 128×128"},
		{"upscale?width=20", string(hopper(t)), 400, 2, "nothing is made smaller"},
		{"upscale?depth=16&format=bmp", string(hopper(t)), 400, 2, "8 bits a sample"},
		{"upscale", "", 422, 4, "is empty"},
		{"upscale?name=film.mp4", "\x00\x00\x00\x18ftypmp42....", 422, 4, "film.mp4: is a video; in a terminal"},
		{"upscale?name=../a%2Fb.txt", "plain text", 422, 4, "b.txt: not an image"},
		{"upscale", string(hopper(t)[:3000]), 422, 4, "PNG"},
		{"upscale?scale=16", string(encoded(t, 1600, 1200)), 413, 7, "more than 400 megapixels"},
		{"inspect?scale=0", "", 400, 2, "scale 0"},
		{"elsewhere", "", 404, 2, "no such call"},
	} {
		s.do("POST", s.url+"v1/"+c.query, strings.NewReader(c.body), nil).failed(t, c.query, c.status, c.exit, c.want)
	}
	s.do("GET", s.url+"v1/upscale", nil, nil).failed(t, "GET", 405, 2, "use POST or PUT")
	s.left()
}

// Requests without the token or from other sites are refused at every address.
func TestGate(t *testing.T) {
	s, open := start(t, nil), start(t, func(o *options) { o.token = "" })
	host := strings.TrimSuffix(strings.TrimPrefix(s.bare, "http://"), "/")
	const events = "v1/events"
	for _, c := range []struct {
		url    string
		status int
		header string // "Name: value"; empty: none
	}{
		{s.url, 200, ""}, {s.bare, 401, ""}, {s.bare + "0123456789abcdeF/", 401, ""},
		{s.bare + "0123456789abcde/", 401, ""}, {s.bare + "v1/events?id=a", 401, ""},
		{s.bare, 401, "Authorization: Bearer " + s.token}, {s.bare + events, 400, "Authorization: Bearer " + s.token},
		{s.bare + events, 401, "Authorization: Bearer x"},
		{s.url, 403, "Host: evil.example"}, {s.url, 403, "Host: evil.example:80"}, {s.url, 403, "Host: 10.0.0.1"},
		{s.url, 403, "Host: 127.0.0.1.evil.example"}, {s.url, 200, "Host: localhost:1234"},
		{s.url, 200, "Host: LOCALHOST"}, {s.url, 200, "Host: [::1]:99"},
		{s.url, 200, "Origin: http://" + host}, {s.url, 403, "Origin: http://evil.example"},
		{s.url, 403, "Origin: null"}, {s.url, 403, "Origin: https://" + host},
		{s.url, 403, "Sec-Fetch-Site: cross-site"}, {s.url + events, 403, "Sec-Fetch-Site: same-site"},
		{s.url + events, 400, "Sec-Fetch-Site: same-origin"},
		{s.url + "page.go", 404, ""}, {s.url + "..%2f..%2fetc/passwd", 404, ""}, {s.url + "../../etc/passwd", 404, ""},
		{s.url + "/etc/passwd", 404, ""}, {s.url + "%00", 404, ""}, {s.url + ".", 404, ""},
		{s.url + "index.html/", 404, ""},
		{open.url, 200, ""}, {open.url + events, 400, ""}, {open.url + events, 403, "Sec-Fetch-Site: cross-site"},
		{open.url, 403, "Host: evil.example"},
	} {
		name, value, _ := strings.Cut(c.header, ": ")
		got := s.do("GET", c.url, nil, func(r *http.Request) {
			if name == "Host" {
				r.Host = value
			} else if name != "" {
				r.Header.Set(name, value)
			}
		})
		if got.status != c.status || got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s, %s: %d %s, expected %d", c.url, c.header, got.status, got.body, c.status)
		}
	}
	// A page of another site that is opened from a link is not harmed by its origin.
	if got := s.do("GET", s.url, nil, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
	}); got.status != 200 {
		t.Errorf("a link: %d", got.status)
	}
	wide := &site{options: options{loopback: false}, host: "nas"}
	for host, want := range map[string]bool{"nas:80": true, "192.168.1.5": true, "evil.example": false, "": false} {
		if wide.isOurs(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

// Invalid flags are reported before anything is opened.
func TestErrors(t *testing.T) {
	taken := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer taken.Close()
	program.RefusesLines(t, t.TempDir(), "serve", []consoletest.RefusedLine{
		{"--listen x", 2, "expected HOST:PORT"},
		{"--listen 0.0.0.0:0 --token none", 2, "which others can reach"},
		{"--token short", 2, "16 to 128"},
		{"--queue -1", 2, "expected 0 or more"},
		{"--timeout 0s", 2, "more than no time"},
		{"--max-memory 0", 2, "--max-memory 0"},
		{"a.png", 2, "takes no argument"},
		{"--listen " + taken.Addr().String(), 5, "address already in use; use another --listen"},
	})
}

// A panic in the server fails only one request, and its message asks for a report.
func TestFault(t *testing.T) {
	t.Setenv("SUPERRES_PANIC", "")
	s := start(t, nil)
	working := s.service
	s.service = nil
	s.do("POST", s.url+"v1/upscale", bytes.NewReader(hopper(t)), nil).failed(t, "a fault", 500, 1, "please report it")
	s.service = working
	if log := s.lines.all(); len(log) != 1 || !strings.Contains(log[0], "nil pointer") {
		t.Errorf("the log has %q", log)
	}
	s.works()
}
