package app

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no
// new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	put := func(name, data string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "b/a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "exists_2x.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "exists.png"), consoletest.Blob(9, 7))
	whole, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	put("notes.png", "Dear all, this is a text")
	put("short.png", string(whole[:len(whole)/2]))
	header := "IHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x06\x00\x00\x00"
	put("huge.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\r"+header+string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(header)))))
	put("bad.npz", "PK no zip")
	put("empty.png", "")
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o777); err != nil {
		t.Fatal(err)
	}
	before := consoletest.Tree(t, dir)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"version", "extra"}, 2, "takes no argument"},
		{[]string{"help", "nosuch"}, 2, `unknown command "nosuch"`},
		{[]string{"help", "dict", "shwo"}, 2, `did you mean "show"?`},
		{[]string{"--versoin"}, 2, `did you mean "--version"?`},
		{[]string{"-m", "photo", "upscale", "a.png"}, 2, `unknown flag "-m"`},
		{[]string{"man", "upscale"}, 2, "man takes no argument"},
		{[]string{"-q", "upscale", "a.png"}, 2, "all others come after the command"},
		{[]string{"upscael", "a.png"}, 2, `did you mean "upscale"?`},
	} {
		stdout, stderr, code := call(t, dir, "", c.args...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "superres: ") || stdout != "" {
			t.Errorf("%v: exit %d, expected %d with %q\n%s%s", c.args, code, c.code, c.want, stdout, stderr)
		}
		if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
			t.Fatalf("%v left files: %v", c.args, after)
		}
	}
}
