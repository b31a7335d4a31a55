package video

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/y4m"
)

// What ffmpeg may open for an input: the file itself, of kinds that hold all they show. A playlist, say, which names
// other files or addresses, is refused, whatever it is called.
const (
	protocols = "file"
	demuxers  = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,asf,flv,ogg,mpeg,mpegvideo,mpegts"
)

// inputArgs are the arguments that open the file path as an input.
func inputArgs(path string) []string {
	return []string{"-protocol_whitelist", protocols, "-format_whitelist", demuxers, "-i", local(path)}
}

var quietArgs = []string{"-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+error"}

// probeArgs are the arguments of ffprobe that have it describe the file path.
func probeArgs(path string) []string {
	args := []string{"-hide_banner", "-loglevel", "level+error", "-of", "json", "-show_format", "-show_streams"}
	return append(args, inputArgs(path)...)
}

// decodeArgs are the arguments of the ffmpeg that writes the frames as Y4M, upright, and tells their times.
func (c *clip) decodeArgs() []string {
	var filters []string
	if c.video.isInterlaced() {
		filters = append(filters, "bwdif=mode=send_frame")
	}
	if c.video.isRGB() {
		filters = append(filters, "scale=out_color_matrix=bt709:out_range=tv")
	}
	// With the format before showinfo, that is last, and tells what is written.
	filters = append(filters, "format="+c.video.piped(), "showinfo")
	args := []string{"-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+info"}
	args = append(args, inputArgs(c.In)...)
	args = append(args, "-map", fmt.Sprint("0:", c.video.Index), "-copyts", "-vf", strings.Join(filters, ","))
	args = append(args, c.tools.keepTimes()...)
	return append(args, "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1")
}

// copied is a stream of the input that goes into the result, by an encoder of subtitles, or "copy".
type copied struct {
	*stream
	by string
}

// copies returns the streams of p, but for video, that a file with the extension ext holds, and what is lost, each text
// worded to follow the name of the file.
func (p *probed) copies(video *stream, ext string) (list []copied, lost []string) {
	subtitles := map[string]string{".mp4": "mov_text", ".m4v": "mov_text", ".mov": "mov_text", ".mkv": "srt",
		".webm": "webvtt"}[ext]
	written := []string{"mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"} // not drawn as pictures
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(lost, text) {
			lost = append(lost, text)
		}
	}
	for i := range p.Streams {
		s := &p.Streams[i]
		switch {
		case s == video:
		case s.Type == "audio":
			list = append(list, copied{s, "copy"})
		case s.Type == "subtitle" && (s.Codec == subtitles || ext == ".mkv" && s.Codec != "mov_text"):
			list = append(list, copied{s, "copy"})
		case s.Type == "subtitle" && slices.Contains(written, s.Codec):
			list = append(list, copied{s, subtitles})
		case s.Type == "subtitle":
			add("subtitles (%s) are left out: %s files do not take them", s.Codec, ext)
		case s.isCover() && (ext == ".mp4" || ext == ".m4v" || ext == ".mov"):
			list = append(list, copied{s, "copy"})
		case s.isCover():
			add("the cover picture is left out")
		case s.Type == "video":
			add("one video of several is enlarged, the first; the others are left out")
		case s.Type == "attachment" && ext == ".mkv":
			list = append(list, copied{s, "copy"})
		case s.Type == "attachment":
			add("attached files are left out: %s files do not take them", ext)
		case s.Codec == "bin_data" || strings.HasPrefix(s.Tags["handler_name"], "TimeCode"):
			// Titles of chapters, and the time code, which FFmpeg writes anew from what it read.
		default:
			add("data beside the pictures, as of a camera, is left out")
		}
	}
	return list, lost
}

// copyArgs are the arguments that copy list from input number input, to follow the streams before, of which there is
// video of number videos.
func copyArgs(list []copied, input, videos int) []string {
	var args []string
	subtitles := 0
	for _, s := range list {
		args = append(args, "-map", fmt.Sprintf("%d:%d", input, s.Index))
		switch {
		case s.Type == "subtitle":
			args = append(args, fmt.Sprint("-c:s:", subtitles), s.by)
			subtitles++
		case s.isCover():
			args = append(args, fmt.Sprint("-c:v:", videos), "copy", fmt.Sprint("-disposition:v:", videos),
				"attached_pic")
			videos++
		}
	}
	return append(args, "-c:a", "copy", "-c:t", "copy")
}

// muxers are the formats of FFmpeg by extension.
var muxers = map[string]string{".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska", ".webm": "webm"}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// trialArgs are the arguments of an ffmpeg that writes the beginning of list as a file with the extension ext to its
// standard output. It fails at once where such a file cannot hold it.
func (c *clip) trialArgs(ext string, list []copied) []string {
	args := append(slices.Clone(quietArgs), inputArgs(c.In)...)
	args = append(append(args, copyArgs(list, 0, 0)...), "-t", "0.1", "-f", muxers[ext])
	if ext != ".mkv" && ext != ".webm" {
		args = append(args, "-movflags", "empty_moov+frag_keyframe")
	}
	return append(args, "pipe:1")
}

// readHeader returns the header of a Y4M stream.
func readHeader(head string) (y4m.Header, error) {
	in, err := y4m.NewReader(strings.NewReader(head), imagefile.Limits{Pixels: 1 << 40})
	if err != nil {
		return y4m.Header{}, err
	}
	return in.Header, nil
}

// pixelAspect matches the proportions of a pixel in the header of a stream.
var pixelAspect = regexp.MustCompile(` A([1-9]\d*):([1-9]\d*)(?: |\n|$)`)

// encodeArgs are the arguments, but for the name of the file, of the ffmpeg that makes the result of frames on its
// standard input, by the header in, as text head, and of list.
func (c *clip) encodeArgs(in y4m.Header, head string, list []copied) ([]string, error) {
	ext := extension(c.Out)
	by, err := c.tools.encoderFor(ext, in.Depth > 8)
	if err != nil {
		return nil, err
	}
	if in.Depth > 8 && !by.deep {
		c.warn(fmt.Sprintf("has %d bits a sample, and gets 8: this ffmpeg has no encoder for more", in.Depth))
	}
	c.warnOfLosses()
	args := append(slices.Clone(quietArgs), "-copyts", "-f", "matroska", "-i", "pipe:0")
	if begin := c.probed.start(); begin != 0 {
		args = append(args, "-itsoffset", strconv.FormatFloat(-begin, 'f', -1, 64))
	}
	args = append(args, inputArgs(c.In)...)
	args = append(append(args, "-map", "0:0"), copyArgs(list, 1, 1)...)
	args = append(args, "-filter:v:0", c.encodeFilters(in, head, by), "-c:v:0", by.name)
	args = append(append(args, by.args...), c.colourArgs(in)...)
	if by.name == hevc.name && ext != ".mkv" {
		args = append(args, "-tag:v:0", "hvc1") // which players of Apple ask for
	}
	num, den := c.times.unit()
	if by.name == mpeg4.name && den > 1<<16-1 {
		num, den = 1, 60000 // the most that MPEG-4 has
	}
	args = append(append(args, c.tools.keepTimes()...), "-enc_time_base", fmt.Sprintf("%d:%d", num, den))
	args = append(args, c.metadataArgs(ext)...)
	return append(args, "-fflags", "+bitexact", "-f", muxers[ext], "-y"), nil
}

// warnOfLosses warns of what the frames lose whatever the result is.
func (c *clip) warnOfLosses() {
	if c.video.isInterlaced() {
		c.warn("is interlaced; its frames are made of their two fields by FFmpeg's bwdif")
	}
	if c.video.hasAlpha() {
		c.warn("its transparency is left out")
	}
	for _, d := range c.video.SideData {
		if strings.HasPrefix(d.Type, "Mastering display") || strings.HasPrefix(d.Type, "DOVI") {
			c.warn(fmt.Sprintf("what it says for HDR screens (%s) is left out; its transfer is kept", d.Type))
		}
	}
}

// encodeFilters are the filters of the frames before they are encoded: they say what the samples mean, which changes
// none, and bring colour to half the resolution of brightness, which is that of the input or more.
func (c *clip) encodeFilters(in y4m.Header, head string, by encoder) string {
	said := c.video.colours(in.Width, in.Height)
	pix := "yuv420p"
	if in.Depth > 8 && by.deep {
		pix = "yuv420p10le"
	}
	var flags, filters []string
	for _, f := range [][2]string{{"range", said.Range}, {"colorspace", said.Matrix},
		{"color_primaries", said.Primaries}, {"color_trc", said.Transfer}} {
		if f[1] != "" {
			flags = append(flags, f[0]+"="+f[1])
		}
	}
	if len(flags) > 0 {
		filters = append(filters, "setparams="+strings.Join(flags, ":"))
	}
	if m := pixelAspect.FindStringSubmatch(strings.TrimSpace(head)); m != nil && m[1] != m[2] {
		filters = append(filters, "setsar="+m[1]+"/"+m[2])
	}
	if is420 := in.Layout.Grey || in.Layout.Across == 2 && in.Layout.Down == 2; !is420 || in.Depth != 8 {
		of := "tv"
		if said.Range == "pc" {
			of = "pc"
		}
		filters = append(filters, "scale=in_range="+of+":out_range="+of)
	}
	return strings.Join(append(filters, "format="+pix), ",")
}

// colourArgs are the flags of the encoder that say what the samples mean.
func (c *clip) colourArgs(in y4m.Header) (args []string) {
	said := c.video.colours(in.Width, in.Height)
	location := c.video.Location
	known := []string{"left", "center", "topleft", "top", "bottomleft", "bottom"}
	if !slices.Contains(known, location) {
		location = ""
	}
	for _, f := range [][2]string{{"-color_range", said.Range}, {"-colorspace", said.Matrix},
		{"-color_primaries", said.Primaries}, {"-color_trc", said.Transfer}, {"-chroma_sample_location", location}} {
		if f[1] != "" {
			args = append(args, f[0], f[1])
		}
	}
	return args
}

// metadataArgs are the arguments that keep what is said of the file and its streams in one with the extension ext.
func (c *clip) metadataArgs(ext string) (args []string) {
	if c.Strip {
		args = append(args, "-map_metadata", "-1", "-map_chapters", "-1")
	} else {
		args = append(args, "-map_metadata", "1", "-map_chapters", "1")
		for _, tag := range []string{"language", "title"} {
			if value := c.video.Tags[tag]; value != "" {
				args = append(args, "-metadata:s:v:0", tag+"="+value)
			}
		}
	}
	if ext == ".mkv" || ext == ".webm" {
		return args
	}
	flags := "+faststart" // a player that reads from a network need not read the end first
	for tag := range c.probed.Format.Tags {
		if strings.HasPrefix(tag, "com.apple.quicktime.") && !c.Strip {
			flags = "+faststart+use_metadata_tags"
		}
	}
	return append(args, "-movflags", flags)
}
