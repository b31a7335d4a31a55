package upscale

import (
	"image"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// A picture that its EXIF tag turns by 90° is measured upright.
func TestSizeOfTurnedPicture(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), image.NewGray(image.Rect(0, 0, 10, 20)))
	succeeds(t, dir, "a.png -o a.jpg -s 1")
	plain := string(consoletest.Read(t, dir, "a.jpg"))
	// EXIF with the orientation 6: a quarter turn.
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01" +
		"\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00"
	putText(t, dir, "turned.jpg", plain[:2]+"\xff\xe1\x00"+string(byte(len(exif)+2))+exif+plain[2:])
	stdout, _ := expect(t, dir, "", "turned.jpg --width 30 --dry-run", 0)
	consoletest.InOrder(t, stdout, "turned.jpg 20×10 -> turned_30x15.jpg 30×15")
	expect(t, dir, "", "turned.jpg --width 20 -f png", 0)
	if got := consoletest.Size(t, filepath.Join(dir, "turned_20x10.png")); got != image.Pt(20, 10) {
		t.Error(got)
	}
}

// Without a terminal, a batch prints a line for each picture, a single picture prints none, and -q silences all.
func TestLines(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "in/a.png", "in/b.png")
	for _, c := range []struct {
		line  string
		wants []string // of none there is none
	}{
		{"in", []string{"[1/2] in_2x/a_2x.png, 18×14, ", "2 done, 0 skipped, in "}},
		{"in -q", nil},
		{"in --progress none", nil},
		{"in/a.png", nil},
		{"in/a.png --progress plain", []string{"in/a_2x.png, 18×14, 0."}},
	} {
		stdout, stderr := expect(t, dir, "", "-m bicubic --on-exist overwrite "+c.line, 0, c.wants...)
		if stdout != "" || (stderr != "") != (c.wants != nil) || strings.Contains(stderr, "\r") {
			t.Errorf("%s: stdout %q, stderr %q", c.line, stdout, stderr)
		}
	}
}

// An output folder that cannot be written to is reported before any work, also for several pictures.
func TestUnwritableFolder(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "in/a.png", "in/b.png", "file")
	for _, out := range []string{"file/", "file/below/"} {
		stdout, stderr := expect(t, dir, "", "in --json -o "+out, 5, "file")
		if pictures, _ := decodeEvents(t, stdout); len(pictures) != 0 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %s%s", out, stdout, stderr)
		}
	}
}
