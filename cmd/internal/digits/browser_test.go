package digits

import (
	"fmt"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Two pictures of a report are laid over one another, with a divider that the mouse and the arrows move, or in turn;
// and nothing is wider than a phone.
func TestSheetPageInBrowser(t *testing.T) {
	b := consoletest.OpenBrowser(t)
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), idxImages(t, strokes(40, 12, 10)))
	program.Succeeds(t, dir, "mnist", "a-ubyte", "--sheet", "sheet.html", "--sheet-count", "3")
	b.Window(400, 800, false)
	b.Open(filepath.Join(dir, "sheet.html"), "", "document.querySelector('.stage')")
	expect := func(what, expression string, want any) {
		t.Helper()
		if got := b.Eval(expression); got != want {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	expect("wider than the window", "document.documentElement.scrollWidth > innerWidth", false)
	expect("outside", "performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length", 0.)
	const split, shown = "document.querySelector('.stage').style.getPropertyValue('--split')",
		"document.querySelector('.viewer [role=status]').textContent"
	expect("the divider", split, "50%")
	expect("A and B", "[...document.querySelectorAll('.stage img')].map(i => i.alt).join('|')",
		"image 0 by low|image 0 by result")

	place, _ := b.Eval("(s => { s.scrollIntoView(); const r = s.getBoundingClientRect(); return [r.left, r.top, " +
		"r.width] })(document.querySelector('.stage'))").([]any)
	left, top, width := place[0].(float64), place[1].(float64), place[2].(float64)
	b.Mouse("mousePressed", left+width/2, top+10, 0)
	b.Mouse("mouseMoved", left+width/4, top+10, 0)
	b.Mouse("mouseReleased", left+width/4, top+10, 0)
	expect("the divider after the mouse", split, "25%")

	b.Eval("document.querySelector('.viewer button').focus()")
	for _, want := range []string{"result", "low", "result"} {
		b.Press(" ")
		expect("in turn", shown, want)
	}
	b.Eval("document.querySelector('.viewer input').focus()")
	b.Press("ArrowRight")
	expect("the divider after an arrow", split+" + "+shown, "25.5%")
	b.Eval("(s => { s.value = 2; s.dispatchEvent(new Event('change')) })(document.querySelector('.viewer select'))")
	expect("another picture", "document.querySelector('.stage img').alt", "image 2 by low")

	for scheme, want := range map[string]string{"light": "rgb(34, 34, 34)", "dark": "rgb(230, 230, 230)"} {
		features := []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}
		b.Call("Emulation.setEmulatedMedia", map[string]any{"features": features}, nil)
		expect(fmt.Sprint("text on ", scheme), "getComputedStyle(document.body).color", want)
	}
}
