package upscale

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// A picture that lies on its side is measured upright.
func TestSizeOfTurnedPicture(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), image.NewGray(image.Rect(0, 0, 10, 20)))
	if _, stderr, code := call(t, dir, "", "upscale", "a.png", "-o", "a.jpg", "-s", "1"); code != 0 {
		t.Fatal(stderr)
	}
	plain, err := os.ReadFile(filepath.Join(dir, "a.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	// EXIF with the orientation 6: a quarter turn.
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	turned := slices.Concat(plain[:2], []byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, []byte(exif), plain[2:])
	if err := os.WriteFile(filepath.Join(dir, "turned.jpg"), turned, 0o666); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, dir, "", "upscale", "turned.jpg", "--width", "30", "--dry-run")
	if code != 0 || !strings.Contains(stdout, "turned.jpg 20x10 -> turned_30w.jpg 30x15") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	if _, stderr, code = call(t, dir, "", "upscale", "turned.jpg", "--width", "20", "-f", "png"); code != 0 ||
		consoletest.Size(t, filepath.Join(dir, "turned_20w.png")) != image.Pt(20, 10) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// What is said, and where: lines for a batch where there is no terminal, none for one
// picture, and none at all with -q.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"in/a.png", "in/b.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(9, 7))
	}
	for _, c := range []struct{ args, want string }{
		{"in", "[1/2] in_2x/a_2x.png: 18x14 in "},
		{"in", "2 done, 0 skipped, in "},
		{"in -q", ""},
		{"in --progress none", ""},
		{"in/a.png", ""},
		{"in/a.png --progress plain", "in/a_2x.png, 18×14, 0."},
	} {
		stdout, stderr, code := call(t, dir, "",
			append([]string{"upscale", "--on-exist", "overwrite"}, strings.Fields(c.args)...)...)
		if code != 0 || stdout != "" || c.want == "" && stderr != "" ||
			!strings.Contains(filepath.ToSlash(stderr), c.want) || strings.Contains(stderr, "\r") {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.args, code, stdout, stderr)
		}
	}
}

// An -o that cannot be written to is found before any work, for several pictures, too.
func TestUnwritableFolder(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"in/a.png", "in/b.png", "file"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(9, 7))
	}
	for _, out := range []string{"file/", "file/below/"} {
		stdout, stderr, code := call(t, dir, "", "upscale", "in", "-o", out, "--json")
		pictures, _ := decodeEvents(t, stdout)
		if code != 5 || len(pictures) != 0 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "file") {
			t.Errorf("%s: exit %d, %s%s", out, code, stdout, stderr)
		}
	}
	// A batch of which nothing comes leaves no folder.
	if err := os.WriteFile(filepath.Join(dir, "bad.png"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, code := call(t, dir, "", "upscale", "bad.png", "-o", "new/"); code != 4 {
		t.Errorf("exit %d", code)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("an empty folder is left")
	}
}
