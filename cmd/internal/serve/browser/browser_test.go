//go:build !js

package main

import (
	"bytes"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/upscale"
	"superres/internal/golden"
	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

var program = consoletest.Of(upscale.Command)

// The page of static files makes the bytes of the command, refuses a file that is no picture, and loads
// nothing from elsewhere.
func TestPageWithoutServer(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go on the path, to build superres.wasm")
	}
	folder, dir := t.TempDir(), t.TempDir()
	must.Succeed(t, write(folder))
	host := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer host.Close()

	consoletest.WritePicture(t, filepath.Join(dir, "blob.png"), consoletest.Blob(90, 70))
	photo := golden.Open(t, "../../../../testdata/hopper.png")
	consoletest.Put(t, filepath.Join(dir, "photo.jpg"), imagetest.JPEG(t, photo, 40))
	program.Succeeds(t, dir, "upscale", "-m", "nearest", "-s", "1", "-f", "tiff", "-o", "page.tiff", "blob.png")
	consoletest.Put(t, filepath.Join(dir, "bad.png"), []byte("no picture"))

	b.Window(1400, 900, false)
	b.Faults()
	b.Visit(host.URL, "document.body.dataset.ready")
	b.Eval("document.querySelector('[name=effort][value=fast]').click()")
	var paths []string
	names := []string{"blob.png", "photo.jpg", "page.tiff"}
	for _, name := range append(names, "bad.png") {
		paths = append(paths, filepath.Join(dir, name))
	}
	b.Choose("files", paths...)
	b.Wait("[...document.querySelectorAll('#list li')].map(li => li.className.split(' ')[0]).join() === " +
		"'done,done,done,failed'")
	b.Wait("JSON.parse(canvas.dataset.state).after === 'whole'")
	if got := fmt.Sprint(b.Eval("list.innerText")); !strings.Contains(got, "not an image") {
		t.Errorf("no reason in %s", got)
	}
	if got := b.Eval("about.textContent"); got != "enlarges pictures in this browser; they go nowhere else" {
		t.Errorf("about: %v", got)
	}
	saved := t.TempDir()
	b.Downloads(saved)
	for _, name := range names {
		b.Eval(fmt.Sprintf("document.querySelector('[aria-label=\"Save %s\"]').click()", name))
		ext := filepath.Ext(name)
		result := strings.TrimSuffix(name, ext) + "_2x" + ext
		program.Succeeds(t, dir, "upscale", "--effort", "fast", name)
		same(t, consoletest.Await(t, filepath.Join(saved, result)), filepath.Join(dir, result))
	}

	// An animation goes through a temporary file, which is in memory there.
	frame := imagetest.Indexed(40, 30)
	consoletest.Put(t, filepath.Join(dir, "moves.gif"), imagetest.GIF(t, frame, frame))
	b.Eval("document.getElementById('clear').click()")
	b.Choose("files", filepath.Join(dir, "moves.gif"))
	b.Wait("[...document.querySelectorAll('#list li')].map(li => li.className.split(' ')[0]).join() === 'done'")
	b.Eval("document.querySelector('[aria-label=\"Save moves.gif\"]').click()")
	program.Succeeds(t, dir, "upscale", "--effort", "fast", "moves.gif")
	same(t, consoletest.Await(t, filepath.Join(saved, "moves_2x.gif")), filepath.Join(dir, "moves_2x.gif"))

	// What takes too much is refused, and the next picture is made.
	consoletest.Put(t, filepath.Join(dir, "huge.png"), imagetest.PNG(t, image.NewGray(image.Rect(0, 0, 8000, 8000))))
	b.Choose("files", filepath.Join(dir, "huge.png"), filepath.Join(dir, "blob.png"))
	b.Wait("[...document.querySelectorAll('#list li')].map(li => li.className.split(' ')[0]).join() === " +
		"'done,failed,done'")
	const advice = "the program superres, which may take more"
	if got := fmt.Sprint(b.Eval("list.innerText")); !strings.Contains(got, advice) {
		t.Errorf("no advice in %s", got)
	}
	if got := b.Eval("faults.join()"); got != "" {
		t.Errorf("faults of the page: %v", got)
	}
}

// same fails the test unless two files are equal.
func same(t *testing.T, got, want string) {
	t.Helper()
	a, b := must.Get(os.ReadFile(got))(t), must.Get(os.ReadFile(want))(t)
	if !bytes.Equal(a, b) {
		t.Errorf("%s has %d bytes that are not the %d of the command", filepath.Base(got), len(a), len(b))
	}
}
