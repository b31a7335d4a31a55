package upscale

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// Each wrong input, option or model gives one clear line and the right exit code, and leaves no new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	// What cannot be read is told before its output, which is there.
	consoletest.Blobs(t, dir, 9, 7, "a.png", "b/a.png", "exists.png", "exists_2x.png", "gone_2x.png", "text_2x.png",
		"phone_2x.png", "nothing_at_all_2x.png")
	whole := string(consoletest.Read(t, dir, "a.png"))
	header := "IHDR\x00\x00\xff\xff\x00\x00\xff\xff\x08\x06\x00\x00\x00"
	sum := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(header)))
	for name, text := range map[string]string{
		"text.png": "Dear all, this is a text", "short.png": whole[:len(whole)/2], "phone.png": heic,
		"huge.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\r" + header + string(sum), "nothing_at_all.png": "",
		"bad.npz": "PK no zip",
	} {
		putText(t, dir, name, text)
	}
	must.Succeed(t, os.Mkdir(filepath.Join(dir, "nothing"), 0o777))
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", ""}, Code: 2, Want: "an input has an empty name"},
		{Args: []string{"upscale", "a.png", "-o", ""}, Code: 2, Want: "-o names nothing"},
	})
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		// Inputs.
		{"gone.png", console.ExitInput, "gone.png: does not exist; check the name"},
		{"text.png", console.ExitInput, `text.png: not an image (starts with "Dear al`},
		{"text.png -o exists.png", console.ExitInput, "text.png: not an image"},
		{"phone.png", console.ExitInput, "phone.png: HEIC cannot be read"},
		{"nothing_at_all.png", console.ExitInput, "nothing_at_all.png: is empty"},
		{"short.png", console.ExitInput, "short.png: damaged PNG"},
		{"nothing", console.ExitInput, "nothing: no pictures in this folder"},
		{"x*.png", console.ExitInput, "no file matches"},
		{"a.png/", console.ExitInput, "a.png"},
		{"none.png out.png", console.ExitInput, "none.png: does not exist"},
		{"", console.ExitUsage, "no input"},
		{"huge.png", console.ExitLimit, "65535×65535"},
		{"a.png -s 16 --max-memory 1", console.ExitLimit, "--max-memory"},
		// Outputs.
		{"exists.png", console.ExitOutput, "exists_2x.png exists; use --on-exist"},
		{"a.png -o a.png --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"exists.png exists_2x.png --on-exist overwrite", console.ExitOutput, "exists_2x.png is an input as well"},
		{"a.png b -o out", console.ExitOutput, "both make"},
		{"a.png " + filepath.Join(dir, "a.png"), console.ExitOutput, "both make"},
		{"a.png -o exists.png/", console.ExitOutput, "exists.png"},
		{"a.png -o a.png/x/ --on-exist skip", console.ExitOutput, "not a directory"},
		{"a.png -o a.gif", console.ExitUsage, "a.gif"},
		{"a.png out.gif", console.ExitUsage, "out.gif"},
		{"a.png -f gif", console.ExitUsage, "GIF is written for animations alone"},
		{"a.png -f png -o new.jpg", console.ExitUsage, "-o new.jpg and --format png say two formats"},
		{"a.png b -o out.png", console.ExitUsage, "several pictures need a folder"},
		{"b out.png", console.ExitUsage, "several pictures need a folder"},
		{"b b/a.png -o -", console.ExitUsage, "standard output takes one picture"},
		{"a.png --resume -o -", console.ExitUsage, "start over"},
		{"a.png --json -o -", console.ExitUsage, "both go to standard output"},
		// Models.
		{"a.png -m foto", console.ExitModel, `did you mean "photo"?`},
		{"a.png -m autto", console.ExitModel, `did you mean "auto"?`},
		{"a.png -m bad.npz", console.ExitModel, "bad.npz: not an .npz file"},
		{"a.png -m none.npz", console.ExitModel, "none.npz"},
		{"a.png -m ./a.png", console.ExitModel, "not an .npz file"},
		{"a.png -m b/", console.ExitModel, "is a folder; name a file in it"},
		{"a.png -m coupled --sparsity 4000", console.ExitUsage, "more than the 1024 atoms"},
		{"a.png -m coupled --coder opm", console.ExitUsage, `did you mean "omp"?`},
		{"a.png -m bicubic --sparsity 2", console.ExitUsage, "codes no patches"},
		{"a.png -m bicubic --denoise 0.5", console.ExitUsage, "the model bicubic takes no noise away"},
		// Sizes.
		{"a.png -s 17", console.ExitUsage, "expected 1 to 16"},
		{"a.png -s two", console.ExitUsage, "--scale two: expected 1 to 16, such as 2, 2.5, 4x or 200%"},
		{"a.png -s 50%", console.ExitUsage, "--scale 50%: nothing is made smaller; expected 1 to 16"},
		{"a.png -s 1e400", console.ExitUsage, "--scale 1e400: expected 1 to 16, such as 2"},
		{"a.png --already-large fail --width 8", console.ExitUsage,
			"a.png: 9×7 would become 8×6, and nothing is made smaller"},
		{"a.png --width 150", console.ExitUsage, "more than 16 times as large"},
		{"a.png --already-large fail --fit 8x8", console.ExitUsage, "nothing is made smaller"},
		{"a.png --fit 8", console.ExitUsage, "--fit 8: expected WxH"},
		{"a.png --fit 5K", console.ExitUsage, "--fit 5K: expected WxH"},
		{"a.png --fit 0x5", console.ExitUsage, "--fit 0x5: expected WxH"},
		{"a.png --width 0", console.ExitUsage, "--width 0: expected 1 or more"},
		{"a.png --width 10 -s 2", console.ExitUsage, "expected one of them"},
		{"a.png --width 10 --fit 20x20", console.ExitUsage, "expected one of them"},
		// Names.
		{"a.png --width 10 --name {scale}", console.ExitUsage, "use {size}"},
		{"a.png --name {stm}", console.ExitUsage, `did you mean "{stem}"?`},
		{"a.png --name x/{stem}", console.ExitUsage, "without folders"},
		{"a.png --name {stem}.jpg -f png", console.ExitUsage, "say two formats"},
		// Flags and their values.
		{"a.png -x", console.ExitUsage, `unknown flag "-x"`},
		{"a.png --scael 2", console.ExitUsage, `did you mean "--scale"?`},
		{"a.png -s", console.ExitUsage, "flag -s needs a value"},
		{"a.png --quality best", console.ExitUsage, `--quality "best": expected a whole number`},
		{"a.png --quality 0", console.ExitUsage, "expected 1 to 100"},
		{"a.png --timeout soon", console.ExitUsage, `--timeout "soon": expected a time such as 30s or 2m`},
		{"a.png --json=perhaps", console.ExitUsage, `--json "perhaps": expected true or false`},
		{"a.png -j -1", console.ExitUsage, "--jobs -1"},
		{"a.png --max-memory 17592186044417", console.ExitUsage, "--max-memory"},
		{"a.png --max-pixels 18446744073710", console.ExitUsage, "--max-pixels"},
		{"a.png --back-projection -7", console.ExitUsage, "--back-projection -7"},
		{"a.png --tile -1", console.ExitUsage, "--tile -1: expected 0 or more rows"},
		{"a.png --denoise 2", console.ExitUsage, "--denoise 2: expected auto, or 0 to 1"},
		{"a.png --denoise much", console.ExitUsage, "--denoise much: expected auto, or 0 to 1"},
		{"a.png --strength 2", console.ExitUsage, "--strength 2: expected 0 to 1.3"},
		{"a.png --effort fats", console.ExitUsage, `did you mean "fast"?`},
		{"a.png --shard 2/2", console.ExitUsage, "parts are numbered from 0"},
		{"a.png --include [", console.ExitUsage, `--include "["`},
		{"a.png --on-exist overwrit", console.ExitUsage,
			`--on-exist: unknown value "overwrit"; did you mean "overwrite"? (known: fail skip overwrite)`},
		{"a.png --metadata stirp", console.ExitUsage, `did you mean "strip"? (known: keep strip)`},
		{"a.png --depth 12", console.ExitUsage, `did you mean "16"? (known: same 8 16)`},
		{"a.png --depth 32", console.ExitUsage, `--depth: unknown value "32" (known: same 8 16)`},
		{"a.png --depth 16 -o x.jpg", console.ExitUsage, "has 8 bits a sample; use --format png or tiff"},
		{"a.png --depth 16 -f bmp", console.ExitUsage, "has 8 bits a sample; use --format png or tiff"},
		{"a.png --progress plane", console.ExitUsage, `did you mean "plain"? (known: auto bar plain none)`},
	})
	expect(t, dir, "", "--dry-run --include *.x a.png z", console.ExitUsage, "-o z/")
	expect(t, dir, "", "--dry-run --include *.x a.png b z.tif", console.ExitSome, "z.tif: ") // named files are taken
	expect(t, dir, "", "a.png --dry-run --fit 8x8 --already-large fail", console.ExitUsage, "nothing is made smaller")
}
