package video

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// facts returns what ffprobe says of the streams of a file, one a line: the entries by their names, comma-separated.
func facts(run func(stdin, name string, args ...string) string, name, entries string) []string {
	return strings.Split(strings.TrimSpace(run("", "ffprobe", "-show_entries", entries, "-of", "csv=p=0", name)), "\n")
}

// Tracks keep what they are by default, and their languages, or that these are not known.
func TestTracksAreKept(t *testing.T) {
	consoletest.NeedFull(t, "starts ffmpeg many times")
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	words := "1\n00:00:00,100 --> 00:00:00,300\nHello\n"
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "s.srt"), []byte(words), 0o600))
	make := func(name string, second string, args ...string) {
		line := "-f lavfi -i testsrc2=s=48x32:r=10:d=0.4 -f lavfi -i sine=d=0.4 -i s.srt -map 0 -map 1 -map 1 -map 2 " +
			"-map 2 -c:v libx264 -c:a aac -disposition:a:0 0 -disposition:a:1 " + second + " -disposition:s:0 0 " +
			"-disposition:s:1 forced -metadata:s:a:0 language=deu -metadata:s:a:1 language=fra"
		run("", "ffmpeg", append(append(strings.Fields(line), args...), name)...)
	}
	make("none.mkv", "0", "-disposition:v:0", "0", "-default_mode", "passthrough")
	make("second.mp4", "default", "-c:s", "mov_text")
	const entries = "stream=codec_type:stream_disposition=default,forced:stream_tags=language"
	for _, c := range []struct{ in, out string }{{"none.mkv", "a.mkv"}, {"second.mp4", "b.mp4"}} {
		must.Get(enlarge(t, t.Context(), dir, c.in, c.out))(t)
		if was, is := facts(run, c.in, entries), facts(run, c.out, entries); !slices.Equal(was, is) {
			t.Errorf("%s: %q, in the result %q", c.in, was, is)
		}
	}
	// Without a default among subtitles, the first is not shown, though FFmpeg would; some sound is heard.
	must.Get(enlarge(t, t.Context(), dir, "none.mkv", "c.mp4"))(t)
	want := []string{"video,1,0,und", "audio,1,0,deu", "audio,0,0,fra", "subtitle,0,0,und", "subtitle,0,1,und"}
	if got := facts(run, "c.mp4", entries); !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}

	// A muxer learns from packets of AAC in MPEG-TS, and of AC-3, what it writes at the start of a file.
	for in, codec := range map[string]string{"aac.ts": "aac", "ac3.ts": "ac3"} {
		line := "-f lavfi -i testsrc2=s=48x32:r=10:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -c:a " + codec
		run("", "ffmpeg", append(strings.Fields(line), in)...)
		for _, out := range []string{in + ".mkv", in + ".mp4"} {
			must.Get(enlarge(t, t.Context(), dir, in, out))(t)
			if got := facts(run, out, "stream=codec_name"); !strings.HasPrefix(got[1], codec) {
				t.Errorf("%s has %q", out, got)
			}
		}
	}
}

// Layouts of colour, their siting, and transparency stay, or are told.
func TestFormatsAreKept(t *testing.T) {
	consoletest.NeedFull(t, "starts ffmpeg many times")
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	const entries = "stream=pix_fmt,chroma_location"
	cases := []struct{ in, args, out, want, told string }{
		{"a.mp4", "-pix_fmt yuv422p -c:v libx264", "a2.mp4", "yuv422p,left", ""},
		{"b.mp4", "-pix_fmt yuv420p -c:v libx264 -x264-params chromaloc=4", "b2.mp4", "yuv420p,bottomleft", ""},
		{"c.mkv", "-pix_fmt yuva420p -c:v ffv1", "c2.mp4", "yuv420p,left", "-o NAME.webm keeps it"},
		{"d.mkv", "-pix_fmt yuv411p -c:v ffv1", "d2.mkv", "yuv420p,left", "4:1:1, and gets 4:2:0"},
		{"e.mkv", "-pix_fmt yuv444p -c:v libx264", "e2.mkv", "yuv444p,left", ""},
	}
	for _, c := range cases[:consoletest.Full(2, len(cases))] {
		run("", "ffmpeg", append(strings.Fields("-f lavfi -i testsrc2=s=48x32:r=10:d=0.3 "+c.args), c.in)...)
		p, err := enlarge(t, t.Context(), dir, c.in, c.out)
		if err != nil || strings.Join(p.Warnings, "") == "" != (c.told == "") ||
			!strings.Contains(strings.Join(p.Warnings, "; "), c.told) {
			t.Errorf("%s: %v, %q", c.in, err, p.Warnings)
		} else if got := facts(run, c.out, entries); got[0] != c.want {
			t.Errorf("%s: %q, expected %s", c.in, got, c.want)
		}
	}
	tools := must.Get(Find(t.Context(), "", ""))(t)
	if !tools.encoders[vp9.name] || !tools.has(t.Context(), vp9.name) {
		t.Skip("the ffmpeg here has no libvpx: transparency is not tried")
	}
	opacity := func(name string, decoder ...string) []byte {
		return []byte(run("", "ffmpeg", append(decoder, "-i", name, "-vf", "alphaextract,scale=8:1", "-f", "rawvideo",
			"-pix_fmt", "gray", "-")...))
	}
	run("", "ffmpeg", "-f", "lavfi", "-i", "color=gray:s=64x32:r=10:d=0.3,format=yuva420p,geq=lum='90':cb='90':"+
		"cr='150':a='255*X/W'", "-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "alpha.webm")
	for i, settings := range []string{"", "some"} { // in one, and in segments
		out := []string{"one.webm", "segments.webm"}[i]
		if p, err := enlargeBy(t, t.Context(), dir, "alpha.webm", out, settings, func(int) {}); err != nil ||
			len(p.Warnings) > 0 {
			t.Fatal(err, p.Warnings)
		}
		was, is := opacity("alpha.webm", "-c:v", "libvpx-vp9"), opacity(out, "-c:v", "libvpx-vp9")
		if len(is) != len(was) || len(is) != 24 {
			t.Fatalf("%s: %d samples, expected %d", out, len(is), len(was))
		}
		for k := range was {
			if d := int(is[k]) - int(was[k]); d > 4 || d < -4 {
				t.Errorf("%s: opacity %d, expected %d", out, is, was)
				break
			}
		}
	}
}

// A video that is cut becomes one of the frames that are there, and the call fails as for a damaged input.
func TestCutVideo(t *testing.T) {
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	run("", "ffmpeg", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10:d=2", "-c:v", "libx264", "-g", "5", "-movflags",
		"+faststart", "whole.mp4")
	data := must.Get(os.ReadFile(filepath.Join(dir, "whole.mp4")))(t)
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "cut.mp4"), data[:len(data)*6/10], 0o600))
	p, err := enlarge(t, t.Context(), dir, "cut.mp4", "out.mp4")
	if err == nil || console.ExitCode(err) != console.ExitInput || p.Written < 3 || p.Written > 17 ||
		!strings.Contains(err.Error(), "is cut short: it has ") {
		t.Errorf("%v, %d frames", err, p.Written)
	}
	if got := facts(run, "out.mp4", "stream=nb_frames"); got[0] == "" || seconds(got[0]) != float64(p.Written) {
		t.Errorf("%q frames, expected %d", got, p.Written)
	}
}

// A film that is interrupted again and again has the frames, the times and the sound of one that is not, and leaves
// nothing beside it; with other settings it restarts.
func TestGoesOn(t *testing.T) {
	consoletest.NeedFull(t, "starts ffmpeg many times")
	dir := t.TempDir()
	run := needFFmpeg(t, dir)
	before := segmentFrames
	segmentFrames = 7
	defer func() { segmentFrames = before }()
	run("", "ffmpeg", "-f", "lavfi", "-i", "testsrc2=s=48x32:r=25:d=2", "-f", "lavfi", "-i", "sine=d=3", "-vf",
		"select='not(eq(mod(n,5),3))',setpts=PTS+0.5/TB", "-vsync", "0", "-c:v", "libx264", "-c:a", "aac", "in.mp4")
	const frames = 40
	if p, err := enlarge(t, t.Context(), dir, "in.mp4", "want.mp4"); err != nil || p.Written != frames {
		t.Fatal(err, p.Written)
	}
	folder := segmentFolder(filepath.Join(dir, "out.mp4"))
	stopped := func(settings string, after int) (earlier int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		p, err := enlargeBy(t, ctx, dir, "in.mp4", "out.mp4", settings, func(frame int) {
			if frame >= after {
				cancel()
			}
		})
		if err == nil {
			t.Fatal("it was not interrupted")
		}
		must.Succeed(t, os.WriteFile(filepath.Join(folder, "new.part"), []byte("half"), 0o600))
		return p.Earlier
	}
	stopped("others", 16)
	if got := stopped("some", 9); got != 0 {
		t.Errorf("goes on with %d frames of other settings", got)
	}
	if got := stopped("some", 30); got != 7 {
		t.Errorf("goes on behind %d frames, expected 7", got)
	}
	p, err := enlargeBy(t, t.Context(), dir, "in.mp4", "out.mp4", "some", func(int) {})
	if err != nil || p.Earlier != 28 || p.Written != frames {
		t.Fatal(err, p.Earlier, p.Written)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("the segments stay")
	}
	times := func(name, stream string) []string {
		list := facts(func(stdin, program string, args ...string) string {
			return run(stdin, program, append([]string{"-select_streams", stream}, args...)...)
		}, name, "packet=pts")
		slices.SortFunc(list, func(a, b string) int {
			return int(seconds(strings.Trim(a, ",")) - seconds(strings.Trim(b, ",")))
		})
		return list
	}
	for _, s := range []string{"v", "a"} {
		if was, is := times("want.mp4", s), times("out.mp4", s); !slices.Equal(was, is) || len(is) < frames {
			t.Errorf("%s: times %v, expected %v", s, is, was)
		}
	}
	sound := func(name string) string {
		return run("", "ffmpeg", "-i", name, "-map", "0:a", "-c", "copy", "-f", "md5", "-")
	}
	if sound("want.mp4") != sound("out.mp4") {
		t.Error("the sound is another")
	}
	pixels := func(name string) string {
		return run("", "ffmpeg", "-i", name, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "-")
	}
	was, is := pixels("want.mp4"), pixels("out.mp4")
	if len(was) != len(is) || len(is) != frames*96*64 {
		t.Fatalf("%d bytes, expected %d", len(is), len(was))
	}
	for n := range frames { // the frames of two encodings differ by less than neighbours do
		sum := 0
		for k := n * 96 * 64; k < (n+1)*96*64; k++ {
			d := int(was[k]) - int(is[k])
			sum += max(d, -d)
		}
		if mean := float64(sum) / (96 * 64); mean > 2 {
			t.Errorf("frame %d differs by %.1f levels in the mean", n, mean)
		}
	}
}
