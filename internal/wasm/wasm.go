// Package wasm decodes and encodes the pixels of AVIF files, and encodes the pixels of lossless WebP files.
//
// It has libavif 1.1.1 with libaom 3.10.0 and libyuv, and libwebp 1.4.0, compiled to WebAssembly: the programs of the
// modules github.com/gen2brain/avif v0.4.4 and github.com/gen2brain/webp v0.5.5, byte for byte (see
// TestProgramsAreThoseOfTheModules), which Brotli makes 17 % shorter than gzip. Their licences are the files LICENSE.*.
// They run in wazero, so that a fault reads and writes nothing but the memory of its own instance, of bounded size.
//
// Note: the modules themselves are not imported. Without the build tag nodynamic they link purego, which makes the
// program a dynamic one that loads the libraries of the system, and they have no way to bound the memory, to end a
// decoder that does not return, or to keep the compiled code. Programs for a browser are without.
package wasm

import "errors"

// FormatError says why a file cannot be decoded or encoded.
type FormatError string

func (e FormatError) Error() string { return "wasm: " + string(e) }

// ErrMemory tells that a program needs more memory than it was allowed.
var ErrMemory = errors.New("wasm: a program needs more memory than was allowed")

// Frame is a decoded picture in the memory of the decoder.
type Frame struct {
	Width, Height int
	// Pix has the samples red, green, blue and alpha of the pixels, row by row, of 16 bits each, the low byte first. It
	// is valid until the function that got it returns.
	Pix []byte
}

// pixelBytes is how many bytes a pixel of a Frame has.
const pixelBytes = 8

// AVIFMemory returns the bytes that DecodeAVIF takes at most, for a file of size bytes with the given number of pixels.
//
// Note: measured were 28 bytes a pixel for a grid of tiles, 31 for 4:2:0 and 35 for 12 bits of 4:4:4, of which 16 are
// two copies of a Frame. Simulated grain adds 2 to 6.
func AVIFMemory(pixels, size int64) int64 {
	const own, perPixel = 16 << 20, 44
	return own + 2*size + perPixel*pixels
}

// AVIFEncoderMemory returns the bytes that EncodeAVIF takes at most beside pix, for a picture with the given number of
// pixels.
//
// Note: measured were 43 to 58 bytes a pixel in colour, 27 to 38 in grey, the most for small pictures at quality 100.
func AVIFEncoderMemory(pixels int64) int64 {
	const own, perPixel = 16 << 20, 58
	return own + perPixel*pixels
}

// WebPEncoderMemory returns the bytes that EncodeWebP takes at most beside pix, for a picture with the given number of
// pixels.
//
// Note: measured were 23 bytes a pixel for drawings, 35 to 38 for photographs, 38 for noise, and 1.7 MiB more for
// pictures of a few rows or columns.
func WebPEncoderMemory(pixels int64) int64 {
	const own, perPixel = 4 << 20, 44
	return own + perPixel*pixels
}

// MostAVIFPixels and MostWebPPixels are how many pixels a picture has at most that EncodeAVIF and EncodeWebP take: an
// encoder has no more than 4 GiB.
const (
	MostAVIFPixels = 72_000_000
	MostWebPPixels = 90_000_000
)

// MostWebPSide is the largest width or height, in pixels, of a picture that EncodeWebP takes.
const MostWebPSide = 1<<14 - 1
