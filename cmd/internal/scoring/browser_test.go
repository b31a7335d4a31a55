package scoring

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
)

// browser is a browser with the page of diff.
type browser struct {
	*consoletest.Browser
	t *testing.T
}

func openBrowser(t *testing.T) browser { return browser{consoletest.OpenBrowser(t), t} }

// open opens a page at a state and waits until it is drawn.
func (b browser) open(path, hash string) {
	b.t.Helper()
	b.Open(path, hash, "document.body.dataset.state")
}

// middle is where the canvas has its middle.
func (b browser) middle() (x, y float64) {
	b.t.Helper()
	at, _ := b.Eval("[canvas.getBoundingClientRect().left + canvas.clientWidth / 2, " +
		"canvas.getBoundingClientRect().top + canvas.clientHeight / 2]").([]any)
	return at[0].(float64), at[1].(float64)
}

// number is a number of the state.
func (b browser) number(name string) float64 {
	b.t.Helper()
	v, err := strconv.ParseFloat(fmt.Sprint(b.Eval(fmt.Sprintf("new "+
		"URLSearchParams(document.body.dataset.state).get(%q)", name))), 64)
	if err != nil {
		b.t.Fatalf("%s: %v", b.state(), err)
	}
	return v
}

// state returns the state of the page, as its address has it.
func (b browser) state() string {
	b.t.Helper()
	return fmt.Sprint(b.Eval("document.body.dataset.state"))
}

// pixel is the colour of the canvas dx, dy pixels of the screen from its middle.
func (b browser) pixel(dx, dy int) string {
	b.t.Helper()
	return fmt.Sprint(b.Eval(pixelAt(dx, dy)))
}

// pixelAt is the expression of pixel.
func pixelAt(dx, dy int) string {
	return fmt.Sprintf("[...canvas.getContext('2d').getImageData(Math.floor(canvas.width / 2) + %d, "+
		"Math.floor(canvas.height / 2) + %d, 1, 1).data].join()", dx, dy)
}

// The page in a browser: keys, mouse and address do what they are for, and the canvas shows the right pixels.
func TestDiffInBrowser(t *testing.T) {
	dir := t.TempDir()
	ref := consoletest.Blob(40, 30)
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), ref)
	consoletest.WritePicture(t, filepath.Join(dir, "b.png"), shifted(ref, 3))
	consoletest.WritePicture(t, filepath.Join(dir, "low.png"), consoletest.Blob(20, 15))
	program.Succeeds(t, dir, "diff", "a.png", "b.png", "low.png")
	b := openBrowser(t)
	page := filepath.Join(dir, "diff.html")

	// The colour of the pixel 20, 15 of blob, and what is made of it.
	b.open(page, "view=one&show=1&zoom=16&x=20.5&y=15.5")
	for _, c := range []struct{ key, colour string }{
		{"1", "180,105,44,255"}, {"2", "183,105,44,255"}, {" ", "180,105,44,255"}, {" ", "183,105,44,255"},
		{"d", "24,0,0,255"}, {"[", "12,0,0,255"}, {"]", "24,0,0,255"}, {"3", "90,49,70,255"},
	} {
		b.Press(c.key)
		if got := b.pixel(0, 0); got != c.colour {
			t.Errorf("after %q the middle is %s, expected %s: %s", c.key, got, c.colour, b.state())
		}
	}
	// Sharp pixels: the whole of the low one, and its neighbour beyond.
	if a, c := b.pixel(20, 0), b.pixel(26, 0); a != "90,49,70,255" || c != "99,49,77,255" {
		t.Errorf("pixels at a zoom of 16: %s, %s", a, c)
	}
	// The two sides of the divider.
	b.Press("s")
	if l, r := b.pixel(-6, 48), b.pixel(6, 48); l != "180,126,104,255" || r != "183,126,104,255" {
		t.Errorf("left %s, right %s: %s", l, r, b.state())
	}
	b.Press("x", ",", "+", "ArrowRight")
	if got := b.state(); got != "view=slider&a=2&b=1&split=0.48&zoom=32&x=22.5&y=15.5" {
		t.Errorf("state %s", got)
	}
	b.Press("f", "d")
	if got := b.state(); got != "view=diff&a=2&b=1&gain=8&zoom=fit" {
		t.Errorf("state %s", got)
	}

	// The mouse: the wheel zooms where it is, dragging moves, and moves the divider.
	b.open(page, "view=slider&zoom=2&x=20&y=15")
	x, y := b.middle()
	b.Mouse("mouseWheel", x, y, -400)
	b.Drawn()
	b.Mouse("mousePressed", x+100, y, 0)
	b.Mouse("mouseMoved", x+108, y+4, 0)
	b.Mouse("mouseReleased", x+108, y+4, 0)
	b.Drawn()
	if math.Abs(b.number("x")-18) > 0.2 || math.Abs(b.number("y")-14) > 0.2 ||
		!strings.Contains(b.state(), "split=0.5&zoom=4&") {
		t.Errorf("after wheel and drag: %s", b.state())
	}
	b.Mouse("mousePressed", x, y, 0)
	b.Mouse("mouseMoved", 0, y, 0)
	b.Mouse("mouseReleased", 0, y, 0)
	b.Drawn()
	if got := b.state(); !strings.Contains(got, "split=0&zoom=4&") {
		t.Errorf("after dragging the divider: %s", got)
	}
	if got := b.Eval("[...document.querySelectorAll('button,select,input')].filter(e => !(e.innerText || " +
		"e.ariaLabel || e.labels?.length)).length"); got != 0. {
		t.Errorf("%v controls have no name", got)
	}
	if got := b.Eval("performance.getEntriesByType('resource').filter(e => " +
		"!e.name.startsWith('data:')).length"); got != 0. {
		t.Errorf("%v things were fetched", got)
	}

	b.open(page, "view=nonsense&a=99&b=-1&zoom=1e9&x=NaN&gain=5")
	if got := b.state(); got != "view=slider&a=3&b=1&split=0.5&zoom=64&x=20&y=15" {
		t.Errorf("state of a senseless address: %s", got)
	}
}

// A large page in a browser: it opens pixel for pixel where the pictures differ most, has all pixels
// where it needs them, shows the small picture as bicubic makes it, saves what is seen and fills the screen.
func TestLargeDiffInBrowser(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	small := rough(1050, 600)
	consoletest.WritePicture(t, filepath.Join(dir, "small.png"), small)
	program.Succeeds(t, dir, "upscale", "-m", "bicubic", "small.png", "-o", "bicubic.png")
	bicubic := golden.Open(t, filepath.Join(dir, "bicubic.png")).(*image.RGBA)
	large := image.NewRGBA(bicubic.Rect)
	copy(large.Pix, bicubic.Pix)
	for y := 800; y < 900; y++ {
		for x := 1800; x < 1900; x++ {
			large.Pix[large.PixOffset(x, y)] ^= 0x80
		}
	}
	consoletest.WritePicture(t, filepath.Join(dir, "large.png"), large)
	program.Succeeds(t, dir, "diff", "small.png", "large.png")
	page := filepath.Join(dir, "diff.html")
	colour := func(m image.Image, x, y int) string {
		c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
		return fmt.Sprintf("%d,%d,%d,%d", c.R, c.G, c.B, c.A)
	}

	b.open(page, "")
	x, y := int(b.number("x")), int(b.number("y"))
	if !image.Pt(x, y).In(image.Rect(1500, 600, 2100, 1100)) || b.number("zoom") != 1 {
		t.Errorf("opens at %s", b.state())
	}
	b.open(page, fmt.Sprintf("view=one&show=2&x=%d.5&y=%d.5", x, y)) // at the middle of a pixel
	if got, want := b.pixel(0, 0), colour(large, x, y); got != want {
		t.Errorf("the middle is %s, expected %s", got, want)
	}

	// Far from there the page has to read the folder.
	b.open(page, "view=one&show=2&zoom=1&x=300.5&y=300.5")
	b.Wait(fmt.Sprintf("%s === %q", pixelAt(10, 20), colour(large, 310, 320)))
	// Small pictures in squares, then bicubic, to a level of rounding.
	b.Press("1")
	if got, want := b.pixel(11, 20), colour(small, 155, 160); got != want {
		t.Errorf("in squares %s, expected %s", got, want)
	}
	b.Press("b")
	for _, at := range []image.Point{{0, 0}, {11, 20}, {-30, 7}, {-80, -90}} {
		var got [4]int
		must.Get(fmt.Sscanf(b.pixel(at.X, at.Y), "%d,%d,%d,%d", &got[0], &got[1], &got[2], &got[3]))(t)
		pix := bicubic.Pix[bicubic.PixOffset(300+at.X, 300+at.Y):]
		for c, v := range got {
			if diff := v - int(pix[c]); diff > 1 || diff < -1 {
				t.Errorf("bicubic at %v is %v, expected %v", at, got, pix[:4])
			}
		}
	}
	b.Press("d")
	if got := b.pixel(0, 0); !strings.HasSuffix(got, "255") || len(got) > len("16,16,16,255") {
		t.Errorf("bicubic differs from bicubic by %s", got)
	}
	// What is seen is saved, with all the pixels of the screen.
	b.Press("2")
	b.Eval("URL.createObjectURL = blob => { window.savedBlob = blob; return 'blob:0' }; " +
		"HTMLAnchorElement.prototype.click = function () { window.saved = this }; 0")
	b.Press("e")
	data := fmt.Sprint(b.Eval(`(async () => {
		while (!window.saved) await new Promise(done => setTimeout(done, 20));
		const blob = await window.savedBlob;
		const head = new Uint8Array(await blob.slice(0, 64).arrayBuffer());
		return saved.download + " " + btoa(String.fromCharCode(...head));
	})()`))
	name, head, _ := strings.Cut(data, " ")
	raw := must.Get(base64.StdEncoding.DecodeString(head))(t)
	cfg, err := png.DecodeConfig(bytes.NewReader(raw))
	if name != "diff-301-301.png" || err != nil || cfg.Width != 900 {
		t.Errorf("saved %s, %v, %v", name, cfg, err)
	}
	b.Press("w")
	if got := b.Eval("canvas.clientHeight === innerHeight && " +
		"getComputedStyle(document.querySelector('header')).display"); got != "none" {
		t.Errorf("full screen: %v", got)
	}
	b.Press("w")
	if got := b.Eval("getComputedStyle(document.querySelector('header')).display"); got == "none" {
		t.Error("there is no way back from full screen")
	}
}

// On a phone the toolbar has one row that fits, nothing else is wider than the screen, and two fingers zoom where
// they are.
func TestDiffOnPhone(t *testing.T) {
	b := openBrowser(t)
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(1000, 1000))
	consoletest.WritePicture(t, filepath.Join(dir, "a-long-name-of-an-enlarged-picture.png"),
		consoletest.Blob(500, 500))
	program.Succeeds(t, dir, "diff", "a.png", "a-long-name-of-an-enlarged-picture.png")
	b.Window(400, 800, true)
	b.open(filepath.Join(dir, "diff.html"), "view=one&show=1&zoom=1&x=500&y=500")
	if got := b.Eval("[...document.querySelectorAll('header button')].filter(e => e.offsetParent).map(e => " +
		"e.getBoundingClientRect()).every(r => r.top < 45 && r.bottom < 50 && r.right <= 400)"); got != true {
		t.Error("the toolbar has more than one row, or does not fit")
	}
	if got := b.Eval("document.documentElement.scrollWidth"); got != 400. {
		t.Errorf("the page is %v pixels wide", got)
	}
	x, y := b.middle()
	b.Touch("touchStart", [2]float64{x - 50, y + 100}, [2]float64{x + 50, y + 100})
	for i := range 10 {
		apart := 50 + 5*float64(i+1)
		b.Touch("touchMove", [2]float64{x - apart, y + 100}, [2]float64{x + apart, y + 100})
	}
	b.Touch("touchEnd")
	b.Drawn()
	// What was 100 below the middle still is, at twice the size.
	if z, x, y := b.number("zoom"), b.number("x"), b.number("y"); z < 1.99 || z > 2.01 || x < 499 || x > 501 ||
		y < 549 || y > 551 {
		t.Errorf("after a pinch: %s", b.state())
	}
	b.Touch("touchStart", [2]float64{x, y})
	b.Touch("touchMove", [2]float64{x - 40, y - 20})
	b.Touch("touchEnd")
	b.Drawn()
	if x, y := b.number("x"), b.number("y"); x < 519 || x > 521 || y < 559 || y > 561 {
		t.Errorf("after a finger moved: %s", b.state())
	}
}
