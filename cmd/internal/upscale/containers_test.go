package upscale

import (
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// mp4 is the beginning of an MP4.
const mp4 = "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomiso2"

// Without FFmpeg, and for what a video cannot become, a video file is refused before any work, with what to do.
func TestVideoFilesWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := t.TempDir()
	for _, name := range []string{"in.mp4", "noname", "there.mov", "there_2x.mov"} {
		putText(t, dir, name, mp4)
	}
	putText(t, dir, "old.avi", "RIFF\x00\x00\x00\x00AVI LIST")
	putText(t, dir, "in.webm", "\x1a\x45\xdf\xa3")
	putText(t, dir, "text.mp4", "Dear all,")
	putText(t, dir, "list.mkv", "#EXTM3U\n/etc/passwd\n")
	consoletest.Blobs(t, dir, 9, 7, "folder/a.png", "photo.mp4")
	putText(t, dir, "folder/b.mp4", mp4)
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"in.mp4", console.ExitInput, "in.mp4: is a video, which superres reads by FFmpeg, and there is no ffmpeg"},
		{"in.mp4", console.ExitInput, `ffmpeg -i in.mp4 -f yuv4mpegpipe -strict -1 - | superres upscale - | ffmpeg ` +
			`-i - -i in.mp4 -map 0:v -map "1:a?" -c:a copy -vf setparams=colorspace=bt709 -crf 16 -pix_fmt yuv420p ` +
			`in_2x.mp4`},
		{"old.avi", console.ExitInput, " old_2x.mkv "},
		{"noname", console.ExitInput, " noname_2x.mkv "},
		{"in.mp4 large.mov", console.ExitInput, " large.mov "},
		{"in.webm -s 3 -o new/", console.ExitInput, "new/in_3x.webm "},
		{"in.mp4 --name {stem}-{scale}.mkv", console.ExitInput, " in-2.mkv "},
		{"in.mp4 folder/a.png", console.ExitInput, "there is no ffmpeg"},
		{"text.mp4", console.ExitInput, `text.mp4: is not a video (starts with "Dear all"`},
		{"list.mkv", console.ExitInput, "list.mkv: is not a video"},
		{"none.mp4", console.ExitInput, "none.mp4: does not exist"},
		{"there.mov", console.ExitOutput, "there_2x.mov exists"},
		{"in.mp4 -o in.mp4 --on-exist overwrite", console.ExitOutput, "the output is the input"},
		{"in.mp4 -o x.avi", console.ExitUsage, "a video is written as .mp4 .mov .m4v .mkv .webm"},
		{"in.mp4 -o x", console.ExitUsage, "write x.mp4"},
		{"in.mp4 -o -", console.ExitUsage, "a video goes to a file"},
		{"in.mp4 -f png", console.ExitUsage, "in.mp4 is a video, and becomes one"},
		{"in.mp4 in.webm -o x.mp4", console.ExitUsage, "several videos need a folder"},
		{"in.mp4 --resume", console.ExitInput, "there is no ffmpeg on the path"},
		{"in.mp4 --depth 16", console.ExitUsage, "a video keeps the depth that it has"},
	})
	expect(t, dir, mp4, "-", console.ExitInput, "standard input is a video file; name the file")
	succeeds(t, dir, "folder -q -m nearest -o out") // videos in folders are left alone
	succeeds(t, dir, "photo.mp4 -q -m nearest -o photo.png")
}
