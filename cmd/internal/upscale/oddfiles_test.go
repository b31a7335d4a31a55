//go:build linux

package upscale

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"superres/cmd/internal/console"

	"superres/cmd/internal/console/consoletest"
)

// Names of every kind are taken as they are, and what is said of them is one line of text.
func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{
		"-s.png", "--scale.png", "-.png", "a b.png", " .png", "a\nb.png", "a\tb.png", "\x1b[31mred.png", "größe.png", "写真.png", "e\u0301.png", "\u202egnp.png",
		"a\xff\xfe.png", "100%.png", "a'b\"c.png", "$HOME.png", "*.png", "[ab].png", "a\\b.png", "{stem}.png", "a;rm -rf.png", "con.png", "a..png", "...png", "#.png", "~.png",
		strings.Repeat("x", 255-len("_2x.png")) + ".png",
	}
	for _, name := range names {
		consoletest.WritePicture(t, filepath.Join(dir, "in", name), consoletest.Blob(3, 2))
		consoletest.Put(t, filepath.Join(dir, "bad", name), []byte("no picture"))
	}
	hidden := 0 // pictures of a folder whose names begin with a dot are left out
	for _, name := range names {
		if strings.HasPrefix(name, ".") {
			hidden++
		}
	}
	_, stderr, code := call(t, dir, "", "upscale", "in", "-o", "out", "-m", "nearest", "-q")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	made := consoletest.Tree(t, filepath.Join(dir, "out"))
	if len(made) != len(names)-hidden {
		t.Errorf("%d results of %d", len(made), len(names)-hidden)
	}
	for _, name := range names {
		if want := strings.TrimSuffix(name, ".png") + "_2x.png"; !strings.HasPrefix(name, ".") &&
			!slices.Contains(made, want) {
			t.Errorf("no %q", want)
		}
		if _, stderr, code := call(t, filepath.Join(dir, "in"), "", "upscale", "-m", "nearest", "--dry-run", "--",
			name); code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, %s", name, code, stderr)
		}
		_, stderr, code := call(t, filepath.Join(dir, "bad"), "", "upscale", "-m", "nearest", "--", name)
		if code != console.ExitInput || strings.Count(stderr, "\n") != 1 || strings.ContainsAny(stderr,
			"\x1b\t\u202e") || !utf8.ValidString(stderr) || !strings.Contains(stderr, "not an image") {
			t.Errorf("%q: exit %d, %q", name, code, stderr)
		}
	}
	// All bad: a line for each, and one that sums them up.
	if _, stderr, code := call(t, dir, "", "upscale", "bad", "-o", "none"); code != console.ExitNothing ||
		strings.Count(stderr, "\n") != len(names)-hidden+1 || !utf8.ValidString(stderr) {
		t.Errorf("exit %d, %q", code, stderr)
	}
	// 255 bytes are a name, but then that of the output is too long.
	long := strings.Repeat("y", 251) + ".png"
	consoletest.WritePicture(t, filepath.Join(dir, long), consoletest.Blob(3, 2))
	if _, stderr, code := call(t, dir, "", "upscale", long); code != console.ExitOutput ||
		strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "file name too long") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if _, stderr, code := call(t, dir, "", "upscale", long, "-o", "short.png"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// What is no plain file is refused at once, as an input and as an output, alone and in a
// folder, and nothing is read or written through a link that leads elsewhere.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	consoletest.WritePicture(t, at("a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, at("elsewhere/b.png"), consoletest.Blob(9, 7))
	consoletest.Put(t, at("elsewhere/out.png"), []byte("precious"))
	for _, err := range []error{
		syscall.Mkfifo(at("pipe.png"), 0o666), os.Symlink("loop.png", at("loop.png")), os.Symlink("none.png",
			at("broken.png")), os.Symlink("/dev/zero", at("zero.png")),
		os.Symlink("elsewhere/out.png", at("link.png")), os.Link(at("a.png"), at("hard.png")), os.Symlink("a.png",
			at("soft.png")), os.Symlink(".", at("round")),
		os.Symlink("elsewhere", at("away")), os.Mkdir(at("folder.png"), 0o777),
	} {
		if err != nil {
			t.Skip(err)
		}
	}
	original, err := os.ReadFile(at("a.png"))
	if err != nil {
		t.Fatal(err)
	}
	before := consoletest.Tree(t, dir)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"pipe.png", console.ExitInput, "is a pipe, not a file"},
		{"loop.png", console.ExitInput, "loop.png: cannot be read"},
		{"broken.png", console.ExitInput, "does not exist"},
		{"zero.png", console.ExitInput, "is a device or socket"},
		{"/dev/null", console.ExitInput, "is a device or socket"},
		{"/dev/zero", console.ExitInput, "is a device or socket"},
		{"folder.png", console.ExitInput, "no pictures in this folder"},
		{"/proc/self/mem -o mem.png", console.ExitInput, "/proc/self/mem: "},
		{"a.png -o pipe.png --on-exist overwrite", console.ExitOutput, "is a device or pipe"},
		{"a.png -o loop.png --on-exist overwrite", console.ExitOutput, "is a symbolic link"},
		{"a.png -o link.png --on-exist overwrite", console.ExitOutput, "is a symbolic link"},
		{"a.png -o broken.png", console.ExitOutput, "broken.png exists"},
		{"a.png -o /dev/null", console.ExitUsage, "no extension says which format"},
		{"a.png -f png -o /dev/null --on-exist overwrite", console.ExitOutput, "is a device or pipe"},
		{"a.png -o hard.png --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"a.png -o soft.png --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"soft.png -o a.png --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"a.png -o folder.png -f png --name ../{stem}", console.ExitUsage, "without folders"},
	} {
		began := time.Now()
		_, stderr, code := call(t, dir, "", append([]string{"upscale", "-m", "nearest"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
		if took := time.Since(began); took > mostTime {
			t.Errorf("%s: %v", c.args, took)
		}
		if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
			t.Fatalf("%s left files: %v", c.args, after)
		}
	}
	// All of it as a folder: the four names that can be read are done, the rest are
	// told; a linked folder below is not entered.
	_, stderr, code := call(t, dir, "", "upscale", "-r", ".", "-o", "made", "-m", "nearest", "-q")
	made := consoletest.Tree(t, at("made"))
	if want := []string{"a_2x.png", "elsewhere/b_2x.png", "hard_2x.png", "soft_2x.png"}; code != console.ExitSome ||
		!slices.Equal(made, want) {
		t.Errorf("exit %d, %v: %s", code, made, stderr)
	}
	// An output tree with a link to another folder in it is not left, however it is named.
	if err := os.MkdirAll(at("tree"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../away", at("tree/elsewhere")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tree", "./tree/", "tree/../tree"} {
		if _, stderr, code := call(t, dir, "", "upscale", "-r", ".", "--include", "b.png", "-o", name, "-m", "nearest",
			"-q"); code == 0 || !strings.Contains(stderr, "nothing is written through it") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	if got := consoletest.Tree(t, at("elsewhere")); !slices.Equal(got, []string{"b.png", "out.png"}) {
		t.Errorf("elsewhere: %v", got)
	}
	if got, err := os.ReadFile(at("elsewhere/out.png")); err != nil || string(got) != "precious" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := os.ReadFile(at("a.png")); err != nil || !slices.Equal(got, original) {
		t.Errorf("the input was changed (%v)", err)
	}
}

// Names that differ in bytes alone are pictures of their own in journals, parts and events.
func TestNamesAreKeptToTheByte(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a\xff.png", "a\xfe.png", "a\ufffd.png", "a\\u0000ff.png", "a\\xff.png", "aff.png",
		"d\xe5/写\xff.png"}
	for i, name := range names {
		consoletest.WritePicture(t, filepath.Join(dir, "in", name), consoletest.Blob(3+i, 2))
	}
	run := func(want string, flags ...string) (summary summaryEvent) {
		t.Helper()
		stdout, stderr, code := call(t, dir, "", append([]string{"upscale", "-r", "in", "-o", "out", "-m", "nearest",
			"--resume", "--json", "-q"}, flags...)...)
		pictures, last := decodeEvents(t, stdout)
		if code != last.ExitCode {
			t.Errorf("exit %d, %s", code, stderr)
		}
		told := map[string]bool{}
		for _, e := range pictures {
			told[strings.TrimPrefix(string(e.Input), "in/")] = true
			if e.Event != "start" && e.Event != want {
				t.Errorf("%q: %s, expected %s", e.Input, e.Event, want)
			}
		}
		for _, name := range names {
			if len(flags) == 0 && !told[name] {
				t.Errorf("no event of %q", name)
			}
		}
		return last
	}
	if got := run("done"); got.Done != len(names) {
		t.Errorf("%+v", got)
	}
	if got := run("skip"); got.Skipped != len(names) {
		t.Errorf("again: %+v", got)
	}
	// Each has its own record: one that changes is made again, and no other.
	consoletest.WritePicture(t, filepath.Join(dir, "in", names[0]), consoletest.Blob(9, 9))
	if _, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "out", "-m", "nearest", "--resume",
		"-q"); code != 0 {
		t.Fatal(stderr)
	}
	run("skip")
	// Results among their inputs are known by the same names.
	for range 2 {
		if _, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "in", "-m", "nearest", "--resume",
			"-q"); code != 0 {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "in")); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		consoletest.WritePicture(t, filepath.Join(dir, "in", name), consoletest.Blob(3, 2))
	}
	consoletest.Put(t, filepath.Join(dir, "in", "bad\xff.png"), []byte("no picture"))
	sum := 0
	for _, part := range []string{"0/2", "1/2"} {
		stdout, stderr, _ := call(t, dir, "", "upscale", "-r", "in", "-o", "parts", "-m", "nearest", "--resume",
			"--json", "-q", "--shard", part)
		_, last := decodeEvents(t, stdout)
		if sum += last.Done; last.Failed > 0 && last.Failures[0] != "in/bad\xff.png" {
			t.Errorf("%+v, %s", last, stderr)
		}
	}
	if out, errs, code := call(t, dir, "", "merge", "parts"); sum != len(names) || code != console.ExitSome ||
		!strings.Contains(out, "2 parts: 7 pictures done, 1 failed") {
		t.Errorf("%d made, exit %d, %s%s", sum, code, out, errs)
	}
	if got := run("skip", "--shard", "0/1", "-o", "parts", "--exclude", "bad*"); got.Skipped != len(names) {
		t.Errorf("in one part: %+v", got)
	}
}
