package imagefile

import (
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"superres/internal/safefile"
)

// format is one kind of file that can be read.
type format struct {
	name  string   // that for programs
	title string   // that for people
	magic []string // what its files start with; ? is any byte

	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)

	// start, if any, makes a short start of a file for config, which would read too much, or
	// another picture. It returns nil where the file itself does.
	start func(src *source, lim Limits) []byte
	// inspect, if any, refuses a file that config cannot judge. It sees the
	// whole file, in memory, and is linear in its length.
	inspect func(src *source, lim Limits) error
	// first, if any, makes of a file of several pictures one of the first alone, in its
	// memory, where the decoder cannot do with less.
	first func(src *source) []byte
	// finish, if any, turns what was decoded into the type it should have had.
	finish func(img image.Image) image.Image
}

// formats is what can be read, in the order in which messages list it. What can be written
// is less: see knownOutputs.
//
// Note: a table of its own, not the registry of package image, so that what a
// program accepts does not depend on what else it imports.
var formats = []format{
	{name: "png", title: "PNG", magic: []string{"\x89PNG\r\n\x1a\n"},
		config: png.DecodeConfig, decode: png.Decode, start: startOfPNG, inspect: inspectPNG, finish: greyFromPalette},
	{name: "jpeg", title: "JPEG", magic: []string{"\xff\xd8"},
		config: jpeg.DecodeConfig, decode: decodeJPEG, inspect: inspectJPEG},
	{name: "gif", title: "GIF", magic: []string{"GIF87a", "GIF89a"},
		config: gif.DecodeConfig, decode: decodeGIF, inspect: inspectGIF, first: firstOfGIF, finish: greyFromPalette},
	{name: "webp", title: "WebP", magic: []string{"RIFF????WEBPVP8"},
		config: webp.DecodeConfig, decode: decodeWebP, start: startOfWebP, inspect: inspectWebP, first: firstOfWebP},
	{name: "tiff", title: "TIFF", magic: []string{"II*\x00", "MM\x00*"},
		config: tiff.DecodeConfig, decode: tiff.Decode, inspect: inspectTIFF, finish: greyFromPalette},
	{name: "bmp", title: "BMP", magic: []string{"BM????\x00\x00\x00\x00"},
		config: bmp.DecodeConfig, decode: bmp.Decode, finish: greyFromPalette},
}

// foreign are pictures people have that cannot be read, so that a message can
// call them by name.
var foreign = []struct{ title, magic string }{
	{"HEIC", "????ftypheic"}, {"HEIC", "????ftypheix"}, {"HEIC", "????ftypmif1"},
	{"AVIF", "????ftypavif"},
	{"JPEG XL", "\xff\x0a"}, {"JPEG XL", "\x00\x00\x00\x0cJXL "},
	{"JPEG 2000", "\x00\x00\x00\x0cjP  "},
	{"BigTIFF", "II+\x00"}, {"BigTIFF", "MM\x00+"},
	{"Photoshop", "8BPS"}, {"PDF", "%PDF-"},
}

// sniffLength is the number of bytes that tell all formats apart.
const sniffLength = 16

// sniff finds the format of a file from its first bytes, or reports it without
// a name. The word of the file's name is not taken.
func sniff(head []byte) (*format, error) {
	if len(head) == 0 {
		return nil, refuse(safefile.ErrInput, "is empty; copy or export it again")
	}
	for i := range formats {
		for _, magic := range formats[i].magic {
			if matches(head, magic) {
				return &formats[i], nil
			}
		}
	}
	for _, f := range foreign {
		if matches(head, f.magic) {
			return nil, refuse(safefile.ErrInput, "%s cannot be read (known: %s); save it as PNG first", f.title, knownInputs())
		}
	}
	return nil, refuse(safefile.ErrInput, "not an image (starts with %q; known: %s)", head[:min(7, len(head))], knownInputs())
}

// matches reports whether head starts with magic, whose ? match any byte.
func matches(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

func knownInputs() string {
	titles := make([]string, len(formats))
	for i, f := range formats {
		titles[i] = f.title
	}
	return strings.Join(titles, " ")
}
