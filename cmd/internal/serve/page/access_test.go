package page_test

import (
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"strings"
	"testing"
)

// audit returns what a page has wrong for those who use it by keyboard or screen reader:
// controls without a name or too small to hit, ids that are there twice, labels and
// descriptions that point nowhere, roles that do not exist, headings that leave a level out,
// text without enough contrast (WCAG 2.2: 4.5, and 3 for large text and edges of controls),
// and what is wider than the window.
const audit = `(coarse => {
	const found = [], all = [...document.querySelectorAll("body *")], seen = e => e.checkVisibility({ visibilityProperty: true });
	const what = e => e.tagName.toLowerCase() + (e.id && "#" + e.id) + (e.className && "." + e.className) + " " + (e.ariaLabel ?? e.textContent).trim().slice(0, 30);
	const rgb = text => { const c = document.createElement("canvas").getContext("2d", { willReadFrequently: true }); c.fillStyle = text; c.fillRect(0, 0, 1, 1); const d = c.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
	const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
	const ground = e => { const own = rgb(getComputedStyle(e).backgroundColor); return own[3] === 1 ? own : over(own, e.parentElement ? ground(e.parentElement) : [255, 255, 255, 1]); };
	const light = c => [0.2126, 0.7152, 0.0722].reduce((s, k, i) => { const v = c[i] / 255; return s + k * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
	const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
	const name = e => [e.ariaLabel, ...(e.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean).map(id => document.getElementById(id)?.textContent), ...[...e.labels ?? []].map(l => l.textContent), e.matches("button,summary,a,h1,h2") && e.textContent].filter(Boolean).join(" ").trim();
	const ids = all.map(e => e.id).filter(Boolean);
	for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push("id twice: " + id);
	for (const e of all) for (const a of ["aria-labelledby", "aria-describedby", "for"]) for (const id of (e.getAttribute(a) ?? "").split(" ").filter(Boolean)) if (!ids.includes(id)) found.push(a + " points nowhere: " + id);
	for (const e of document.querySelectorAll("[role]")) if (!["alert", "group", "img", "status"].includes(e.getAttribute("role"))) found.push("role " + e.getAttribute("role"));
	let level = 0;
	for (const e of document.querySelectorAll("h1,h2,h3,h4")) { if (+e.tagName[1] > level + 1) found.push("heading leaves a level out: " + what(e)); level = +e.tagName[1]; }
	for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) found.push("order of the keyboard is forced: " + what(e));
	for (const e of document.querySelectorAll("fieldset")) if (!e.querySelector("legend")?.textContent) found.push("group without a legend");
	for (const e of document.querySelectorAll("button,select,input,summary,progress,[role=img],[role=group],section")) {
		if (!seen(e)) continue;
		if (!name(e)) found.push("no name: " + what(e));
		const r = e.getBoundingClientRect(), least = coarse ? 44 : 24;
		if (e.matches("button,select,input,summary") && (r.width < least || r.height < least)) found.push("small, " + Math.round(r.width) + "×" + Math.round(r.height) + ": " + what(e));
		if (e.matches("button:not(.pick):not(:disabled),select,input[type=number]")) {
			const c = Math.max(contrast(rgb(getComputedStyle(e).borderTopColor), ground(e.parentElement)), contrast(ground(e), ground(e.parentElement)));
			if (c < 3) found.push("edge " + c.toFixed(1) + ": " + what(e));
		}
	}
	for (const e of all) {
		if (!seen(e) || e.matches("option,:disabled,:disabled *") || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), px = parseFloat(style.fontSize), large = px >= 24 || px >= 18.66 && style.fontWeight >= 700;
		const c = contrast(over(rgb(style.color), ground(e)), ground(e));
		if (c < (large ? 3 : 4.5)) found.push("contrast " + c.toFixed(2) + ": " + what(e));
		if (px < 12) found.push("small text " + px + ": " + what(e));
	}
	for (const e of all) { const r = e.getBoundingClientRect(); if (seen(e) && r.width && r.right > innerWidth + 1 && !e.closest(".quiet")) found.push("past the window, " + Math.round(r.right) + ": " + what(e)); }
	if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " wide");
	if (!document.documentElement.lang || !document.title) found.push("no language or title");
	return found;
})(%v)`

// Nothing of the audit is wrong, empty and with pictures in all states, light and dark, on
// a large screen and a phone.
func TestAccessibility(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	check := func(where string) {
		t.Helper()
		for _, scheme := range []string{"light", "dark"} {
			feature := map[string]any{"name": "prefers-color-scheme", "value": scheme}
			b.Call("Emulation.setEmulatedMedia", map[string]any{"features": []any{feature}}, nil)
			for _, width := range []int{1400, 400} {
				b.Window(width, 900, width == 400)
				b.Eval("folded.open = true")
				b.Drawn()
				for _, what := range b.Eval(fmt.Sprintf(audit, width == 400)).([]any) {
					t.Errorf("%s, %s, %d: %v", where, scheme, width, what)
				}
			}
		}
	}
	check("empty")
	dir := t.TempDir()
	long := strings.Repeat("a-very-long-name-", 8) + ".png"
	write(t, dir, map[string]image.Point{"a.png": {20, 10}, long: {8, 9}, "c.png": {30, 40}, "d.png": {300, 20}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"))
	b.reach("done")
	b.Choose("document.getElementById('truthFile')", filepath.Join(dir, "c.png"))
	b.Wait("!document.querySelector('[data-view=truth]').hidden")
	release := d.close()
	defer release()
	b.Choose("document.getElementById('files')", filepath.Join(dir, long), filepath.Join(dir, "c.png"),
		filepath.Join(dir, "d.png"))
	b.reach("done,working,working,waiting")
	b.click("Cancel c.png")
	b.reach("done,working,cancelled,working")
	d.server.Close()
	b.Wait("!trouble.hidden")
	check("with pictures")
	b.Eval("document.querySelector('[name=denoise][value=level]').click(), " +
		"document.querySelector('[name=size][value=scale]').click()")
	check("with more settings")
	b.Eval("drop.hidden = false")
	check("while something is dragged")
}

// tab goes on by the keyboard until what has the focus is some control, by its name.
func (b browser) tab(name string) {
	b.t.Helper()
	quoted, _ := json.Marshal(name)
	var been []any
	for range 60 {
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "Tab", "code": "Tab",
			"windowsVirtualKeyCode": 9}, nil)
		b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": "Tab", "code": "Tab",
			"windowsVirtualKeyCode": 9}, nil)
		at := b.Eval("(e => e.ariaLabel ?? (e.labels?.[0] ?? e).textContent.trim())(document.activeElement)")
		been = append(been, at)
		if b.Eval(fmt.Sprintf("%s.startsWith(%s)", mustJSON(at), quoted)) == true {
			if b.Eval("getComputedStyle(document.activeElement).outlineStyle !== 'none' || "+
				"document.activeElement.closest('.segments label') && "+
				"getComputedStyle(document.activeElement.closest('label')).outlineStyle !== 'none'") != true {
				b.t.Errorf("the focus on %s cannot be seen", name)
			}
			return
		}
	}
	b.t.Fatalf("the keyboard does not come to %q: %q", name, been)
}

func mustJSON(v any) string {
	data, _ := json.Marshal(v)
	return string(data)
}

// enter presses a key that browsers know by its code.
func (b browser) enter(key string, code int, text string) {
	b.t.Helper()
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "code": key,
		"windowsVirtualKeyCode": code, "text": text}, nil)
	b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key,
		"windowsVirtualKeyCode": code}, nil)
	b.Drawn()
}

// Everything but choosing a file, which is the browser's, is done by the keyboard alone, and
// the focus is never lost.
func TestKeyboard(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	b.Window(1400, 900, false)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"a.png": {20, 10}, "b.png": {8, 9}})
	b.tab("Add pictures")
	b.tab("Choose pictures")
	release := d.close()
	b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png"))
	b.reach("working,working")
	b.Wait("document.activeElement.textContent.startsWith('a.png')") // the button that had the focus is gone
	b.tab("2×")
	b.enter("ArrowRight", 39, "")
	b.Wait("chosenSettings.textContent.startsWith('3×')")
	b.reach("working,working")
	b.tab("a.png, left before: bicubic")
	b.Press("2")
	if b.view("view") != "after" {
		t.Errorf("the key 2 shows %v", b.view("view"))
	}
	b.Eval("document.getElementById('full').focus()")
	b.enter("Enter", 13, "\r")
	b.Wait("document.body.className.includes('full') && document.activeElement.textContent === 'Back'")
	b.Press("1")
	if b.view("view") != "before" {
		t.Errorf("the key 1 shows %v in full screen", b.view("view"))
	}
	b.Press("w")
	b.Wait("!document.body.className.includes('full') && document.activeElement.textContent === 'Full screen'")
	b.tab("Pause")
	b.enter(" ", 32, " ")
	b.Wait("pause.textContent === 'Go on'")
	b.enter(" ", 32, " ")
	b.Wait("pause.textContent === 'Pause'")
	b.tab("a.png")
	b.enter("ArrowDown", 40, "")
	b.tab("Cancel b.png")
	b.enter("Enter", 13, "\r")
	b.reach("working,cancelled")
	b.Wait("document.activeElement.ariaLabel === 'Try again b.png'")
	b.enter("Enter", 13, "\r")
	b.reach("working,working")
	release()
	b.reach("done,done")
	b.Wait("document.activeElement.ariaLabel === 'Save b.png'")
	b.tab("Remove b.png")
	b.enter("Enter", 13, "\r")
	b.reach("done")
	b.Wait("document.activeElement.textContent.startsWith('a.png')")
	if got := b.text("status"); got != "b.png is removed." {
		t.Errorf("said: %s", got)
	}
}
