// Package avif decodes and encodes the pixels of AVIF files.
//
// It has libavif 1.1.1 with libaom 3.10.0 and libyuv, compiled to WebAssembly: the programs of the module
// github.com/gen2brain/avif v0.4.4, byte for byte (see TestProgramsAreThoseOfTheModule), which Brotli makes 17 %
// shorter than gzip. Their licences are the files LICENSE.*. They run in wazero, so that a fault reads and writes
// nothing but the memory of its own instance, of bounded size.
//
// Note: the module itself is not imported. Without the build tag nodynamic it links purego, which makes the program a
// dynamic one that loads a libavif of the system, and it has no way to bound the memory, to end a decoder that does not
// return, or to keep the compiled code. Programs for a browser, which has a decoder of its own, are without.
package avif

import "errors"

// FormatError says why a file cannot be decoded.
type FormatError string

func (e FormatError) Error() string { return "avif: " + string(e) }

// ErrMemory tells that the decoder needs more memory than it was allowed.
var ErrMemory = errors.New("avif: the decoder needs more memory than Memory returns")

// Frame is a decoded picture in the memory of the decoder.
type Frame struct {
	Width, Height int
	// Pix has the samples red, green, blue and alpha of the pixels, row by row, of 16 bits each, the low byte first. It
	// is valid until the function that got it returns.
	Pix []byte
}

// pixelBytes is how many bytes a pixel of a Frame has.
const pixelBytes = 8

// Memory returns the bytes that Decode takes at most, for a file of size bytes with the given number of pixels.
//
// Note: measured were 28 bytes a pixel for a grid of tiles, 31 for 4:2:0 and 35 for 12 bits of 4:4:4, of which 16 are
// two copies of a Frame. Simulated grain adds 2 to 6.
func Memory(pixels, size int64) int64 {
	const own, perPixel = 16 << 20, 44
	return own + 2*size + perPixel*pixels
}

// EncoderMemory returns the bytes that Encode takes at most beside pix, for a picture with the given number of pixels.
//
// Note: measured were 43 to 58 bytes a pixel in colour, 27 to 38 in grey, the most for small pictures at quality 100.
func EncoderMemory(pixels int64) int64 {
	const own, perPixel = 16 << 20, 58
	return own + perPixel*pixels
}

// MostPixels is how many pixels a picture has at most that Encode takes: the encoder has no more than 4 GiB.
const MostPixels = 72_000_000
