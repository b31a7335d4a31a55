package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// startApp starts superres app with two pictures, a Chromium that fails, and a browser that only keeps the address it
// is to open. It returns that address and the bytes of the second picture.
func startApp(t *testing.T) (p *process, address string, picture []byte) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this system is found elsewhere")
	}
	dir, bin := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	program.RefusesLines(t, dir, "app", []consoletest.RefusedLine{{"", 2, "there is no xdg-open here"},
		{"none.png", 4, "none.png"}, {"--scale 17", 2, "1 to 16"}, {"tmp/..", 4, "tmp/.."}})
	for name, script := range map[string]string{"chromium": "echo no display for $1 >&2; exit 3",
		"xdg-open": "echo $1 >" + bin + "/opened"} {
		must.Succeed(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o777))
	}
	must.Succeed(t, os.Mkdir(filepath.Join(dir, "holiday"), 0o777))
	consoletest.WritePicture(t, filepath.Join(dir, "b.png"), consoletest.Blob(30, 20))
	consoletest.WritePicture(t, filepath.Join(dir, "holiday", "a.png"), consoletest.Blob(20, 30))
	p = startCommand(t, dir, "app", "--scale", "3", "b.png", "holiday/")
	opened := string(must.Get(os.ReadFile(consoletest.Await(t, filepath.Join(bin, "opened"))))(t))
	return p, strings.TrimSpace(opened), must.Get(os.ReadFile(filepath.Join(dir, "holiday", "a.png")))(t)
}

// get returns the body of an answer.
func get(t *testing.T, address string) (status int, body string) {
	t.Helper()
	answer := must.Get(http.Get(address))(t)
	defer answer.Body.Close()
	return answer.StatusCode, string(must.Get(io.ReadAll(answer.Body))(t))
}

// superres app opens a window with the pictures that it is given, or a browser, by an address that leads to the page
// once and does not have the token, and ends with its last page.
func TestApp(t *testing.T) {
	p, address, picture := startApp(t)
	token := strings.Split(p.url, "/")[3]
	if !strings.HasPrefix(address, strings.TrimSuffix(p.url, token+"/")) || strings.Contains(address, token) {
		t.Fatalf("%q is opened for %s", address, p.url)
	}
	_, index := get(t, address)
	if status, _ := get(t, address); status != http.StatusUnauthorized {
		t.Errorf("the address leads somewhere twice (%d)", status)
	}
	if want := `"window":true,"scale":3,"given":[{"name":"b.png","folder":""},{"name":"a.png","folder":"holiday/"}]}`; !strings.Contains(index, want) {
		t.Errorf("the page does not have %s", want)
	}
	if _, got := get(t, p.url+"v1/given?n=1"); !bytes.Equal([]byte(got), picture) {
		t.Errorf("the picture has %d bytes, expected %d", len(got), len(picture))
	}
	for _, n := range []string{"2", "-1", "", "../b.png"} {
		if status, body := get(t, p.url+"v1/given?n="+n); status != 422 {
			t.Errorf("n=%s: %d %s", n, status, body)
		}
	}
	openPage := func() (leave func()) {
		ctx, cancel := context.WithCancel(t.Context())
		r := must.Get(http.NewRequestWithContext(ctx, "GET", p.url+"v1/window", nil))(t)
		answer := must.Get(http.DefaultClient.Do(r))(t)
		return func() { cancel(); answer.Body.Close() }
	}
	first, second := openPage(), openPage()
	_, _ = get(t, p.url) // another is being loaded
	first()
	third := openPage()
	third()
	time.Sleep(returnTime + returnTime/4)
	if status, _ := get(t, p.url+"page.css"); status != 200 {
		t.Errorf("with a page open the server answers %d", status)
	}
	second()
	if err := p.Wait(); err != nil ||
		!strings.Contains(p.errs.String(), "chromium failed (exit status 3): no display for --app=http://127.0.0.1:") {
		t.Errorf("%v: %s", err, p.errs)
	}
	if status, _ := get(t, start(t, nil).url+"v1/window"); status != 404 {
		t.Errorf("superres serve has a window: %d", status)
	}
}

// In a browser the pictures are enlarged, by the scale that is given, and the program outlives a page that is loaded
// again, but not one that is left.
func TestAppInBrowser(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	p, address, _ := startApp(t)
	b.Faults()
	b.Visit(address, "document.body.dataset.ready")
	const done = "document.querySelectorAll('.done').length === 2 && list.innerText.includes('20×30 → 60×90')"
	b.Wait(done)
	b.Eval("globalThis.former = true, location.reload()")
	b.Wait("!globalThis.former && globalThis.list && " + done)
	if got := b.Eval("faults.join()"); got != "" {
		t.Errorf("faults of the page: %v", got)
	}
	b.Call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	if err := p.Wait(); err != nil {
		t.Errorf("%v: %s", err, p.errs)
	}
}
