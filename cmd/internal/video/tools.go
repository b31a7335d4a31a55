package video

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
)

// Tools are the programs of FFmpeg, found on the path.
type Tools struct {
	ffmpeg, ffprobe string
	encoders        map[string]bool // those that this ffmpeg was built with
	old             bool            // before 5.1, when -fps_mode was called -vsync
}

// Find returns the programs of FFmpeg. Without them it fails with what to do for the video file in, whose result was to
// be out.
func Find(ctx context.Context, in, out string) (*Tools, error) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: is a video, which superres reads by FFmpeg, and there is no "+
			"ffmpeg on the path; install it (apt install ffmpeg, brew install ffmpeg, winget install ffmpeg, or "+
			"https://ffmpeg.org) and type the same again. By hand, where there is one: %s", in, byHand(in, out))
	}
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: is a video; ffmpeg is on the path, but not ffprobe, which "+
			"comes with it; install it, or by hand: %s", in, byHand(in, out))
	}
	t := &Tools{ffmpeg: ffmpeg, ffprobe: ffprobe, encoders: map[string]bool{}}
	banner := ""
	p := newProcess(ctx, func(line string) { banner += line + "\n" }, ffmpeg, "-encoders")
	list, err := p.output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: %s does not run: %v; %.200s", in, ffmpeg, err, banner)
	}
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], "V") {
			t.encoders[f[1]] = true
		}
	}
	if m := versions.FindStringSubmatch(banner); m != nil {
		major, _ := strconv.Atoi(m[1])
		minor, _ := strconv.Atoi(m[2])
		t.old = major < 5 || major == 5 && minor < 1
	}
	return t, nil
}

var versions = regexp.MustCompile(`(?m)^ffmpeg version n?(\d{1,2})\.(\d+)`)

// byHand returns the command line that makes out of in through pipes, with the sound of in.
func byHand(in, out string) string {
	return fmt.Sprintf("ffmpeg -i %s -f yuv4mpegpipe -strict -1 - | superres upscale - | "+
		`ffmpeg -i - -i %s -map 0:v -map "1:a?" -c:a copy -vf setparams=colorspace=bt709 -crf 16 -pix_fmt yuv420p %s `+
		"(bt709 is for HD; of a smaller video write smpte170m)", quoted(in), quoted(in), quoted(out))
}

// quoted returns a name as a word of a shell, which begins with no dash.
func quoted(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "." + string(filepath.Separator) + name
	}
	if strings.ContainsAny(name, " \t\"'$&()*;<>?[]|~`") {
		return strconv.Quote(name)
	}
	return name
}

// keepTimes are the arguments that have ffmpeg neither repeat nor leave out frames.
func (t *Tools) keepTimes() []string {
	if t.old {
		return []string{"-vsync", "0"}
	}
	return []string{"-fps_mode", "passthrough"}
}

// encoder is an encoder of ffmpeg with its settings, which lose little that can be seen.
type encoder struct {
	name, title string
	args        []string
	deep        bool // it takes 10 bits a sample
}

var (
	h264   = encoder{"libx264", "H.264", []string{"-preset", "medium", "-crf", "16"}, false}
	h264At = encoder{"libx264", "H.264 of 10 bits", []string{"-preset", "medium", "-crf", "16"}, true}
	hevc   = encoder{"libx265", "HEVC", []string{"-preset", "medium", "-crf", "18", "-x265-params", "log-level=error"},
		true}
	mpeg4 = encoder{"mpeg4", "MPEG-4", []string{"-q:v", "2"}, false}
	vp9   = encoder{"libvpx-vp9", "VP9", []string{"-crf", "20", "-b:v", "0", "-row-mt", "1", "-cpu-used", "2"}, true}
	av1   = encoder{"libsvtav1", "AV1", []string{"-crf", "24", "-preset", "6"}, true}
)

// encoderFor returns the best encoder that there is for a file with the extension ext, lower case, of deep samples or
// of 8 bits.
func (t *Tools) encoderFor(ext string, deep bool) (encoder, error) {
	list := []encoder{h264, mpeg4}
	switch {
	case ext == ".webm":
		list = []encoder{vp9, av1}
	case deep:
		list = []encoder{hevc, h264At, mpeg4}
	}
	var names []string
	for _, e := range list {
		if t.encoders[e.name] {
			return e, nil
		}
		names = append(names, e.name)
	}
	return encoder{}, console.Failf(console.ExitOutput, "%s has no encoder for %s files (looked for %s); install an "+
		"ffmpeg that has, or choose another extension", t.ffmpeg, ext, strings.Join(names, ", "))
}
