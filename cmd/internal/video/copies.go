package video

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// copied is a stream of the input that is copied to the result. by is "copy" or, for subtitles to convert, the encoder.
type copied struct {
	*stream
	by string
}

// copies returns the streams of p, other than video, that a file with the extension ext can hold. Subtitles that are
// text are converted if the file needs another kind. lost holds a text for each kind of stream that the result lacks;
// each text continues a line that begins with the name of the file.
func (p *probed) copies(video *stream, ext string) (list []copied, lost []string) {
	convertTo := map[string]string{".mp4": "mov_text", ".m4v": "mov_text", ".mov": "mov_text", ".mkv": "srt",
		".webm": "webvtt"}[ext] // the subtitles that ffmpeg makes for such files
	textSubtitles := []string{"mov_text", "subrip", "srt", "ass", "ssa", "webvtt", "text"}
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(lost, text) {
			lost = append(lost, text)
		}
	}
	for i := range p.Streams {
		s := &p.Streams[i]
		switch {
		case s == video: // is enlarged
		case s.Type == "audio":
			list = append(list, copied{s, "copy"})
		case s.Type == "subtitle" && (s.Codec == convertTo || ext == ".mkv" && s.Codec != "mov_text"):
			list = append(list, copied{s, "copy"})
		case s.Type == "subtitle" && slices.Contains(textSubtitles, s.Codec):
			list = append(list, copied{s, convertTo})
		case s.Type == "subtitle":
			add("subtitles (%s) are left out: %s files do not take them", s.Codec, ext)
		case s.isCover() && isMP4(ext):
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
			// Titles of chapters, or the time code: FFmpeg writes them by itself.
		default:
			add("data beside the pictures, as of a camera, is left out")
		}
	}
	return list, lost
}

// isMP4 reports whether files with the extension ext belong to the MP4 family; if not, to the Matroska family.
func isMP4(ext string) bool { return ext != ".mkv" && ext != ".webm" }

// disposition returns the flags of s, such as default and forced, by which players choose the streams to play, as a
// value of the option -disposition, or "0". Without it, ffmpeg makes the first of a kind the default if no other is.
func (s *stream) disposition() string {
	var list []string
	for name, is := range s.Disposition {
		if is != 0 {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	if len(list) == 0 {
		return "0"
	}
	return strings.Join(list, "+")
}

// copyArgs are the arguments that copy the streams in list from input number input: 1 for a result, in which input 0 is
// its enlarged video, or 0 for a trial (see trialArgs), which has no such video.
func copyArgs(list []copied, input int) []string {
	var args []string
	numbers := map[string]int{"v": input} // number of the next stream of each kind; v:0 of a result is the enlarged one
	for _, s := range list {
		kind := s.Type[:1] // v, a or s; attachments are not numbered
		number := fmt.Sprint(kind, ":", numbers[kind])
		args = append(args, "-map", fmt.Sprintf("%d:%d", input, s.Index))
		switch {
		case s.Type == "subtitle":
			args = append(args, "-c:"+number, s.by)
		case s.isCover():
			args = append(args, "-c:"+number, "copy")
		}
		if s.Type != "attachment" {
			args = append(args, "-disposition:"+number, s.disposition())
			numbers[kind]++
		}
	}
	return append(args, "-c:a", "copy", "-c:t", "copy")
}

// muxers are FFmpeg's names of file formats, by file extension.
var muxers = map[string]string{".mp4": "mp4", ".m4v": "mp4", ".mov": "mov", ".mkv": "matroska", ".webm": "webm"}

// trialArgs are the arguments of an ffmpeg that copies the first 0.1 s of the streams in list, in the format for the
// extension ext, to nowhere. This ffmpeg fails at once if a file of the format cannot hold the streams.
//
// Note: ffmpeg writes to the null device, where it can seek back. Through a pipe it would refuse AAC from MPEG-TS and,
// in MP4, AC-3, since only the first packets tell it what to write at the start of the file.
func (c *clip) trialArgs(ext string, list []copied) []string {
	args := append(slices.Clone(quietArgs), inputArgs(c.In)...)
	args = append(append(args, copyArgs(list, 0)...), "-t", "0.1", "-f", muxers[ext])
	return append(args, "-y", local(os.DevNull))
}

// metadataArgs returns the arguments that keep the metadata of the user's file, which is input 1, or remove it if
// c.Strip is true, in a result with the extension ext, and that keep the flags of its video.
func (c *clip) metadataArgs(ext string) (args []string) {
	args = append(args, "-disposition:v:0", c.video.disposition())
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
	if !isMP4(ext) {
		if c.tools.newer(4, 3) { // keeps ffmpeg from making other streams the default
			args = append(args, "-default_mode", "passthrough")
		}
		return args
	}
	flags := "+faststart"                   // so a player that reads from a network need not read the end first
	for tag := range c.probed.Format.Tags { // tags of Apple are written only if ffmpeg is told to
		if strings.HasPrefix(tag, "com.apple.quicktime.") && !c.Strip {
			flags = "+faststart+use_metadata_tags"
		}
	}
	return append(args, "-movflags", flags)
}
