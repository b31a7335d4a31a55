package scoring

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
)

// browser is a headless Chromium that is driven by the DevTools protocol over pipes:
// messages in JSON, each ended by a zero byte.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
}

// openBrowser starts Chromium with a blank page, or skips the test where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no pipes to a browser on Windows")
	}
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here: the page is not tried in a browser")
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Not the test's own folder: a process of the browser may still be writing to it.
	profile, err := os.MkdirTemp("", "superres-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(profile)
		t.Skipf("Chromium does not start: %v", err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{t: t, in: in, out: bufio.NewReader(out)}
	stop := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		_, _ = in.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = cmd.Wait()
		stop.Stop()
		in.Close()
		out.Close()
		_ = os.RemoveAll(profile)
	})
	if _, err := b.try("Browser.getVersion", nil); err != nil {
		t.Skipf("Chromium does not run here, perhaps for want of memory: %v", err)
	}
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	b.window(900, 700, false)
	return b
}

// call calls a method of the protocol.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	answer, err := b.try(method, params)
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// try is call without the end of the test.
func (b *browser) try(method string, params map[string]any) (json.RawMessage, error) {
	b.id++
	message := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		return nil, err
	}
	for {
		line, err := b.out.ReadBytes(0)
		if err != nil {
			return nil, fmt.Errorf("the browser is gone: %w", err)
		}
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(bytes.TrimRight(line, "\x00"), &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.ID != b.id: // an event
		case answer.Error != nil:
			return nil, fmt.Errorf("%s", answer.Error)
		default:
			return answer.Result, nil
		}
	}
}

// eval returns what an expression of JavaScript gives, a promise's value too.
func (b *browser) eval(expression string) any {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return got.Result.Value
}

// press presses keys one after the other and waits until all is drawn.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		press := map[string]any{"type": "keyDown", "key": key}
		if len(key) == 1 {
			press["text"] = key
		}
		b.call("Input.dispatchKeyEvent", press, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	}
	b.drawn()
}

func (b *browser) drawn() {
	b.t.Helper()
	b.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
}

// mouse moves, presses or releases the mouse, or turns its wheel.
func (b *browser) mouse(what string, x, y, wheel float64) {
	b.t.Helper()
	b.call("Input.dispatchMouseEvent", map[string]any{"type": what, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, "deltaX": 0, "deltaY": wheel}, nil)
}

// window sets the size of the window, and whether it is that of a phone.
func (b *browser) window(w, h int, phone bool) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": w, "height": h, "deviceScaleFactor": 1, "mobile": phone}, nil)
	b.call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": phone, "maxTouchPoints": 2}, nil)
}

// touch puts fingers on the page, moves them or, with none, lifts them.
func (b *browser) touch(what string, fingers ...[2]float64) {
	b.t.Helper()
	points := []map[string]any{}
	for i, at := range fingers {
		points = append(points, map[string]any{"x": at[0], "y": at[1], "id": i})
	}
	b.call("Input.dispatchTouchEvent", map[string]any{"type": what, "touchPoints": points}, nil)
}

// middle is where the canvas has its middle.
func (b *browser) middle() (x, y float64) {
	b.t.Helper()
	at, _ := b.eval("[canvas.getBoundingClientRect().left + canvas.clientWidth / 2, canvas.getBoundingClientRect().top + canvas.clientHeight / 2]").([]any)
	return at[0].(float64), at[1].(float64)
}

// number is a number of the state.
func (b *browser) number(name string) float64 {
	b.t.Helper()
	v, err := strconv.ParseFloat(fmt.Sprint(b.eval(fmt.Sprintf("new URLSearchParams(document.body.dataset.state).get(%q)", name))), 64)
	if err != nil {
		b.t.Fatalf("%s: %v", b.state(), err)
	}
	return v
}

// open opens a file at a state and waits until it is drawn.
func (b *browser) open(path, hash string) {
	b.t.Helper()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: hash}
	b.call("Page.enable", nil, nil)
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.call("Page.navigate", map[string]any{"url": address.String()}, nil)
	for range 100 {
		if b.eval("document.body && document.body.dataset.state || ''") != "" {
			b.drawn()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s does not get ready: %v", path, b.eval("document.body.innerText"))
}

// state is what the page says that it shows.
func (b *browser) state() string {
	b.t.Helper()
	return fmt.Sprint(b.eval("document.body.dataset.state"))
}

// pixel is the colour of the canvas dx, dy pixels of the screen from its middle.
func (b *browser) pixel(dx, dy int) string {
	b.t.Helper()
	return fmt.Sprint(b.eval(fmt.Sprintf("[...canvas.getContext('2d').getImageData(Math.floor(canvas.width / 2) + %d, Math.floor(canvas.height / 2) + %d, 1, 1).data].join()", dx, dy)))
}

// The page in a browser: keys, mouse and address do what they are for, and the canvas
// shows the right pixels.
func TestDiffInBrowser(t *testing.T) {
	dir := t.TempDir()
	ref := consoletest.Blob(40, 30)
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), ref)
	consoletest.WritePicture(t, filepath.Join(dir, "b.png"), shifted(ref, 3))
	consoletest.WritePicture(t, filepath.Join(dir, "low.png"), consoletest.Blob(20, 15))
	if _, stderr, code := call(t, dir, "", "diff", "a.png", "b.png", "low.png"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	b := openBrowser(t)
	page := filepath.Join(dir, "diff.html")

	// The colour of the pixel 20, 15 of blob, and what is made of it.
	b.open(page, "view=one&show=1&zoom=16&x=20.5&y=15.5")
	for _, c := range []struct{ key, colour string }{
		{"1", "180,105,44,255"}, {"2", "183,105,44,255"}, {" ", "180,105,44,255"}, {" ", "183,105,44,255"},
		{"d", "24,0,0,255"}, {"[", "12,0,0,255"}, {"]", "24,0,0,255"}, {"3", "90,49,70,255"},
	} {
		b.press(c.key)
		if got := b.pixel(0, 0); got != c.colour {
			t.Errorf("after %q the middle is %s, expected %s: %s", c.key, got, c.colour, b.state())
		}
	}
	// Sharp pixels: the whole of the low one, and its neighbour beyond.
	if a, c := b.pixel(20, 0), b.pixel(26, 0); a != "90,49,70,255" || c != "99,49,77,255" {
		t.Errorf("pixels at a zoom of 16: %s, %s", a, c)
	}
	// The two sides of the divider.
	b.press("s")
	if l, r := b.pixel(-6, 48), b.pixel(6, 48); l != "180,126,104,255" || r != "183,126,104,255" {
		t.Errorf("left %s, right %s: %s", l, r, b.state())
	}
	b.press("x", ",", "+", "ArrowRight")
	if got := b.state(); got != "view=slider&a=2&b=1&split=0.48&zoom=32&x=22.5&y=15.5" {
		t.Errorf("state %s", got)
	}
	b.press("f", "d")
	if got := b.state(); got != "view=diff&a=2&b=1&gain=8&zoom=fit" {
		t.Errorf("state %s", got)
	}

	// The mouse: the wheel zooms where it is, dragging moves, and moves the divider.
	b.open(page, "view=slider&zoom=2&x=20&y=15")
	x, y := b.middle()
	b.mouse("mouseWheel", x, y, -400)
	b.drawn()
	b.mouse("mousePressed", x+100, y, 0)
	b.mouse("mouseMoved", x+108, y+4, 0)
	b.mouse("mouseReleased", x+108, y+4, 0)
	b.drawn()
	if math.Abs(b.number("x")-18) > 0.2 || math.Abs(b.number("y")-14) > 0.2 || !strings.Contains(b.state(), "split=0.5&zoom=4&") {
		t.Errorf("after wheel and drag: %s", b.state())
	}
	b.mouse("mousePressed", x, y, 0)
	b.mouse("mouseMoved", 0, y, 0)
	b.mouse("mouseReleased", 0, y, 0)
	b.drawn()
	if got := b.state(); !strings.Contains(got, "split=0&zoom=4&") {
		t.Errorf("after dragging the divider: %s", got)
	}
	if got := b.eval("[...document.querySelectorAll('button,select,input')].filter(e => !(e.innerText || e.ariaLabel || e.labels?.length)).length"); got != 0. {
		t.Errorf("%v controls have no name", got)
	}
	if got := b.eval("performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length"); got != 0. {
		t.Errorf("%v things were fetched", got)
	}

	b.open(page, "view=nonsense&a=99&b=-1&zoom=1e9&x=NaN&gain=5")
	if got := b.state(); got != "view=slider&a=3&b=1&split=0.5&zoom=64&x=20&y=15" {
		t.Errorf("state of a senseless address: %s", got)
	}
}
