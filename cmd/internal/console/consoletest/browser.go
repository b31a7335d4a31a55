package consoletest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"superres/internal/must"
)

// Browser is a tab of a headless Chromium, driven by DevTools messages through pipes: JSON, each ended by a zero byte.
type Browser struct {
	t testing.TB
	*pipe
	session string // the protocol's name for this tab
}

// pipe is the connection to a browser; all tabs of the browser share it.
type pipe struct {
	in   *os.File
	out  *bufio.Reader
	id   int         // number of the latest call
	stop *time.Timer // kills the browser when no call has begun for as long as patience
}

const patience = 2 * time.Minute

// OpenBrowser starts Chromium with a blank page. It skips the test if SUPERRES_FULL is not set or there is no Chromium.
func OpenBrowser(t testing.TB) *Browser {
	t.Helper()
	NeedFull(t, "pages in a browser are slow")
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
	must.Succeed(t, err)
	out, theirOut, err := os.Pipe()
	must.Succeed(t, err)
	// Not t.TempDir, as a process of the browser may still write to the profile when the test ends.
	profile := must.Get(os.MkdirTemp("", "superres-browser-"))(t)
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		_ = os.RemoveAll(profile)
		t.Skipf("Chromium does not start: %v", err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &Browser{t: t, pipe: &pipe{in: in, out: bufio.NewReader(out)}}
	b.stop = time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		_, _ = in.WriteString(`{"id":0,"method":"Browser.close"}` + "\x00")
		_ = cmd.Wait()
		b.stop.Stop()
		in.Close()
		out.Close()
		_ = os.RemoveAll(profile)
	})
	if _, err := b.try("Browser.getVersion", nil); err != nil {
		t.Skipf("Chromium does not run here, perhaps for want of memory: %v", err)
	}
	b.attach()
	return b
}

// attach opens a new tab and makes b control it.
func (b *Browser) attach() {
	b.t.Helper()
	var target struct{ TargetID, SessionID string }
	// The tab is in a window of its own, since a hidden tab draws nothing.
	b.Call("Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true}, &target)
	b.Call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	b.Window(900, 700, false)
}

// Call calls a method of the DevTools protocol and stores the answer in result, if not nil. An error ends the test.
func (b *Browser) Call(method string, params map[string]any, result any) {
	b.t.Helper()
	answer, err := b.try(method, params)
	if errors.Is(err, errGone) {
		b.retryTest(err)
	}
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

var errGone = errors.New("the browser ended, or sent nothing for two minutes")

// retryTest ends a test whose browser ended with err, as happens on a busy machine. It runs the test once more, in a
// new process, and then ends the present test: as failed if the second run failed, too, else as skipped.
func (b *Browser) retryTest(err error) {
	b.t.Helper()
	const second = "SUPERRES_SECOND_BROWSER"
	if os.Getenv(second) != "" {
		b.t.Fatalf("%v, also when started once more", err)
	}
	root, _, _ := strings.Cut(b.t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run", "^"+root+"$")
	cmd.Env = append(os.Environ(), second+"=1")
	if out, failed := cmd.CombinedOutput(); failed != nil {
		b.t.Fatalf("%v; %s was started once more: %v\n%s", err, root, failed, out)
	}
	b.t.Skipf("%v; %s was started once more and passed", err, root)
}

// try is like Call, but returns the answer as JSON, or the error.
func (b *Browser) try(method string, params map[string]any) (json.RawMessage, error) {
	b.stop.Reset(patience) // kills the browser unless another call begins within patience
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
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	for {
		line, err := b.out.ReadBytes(0)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errGone, err)
		}
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(bytes.TrimRight(line, "\x00"), &answer); err != nil {
			return nil, err
		}
		switch {
		case answer.ID != b.id: // an event, or a late answer
		case answer.Error != nil:
			return nil, fmt.Errorf("%s", answer.Error)
		default:
			return answer.Result, nil
		}
	}
}

// Eval returns the value of a JavaScript expression in the page; for a promise, the value to which it resolves.
func (b *Browser) Eval(expression string) any {
	b.t.Helper()
	var got struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.Call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true},
		&got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	return got.Result.Value
}

// Press presses and releases the keys one after another, and waits until the page is drawn.
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

// Drawn waits until the page is drawn.
func (b *Browser) Drawn() {
	b.t.Helper()
	b.Eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
}

// Mouse sends a mouse event at the point x, y. kind is its type in the protocol, wheel how far it scrolls, in pixels.
func (b *Browser) Mouse(kind string, x, y, wheel float64) {
	b.t.Helper()
	b.Call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1,
		"clickCount": 1, "deltaX": 0, "deltaY": wheel}, nil)
}

// Window sets the size of the page to w×h pixels; phone says that the page sees a phone with a touch screen.
func (b *Browser) Window(w, h int, phone bool) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", map[string]any{"width": w, "height": h, "deviceScaleFactor": 1,
		"mobile": phone}, nil)
	b.Call("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": phone, "maxTouchPoints": 2}, nil)
}

// Touch sends a touch event. kind is the type of the event in the protocol; fingers are the points that fingers touch.
func (b *Browser) Touch(kind string, fingers ...[2]float64) {
	b.t.Helper()
	points := []map[string]any{}
	for i, at := range fingers {
		points = append(points, map[string]any{"x": at[0], "y": at[1], "id": i})
	}
	b.Call("Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points}, nil)
}

// Open opens the file at path, with hash after # in its address, and waits until the JavaScript expression ready is
// true and the page is drawn.
func (b *Browser) Open(path, hash, ready string) {
	b.t.Helper()
	b.Visit((&url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: hash}).String(), ready)
}

// Visit is like Open, but takes the address of the page.
func (b *Browser) Visit(address, ready string) {
	b.t.Helper()
	b.Call("Page.enable", nil, nil)
	b.Call("Page.navigate", map[string]any{"url": "about:blank"}, nil) // so that Wait does not see the page before
	b.Call("Page.navigate", map[string]any{"url": address}, nil)
	b.Wait("document.readyState === 'complete' && location.protocol !== 'about:' && (" + ready + ")")
}

// Faults makes pages opened later list errors, and violations of their security policy, in the JavaScript array faults.
func (b *Browser) Faults() {
	b.t.Helper()
	b.Call("Page.enable", nil, nil)
	b.Call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `globalThis.faults = [];
		addEventListener("error", e => faults.push(e.message ?? e.target.src));
		addEventListener("unhandledrejection", e => faults.push(String(e.reason)));
		document.addEventListener("securitypolicyviolation", e => faults.push(e.violatedDirective + " " + e.blockedURI));`}, nil)
}

// Wait waits until the JavaScript expression is true and the page is drawn. The test ends if that takes over 20 s.
func (b *Browser) Wait(expression string) {
	b.t.Helper()
	for range 400 {
		if b.Eval("Boolean("+expression+")") == true {
			b.Drawn()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("waited for %s: %v", expression, b.Eval("document.body.innerText"))
}

// Tab opens another, blank tab of the browser and returns it.
func (b *Browser) Tab() *Browser {
	b.t.Helper()
	tab := &Browser{t: b.t, pipe: b.pipe}
	tab.attach()
	return tab
}

// Choose gives the files at paths to a file input as a user would. element is a JavaScript expression for the input.
func (b *Browser) Choose(element string, paths ...string) {
	b.t.Helper()
	var found struct{ Result struct{ ObjectID string } }
	b.Call("Runtime.evaluate", map[string]any{"expression": element}, &found)
	b.Call("DOM.setFileInputFiles", map[string]any{"files": paths, "objectId": found.Result.ObjectID}, nil)
}

// Drag drags the files and folders at paths to the point x, y of the page and drops them there.
func (b *Browser) Drag(x, y float64, paths ...string) {
	b.t.Helper()
	for _, what := range []string{"dragEnter", "dragOver", "drop"} {
		b.Call("Input.dispatchDragEvent", map[string]any{"type": what, "x": x, "y": y,
			"data": map[string]any{"items": []any{}, "files": paths, "dragOperationsMask": 1}}, nil)
	}
}

// Downloads makes the browser save downloaded files to the folder dir.
func (b *Browser) Downloads(dir string) {
	b.t.Helper()
	all := &Browser{t: b.t, pipe: b.pipe}
	all.Call("Browser.setDownloadBehavior", map[string]any{"behavior": "allow", "downloadPath": dir}, nil)
}

// Await waits, for up to 10 seconds, until the file at path exists and is not empty, and returns path.
func Await(t *testing.T, path string) string {
	t.Helper()
	for range 200 {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return path
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("%s does not come", path)
	return ""
}
