package bmp

import (
	"errors"
	"io"

	"superres/internal/safefile"
)

// The codes that follow a zero byte. Any other byte there is the number of literal pixels that follow.
const (
	endOfLine = 0
	endOfAll  = 1
	delta     = 2 // two bytes follow: how many pixels to go right, and how many rows further
)

// decodeRuns decodes run-length codes. rows returns the memory of a row by its number in the file. A run is coded as
// its length and its pixel: an index, two alternating 4-bit indices, or blue, green and red. Pixels that no code sets
// stay the palette's first colour, or black. Pixels past a row's end are dropped. The last row needs no end code.
//
// Note: ImageMagick pads rows to a multiple of four pixels, with runs that may begin past the end of the row.
func (d *Decoder) decodeRuns(rows func(int64) []byte) error {
	if d.compression == rle24 {
		for y := range d.height {
			row := rows(y)
			for x := range d.width {
				copy(row[4*x:], []byte{0, 0, 0, 0xff})
			}
		}
	}
	var x, y int64
	for y < d.height {
		n, err := d.r.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && y == d.height-1 && x >= d.width {
				return nil
			}
			return safefile.CutShort(err)
		}
		literal := false
		if n == 0 {
			if n, err = d.r.ReadByte(); err != nil {
				return safefile.CutShort(err)
			}
			switch n {
			case endOfLine:
				x, y = 0, y+1
				continue
			case endOfAll:
				return nil
			case delta:
				var move [2]byte
				if err := d.read(move[:]); err != nil {
					return err
				}
				x, y = x+int64(move[0]), y+int64(move[1])
				continue
			}
			literal = true
		}
		if err := d.readRun(rows(y), x, int64(n), literal); err != nil {
			return err
		}
		x += int64(n)
	}
	return nil
}

// readRun writes n pixels to row from x on: if literal, the next n pixels of the file, else n copies of the next pixel,
// or of the next two 4-bit indices in turn. It drops pixels beyond the width of the picture.
func (d *Decoder) readRun(row []byte, x, n int64, literal bool) error {
	var buffer [3*255 + 1]byte // for 255 pixels of three bytes, and padding
	data := buffer[:max(1, d.depth/8)]
	if literal {
		data = buffer[:(n*d.depth+15)/16*2] // literal pixels are padded to an even number of bytes
	}
	if err := d.read(data); err != nil {
		return err
	}
	for i := range min(n, d.width-x) {
		from := i
		if !literal {
			from = i % max(1, 8/d.depth)
		}
		switch d.depth {
		case 4:
			row[x+i] = data[from/2] >> (4 - 4*(from%2)) & 15
		case 8:
			row[x+i] = data[from]
		default:
			p := data[3*from:]
			copy(row[4*(x+i):], []byte{p[2], p[1], p[0]})
		}
	}
	return nil
}
