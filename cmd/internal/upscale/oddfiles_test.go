//go:build linux

package upscale

import (
	"fmt"
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
	"superres/internal/must"
)

// File names of every kind are accepted, and messages about them are one line of text.
func TestOddNames(t *testing.T) {
	dir := t.TempDir()
	names := []string{
		"-s.png", "--scale.png", "-.png", "a b.png", " .png", "a\nb.png", "a\tb.png", "\x1b[31mred.png", "größe.png",
		"写真.png", "e\u0301.png", "\u202egnp.png", "a\xff\xfe.png", "100%.png", "a'b\"c.png", "$HOME.png", "*.png",
		"[ab].png", "a\\b.png", "{stem}.png", "a;rm -rf.png", "con.png", "a..png", "...png", "#.png", "~.png",
		strings.Repeat("x", 255-len("_2x.png")) + ".png",
	}
	var want []string // pictures of a folder whose names begin with a dot are left out
	for _, name := range names {
		consoletest.Blobs(t, dir, 3, 2, "in/"+name)
		putText(t, dir, "bad/"+name, "no picture")
		if !strings.HasPrefix(name, ".") {
			want = append(want, strings.TrimSuffix(name, ".png")+"_2x.png")
		}
		_, stderr, code := call(t, filepath.Join(dir, "in"), "", "upscale", "-m", "nearest", "--dry-run", "--", name)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit %d, %s", name, code, stderr)
		}
		_, stderr, code = call(t, filepath.Join(dir, "bad"), "", "upscale", "-m", "nearest", "--", name)
		if code != console.ExitInput || strings.Count(stderr, "\n") != 1 || !utf8.ValidString(stderr) ||
			strings.ContainsAny(stderr, "\x1b\t\u202e") || !strings.Contains(stderr, "not an image") {
			t.Errorf("%q: exit %d, %q", name, code, stderr)
		}
	}
	succeeds(t, dir, "in -o out -m nearest -q")
	slices.Sort(want)
	if made := consoletest.Tree(t, filepath.Join(dir, "out")); !slices.Equal(made, want) {
		t.Errorf("made %q, expected %q", made, want)
	}
	// All bad: a line for each, and one that sums them up.
	_, stderr := expect(t, dir, "", "bad -o none", console.ExitNothing)
	if strings.Count(stderr, "\n") != len(want)+1 || !utf8.ValidString(stderr) {
		t.Errorf("%q", stderr)
	}
	// A name of 255 bytes is valid, but the name of its output is too long.
	long := strings.Repeat("y", 251) + ".png"
	consoletest.Blobs(t, dir, 3, 2, long)
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{{long, console.ExitOutput, "file name too long"}})
	succeeds(t, dir, long+" -o short.png")
}

// Files that are not regular are refused at once, as inputs and outputs, alone and in folders; nothing is read or
// written through a link that leads elsewhere.
func TestOddFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	consoletest.Blobs(t, dir, 9, 7, "a.png", "elsewhere/b.png")
	putText(t, dir, "elsewhere/out.png", "precious")
	errs := []error{syscall.Mkfifo("pipe.png", 0o666), os.Link("a.png", "hard.png"), os.Mkdir("folder.png", 0o777)}
	for link, to := range map[string]string{"loop.png": "loop.png", "broken.png": "none.png", "zero.png": "/dev/zero",
		"link.png": "elsewhere/out.png", "soft.png": "a.png", "round": ".", "away": "elsewhere"} {
		errs = append(errs, os.Symlink(to, link))
	}
	for _, err := range errs {
		if err != nil {
			t.Skip(err)
		}
	}
	original := consoletest.Read(t, "a.png")
	began := time.Now()
	program.RefusesLines(t, dir, "upscale -m nearest", []consoletest.RefusedLine{
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
	})
	if took := time.Since(began); took > mostTime {
		t.Errorf("all of them took %v", took)
	}
	// As a folder, the four files that can be read are enlarged, and the others are reported. A folder below that is
	// a link is not entered, and one that the command line names is read.
	expect(t, dir, "", "-r . -o made -m nearest -q", console.ExitSome)
	want := []string{"a_2x.png", "elsewhere/b_2x.png", "hard_2x.png", "soft_2x.png"}
	if made := consoletest.Tree(t, "made"); !slices.Equal(made, want) {
		t.Errorf("made %v", made)
	}
	expect(t, dir, "", "-r away -o new -m nearest --include b*", 0)
	if made := consoletest.Tree(t, "new"); !slices.Equal(made, []string{"b_2x.png"}) {
		t.Errorf("of a link to a folder: %v", made)
	}
	// An output tree with a link to another folder in it is not left, however it is named.
	must.Succeed(t, os.MkdirAll("tree", 0o777))
	must.Succeed(t, os.Symlink("../away", "tree/elsewhere"))
	for _, name := range []string{"tree", "./tree/", "tree/../tree"} {
		_, stderr, code := call(t, dir, "", strings.Fields("upscale -r . --include b.png -m nearest -q -o "+name)...)
		if code == 0 || !strings.Contains(stderr, "nothing is written through it") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	if got := consoletest.Tree(t, "elsewhere"); !slices.Equal(got, []string{"b.png", "out.png"}) ||
		string(consoletest.Read(t, "elsewhere/out.png")) != "precious" {
		t.Errorf("elsewhere: %v", got)
	}
	if !slices.Equal(consoletest.Read(t, "a.png"), original) {
		t.Error("the input was changed")
	}
}

// Names that differ in any byte, valid UTF-8 or not, are different pictures in journals, parts and events.
func TestNamesAreKeptToTheByte(t *testing.T) {
	dir := t.TempDir()
	names := []string{"a\xff.png", "a\xfe.png", "a\ufffd.png", "a\\u0000ff.png", "a\\xff.png", "aff.png",
		"d\xe5/写\xff.png"}
	for i, name := range names {
		consoletest.Blobs(t, dir, 3+i, 2, "in/"+name)
	}
	run := func(fate, flags string) (last summaryEvent) {
		t.Helper()
		stdout, _, code := call(t, dir, "", strings.Fields("upscale -r -m nearest --resume --json -q in "+flags)...)
		pictures, last := decodeEvents(t, stdout)
		told := map[string]bool{}
		for _, e := range pictures {
			told[strings.TrimPrefix(string(e.Input), "in/")] = true
			if fate != "" && e.Event != "start" && e.Event != fate {
				t.Errorf("%q: %s, expected %s", e.Input, e.Event, fate)
			}
		}
		if code != last.ExitCode || fate != "" && len(told) != len(names) {
			t.Errorf("exit %d, %+v, events of %v", code, last, told)
		}
		return last
	}
	if got := run("done", "-o out"); got.Done != len(names) {
		t.Errorf("%+v", got)
	}
	if got := run("skip", "-o out"); got.Skipped != len(names) {
		t.Errorf("again: %+v", got)
	}
	// Each has its own record: one that changes is made again, and no other.
	consoletest.Blobs(t, dir, 9, 9, "in/"+names[0])
	if got := run("", "-o out"); got.Done != 1 || got.Skipped != len(names)-1 {
		t.Errorf("one that changed: %+v", got)
	}
	putText(t, dir, "in/bad\xff.png", "no picture")
	sum := 0
	for i := range 2 {
		last := run("", fmt.Sprintf("-o parts --shard %d/2", i))
		if sum += last.Done; last.Failed > 0 && last.Failures[0] != "in/bad\xff.png" {
			t.Errorf("%+v", last)
		}
	}
	if sum != len(names) {
		t.Errorf("%d made in parts", sum)
	}
	if got := run("skip", "--shard 0/1 -o parts --exclude bad*"); got.Skipped != len(names) {
		t.Errorf("in one part: %+v", got)
	}
	// Results among their inputs are known by the same names.
	for range 2 {
		expect(t, dir, "", "-r in -o in -m nearest --resume -q --exclude bad*", 0)
	}
	if got := consoletest.Results(t, filepath.Join(dir, "in")); len(got) != 2*len(names)+1 {
		t.Errorf("%d files", len(got))
	}
}
