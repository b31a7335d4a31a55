package imagefile

import (
	"cmp"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"superres/internal/imagefile/foreign"
	"superres/internal/safefile"
)

// codec is all that the package knows of one format.
type codec struct {
	format     Format
	title      string   // its name for people
	extensions []string // with their dots, in lower case; new files get the first
	magic      []string // what its files start with; ? is any byte
	surely     string   // the longer start that Identify demands; empty: magic is enough

	// What files of the format can hold: see the methods of Format.
	canAlpha, canGreyAlpha, canDeep, canAnimate, canPage, hasQuality bool

	// mimic tells the kind of a file that begins as the format does and is none; nil: there is none.
	mimic func(io.ReaderAt) (foreign.Kind, bool)
	// config decodes the header of a file, and decode the pixels, given the size of the header.
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader, Size) (image.Image, error)
	// start makes a short start of a file for config, which would read too much of it, or of another
	// picture. It returns nil where config is to read the file itself, and refuses a file whose parts
	// so far are not in their order. nil: config reads all files themselves.
	start func(src *source, lim Limits) ([]byte, error)
	// inspect refuses a file, in memory, that config cannot judge. It takes time linear in the file's
	// length. nil: there is nothing to refuse.
	inspect func(src *source, lim Limits) error
	// several reports whether a file holds several pictures. The file may lie on a disk. nil: none does.
	several func(src *source) bool
	// first makes of a file of several pictures one of the first alone, in the memory of the file.
	// nil: the decoder takes the first by itself.
	first func(src *source) []byte
	// prepare returns the source that decode reads. nil: the file.
	prepare func(src *source) *source
	// describe sets what a Picture says of its file besides the metadata, once it has its Image. nil:
	// there is nothing.
	describe func(src *source, pic *Picture)
	// greyPalette makes a picture whose palette is all grey a grey one.
	greyPalette bool
	// end returns where the first picture of a file ends, in bytes. 0: that is not known.
	end func(data []byte) uint64

	// encode writes a picture of a type that adapt returns; the metadata come from elsewhere, but
	// for a TIFF. nil: the format is not written, or only by package sequence.
	encode func(w io.Writer, img image.Image, opt EncodeOptions) error
	// stream begins a file that is written chunk by chunk. nil: it cannot be.
	stream func(s *Stream, w io.Writer, opt EncodeOptions) (chunkWriter, error)
	// takesAll tells that encode takes pictures of all types of 8 bits, and takesClearPalettes that it
	// takes a palette with transparent colours.
	takesAll, takesClearPalettes bool
	// mostSide is the largest width or height that a file can say, in pixels, and mostBytes its largest
	// size; 0: there is no limit that matters.
	mostSide  int
	mostBytes int64
}

// codecs are the formats, in the order in which messages list them.
//
// Note: a table of its own, not the registry of package image, so that what a
// program accepts does not depend on what else it imports.
//
// WebP is read and not written, because the encoders in Go that could be had fail on some pictures.
// What was a WebP, or a GIF of one picture, which has too few colours, is written as PNG.
var codecs = []codec{
	{
		format: PNG, title: "PNG", extensions: []string{".png"}, magic: []string{"\x89PNG\r\n\x1a\n"},
		canAlpha: true, canGreyAlpha: true, canDeep: true, canAnimate: true,
		config: png.DecodeConfig, decode: withoutSize(png.Decode), start: startOfPNG, inspect: inspectPNG,
		several: isAnimatedPNG, prepare: pixelsOfPNG, describe: describePNG, greyPalette: true, end: endOfPNG,
		encode: encodePNG, stream: streamPNG, takesClearPalettes: true,
	}, {
		format: JPEG, title: "JPEG", extensions: []string{".jpg", ".jpeg", ".jpe", ".jfif"},
		magic:  []string{"\xff\xd8"},
		surely: "\xff\xd8\xff", hasQuality: true,
		config: jpeg.DecodeConfig, decode: withoutSize(decodeJPEG), inspect: inspectJPEG, describe: describeJPEG,
		end:    endOfJPEG,
		encode: encodeJPEG, stream: streamJPEG, takesAll: true, mostSide: math.MaxUint16,
	}, {
		format: GIF, title: "GIF", extensions: []string{".gif"}, magic: []string{"GIF87a", "GIF89a"},
		canAlpha: true, canAnimate: true,
		config: gif.DecodeConfig, decode: decodeGIF, inspect: inspectGIF, several: isAnimatedGIF, first: firstOfGIF,
		greyPalette: true, end: endOfGIF,
	}, {
		format: WebP, title: "WebP", extensions: []string{".webp"}, magic: []string{"RIFF????WEBPVP8"},
		canAlpha: true,
		config:   webp.DecodeConfig, decode: withoutSize(decodeWebP), start: startOfWebP, inspect: inspectWebP,
		several: isAnimatedWebP, first: firstOfWebP, describe: describeWebP, end: endOfRIFF,
	}, {
		format: TIFF, title: "TIFF", extensions: []string{".tif", ".tiff"}, magic: []string{"II*\x00", "MM\x00*"},
		canAlpha: true, canDeep: true, canPage: true, mimic: foreign.Raw,
		config: tiff.DecodeConfig, decode: withoutSize(tiff.Decode), inspect: inspectTIFF, several: hasPages,
		greyPalette: true, end: endOfTIFF,
		encode: encodeTIFF, mostSide: math.MaxUint16, mostBytes: math.MaxUint32,
	}, {
		format: BMP, title: "BMP", extensions: []string{".bmp"}, magic: []string{"BM????\x00\x00\x00\x00"},
		config: bmp.DecodeConfig, decode: withoutSize(bmp.Decode), greyPalette: true, end: endOfBMP,
		encode:    func(w io.Writer, img image.Image, _ EncodeOptions) error { return bmp.Encode(w, img) },
		mostBytes: math.MaxUint32,
	},
}

// withoutSize makes a decoder that needs no size of one that takes none.
func withoutSize(decode func(io.Reader) (image.Image, error)) func(io.Reader, Size) (image.Image, error) {
	return func(r io.Reader, _ Size) (image.Image, error) { return decode(r) }
}

// canHold refuses a format that is not written, and a picture of width w and height h beyond what the
// format can describe.
//
// Note: the TIFF and BMP encoders do not look; they would write a file with a wrong size in it.
func (c *codec) canHold(w, h int, img image.Image) error {
	if c.encode == nil {
		return refuse(safefile.ErrOutput, "cannot write the format %q (known: %s)", c.format,
			knownOutputs()).With(KnownFormat)
	}
	if w < 1 || h < 1 {
		return refuse(safefile.ErrOutput, "there is nothing to write, the picture is %dx%d", w, h).With(LargerScale)
	}
	if side := cmp.Or(c.mostSide, math.MaxInt32); w > side || h > side {
		return refuse(safefile.ErrOutput, "a side of %s has at most %d pixels, the picture is %dx%d", c.title, side, w,
			h).With(PNGOrSmaller)
	}
	const headers = 64 << 20 // more than any format needs, with metadata
	perPixel := int64(4)     // with a BMP's padding
	if c.canDeep {
		switch img.(type) {
		case *image.NRGBA64, *image.RGBA64:
			perPixel = 8
		}
	}
	if c.mostBytes > 0 && int64(w)*int64(h) > (c.mostBytes-headers)/perPixel {
		return refuse(safefile.ErrOutput, "%s has at most 4 GiB, which a picture of %dx%d exceeds", c.title, w,
			h).With(PNGOrSmaller)
	}
	return nil
}
