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

// What ffmpeg may open as an input: only files, and only formats that need no other file. A playlist, for example,
// names other files or addresses, so ffmpeg refuses it, under any file name.
const (
	protocols = "file"
	demuxers  = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,asf,flv,ogg,mpeg,mpegvideo,mpegts,h264,hevc,dv,mxf,ivf"
)

// inputArgs are the arguments that make ffmpeg or ffprobe open the file at path as an input.
func inputArgs(path string) []string {
	return []string{"-protocol_whitelist", protocols, "-format_whitelist", demuxers, "-i", local(path)}
}

var quietArgs = []string{"-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+error"}

// probeArgs are the arguments that make ffprobe describe the file at path as JSON; more says which parts to describe.
func probeArgs(path string, more ...string) []string {
	return slices.Concat([]string{"-hide_banner", "-loglevel", "level+error", "-of", "json"}, more, inputArgs(path))
}

// decodeArgs returns the arguments of the ffmpeg that writes the frames as Y4M, upright, and prints their times. Pairs
// of interlaced fields become frames, and RGB becomes YCbCr. If done is not 0, an earlier run enlarged that many
// frames. ffmpeg then writes only the first two frames, from which superres chooses the model, and the frames that are
// left. If c.alpha is true, the opacity of each frame stands below it, as brightness: see alphaReader.
func (c *clip) decodeArgs(done int) []string {
	var filters []string
	if c.video.isInterlaced() {
		filters = append(filters, "bwdif=mode=send_frame")
	}
	if done > 0 {
		filters = append(filters, fmt.Sprintf(`select=lt(n\,2)+gte(n\,%d)`, done))
	}
	if c.video.isRGB() {
		filters = append(filters, "scale=out_color_matrix=bt709:out_range=tv")
	}
	// showinfo is last, after the format, so that it shows the frames as they are written.
	format := "format=" + c.video.piped()
	if c.alpha {
		format = "format=yuva444p,split[a][b];[b]shuffleplanes=3:1:2:3[c];[a][c]vstack,format=yuv444p"
	}
	filters = append(filters, format, "showinfo")
	args := []string{"-hide_banner", "-nostdin", "-nostats", "-loglevel", "level+info"}
	if decoder := c.video.alphaBy(); c.alpha && decoder != "" {
		args = append(args, "-c:v", decoder)
	}
	args = append(args, inputArgs(c.In)...)
	args = append(args, "-map", fmt.Sprint("0:", c.video.Index), "-copyts", "-vf", strings.Join(filters, ","))
	args = append(args, c.tools.keepTimes()...)
	return append(args, "-strict", "-1", "-f", "yuv4mpegpipe", "pipe:1") // -strict -1 allows more than 8 bits
}

func extension(path string) string { return strings.ToLower(filepath.Ext(path)) }

// readHeader returns the header of the Y4M stream that begins with head.
func readHeader(head string) (y4m.Header, error) {
	const noLimit = 1 << 40 // pixels
	in, err := y4m.NewReader(strings.NewReader(head), imagefile.Limits{Pixels: noLimit})
	if err != nil {
		return y4m.Header{}, err
	}
	return in.Header, nil
}

// pixelAspect matches the ratio of width to height of a pixel in the header of a Y4M stream.
var pixelAspect = regexp.MustCompile(` A([1-9]\d*):([1-9]\d*)(?: |\n|$)`)

// framesArgs are the arguments that make ffmpeg read the enlarged frames from standard input.
var framesArgs = []string{"-f", "matroska", "-i", "pipe:0"}

// resultArgs returns the arguments, without the name of the file, of the ffmpeg that writes the result. frames holds
// the arguments that open the enlarged frames, which are input 0, and pictures the arguments that encode them. list has
// the streams to copy from c.In, which is input 1, moved in time so that the file begins at 0, as the frames do.
func (c *clip) resultArgs(frames, pictures []string, list []copied) []string {
	ext := extension(c.Out)
	args := slices.Concat(quietArgs, []string{"-copyts"}, frames)
	if begin := c.probed.start(); begin != 0 {
		args = append(args, "-itsoffset", strconv.FormatFloat(-begin, 'f', -1, 64))
	}
	args = slices.Concat(args, inputArgs(c.In), []string{"-map", "0:0"}, copyArgs(list, 1), pictures)
	if c.by.name == hevc.name && isMP4(ext) {
		args = append(args, "-tag:v:0", "hvc1") // the tag that players of Apple require
	}
	args = append(args, c.tools.keepTimes()...)
	return slices.Concat(args, c.metadataArgs(ext), []string{"-fflags", "+bitexact", "-f", muxers[ext], "-y"})
}

// pictureArgs returns the arguments that encode frames: filters, encoder, flags of colour, and the unit in which the
// encoder counts times, the unit of the input if it can. in is the header of the frames, head the same as text.
func (c *clip) pictureArgs(in y4m.Header, head string) []string {
	args := slices.Concat([]string{"-filter:v:0", c.encodeFilters(in, head), "-c:v:0", c.by.name}, c.by.args,
		c.colourArgs(in))
	if c.alpha {
		args = append(args, "-auto-alt-ref", "0") // VP9 cannot combine it with transparency
	}
	num, den := c.times.unit()
	if c.by.name == mpeg4.name && den > 1<<16-1 {
		num, den = 1, 60000 // the finest unit that MPEG-4 has
	}
	return append(args, "-enc_time_base", fmt.Sprintf("%d:%d", num, den))
}

// pixFmt returns the pixel format of the result; in is the header of the frames. If the encoder supports it, frames of
// more than 8 bits get 10, and 4:2:2 and 4:4:4 stay. Else, and always with transparency, they get 8 bits and 4:2:0.
func (c *clip) pixFmt(in y4m.Header) string {
	layout := "yuv420p"
	switch l := in.Layout; {
	case c.alpha:
		return "yuva420p"
	case l.Grey || !c.by.chroma: // 4:2:0
	case l.Across == 1:
		layout = "yuv444p"
	case l.Across == 2 && l.Down == 1:
		layout = "yuv422p"
	}
	if in.Depth > 8 && c.by.deep {
		layout += "10le"
	}
	return layout
}

// encodeFilters returns the filters for the frames before encoding: they set the flags that say what the samples mean,
// and the shape of pixels if they are not square, and convert the frames to the pixel format of the result if it
// differs. in is the header of the frames, head the same as text.
func (c *clip) encodeFilters(in y4m.Header, head string) string {
	said, pix := c.video.colours(in.Width, in.Height), c.pixFmt(in)
	var flags, filters []string
	for _, f := range said.flags() {
		flags = append(flags, strings.Replace(f[0], "color_range", "range", 1)+"="+f[1]) // so setparams calls it
	}
	if len(flags) > 0 {
		filters = append(filters, "setparams="+strings.Join(flags, ":"))
	}
	if m := pixelAspect.FindStringSubmatch(strings.TrimSpace(head)); m != nil && m[1] != m[2] {
		filters = append(filters, "setsar="+m[1]+"/"+m[2])
	}
	if pix != streamFormat(in) {
		kept := "tv" // the range of samples, limited or full, must not change
		if said.Range == "pc" {
			kept = "pc"
		}
		filters = append(filters, "scale=in_range="+kept+":out_range="+kept)
	}
	return strings.Join(append(filters, "format="+pix), ",")
}

// colourArgs returns encoder arguments that say what samples mean, such as the matrix, and where samples of colour lie:
// as in the input, if it says so, or where ffmpeg puts them when it makes 4:2:0. in is the frames' header.
func (c *clip) colourArgs(in y4m.Header) (args []string) {
	said := c.video.colours(in.Width, in.Height)
	location := c.video.location()
	if !isKnown(c.video.Location) {
		location = ""
	}
	if is420 := in.Layout.Across == 2 && in.Layout.Down == 2; !is420 && strings.Contains(c.pixFmt(in), "420") {
		location = "left"
	}
	for _, f := range said.flags() {
		args = append(args, "-"+f[0], f[1])
	}
	if location != "" {
		args = append(args, "-chroma_sample_location", location)
	}
	return args
}
