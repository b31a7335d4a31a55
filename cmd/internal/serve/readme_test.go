package serve

import (
	"bytes"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/settings"
)

// The examples in README.md give the results that it states.
func TestReadme(t *testing.T) {
	for _, name := range []string{"curl", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	s, dir := start(t, nil), t.TempDir()
	photo := s.do("PUT", s.url+"v1/upscale?scale=1&format=jpeg&model=bicubic", strings.NewReader(string(hopper(t))),
		nil)
	consoletest.Put(t, filepath.Join(dir, "photo.jpg"), photo.body)
	text := string(consoletest.Read(t, "README.md"))
	examples := regexp.MustCompile("(?s)```sh\n(.*?)\n```").FindAllStringSubmatch(text, -1)
	wants := []string{"", "", `"width":256,"height":192`, `"name":"quality"`, `"event":"plan"`, `"event":"done"`}
	if len(examples) != len(wants) {
		t.Fatalf("%d examples, expected %d", len(examples), len(wants))
	}
	for i, want := range wants {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", examples[i][1])
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "U="+s.url)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v: %s", examples[i][1], err, out)
		}
	}
	for name, size := range map[string]image.Point{"photo_2x.jpg": {X: 256, Y: 256},
		"photo_600x600.png": {X: 600, Y: 600}, "part.png": {X: 256, Y: 192}} {
		got, _, err := image.DecodeConfig(bytes.NewReader(consoletest.Read(t, dir, name)))
		if err != nil || image.Pt(got.Width, got.Height) != size {
			t.Errorf("%s: %dx%d, expected %v (%v)", name, got.Width, got.Height, size, err)
		}
	}
	for _, name := range []string{"name", "region", "map", "id"} {
		if !strings.Contains(text, "`"+name) {
			t.Errorf("the parameter %s is not told", name)
		}
	}
}

// names returns the names of options.
func names(list []settings.Description) (names []string) {
	for _, d := range list {
		names = append(names, d.Name)
	}
	return names
}
