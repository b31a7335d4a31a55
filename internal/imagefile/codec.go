package imagefile

import (
	"image"
	"image/gif"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/bmp"
	"golang.org/x/image/webp"

	"superres/internal/avif"
	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/safefile"
	"superres/internal/tiff"
	"superres/internal/vp8l"
)

// codec holds everything that the package knows about one format.
type codec struct {
	format     Format
	title      string   // the name of the format for people, such as WebP
	extensions []string // with dots, in lower case; new files get the first
	magic      []string // patterns of the first bytes of a file; ? is any byte
	surely     string   // a longer start that Identify demands; empty: magic is enough

	// What files of the format can hold: see the methods of Format.
	canAlpha, canGreyAlpha, canDeep, canAnimate, canPage, hasQuality bool

	// mimic reports whether a file called name, which begins like a file of this format, is of another kind, and
	// returns that kind. mimic is nil if there are no such files.
	mimic func(r io.ReaderAt, name string) (foreign.Kind, bool)
	// config decodes the header of a file. decode decodes the pixels, given the header's size; it may add src.warnings.
	config func(io.Reader) (image.Config, error)
	decode func(src *source, size Size, lim Limits) (image.Image, error)
	// decoderBytes returns the bytes of memory that decode needs besides the file and the picture. nil: hardly any.
	decoderBytes func(src metadata.Source) int64
	// start returns a short file with the header of the picture to decode. config reads it in place of the real file,
	// where it would read too much, or the header of another picture. It returns no bytes if config can read the real
	// file, and an error if parts before the pixels stand in a wrong order. A format without start has config read it.
	start func(src *source, lim Limits) ([]byte, error)
	// inspect refuses a damaged file in memory that config and decode would accept. Its time is linear in the length of
	// the file. It is nil if there are no such files.
	inspect func(src *source) error
	several func(src *source) bool // whether a file, in memory or on disk, contains several pictures; nil: none does
	// first returns a file with only the first of several pictures. It overwrites src.data and returns a part of it. It
	// is nil if decode reads only the first picture in any case.
	first   func(src *source) []byte
	prepare func(src *source) *source // returns the source that decode reads instead of src; nil: decode reads src
	// describe sets fields of pic, such as Quality, that follow from the file src and from pic.Image. It may be nil.
	describe    func(src *source, pic *Picture)
	greyPalette bool // a picture with only greys in its palette becomes *image.Gray, without a palette
	isSlow      bool // writing takes long, so that an enlarged file keeps the format only on request

	end func(data []byte) uint64 // returns the offset in data where the first picture ends, or 0 if unknown

	// encode writes a picture from adapt. For TIFF, WebP and AVIF it also writes the metadata; for others,
	// metadata.Metadata.Writer adds them. It is nil for formats that are not written, or only by package sequence.
	encode func(w io.Writer, img image.Image, opt EncodeOptions) error
	// encoderBytes returns the bytes of memory that encode, or a writer of animations, needs besides a picture of the
	// given size. nil means next to none.
	encoderBytes func(w, h int) int64
	// stream begins a file that is written chunk by chunk. It is nil for formats that can be written only all at once.
	stream func(s *Stream, w io.Writer, opt EncodeOptions) (chunkWriter, error)
	// takesAll says that encode accepts pictures of all types with 8 bits, takesClearPalettes that it accepts palettes
	// with transparent colours. adapt first converts pictures that encode does not accept.
	takesAll, takesClearPalettes bool
	// mostSide is the greatest width or height in pixels, and mostBytes the greatest size in bytes, that the fields of
	// a file can hold; mostPixels is the greatest number of pixels that encode takes; 0: unlimited.
	mostSide              int
	mostBytes, mostPixels int64
}

// codecs are the formats, in the order in which messages list them.
//
// Note: this is not the registry of package image, so that imports elsewhere cannot change what a program accepts.
//
// The enlargement of a GIF with one picture is written as PNG, since a GIF has too few colours. Package sequence writes
// the enlargement of an animated WebP as an animated PNG.
var codecs = []codec{
	{
		format: PNG, title: "PNG", extensions: []string{".png"}, magic: []string{"\x89PNG\r\n\x1a\n"},
		canAlpha: true, canGreyAlpha: true, canDeep: true, canAnimate: true,
		mimic:  isCgBI,
		config: png.DecodeConfig, decode: decodePNG, start: startOfPNG,
		several: isAnimatedPNG, prepare: pixelsOfPNG, describe: describePNG, greyPalette: true, end: endOfPNG,
		encode: encodePNG, stream: streamPNG, takesClearPalettes: true,
	}, {
		format: JPEG, title: "JPEG", extensions: []string{".jpg", ".jpeg", ".jpe", ".jfif"},
		magic:  []string{"\xff\xd8"},
		surely: "\xff\xd8\xff", hasQuality: true,
		config: configOfJPEG, decode: decodeJPEG, start: startOfJPEG, describe: describeJPEG, end: endOfJPEG,
		encode: encodeJPEG, stream: streamJPEG, takesAll: true, mostSide: math.MaxUint16,
	}, {
		format: GIF, title: "GIF", extensions: []string{".gif"}, magic: []string{"GIF87a", "GIF89a"},
		canAlpha: true, canAnimate: true,
		config: gif.DecodeConfig, decode: decodeGIF, several: isAnimatedGIF, first: firstOfGIF,
		describe: describeGIF, greyPalette: true, end: endOfGIF,
		encoderBytes: func(int, int) int64 { return 12 << 20 }, // the histogram from which sequence chooses a palette
	}, {
		format: WebP, title: "WebP", extensions: []string{".webp"}, magic: []string{"RIFF????WEBPVP8"},
		canAlpha: true,
		config:   webp.DecodeConfig, decode: decodeWebP, start: startOfWebP, inspect: inspectWebP,
		several: isAnimatedWebP, first: firstOfWebP, prepare: withAlphaFlag, describe: describeWebP, end: endOfRIFF,
		encode: encodeWebP, encoderBytes: func(w, _ int) int64 { return vp8l.Memory(w) }, mostSide: vp8l.MostSide,
	}, {
		format: TIFF, title: "TIFF", extensions: []string{".tif", ".tiff"},
		magic:    []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"},
		canAlpha: true, canDeep: true, canPage: true, mimic: isRaw,
		config: configOfTIFF, decode: decodeTIFF, several: hasPages, describe: describeTIFF,
		decoderBytes: tiff.Scratch, greyPalette: true, end: endOfTIFF,
		encode: encodeTIFF, mostSide: math.MaxUint16, mostBytes: math.MaxUint32,
	}, {
		format: BMP, title: "BMP", extensions: []string{".bmp", ".dib"}, magic: startsOfBMP(),
		config: configOfBMP, decode: decodeBMP, greyPalette: true, end: endOfBMP,
		encode:    func(w io.Writer, img image.Image, _ EncodeOptions) error { return bmp.Encode(w, img) },
		mostBytes: math.MaxUint32,
	}, {
		format: AVIF, title: "AVIF", extensions: []string{".avif"},
		magic:    []string{"????ftypavif", "????ftypavis", "????ftypmif1", "????ftypmiaf", "????ftypMA1"},
		canAlpha: true, hasQuality: true, isSlow: true, mimic: isOtherHEIF,
		config: configOfAVIF, decode: decodeAVIF, decoderBytes: avifBytes, describe: describeAVIF,
		end:    endOfAVIF,
		encode: encodeAVIF, encoderBytes: avifEncoderBytes, mostPixels: avif.MostPixels,
	},
}

// canHold fails, with an ErrOutput, if the format is not written, or if a picture of w×h pixels is empty or too large
// for a file of the format. It looks only at the type of img, not at its pixels. Not all encoders check the size.
func (c *codec) canHold(w, h int, img image.Image) error {
	if c.encode == nil {
		return refuse(safefile.ErrOutput, "cannot write the format %q (known: %s)", c.format,
			knownOutputs()).With(KnownFormat)
	}
	if w < 1 || h < 1 {
		return refuse(safefile.ErrOutput, "there is nothing to write, the picture is %d×%d", w, h).With(LargerScale)
	}
	if side := c.format.MostSide(); w > side || h > side {
		return refuse(safefile.ErrOutput, "a side of %s has at most %d pixels, the picture is %d×%d", c.title, side, w,
			h).With(PNGOrSmaller)
	}
	if most := c.mostPixels; most > 0 && int64(w)*int64(h) > most {
		return refuse(safefile.ErrOutput, "%s is written of at most %d megapixels, the picture is %d×%d", c.title,
			most/1e6, w, h).With(PNGOrSmaller)
	}
	const headers = 64 << 20 // more than any format needs, with metadata
	perPixel := int64(4)     // including the padding of a BMP
	if c.canDeep {
		switch img.(type) {
		case *image.NRGBA64, *image.RGBA64:
			perPixel = 8
		}
	}
	if c.mostBytes > 0 && int64(w)*int64(h) > (c.mostBytes-headers)/perPixel {
		return refuse(safefile.ErrOutput, "%s has at most 4 GiB, which a picture of %d×%d exceeds", c.title, w,
			h).With(PNGOrSmaller)
	}
	return nil
}
