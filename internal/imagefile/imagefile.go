// Package imagefile reads pictures from files that may be damaged, hostile or not pictures at all, and writes them.
//
// Reading trusts no number in a file: the size is read and compared with the limits before memory for pixels is
// allocated, and decoders and readers of metadata then work under a time limit. Every refusal is a safefile.Fault.
//
// codec.go is the table of formats, with all that reading and writing need; format.go answers the questions of other
// packages about formats. Reading begins in imagefile.go (Open, Decode). input.go fetches the bytes and identify.go
// finds their format; decode.go decodes, bounded by limits.go and size.go; single.go, tiffpages.go and first.go deal
// with files of several pictures; pngtidy.go and gifread.go read files that the standard library refuses; complaint.go
// words the errors of decoders; and orientation.go turns the result upright. Writing begins in encode.go (Encode) and
// stream.go (Stream); colour.go converts a picture to a type that the format can hold.
package imagefile

import (
	"cmp"
	"context"
	"errors"
	"image"
	"io"
	"math"
	"time"

	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// Picture is one decoded picture. It belongs to the caller; the package keeps no reference to it.
type Picture struct {
	// Image has its origin at (0, 0) and at least one pixel. Its type comes from the decoder and shows depth and colour
	// model: grey is *image.Gray or *image.Gray16, a palette *image.Paletted, CMYK *image.CMYK. But a palette of only
	// opaque greys becomes *image.Gray, unless the file has an ICC profile for RGB, which would not fit a grey picture.
	Image image.Image

	// File is the content of the file if it holds several pictures and Limits.Several is set, else nil. With File,
	// Image is nil. The caller owns File.
	File []byte

	GreyAlpha bool    // the picture is grey with alpha, although the type of Image has colour
	Format    Format  // of the file
	Quality   int     // of a JPEG, 1 to 100, estimated from its quantisation; 0 for other formats
	Quantiser float64 // the quantiser index of a lossy WebP, 1 to 127; 0 for other files

	// Subsampled says that the file has chroma at half the resolution of luma in both directions; in Image, the chroma
	// is smoothly enlarged. If it is false, the file has another resolution of chroma, or none.
	Subsampled bool

	// Metadata is the metadata of the file, with the orientation set to upright, as Image and the gain map are.
	Metadata metadata.Metadata

	gains    image.Image // the gain map of an AVIF, before turnGainMap
	Warnings []string    // what was left out or changed, each worded to follow the name of the file
}

// Limits bound the memory and time for one picture. A zero field stands for its default.
type Limits struct {
	// Pixels is the greatest width × height, in pixels: by default DefaultPixels, or more if Accept is set: see ofFile.
	Pixels int64
	Side   int // the greatest width or height, in pixels: by default 65,535
	// Bytes is the greatest size of a file, in bytes: by default 256 MiB. Faults by smaller limits advise more memory.
	Bytes      int64
	Scans      int           // how many passes over its pixels a JPEG may have: by default 100
	Time       time.Duration // the longest to decode pixels and metadata: by default 30 s, without reading and Accept
	FirstFrame bool          // takes the first picture of a file with several; false: Several decides

	// Several is called before Accept, with the format, for a file with several pictures. The file is then returned in
	// Picture.File, with the metadata of the first picture, and Accept gets the size and the colour model of the
	// animation or of the first page. If Several is nil, such files are refused.
	Several func(Format)

	Upright bool // the pixels are already upright, even if the metadata ask for a rotation
	// Made says that another program has made the content from the named file, so that the name says nothing about it.
	// Otherwise a name may show that what looks like a TIFF is a raw file.
	Made bool

	Strip bool // drops the metadata without a warning; pictures are turned upright nevertheless

	// Accept is called before memory for pixels is allocated, with the size and the colour model of the upright
	// picture, and the bytes that its file and metadata take besides the pixels. It may block. If it fails, the
	// picture is refused with an ErrLimit. Only the headers of a named file have been read so far. nil accepts all.
	Accept func(cfg image.Config, held int64) error

	fileBytes int64 // the file length that Pixels was derived from; 0: Pixels was not derived
}

// DefaultPixels is the default for the greatest number of pixels of a picture.
const DefaultPixels = 50_000_000

// ofFile returns l for a file of size bytes, with every zero field replaced by its default. If Pixels is 0 and Accept,
// which limits memory, is set, Pixels becomes mostPerByte pixels for each byte of the file, but at least DefaultPixels.
//
// Note: a photograph has ½ to 20 pixels for each byte of its file, and a JPEG of one colour 128. A PNG of one colour
// has 344, and formats that repeat rows many more, so a small file could claim all memory, and a long time to enlarge.
// Such drawings with more than DefaultPixels are accepted if Pixels is set.
func (l Limits) ofFile(size int64) Limits {
	const mostPerByte = 200
	if l.Pixels == 0 && l.Accept != nil {
		l.Pixels, l.fileBytes = max(DefaultPixels, mostPerByte*size), size
	}
	return l.orDefaults()
}

// MaxBytes is the default for the greatest size of a file, in bytes.
const MaxBytes = 256 << 20

// orDefaults returns l with every zero limit replaced by its default.
func (l Limits) orDefaults() Limits {
	l.Pixels = cmp.Or(l.Pixels, DefaultPixels)
	l.Side = cmp.Or(l.Side, math.MaxUint16)
	l.Bytes = cmp.Or(l.Bytes, MaxBytes)
	l.Scans = cmp.Or(l.Scans, 100)
	l.Time = cmp.Or(l.Time, 30*time.Second)
	return l
}

// Open decodes the picture in the regular file called name, which may be a symbolic link, and turns it upright.
//
// An error wraps safefile.ErrInput or ErrLimit or, if ctx was cancelled, the error of ctx. It also wraps the error of
// the operating system, if there is one.
func Open(ctx context.Context, name string, lim Limits) (*Picture, error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenAt(ctx, f, size, name, lim)
}

// OpenAt is Open for an open file of the given size in bytes, which it does not close. name is for messages.
func OpenAt(ctx context.Context, r io.ReaderAt, size int64, name string, lim Limits) (*Picture, error) {
	if most := lim.orDefaults().Bytes; size > most {
		return nil, tooManyBytes(name, size, most)
	}
	return decode(ctx, onDisk(r, size), name, lim)
}

// Decode is Open for a stream such as standard input. It reads r to its end, or fails after lim.Bytes bytes, and
// decodes what it has read. It refuses input with a second picture after the first unless lim.FirstFrame is set. name
// is for messages. The end of ctx does not interrupt a Read that blocks.
func Decode(ctx context.Context, r io.Reader, name string, lim Limits) (*Picture, error) {
	in, f, err := readAll(ctx, r, name, lim.orDefaults().Bytes)
	if err != nil {
		return nil, err
	}
	if !lim.FirstFrame && f.hasSuccessor(in.data) {
		return nil, safefile.Refuse(safefile.ErrInput, name, "holds several pictures, one behind the other").With(
			FirstPicture)
	}
	return decode(ctx, in, name, lim)
}

// DecodeBytes is Decode for a file in memory, which it may change unless it is a TIFF. It ignores bytes after it.
func DecodeBytes(ctx context.Context, data []byte, name string, lim Limits) (*Picture, error) {
	return decode(ctx, inMemory(data), name, lim)
}

// decode finds the format of file from its first bytes and returns the picture. Its errors contain name.
func decode(ctx context.Context, file *input, name string, lim Limits) (*Picture, error) {
	if err := ctx.Err(); err != nil {
		return nil, readError(err, name)
	}
	lim = lim.ofFile(file.size)
	head := make([]byte, min(foreign.HeadLength, file.size))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, readError(err, name)
	}
	f, err := codecOf(file, head, name, lim.Made)
	if err != nil {
		return nil, err
	}
	pic, err := f.read(ctx, file, name, lim)
	if err != nil {
		return nil, explain(err, name, f.title)
	}
	return pic, nil
}
