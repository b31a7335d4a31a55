package upscale

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
)

// decodeEvents reads events strictly: each line is one, of a known type.
func decodeEvents(t *testing.T, stdout string) (pictures []pictureEvent, last summaryEvent) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for i, line := range lines {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if i == len(lines)-1 {
			if err := dec.Decode(&last); err != nil || last.Event != "summary" {
				t.Errorf("%v: %q", err, line)
			}
			continue
		}
		var e pictureEvent
		if err := dec.Decode(&e); err != nil || !slices.Contains([]string{"unreadable", "skip", "start", "done", "fail",
			"plan"}, e.Event) || e.Input == "" {
			t.Errorf("%v: %q", err, line)
		}
		pictures = append(pictures, e)
	}
	return pictures, last
}

// threePictures makes a folder with a good, a bad and a good one whose result is there.
func threePictures(t *testing.T) (dir string) {
	dir = t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "in/a.png"), consoletest.Blob(9, 7))
	if err := os.WriteFile(filepath.Join(dir, "in/b.png"), []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	consoletest.WritePicture(t, filepath.Join(dir, "in/c.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "out/c_2x.png"), consoletest.Blob(1, 1))
	return dir
}

// The events of a batch, field by field: this is their schema.
func TestEvents(t *testing.T) {
	dir := threePictures(t)
	stdout, stderr, code := call(t, dir, "", "upscale", "in", "-o", "out", "--on-exist", "skip", "--json")
	pictures, last := decodeEvents(t, stdout)
	if code != 3 || len(pictures) != 5 || last.Seconds <= 0 {
		t.Fatalf("exit %d, %s\n%s", code, stdout, stderr)
	}
	for i := range pictures {
		if (pictures[i].Seconds > 0) != slices.Contains([]string{"done", "fail"}, pictures[i].Event) {
			t.Errorf("%+v", pictures[i])
		}
		pictures[i].Seconds = 0
	}
	last.Seconds = 0
	in := func(name string) paths.Name { return paths.Name(filepath.Join("in", name)) }
	out := func(name string) paths.Name { return paths.Name(filepath.Join("out", name)) }
	bad := `in/b.png: not an image (starts with "no pict"; known: PNG JPEG GIF WebP TIFF BMP)`
	want := []pictureEvent{
		{Event: "skip", Input: in("c.png"), Output: out("c_2x.png"), Reason: "exists"},
		{Event: "start", Input: in("a.png"), Output: out("a_2x.png"), Number: 1, Of: 2},
		{Event: "done", Input: in("a.png"), Output: out("a_2x.png"), Number: 1, Of: 2, InputWidth: 9, InputHeight: 7,
			Width: 18, Height: 14, Model: "photo"},
		{Event: "start", Input: in("b.png"), Output: out("b_2x.png"), Number: 2, Of: 2},
		{Event: "fail", Input: in("b.png"), Output: out("b_2x.png"), Number: 2, Of: 2, Error: filepath.FromSlash(bad),
			Class: "input", ExitCode: 4},
	}
	// Two pictures may be in work at once; then both begin before the first ends.
	slices.SortStableFunc(pictures[1:], func(a, b pictureEvent) int { return a.Number - b.Number })
	if !reflect.DeepEqual(pictures, want) {
		t.Errorf("%+v\nexpected\n%+v", pictures, want)
	}
	wantLast := summaryEvent{Event: "summary", Total: 3, Done: 1, Skipped: 1, Failed: 1, ExitCode: 3,
		Error: "1 of 3 pictures failed, 2 are done: " + string(in("b.png")), Failures: []paths.Name{in("b.png")}}
	if fmt.Sprint(last) != fmt.Sprint(wantLast) {
		t.Errorf("%+v\nexpected\n%+v", last, wantLast)
	}
	// What cannot begin has its summary, too.
	for _, args := range [][]string{{"in", "-o", "out"}, {"none.png"}, {"in", "-s", "17"}, {"in", "-m", "foto"}} {
		stdout, _, code := call(t, dir, "", append([]string{"upscale", "--json"}, args...)...)
		if _, last := decodeEvents(t, stdout); last.ExitCode != code || code == 0 || last.Error == "" {
			t.Errorf("%v: exit %d, %s", args, code, stdout)
		}
	}
}

func TestFirstOf(t *testing.T) {
	names := strings.Split("abcdefghijkl", "")
	for n, want := range map[int]string{1: "a", 10: "a, b, c, d, e, f, g, h, i, j",
		12: "a, b, c, d, e, f, g, h, i, j and 2 more"} {
		if got := console.FirstOf(names[:n]); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// A plan tells sizes, skips, bad files and clashes, and changes nothing.
func TestDryRun(t *testing.T) {
	dir := threePictures(t)
	before := consoletest.Tree(t, dir)
	stdout, stderr, code := call(t, dir, "", "upscale", "in", "-o", "out", "--on-exist", "skip", "--dry-run")
	for _, want := range []string{"in/c.png: skipped, out/c_2x.png exists\n",
		"in/a.png 9x7 -> out/a_2x.png 18x14, no flaws found, by photo, about ", "1 to make, 1 skipped, 1 cannot be, at most about "} {
		if !strings.Contains(filepath.ToSlash(stdout), want) {
			t.Errorf("no %q in %s", want, stdout)
		}
	}
	if code != 3 || !strings.Contains(stderr, "b.png: not an image") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	stdout, stderr, code = call(t, dir, "", "upscale", "in", "in/a.png", "in/c.png", "-o", "out", "--dry-run", "--json")
	pictures, last := decodeEvents(t, stdout)
	if code != 5 || last.Planned != 2 || last.ExitCode != 5 || strings.Count(stderr, "both make") != 2 ||
		strings.Count(stderr, "exists; use --on-exist") != 2 {
		t.Errorf("exit %d, %+v\n%s", code, last, stderr)
	}
	if e := pictures[0]; e.Event != "plan" || e.Memory < 1<<20 || e.Width != 18 || e.Height != 14 || e.InputWidth != 9 {
		t.Errorf("%+v", e)
	}
	if stdout, _, code := call(t, dir, "", "upscale", "in/a.png", "-o", "new/", "--dry-run", "--resume"); code != 0 ||
		!strings.Contains(stdout, "1 to make, 0 skipped") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("files %v", after)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a folder was made")
	}
}

// What --resume does again, and what not.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"in/a.png", "in/b.png", "in/deep/c.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(9, 7))
	}
	resume := func(flags ...string) (done, skipped string, code int) {
		t.Helper()
		stdout, stderr, code := call(t, dir, "",
			append([]string{"upscale", "-r", "in", "-o", "out", "--resume", "--json", "-m", "bicubic"}, flags...)...)
		pictures, last := decodeEvents(t, stdout)
		if code != last.ExitCode {
			t.Errorf("exit %d, %s", code, stderr)
		}
		for _, e := range pictures {
			name := strings.TrimSuffix(filepath.Base(string(e.Input)), ".png")
			switch e.Event {
			case "done":
				done += name
			case "skip":
				if e.Reason != "done" {
					name = "(" + name + ")"
				}
				skipped += name
			}
		}
		return done, skipped, code
	}
	in := func(name string) string { return filepath.Join(dir, "in", name) }
	out := func(name string) string { return filepath.Join(dir, "out", name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name          string
		change        func()
		flags         []string
		done, skipped string
		code          int
	}{
		{name: "first", done: "abc"},
		{name: "nothing new", skipped: "abc"},
		{name: "a new file", change: func() { consoletest.WritePicture(t, in("d.png"), consoletest.Blob(5, 5)) },
			done: "d", skipped: "abc"},
		{name: "a changed input", change: func() { consoletest.WritePicture(t, in("a.png"), consoletest.Blob(9, 8)) },
			done: "a", skipped: "bcd"},
		{name: "a touched input",
			change: func() { must(os.Chtimes(in("b.png"), time.Now(), time.Now().Add(time.Hour))) }, skipped: "abcd"},
		{name: "a lost output", change: func() { must(os.Remove(out("deep/c_2x.png"))) }, done: "c", skipped: "abd"},
		{name: "another model", flags: []string{"-m", "nearest"}, done: "abcd"},
		{name: "and back", done: "abcd"},
		{name: "another size, so other names", flags: []string{"-s", "3"}, done: "abcd"},
		{name: "another quality, of JPEG alone", flags: []string{"--quality", "10"}, skipped: "abcd"},
		{name: "an output of somebody else",
			change: func() { must(os.WriteFile(out("b_2x.png"), []byte("mine"), 0o666)) }, code: 5},
		{name: "to be skipped", flags: []string{"--on-exist", "skip"}, skipped: "a(b)cd"},
		{name: "to be overwritten", flags: []string{"--on-exist", "overwrite"}, done: "b", skipped: "acd"},
		{name: "a part", flags: []string{"--shard", "0/1"}, skipped: "abcd"},
		{name: "a part after a change", change: func() {
			consoletest.WritePicture(t, in("a.png"),
				consoletest.Blob(3, 8))
		}, flags: []string{"--shard", "0/1"}, done: "a", skipped: "bcd"},
		{name: "all, after the part", skipped: "abcd"},
		{name: "half a line", change: func() {
			f, err := os.OpenFile(out(".superres-journal.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
			must(err)
			_, err = f.WriteString(`{"state":"do`)
			must(err)
			must(f.Close())
			consoletest.WritePicture(t, in("e.png"), consoletest.Blob(5, 5))
		}, done: "e", skipped: "abcd"},
		{name: "after half a line", skipped: "abcde"},
		{name: "without metadata", flags: []string{"--metadata", "strip"}, done: "abcde"},
		{name: "without metadata and record, said twice", flags: []string{"--metadata", "strip", "--provenance=false"},
			skipped: "abcde"},
		{name: "with the record alone", flags: []string{"--metadata", "strip", "--provenance"}, done: "abcde"},
		{name: "in another depth", flags: []string{"--depth", "16"}, done: "abcde"},
	} {
		if step.change != nil {
			step.change()
		}
		done, skipped, code := resume(step.flags...)
		sorted := func(s string) string { b := []byte(s); slices.Sort(b); return string(b) }
		if sorted(done) != sorted(step.done) || sorted(skipped) != sorted(step.skipped) || code != step.code {
			t.Errorf("%s: exit %d, done %s, skipped %s; expected %d, %s, %s", step.name, code, done, skipped, step.code,
				step.done, step.skipped)
		}
	}
	// The journal is that of one program at a time.
	j, err := parts.OpenJournal[parts.Record](out(".superres-journal.jsonl"), 0o666, nil)
	must(err)
	consoletest.WritePicture(t, in("f.png"), consoletest.Blob(5, 5))
	if _, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "out", "--resume"); runtime.GOOS == "linux" &&
		(code != 5 || !strings.Contains(stderr, "another superres is at work")) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	must(j.Close())
	// Results among the inputs are no inputs.
	for range 2 {
		if _, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "in", "--resume", "-q"); code != 0 {
			t.Errorf("exit %d, %s", code, stderr)
		}
		if _, stderr, code := call(t, dir, "", "upscale", "in/*.png", "--resume", "-q"); code != 0 {
			t.Errorf("beside: exit %d, %s", code, stderr)
		}
	}
	if n := len(consoletest.Tree(t, filepath.Join(dir, "in"))); n != 6+6+1 {
		t.Errorf("%d files in in", n)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "in/a_2x.png", "--resume"); code != 4 ||
		!strings.Contains(stderr, "leave out --resume") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	// Without --resume nothing is kept.
	call(t, dir, "", "upscale", "in/a.png", "-o", "elsewhere/")
	if files := consoletest.Tree(t, filepath.Join(dir, "elsewhere")); len(files) != 1 {
		t.Errorf("%v", files)
	}
}
