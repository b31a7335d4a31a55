package parts

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/paths"
	"superres/internal/must"
)

// A journal that is a symbolic or a hard link to another file is refused, and that file is not changed.
func TestLinkedJournal(t *testing.T) {
	for want, link := range map[string]func(from, to string) error{"is a symbolic link": os.Symlink,
		"has other names as well": os.Link} {
		dir := t.TempDir()
		precious, name := filepath.Join(dir, "precious"), filepath.Join(dir, "journal.jsonl")
		consoletest.Put(t, precious, []byte("no end of line"))
		if err := link(precious, name); err != nil {
			t.Skip(err)
		}
		_, err := OpenJournal[int](name, 0o666, nil)
		if console.ExitCode(err) != console.ExitOutput || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
		if got := string(consoletest.Read(t, precious)); got != "no end of line" {
			t.Errorf("it is %q now", got)
		}
	}
}

// There are at most MaxParts parts.
func TestMostParts(t *testing.T) {
	many := Part{Index: 3, Of: MaxParts}
	if p, err := Parse(many.String()); err != nil || p != many {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := Parse("0/1000001"); console.ExitCode(err) != console.ExitUsage {
		t.Errorf("a million and one parts: %v", err)
	}
}

// Of two lines of a journal the later counts, even if the clock was set back in between.
func TestJournalOfAWrongClock(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, ".superres-journal.jsonl"),
		[]byte(`{"state":"done","output":"a","settings":"old","time":"2030-01-01T00:00:00Z"}
{"state":"done","output":"a","settings":"new","time":"2020-01-01T00:00:00Z"}
`))
	consoletest.Put(t, filepath.Join(dir, ".superres-journal.0-of-2.jsonl"),
		[]byte(`{"state":"done","output":"a","settings":"older","time":"2019-01-01T00:00:00Z"}
`))
	recorded, err := NewLedger(Part{}).read(dir)
	if err != nil || recorded.stories[paths.KeyOf("a")].source != sourceKey("", "new") {
		t.Errorf("%+v, %v", recorded, err)
	}
}

// The record of a picture takes few bytes of memory, so that there may be millions.
func TestPastIsSmall(t *testing.T) {
	const count, most = 20_000, 250 // bytes
	name := filepath.Join(t.TempDir(), ".superres-journal.jsonl")
	j := must.Get(OpenJournal[Record](name, 0o666, nil))(t)
	sum := strings.Repeat("0123456789abcdef", 4)
	for i := range count {
		place := fmt.Sprintf("a/rather/deep/folder/of/pictures/%06d.png", i)
		if err := j.Add(Record{State: "done", Output: paths.Name(place), Input: paths.Name(place), SHA256: sum,
			Settings: sum, Bytes: 1, Result: sum}); err != nil {
			t.Fatal(err)
		}
	}
	must.Succeed(t, j.Close())
	bytes := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := bytes()
	recorded := must.Get(NewLedger(Part{}).read(filepath.Dir(name)))(t)
	if got := (bytes() - before) / count; len(recorded.stories) != count || got > most {
		t.Errorf("%d outputs of %d bytes each, expected %d of %d at most", len(recorded.stories), got, count, most)
	}
	runtime.KeepAlive(recorded)
}

// OpenJournal with a nil each removes an incomplete last line, and no other line.
func TestJournalGoesOn(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	for _, c := range []struct{ text, want string }{
		{"", "\"new\"\n"},
		{"\"one\"\n", "\"one\"\n\"new\"\n"},
		{"\"one\"\n\"tw", "\"one\"\n\"new\"\n"},
		{"\"on", "\"new\"\n"},
	} {
		consoletest.Put(t, name, []byte(c.text))
		j := must.Get(OpenJournal[string](name, 0o666, nil))(t)
		must.Succeed(t, errors.Join(j.Add("new"), j.Close()))
		if got, err := os.ReadFile(name); err != nil || string(got) != c.want {
			t.Errorf("%q became %q, expected %q (%v)", c.text, got, c.want, err)
		}
	}
	if err := os.Truncate(name, 1<<33); err != nil { // of zeros, without a line's end
		t.Skip(err)
	}
	_, err := OpenJournal[string](name, 0o666, nil)
	if err == nil || !strings.Contains(err.Error(), "last line has more than") {
		t.Errorf("a line without end: %v", err)
	}
}

// Every picture is in exactly one part, whatever the other pictures are, and the parts have similar sizes. The expected
// numbers are fixed: a part must not change between versions.
func TestShards(t *testing.T) {
	for n := 1; n <= 9; n++ {
		count := make([]int, n)
		for i := range 900 {
			place, found := fmt.Sprintf("dir%d/%d.png", i%7, i), 0
			for k := range n {
				if (Part{k, n}).Has(place) {
					count[k]++
					found++
				}
			}
			if found != 1 || !(Part{}).Has(place) {
				t.Fatalf("%s is in %d of %d parts", place, found, n)
			}
		}
		if least := slices.Min(count); least < 900/n*7/10 {
			t.Errorf("of %d parts, one has %d of 900", n, least)
		}
	}
	for place, want := range map[string]int{"a.png": 1, "in/b.png": 6, "deep/er/c.jpg": 6} {
		if got := slices.IndexFunc([]int{0, 1, 2, 3, 4, 5, 6},
			func(k int) bool { return Part{k, 7}.Has(place) }); got != want {
			t.Errorf("%s is in part %d, expected %d", place, got, want)
		}
	}
	for _, bad := range []string{"7/7", "-1/7", "1", "1/", "/2", "0/0", "a/b", "1/2/3", "0/7x"} {
		if s, err := Parse(bad); err == nil {
			t.Errorf("%s: %+v", bad, s)
		}
	}
	if s, err := Parse("6/7"); err != nil || s != (Part{6, 7}) || s.Suffix() != ".6-of-7" || s.String() != "6/7" {
		t.Errorf("%+v, %v", s, err)
	}
}

// openLedger returns a ledger that is open for work in the folder dir.
func openLedger(t *testing.T, dir string) *Ledger {
	t.Helper()
	l := NewLedger(Part{})
	must.Get(l.read(dir))(t)
	must.Succeed(t, l.Open([]string{dir}, 0o666))
	return l
}

// Only a file with the size and hash that a journal records is replaced: not a file that took the name of a result that
// was never written, nor a result that was edited since, whatever its size.
func TestOnlyResultsAreReplaced(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.png")
	consoletest.Put(t, in, []byte("input"))
	info := must.Get(os.Stat(in))(t)
	file := func(settings string) File {
		return File{Input: in, Place: "in.png", Output: filepath.Join(dir, "out.png"), Root: dir, Settings: settings}
	}
	made := func(l *Ledger, settings, text string, fail error) error {
		defer l.Close()
		return l.Keep(file(settings), info, false, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fail)
		})
	}
	judged := func(settings string) (done, ours bool) {
		t.Helper()
		there := must.Get(os.Lstat(file(settings).Output))(t)
		done, ours, err := NewLedger(Part{}).Judge(file(settings), info, there)
		must.Succeed(t, err)
		return done, ours
	}
	if err := made(openLedger(t, dir), "a", "first", errors.New("no room")); err == nil {
		t.Fatal("a failure is no error")
	}
	consoletest.Put(t, file("a").Output, []byte("mine"))
	if done, ours := judged("a"); done || ours {
		t.Errorf("a file of another's, after a failure: done %v, ours %v", done, ours)
	}
	if err := made(openLedger(t, dir), "a", "first", nil); err == nil {
		t.Error("it is replaced")
	}
	must.Succeed(t, os.Remove(file("a").Output))
	must.Succeed(t, made(openLedger(t, dir), "a", "first", nil))
	if done, ours := judged("a"); !done || !ours {
		t.Errorf("a result: done %v, ours %v", done, ours)
	}
	if done, ours := judged("b"); done || !ours {
		t.Errorf("a result of other settings: done %v, ours %v", done, ours)
	}
	// A run was killed after it wrote its line and before its file: the old file is still there.
	journal := filepath.Join(dir, ".superres-journal.jsonl")
	text := consoletest.Read(t, journal)
	const begun = `{"state":"start","output":"out.png","input":"in.png","settings":"b","bytes":6,"result":"00",` +
		`"time":"2099-01-01T00:00:00Z"}` + "\n"
	consoletest.Put(t, journal, append(text, begun...))
	if done, ours := judged("b"); done || !ours {
		t.Errorf("the result before the one that was begun: done %v, ours %v", done, ours)
	}
	must.Succeed(t, made(openLedger(t, dir), "b", "second", nil))
	consoletest.Put(t, file("b").Output, []byte("edited"))
	if done, ours := judged("a"); done || ours {
		t.Errorf("a result that was edited: done %v, ours %v", done, ours)
	}
	if err := made(openLedger(t, dir), "a", "first", nil); err == nil {
		t.Error("what was edited is replaced")
	}
	if got, _ := os.ReadFile(file("b").Output); string(got) != "edited" {
		t.Errorf("it is %q now", got)
	}
}

// readAll returns the texts in the journal name, and the results of ReadJournal.
func readAll(name string) (list []string, end int64, damaged int, err error) {
	end, damaged, err = ReadJournal(name, func(text string) { list = append(list, text) })
	return list, end, damaged, err
}

// A damaged line is skipped, and a line without an end is refused.
func TestDamagedJournals(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	consoletest.Put(t, name, []byte("\"one\"\n\"tw\"three\"\n\"four\"\n\"fi"))
	list, end, damaged, err := readAll(name)
	if err != nil || damaged != 2 || end != 24 || !slices.Equal(list, []string{"one", "four"}) {
		t.Errorf("%q, %d, %d, %v", list, end, damaged, err)
	}
	if err := os.Truncate(name, 1<<33); err != nil { // of zeros, without a line's end
		t.Skip(err)
	}
	if _, _, _, err := readAll(name); err == nil || !strings.Contains(err.Error(), "line 4 has more than") {
		t.Errorf("a line without end: %v", err)
	}
}
