// Package wasm decodes and encodes the pixels of AVIF files, and encodes the pixels of lossless WebP files.
//
// It contains libavif 1.1.1 with libaom 3.10.0 and libyuv, and libwebp 1.4.0, compiled to WebAssembly: the programs in
// the modules github.com/gen2brain/avif v0.4.4 and github.com/gen2brain/webp v0.5.5, byte for byte (see
// TestProgramsAreThoseOfTheModules), compressed with Brotli, 17 % shorter than with gzip. Their licences are the files
// LICENSE.*. They run in wazero, so that a bug in them can only touch the memory of one instance, of bounded size.
//
// Note: the modules themselves are not imported. Without the build tag nodynamic they link purego, so that the program
// becomes dynamic and loads the libraries of the system; and they have no way to bound the memory, to stop a decoder
// that does not return, or to store the compiled code. Builds for a browser leave the programs out.
package wasm

import "errors"

// FormatError says why a file cannot be decoded or encoded.
type FormatError string

func (e FormatError) Error() string { return "wasm: " + string(e) }

// ErrMemory is the error if a program needs more memory than it was given.
var ErrMemory = errors.New("wasm: a program needs more memory than was allowed")

// Frame is a decoded picture in the memory of the decoder.
type Frame struct {
	Width, Height int
	// Pix holds red, green, blue and alpha of each pixel, row by row, as 16-bit little-endian samples. It is valid
	// until the function that was called with the Frame returns.
	Pix []byte
}

// pixelBytes is the number of bytes per pixel of a Frame.
const pixelBytes = 8

// AVIFMemory returns the most bytes that DecodeAVIF uses, for a file of size bytes with the given number of pixels.
//
// Note: DecodeAVIF took 28 bytes a pixel for a grid of tiles, 31 for 4:2:0 and 35 for 12 bits in 4:4:4; 16 of these
// bytes are two copies of a Frame. Synthesised film grain adds 2 to 6.
func AVIFMemory(pixels, size int64) int64 {
	const own, perPixel = 16 << 20, 44
	return own + 2*size + perPixel*pixels
}

// AVIFEncoderMemory returns the most bytes that EncodeAVIF uses besides pix, for a picture with the given number of
// pixels.
//
// Note: EncodeAVIF took 43 to 58 bytes a pixel in colour, 27 to 38 in grey, most for small pictures at quality 100.
func AVIFEncoderMemory(pixels int64) int64 {
	const own, perPixel = 16 << 20, 58
	return own + perPixel*pixels
}

// WebPEncoderMemory returns the most bytes that EncodeWebP uses besides pix, for a picture with the given number of
// pixels.
//
// Note: EncodeWebP took 23 bytes a pixel for drawings, 35 to 38 for photographs, 38 for noise, and 1.7 MiB more for
// pictures of a few rows or columns.
func WebPEncoderMemory(pixels int64) int64 {
	const own, perPixel = 4 << 20, 44
	return own + perPixel*pixels
}

// MostAVIFPixels and MostWebPPixels are the largest numbers of pixels that EncodeAVIF and EncodeWebP accept: an encoder
// can address no more than 4 GiB.
const (
	MostAVIFPixels = 72_000_000
	MostWebPPixels = 90_000_000
)

// MostWebPSide is the largest width or height, in pixels, that EncodeWebP accepts.
const MostWebPSide = 1<<14 - 1
