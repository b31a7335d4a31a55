package video

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// probed is ffprobe's description of a file. Fields are empty or 0 if ffprobe does not give them.
type probed struct {
	Streams []stream `json:"streams"`
	Format  struct {
		Name     string            `json:"format_name"`
		Start    string            `json:"start_time"` // in seconds, like all times
		Duration string            `json:"duration"`
		Tags     map[string]string `json:"tags"`
	} `json:"format"`
}

// stream is one stream of a file: a video, a sound, subtitles or data.
type stream struct {
	Index       int               `json:"index"`
	Type        string            `json:"codec_type"` // video, audio, subtitle, data, attachment
	Codec       string            `json:"codec_name"`
	PixFmt      string            `json:"pix_fmt"`
	Width       int               `json:"width"`
	Height      int               `json:"height"`
	FieldOrder  string            `json:"field_order"`
	Range       string            `json:"color_range"`
	Matrix      string            `json:"color_space"`
	Transfer    string            `json:"color_transfer"`
	Primaries   string            `json:"color_primaries"`
	Location    string            `json:"chroma_location"`
	Rate        string            `json:"avg_frame_rate"`
	Least       string            `json:"r_frame_rate"` // the lowest rate at which every frame falls on a tick
	Frames      string            `json:"nb_frames"`
	Duration    string            `json:"duration"`
	Captions    int               `json:"closed_captions"`
	Disposition map[string]int    `json:"disposition"`
	Tags        map[string]string `json:"tags"`
	SideData    []sideData        `json:"side_data_list"`
}

// sideData is data that a file has in addition to the samples of pictures or sound, such as a rotation.
type sideData struct {
	Type     string  `json:"side_data_type"`
	Rotation float64 `json:"rotation"` // by a display matrix, in degrees counterclockwise
}

// addFrames adds to s what data, ffprobe's JSON about the first frames, says about them: side data and, if s does not
// know them, the place of chroma samples and whether frames are interlaced. It fails if data is no such JSON.
func (s *stream) addFrames(data []byte) error {
	var first struct {
		Frames []struct {
			Location   string     `json:"chroma_location"`
			Interlaced int        `json:"interlaced_frame"`
			SideData   []sideData `json:"side_data_list"`
		} `json:"frames"`
	}
	err := json.Unmarshal(data, &first)
	for _, f := range first.Frames {
		s.SideData = append(s.SideData, f.SideData...)
		if !isKnown(s.Location) {
			s.Location = f.Location
		}
		if f.Interlaced != 0 && !isKnown(s.FieldOrder) { // as in DV, where only frames say it
			s.FieldOrder = "tt" // any value that means interlaced: see isInterlaced
		}
	}
	return err
}

// isKnown reports whether flag, a value from ffprobe, is neither empty nor a word for "unknown".
func isKnown(flag string) bool {
	return flag != "" && flag != "unknown" && flag != "unspecified" && flag != "reserved"
}

// notKept lists the kinds of side data that are left out of the result, each with the text of the warning.
var notKept = []struct {
	kinds *regexp.Regexp
	text  string
}{
	{regexp.MustCompile(`^(Mastering display|Content light|HDR Dynamic|HDR Vivid|DOVI|Dolby Vision)`),
		"what it says for HDR screens (%s) is left out; its transfer is kept"},
	{regexp.MustCompile(`Closed Captions`), "its captions, which stand in its pictures (%s), are left out"},
	{regexp.MustCompile(`^(Stereo 3D|Spherical)`), "what it says of 3D or of all-round views (%s) is left out"},
}

// lost returns a warning for each element of notKept of which s has side data, to follow the name of the file. Captions
// count, too, if the stream says that it has them but no frame has been found to hold any.
func (s *stream) lost() (list []string) {
	for _, n := range notKept {
		var kinds []string
		for _, d := range s.SideData {
			if n.kinds.MatchString(d.Type) && !slices.Contains(kinds, d.Type) {
				kinds = append(kinds, d.Type)
			}
		}
		if len(kinds) == 0 && s.Captions != 0 && n.kinds.MatchString("Closed Captions") {
			kinds = []string{"closed captions"}
		}
		if len(kinds) > 0 {
			list = append(list, fmt.Sprintf(n.text, strings.Join(kinds, ", ")))
		}
	}
	return list
}

// turnedSites maps the angle of a rotation, in degrees counterclockwise, to a map from the place of the chroma samples
// before it to the place after it. FFmpeg has no name for a place on the right: the nearest is used.
var turnedSites = map[float64]map[string]string{
	-90: {"left": "top", "top": "center", "topleft": "top", "bottom": "left", "bottomleft": "topleft"},
	90:  {"left": "bottom", "top": "left", "topleft": "bottomleft", "bottom": "center", "bottomleft": "bottom"},
	180: {"left": "center", "top": "bottom", "topleft": "bottom", "bottom": "top", "bottomleft": "top"},
}

// location returns FFmpeg's name for the place of the chroma samples in upright frames of s. If s does not say it, they
// lie on the left before a rotation, as in nearly all video. Rotations that turnedSites lacks change nothing.
func (s *stream) location() string {
	at := s.Location
	if !isKnown(at) {
		at = "left"
	}
	for _, d := range s.SideData {
		if d.Type == "Display Matrix" {
			angle := math.Round(d.Rotation)
			if angle == -180 {
				angle = 180
			}
			at = cmp.Or(turnedSites[angle][at], at)
		}
	}
	return at
}

// video returns the first stream of moving pictures, or nil if there is none. A cover picture does not count.
func (p *probed) video() *stream {
	for i := range p.Streams {
		if s := &p.Streams[i]; s.Type == "video" && !s.isCover() {
			return s
		}
	}
	return nil
}

func (s *stream) isCover() bool { return s.Disposition["attached_pic"] != 0 }

// isMP4 reports whether the file that p describes is of the MP4 family.
func (p *probed) isMP4() bool { return strings.HasPrefix(p.Format.Name, "mov,mp4") }

// start returns the time in seconds at which the file begins, at least 0: sound before 0 only primes a decoder.
func (p *probed) start() float64 { return max(seconds(p.Format.Start), 0) }

func seconds(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64) // 0 for "N/A"
	return v
}

// rate returns the mean number of frames a second, else the least rate that fits all times, or 0 if both are unknown.
func (s *stream) rate() float64 {
	for _, rate := range []string{s.Rate, s.Least} {
		count, duration, _ := strings.Cut(rate, "/") // such as 30000/1001
		if d := seconds(duration); d > 0 && seconds(count) > 0 {
			return seconds(count) / d
		}
	}
	return 0
}

// frames returns the number of frames of s: as the file states it, else estimated from duration and rate, else 0.
func (p *probed) frames(s *stream) int {
	if n, err := strconv.Atoi(s.Frames); err == nil && n > 0 {
		return n
	}
	length := seconds(s.Duration)
	if length == 0 {
		length = seconds(p.Format.Duration)
	}
	if n := length * s.rate(); n >= 1 && n < 1e9 { // 1e9 frames would be a year: the duration must be wrong
		return int(n + 0.5)
	}
	return 0
}

// isInterlaced reports whether a frame of s consists of two fields, taken at different times.
func (s *stream) isInterlaced() bool {
	switch s.FieldOrder {
	case "tt", "bb", "tb", "bt":
		return true
	}
	return false
}

func (s *stream) isRGB() bool { return ofRGB.MatchString(s.PixFmt) }

func (s *stream) isDeep() bool { return deep.MatchString(s.PixFmt) }

// depth returns the number of bits of a sample of s, at most 16: as the end of the pixel format's name says, or 8.
func (s *stream) depth() int {
	m := deep.FindStringSubmatch(s.PixFmt)
	if m == nil {
		return 8
	}
	n, _ := strconv.Atoi(m[1])
	switch n {
	case 32, 48, 64: // a float sample, or the bits of a pixel of RGB, or of RGB with alpha
		return 16
	}
	return n
}

// Patterns for FFmpeg's names of pixel formats: formats of RGB; formats of more than 8 bits; YCbCr with a plane for
// each component; grey; and formats that store two or more components side by side.
var (
	ofRGB  = regexp.MustCompile(`^(gbr|rgb|bgr|argb|abgr|rgba|bgra|0rgb|0bgr|x2rgb|x2bgr|pal8|mono|bayer)`)
	deep   = regexp.MustCompile(`(9|10|12|14|16|32|48|64)(le|be)$`)
	planar = regexp.MustCompile(`^yuv(j?)a?(420|422|444|411|440|410)p(9|10|12|14|16)?(le|be)?$`)
	grey   = regexp.MustCompile(`^gray(9|10|12|14|16)?(le|be)?$`)
	packed = regexp.MustCompile(`^(nv12|nv21|p0|nv16|nv20|p2|y2|yuyv|uyvy|yvyu|uyyvyy|nv24|nv42|p4|ayuv|vuy|xv|ya)`)
)

// piped returns the pixel format in which ffmpeg passes the frames of s to superres, without alpha: the format of s if
// Y4M has it, so that no sample changes, else the nearest. Packed formats become planes of 8 or 10 bits, at 4:4:4 if
// the chroma is not subsampled (ya is grey with alpha). So do all that no pattern matches: RGB, mono, unknown.
func (s *stream) piped() string {
	pix := s.PixFmt
	if m := planar.FindStringSubmatch(pix); m != nil { // m[1] is j (samples from 0 to 255) or empty, m[3] the bits
		layout := m[2]
		switch layout { // Y4M has neither 4:4:0 nor 4:1:0
		case "440":
			layout = "444"
		case "410":
			layout = "411"
		}
		if m[3] == "" {
			return "yuv" + m[1] + layout + "p"
		}
		return "yuv" + layout + "p" + m[3] + "le"
	}
	if m := grey.FindStringSubmatch(pix); m != nil {
		if m[1] == "" {
			return "gray"
		}
		if m[1] == "14" { // Y4M has no grey of 14 bits
			m[1] = "16"
		}
		return "gray" + m[1] + "le"
	}
	if m := packed.FindString(pix); m != "" {
		layout := map[string]string{"nv12": "420", "nv21": "420", "p0": "420", "uyyvyy": "411", "nv24": "444",
			"nv42": "444", "p4": "444", "ayuv": "444", "vuy": "444", "xv": "444", "ya": "444"}[m]
		if layout == "" {
			layout = "422"
		}
		if s.isDeep() {
			return "yuv" + layout + "p10le"
		}
		return "yuv" + layout + "p"
	}
	if s.isDeep() {
		return "yuv444p10le"
	}
	return "yuv444p" // for mono, of 1 bit, too: grey would do, but it counts as RGB elsewhere
}

func (s *stream) hasAlpha() bool { return withAlpha.MatchString(s.PixFmt) || s.alphaBy() != "" }

// alphaBy returns the decoder that reads the transparency of s, or "" if s has none or the usual decoder reads it. In
// WebM and Matroska, transparency is a second picture beside each frame, which FFmpeg's own decoders of VP8 and VP9
// ignore; see https://www.matroska.org/technical/elements.html, AlphaMode.
func (s *stream) alphaBy() string {
	if s.Tags["alpha_mode"] == "1" || s.Tags["ALPHA_MODE"] == "1" {
		return map[string]string{"vp8": "libvpx", "vp9": "libvpx-vp9"}[s.Codec]
	}
	return ""
}

var withAlpha = regexp.MustCompile(`^(yuva|gbrap|rgba|bgra|argb|abgr|ya|ayuv|vuya)`)

// colours are the flags of a video that say what the samples mean, in FFmpeg's words; "": unknown.
type colours struct{ Range, Matrix, Primaries, Transfer string }

// flags returns the known flags of c, as pairs of the FFmpeg option that sets the flag and its value.
func (c colours) flags() (list [][2]string) {
	for _, f := range [][2]string{{"color_range", c.Range}, {"colorspace", c.Matrix}, {"color_primaries", c.Primaries},
		{"color_trc", c.Transfer}} {
		if f[1] != "" {
			list = append(list, f)
		}
	}
	return list
}

// colours returns the flags of the frames that are made of s, toW×toH pixels large. Flags that s does not state are
// empty, but for two: a full range that the pixel format implies, and BT.601 as the matrix of a small video, since
// programs would take it for BT.709 once it is large. RGB has the flags of the YCbCr that decodeArgs makes of it.
func (s *stream) colours(toW, toH int) colours {
	known := func(flag string) string {
		if isKnown(flag) {
			return flag
		}
		return ""
	}
	c := colours{Range: known(s.Range), Matrix: known(s.Matrix), Primaries: known(s.Primaries),
		Transfer: known(s.Transfer)}
	large := func(w, h int) bool { return w >= 1280 || h > 576 } // programs take such a video for BT.709
	switch {
	case s.isRGB():
		c.Range, c.Matrix = "tv", "bt709"
	case c.Matrix == "" && !large(s.Width, s.Height) && large(toW, toH):
		c.Matrix = "smpte170m"
	}
	if strings.HasPrefix(s.PixFmt, "yuvj") { // the j stands for full range, as in JPEG
		c.Range = "pc"
	}
	return c
}
