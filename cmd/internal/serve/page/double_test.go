package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"

	"superres/cmd/internal/serve/page"
	"superres/cmd/internal/upscale"
)

// A double answers the page as the server does, but repeats pixels, and does what a test
// wants it to.
type double struct {
	t       *testing.T
	address string
	server  *http.Server

	mu    sync.Mutex
	token string
	gate  chan struct{} // whole pictures wait until it is closed
	calls []url.Values  // of upscale
	busy  int           // how often it has no room
}

func newDouble(t *testing.T) *double {
	d := &double{t: t, token: "token", gate: make(chan struct{})}
	close(d.gate)
	d.listen("127.0.0.1:0")
	t.Cleanup(func() { d.server.Close() })
	return d
}

func (d *double) listen(address string) {
	d.t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		d.t.Fatal(err)
	}
	d.address, d.server = l.Addr().String(), &http.Server{Handler: d}
	go d.server.Serve(l)
}

// page is the address of the page.
func (d *double) page() string { return "http://" + d.address + "/" + d.token + "/" }

// set changes the double.
func (d *double) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// close keeps whole pictures back until the function that it returns is called.
func (d *double) close() (open func()) {
	gate := make(chan struct{})
	d.set(func() { d.gate = gate })
	return func() { close(gate) }
}

// asked are the calls of upscale that match.
func (d *double) asked(match func(url.Values) bool) (n int) {
	d.set(func() {
		for _, c := range d.calls {
			if match(c) {
				n++
			}
		}
	})
	return n
}

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src " +
	"'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	d.mu.Lock()
	token := d.token
	d.mu.Unlock()
	name, ok := strings.CutPrefix(r.URL.Path, "/"+token+"/")
	if !ok {
		refuse(w, http.StatusUnauthorized, "this address has an old token")
		return
	}
	switch name {
	case "v1/upscale":
		d.upscale(w, r)
	case "v1/inspect":
		if img, ok := decode(w, r.Body); ok {
			answer(w, map[string]any{"input_width": img.Bounds().Dx(), "input_height": img.Bounds().Dy(), "width": 1,
				"height": 1, "model": "photo-real", "level": 0.31, "noise": 4.2, "jpeg_quality": 71})
		}
	case "v1/events":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"event\":\"progress\",\"share\":0.5,\"seconds_left\":7}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		data, err := page.Files.ReadFile(name)
		if name == "" {
			name = "index.html"
			data, err = page.Files.Index(page.Settings{Options: upscale.Parameters().Describe(),
				Models: []string{"mine", "other"}, Compared: []string{"bicubic", "mine"}})
		}
		if err != nil {
			refuse(w, http.StatusNotFound, "there is nothing at this address")
			return
		}
		w.Header().Set("Content-Type", map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript",
			".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}[path.Ext(name)])
		_, _ = w.Write(data)
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	answer(w, map[string]any{"error": text, "exit": 4})
}

func answer(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

func decode(w http.ResponseWriter, body io.Reader) (image.Image, bool) {
	data, _ := io.ReadAll(body)
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		refuse(w, http.StatusUnprocessableEntity, "not an image; known: PNG JPEG")
		return nil, false
	}
	return img, true
}

func (d *double) upscale(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	whole := !q.Has("region") && q.Get("model") == ""
	var gate chan struct{}
	busy := false
	d.set(func() {
		d.calls = append(d.calls, q)
		if gate = d.gate; !whole {
			return
		}
		if busy = d.busy > 0; busy {
			d.busy--
		}
	})
	if busy {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusTooManyRequests, "the server is busy; come again in 1 s")
		return
	}
	img, ok := decode(w, r.Body)
	if !ok {
		return
	}
	if whole {
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	b := img.Bounds()
	if region := strings.Split(q.Get("region"), ","); len(region) == 4 {
		var v [4]int
		for i, text := range region {
			v[i], _ = strconv.Atoi(text)
		}
		b = image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3])
	}
	scale, err := strconv.Atoi(q.Get("scale"))
	if err != nil {
		scale = 2
	}
	large := image.NewNRGBA(image.Rect(0, 0, b.Dx()*scale, b.Dy()*scale))
	for y := range large.Rect.Dy() {
		for x := range large.Rect.Dx() {
			draw.Draw(large, image.Rect(x, y, x+1, y+1), img, image.Pt(b.Min.X+x/scale, b.Min.Y+y/scale), draw.Src)
		}
	}
	result := fmt.Sprintf(`{"event":"done","input_width":%d,"input_height":%d,"width":%d,"height":%d,"model":"photo","seconds":0.5}`, b.Dx(), b.Dy(), large.Rect.Dx(), large.Rect.Dy())
	stem := strings.TrimSuffix(q.Get("name"), path.Ext(q.Get("name")))
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Superres-Result", result)
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment",
		map[string]string{"filename": fmt.Sprintf("%s_%dx.png", stem, scale)}))
	_ = png.Encode(w, large)
}
