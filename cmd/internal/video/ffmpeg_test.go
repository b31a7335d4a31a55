package video

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
)

// needFFmpeg returns a function that runs a program of FFmpeg in the folder dir, with a text as its input, and returns
// what it writes. It skips the test where there is no FFmpeg, or one without the encoder of H.264.
func needFFmpeg(t *testing.T, dir string) func(stdin, name string, args ...string) string {
	t.Helper()
	golden.NotShort(t, "starts ffmpeg many times")
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s here: video files are not tried", name)
		}
	}
	if tools, err := Find(t.Context(), "", ""); err != nil || !tools.encoders[h264.name] {
		t.Skipf("the ffmpeg here has no libx264 (%v): video files are not tried", err)
	}
	return func(stdin, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, append([]string{"-v", "error"}, args...)...)
		var out, errs bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s %v: %v, %s", name, args, err, errs.String())
		}
		return out.String()
	}
}

// Ten seconds of video keep their length, the packets of their sound, and the time of each frame, whether the rate is
// constant or varies, and whether the video begins with the sound or later.
func TestSoundAndTimes(t *testing.T) {
	consoletest.NeedFull(t, "starts ffmpeg many times")
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	varies := []string{"-vf", "select='not(mod(n,3))+between(n,20,40)'", "-vsync", "0"}
	cases := []struct {
		name string
		rate []string
	}{{"varies.mp4", varies}, {"constant.mp4", nil}, {"varies.mkv", varies}, {"later.mov",
		[]string{"-vf", "setpts=PTS+0.5/TB"}}}
	for _, c := range cases[:consoletest.Full(2, len(cases))] {
		name, rate := c.name, c.rate
		made := []string{"-f", "lavfi", "-i", "testsrc2=s=48x32:r=10:d=10", "-f", "lavfi", "-i", "sine=d=10"}
		run("", "ffmpeg", append(append(made, rate...), "-c:v", "libx264", "-c:a", "aac", name)...)
		p, err := enlarge(t, t.Context(), dir, name, "out_"+name)
		if err != nil || len(p.Warnings) > 0 {
			t.Fatal(name, err, p.Warnings)
		}
		sound := func(name string) string {
			return run("", "ffmpeg", "-i", name, "-map", "0:a", "-c", "copy", "-f", "md5", "-")
		}
		if in, out := sound(name), sound("out_"+name); in != out || len(in) < 10 {
			t.Errorf("%s: its sound is %s, of the result %s", name, in, out)
		}
		length := func(name string) float64 {
			text := run("", "ffprobe", "-show_entries", "format=duration", "-of", "csv=p=0", name)
			return seconds(strings.TrimSpace(text))
		}
		if in, out := length(name), length("out_"+name); out < in-0.05 || out > in+0.05 || in < 9.5 {
			t.Errorf("%s: lasts %.3f s, the result %.3f s", name, in, out)
		}
		times := func(name string) (list []float64) {
			text := run("", "ffprobe", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
				name)
			for line := range strings.Lines(text) {
				list = append(list, seconds(strings.Trim(line, ",\n\r")))
			}
			slices.Sort(list)
			return list
		}
		in, out := times(name), times("out_"+name)
		if !slices.EqualFunc(in, out, func(a, b float64) bool { return a-b < 0.0015 && b-a < 0.0015 }) {
			t.Errorf("%s: frames at %v, in the result at %v", name, in, out)
		}
	}
}

// The colours of a test card are within 2 levels of those before, whatever matrix, range, layout and depth the video
// has, as FFmpeg shows both by what they say of themselves.
func TestColoursOfACard(t *testing.T) {
	consoletest.NeedFull(t, "starts ffmpeg many times")
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	const w, h, side = 160, 96, 32
	patches := [][3]byte{{235, 16, 16}, {16, 235, 16}, {16, 16, 235}, {250, 250, 250}, {4, 4, 4}, {128, 128, 128},
		{180, 120, 90}, {90, 160, 200}, {200, 200, 40}, {40, 200, 200}, {200, 40, 200}, {60, 90, 60}, {240, 180, 150},
		{30, 30, 90}, {150, 75, 0}}
	card := func(scale int) []byte {
		pix := make([]byte, 0, 3*w*h*scale*scale)
		for y := range h * scale {
			for x := range w * scale {
				pix = append(pix, patches[y/(side*scale)*(w/side)+x/(side*scale)][:]...)
			}
		}
		return pix
	}
	still := string(bytes.Repeat(card(1), 3))
	cases := []struct{ pix, matrix, of, codec, ext string }{
		{"yuv420p", "bt709", "tv", "libx264", ".mp4"}, {"yuv420p", "smpte170m", "tv", "libx264", ".mov"},
		{"yuv420p", "bt709", "pc", "libx264", ".mkv"}, {"yuv422p", "bt709", "tv", "libx264", ".mp4"},
		{"yuvj422p", "bt470bg", "pc", "mjpeg", ".mov"}, {"yuv444p", "bt709", "pc", "libx264", ".mp4"},
		{"yuv420p", "", "", "libx264", ".mp4"}, {"bgr0", "", "", "ffv1", ".mkv"},
		{"yuv422p10le", "bt709", "tv", "ffv1", ".mkv"},
	}
	for i, c := range cases[:consoletest.Full(3, len(cases))] {
		in, out := fmt.Sprint(i, c.ext), fmt.Sprint("out", i, c.ext)
		args := []string{"-f", "rawvideo", "-pix_fmt", "rgb24", "-s", "160x96", "-r", "5", "-i", "-"}
		if c.matrix != "" {
			args = append(args, "-vf", "scale=out_color_matrix="+c.matrix+":out_range="+c.of+",format="+c.pix+
				",setparams=colorspace="+c.matrix+":range="+c.of, "-colorspace", c.matrix, "-color_range", c.of)
		}
		args = append(args, "-pix_fmt", c.pix, "-c:v", c.codec)
		if c.codec == "libx264" {
			args = append(args, "-qp", "4")
		} else if c.codec == "mjpeg" {
			args = append(args, "-q:v", "1")
		}
		run(still, "ffmpeg", append(args, in)...)
		if _, err := enlarge(t, t.Context(), dir, in, out); err != nil {
			t.Fatal(c, err)
		}
		shown := func(name string) string {
			return run("", "ffmpeg", "-i", name, "-sws_flags", "accurate_rnd+full_chroma_int", "-frames:v", "1", "-f",
				"rawvideo", "-pix_fmt", "rgb24", "-")
		}
		before, after := shown(in), shown(out)
		if len(after) != 4*len(before) {
			t.Fatalf("%v: %d bytes, of %d", c, len(after), len(before))
		}
		worst := 0
		for n := range patches {
			x, y := n%(w/side)*side+side/2, n/(w/side)*side+side/2
			for k := range 3 {
				d := int(after[3*(2*y*2*w+2*x)+k]) - int(before[3*(y*w+x)+k])
				worst = max(worst, d, -d)
			}
		}
		t.Logf("%v: at most %d levels", c, worst)
		if worst > 2 {
			t.Errorf("%v: colours differ by %d levels", c, worst)
		}
		flags := func(name string) string {
			return run("", "ffprobe", "-select_streams", "v", "-show_entries",
				"stream=color_range,color_space,color_transfer,color_primaries", "-of", "csv=p=0", name)
		}
		if was, is := flags(in), flags(out); c.codec == "libx264" && was != is {
			t.Errorf("%v: says %s of its colours, the result %s", c, was, is)
		}
	}
}

// A video that is turned by what its file says comes out upright, and odd sides come out even.
func TestTurnedAndOdd(t *testing.T) {
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	run("", "ffmpeg", "-f", "lavfi", "-i", "testsrc=s=48x32:r=5:d=1", "-pix_fmt", "yuv420p", "-c:v", "libx264",
		"flat.mp4")
	run("", "ffmpeg", "-i", "flat.mp4", "-c", "copy", "-metadata:s:v", "rotate=90", "turned.mp4")
	run("", "ffmpeg", "-f", "lavfi", "-i", "testsrc=s=31x23:r=5:d=1", "-pix_fmt", "yuv420p", "-c:v", "ffv1", "odd.mkv")
	for name, want := range map[string]string{"flat.mp4": "96x64", "turned.mp4": "64x96", "odd.mkv": "62x46"} {
		if p, err := enlarge(t, t.Context(), dir, name, "out_"+name); err != nil ||
			fmt.Sprintf("%dx%d", p.Output.X, p.Output.Y) != want {
			t.Errorf("%s: %v, %v", name, err, p.Output)
			continue
		}
		size := strings.Fields(run("", "ffprobe", "-select_streams", "v", "-show_entries", "stream=width,height", "-of",
			"csv=p=0:s=x", "out_"+name))[0]
		if size != want {
			t.Errorf("%s: %s, expected %s", name, size, want)
		}
	}
}
