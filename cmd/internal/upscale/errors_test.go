package upscale

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
		{[]string{"upscale", "notes.png"}, 4, `notes.png: not an image (starts with "Dear al`},
		{[]string{"upscale", "short.png"}, 4, "short.png: damaged PNG"},
		{[]string{"upscale", "empty.png"}, 4, "empty.png: "},
		{[]string{"upscale", "huge.png"}, 7, "65535x65535"},
		{[]string{"upscale", "missing.png"}, 4, "missing.png: "},
		{[]string{"upscale", "nothing"}, 4, "nothing: no pictures in this folder"},
		{[]string{"upscale", "x*.png"}, 4, "no file matches"},
		{[]string{"upscale", "a.png", "-s", "16", "--max-memory", "1"}, 7, "--max-memory"},
		{[]string{"upscale", "exists.png"}, 5, "exists_2x.png exists; use --on-exist"},
		{[]string{"upscale", "a.png", "-o", "a.png", "--on-exist", "overwrite"}, 5, "the output is the input"},
		{[]string{"upscale", "a.png", "b", "-o", "out"}, 5, "both make"},
		{[]string{"upscale", "a.png", "-o", "a.gif"}, 2, "a.gif"},
		{[]string{"upscale", "a.png", "-o", "exists.png/"}, 5, "exists.png"},
		{[]string{"upscale", "a.png", "-m", "foto"}, 6, `did you mean "photo"?`},
		{[]string{"upscale", "a.png", "-m", "bad.npz"}, 6, "bad.npz: not an .npz file"},
		{[]string{"upscale", "a.png", "-m", "none.npz"}, 6, "none.npz"},
		{[]string{"upscale", "exists.png", "exists_2x.png", "--on-exist", "overwrite"}, 5, "exists_2x.png is an input as well"},
		{[]string{"upscale", "a.png", "b", "-o", "out.png"}, 2, "several pictures need a folder"},
		{[]string{"upscale", "b", "b/a.png", "-o", "-"}, 2, "standard output takes one picture"},
		{[]string{"upscale", "a.png", "-m", "./a.png"}, 6, "not an .npz file"},
		{[]string{"upscale", "a.png", "-m", "b/"}, 6, "not a regular file"},
		{[]string{"upscale", "a.png", "-j", "-1"}, 2, "--jobs -1"},
		{[]string{"upscale", "a.png", "--max-memory", "17592186044417"}, 2, "--max-memory"},
		{[]string{"upscale", "a.png", "--max-pixels", "18446744073710"}, 2, "--max-pixels"},
		{[]string{"upscale", "a.png", "--back-projection", "-7"}, 2, "--back-projection -7"},
		{[]string{"upscale", "a.png/"}, 4, "a.png"},
		{[]string{"upscale"}, 2, "no input"},
		{[]string{"upscale", ""}, 2, "an input has an empty name"},
		{[]string{"upscale", "a.png", "-o", ""}, 2, "-o names nothing"},
		{[]string{"upscale", "a.png", "-s", "1e400"}, 2, `-s "1e400": expected a number of a usual size`},
		{[]string{"upscale", "a.png", "--quality", "best"}, 2, `--quality "best": expected a whole number`},
		{[]string{"upscale", "a.png", "--timeout", "5"}, 2, `--timeout "5": expected a time such as 30s or 2m`},
		{[]string{"upscale", "a.png", "--json=perhaps"}, 2, `--json "perhaps": expected true or false`},
		{[]string{"upscale", "a.png", "-x"}, 2, `unknown flag "-x"`},
		{[]string{"upscale", "a.png", "-s", "17"}, 2, "expected 1 to 16"},
		{[]string{"upscale", "a.png", "-s", "two"}, 2, "two"},
		{[]string{"upscale", "a.png", "--scael", "2"}, 2, `did you mean "--scale"?`},
		{[]string{"upscale", "a.png", "-s"}, 2, "flag -s needs a value"},
		{[]string{"upscale", "a.png", "-m", "coupled", "--sparsity", "4000"}, 2, "more than the 1024 atoms"},
		{[]string{"upscale", "a.png", "-m", "coupled", "--coder", "opm"}, 2, `did you mean "omp"?`},
		{[]string{"upscale", "a.png", "-m", "bicubic", "--sparsity", "2"}, 2, "codes no patches"},
		{[]string{"upscale", "a.png", "-f", "gif"}, 2, "expected png, jpeg"},
		{[]string{"upscale", "a.png", "--on-exist", "overwrit"}, 2, `--on-exist: unknown value "overwrit"; did you mean "overwrite"? (known: fail skip overwrite)`},
		{[]string{"upscale", "a.png", "--metadata", "stirp"}, 2, `--metadata: unknown value "stirp"; did you mean "strip"? (known: keep strip)`},
		{[]string{"upscale", "a.png", "--depth", "12"}, 2, `--depth: unknown value "12"; did you mean "16"? (known: same 8 16)`},
		{[]string{"upscale", "a.png", "--depth", "32"}, 2, `--depth: unknown value "32" (known: same 8 16)`},
		{[]string{"upscale", "a.png", "--effort", "fats"}, 2, `did you mean "fast"?`},
		{[]string{"upscale", "a.png", "--quality", "0"}, 2, "expected 1 to 100"},
		{[]string{"upscale", "a.png", "--name", "x/{stem}"}, 2, "without folders"},
		{[]string{"upscale", "a.png", "--progress", "plane"}, 2, `did you mean "plain"? (known: auto bar plain none)`},
		{[]string{"upscale", "a.png", filepath.Join(dir, "a.png")}, 5, "both make"},
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
