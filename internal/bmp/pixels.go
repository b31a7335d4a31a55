package bmp

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"

	"superres/internal/safefile"
)

// Decode fills pix with the pixels: one index byte each if there is a palette, else red, green, blue and alpha, where
// the colours are not multiplied by alpha. Rows go from top to bottom, begin stride bytes apart, and have the width of
// Config. If all pixels are transparent, all become opaque. Call Decode only once. It fails with io.ErrUnexpectedEOF if
// pixels are missing, or with errors of its reader.
func (d *Decoder) Decode(pix []byte, stride int) error {
	rows := func(y int64) []byte { // y is the number of a row in the file
		if !d.topDown {
			y = d.height - 1 - y
		}
		return pix[y*int64(stride):]
	}
	switch d.compression {
	case rle8, rle4, rle24:
		return d.decodeRuns(rows)
	}
	line := make([]byte, (d.width*d.depth+31)/32*4)
	used := (d.width*d.depth + 7) / 8 // the rest is padding, which a file may lack at its end
	unpack := d.unpackIndices
	if d.palette == nil {
		unpack = d.colourUnpacker()
	}
	for y := range d.height {
		n, err := io.ReadFull(d.r, line)
		if ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF); err != nil &&
			!(ended && y == d.height-1 && int64(n) >= used) {
			return safefile.CutShort(err)
		}
		unpack(rows(y), line)
	}
	if d.palette == nil && d.masks[3] != 0 {
		d.fillEmptyAlpha(rows)
	}
	return nil
}

// unpackIndices unpacks indices of d.depth bits in line, the first in a byte's highest bits, to one byte each in row.
func (d *Decoder) unpackIndices(row, line []byte) {
	if d.depth == 8 {
		copy(row[:d.width], line)
		return
	}
	perByte, mask := 8/d.depth, byte(1<<d.depth-1)
	for x := range d.width {
		row[x] = line[x/perByte] >> (8 - d.depth*(x%perByte+1)) & mask
	}
}

// colourUnpacker returns a function that unpacks line, pixels with the bit fields d.masks, to red, green, blue and
// alpha bytes in row. Without a mask of alpha, pixels are opaque.
func (d *Decoder) colourUnpacker() func(row, line []byte) {
	if places, ok := d.bytePlaces(); ok { // each channel is a byte, as in nearly all files: takes 13 % less time
		n, opaque := int(d.depth/8), d.masks[3] == 0
		return func(row, line []byte) {
			for x := range int(d.width) {
				p, out := line[n*x:][:n], row[4*x:][:4]
				out[0], out[1], out[2], out[3] = p[places[0]], p[places[1]], p[places[2]], 0xff
				if !opaque {
					out[3] = p[places[3]]
				}
			}
		}
	}
	var fields [4]field
	for i, mask := range d.masks {
		fields[i] = newField(mask)
	}
	n := d.depth / 8
	return func(row, line []byte) {
		var word [8]byte
		for x := range d.width {
			copy(word[:], line[n*x:][:n])
			v := binary.LittleEndian.Uint64(word[:])
			out := row[4*x:][:4]
			for i := range out {
				out[i] = fields[i].sample(v)
			}
			if d.masks[3] == 0 {
				out[3] = 0xff
			}
		}
	}
}

// bytePlaces returns the index of each channel's byte in a pixel. ok is false if a channel is not exactly one byte. If
// alpha is missing, its index has no meaning.
func (d *Decoder) bytePlaces() (places [4]int, ok bool) {
	for i, mask := range d.masks {
		shift := bits.TrailingZeros64(mask | 1<<63) // where the mask begins, or 63 without a mask
		if missing := mask == 0 && i == 3; !missing && (mask>>shift != 0xff || shift%8 != 0 || mask>>d.depth != 0) {
			return places, false
		}
		places[i] = shift / 8
	}
	return places, true
}

// fillEmptyAlpha makes all pixels opaque if all are transparent: then the file has no real alpha channel.
func (d *Decoder) fillEmptyAlpha(rows func(int64) []byte) {
	for y := range d.height {
		for x, row := int64(0), rows(y); x < d.width; x++ {
			if row[4*x+3] != 0 {
				return
			}
		}
	}
	for y := range d.height {
		for x, row := int64(0), rows(y); x < d.width; x++ {
			row[4*x+3] = 0xff
		}
	}
}

// field describes where a channel lies in the bits of a pixel.
type field struct {
	mask  uint64
	shift int
	table []byte // the sample for each value, for a field of at most 8 bits; nil: the field is longer
}

// newField returns the field for a channel's mask, which may be 0, with a table if a value has at most 8 bits.
func newField(mask uint64) field {
	f := field{mask: mask, shift: bits.TrailingZeros64(mask | 1<<63)}
	if most := mask >> f.shift; most < 256 {
		for v := range most + 1 {
			f.table = append(f.table, scale(v, most))
		}
	}
	return f
}

// sample returns the channel of the pixel v as a sample of 8 bits: 0 if the mask is empty.
func (f *field) sample(v uint64) byte {
	v = v & f.mask >> f.shift // in Go, & and >> have the same precedence: the mask comes first
	if f.table != nil {
		return f.table[v]
	}
	return scale(v, f.mask>>f.shift)
}

// scale returns v, in 0..most, as the nearest value in 0..255, and 0 where most is 0.
func scale(v, most uint64) byte {
	if most == 0 {
		return 0
	}
	return byte((v*255 + most/2) / most)
}
