package imagefile

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"io"
	"slices"
	"sync"

	"superres/internal/metadata"
	"superres/internal/parallel"
)

// stripRows returns the number of rows in a strip, which holds about chunkBytes; the last strip may have fewer rows.
func (r *tiffRaster) stripRows() int { return min(max(chunkBytes/r.rowBytes(), 1), r.height) }

func (r *tiffRaster) strips() int { return (r.height + r.stripRows() - 1) / r.stripRows() }

// predicts reports whether samples are stored as differences from the pixel to the left; palette indices are not.
func (r *tiffRaster) predicts() bool { return r.kind != pngPalette }

// fields returns the directory entries about the strips, after r.measure. offset is the first strip's in the file.
func (r *tiffRaster) fields(offset uint32) []metadata.TIFFField {
	const deflate, differences, multiplied, straight = 8, 2, 1, 2
	photometric := map[byte]uint32{pngGrey: 1, pngRGB: 2, pngRGBA: 2, pngPalette: 3}[r.kind]
	samples := pngSamples[r.kind]
	offsets := make([]uint32, len(r.lengths))
	for i, n := range r.lengths {
		offsets[i] = offset
		offset += n
	}
	f := []metadata.TIFFField{
		{Tag: 256, Long: true, Values: []uint32{uint32(r.width)}},
		{Tag: 257, Long: true, Values: []uint32{uint32(r.height)}},
		{Tag: 258, Values: slices.Repeat([]uint32{uint32(8 * r.depth)}, samples)}, // bits per sample
		{Tag: 259, Values: []uint32{deflate}},                                     // the compression
		{Tag: 262, Values: []uint32{photometric}},
		{Tag: 273, Long: true, Values: offsets},
		{Tag: 277, Values: []uint32{uint32(samples)}},                   // samples per pixel
		{Tag: 278, Long: true, Values: []uint32{uint32(r.stripRows())}}, // rows per strip
		{Tag: 279, Long: true, Values: r.lengths},
	}
	if r.predicts() {
		f = append(f, metadata.TIFFField{Tag: 317, Values: []uint32{differences}}) // the predictor
	} else { // indices of a palette
		f = append(f, metadata.TIFFField{Tag: 320, Values: colourMap(r.palette)})
	}
	if r.kind == pngRGBA {
		alpha := uint32(straight)
		if r.multiplied {
			alpha = multiplied
		}
		f = append(f, metadata.TIFFField{Tag: 338, Values: []uint32{alpha}}) // the extra sample
	}
	return f
}

// pack compresses all strips, with samples in the given byte order, and calls put with each strip, in order.
func (r *tiffRaster) pack(order binary.ByteOrder, put func(strip []byte) error) error {
	return parallel.Ordered(r.strips(), func(i int) *tiffStrip {
		s := tiffStrips.Get().(*tiffStrip)
		s.pack(r, order, i*r.stripRows(), min((i+1)*r.stripRows(), r.height))
		return s
	}, func(s *tiffStrip) error {
		defer tiffStrips.Put(s)
		return put(s.packed.Bytes())
	})
}

// measure sets r.lengths to the lengths in bytes of the compressed strips, and returns their sum.
//
// Note: strips are compressed twice, since the directory, or its offset, precedes them and depends on their lengths.
func (r *tiffRaster) measure(order binary.ByteOrder) (sum int64) {
	r.lengths = r.lengths[:0]
	_ = r.pack(order, func(strip []byte) error {
		r.lengths = append(r.lengths, uint32(len(strip)))
		sum += int64(len(strip))
		return nil
	})
	return sum
}

// writer returns a function that writes the compressed strips, with samples in the given byte order.
func (r *tiffRaster) writer(order binary.ByteOrder) func(io.Writer) error {
	return func(w io.Writer) error {
		return r.pack(order, func(strip []byte) error {
			_, err := w.Write(strip)
			return err
		})
	}
}

// tiffStrip holds rows while they are compressed to a strip.
type tiffStrip struct {
	rows   []byte
	packed bytes.Buffer
	packer packer
}

// tiffStrips keeps the memory of tiffStrip values, mostly of their packers, for reuse.
var tiffStrips = sync.Pool{New: func() any { return new(tiffStrip) }}

// pack sets s.packed to the rows [lo, hi) of r, compressed in the zlib format.
func (s *tiffStrip) pack(r *tiffRaster, order binary.ByteOrder, lo, hi int) {
	n := r.rowBytes()
	s.rows = slices.Grow(s.rows[:0], (hi-lo)*n)[:(hi-lo)*n]
	for y := lo; y < hi; y++ {
		r.readRow(s.rows[(y-lo)*n:][:n], order, y)
	}
	method := s.packer.chooseMethod(&s.packed, s.rows) // compresses samples of rows into s.packed
	s.packed.Reset()
	s.packed.WriteString(zlibHead)
	const isLast = true
	s.packer.deflate(&s.packed, method, s.rows, isLast)
	_ = binary.Write(&s.packed, binary.BigEndian, adler32.Checksum(s.rows)) // cannot fail: writes to memory
}

// readRow sets row to the samples of row y or, if r.predicts, to their differences from the left, in the given order.
func (r *tiffRaster) readRow(row []byte, order binary.ByteOrder, y int) {
	n := pngSamples[r.kind]
	r.read(row, y)
	switch {
	case !r.predicts():
	case r.depth == 1:
		for i := len(row) - 1; i >= n; i-- {
			row[i] -= row[i-n]
		}
	default: // samples are big-endian in memory
		for i := len(row) - 2; i >= 0; i -= 2 {
			v := binary.BigEndian.Uint16(row[i:])
			if i >= 2*n {
				v -= binary.BigEndian.Uint16(row[i-2*n:])
			}
			order.PutUint16(row[i:], v)
		}
	}
}
