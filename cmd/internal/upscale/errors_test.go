package upscale

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
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
	put("huge.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\r"+header+string(binary.BigEndian.AppendUint32(nil,
		crc32.ChecksumIEEE([]byte(header)))))
	put("bad.npz", "PK no zip")
	put("empty.png", "")
	// What cannot be read is told before its output, which is there.
	for _, name := range []string{"gone", "text", "phone", "nothing_at_all"} {
		consoletest.WritePicture(t, filepath.Join(dir, name+"_2x.png"), consoletest.Blob(9, 7))
	}
	put("text.png", "Dear all, this is a text")
	put("phone.png", heic)
	put("nothing_at_all.png", "")
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o777); err != nil {
		t.Fatal(err)
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "gone.png"}, Code: 4, Want: "gone.png: does not exist; check the name"},
		{Args: []string{"upscale", "text.png"}, Code: 4, Want: `text.png: not an image (starts with "Dear al`},
		{Args: []string{"upscale", "phone.png"}, Code: 4, Want: "phone.png: HEIC cannot be read"},
		{Args: []string{"upscale", "nothing_at_all.png"}, Code: 4, Want: "nothing_at_all.png: is empty"},
		{Args: []string{"upscale", "text.png", "-o", "exists.png"}, Code: 4, Want: "text.png: not an image"},
		{Args: []string{"upscale", "notes.png"}, Code: 4, Want: `notes.png: not an image (starts with "Dear al`},
		{Args: []string{"upscale", "short.png"}, Code: 4, Want: "short.png: damaged PNG"},
		{Args: []string{"upscale", "empty.png"}, Code: 4, Want: "empty.png: "},
		{Args: []string{"upscale", "huge.png"}, Code: 7, Want: "65535x65535"},
		{Args: []string{"upscale", "missing.png"}, Code: 4, Want: "missing.png: "},
		{Args: []string{"upscale", "nothing"}, Code: 4, Want: "nothing: no pictures in this folder"},
		{Args: []string{"upscale", "x*.png"}, Code: 4, Want: "no file matches"},
		{Args: []string{"upscale", "a.png", "-s", "16", "--max-memory", "1"}, Code: 7, Want: "--max-memory"},
		{Args: []string{"upscale", "exists.png"}, Code: 5, Want: "exists_2x.png exists; use --on-exist"},
		{Args: []string{"upscale", "a.png", "-o", "a.png", "--on-exist", "overwrite"}, Code: 5,
			Want: "the output is the input"},
		{Args: []string{"upscale", "a.png", "b", "-o", "out"}, Code: 5, Want: "both make"},
		{Args: []string{"upscale", "a.png", "-o", "a.gif"}, Code: 2, Want: "a.gif"},
		{Args: []string{"upscale", "a.png", "-o", "exists.png/"}, Code: 5, Want: "exists.png"},
		{Args: []string{"upscale", "a.png", "-m", "foto"}, Code: 6, Want: `did you mean "photo"?`},
		{Args: []string{"upscale", "a.png", "-m", "bad.npz"}, Code: 6, Want: "bad.npz: not an .npz file"},
		{Args: []string{"upscale", "a.png", "-m", "none.npz"}, Code: 6, Want: "none.npz"},
		{Args: []string{"upscale", "exists.png", "exists_2x.png", "--on-exist", "overwrite"}, Code: 5,
			Want: "exists_2x.png is an input as well"},
		{Args: []string{"upscale", "a.png", "b", "-o", "out.png"}, Code: 2, Want: "several pictures need a folder"},
		{Args: []string{"upscale", "b", "b/a.png", "-o", "-"}, Code: 2, Want: "standard output takes one picture"},
		{Args: []string{"upscale", "a.png", "-m", "./a.png"}, Code: 6, Want: "not an .npz file"},
		{Args: []string{"upscale", "a.png", "-m", "b/"}, Code: 6, Want: "not a regular file"},
		{Args: []string{"upscale", "a.png", "-j", "-1"}, Code: 2, Want: "--jobs -1"},
		{Args: []string{"upscale", "a.png", "--max-memory", "17592186044417"}, Code: 2, Want: "--max-memory"},
		{Args: []string{"upscale", "a.png", "--max-pixels", "18446744073710"}, Code: 2, Want: "--max-pixels"},
		{Args: []string{"upscale", "a.png", "--back-projection", "-7"}, Code: 2, Want: "--back-projection -7"},
		{Args: []string{"upscale", "a.png/"}, Code: 4, Want: "a.png"},
		{Args: []string{"upscale"}, Code: 2, Want: "no input"},
		{Args: []string{"upscale", ""}, Code: 2, Want: "an input has an empty name"},
		{Args: []string{"upscale", "a.png", "-o", ""}, Code: 2, Want: "-o names nothing"},
		{Args: []string{"upscale", "a.png", "-s", "1e400"}, Code: 2,
			Want: "--scale 1e400: expected 1 to 16, such as 2"},
		{Args: []string{"upscale", "a.png", "--quality", "best"}, Code: 2,
			Want: `--quality "best": expected a whole number`},
		{Args: []string{"upscale", "a.png", "--timeout", "soon"}, Code: 2,
			Want: `--timeout "soon": expected a time such as 30s or 2m`},
		{Args: []string{"upscale", "a.png", "--json=perhaps"}, Code: 2,
			Want: `--json "perhaps": expected true or false`},
		{Args: []string{"upscale", "a.png", "-x"}, Code: 2, Want: `unknown flag "-x"`},
		{Args: []string{"upscale", "a.png", "-s", "17"}, Code: 2, Want: "expected 1 to 16"},
		{Args: []string{"upscale", "a.png", "-s", "two"}, Code: 2, Want: "two"},
		{Args: []string{"upscale", "a.png", "--scael", "2"}, Code: 2, Want: `did you mean "--scale"?`},
		{Args: []string{"upscale", "a.png", "-s"}, Code: 2, Want: "flag -s needs a value"},
		{Args: []string{"upscale", "a.png", "-m", "coupled", "--sparsity", "4000"}, Code: 2,
			Want: "more than the 1024 atoms"},
		{Args: []string{"upscale", "a.png", "-m", "coupled", "--coder", "opm"}, Code: 2, Want: `did you mean "omp"?`},
		{Args: []string{"upscale", "a.png", "-m", "bicubic", "--sparsity", "2"}, Code: 2, Want: "codes no patches"},
		{Args: []string{"upscale", "a.png", "-f", "gif"}, Code: 2, Want: "GIF is written for animations alone"},
		{Args: []string{"upscale", "a.png", "--on-exist", "overwrit"}, Code: 2,
			Want: `--on-exist: unknown value "overwrit"; did you mean "overwrite"? (known: fail skip overwrite)`},
		{Args: []string{"upscale", "a.png", "--metadata", "stirp"}, Code: 2,
			Want: `--metadata: unknown value "stirp"; did you mean "strip"? (known: keep strip)`},
		{Args: []string{"upscale", "a.png", "--depth", "12"}, Code: 2,
			Want: `--depth: unknown value "12"; did you mean "16"? (known: same 8 16)`},
		{Args: []string{"upscale", "a.png", "--depth", "32"}, Code: 2,
			Want: `--depth: unknown value "32" (known: same 8 16)`},
		{Args: []string{"upscale", "a.png", "--effort", "fats"}, Code: 2, Want: `did you mean "fast"?`},
		{Args: []string{"upscale", "a.png", "--quality", "0"}, Code: 2, Want: "expected 1 to 100"},
		{Args: []string{"upscale", "a.png", "--name", "x/{stem}"}, Code: 2, Want: "without folders"},
		{Args: []string{"upscale", "a.png", "--progress", "plane"}, Code: 2,
			Want: `did you mean "plain"? (known: auto bar plain none)`},
		{Args: []string{"upscale", "a.png", filepath.Join(dir, "a.png")}, Code: 5, Want: "both make"},
	})
}
