// Package avif decodes the pixels of AVIF files.
//
// The decoder is libavif 1.1.1 with libaom 3.10.0 and libyuv, compiled to WebAssembly: decode.wasm.gz is that file of
// the module github.com/gen2brain/avif v0.4.4, byte for byte (see TestDecoderIsThatOfTheModule), whose licences are the
// files LICENSE.*. It runs in wazero, so that a fault of it reads and writes nothing but the memory of its own
// instance, whose size the caller bounds.
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
