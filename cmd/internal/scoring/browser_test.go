package scoring

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
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
	return fmt.Sprint(b.Eval(fmt.Sprintf("[...canvas.getContext('2d').getImageData(Math.floor(canvas.width / 2) + "+
		"%d, Math.floor(canvas.height / 2) + %d, 1, 1).data].join()", dx, dy)))
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
