package upscale

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// laden returns a JPEG with a number of comments before its pixels, each with text.
func laden(t *testing.T, comments int, text string) string {
	t.Helper()
	photo := string(imagetest.Encoded(t,
		func(b *bytes.Buffer) error { return jpeg.Encode(b, consoletest.Blob(9, 7), nil) }))
	return photo[:2] + strings.Repeat(string(imagetest.JPEGSegment(0xfe, []byte(text)...)), comments) + photo[2:]
}

// --max-memory also limits the memory of files, metadata and pipes.
func TestMemoryOfFiles(t *testing.T) {
	dir := t.TempDir()
	data := laden(t, 400, strings.Repeat("x", 60_000)) // 23 MiB, of which 16 are kept
	putText(t, dir, "a.jpg", data)
	putText(t, dir, "small.jpg", laden(t, 1, ""))
	memory := func(line string) int64 {
		t.Helper()
		stdout, _ := expect(t, dir, "", "-m nearest --dry-run --json "+line, 0)
		plans, _ := decodeEvents(t, stdout)
		return plans[0].Memory
	}
	small, keep, strip := memory("small.jpg"), memory("a.jpg"), memory("a.jpg --metadata strip")
	if strip < small+int64(len(data)) || keep < strip+15<<20 {
		t.Errorf("the plan says %d bytes for a small file, %d for one of %d without its metadata, %d with them", small,
			strip, len(data), keep)
	}
	for _, c := range []struct {
		line string
		code int
		want string
	}{
		{"a.jpg --max-memory 60", console.ExitLimit, "the limit is 60 MiB; use --max-memory"},
		{"a.jpg --max-memory 70 --metadata strip", console.ExitOK, ""},
		{"a.jpg --max-memory 100", console.ExitOK, ""},
		{"- --max-memory 60 -o b.jpg", console.ExitLimit,
			"standard input: has more than the limit of 21.82 MiB; use --max-memory"},
		{"- --max-memory 80 -o b.jpg", console.ExitLimit, "the limit is 80 MiB; use --max-memory"},
		{"- --max-memory 150 -o b.jpg", console.ExitOK, ""},
	} {
		expect(t, dir, data, "-q -m nearest --on-exist overwrite "+c.line, c.code, c.want)
	}
}

// While standard input is read, it has all memory to itself, and then gives it back to the files in work.
func TestPipeAmongFiles(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 30, 20, "a.png", "b.png", "c.png")
	expect(t, dir, string(consoletest.Read(t, dir, "a.png")), "-m nearest -q a.png - b.png c.png -o out/", 0)
	if got := consoletest.Tree(t, filepath.Join(dir, "out")); len(got) != 4 {
		t.Error(fmt.Sprint("made ", got))
	}
}
