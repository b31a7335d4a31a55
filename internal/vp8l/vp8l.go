// Package vp8l writes the lossless pixels of a WebP file: a VP8L bit stream (RFC 9649, section 3).
//
// A picture is processed in bands of rows, in two passes. The first pass counts how often each symbol is used. From the
// counts follow the prefix codes in the head of the stream, and the length of the stream. The second pass writes the
// symbols. Between the passes, only the counts and two bytes for each tile are kept, so that memory hardly grows with
// the picture. No band refers to pixels of another band, except that the row above predicts its first row. So bands are
// processed at the same time, and the stream does not depend on the number of processors.
//
// predict.go contains the transforms, tokens.go the copies of earlier pixels and the colour cache, counts.go the choice
// among these tools, prefix.go the prefix codes, and bits.go the strings of bits.
//
// Note: libwebp in wazero (github.com/gen2brain/webp v0.5.5) takes four to five times the processor time for files
// of the same size, and 52 bytes for each pixel. github.com/HugoSmits86/nativewebp v0.9.3 does not limit the length
// of prefix codes, so that no reader accepts some of its files.
package vp8l

import (
	"io"
	"runtime"

	"superres/internal/parallel"
)

// MostSide is the largest width or height of a picture, in pixels. The format allows 16384, but libwebp does not.
const MostSide = 1<<14 - 1

// Picture is a picture to be written. Its sides are 1 to MostSide pixels.
type Picture struct {
	Width, Height int
	Alpha         bool // the picture has pixels that are not opaque; false: all pixels have alpha 255
	// Row fills dst, of Width pixels, with row y as alpha<<24 | red<<16 | green<<8 | blue, where colour is not
	// multiplied by alpha. Several goroutines may call it at once.
	Row func(dst []uint32, y int)
}

// bandPixels is about the number of pixels of a band: enough to find repetitions in, and few enough that an ordinary
// picture has a band for each processor.
const bandPixels = 1 << 17

// Memory returns about how many bytes New and Write take at their peak for a picture of the given width.
func Memory(width int) int64 {
	const pixel = 4 + 4 + 4 + 2*8 // bytes for pixels, residuals, chains, and tokens in a list that grows
	const fixed = 1 << 19         // bytes for counts and hashes
	bands := int64(runtime.GOMAXPROCS(0)) + 1
	return bands * (fixed + pixel*int64(max(bandPixels, tileSide*width)))
}

// Stream is the VP8L bit stream of a picture, ready to be written.
type Stream struct {
	pic    Picture
	method method
	rows   int       // rows per band, a multiple of tileSide
	tiles  int       // tiles in a row
	modes  []uint8   // the predictor of each tile
	groups []uint8   // the group of prefix codes of each tile
	codes  []*codes  // the prefix codes of each group
	head   bitString // the stream up to the pixels
	length int64     // the length in bits of the pixels in the stream
}

// New does the first pass over pic, to choose method and codes, and counts symbols for each class of tiles.
func New(pic Picture) *Stream {
	s := &Stream{pic: pic, tiles: tilesIn(pic.Width)}
	s.rows = max(bandPixels/pic.Width/tileSide, 1) * tileSide // whole tiles, about bandPixels in all
	tiles := s.tiles * tilesIn(pic.Height)
	s.modes, s.groups = make([]uint8, tiles), make([]uint8, tiles)
	s.method = s.chooseMethod()

	var counts [classes]*counts
	_ = parallel.Ordered(s.bands(), func(i int) *band {
		b := s.newBand(i)
		b.choosePredictors()
		b.predict()
		b.classify()
		b.tokenise(s.method)
		b.count()
		return b
	}, func(b *band) error {
		for i, c := range b.counts {
			counts[i] = sumOf(counts[i], c)
		}
		b.release()
		return nil
	})
	s.makeCodes(&counts)
	s.writeHead()
	return s
}

// Size returns the length of the stream in bytes.
func (s *Stream) Size() int64 { return (s.head.length() + s.length + 7) / 8 }

// Write writes the stream to w. It returns an error of w unchanged.
func (s *Stream) Write(w io.Writer) error {
	out := s.head.clone()
	err := parallel.Ordered(s.bands(), func(i int) *band {
		b := s.newBand(i)
		b.predict()
		b.tokenise(s.method)
		b.write()
		return b
	}, func(b *band) error {
		out.append(&b.out)
		b.release()
		return out.flush(w)
	})
	if err != nil {
		return err
	}
	out.align()
	return out.flush(w)
}

func (s *Stream) bands() int { return (s.pic.Height + s.rows - 1) / s.rows }

// writeHead writes the stream up to the pixels into s.head.
func (s *Stream) writeHead() {
	const signature = 0x2f
	const predictor, subtractGreen = 0, 2 // the types of transforms
	h := &s.head
	h.put(signature, 8)
	h.put(uint64(s.pic.Width-1), 14)
	h.put(uint64(s.pic.Height-1), 14)
	h.putBool(s.pic.Alpha)
	h.put(0, 3) // the version
	if s.method.subtractGreen {
		h.putBool(true)
		h.put(subtractGreen, 2)
	}
	if s.method.predict {
		h.putBool(true)
		h.put(predictor, 2)
		h.put(tileBits-2, 3)  // the format stores log2(tileSide) − 2
		s.writeTiles(s.modes) // the predictor of each tile
	}
	h.putBool(false) // no further transform
	h.putBool(s.method.cacheBits > 0)
	if s.method.cacheBits > 0 {
		h.put(uint64(s.method.cacheBits), 4)
	}
	h.putBool(len(s.codes) > 1) // tiles have groups of prefix codes
	if len(s.codes) > 1 {
		h.put(tileBits-2, 3)
		s.writeTiles(s.groups) // which of s.codes each tile has
	}
	for _, c := range s.codes {
		c.write(h)
	}
}

// writeTiles appends to s.head, the start of the stream, a small picture with one pixel for each tile. Its green is
// the value of the tile, and its red and blue are 0. It has one group of prefix codes and no transforms.
func (s *Stream) writeTiles(values []uint8) {
	groups := make([]uint8, tilesIn(s.tiles)*tilesIn(len(values)/s.tiles)) // all are 0
	b := &band{Stream: &Stream{pic: Picture{Width: s.tiles}, groups: groups}, residuals: make([]uint32, len(values))}
	for i, v := range values {
		b.residuals[i] = 0xff<<24 | uint32(v)<<8
	}
	b.tiles = tilesIn(s.tiles)
	b.tokenise(method{references: true})
	b.count()
	b.codes = []*codes{newCodes(b.counts[0])}
	s.head.putBool(false) // no colour cache
	b.codes[0].write(&s.head)
	b.write()
	s.head.append(&b.out)
}
