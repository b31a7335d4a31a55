package upscale

import (
	"bytes"
	"image/jpeg"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// laden is a JPEG with so many comments in front of its pixels, of the given bytes.
func laden(t *testing.T, comments int, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, consoletest.Blob(9, 7), nil); err != nil {
		t.Fatal(err)
	}
	n := len(text) + 2
	one := append([]byte{0xff, 0xfe, byte(n >> 8), byte(n)}, text...)
	return bytes.Join([][]byte{b.Bytes()[:2], bytes.Repeat(one, comments), b.Bytes()[2:]}, nil)
}

// A picture whose metadata are too many is enlarged, and it is said once; what is stripped is
// not worth a word.
func TestTooManyMetadata(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a.jpg"), laden(t, 10_000, ""))
	_, stderr, code := call(t, dir, "", "upscale", "a.jpg", "-m", "nearest")
	if code != 0 || stderr != "superres: a.jpg: its texts are more than 4096, and in part left out\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if n := len(consoletest.Read(t, filepath.Join(dir, "a_2x.jpg"))); n < 4*4096 || n > 5*4096 {
		t.Errorf("%d bytes", n)
	}
	_, stderr, code = call(t, dir, "", "upscale", "a.jpg", "-m", "nearest", "--metadata", "strip", "-o", "b.jpg")
	if n := len(consoletest.Read(t, filepath.Join(dir, "b.jpg"))); code != 0 || stderr != "" || n > 2000 {
		t.Errorf("exit %d, %d bytes, %s", code, n, stderr)
	}
}

// --max-memory is for files, metadata and pipes as well.
func TestMemoryOfFiles(t *testing.T) {
	dir := t.TempDir()
	data := laden(t, 400, strings.Repeat("x", 60_000)) // 23 MiB, of which 16 are kept
	consoletest.Put(t, filepath.Join(dir, "a.jpg"), data)
	consoletest.Put(t, filepath.Join(dir, "small.jpg"), laden(t, 1, ""))
	memory := func(args ...string) int64 {
		t.Helper()
		stdout, stderr, code := call(t, dir, "",
			append([]string{"upscale", "-m", "nearest", "--dry-run", "--json"}, args...)...)
		plans, _ := decodeEvents(t, stdout)
		if code != 0 || len(plans) != 1 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
		return plans[0].Memory
	}
	small, keep, strip := memory("small.jpg"), memory("a.jpg"), memory("a.jpg", "--metadata", "strip")
	if strip < small+int64(len(data)) || keep < strip+15<<20 {
		t.Errorf("the plan says %d bytes for a small file, %d for one of %d without its metadata, %d with them", small,
			strip, len(data), keep)
	}
	for _, c := range []struct {
		stdin string
		args  string
		code  int
		want  string
	}{
		{"", "a.jpg --max-memory 60", console.ExitLimit, "the limit is 60 MiB; use --max-memory"},
		{"", "a.jpg --max-memory 70 --metadata strip", console.ExitOK, ""},
		{"", "a.jpg --max-memory 100", console.ExitOK, ""},
		{string(data), "- --max-memory 60 -o b.jpg", console.ExitLimit,
			"standard input: has more than the limit of 21.82 MiB; use --max-memory"},
		{string(data), "- --max-memory 80 -o b.jpg", console.ExitLimit, "the limit is 80 MiB; use --max-memory"},
		{string(data), "- --max-memory 150 -o b.jpg", console.ExitOK, ""},
	} {
		args := append([]string{"upscale", "-q", "-m", "nearest", "--on-exist", "overwrite"}, strings.Fields(c.args)...)
		if _, stderr, code := call(t, dir, c.stdin, args...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
}

// A pipe among files has the memory to itself while it is read, and gives it back.
func TestPipeAmongFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.png", "c.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(30, 20))
	}
	pipe := string(consoletest.Read(t, filepath.Join(dir, "a.png")))
	if _, stderr, code := call(t, dir, pipe, "upscale", "-m", "nearest", "-q", "a.png", "-", "b.png", "c.png", "-o",
		"out/"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := consoletest.Tree(t, filepath.Join(dir, "out")); len(got) != 4 {
		t.Errorf("made %v", got)
	}
}
