// Package avif decodes and encodes the pixels of AVIF files.
//
// It contains libavif 1.1.1 with libaom 3.10.0 and libyuv, compiled to WebAssembly: the programs in the module
// github.com/gen2brain/avif v0.4.4, byte for byte (see TestProgramsAreThoseOfTheModule), compressed with Brotli, 17 %
// shorter than with gzip. Their licences are the files LICENSE.*. They run in wazero, so that a bug in them can only
// touch the memory of one instance, of bounded size.
//
// Note: the module itself is not imported: it may load a libavif of the system, and cannot bound the memory, stop a
// decoder, or store the compiled code. Builds for a browser, which can decode AVIF itself, leave the programs out.
package avif

import "errors"

// FormatError says why a file cannot be decoded or encoded.
type FormatError string

func (e FormatError) Error() string { return "avif: " + string(e) }

// ErrMemory is the error where the decoder needs more memory than it was given.
var ErrMemory = errors.New("avif: the decoder needs more memory than Memory returns")

// Frame is a decoded picture in the memory of the decoder.
type Frame struct {
	Width, Height int
	// Pix holds red, green, blue and alpha of each pixel, row by row, as 16-bit little-endian samples. It is valid
	// until the function that was called with the Frame returns.
	Pix []byte
}

// pixelBytes is the number of bytes per pixel of a Frame.
const pixelBytes = 8

// Memory returns the most bytes that Decode uses for a file with this number of pixels and this size in bytes.
//
// Note: measured were 28 bytes a pixel for a grid of tiles, 31 for 4:2:0 and 35 for 12 bits in 4:4:4; 16 of these bytes
// are two copies of a Frame. Synthesised film grain adds 2 to 6.
func Memory(pixels, size int64) int64 {
	const own, perPixel = 16 << 20, 44
	return own + 2*size + perPixel*pixels
}

// EncoderMemory returns the most bytes that Encode uses besides pix, for a picture with the given number of pixels.
//
// Note: measured were 43 to 58 bytes a pixel in colour, 27 to 38 in grey, most for small pictures at quality 100.
func EncoderMemory(pixels int64) int64 {
	const own, perPixel = 16 << 20, 58
	return own + perPixel*pixels
}

// MostPixels is the largest number of pixels that Encode accepts: the encoder can address no more than 4 GiB.
const MostPixels = 72_000_000
