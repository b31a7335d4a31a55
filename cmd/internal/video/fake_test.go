package video

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// The test binary plays ffmpeg and ffprobe where they are called by these names, as fake puts them on the path.
func TestMain(m *testing.M) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if name == "ffmpeg" || name == "ffprobe" {
		os.Exit(play(name, os.Args[1:]))
	}
	consoletest.Of().Main(m)
}

// fakeMode is the environment variable that says how the fake ffmpeg misbehaves; empty: it does not.
const fakeMode = "SUPERRES_TEST_FFMPEG"

// fakeVideo begins like an MP4.
const fakeVideo = "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomiso2"

// fakeProbe is what the fake ffprobe says: a video with sound, subtitles and a cover.
const fakeProbe = `{"streams":[
	{"index":0,"codec_type":"video","codec_name":"h264","pix_fmt":"yuv420p","width":6,"height":4,"color_range":"tv",
		"color_space":"bt709","avg_frame_rate":"25/1","nb_frames":"3","tags":{"language":"fra"}},
	{"index":1,"codec_type":"audio","codec_name":"aac","disposition":{"default":1,"dub":1,"forced":0}},
	{"index":2,"codec_type":"subtitle","codec_name":"subrip","disposition":{"default":1}},
	{"index":3,"codec_type":"video","codec_name":"png","disposition":{"attached_pic":1}}],
	"format":{"start_time":"1.5","duration":"0.12"}}`

// play does what ffmpeg or ffprobe, called name, would do with args, in a small way. The result that it makes holds its
// arguments and what it read.
func play(name string, args []string) int {
	mode, has := os.Getenv(fakeMode), func(arg string) bool { return slices.Contains(args, arg) }
	fail := func(text string) int {
		fmt.Fprintln(os.Stderr, "[mp4 @ 0x55] [error] "+text)
		return 1
	}
	switch {
	case name == "ffprobe" && mode == "probe":
		return fail("moov atom not found")
	case name == "ffprobe" && mode == "verbose":
		for line := strings.Repeat(" ", 1<<20); ; {
			if _, err := fmt.Println(line); err != nil {
				return 1
			}
		}
	case name == "ffprobe":
		file := strings.TrimPrefix(args[len(args)-1], "file:")
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			return fail("Invalid data found when processing input")
		}
		fmt.Println(fakeProbe)
	case has("-encoders"):
		fmt.Fprintln(os.Stderr, "ffmpeg version 4.4.1 Copyright")
		fmt.Println(" V....D libx264  H.264\n V....D libvpx-vp9  VP9\n A..... aac  AAC")
	case has("yuv4mpegpipe"):
		const frame = "abcdefghijklmnopqrstuvwxCCCCCCcccccc"
		fmt.Println("YUV4MPEG2 W6 H4 F25:1 Ip A16:15 C420jpeg")
		fmt.Fprintln(os.Stderr, "[Parsed_showinfo_1 @ 0x55] [info] config in time_base: 1/100, frame_rate: 25/1")
		for n, stamp := range []int{150, 154, 190} {
			fmt.Fprintf(os.Stderr, "[Parsed_showinfo_1 @ 0x55] [info] n:%4d pts:%7d pts_time:1 pos: 1\n", n, stamp)
			fmt.Print("FRAME\n", frame)
			if mode == "decode" && n == 1 {
				return fail("Error while decoding")
			}
		}
		for n := 3; mode == "endless"; n++ {
			fmt.Fprintf(os.Stderr, "[Parsed_showinfo_1 @ 0x55] [info] n:%4d pts:%7d pts_time:1 pos: 1\n", n, 190+n)
			if _, err := fmt.Print("FRAME\n", frame); err != nil {
				return 1
			}
		}
		for mode == "slow" {
			time.Sleep(time.Hour) // until it is killed
		}
	case has("file:"+os.DevNull) && mode == "trial":
		return fail("codec not currently supported in container")
	case has("pipe:0"):
		switch mode {
		case "encode", "endless":
			return fail("Error submitting a frame to " + args[len(args)-1])
		case "full":
			return fail("Error writing trailer of " + args[len(args)-1] + ": No space left on device")
		}
		stream, _ := io.ReadAll(os.Stdin)
		out := strings.TrimPrefix(args[len(args)-1], "file:")
		if os.WriteFile(out, append([]byte(strings.Join(args, " ")+"\n"), stream...), 0o600) != nil {
			return 1
		}
	}
	return 0
}

// fake puts fake programs of FFmpeg on the path, alone, which misbehave as mode says.
func fake(t *testing.T, mode string) {
	t.Helper()
	dir, self := t.TempDir(), must.Get(os.Executable())(t)
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if filepath.Ext(self) == ".exe" {
			consoletest.Put(t, filepath.Join(dir, name+".exe"), must.Get(os.ReadFile(self))(t))
		} else {
			must.Succeed(t, os.Symlink(self, filepath.Join(dir, name)))
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv(fakeMode, mode)
}

// wrap puts scripts on the path, in the place of the fake programs. They run body, which has a function real that does
// what the fake program would, $at that is list, probe, try, decode or encode, and the command hold, which starts a
// program that keeps their pipes open and returns.
func wrap(t *testing.T, body string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are for a shell of Unix")
	}
	dir := t.TempDir()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		text := fmt.Sprintf(`#!/bin/sh
PATH=/bin:/usr/bin
real() { '%s' "$@"; }
hold() { sleep 300 & }
case "$0 $*" in
*ffprobe\ *) at=probe;; *-encoders*) at=list;; *yuv4mpegpipe*) at=decode;; *pipe:0*) at=encode;; *) at=try;;
esac
%s
real "$@"
exit $?
`, filepath.Join(os.Getenv("PATH"), name), body)
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	t.Setenv("PATH", dir)
}
