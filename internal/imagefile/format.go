package imagefile

import (
	"context"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"superres/internal/imagefile/foreign"
	"superres/internal/safefile"
)

// format is one kind of file that can be read.
type format struct {
	name  string   // that for programs
	title string   // that for people
	magic []string // what its files start with; ? is any byte

	config func(io.Reader) (image.Config, error)
	decode func(io.Reader, Size) (image.Image, error)

	// start, if any, makes a short start of a file for config, which would read too much, or
	// another picture. It returns nil where the file itself does, and refuses a file whose parts
	// so far are not in their order.
	start func(src *source, lim Limits) ([]byte, error)
	// inspect, if any, refuses a file that config cannot judge. It sees the
	// whole file, in memory, and is linear in its length.
	inspect func(src *source, lim Limits) error
	// several, if any, tells whether a file holds several pictures. It sees a file on a disk.
	several func(src *source) bool
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
		config: png.DecodeConfig, decode: alone(png.Decode), start: startOfPNG, inspect: inspectPNG,
		several: isAnimatedPNG, finish: greyFromPalette},
	{name: "jpeg", title: "JPEG", magic: []string{"\xff\xd8"},
		config: jpeg.DecodeConfig, decode: alone(decodeJPEG), inspect: inspectJPEG},
	{name: "gif", title: "GIF", magic: []string{"GIF87a", "GIF89a"},
		config: gif.DecodeConfig, decode: decodeGIF, inspect: inspectGIF, several: isAnimatedGIF, first: firstOfGIF, finish: greyFromPalette},
	{name: "webp", title: "WebP", magic: []string{"RIFF????WEBPVP8"},
		config: webp.DecodeConfig, decode: alone(decodeWebP), start: startOfWebP, inspect: inspectWebP,
		several: isAnimatedWebP, first: firstOfWebP},
	{name: "tiff", title: "TIFF", magic: []string{"II*\x00", "MM\x00*"},
		config: tiff.DecodeConfig, decode: alone(tiff.Decode), inspect: inspectTIFF,
		several: hasPages, finish: greyFromPalette},
	{name: "bmp", title: "BMP", magic: []string{"BM????\x00\x00\x00\x00"},
		config: bmp.DecodeConfig, decode: alone(bmp.Decode), finish: greyFromPalette},
}

// alone makes a decoder that takes no size of the header into one that does.
func alone(decode func(io.Reader) (image.Image, error)) func(io.Reader, Size) (image.Image, error) {
	return func(r io.Reader, _ Size) (image.Image, error) { return decode(r) }
}

// sniff finds the format of a file from its first bytes, or reports it without
// a name. The word of the file's name is not taken.
func sniff(head []byte) (*format, error) {
	if len(head) == 0 {
		return nil, refuse(safefile.ErrInput, "is empty; copy or export it again")
	}
	for i := range formats {
		for _, magic := range formats[i].magic {
			if foreign.StartsWith(head, magic) {
				return &formats[i], nil
			}
		}
	}
	if kind, is := foreign.Of(head); is {
		return nil, unreadable(kind)
	}
	return nil, refuse(safefile.ErrInput, "not an image (starts with %q; known: %s)", head[:min(7, len(head))], knownInputs())
}

// unreadable refuses a file of a kind that cannot be read.
func unreadable(kind foreign.Kind) error {
	return refuse(safefile.ErrInput, "%s cannot be read (known: %s); %s", kind.Title, knownInputs(), kind.Advice)
}

// Check refuses a file of which the beginning shows that Open would: one that cannot be
// opened, or is not of a format that can be read. Its errors are those of Open.
func Check(name string) error {
	file, head, err := openHead(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = formatOf(file, head, name)
	return err
}

// formatOf finds the format of a file by its first bytes, and of a TIFF by its directories: the
// raw file of a camera is none.
func formatOf(r io.ReaderAt, head []byte, name string) (*format, error) {
	f, err := sniff(head)
	if err == nil && f.name == "tiff" {
		if raw, is := foreign.Raw(r); is {
			err = unreadable(raw)
		}
	}
	if err != nil {
		err, _ = safefile.Named(err, name)
		return nil, err
	}
	return f, nil
}

// openHead opens a regular file and reads its beginning.
func openHead(name string) (*os.File, []byte, error) {
	file, _, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, nil, err
	}
	head, err := headOf(file, name)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, head, nil
}

// headOf is the beginning of a file.
func headOf(r io.ReaderAt, name string) ([]byte, error) {
	head := make([]byte, foreign.HeadLength)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, safefile.Unreadable(name, err)
	}
	return head[:n], nil
}

// Identify tells by its content, whatever its name says, what the named regular file is: a
// picture of a format that can be read, or one of another kind; neither is anything else. It
// reads the beginning of the file, and of a TIFF the directories. Its errors are of the
// class safefile.ErrInput.
func Identify(name string) (format string, other foreign.Kind, err error) {
	file, head, err := openHead(name)
	if err != nil {
		return "", other, err
	}
	defer file.Close()
	format, other = identify(file, head)
	return format, other, nil
}

// IdentifyAt is Identify for a file that is open already.
func IdentifyAt(r io.ReaderAt, name string) (format string, other foreign.Kind, err error) {
	head, err := headOf(r, name)
	if err != nil {
		return "", other, err
	}
	format, other = identify(r, head)
	return format, other, nil
}

// identify is Identify for a file and its beginning.
func identify(r io.ReaderAt, head []byte) (format string, other foreign.Kind) {
	f, err := sniff(head)
	switch {
	case err != nil:
		other, _ = foreign.Of(head)
		return "", other
	case f.name == "tiff":
		if raw, is := foreign.Raw(r); is {
			return "", raw
		}
	case f.name == "jpeg" && !foreign.StartsWith(head, "\xff\xd8\xff"): // less than this many files begin with
		return "", other
	}
	return f.name, other
}

// HoldsSeveral tells whether the named file holds several pictures: an animation, or a TIFF of
// several pages. It reads their headers at most. One that cannot be read holds none.
func HoldsSeveral(name string) bool {
	file, head, err := openHead(name)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	return err == nil && holdsSeveral(file, head, info.Size())
}

// HoldsSeveralAt is HoldsSeveral for a file of so many bytes that is open already.
func HoldsSeveralAt(r io.ReaderAt, size int64) bool {
	head, err := headOf(r, "")
	return err == nil && holdsSeveral(r, head, size)
}

// holdsSeveral is HoldsSeveral for a file and its beginning.
func holdsSeveral(r io.ReaderAt, head []byte, size int64) bool {
	f, err := sniff(head)
	return err == nil && f.several != nil && f.several(&source{ctx: context.Background(), file: r, size: size})
}

func knownInputs() string {
	titles := make([]string, len(formats))
	for i, f := range formats {
		titles[i] = f.title
	}
	return strings.Join(titles, " ")
}
