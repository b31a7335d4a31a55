package imagefile

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"superres/internal/safefile"
)

// Format is the name of a format of picture files, in lower case. Its methods return false for an unknown name.
type Format string

// The formats. All can be read; CanWrite and CanAnimate say which can be written.
const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	GIF  Format = "gif"
	WebP Format = "webp"
	TIFF Format = "tiff"
	BMP  Format = "bmp"
	AVIF Format = "avif"
)

// Formats returns all formats, in the order in which messages list them.
func Formats() []Format {
	list := make([]Format, len(codecs))
	for i, c := range codecs {
		list[i] = c.format
	}
	return list
}

// codec returns the codec of a format, or an empty codec if there is no such format.
func (f Format) codec() *codec {
	if i := slices.IndexFunc(codecs, func(c codec) bool { return c.format == f }); i >= 0 {
		return &codecs[i]
	}
	return &codec{format: f, title: strings.ToUpper(string(f))}
}

// Title returns the name of the format for people, such as WebP.
func (f Format) Title() string { return f.codec().title }

// MIMEType returns the media type, such as image/webp.
func (f Format) MIMEType() string { return "image/" + string(f) }

// Extension returns the extension of new files in the format, with its dot, or "" for formats that are not written.
func (f Format) Extension() string {
	if !f.CanWrite() && !f.CanAnimate() {
		return ""
	}
	return f.codec().extensions[0]
}

// CanWrite reports whether Encode writes the format.
func (f Format) CanWrite() bool { return f.codec().encode != nil }

// IsFollowed reports whether an enlarged file of the format keeps the format unless the user asks for another. An AVIF
// does not, because writing a megapixel takes 0.8 s.
func (f Format) IsFollowed() bool { return f.CanWrite() && !f.codec().isSlow }

// EncoderBytes returns the bytes of memory that Encode needs besides a picture of w×h pixels.
func (f Format) EncoderBytes(w, h int) int64 {
	if c := f.codec(); c.encoderBytes != nil {
		return c.encoderBytes(w, h)
	}
	return 0
}

// MostSide returns the greatest width or height, in pixels, of a picture in the format.
func (f Format) MostSide() int { return cmp.Or(f.codec().mostSide, math.MaxInt32) }

// CanStream reports whether a Stream writes the format, row by row.
func (f Format) CanStream() bool { return f.codec().stream != nil }

// CanAnimate reports whether package sequence writes animations in the format.
func (f Format) CanAnimate() bool { return f.codec().canAnimate }

// OnlyAnimates reports whether only animations are written in the format, as in GIF.
func (f Format) OnlyAnimates() bool { return f.CanAnimate() && !f.CanWrite() }

// SplitsAnimations reports whether only the animations or only the still pictures in the format are enlarged to the
// same format. The others become PNG: a still GIF and an animated WebP.
func (f Format) SplitsAnimations() bool {
	return f.codec().several != nil && !f.CanPage() && f.CanAnimate() != f.CanWrite()
}

// CanPage reports whether a file of the format can have several pages of different sizes. A PageWriter writes them.
func (f Format) CanPage() bool { return f.codec().canPage }

// CanAlpha reports whether a file of the format keeps transparency.
func (f Format) CanAlpha() bool { return f.codec().canAlpha }

// CanGreyAlpha reports whether Encode writes grey with transparency as two samples per pixel.
func (f Format) CanGreyAlpha() bool { return f.codec().canGreyAlpha }

// CanDeep reports whether a file of the format keeps 16 bits per sample.
func (f Format) CanDeep() bool { return f.codec().canDeep }

// HasQuality reports whether EncodeOptions.Quality changes the bytes of a file of the format.
func (f Format) HasQuality() bool { return f.codec().hasQuality }

// NamedFormat returns the format with the extension of path, in upper or lower case, or "" if there is none.
func NamedFormat(path string) Format {
	ext := strings.ToLower(filepath.Ext(path))
	for _, c := range codecs {
		if slices.Contains(c.extensions, ext) {
			return c.format
		}
	}
	return ""
}

// FormatOf returns the format of a new file from the extension of path, or an ErrOutput if Encode does not write it.
func FormatOf(path string) (Format, error) {
	if f := NamedFormat(path); f.CanWrite() {
		return f, nil
	}
	ext := filepath.Ext(path)
	what := fmt.Sprintf("cannot write %q files", ext)
	if ext == "" {
		what = "has no extension to tell the format"
	}
	return "", safefile.Refuse(safefile.ErrOutput, path, "%s (known: %s)", what, knownOutputs()).With(KnownName)
}

func knownInputs() string { return joinTitles(func(Format) bool { return true }) }

func knownOutputs() string { return joinTitles(Format.CanWrite) }

// joinTitles returns the titles of the formats for which has is true, with spaces between them.
func joinTitles(has func(Format) bool) string {
	var list []string
	for _, f := range Formats() {
		if has(f) {
			list = append(list, f.Title())
		}
	}
	return strings.Join(list, " ")
}
