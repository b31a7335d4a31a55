package tiff

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// undoPredictor turns the differences in a row of a block back into samples. Each integer is stored minus the sample of
// the pixel to the left (TIFF 6.0, section 14). In floating point (Adobe Photoshop TIFF Technical Note 3), the row
// holds the highest bytes of all samples, then the next, and each byte is stored minus the byte of the pixel before.
func (d *decoder) undoPredictor(row []byte) {
	switch d.predictor {
	case 2:
		d.undoDifferences(row)
	case 3:
		d.undoBytes(row)
	}
}

// undoDifferences adds to each integer in row the integer of the same channel in the pixel to the left.
func (d *decoder) undoDifferences(row []byte) {
	n := d.inBlock() // samples of a pixel
	switch d.bits {
	case 8:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 16:
		if d.order == binary.ByteOrder(binary.LittleEndian) { // through the interface the whole work takes 8 % longer
			for i := 2 * n; i+1 < len(row); i += 2 {
				binary.LittleEndian.PutUint16(row[i:], binary.LittleEndian.Uint16(row[i:])+
					binary.LittleEndian.Uint16(row[i-2*n:]))
			}
			return
		}
		for i := 2 * n; i+1 < len(row); i += 2 {
			binary.BigEndian.PutUint16(row[i:], binary.BigEndian.Uint16(row[i:])+binary.BigEndian.Uint16(row[i-2*n:]))
		}
	case 32:
		for i := 4 * n; i+3 < len(row); i += 4 {
			d.order.PutUint32(row[i:], d.order.Uint32(row[i:])+d.order.Uint32(row[i-4*n:]))
		}
	case 64:
		for i := 8 * n; i+7 < len(row); i += 8 {
			d.order.PutUint64(row[i:], d.order.Uint64(row[i:])+d.order.Uint64(row[i-8*n:]))
		}
	}
}

// undoBytes undoes the differences of bytes in row, and gathers the bytes of each floating-point sample, in d.order.
func (d *decoder) undoBytes(row []byte) {
	n, size := d.inBlock(), d.bits/8
	for i := n; i < len(row); i++ {
		row[i] += row[i-n]
	}
	parts, count := bytes.Clone(row), len(row)/size // all highest bytes, then all next ones …; how many of each
	for i := range count {
		sample := row[i*size:][:size]
		for k := range sample {
			sample[k] = parts[k*count+i]
		}
		if d.order == binary.ByteOrder(binary.LittleEndian) {
			slices.Reverse(sample)
		}
	}
}
