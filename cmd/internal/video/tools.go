package video

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
)

// Tools are the programs ffmpeg and ffprobe, found on the path.
type Tools struct {
	ffmpeg, ffprobe string
	encoders        map[string]bool // names of the encoders in this ffmpeg; each is true
	version         [2]int          // major and minor; 0, 0: not a release, and treated as newer than all releases

	// Wanted says how results are encoded.
	Wanted Encoding

	// Note prints text, a remark for the user, while a video is being enlarged.
	Note func(text string)
}

// Encoding says how results are encoded. The zero value loses little that can be seen.
type Encoding struct {
	// Codec is h264, hevc, vp9 or av1; if it is empty, the codec is chosen to suit the file.
	Codec string
	// CRF is the constant rate factor of the encoder, from 0, the finest, to 63; nil: the codec's default.
	CRF *int
}

func Codecs() []string { return []string{"h264", "hevc", "vp9", "av1"} }

// newer reports whether ffmpeg has the version major.minor or a later one.
func (t *Tools) newer(major, minor int) bool {
	return t.version[0] == 0 || slices.Compare(t.version[:], []int{major, minor}) >= 0
}

// has reports whether ffmpeg was built with the decoder called name.
func (t *Tools) has(ctx context.Context, name string) bool {
	list, err := newProcess(ctx, nil, t.ffmpeg, "-hide_banner", "-decoders").output()
	return err == nil && listed(list)[name]
}

// listed returns the names of the video codecs in list, the output of ffmpeg -encoders or ffmpeg -decoders.
func listed(list []byte) map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], "V") {
			names[f[1]] = true
		}
	}
	return names
}

// Find returns the programs of FFmpeg. If one is missing, the error says how the user can enlarge in to out by hand.
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
	t := &Tools{ffmpeg: ffmpeg, ffprobe: ffprobe, Note: func(string) {}}
	banner := ""
	p := newProcess(ctx, func(line string) { banner += line + "\n" }, ffmpeg, "-encoders")
	list, err := p.output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: %s does not run: %s", in, ffmpeg, p.explain(err))
	}
	if t.encoders = listed(list); len(t.encoders) == 0 {
		return nil, console.Failf(console.ExitInput, "%s: %s lists no encoders: it is not the program of FFmpeg, or a "+
			"script that loses its output", in, ffmpeg)
	}
	if m := versions.FindStringSubmatch(banner); m != nil {
		t.version[0], _ = strconv.Atoi(m[1])
		t.version[1], _ = strconv.Atoi(m[2])
	}
	return t, nil
}

var versions = regexp.MustCompile(`(?m)^ffmpeg version n?(\d{1,2})\.(\d+)`)

// byHand returns a command line that enlarges the video at the path in to the path out through pipes, with its sound.
func byHand(in, out string) string {
	return fmt.Sprintf("ffmpeg -i %s -f yuv4mpegpipe -strict -1 - | superres upscale - | "+
		`ffmpeg -i - -i %s -map 0:v -map "1:a?" -c:a copy -vf setparams=colorspace=bt709 -crf 16 -pix_fmt yuv420p %s `+
		"(bt709 is for HD; of a smaller video write smpte170m)", quoted(in), quoted(in), quoted(out))
}

// quoted returns name, a file name, as a word of a shell command that is not taken for an option.
func quoted(name string) string {
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	return console.Quoted(name)
}

// keepTimes are the arguments that keep ffmpeg from repeating or leaving out frames.
func (t *Tools) keepTimes() []string {
	if !t.newer(5, 1) { // before 5.1, -fps_mode was called -vsync
		return []string{"-vsync", "0"}
	}
	return []string{"-fps_mode", "passthrough"}
}

// encoder is an encoder of ffmpeg, with settings that lose little that can be seen.
type encoder struct {
	name   string
	args   []string
	deep   bool // it supports 10 bits a sample
	chroma bool // it supports 4:2:2 and 4:4:4; false: only 4:2:0
	alpha  bool // it supports transparency of 8 bits
}

// The encoders of ffmpeg that are used. deepH264 differs from h264 in that it keeps 10 bits a sample.
var (
	h264     = encoder{name: "libx264", args: []string{"-preset", "medium", "-crf", "16"}, chroma: true}
	deepH264 = encoder{name: "libx264", args: h264.args, deep: true, chroma: true}
	hevc     = encoder{name: "libx265", deep: true, chroma: true,
		args: []string{"-preset", "medium", "-crf", "18", "-x265-params", "log-level=error"}}
	mpeg4 = encoder{name: "mpeg4", args: []string{"-q:v", "2"}}
	vp9   = encoder{name: "libvpx-vp9", deep: true, chroma: true, alpha: true,
		args: []string{"-crf", "20", "-b:v", "0", "-row-mt", "1", "-cpu-used", "2"}}
	av1 = encoder{name: "libsvtav1", args: []string{"-crf", "24", "-preset", "6"}, deep: true}
)

// rated returns e with w.CRF in place of its own rate factor, if w.CRF is set and e has a rate factor.
func (w Encoding) rated(e encoder) encoder {
	if i := slices.Index(e.args, "-crf"); i >= 0 && w.CRF != nil {
		e.args = slices.Clone(e.args)
		e.args[i+1] = strconv.Itoa(*w.CRF)
	}
	return e
}

// encoderFor returns the encoder for a file with the extension ext, in lower case: the first that this ffmpeg has, of a
// list from best to worst, or the encoder of the codec that the user wants. deep says that samples have more than 8
// bits, alpha that there is transparency. It fails if ffmpeg lacks all these encoders or such files cannot have them.
func (t *Tools) encoderFor(ext string, deep, alpha bool) (encoder, error) {
	list := []encoder{h264, mpeg4}
	switch {
	case ext == ".webm":
		list = []encoder{vp9, av1}
	case deep:
		list = []encoder{hevc, deepH264, mpeg4}
	}
	if alpha && ext == ".mkv" {
		list = append([]encoder{vp9}, list...)
	}
	if codec := t.Wanted.Codec; codec != "" {
		// deepH264 is libx264, too, and takes samples of 8 bits as well as of 10.
		list = map[string][]encoder{"h264": {deepH264}, "hevc": {hevc}, "vp9": {vp9}, "av1": {av1}}[codec]
		if ext == ".webm" && list[0].name != vp9.name && list[0].name != av1.name {
			return encoder{}, console.Usage("--codec %s: a .webm file has vp9 or av1", codec)
		}
	}
	var names []string
	for _, e := range list {
		if t.encoders[e.name] {
			return t.Wanted.rated(e), nil // with the value of --crf, if the user gave one
		}
		names = append(names, e.name)
	}
	return encoder{}, console.Failf(console.ExitOutput, "%s has no encoder for %s files (looked for %s); install an "+
		"ffmpeg that has, or choose another extension", t.ffmpeg, ext, strings.Join(names, ", "))
}
