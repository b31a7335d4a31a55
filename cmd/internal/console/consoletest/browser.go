package consoletest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// Browser is a headless Chromium that is driven by the DevTools protocol over pipes:
// messages in JSON, each ended by a zero byte.
type Browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
}

// OpenBrowser starts Chromium with a blank page, or skips the test where there is none.
func OpenBrowser(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: pages in a browser are slow")
	}
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
	b := &Browser{t: t, in: in, out: bufio.NewReader(out)}
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
	b.Call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	b.Window(900, 700, false)
	return b
}

// Call calls a method of the protocol.
func (b *Browser) Call(method string, params map[string]any, result any) {
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
func (b *Browser) try(method string, params map[string]any) (json.RawMessage, error) {
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

// Eval returns what an expression of JavaScript gives, a promise's value too.
func (b *Browser) Eval(expression string) any {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return got.Result.Value
}

// Press presses keys one after the other and waits until all is drawn.
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		press := map[string]any{"type": "keyDown", "key": key}
		if len(key) == 1 {
			press["text"] = key
		}
		b.Call("Input.dispatchKeyEvent", press, nil)
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	}
	b.Drawn()
}

// Drawn waits until all is drawn.
func (b *Browser) Drawn() {
	b.t.Helper()
	b.Eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
}

// Mouse moves, presses or releases the mouse, or turns its wheel.
func (b *Browser) Mouse(what string, x, y, wheel float64) {
	b.t.Helper()
	b.Call("Input.dispatchMouseEvent", map[string]any{"type": what, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1, "deltaX": 0, "deltaY": wheel}, nil)
}

// Window sets the size of the window, and whether it is that of a phone.
func (b *Browser) Window(w, h int, phone bool) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": w, "height": h, "deviceScaleFactor": 1, "mobile": phone}, nil)
	b.Call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": phone, "maxTouchPoints": 2}, nil)
}

// Touch puts fingers on the page, moves them or, with none, lifts them.
func (b *Browser) Touch(what string, fingers ...[2]float64) {
	b.t.Helper()
	points := []map[string]any{}
	for i, at := range fingers {
		points = append(points, map[string]any{"x": at[0], "y": at[1], "id": i})
	}
	b.Call("Input.dispatchTouchEvent", map[string]any{"type": what, "touchPoints": points}, nil)
}

// Open opens a file, with what is behind the # of its address, and waits until an expression
// is true and all is drawn.
func (b *Browser) Open(path, hash, ready string) {
	b.t.Helper()
	address := url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: hash}
	b.Call("Page.enable", nil, nil)
	b.Call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.Call("Page.navigate", map[string]any{"url": address.String()}, nil)
	for range 100 {
		if b.Eval("document.readyState === 'complete' && location.protocol === 'file:' && Boolean("+ready+")") == true {
			b.Drawn()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("%s does not get ready: %v", path, b.Eval("document.body.innerText"))
}
