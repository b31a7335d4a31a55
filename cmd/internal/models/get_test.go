package models

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"superres/internal/must"
)

// shop is a server on loopback with the two files of a network, and a catalogue of them.
type shop struct {
	*httptest.Server
	cut     int      // bytes of an answer after which it breaks off; 0: it does not
	whole   bool     // parts of a file are not served
	asked   []string // path and range of each request
	content map[string][]byte
}

// openShop starts a shop and has it be the catalogue of the program.
func openShop(t *testing.T) *shop {
	s := &shop{content: map[string][]byte{"/a.param": []byte("7767517\n"),
		"/a.bin": []byte(strings.Repeat("weights", 9))}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked = append(s.asked, r.URL.Path+" "+r.Header.Get("Range"))
		if s.whole {
			r.Header.Del("Range")
		}
		out := httptest.NewRecorder()
		http.ServeContent(out, r, "", must.Get(os.Stat("."))(t).ModTime(),
			strings.NewReader(string(s.content[r.URL.Path])))
		for name, values := range out.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(out.Code)
		body := out.Body.Bytes()
		if s.cut > 0 && s.cut < len(body) && r.URL.Path != "/catalogue.json" {
			body = body[:s.cut]
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	param, bin := s.content["/a.param"], s.content["/a.bin"]
	files := []listedFile{{URL: "a.param", Size: int64(len(param)), SHA256: fmt.Sprintf("%x", sha256.Sum256(param))},
		{URL: s.URL + "/a.bin", Size: int64(len(bin)), SHA256: fmt.Sprintf("%x", sha256.Sum256(bin))}}
	s.content["/catalogue.json"] = must.Get(json.Marshal([]listed{
		{Name: "free", Scale: 2, For: "tests", Author: "somebody", Terms: "MIT", Files: files},
		{Name: "narrow", Scale: 2, For: "tests", Author: "somebody", Terms: "CC BY-NC 4.0", NonCommercial: true,
			Files: files}}))(t)
	t.Setenv(catalogueVariable, s.URL+"/catalogue.json")
	t.Setenv("NO_PROXY", "127.0.0.1")
	return s
}

// A network is fetched whole, or in three goes that are cut, and kept under its name with its terms. Nothing is kept of
// a file with another sum, and nothing is fetched before terms are accepted.
func TestGet(t *testing.T) {
	dir := standIn(t)
	s := openShop(t)
	get := func(code int, want string, args ...string) {
		t.Helper()
		program.Ends(t, dir, code, want, append([]string{"models", "get"}, args...)...)
	}
	list, _ := program.Succeeds(t, dir, "models")
	if strings.Contains(list, "free") || len(s.asked) > 0 {
		t.Errorf("the catalogue was fetched for %s: %q", list, s.asked)
	}
	get(0, "free   ×2, tests; MIT, by somebody, 0.0 MB\nnarrow ×2")
	get(2, `unknown network "fee"; did you mean "free"?`, "fee")
	s.asked = nil
	get(2, "narrow: its terms, CC BY-NC 4.0, forbid commercial use; to accept them, give --accept-terms", "free",
		"narrow")
	if len(s.asked) != 1 {
		t.Errorf("fetched before terms were accepted: %q", s.asked)
	}
	get(0, "free: by somebody, whose terms are MIT", "free")
	get(0, "free: is there already", "free")
	program.Ends(t, dir, 0, "terms        MIT", "models", "free")

	program.Succeeds(t, dir, "models", "remove", "free")
	for _, whole := range []bool{false, true} { // a server that serves parts, and one that does not
		s.cut, s.whole = 25, whole
		get(4, "a.bin: unexpected EOF; 25 of 63 bytes are there, and the same command fetches the rest", "narrow",
			"--accept-terms")
		if s.asked = nil; !whole {
			get(4, "50 of 63 bytes are there", "narrow", "--accept-terms")
		}
		s.cut = 0
		get(0, "narrow: ×2", "narrow", "--accept-terms")
		if last := s.asked[len(s.asked)-1]; last != "/a.bin bytes=50-" && last != "/a.bin bytes=25-" {
			t.Errorf("the last request is %s", last)
		}
		program.Succeeds(t, dir, "models", "remove", "narrow")
	}

	s.content["/a.bin"][3]++
	get(4, "a.bin has another content than the catalogue says (sum ", "free")
	s.content["/a.bin"][3]--
	folder := os.Getenv(folderVariable)
	if _, err := os.Stat(filepath.Join(folder, ".fetched", "free", "a.bin")); err == nil {
		t.Error("a file with a wrong sum is kept")
	}
	get(0, "free: ×2", "free")
	if left := must.Get(os.ReadDir(folder))(t); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	delete(s.content, "/catalogue.json")
	get(4, "the catalogue "+s.URL+"/catalogue.json is not right")
}

// A file may be a catalogue. What is not right in one is refused before anything is fetched.
func TestCatalogue(t *testing.T) {
	dir := standIn(t)
	file := filepath.Join(dir, "catalogue.json")
	t.Setenv(catalogueVariable, file)
	good := `{"name": "n", "terms": "MIT", "files": [{"url": "https://example.com/n.onnx", "size": 5, "sha256": "` +
		strings.Repeat("ab", 32) + `"}]}`
	for _, c := range [][3]string{
		{"", "", "n ×0"},
		{`"n"`, `"photo"`, "photo, which has another meaning"}, {`"MIT"`, `""`, "expected one or two files, and terms"},
		{"https:", "file:", "expected one of https:// or http://"}, {"abab", "", "n.onnx has no sum"},
		{"5", "0", "has 0 bytes"}, {"/n.onnx", "/..", "has no name of a file"}, {"}]}", "}}", "is not right"},
	} {
		must.Succeed(t, os.WriteFile(file, []byte("["+strings.Replace(good, c[0], c[1], 1)+"]"), 0o666))
		code := 4
		if c[0] == "" {
			code = 0
		}
		program.Ends(t, dir, code, c[2], "models", "get")
	}
}

// TestOwnCatalogue compares the sums in the catalogue with the files of the networks, where they are at hand. Networks
// that forbid commercial use say so, and every address is pinned to a commit.
func TestOwnCatalogue(t *testing.T) {
	t.Setenv(catalogueVariable, "")
	pinned := regexp.MustCompile(`^https://raw\.githubusercontent\.com/upscayl/[a-z-]+/[0-9a-f]{40}/`)
	folder, names, compared := filepath.Join("..", "..", "..", "..", "shared", "data", "networks"), "", 0
	for _, l := range must.Get(openCatalogue(t.Context(), nil))(t) {
		names += l.Name + " "
		if l.NonCommercial != strings.Contains(l.Terms, "NC") {
			t.Errorf("%s: %s, but non_commercial is %v", l.Name, l.Terms, l.NonCommercial)
		}
		for _, f := range l.Files {
			if !pinned.MatchString(f.URL) {
				t.Errorf("%s: %s is not pinned to a commit", l.Name, f.URL)
			}
			data, err := os.ReadFile(filepath.Join(folder, f.base()))
			if err != nil {
				continue // not at hand
			}
			compared++
			if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != f.SHA256 || int64(len(data)) != f.Size {
				t.Errorf("%s: %d bytes of sum %s", f.base(), len(data), got)
			}
		}
	}
	if names != "realesr-general-x4v3 realesr-general-wdn-x4v3 realesr-animevideov3-x2 realesr-animevideov3-x3 "+
		"realesr-animevideov3-x4 4xLSDIRCompactC3 remacri-4x ultrasharp-4x high-fidelity-4x digital-art-4x " {
		t.Errorf("networks: %s", names)
	}
	if _, err := os.Stat(folder); err == nil && compared != 10 {
		t.Errorf("%d files compared", compared)
	}
}
