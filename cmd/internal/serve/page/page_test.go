package page_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/serve/page"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres"
)

// Whatever the page names is there, and nothing in it is inline: the policy would keep it
// from running.
func TestFiles(t *testing.T) {
	index := must.Get(page.Files.ReadFile("index.html"))(t)
	for _, inline := range []string{"<style", " style=", " onclick=", "javascript:", "<script>", "http://",
		"https://"} {
		if strings.Contains(string(index), inline) {
			t.Errorf("index.html has %s", inline)
		}
	}
	for _, name := range []string{"page.css", "icon.svg", "main.js", "viewport.js", "bicubic.js"} {
		if data, err := page.Files.ReadFile(name); err != nil || len(data) == 0 ||
			!strings.Contains(string(index), `"`+name+`"`) {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	for _, name := range []string{"page.go", "../page/index.html", "none.js", ""} {
		if _, err := page.Files.ReadFile(name); err == nil {
			t.Errorf("%q is there", name)
		}
	}
}

// browser is a browser with the page.
type browser struct {
	*consoletest.Browser
	t *testing.T
}

// open opens the page of a double in a browser.
func open(t *testing.T, d *double) browser {
	t.Helper()
	b := browser{consoletest.OpenBrowser(t), t}
	b.Faults()
	b.Visit(d.page(), "document.body.dataset.ready")
	t.Cleanup(func() {
		if got := b.Eval("faults.join()"); got != "" {
			t.Errorf("faults of the page: %v", got)
		}
	})
	return b
}

// write writes pictures of a name and size each and returns their paths.
func write(t *testing.T, dir string, sizes map[string]image.Point) {
	t.Helper()
	for name, size := range sizes {
		path := filepath.Join(dir, name)
		must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o777))
		consoletest.WritePicture(t, path, consoletest.Blob(size.X, size.Y))
	}
}

// states are those of the pictures, in their order.
func (b browser) states() string {
	b.t.Helper()
	return fmt.Sprint(b.Eval("[...document.querySelectorAll('#list li')].map(li => li.className.split(' ')[0]).join()"))
}

// reach waits until the states of the pictures are some.
func (b browser) reach(states string) {
	b.t.Helper()
	for range 400 {
		if b.states() == states {
			b.Drawn()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	b.t.Fatalf("the pictures are %s, expected %s: %v", b.states(), states, b.Eval("document.body.innerText"))
}

// click clicks a button by its name for screen readers, or by its text.
func (b browser) click(name string) {
	b.t.Helper()
	const find = `(() => { const e = [...document.querySelectorAll("button")].find(e => e.checkVisibility() && (e.ariaLabel ?? e.textContent) === %s); e?.click(); return Boolean(e) })()`
	quoted, _ := json.Marshal(name)
	if b.Eval(fmt.Sprintf(find, quoted)) != true {
		b.t.Fatalf("no button %q: %v", name, b.Eval("document.body.innerText"))
	}
}

func (b browser) text(id string) string {
	b.t.Helper()
	return fmt.Sprint(b.Eval(fmt.Sprintf("document.getElementById(%q).textContent", id)))
}

// view is a number of what the view shows.
func (b browser) view(field string) any {
	b.t.Helper()
	return b.Eval("JSON.parse(canvas.dataset.state)." + field)
}

// pixel is the colour of the canvas at a share of its size.
func (b browser) pixel(x, y float64) string {
	b.t.Helper()
	return fmt.Sprint(b.Eval(fmt.Sprintf("[...canvas.getContext('2d').getImageData(Math.floor(canvas.width * %g), "+
		"Math.floor(canvas.height * %g), 1, 1).data].join()", x, y)))
}

func whole(q url.Values) bool { return !q.Has("region") && q.Get("model") == "" }

// Files and folders that are dropped are enlarged two at a time, with what was found about
// those that wait; one is cancelled, tried again and removed, and what is no picture says so.
func TestQueue(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	if got := b.Eval("[document.body.className, list.children.length, " +
		"document.querySelector('.large').innerText].join('|')"); got != "empty|0|Drop pictures or folders here "+
		"to enlarge them." {
		t.Errorf("at the start: %v", got)
	}
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"one.png": {20, 10}, "f/a2.png": {8, 9}, "f/a10.png": {9, 8},
		"f/sub/c.png": {7, 7}})
	consoletest.Put(t, filepath.Join(dir, "f", "notes.txt"), []byte("no picture"))
	consoletest.Put(t, filepath.Join(dir, "bad.png"), []byte("no picture"))
	release := d.close()
	b.Drag(300, 300, filepath.Join(dir, "one.png"), filepath.Join(dir, "f"), filepath.Join(dir, "bad.png"))
	b.reach("working,working,waiting,waiting,failed") // by v1/inspect
	b.Wait("document.querySelectorAll('#list li')[2].innerText.includes('9×8 → 18×16')")
	for _, want := range []string{"f/a10.png", "Noise and JPEG quality about 71: cleaned", "Waiting, place 1",
		"Failed: not an image; known: PNG JPEG",
		"50 %, about 7 s left"} {
		if !strings.Contains(b.text("listPart"), want) {
			t.Errorf("no %q in %s", want, b.text("listPart"))
		}
	}
	if got := b.text("facts"); got != "model photo-real at level 0.31; noise of 4.2 levels; JPEG compression of "+
		"quality 71" {
		t.Errorf("facts: %s", got)
	}
	if got := b.text("noticeText"); got != "1 file left out that is no picture by name." {
		t.Errorf("told: %s", got)
	}
	if got := b.text("status"); got != "5 pictures added. 1 file left out that is no picture by name." {
		t.Errorf("said: %s", got)
	}
	b.click("Cancel one.png")
	b.reach("cancelled,working,working,waiting,failed")
	b.click("Remove f/a2.png")
	b.reach("cancelled,working,working,failed")
	b.click("Undo")
	b.reach("cancelled,waiting,working,working,failed")
	b.click("Try again one.png")
	release()
	b.reach("done,done,done,done,failed")
	if got := b.text("totalText"); got != "4 of 5 done, 1 failed" {
		t.Errorf("total %q", got)
	}
	// A server with no room is asked again after the time it says.
	d.set(func() { d.busy = 1 })
	b.click("Try again bad.png") // refused for what it is, but asked
	b.Drag(300, 300, filepath.Join(dir, "one.png"))
	b.reach("done,done,done,done,failed,done")
	b.Eval(`(() => {
		const data = new DataTransfer(), canvas = document.createElement("canvas");
		return new Promise(done => canvas.toBlob(blob => {
			data.items.add(new File([blob], "pasted.png", { type: "image/png" }));
			dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, cancelable: true }));
			done();
		}));
	})()`)
	b.reach("done,done,done,done,failed,done,done")
	b.click("Remove pasted.png")
	b.click("Clear")
	b.reach("")
	b.click("Undo")
	b.reach("done,done,done,done,failed,done")
}

// The results are saved one by one and in a ZIP file, with their folders, and names that are
// there twice numbered.
func TestSave(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	dir, saved := t.TempDir(), t.TempDir()
	b.Downloads(saved)
	write(t, dir, map[string]image.Point{"ä.png": {20, 10}, "f/a.png": {8, 9}, "g/ä.png": {9, 8}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "ä.png"))
	b.Choose("document.getElementById('files')", filepath.Join(dir, "g", "ä.png"))
	b.Choose("document.getElementById('folder')", filepath.Join(dir, "f"))
	b.reach("done,done,done")
	b.click("Save f/a.png")
	one := consoletest.Await(t, filepath.Join(saved, "a_2x.png"))
	if got := golden.Open(t, one).Bounds().Size(); got != image.Pt(16, 18) {
		t.Errorf("saved %v", got)
	}
	b.click("Save all 3 as ZIP")
	archive := must.Get(zip.OpenReader(consoletest.Await(t, filepath.Join(saved, "superres.zip"))))(t)
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		names = append(names, f.Name)
		r := must.Get(f.Open())(t)
		img, _, err := image.Decode(r)
		if err != nil || r.Close() != nil { // with its checksum
			t.Errorf("%s: %v", f.Name, err)
		} else if img.Bounds().Dx() < 16 {
			t.Errorf("%s: %v", f.Name, img.Bounds())
		}
	}
	if got := strings.Join(names, ","); got != "ä_2x.png,ä_2x (2).png,f/a_2x.png" {
		t.Errorf("names %s", got)
	}
	// What begins far into an archive, and many files, are told in 64 bits.
	data := b.Eval(`import(new URL("zip.js", location)).then(async ({ zip }) => {
		const files = ["a", "b.x", "B.X"].map(name => ({ name, blob: new Blob([name, name]), time: new Date(2024, 1, 3) }));
		return [...new Uint8Array(await (await zip(files, 20, 3)).arrayBuffer())];
	})`).([]any)
	raw := make([]byte, len(data))
	for i, v := range data {
		raw[i] = byte(v.(float64))
	}
	large := must.Get(zip.NewReader(strings.NewReader(string(raw)), int64(len(raw))))(t)
	text := must.Get(large.Open("B (2).X"))(t)
	var got [6]byte
	if n, _ := text.Read(got[:]); string(got[:n]) != "B.XB.X" || len(large.File) != 3 ||
		large.File[0].Modified.Year() != 2024 {
		t.Errorf("%q of %d files", got, len(large.File))
	}
}

// Settings that change: the part that is seen is there before the whole, what was done with
// others is made again, and changing back needs nothing.
func TestSettings(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"large.png": {900, 700}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "large.png"))
	b.reach("done")
	b.Wait("JSON.parse(canvas.dataset.state).after === 'whole'")
	before := d.asked(whole)

	release := d.close()
	b.Eval("document.querySelector('[name=size][value=\"3\"]').click()")
	b.Wait("JSON.parse(canvas.dataset.state).after === 'preview'")
	part := d.asked(func(q url.Values) bool { return q.Get("scale") == "3" && q.Has("region") })
	if part == 0 || b.view("scene.w") != 2700. {
		t.Errorf("%d previews, scene %v", part, b.view("scene.w"))
	}
	b.Eval("document.querySelector('[name=size][value=\"2\"]').click()")
	b.reach("done")
	release()
	b.Eval("document.querySelector('[name=denoise][value=level]').click()")
	b.reach("waiting")
	b.reach("done")
	if got := d.asked(func(q url.Values) bool { return whole(q) && q.Get("denoise") == "0.3" }); got != 1 ||
		before != 1 {
		t.Errorf("%d and %d calls", before, got)
	}
	if got := b.text("chosenSettings"); got != "2×, best, noise 0.3" {
		t.Errorf("settings in short: %s", got)
	}
	// A model of the user has no smaller one, and nothing is said of noise.
	b.Eval("document.querySelector('[name=effort][value=fast]').click(); form.elements.model.value = 'mine'; " +
		"form.elements.model.dispatchEvent(new Event('input', { bubbles: true }))")
	b.reach("waiting")
	b.Wait("JSON.parse(canvas.dataset.state).after !== 'none'")
	if got := d.asked(func(q url.Values) bool {
		return q.Get("model") == "mine" && q.Get("effort") == "best" && !q.Has("denoise")
	}); got == 0 || b.text("chosenSettings") != "2×, mine, best" {
		t.Errorf("%d calls with a model of the user: %s", got, b.text("chosenSettings"))
	}
	b.Eval("form.elements.model.value = ''; form.elements.model.dispatchEvent(new Event('input', { bubbles: true }))")
	for _, c := range []struct{ field, value, says string }{
		{"effort", "fast", "quick, by a smaller model"}, {"effort", "max", "the finest, four times as long"},
		{"denoise", "0", "keeps them"}, {"denoise", "auto", "takes away what is found"},
	} {
		b.Eval(fmt.Sprintf("document.querySelector('[name=%s][value=\"%s\"]').click()", c.field, c.value))
		if got := b.Eval(fmt.Sprintf("form.elements.%s[0].closest('fieldset').innerText", c.field)); !strings.Contains(
			got.(string), c.says) {
			t.Errorf("%s %s is said to be for: %v", c.field, c.value, got)
		}
	}
	// A number that cannot be meant changes nothing.
	b.Eval("document.querySelector('[name=size][value=scale]').click(); form.elements.scale.value = '99'; " +
		"form.elements.scale.dispatchEvent(new Event('input', { bubbles: true }))")
	time.Sleep(500 * time.Millisecond)
	if got := d.asked(func(q url.Values) bool { return q.Get("scale") == "99" }); got != 0 {
		t.Errorf("%d calls with a scale of 99", got)
	}
	for _, c := range []struct{ size, field, value, want string }{
		{"scale", "scale", "99", "99 cannot be used: enter a number from 1 to 16"},
		{"scale", "scale", "", "Enter a number from 1 to 16"},
		{"scale", "scale", "1.25", ""},
		{"width", "pixels", "0", "0 cannot be used: enter a whole number from 1 to 100000"},
		{"fit", "pixels", "10.5", "10.5 cannot be used: enter a whole number from 1 to 100000"},
		{"2", "quality", "101", "101 cannot be used: enter a whole number from 1 to 100"},
	} {
		b.Eval(fmt.Sprintf("form.elements.size.value = %q; form.elements.%s.value = %q; "+
			"form.dispatchEvent(new Event('input'))", c.size, c.field, c.value))
		if strings.HasPrefix(b.text("chosenSettings"), "99") {
			t.Errorf("in short, settings that are not in force: %s", b.text("chosenSettings"))
		}
		if got := b.text(c.field + "Wrong"); got != c.want {
			t.Errorf("%s of %q: %q, expected %q", c.field, c.value, got, c.want)
		}
	}
}

// The view: the divider, zoom and moving by keys, mouse and fingers; before is what bicubic
// makes of the picture, after the result, a truth can be laid beside them.
func TestView(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	b.Window(1400, 900, false)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"p.png": {40, 30}, "truth.png": {80, 60}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "p.png"))
	b.reach("done")
	b.Wait("JSON.parse(canvas.dataset.state).after === 'whole'")
	b.Eval("canvas.focus()")
	if b.view("zoom") != 0. || b.view("scene.w") != 80. {
		t.Errorf("a small picture is shown at %v", b.Eval("canvas.dataset.state"))
	}
	b.Press("2")
	after := b.pixel(0.5, 0.5)
	b.Press("1")
	if before := b.pixel(0.5, 0.5); before == after { // it repeats pixels
		t.Errorf("before and after are %s", before)
	}
	b.Press(" ", "s", ",", "0", "+", "ArrowRight")
	if got := b.Eval("canvas.dataset.state"); !strings.HasPrefix(got.(string),
		`{"view":"slider","zoom":2,"x":72,"y":30,"split":0.48,`) {
		t.Errorf("after keys: %v", got)
	}
	at := b.Eval("(r => [r.left + r.width / 2, r.top + r.height / 2])(canvas.getBoundingClientRect())").([]any)
	x, y := at[0].(float64), at[1].(float64)
	b.Mouse("mouseWheel", x, y, -200)
	b.Drawn()
	if got := b.view("zoom"); got != 4. {
		t.Errorf("the wheel zooms to %v", got)
	}
	b.Mouse("mousePressed", x+200, y, 0)
	b.Mouse("mouseMoved", x+240, y, 0)
	b.Mouse("mouseReleased", x+240, y, 0)
	b.Drawn()
	if got := b.view("x").(float64); math.Abs(got-62) > 0.3 {
		t.Errorf("dragged to %v", got)
	}
	maps := func() int { return d.asked(func(v url.Values) bool { return v.Get("map") == "true" }) }
	b.Press("4")
	b.Wait("document.getElementById('left').textContent.startsWith('dark: sure')")
	if got := maps(); got != 1 {
		t.Errorf("a map is asked for %d times", got)
	}
	b.Press("s", "4", "s")
	b.Drawn()
	if got := maps(); got != 1 || b.view("view") != "slider" {
		t.Errorf("a map is asked for %d times: %v", got, b.Eval("canvas.dataset.state"))
	}
	b.Choose("document.getElementById('truthFile')", filepath.Join(dir, "truth.png"))
	b.Wait("!document.querySelector('[data-view=truth]').hidden")
	b.click("Truth")
	b.Drawn()
	if b.view("view") != "truth" {
		t.Errorf("the truth is not shown: %v", b.Eval("canvas.dataset.state"))
	}

	b.Window(400, 800, true)
	b.Eval("view.scrollIntoView()")
	b.Press("s", "f")
	at = b.Eval("(r => [r.left + r.width / 2, r.top + r.height / 2])(canvas.getBoundingClientRect())").([]any)
	x, y = at[0].(float64), at[1].(float64)
	zoom := b.view("shown").(float64)
	b.Touch("touchStart", [2]float64{x + 40, y - 100}, [2]float64{x + 40, y - 120})
	b.Touch("touchMove", [2]float64{x + 40, y - 90}, [2]float64{x + 40, y - 130})
	b.Touch("touchEnd")
	b.Drawn()
	if got := b.view("shown").(float64); got < 1.9*zoom || got > 2.1*zoom {
		t.Errorf("a pinch to twice the distance zooms from %g to %g", zoom, got)
	}
}

// A picture is first seen at two pixels of the screen for one of the result, on the part with the
// most detail, and a small or plain one whole or in its middle.
func TestOpening(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	b.Window(1400, 900, false)
	dir := t.TempDir()
	detailed, plain := image.NewGray(image.Rect(0, 0, 800, 600)), image.NewGray(image.Rect(0, 0, 800, 600))
	for i := range detailed.Pix {
		x, y := i%800, i/800
		if detailed.Pix[i] = uint8(60 + x/8); x == 200 || y == 450 { // a strong edge is no detail
			detailed.Pix[i] = 255
		}
		if 600 <= x && x < 700 && 100 <= y && y < 175 {
			detailed.Pix[i] = uint8((x*x + 3*y*y) % 251)
		}
	}
	consoletest.WritePicture(t, filepath.Join(dir, "detailed.png"), detailed)
	consoletest.WritePicture(t, filepath.Join(dir, "plain.png"), plain)
	write(t, dir, map[string]image.Point{"small.png": {40, 30}})
	var names []string
	for _, name := range []string{"detailed.png", "plain.png", "small.png"} {
		names = append(names, filepath.Join(dir, name))
	}
	b.Choose("document.getElementById('files')", names...)
	b.reach("done,done,done")
	b.Wait("JSON.parse(canvas.dataset.state).after === 'whole'")
	at := fmt.Sprint(b.view("zoom"), b.view("x"), b.view("y"))
	if x, y := b.view("x").(float64), b.view("y").(float64); b.view("zoom") != 2. || math.Abs(x-1300) > 100 ||
		math.Abs(y-275) > 100 {
		t.Errorf("seen at zoom, x, y %s, expected 2 and about 1300, 275", at)
	}
	b.Eval("document.querySelectorAll('.pick')[1].click()")
	b.Wait("canvas.ariaLabel.startsWith('plain.png') && JSON.parse(canvas.dataset.state).after === 'whole'")
	if b.view("zoom") != 2. {
		t.Errorf("a plain picture is seen at %v", b.view("zoom"))
	}
	b.Eval("document.querySelectorAll('.pick')[2].click()")
	b.Wait("canvas.ariaLabel.startsWith('small.png') && JSON.parse(canvas.dataset.state).after === 'whole'")
	if b.view("zoom") != 0. {
		t.Errorf("a small picture is seen at %v", b.view("zoom"))
	}
	b.Eval("document.querySelectorAll('.pick')[0].click()")
	b.Wait("canvas.ariaLabel.startsWith('detailed.png') && JSON.parse(canvas.dataset.state).after === 'whole'")
	if got := fmt.Sprint(b.view("zoom"), b.view("x"), b.view("y")); got != at {
		t.Errorf("seen at %s, and again at %s", at, got)
	}
}

// Settings are there again at the next visit, except those that cannot be; Defaults takes them back.
func TestRemembered(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	b.Eval("form.elements.size.value = 'width'; form.elements.pixels.value = '1234'; form.elements.effort.value = " +
		"'max'; form.elements.format.value = 'tiff'; form.dispatchEvent(new Event('input'))")
	const form = "[form.elements.size.value, form.elements.pixels.value, form.elements.effort.value, " +
		"form.elements.format.value].join()"
	b.Wait("localStorage.getItem('superres.settings')?.includes('1234')")
	visit := func(want string) {
		t.Helper()
		b.Visit(d.page(), "document.body.dataset.ready")
		if got := b.Eval(form); got != want {
			t.Errorf("the settings are %v, expected %s", got, want)
		}
	}
	visit("width,1234,max,tiff")
	if got := b.text("chosenSettings"); got != "1234 px wide, max, TIFF" {
		t.Errorf("settings in short: %s", got)
	}
	b.click("Defaults")
	b.Wait("localStorage.getItem('superres.settings')?.includes('\"size\":\"2\"')")
	visit("2,3840,best,")
	b.Eval(`localStorage.setItem("superres.settings", '{"size":"7","pixels":"0","effort":"fast","format":5,"more":1}')`)
	visit("2,3840,fast,")
	b.Eval(`localStorage.setItem("superres.settings", "{")`)
	visit("2,3840,best,")
}

// A server that is gone is waited for: nothing is lost, and the work goes on. One that was
// started again with another token says where to go. Two pages do not disturb each other.
func TestServerGone(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"a.png": {20, 10}, "b.png": {8, 9}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"))
	b.reach("done")

	other := browser{b.Tab(), t}
	other.Visit(d.page(), "document.body.dataset.ready")
	release := d.close()
	defer release()
	other.Choose("document.getElementById('files')", filepath.Join(dir, "b.png"))
	other.reach("working")
	b.Choose("document.getElementById('files')", filepath.Join(dir, "b.png"))
	b.reach("done,working")
	other.click("Cancel b.png")
	other.reach("cancelled")
	b.reach("done,working")

	address := d.address
	d.server.Close()
	b.reach("done,waiting")
	b.Wait("!trouble.hidden && trouble.textContent.startsWith('The server does not answer.')")
	if b.Eval("Boolean(document.querySelector('[aria-label=\"Save a.png\"]').checkVisibility())") != true {
		t.Error("what is done cannot be saved")
	}
	open := make(chan struct{})
	close(open)
	d.set(func() { d.gate = open })
	d.listen(address)
	b.reach("done,done")
	b.Wait("trouble.hidden")

	d.server.Close()
	d.set(func() { d.token = "other" })
	d.listen(address)
	b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"))
	b.Wait("trouble.textContent.includes('new address')")
	b.reach("done,done,waiting")
}

// The page works out the size of a result as the program does, also where a product of floating-point
// numbers would fall on the other side of a half.
func TestSizes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node here: the scripts of the page are not run")
	}
	script := must.Get(page.Files.ReadFile("sizes.js"))(t)
	asked := []string{"scale=2.3", "scale=1.005", "scale=1.15", "scale=2", "scale=15.7", "fit=700x700", "width=333"}
	shapes := []image.Point{{45, 30}, {100, 99}, {1, 1}, {33, 47}, {301, 300}, {333, 7}}
	var want strings.Builder
	for _, query := range asked {
		params, _ := url.ParseQuery(query)
		for _, p := range shapes {
			var opt superres.Options
			opt.Scale, _ = strconv.ParseFloat(params.Get("scale"), 64)
			opt.Width, _ = strconv.Atoi(params.Get("width"))
			if _, opt.Fit = params["fit"]; opt.Fit {
				opt.Width, opt.Height = 700, 700
			}
			w, h, err := new(superres.Model).ResultSize(p.X, p.Y, opt)
			if err != nil {
				w, h = 0, 0 // the page does not know what is refused
			}
			fmt.Fprintf(&want, "%d %d\n", w, h)
		}
	}
	calls, _ := json.Marshal(map[string]any{"asked": asked, "shapes": shapes})
	text := fmt.Sprintf("%s\nconst all = %s;\nfor (const a of all.asked) for (const s of all.shapes) { const r = "+
		"sizeOf(new URLSearchParams(a), s.X, s.Y); console.log(r.w, r.h); }", script, calls)
	cmd := exec.Command(node, "--input-type=module")
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	got, wants := strings.Split(string(out), "\n"), strings.Split(want.String(), "\n")
	if err != nil || len(got) != len(wants) {
		t.Fatalf("%v: %s", err, out)
	}
	for i := range got {
		if got[i] != wants[i] && wants[i] != "0 0" {
			t.Errorf("%s of %v: %s, expected %s", asked[i/len(shapes)], shapes[i%len(shapes)], got[i], wants[i])
		}
	}
}
