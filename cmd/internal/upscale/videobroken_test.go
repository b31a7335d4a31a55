package upscale

import (
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// If a stream is cut or damaged, a pipe gets the frames before, and a file is not made; the error names the frame.
func TestVideoIsCut(t *testing.T) {
	whole := stream(t, "W20 H10 C420jpeg", 5, moving)
	const head, frame = len("YUV4MPEG2 W20 H10 C420jpeg\n"), len("FRAME\n") + 300
	want := piped(t, whole, "-m bicubic")
	const outHead, outFrame = head, len("FRAME\n") + 1200
	for _, c := range []struct {
		data   string
		frames int // good frames before the damage
		what   string
		said   string
	}{
		{whole[:head+2*frame+100], 2, "frame 3 is cut short: it has 94 of 300 bytes",
			"; the 2 frames before it are written"},
		{whole[:head+4*frame+3], 4, "frame 5 is cut short", "; the 4 frames before it are written"},
		{whole[:head+frame] + "nonsense\n" + whole[head+frame:], 1,
			`frame 2 is damaged: it begins with "nonsense", expected "FRAME"`, "; the frame before it is written"},
		{whole[:head] + whole[head+9:], 0, "frame 1 is damaged", ""},
	} {
		for _, jobs := range []string{"1", "3"} {
			dir := t.TempDir()
			got, stderr := expect(t, dir, c.data, "- -m bicubic -j "+jobs, console.ExitInput)
			if !strings.HasPrefix(stderr, "superres: standard input: "+c.what) ||
				!strings.HasSuffix(stderr, c.said+"\n") {
				t.Error(stderr)
			}
			expected := "" // without a frame not even the header
			if c.frames > 0 {
				expected = want[:outHead+c.frames*outFrame]
			}
			if got != expected {
				t.Errorf("%s: %d bytes are not those of %d frames", c.what, len(got), c.frames)
			}
			putText(t, dir, "in.y4m", c.data)
			program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
				{"in.y4m -m bicubic -o out.y4m -j " + jobs, console.ExitInput, "in.y4m: " + c.what}})
		}
	}
}

func TestVideoRefusals(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"in.y4m": stream(t, "W400 H300 C420jpeg", 2, moving), "fields.y4m": "YUV4MPEG2 W4 H4 It\nFRAME\n",
		"empty.y4m": "YUV4MPEG2 W4 H4\n", "huge.y4m": "YUV4MPEG2 W60000 H60000\nFRAME\n",
		"colour.y4m": "YUV4MPEG2 W4 H4 C440\n", "none.y4m": "no stream", "there.y4m": "here already",
	} {
		putText(t, dir, name, text)
	}
	consoletest.Blobs(t, dir, 9, 7, "a.png")
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"fields.y4m", console.ExitInput, "deinterlace it first"},
		{"empty.y4m", console.ExitInput, "empty.y4m: has no frames"},
		{"colour.y4m", console.ExitInput, `colour as "440"`},
		{"none.y4m", console.ExitInput, "none.y4m"},
		{"huge.y4m", console.ExitLimit, "60000×60000 is 3600 megapixels, the limit is 50; use --max-pixels"},
		{"--max-memory 40 in.y4m", console.ExitLimit, "in.y4m: output 800×600 needs "},
		{"--timeout 1ns in.y4m", console.ExitLimit, "frame 1: takes longer to enlarge than the limit of 1e-09 s"},
		{"in.y4m -o there.y4m", console.ExitOutput, "there.y4m exists"},
		{"in.y4m -o in.y4m --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"in.y4m -o out.png", console.ExitUsage, "frames are written as Y4M alone"},
		{"in.y4m -f png", console.ExitUsage, "frames are written as Y4M alone"},
		{"in.y4m --resume", console.ExitUsage, "a stream of frames starts over"},
		{"in.y4m --depth 16", console.ExitUsage, "keeps the depth"},
		{"a.png in.y4m", console.ExitUsage, "in.y4m is a stream of frames, which is enlarged alone"},
		{"in.y4m -o - --json", console.ExitUsage, "both go to standard output"},
	})
	succeeds(t, dir, "in.y4m -o there.y4m --on-exist skip")
	stderr, code := program.Into(consoletest.Broken{}, "upscale", "in.y4m", "-o", "-", "-m", "bicubic")
	if code != console.ExitOutput || !strings.Contains(stderr, "standard output cannot be written: pipe is closed") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if plan, _ := expect(t, dir, "", "in.y4m --dry-run", 0); !strings.HasPrefix(plan,
		"in.y4m 400×300 -> in_2x.y4m 800×600, ") {
		t.Error(plan)
	}
	expect(t, dir, "", "in.y4m -m bicubic --metadata strip", 0, "--metadata is for files of pictures")
}
