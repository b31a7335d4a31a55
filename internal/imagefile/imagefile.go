// Package imagefile reads pictures from files that may be damaged, hostile or no pictures at all, and writes them.
//
// Reading trusts no number in a file: the size is read before any memory for pixels is allocated, limits are
// applied to it, and decoders and readers of metadata then work under a clock. Every refusal is a safefile.Fault.
//
// codec.go is the table of formats: all that reading and writing know of each, and format.go the questions that other
// packages ask of it. Reading begins in imagefile.go (Open, Decode). input.go fetches the bytes and identify.go finds
// their format, decode.go decodes under limits.go and size.go, single.go, tiffpages.go and first.go look for pictures
// after the first, pngtidy.go and gifread.go read what the standard library refuses, complaint.go words what a decoder
// refuses, and orientation.go makes the result upright. Writing begins in encode.go (Encode) and stream.go (Stream),
// and colour.go converts a picture to what the format can hold.
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
	// Image has its origin at (0, 0) and at least one pixel. Its type is the decoder's, so the caller learns depth
	// and colour model from it: grey is *image.Gray or *image.Gray16, a palette *image.Paletted, CMYK *image.CMYK.
	// But a palette of opaque greys alone comes as *image.Gray, unless the file has an ICC profile for RGB, which
	// would not fit a grey picture.
	Image image.Image

	// File is the whole file when it holds several pictures and Limits.Several is set, and else nil. Image is nil
	// then. The caller owns File.
	File []byte

	// GreyAlpha: the picture is grey with alpha, which Image has as colour. false: Image's type says what it is.
	GreyAlpha bool

	// Format is the format of the file.
	Format Format

	// Quality is the quality of a JPEG, 1 to 100, estimated from its quantisation. It is 0 for other formats.
	Quality int

	// Quantiser is the quantiser index of a lossy WebP, 1 to 127. It is 0 for other files.
	Quantiser float64

	// Subsampled: the file keeps chroma at half the resolution of luma in both directions, and Image has the
	// chroma enlarged smoothly. false: it does not.
	Subsampled bool

	// Metadata is the metadata of the file, with the orientation in them set to upright, as Image is. So is the gain
	// map.
	Metadata metadata.Metadata

	gains image.Image // the gain map of an AVIF, before turnGainMap

	// Warnings say what had to be left out or changed, each in words to be printed behind the name of the file.
	Warnings []string
}

// Limits bound what one picture may cost. A zero field means its default, so the zero value is ready to use.
type Limits struct {
	// Pixels is the largest width × height, in pixels: DefaultPixels. But where Accept judges the memory, and the file
	// has a byte for every 200 pixels, Accept alone is the default limit: see ofFile.
	Pixels int64
	// Side is the largest width or height, in pixels: 65,535.
	Side int
	// Bytes is the largest size of a file, in bytes: 256 MiB. Where a smaller limit refuses a file, the advice is
	// to allow more memory.
	Bytes int64
	// Scans is how many passes over its pixels a JPEG may have: 100.
	Scans int
	// Time is how long decoding, with metadata, may take: 30 s. Reading the bytes and Accept do not count.
	Time time.Duration

	// FirstFrame takes the first picture of a file with several. false: Open refuses such a file.
	FirstFrame bool

	// Several is called before Accept, with the format, for a file with several pictures, which is then returned in
	// Picture.File, with the metadata of the first picture. Accept gets the size and the colour model of the
	// animation, or of the first page. nil refuses such files.
	Several func(Format)

	// Upright says that the pixels lie upright, whatever the metadata say. false: the metadata are right.
	Upright bool
	// Made says that another program has made the file of the one that is named. false: its name may tell that it is a
	// raw file, which looks like a TIFF.
	Made bool

	// Strip leaves the metadata out, without a warning. Pictures are upright all the same. false: they are read.
	Strip bool

	// Accept is called before memory for pixels is allocated, with the size and the colour model of the upright
	// picture and the bytes that its file and metadata take beside the pixels. It may wait. Its error refuses the
	// picture, as a safefile.ErrLimit. Only the headers of a named file have been read by then; other input is in
	// memory. nil accepts all pictures.
	Accept func(cfg image.Config, held int64) error

	fileBytes int64 // the length of the file from which the default of Pixels was derived; 0: Pixels was not derived
}

// DefaultPixels is the largest number of pixels of a picture by default, where nothing else says how large it may be.
const DefaultPixels = 50_000_000

// ofFile returns l for a file of size bytes, with every zero field replaced by its default. Where Pixels is 0 and
// Accept judges the memory of a picture, a file may have mostPerByte pixels for each byte, and DefaultPixels in any
// case.
//
// Note: a photograph has ½ to 20 pixels for each byte of its file, and a JPEG of one colour 128. A PNG of one colour
// has 344, and formats that repeat rows many more, so that a small file can claim all the memory that there is, and the
// time to enlarge it. Drawings of such a kind above DefaultPixels are taken when Pixels is set.
func (l Limits) ofFile(size int64) Limits {
	const mostPerByte = 200
	if l.Pixels == 0 && l.Accept != nil {
		l.Pixels, l.fileBytes = max(DefaultPixels, mostPerByte*size), size
	}
	return l.orDefaults()
}

// MaxBytes is the largest size of a file, in bytes, that is read by default.
const MaxBytes = 256 << 20

// orDefaults returns l with every bound that is zero replaced by its default.
func (l Limits) orDefaults() Limits {
	l.Pixels = cmp.Or(l.Pixels, DefaultPixels)
	l.Side = cmp.Or(l.Side, math.MaxUint16)
	l.Bytes = cmp.Or(l.Bytes, MaxBytes)
	l.Scans = cmp.Or(l.Scans, 100)
	l.Time = cmp.Or(l.Time, 30*time.Second)
	return l
}

// Open decodes the picture in the named regular file; a symbolic link is
// followed. Pictures are turned upright by their orientation tag.
//
// An error wraps safefile.ErrInput or ErrLimit or, when ctx was cancelled, ctx's error, and the operating system's
// error where there is one.
func Open(ctx context.Context, name string, lim Limits) (*Picture, error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return OpenAt(ctx, f, size, name, lim)
}

// OpenAt is Open for an open file of the given size in bytes, which it does not close. The name is for messages.
func OpenAt(ctx context.Context, r io.ReaderAt, size int64, name string, lim Limits) (*Picture, error) {
	if most := lim.orDefaults().Bytes; size > most {
		return nil, tooManyBytes(name, size, most)
	}
	return decode(ctx, onDisk(r, size), name, lim)
}

// Decode is Open for a stream such as standard input. It reads r to its end, or fails after lim.Bytes, and decodes the
// bytes. It refuses a second picture behind the first unless lim.FirstFrame is set. The name is for messages. Ending
// ctx does not interrupt a Read that blocks.
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

// DecodeBytes is Decode for a file in memory. It may change data, unless the file is a TIFF. Bytes behind the picture
// are ignored.
func DecodeBytes(ctx context.Context, data []byte, name string, lim Limits) (*Picture, error) {
	return decode(ctx, inMemory(data), name, lim)
}

// decode finds the format of in by its first bytes and returns the picture. Errors have the file's name.
func decode(ctx context.Context, in *input, name string, lim Limits) (*Picture, error) {
	if err := ctx.Err(); err != nil {
		return nil, readError(err, name)
	}
	lim = lim.ofFile(in.size)
	head := make([]byte, min(foreign.HeadLength, in.size))
	if _, err := in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, readError(err, name)
	}
	f, err := codecOf(in, head, name, lim.Made)
	if err != nil {
		return nil, err
	}
	pic, err := f.read(ctx, in, name, lim)
	if err != nil {
		return nil, explain(err, name, f.title)
	}
	return pic, nil
}
