package upscale

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// With --keep-dates, every result has the date of its input, in a folder, of several frames, of video, with a
// journal, over an older result and by restore; without it, and from a pipe, that of today. The bytes are the same,
// so --resume does nothing again.
func TestDatesAreKept(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, "in", name) }
	consoletest.WritePicture(t, in("a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, in("deep/b.jpg"), consoletest.Blob(9, 7))
	consoletest.Put(t, in("c.gif"), scenes(t, "gif", 0, scene(0, 12, 10, false), scene(1, 12, 10, false)))
	consoletest.Put(t, filepath.Join(dir, "d.y4m"), []byte(stream(t, "W4 H4 C420jpeg", 2, moving)))
	old := time.Date(2011, 12, 13, 14, 15, 16, 170_000_000, time.UTC)
	for _, name := range []string{in("a.png"), in("deep/b.jpg"), in("c.gif"), filepath.Join(dir, "d.y4m")} {
		must.Succeed(t, os.Chtimes(name, old, old))
	}
	is := func(kept bool, names ...string) {
		t.Helper()
		for _, name := range names {
			got := must.Get(os.Stat(filepath.Join(dir, name)))(t).ModTime()
			if difference := got.Sub(old).Abs(); (difference <= 2*time.Second) != kept {
				t.Errorf("%s: changed at %v, kept %v", name, got, kept)
			}
		}
	}
	succeeds(t, dir, "in -r -m nearest -q -o out --resume")
	is(false, "out/a_2x.png", "out/deep/b_2x.jpg")
	expect(t, dir, "", "in -r -m nearest -o out --resume --keep-dates", 0, "3 skipped")
	is(false, "out/a_2x.png")
	succeeds(t, dir, "in -r -m nearest -q -o out --keep-dates --on-exist overwrite")
	is(true, "out/a_2x.png", "out/deep/b_2x.jpg", "out/c_2x.gif")
	succeeds(t, dir, "in -r -m nearest -q -o journal --keep-dates --resume")
	is(true, "journal/a_2x.png", "journal/deep/b_2x.jpg", "journal/c_2x.gif")
	succeeds(t, dir, "d.y4m -m nearest -q --keep-dates")
	is(true, "d_2x.y4m")
	succeeds(t, dir, "in/a.png -m nearest -s 1 -q -o same.png --keep-dates")
	is(true, "same.png")
	data := string(consoletest.Read(t, in("a.png")))
	expect(t, dir, data, "- -m nearest -o pipe.png --keep-dates", 0, "--keep-dates is for files, and a pipe has none")
	is(false, "pipe.png")
}
