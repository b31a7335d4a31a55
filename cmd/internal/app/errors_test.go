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
func TestErrorsOfCommands(t *testing.T) {
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
		{[]string{"completion", "bsh"}, 2, `did you mean "bash"?`},
		{[]string{"train", "-", "-o", "m.npz"}, 2, "does not read standard input"},
		{[]string{"train", "a.png", "-o", "m.npz", "--learner", "ksdv"}, 2, `did you mean "ksvd"?`},
		{[]string{"train", "a.png", "-o", "m.npz", "--atoms", "0"}, 2, "--atoms 0"},
		{[]string{"train", "a.png", "-o", "m.npz", "--scale", "5"}, 2, "scale 5, expected 2 to 4"},
		{[]string{"train", "a.png", "-o", "m.npz", "--atoms", "3", "--sparsity", "9"}, 2, "more than the 3 atoms"},
		{[]string{"train", "a.png", "-o", "m.npz", "--limit", "-1"}, 2, "--limit -1"},
		{[]string{"train", "a.png", "-o", "m.npz", "--index", "x"}, 2, "no image number"},
		{[]string{"train", "a.png", "-o", "m.npz", "--max-pixels", "0"}, 2, "--max-pixels 0"},
		{[]string{"train", "a.png", "-o", strings.Repeat("x", 300) + ".npz"}, 5, "cannot be written"},
		{[]string{"train", "a.png", "-o", "m.txt"}, 2, "ends in .npz"},
		{[]string{"train", "a.png", "-o", "none/m.npz"}, 5, "none/m.npz: cannot be written"},
		{[]string{"train", "a.png", "-o", "m.npz", "--degradation", "blur"}, 2, "unknown degradation"},
		{[]string{"train", "a.png", "-o", "m.npz", "--held-out", "1"}, 2, "none is left to learn from"},
		{[]string{"train", "a.png", "b/a.png", "-o", "m.npz", "--held-out", "1"}, 4, "a held-out picture of 9×7"},
		{[]string{"train", "a.png", "-o", "m.npz", "--patch", "5"}, 4, "no patch pair was found"},
		{[]string{"train", "a.png", "-o", "m.npz", "--flat", "NaN"}, 2, "--flat NaN"},
		{[]string{"train", "a.png", "-o", "m.npz", "--sparsity", "-1"}, 2, "--sparsity -1"},
		{[]string{"train", "a.png", "-o", "m.npz", "--coder", "opm"}, 2, `did you mean "omp"?`},
		{[]string{"train", "a.png", "-o", "m.npz", "--patch", "16", "--patches", "40000000"}, 7, "--max-memory"},
		{[]string{"train", "a.png", "-o", "m.npz", "--atoms", "65536"}, 2, "number of atoms"},
		{[]string{"train", "a.png"}, 2, "-o FILE.npz"},
		{[]string{"train", "notes.png", "-o", "m.npz"}, 4, "not an image"},
		{[]string{"train", "a.png", "-o", "bad.npz"}, 5, "bad.npz exists"},
		{[]string{"eval", "a.png"}, 2, "expected REF and TEST"},
		{[]string{"eval", "a.png", "exists.png", "--protocol", "nef"}, 2, `did you mean "nfe"?`},
		{[]string{"eval", "-m", "photo", "missing.png"}, 4, "missing.png"},
		{[]string{"models", "foto"}, 6, `did you mean "photo"?`},
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
