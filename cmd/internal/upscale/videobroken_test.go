package upscale

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// Of a stream that ends too soon or is damaged, a pipe gets the frames before, and a file is not
// made; either is said, with the number of the frame.
func TestVideoIsCut(t *testing.T) {
	whole := video(t, "W20 H10 C420jpeg", 5, moving)
	const head, frame = len("YUV4MPEG2 W20 H10 C420jpeg\n"), len("FRAME\n") + 300
	want := piped(t, whole, "-m", "bicubic")
	const outHead, outFrame = head, len("FRAME\n") + 1200
	for _, c := range []struct {
		data   string
		frames int // before it
		what   string
	}{
		{whole[:head+2*frame+100], 2, "frame 3 is cut short: it has 94 of 300 bytes"},
		{whole[:head+4*frame+3], 4, "frame 5 is cut short"},
		{whole[:head+frame] + "nonsense\n" + whole[head+frame:], 1,
			`frame 2 is damaged: it begins with "nonsense", expected "FRAME"`},
		{whole[:head] + whole[head+9:], 0, "frame 1 is damaged"},
	} {
		for _, jobs := range []string{"1", "3"} {
			dir := t.TempDir()
			got, stderr, code := call(t, dir, c.data, "upscale", "-", "-m", "bicubic", "-j", jobs)
			said := fmt.Sprintf("; the %d frames before it are written\n", c.frames)
			switch c.frames {
			case 0: // nothing is written, not even the header
				if got != "" {
					t.Errorf("%d bytes of no frame", len(got))
				}
				said = "\n"
			case 1:
				said = "; the frame before it is written\n"
			}
			if code != console.ExitInput || !strings.HasPrefix(stderr, "superres: standard input: "+c.what) ||
				!strings.HasSuffix(stderr, said) {
				t.Errorf("exit %d, %s", code, stderr)
			}
			if c.frames > 0 && got != want[:outHead+c.frames*outFrame] {
				t.Errorf("%s: %d bytes are not those of %d frames", c.what, len(got), c.frames)
			}
			consoletest.Put(t, filepath.Join(dir, "in.y4m"), []byte(c.data))
			program.Refuses(t, dir, []consoletest.Refusal{{Args: []string{"upscale", "in.y4m", "-m", "bicubic", "-o",
				"out.y4m", "-j", jobs}, Code: console.ExitInput, Want: "in.y4m: " + c.what}})
		}
	}
}

func TestVideoRefusals(t *testing.T) {
	dir := t.TempDir()
	put := func(name, data string) { consoletest.Put(t, filepath.Join(dir, name), []byte(data)) }
	put("in.y4m", video(t, "W400 H300 C420jpeg", 2, moving))
	put("fields.y4m", "YUV4MPEG2 W4 H4 It\nFRAME\n")
	put("empty.y4m", "YUV4MPEG2 W4 H4\n")
	put("huge.y4m", "YUV4MPEG2 W60000 H60000\nFRAME\n")
	put("colour.y4m", "YUV4MPEG2 W4 H4 C444alpha\n")
	put("none.y4m", "no stream")
	put("there.y4m", "here already")
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	refusal := func(code int, want string, args ...string) consoletest.Refusal {
		return consoletest.Refusal{Args: append([]string{"upscale"}, args...), Code: code, Want: want}
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		refusal(console.ExitInput, "deinterlace it first", "fields.y4m"),
		refusal(console.ExitInput, "empty.y4m: has no frames", "empty.y4m"),
		refusal(console.ExitInput, `colour as "444alpha"`, "colour.y4m"),
		refusal(console.ExitInput, "none.y4m", "none.y4m"),
		refusal(console.ExitLimit, "60000x60000 is 3600 megapixels, the limit is 50; use --max-pixels", "huge.y4m"),
		refusal(console.ExitLimit, "in.y4m: output 800x600 needs ", "--max-memory", "40", "in.y4m"),
		refusal(console.ExitLimit, "frame 1: takes longer to enlarge than the limit of 1ns", "--timeout", "1ns",
			"in.y4m"),
		refusal(console.ExitOutput, "there.y4m exists", "in.y4m", "-o", "there.y4m"),
		refusal(console.ExitOutput, "the output is the input", "in.y4m", "-o", "in.y4m", "--on-exist", "overwrite"),
		refusal(console.ExitUsage, "frames are written as Y4M alone", "in.y4m", "-o", "out.png"),
		refusal(console.ExitUsage, "frames are written as Y4M alone", "in.y4m", "-f", "png"),
		refusal(console.ExitUsage, "a stream of frames begins anew", "in.y4m", "--resume"),
		refusal(console.ExitUsage, "keeps the depth", "in.y4m", "--depth", "16"),
		refusal(console.ExitUsage, "in.y4m is a stream of frames, which is enlarged alone", "a.png", "in.y4m"),
		refusal(console.ExitUsage, "both go to standard output", "in.y4m", "-o", "-", "--json"),
	})
	if _, stderr, code := call(t, dir, "", "upscale", "in.y4m", "-o", "there.y4m", "--on-exist", "skip"); code != 0 ||
		stderr != "" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if stderr, code := program.Into(consoletest.Broken{}, "upscale", "in.y4m", "-o", "-", "-m",
		"bicubic"); code != console.ExitOutput ||
		!strings.Contains(stderr, "standard output cannot be written: pipe is closed") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	plan, stderr, code := call(t, dir, "", "upscale", "in.y4m", "--dry-run")
	if code != 0 || !strings.HasPrefix(plan, "in.y4m 400x300 -> in_2x.y4m 800x600, ") {
		t.Errorf("exit %d, %s%s", code, plan, stderr)
	}
	_, stderr, code = call(t, dir, "", "upscale", "in.y4m", "-m", "bicubic", "--metadata", "strip")
	if code != 0 || !strings.Contains(stderr, "--metadata is for files of pictures") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// There is an event for each frame, in their order, between that of the beginning and that of
// the end.
func TestVideoEvents(t *testing.T) {
	dir := t.TempDir()
	stdout, stderr, code := call(t, dir, video(t, "W20 H10", 7, moving), "upscale", "--json", "-", "-o", "out.y4m",
		"-m", "bicubic")
	if code != 0 || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var got []string
	for line := range strings.Lines(stdout) {
		var ev struct {
			Event, Input, Output         string
			Frame, Frames, Width, Height int
		}
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(ev.Event, ev.Frame, ev.Frames, ev.Width))
		if ev.Event == "frame" && (ev.Input != "-" || ev.Output != "out.y4m" || ev.Height != 20) {
			t.Errorf("%+v", ev)
		}
	}
	want := "start0 0 0,frame1 0 40,frame2 0 40,frame3 0 40,frame4 0 40,frame5 0 40,frame6 0 40,frame7 0 40,done0 7 40,summary0 0 0"
	if strings.Join(got, ",") != want {
		t.Errorf("%v, expected %v", got, want)
	}
}
