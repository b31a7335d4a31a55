package page_test

import (
	"encoding/json"
	"fmt"
	"image"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/serve/page"
	"superres/internal/must"
)

// Each language has all texts of the page and no other, with the same values and keys in them.
func TestLanguages(t *testing.T) {
	var texts []string
	add := func(text string) {
		if regexp.MustCompile(`[A-Za-z]{2}`).MatchString(text) && !slices.Contains([]string{"superres", "bicubic"}, text) &&
			!slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	var tables []string
	script := string(must.Get(page.Files.ReadFile("language.js"))(t))
	for _, name := range page.Files.Names() {
		content := string(must.Get(page.Files.ReadFile(name))(t))
		switch {
		case name == "index.html":
			_, body, _ := strings.Cut(regexp.MustCompile(`<noscript>.*</noscript>`).ReplaceAllString(content, ""), "<body")
			for _, found := range regexp.MustCompile(`(?:title|aria-label)="([^"]+)"|>([^<]+)<`).FindAllStringSubmatch(body, -1) {
				add(strings.TrimSpace(found[1] + found[2]))
			}
		case strings.HasSuffix(name, ".json"):
			tables = append(tables, name)
			if language := strings.TrimSuffix(name, ".json"); !strings.Contains(script, `"`+language+`"`) {
				t.Errorf("language.js does not know %s", language)
			}
		default:
			for _, found := range regexp.MustCompile(`\bt\(("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(content, -1) {
				var text string
				must.Succeed(t, json.Unmarshal([]byte(found[1]), &text))
				add(text)
			}
		}
	}
	if len(texts) < 150 || !slices.Equal(tables, []string{"de.json", "es.json", "fr.json", "ja.json", "zh.json"}) {
		t.Errorf("%d texts in %q", len(texts), tables)
	}
	parts := func(text string) (list []string) {
		list = regexp.MustCompile(`\{\d\}|\[.+?\]`).FindAllString(text, -1)
		for i, part := range list {
			if len(part) > 3 { // the name of a key
				list[i] = "[key]"
			}
		}
		slices.Sort(list)
		return list
	}
	for _, name := range tables {
		table := map[string]string{}
		must.Succeed(t, json.Unmarshal(must.Get(page.Files.ReadFile(name))(t), &table))
		for _, text := range texts {
			own := table[text]
			if strings.TrimSpace(own) == "" || !slices.Equal(parts(own), parts(text)) {
				t.Errorf("%s: %q for %q", name, own, text)
			}
			delete(table, text)
		}
		for text := range table {
			t.Errorf("%s: %q is no text of the page", name, text)
		}
	}
}

// The page is in the language of the browser, and nothing of it is wrong for those who use a keyboard, or too wide.
func TestLanguageOfBrowser(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"a.png": {20, 10}})
	for language, want := range map[string]string{"de-AT": "Fertig in 0.5 s", "fr": "Terminé en 0.5 s",
		"es": "Hecho en 0.5 s", "zh-CN": "完成，用时 0.5 s", "ja": "完了、0.5 s", "fi,en": "Done in 0.5 s"} {
		b.Call("Emulation.setUserAgentOverride", map[string]any{"userAgent": "", "acceptLanguage": language}, nil)
		b.Visit(d.page(), "document.body.dataset.ready")
		b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"))
		b.reach("done")
		if got := b.text("listPart"); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in %s", language, want, got)
		}
		for _, width := range []int{1400, 400} {
			b.Window(width, 900, width == 400)
			b.Eval("folded.open = more.open = true")
			b.Drawn()
			for _, what := range b.Eval(fmt.Sprintf(audit, width == 400)).([]any) {
				t.Errorf("%s, %d: %v", language, width, what)
			}
		}
	}
}

// A picture is compared with what another model makes of it: of the part that is seen, at the size of the result.
func TestAgainst(t *testing.T) {
	d := newDouble(t)
	b := open(t, d)
	b.Window(1400, 900, false)
	dir := t.TempDir()
	write(t, dir, map[string]image.Point{"a.png": {400, 300}})
	b.Choose("document.getElementById('files')", filepath.Join(dir, "a.png"))
	b.reach("done")
	b.Eval("against.value = 'mine', against.dispatchEvent(new Event('input'))")
	b.Wait("canvas.ariaLabel === 'a.png, left mine, right after: photo'")
	if got := d.asked(func(q url.Values) bool {
		return q.Get("model") == "mine" && q.Has("region") && q.Get("scale") == "2" && q.Get("format") == "png"
	}); got != 1 {
		t.Errorf("%d calls of the other model", got)
	}
	b.Eval("document.querySelector('[name=size][value=\"3\"]').click()")
	b.Wait("JSON.parse(canvas.dataset.state).scene.w === 1200 && JSON.parse(canvas.dataset.state).against === 'mine'")
	b.Eval("against.value = '', against.dispatchEvent(new Event('input'))")
	b.Wait("canvas.ariaLabel.includes('left before: bicubic, right after')")
}
