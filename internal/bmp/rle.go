package bmp

import (
	"errors"
	"io"

	"superres/internal/safefile"
)

// Behind a byte 0 stand these, or else the number of pixels that follow as they are.
const (
	endOfLine = 0
	endOfAll  = 1
	delta     = 2 // two bytes follow: how far to go to the right, and how many rows on
)

// decodeRuns fills rows, which rows returns by their numbers in the file, from run-length codes. A run is its length
// and its pixel: an index, two indices of 4 bits in turn, or blue, green and red. What no code writes gets the first
// colour of the palette, or black. Pixels behind the end of a row are left out. A file may end without a code for it
// where all rows are there.
//
// Note: ImageMagick writes rows of a multiple of four pixels, in runs that begin behind the end of the row, too.
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
				var by [2]byte
				if err := d.read(by[:]); err != nil {
					return err
				}
				x, y = x+int64(by[0]), y+int64(by[1])
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

// readRun writes n pixels from x on into row: the one that follows in the file, or as many as follow if literal.
func (d *Decoder) readRun(row []byte, x, n int64, literal bool) error {
	var buffer [3*255 + 1]byte
	data := buffer[:max(1, d.depth/8)]
	if literal {
		data = buffer[:(n*d.depth+15)/16*2] // a literal has an even number of bytes
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
