package serve

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/must"
)

// The page and the server together: what is added is enlarged, also what the browser does
// not read; the preview has the pixels of the whole; a truth is shown. What the page does without its server is
// tested beside it.
func TestPageInBrowser(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	server := startProcess(t, "--token", "the-first-of-tokens")
	b.Window(1400, 900, false)
	b.Faults()
	b.Visit(server.url, "document.body.dataset.ready")
	dir := t.TempDir()
	call := func(args ...string) {
		t.Helper()
		if _, stderr, code := program.Call(t, dir, "", append([]string{"upscale"}, args...)...); code != 0 {
			t.Fatal(stderr)
		}
	}
	for name, size := range map[string]int{"truth.png": 160, "small.png": 80, "large.png": 600} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(size, size*3/4))
	}
	call("-m", "nearest", "-s", "1", "-f", "tiff", "-o", "small.tiff", "small.png")
	call("-m", "nearest", "-s", "1", "--quality", "30", "-o", "small.jpg", "small.png")
	consoletest.Put(t, filepath.Join(dir, "bad.png"), []byte("no picture"))
	writePages(t, filepath.Join(dir, "pages.tif"))

	states := func(want string) {
		t.Helper()
		b.Wait(fmt.Sprintf("[...document.querySelectorAll('#list li')].map(li => li.className.split(' "+
			"')[0]).join() === %q", want))
	}
	add := func(names ...string) {
		t.Helper()
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		b.Choose("files", names...)
	}
	b.Eval("document.querySelector('[name=effort][value=fast]').click()")
	add("small.png", "small.jpg", "small.tiff", "bad.png")
	states("done,done,done,failed")
	for _, want := range []string{"80×60 → 160×120", "JPEG quality about ", ": cleaned", "not an image"} {
		if got := fmt.Sprint(b.Eval("list.innerText")); !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	b.Wait("JSON.parse(canvas.dataset.state).after === 'whole'")
	b.Choose("truthFile", filepath.Join(dir, "truth.png"))
	b.Wait("!document.querySelector('[data-view=truth]').hidden")
	b.Eval("document.querySelectorAll('.pick')[2].click()")
	b.Wait("canvas.ariaLabel.startsWith('small.tiff') && JSON.parse(canvas.dataset.state).after === 'whole'")

	// The pages of a TIFF, of which the last is as large as the first and has another colour.
	add("pages.tif")
	states("done,done,done,failed,done")
	b.Eval("document.querySelectorAll('.pick')[4].click()")
	colour := func(page, view string) string {
		t.Helper()
		b.Wait(fmt.Sprintf("canvas.ariaLabel.startsWith('pages.tif, page %s of 3') && "+
			"JSON.parse(canvas.dataset.state).after === 'whole'", page))
		b.Eval(fmt.Sprintf("document.querySelector('[data-view=%s]').click()", view))
		b.Drawn()
		return fmt.Sprint(b.Eval("[...canvas.getContext('2d').getImageData(canvas.width >> 1, canvas.height >> 1, 1, " +
			"1).data].map(v => Math.round(v / 255)).join() + ' ' + JSON.parse(canvas.dataset.state).scene.w"))
	}
	for i, want := range []string{"1,0,0,1 80", "0,1,0,1 40", "0,0,1,1 80", "1,0,0,1 80"} {
		for _, view := range []string{"before", "after"} {
			if got := colour(fmt.Sprint(i%3+1), view); got != want {
				t.Errorf("page %d, %s, is %s, expected %s", i+1, view, got, want)
			}
		}
		b.Eval("document.querySelector('[data-do=PageDown]').click()")
	}
	b.Eval("document.querySelector('[data-view=slider]').click()")
	b.Eval("document.querySelector('[aria-label=\"Remove pages.tif\"]').click()")

	add("large.png")
	states("done,done,done,failed,done")
	b.Eval("document.querySelectorAll('.pick')[4].click()")
	b.Wait("canvas.ariaLabel.startsWith('large.png') && JSON.parse(canvas.dataset.state).after === 'whole'")
	b.Eval("document.querySelector('[data-view=after]').click(), canvas.focus()")
	b.Press("+") // so that much less than all is seen
	// The preview comes first, by the hold of the queue, and is compared as soon as it is seen.
	b.Eval(`globalThis.shots = {};
		globalThis.looking = setInterval(() => {
			const { after, scene } = JSON.parse(canvas.dataset.state);
			if (after && scene.w === 900) shots[after] ??= canvas.toDataURL();
		}, 10);
		document.querySelector('[name=size][value=scale]').click()`)
	b.Wait("shots.preview && shots.whole")
	if b.Eval("clearInterval(looking), shots.preview === shots.whole") != true {
		t.Error("the preview has other pixels than the whole")
	}
	states("done,done,done,failed,done")

	if got := b.Eval("faults.join()"); got != "" {
		t.Errorf("faults of the page: %v", got)
	}
}

// writePages writes a TIFF of three pages, red, green and blue, of which the second is smaller.
func writePages(t *testing.T, path string) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	w := imagefile.NewPageWriter(f, 3)
	for i, width := range []int{40, 20, 40} {
		page := image.NewNRGBA(image.Rect(0, 0, width, 30))
		c := color.NRGBA{A: 255}
		*[]*uint8{&c.R, &c.G, &c.B}[i] = 255
		draw.Draw(page, page.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		must.Succeed(t, w.Put(page, imagefile.EncodeOptions{}))
	}
	must.Succeed(t, w.Close())
}
