package upscale

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// A panic in work on a picture or a frame, or while a picture is inspected, fails only that picture, in one line with
// its name. With SUPERRES_PANIC=fatal it ends the program, with the stack.
func TestPanicFailsItsPicture(t *testing.T) {
	dir := t.TempDir()
	putMoody(t, dir)
	for i := range 6 {
		w := 20
		if i == 2 {
			w = panicking
		}
		consoletest.Blobs(t, dir, w, 9, fmt.Sprintf("in/%d.png", i))
	}
	frame := "FRAME\n" + strings.Repeat("x", 2*panicking)
	stream := fmt.Sprintf("YUV4MPEG2 W%d H2 F25:1 Cmono\n", panicking) + strings.Repeat(frame, 9)
	consoletest.Put(t, filepath.Join(dir, "in.y4m"), []byte(stream))
	moving := scenes(t, "gif", 1, scene(1, panicking, 9, false), scene(2, panicking, 9, false))
	consoletest.Put(t, filepath.Join(dir, "in.gif"), moving)
	before := consoletest.Tree(t, dir)
	for _, c := range []struct {
		args string
		name string
		code int
		made []string
	}{
		{"in", "in/2.png", 3, []string{"out/0.png", "out/1.png", "out/3.png", "out/4.png", "out/5.png"}},
		{"in/2.png", "in/2.png", 4, nil},
		{"in.y4m", "in.y4m", 4, nil},
		{"in.gif", "in.gif", 4, nil},
	} {
		t.Setenv("SUPERRES_PANIC", "")
		args := []string{"upscale", c.args, "-m", "moody.npz", "-o", "out/", "--name", "{stem}"}
		_, stderr, code := call(t, dir, "", args...)
		got := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		want := c.name + ": a fault of superres, not of the file: runtime error: index out of range [-1]; please " +
			"report it"
		clear := strings.Count(stderr, want) == 1 && !strings.Contains(stderr, "goroutine")
		if code != c.code || !clear || !slices.Equal(got, c.made) {
			t.Errorf("%s: exit %d, made %v, %s", c.args, code, got, stderr)
		}
		_ = os.RemoveAll(filepath.Join(dir, "out"))
		t.Setenv("SUPERRES_PANIC", "fatal")
		cmd := consoletest.Process(dir, args...)
		text, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(text), "moody.Apply.func1") {
			t.Errorf("%s, fatal: %v, %s", c.args, err, text)
		}
		_ = os.RemoveAll(filepath.Join(dir, "out"))
	}
}
