package video

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/enlarging"
	"superres/internal/must"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/models"
)

// enlarge enlarges the file in of dir to out by 2, by interpolation, and returns its plan.
func enlarge(t *testing.T, ctx context.Context, dir, in, out string) (*enlarging.Plan, error) {
	t.Helper()
	return enlargeBy(t, ctx, dir, in, out, "", func(int) {})
}

// enlargeBy is enlarge in segments of these settings, if they are not empty. It calls at with the number of each frame.
func enlargeBy(t *testing.T, ctx context.Context, dir, in, out, settings string, at func(frame int)) (*enlarging.Plan,
	error) {
	t.Helper()
	path := func(name string) string { return filepath.Join(dir, name) }
	tools, err := Find(ctx, path(in), path(out))
	if err != nil {
		return nil, err
	}
	e := must.Get(enlarging.New(enlarging.Settings{Model: "bicubic", Effort: "best", Denoise: -1, Quality: 95,
		Limits: console.Limits{Pixels: 1 << 30, Memory: 1 << 30}, Size: superres.Options{Scale: 2},
		Open: func(name string) (*superres.Model, error) { return models.Open(name) }}))(t)
	keep := func(info fs.FileInfo, make func(string) error) error {
		return safefile.MakeAtomicFrom(safefile.Origin{Info: info, KeepDates: true}, path(out), false, make)
	}
	return e.Enlarge(ctx, tools.Job(ctx, File{In: path(in), Out: path(out), Root: dir, Keep: keep,
		Settings: settings}),
		enlarging.Watch{Admit: func(*enlarging.Plan) error { return nil },
			Progress: func(_ *enlarging.Plan, written int, _ float64) { at(written) }})
}

// With the programs of FFmpeg on the path, frames go through superres with their times, beside the streams that are
// copied, and the result is whole.
func TestArgumentsAndFrames(t *testing.T) {
	fake(t, "")
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "-in.mp4"), []byte(fakeVideo), 0o600))
	old := time.Unix(1_200_000_000, 0)
	must.Succeed(t, os.Chtimes(filepath.Join(dir, "-in.mp4"), old, old))
	p, err := enlarge(t, t.Context(), dir, "-in.mp4", "-out.mp4")
	if err != nil || p.Written != 3 || p.Frames != 3 || p.Output.X != 12 || len(p.Warnings) != 0 {
		t.Fatalf("%v, %d of %d frames, %v, %v", err, p.Written, p.Frames, p.Output, p.Warnings)
	}
	if info := must.Get(os.Stat(filepath.Join(dir, "-out.mp4")))(t); !info.ModTime().Equal(old) {
		t.Errorf("the result has the date %v", info.ModTime())
	}
	made := must.Get(os.ReadFile(filepath.Join(dir, "-out.mp4")))(t)
	line, stream, _ := bytes.Cut(made, []byte("\n"))
	for _, want := range []string{
		"-copyts -f matroska -i pipe:0 -itsoffset -1.5 ", " -format_whitelist mov,", " -i file:" + dir,
		" -map 0:0 -map 1:1 -disposition:a:0 default+dub -map 1:2 -c:s:0 mov_text -disposition:s:0 default ",
		" -map 1:3 -c:v:1 copy -disposition:v:1 attached_pic -c:a copy ", " -disposition:v:0 0 ",
		" -filter:v:0 setparams=range=tv:colorspace=bt709,setsar=16/15,format=yuv420p ", " -crf 16 ",
		" -color_range tv -colorspace bt709 ", " -enc_time_base 1:100 -vsync 0 ", " -map_metadata 1 -map_chapters 1 ",
		" -metadata:s:v:0 language=fra -movflags +faststart ", " -f mp4 -y file:"} {
		if !strings.Contains(string(line), want) {
			t.Errorf("no %q in %s", want, line)
		}
	}
	for _, at := range []uint64{0, 40_000, 400_000} {
		stamp := append([]byte{0xE7, 1, 0, 0, 0, 0, 0, 0, 8}, binary.BigEndian.AppendUint64(nil, at)...)
		i := bytes.Index(stream, stamp)
		if i < 0 {
			t.Fatalf("no frame at %d µs", at)
		}
		stream = stream[i:]
	}
	if files := must.Get(os.ReadDir(dir))(t); len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}

// The error of a failed video has the words of ffmpeg, and the failure leaves no files.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		mode, want string
		code       int
	}{
		{"probe", "in.mp4: FFmpeg cannot read it: moov atom not found", console.ExitInput},
		{"decode", "frame 3 cannot be read: ffmpeg failed: Error while decoding; nothing is written",
			console.ExitInput},
		{"trial", ".mp4 files do not take the sound of ", console.ExitOutput},
		{"encode", "out.mp4: ffmpeg could not make it: Error submitting a frame", console.ExitOutput},
		{"full", "out.mp4: cannot be written: no space left on device; free some space", console.ExitOutput},
		{"verbose", "in.mp4: FFmpeg cannot read it: it wrote more than ", console.ExitInput},
	} {
		fake(t, c.mode)
		dir := t.TempDir()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "in.mp4"), []byte(fakeVideo), 0o600))
		_, err := enlarge(t, t.Context(), dir, "in.mp4", "out.mp4")
		if err == nil || !strings.Contains(console.Message(err), c.want) || console.ExitCode(err) != c.code {
			t.Errorf("%s: %v", c.mode, err)
		}
		if files := must.Get(os.ReadDir(dir))(t); len(files) != 1 {
			t.Errorf("%s: %v", c.mode, files)
		}
	}
	fake(t, "")
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "in.mp4"), []byte("Dear all"), 0o600))
	if _, err := enlarge(t, t.Context(), dir, "in.mp4", "out.mp4"); err == nil ||
		!strings.Contains(err.Error(), `is not a video (starts with "Dear all"`) {
		t.Error(err)
	}
	t.Setenv("PATH", dir)
	if _, err := enlarge(t, t.Context(), dir, "in it.mp4", "out.mp4"); err == nil ||
		!strings.Contains(err.Error(), "no ffmpeg on the path") || !strings.Contains(err.Error(), `in it.mp4' -map 0:v `+
		`-map "1:a?" -c:a copy`) {
		t.Error(err)
	}
}

// An interruption ends ffmpeg, and leaves nothing.
func TestInterruption(t *testing.T) {
	fake(t, "slow")
	dir := t.TempDir()
	must.Succeed(t, os.WriteFile(filepath.Join(dir, "in.mp4"), []byte(fakeVideo), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	tools := must.Get(Find(ctx, "in.mp4", "out.mp4"))(t)
	c := &clip{File: File{In: filepath.Join(dir, "in.mp4")}, tools: tools, ctx: ctx}
	content := must.Get(source{c}.Open())(t)
	cancel()
	if _, err := content.WriteTo(&bytes.Buffer{}); err == nil {
		t.Error("the frames of a killed ffmpeg end in order")
	}
	content.Close()
	if c.decoder.ProcessState == nil {
		t.Error("ffmpeg was not waited for")
	}
}

// A video that fails ends soon, with a sentence that says why, and with it all that it has started, where a script on
// the path starts ffmpeg, waits for it or does not, and loses what it says or how it ends: nobody may wait for one that
// waits for somebody to read its frames, or that holds a pipe after the script has ended.
func TestFailuresOfScripts(t *testing.T) {
	defer func(before time.Duration) { mostDelay = before }(mostDelay)
	mostDelay = time.Second / 2
	const failed = "ffmpeg could not make it: "
	cases := []struct{ mode, body, want string }{
		{"endless", "", failed + "Error submitting a frame"},
		{"decode", "", "frame 3 cannot be read: ffmpeg failed: Error while decoding"},
		{"slow", "", "context canceled"},
		{"", "[ $at = decode ] && hold && exit 3", "has no frame that can be read: ffmpeg failed: it ended with exit " +
			"status 3 and said nothing"},
		{"", "[ $at = encode ] && hold && exit 3", failed + "it ended with exit status 3"},
		{"endless", "[ $at = encode ] && hold && exit 0", failed +
			"it ended before it had all frames and said nothing"},
		{"", "[ $at = encode ] && { echo y >&2; yes >&2 & exit 4; }", failed +
			"it ended with exit status 4 and said: y"},
		{"", "[ $at = encode ] && { cat; exit 0; } >/dev/null", "ffmpeg ended well, but made no " +
			"video that can be read (FFmpeg cannot read it: Invalid data found when processing input)"},
		{"", "[ $at = encode ] && { no-such-program; exit $?; }", failed + "it ended with exit status 127 and said: "},
		{"", "[ $at = probe ] && hold && exit 0", "says of it what cannot be understood"},
		{"", "[ $at = list ] && hold && exit 0", "lists no encoders"},
		{"", "[ $at = try ] && hold && exit 1", failed + "it ended with exit status 1 and said nothing"},
		{"decode", `real "$@" 2>/dev/null; hold; exit 1`, "does not run: it ended with exit status 1"},
		{"decode", `[ $at = decode ] && { real "$@" 2>/dev/null; hold; exit 1; }`,
			"frame 3 cannot be read: ffmpeg failed"},
		{"", `[ $at = decode ] && { real "$@" | head -c 150; hold; exit 0; }`, "frame 3 is cut short"},
		{"", "[ $at = decode ] && hold && exit 0", "ffmpeg gave none; it ended without an error and said nothing"},
	}
	for _, c := range cases[:consoletest.Full(9, len(cases))] {
		fake(t, c.mode)
		wrap(t, c.body)
		dir := t.TempDir()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, "in.mp4"), []byte(fakeVideo), 0o600))
		ctx, cancel := context.WithCancel(t.Context())
		if c.mode == "slow" {
			time.AfterFunc(time.Second, cancel)
		}
		began := time.Now()
		_, err := enlarge(t, ctx, dir, "in.mp4", "out.mp4")
		took := time.Since(began)
		if err == nil || !strings.Contains(err.Error(), c.want) && !errors.Is(err, ctx.Err()) || took > 10*time.Second {
			t.Errorf("%s, %s: %v after %v", c.mode, c.body, err, took)
		}
		if files := must.Get(os.ReadDir(dir))(t); len(files) != 1 {
			t.Errorf("%s, %s: %v", c.mode, c.body, files)
		}
		cancel()
	}
}

// A long wait for ffmpeg is told once.
func TestLongWait(t *testing.T) {
	before := longWait
	longWait = 10 * time.Millisecond
	defer func() { longWait = before }()
	told := make(chan string, 2)
	c := &clip{File: File{In: "in.mp4"}, tools: &Tools{Note: func(text string) { told <- text }}}
	r, w := io.Pipe()
	for range 2 {
		go func() {
			time.Sleep(5 * longWait)
			_, _ = w.Write([]byte("a"))
		}()
		must.Get(waiting{r, c}.Read(make([]byte, 1)))(t)
	}
	if text := <-told; text != "in.mp4: ffmpeg has given no frame for 10ms; waiting for it" || len(told) > 0 {
		t.Errorf("told %q, and %d others", text, len(told))
	}
}

// What stands in the first frames alone is told, each kind in one line, and says where colour lies and that a frame
// consists of two fields.
func TestFirstFrames(t *testing.T) {
	s := stream{Location: "unspecified", FieldOrder: "unknown", SideData: []sideData{{Type: "Spherical Mapping"}}}
	must.Succeed(t, s.addFrames([]byte(`{"frames":[{"chroma_location":"topleft","interlaced_frame":1,"side_data_list":[
		{"side_data_type":"Mastering display metadata"},{"side_data_type":"Content light level metadata"},
		{"side_data_type":"HDR Dynamic Metadata SMPTE2094-40 (HDR10+)"},{"side_data_type":"Dolby Vision RPU Data"},
		{"side_data_type":"ATSC A53 Part 4 Closed Captions"}]},
		{"side_data_list":[{"side_data_type":"Content light level metadata"}]}]}`)))
	want := []string{"what it says for HDR screens (Mastering display metadata, Content light level metadata, HDR " +
		"Dynamic Metadata SMPTE2094-40 (HDR10+), Dolby Vision RPU Data) is left out; its transfer is kept",
		"its captions, which stand in its pictures (ATSC A53 Part 4 Closed Captions), are left out",
		"what it says of 3D or of all-round views (Spherical Mapping) is left out"}
	if got := s.lost(); !slices.Equal(got, want) || s.location() != "topleft" || !s.isInterlaced() {
		t.Errorf("%q, %s, %s", got, s.location(), s.FieldOrder)
	}
	if got := (&stream{Captions: 1}).lost(); len(got) != 1 || !strings.Contains(got[0], "closed captions") {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		at     string
		turned float64
		want   string
	}{{"", 0, "left"}, {"center", -90, "center"}, {"left", -90, "top"}, {"left", 90, "bottom"},
		{"topleft", 0, "topleft"}, {"bottomleft", 0, "bottomleft"}, {"bottomleft", -90, "topleft"},
		{"left", 180, "center"}, {"top", -180, "bottom"}} {
		s := stream{Location: c.at, SideData: []sideData{{"Display Matrix", c.turned}}}
		if got := s.location(); got != c.want {
			t.Errorf("%s turned by %v: %s, expected %s", c.at, c.turned, got, c.want)
		}
	}
}

// What a container does not hold is named.
func TestCopies(t *testing.T) {
	p := probed{Streams: []stream{{Index: 0, Type: "video"}, {Index: 1, Type: "audio"}, {Index: 2, Type: "subtitle",
		Codec: "ass"}, {Index: 3, Type: "subtitle", Codec: "hdmv_pgs_subtitle"}, {Index: 4, Type: "attachment"},
		{Index: 5, Type: "video"}, {Index: 6, Type: "data", Codec: "bin_data"}, {Index: 7, Type: "data"}}}
	const others = "attached|one video of several|data beside"
	for ext, want := range map[string]struct{ list, lost string }{
		".mkv":  {"1 copy, 2 copy, 3 copy, 4 copy, ", "one video of several|data beside"},
		".mp4":  {"1 copy, 2 mov_text, ", "subtitles (hdmv_pgs_subtitle)|" + others},
		".webm": {"1 copy, 2 webvtt, ", "subtitles (hdmv_pgs_subtitle)|" + others},
	} {
		list, lost := p.copies(p.video(), ext)
		var got strings.Builder
		for _, s := range list {
			fmt.Fprintf(&got, "%d %s, ", s.Index, s.by)
		}
		if !slices.EqualFunc(lost, strings.Split(want.lost, "|"), strings.HasPrefix) || got.String() != want.list {
			t.Errorf("%s: %s, lost %q", ext, got.String(), lost)
		}
	}
}

// Times that ffmpeg does not tell follow by the mean rate, and none repeats.
func TestTimes(t *testing.T) {
	times := newTimes(0, 25)
	const of = "[Parsed_showinfo_2 @ 0x5a] [info] "
	for _, line := range []string{of + "config in time_base: 1/1000, frame_rate: 25/1",
		of + "n:   0 pts:     80 pts_time:0.08",
		"  title : n: 9 pts: 9999", of + "n:   1 pts:  NOPTS pts_time:NOPTS",
		of + "n:   2 pts:    120 pts_time:0.12"} {
		times.take(line)
	}
	times.end()
	var got []int64
	for range 4 {
		got = append(got, times.next())
	}
	if want := []int64{80_000, 120_000, 121_000, 161_000}; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// The codec and the rate factor are those that are wanted, where the file and this ffmpeg can have them.
func TestEncoding(t *testing.T) {
	tools := &Tools{encoders: map[string]bool{h264.name: true, hevc.name: true, vp9.name: true}}
	crf := 30
	for _, c := range []struct {
		codec, ext, want, err string
		crf                   *int
	}{
		{"", ".mp4", "libx264 16", "", nil}, {"", ".mp4", "libx264 30", "", &crf},
		{"hevc", ".mkv", "libx265 18", "", nil},
		{"vp9", ".webm", "libvpx-vp9 30", "", &crf}, {"hevc", ".webm", "", "a .webm file has vp9 or av1", nil},
		{"av1", ".mkv", "", "looked for libsvtav1", nil},
	} {
		tools.Wanted = Encoding{Codec: c.codec, CRF: c.crf}
		by, err := tools.encoderFor(c.ext, false, false)
		if err != nil && (c.err == "" || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%+v: %v", c, err)
		}
		if got := by.name + " "; err == nil && got+by.args[slices.Index(by.args, "-crf")+1] != c.want {
			t.Errorf("%+v: %s %v", c, by.name, by.args)
		}
	}
	if h264.args[3] != "16" {
		t.Error("the encoder of all has changed")
	}
}
