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

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/internal/must"
)

// decodeEvents returns the events in stdout: those of pictures and the summary. It fails for unknown types and fields;
// events of frames are left out.
func decodeEvents(t *testing.T, stdout string) (pictures []pictureEvent, last summaryEvent) {
	t.Helper()
	known := []string{"unreadable", "video", "skip", "start", "done", "fail", "plan"}
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, `{"event":"frame"`) {
			continue
		}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.DisallowUnknownFields()
		if i == len(lines)-1 {
			if err := dec.Decode(&last); err != nil || last.Event != "summary" {
				t.Errorf("%v: %q", err, line)
			}
			continue
		}
		var e pictureEvent
		if err := dec.Decode(&e); err != nil || !slices.Contains(known, e.Event) || e.Input == "" {
			t.Errorf("%v: %q", err, line)
		}
		pictures = append(pictures, e)
	}
	return pictures, last
}

// threePictures returns a folder with a good picture, a bad one, and a good one whose output exists.
func threePictures(t *testing.T) (dir string) {
	dir = t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "in/a.png", "in/c.png", "out/c_2x.png")
	putText(t, dir, "in/b.png", "no picture")
	return dir
}

// The events of a batch have exactly these fields and values: this test is their schema.
func TestEvents(t *testing.T) {
	dir := threePictures(t)
	stdout, _ := expect(t, dir, "", "in -o out --on-exist skip --json", 3, "b.png: not an image",
		"1 of 3 pictures failed, 2 are done")
	pictures, last := decodeEvents(t, stdout)
	if len(pictures) != 5 || last.Seconds <= 0 {
		t.Fatal(stdout)
	}
	for i := range pictures {
		if (pictures[i].Seconds > 0) != slices.Contains([]string{"done", "fail"}, pictures[i].Event) {
			t.Errorf("%+v", pictures[i])
		}
		if pictures[i].Seconds = 0; pictures[i].LRPSNR > 40 {
			pictures[i].LRPSNR = 40
		}
	}
	last.Seconds = 0
	in := func(name string) paths.Name { return paths.Name(filepath.Join("in", name)) }
	out := func(name string) paths.Name { return paths.Name(filepath.Join("out", name)) }
	bad := `in/b.png: not an image (starts with "no pict"; known: PNG JPEG GIF WebP TIFF BMP AVIF)`
	want := []pictureEvent{
		{Event: "skip", Input: in("c.png"), Output: out("c_2x.png"), Reason: "exists"},
		{Event: "start", Input: in("a.png"), Output: out("a_2x.png"), Number: 1, Of: 2},
		{Event: "done", Input: in("a.png"), Output: out("a_2x.png"), Number: 1, Of: 2, InputWidth: 9, InputHeight: 7,
			Width: 18, Height: 14, Model: "photo", LRPSNR: 40},
		{Event: "start", Input: in("b.png"), Output: out("b_2x.png"), Number: 2, Of: 2},
		{Event: "fail", Input: in("b.png"), Output: out("b_2x.png"), Number: 2, Of: 2, Error: filepath.FromSlash(bad),
			Class: "input", ExitCode: 4},
	}
	// Two pictures may be in work at once, so that both begin before the first ends.
	slices.SortStableFunc(pictures[1:], func(a, b pictureEvent) int { return a.Number - b.Number })
	if !reflect.DeepEqual(pictures, want) {
		t.Errorf("%+v\nexpected\n%+v", pictures, want)
	}
	wantLast := summaryEvent{Event: "summary", Total: 3, Done: 1, Skipped: 1, Failed: 1, ExitCode: 3,
		Error: "1 of 3 pictures failed, 2 are done: " + string(in("b.png")), Failures: []paths.Name{in("b.png")}}
	if fmt.Sprint(last) != fmt.Sprint(wantLast) {
		t.Errorf("%+v\nexpected\n%+v", last, wantLast)
	}
	// A call that fails before its work has a summary, too.
	for line, code := range map[string]int{"in -o out": 5, "none.png": 4, "in -s 17": 2, "in -m foto": 6} {
		stdout, _ := expect(t, dir, "", "--json "+line, code)
		if _, last := decodeEvents(t, stdout); last.ExitCode != code || last.Error == "" {
			t.Errorf("%s: %s", line, stdout)
		}
	}
}

// A dry run reports sizes, skipped and bad files and name clashes, and changes nothing.
func TestDryRun(t *testing.T) {
	dir := threePictures(t)
	before := consoletest.Tree(t, dir)
	stdout, _ := expect(t, dir, "", "in -o out --on-exist skip --dry-run", 3, "b.png: not an image")
	consoletest.InOrder(t, filepath.ToSlash(stdout), "in/c.png: skipped, out/c_2x.png exists\n",
		"in/a.png 9×7 -> out/a_2x.png 18×14, no flaws found, by photo, about ",
		"1 to make, 1 skipped, 1 cannot be, at most about ")
	stdout, stderr := expect(t, dir, "", "in in/a.png in/c.png -o out --dry-run --json", 5)
	pictures, last := decodeEvents(t, stdout)
	if last.Planned != 2 || last.ExitCode != 5 || strings.Count(stderr, "both make") != 2 ||
		strings.Count(stderr, "exists; use --on-exist") != 2 {
		t.Errorf("%+v\n%s", last, stderr)
	}
	if e := pictures[0]; e.Event != "plan" || e.Memory < 1<<20 || e.Width != 18 || e.Height != 14 || e.InputWidth != 9 {
		t.Errorf("%+v", e)
	}
	stdout, _ = expect(t, dir, "", "in/a.png -o new/ -s 16 --dry-run --json --max-memory 1", 7)
	if pictures, _ := decodeEvents(t, stdout); pictures[0].Event != "fail" || pictures[0].Memory <= 1<<20 {
		t.Errorf("%+v", pictures[0])
	}
	stdout, _ = expect(t, dir, "", "in/a.png -o new/ --dry-run --resume", 0)
	consoletest.InOrder(t, stdout, "1 to make, 0 skipped")
	if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("files %v", after)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a folder was made")
	}
}

// Resumed calls enlarge only what is missing, failed or changed.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	put := func(w, h int, names ...string) func() { return func() { consoletest.Blobs(t, dir, w, h, names...) } }
	must := func(err error) {
		t.Helper()
		must.Succeed(t, err)
	}
	const journal = "out/.superres-journal.jsonl"
	put(9, 7, "in/a.png", "in/b.png", "in/deep/c.png")()
	for _, step := range []struct {
		name          string
		change        func()
		flags         string
		done, skipped string
		code          int
	}{
		{name: "first", done: "abc"},
		{name: "nothing new", skipped: "abc"},
		{name: "a new file", change: put(5, 5, "in/d.png"), done: "d", skipped: "abc"},
		{name: "a changed input", change: put(9, 8, "in/a.png"), done: "a", skipped: "bcd"},
		{name: "a touched input", skipped: "abcd",
			change: func() { must(os.Chtimes("in/b.png", time.Now(), time.Now().Add(time.Hour))) }},
		{name: "a lost output", change: func() { must(os.Remove("out/deep/c_2x.png")) }, done: "c", skipped: "abd"},
		{name: "another model", flags: "-m nearest", done: "abcd"},
		{name: "and back", done: "abcd"},
		{name: "another size, so other names", flags: "-s 3", done: "abcd"},
		{name: "another quality, of JPEG alone", flags: "--quality 10", skipped: "abcd"},
		{name: "an output of somebody else", change: func() { putText(t, dir, "out/b_2x.png", "mine") }, code: 5},
		{name: "to be skipped", flags: "--on-exist skip", skipped: "a(b)cd"},
		{name: "to be overwritten", flags: "--on-exist overwrite", done: "b", skipped: "acd"},
		{name: "a part", flags: "--shard 0/1", skipped: "abcd"},
		{name: "a part after a change", change: put(3, 8, "in/a.png"), flags: "--shard 0/1", done: "a", skipped: "bcd"},
		{name: "all, after the part", skipped: "abcd"},
		{name: "half a line", change: func() {
			putText(t, dir, journal, string(consoletest.Read(t, dir, journal))+`{"state":"do`)
			put(5, 5, "in/e.png")()
		}, done: "e", skipped: "abcd"},
		{name: "after half a line", skipped: "abcde"},
		{name: "without metadata", flags: "--metadata strip", done: "abcde"},
		{name: "without metadata and record, said twice", flags: "--metadata strip --provenance=false",
			skipped: "abcde"},
		{name: "with the record alone", flags: "--metadata strip --provenance", done: "abcde"},
		{name: "in another depth", flags: "--depth 16", done: "abcde"},
	} {
		t.Chdir(dir)
		if step.change != nil {
			step.change()
		}
		stdout, _ := expect(t, dir, "", "-r in -o out --resume --json -m bicubic "+step.flags, step.code)
		pictures, last := decodeEvents(t, stdout)
		fates := map[string][]string{}
		for _, e := range pictures {
			name := strings.TrimSuffix(filepath.Base(string(e.Input)), ".png")
			if e.Reason == "exists" {
				name = "(" + name + ")"
			}
			fates[e.Event] = append(fates[e.Event], name)
		}
		sorted := func(s []string) string { return strings.Join(slices.SortedFunc(slices.Values(s), byLetter), "") }
		if done, skipped := sorted(fates["done"]), sorted(fates["skip"]); done != step.done ||
			skipped != step.skipped ||
			last.ExitCode != step.code {
			t.Errorf("%s: done %s, skipped %s; expected %s, %s", step.name, done, skipped, step.done, step.skipped)
		}
	}
	// A journal is open in one program at a time.
	j, err := parts.OpenJournal[parts.Record](journal, 0o666, nil)
	must(err)
	put(5, 5, "in/f.png")()
	if runtime.GOOS == "linux" {
		expect(t, dir, "", "-r in -o out --resume", 5, "another superres is at work")
	}
	must(j.Close())
	// Results among the inputs are no inputs.
	for range 2 {
		succeeds(t, dir, "-r in -o in --resume -q -m bicubic")
		succeeds(t, dir, "in/*.png --resume -q -m bicubic")
	}
	if n := len(consoletest.Tree(t, filepath.Join(dir, "in"))); n != 6+6+1 {
		t.Errorf("%d files in in", n)
	}
	expect(t, dir, "", "in/a_2x.png --resume", 4, "leave out --resume")
	// Without --resume nothing is kept.
	succeeds(t, dir, "in/a.png -o elsewhere/ -m bicubic")
	if files := consoletest.Tree(t, filepath.Join(dir, "elsewhere")); len(files) != 1 {
		t.Errorf("%v", files)
	}
}

// byLetter compares names, ignoring parentheses around them.
func byLetter(a, b string) int { return strings.Compare(strings.Trim(a, "()"), strings.Trim(b, "()")) }
