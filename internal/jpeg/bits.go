package jpeg

import "encoding/binary"

// bits reads the bits of a scan, the highest bit of each byte first.
type bits struct {
	data []byte // the file
	at   int    // offset of the next byte to take; it never passes a marker
	// bitBuffer holds the next bits, from its highest bit down, and bitCount is how many of them come from data. After
	// the last bit before a marker come zeros. bitCount is below 0 once some of these zeros have been read.
	bitBuffer uint64
	bitCount  int
}

// enoughBits is the number of bits that suffice for a Huffman code and the number after it.
const enoughBits = invalidLength + 16

// fill takes bytes from data until bitBuffer has more than 56 bits, or a marker or the end of data follows.
func (r *bits) fill() {
	for r.bitCount <= 56 {
		if r.at+8 <= len(r.data) {
			next := binary.BigEndian.Uint64(r.data[r.at:])
			const ones, highs = 0x0101010101010101, 0x8080808080808080
			if (^next-ones)&next&highs == 0 { // no byte is 0xff, so next holds no marker
				r.bitBuffer |= next >> r.bitCount // and bits of the byte after those taken, which the next fill repeats
				taken := (64 - r.bitCount) / 8
				r.at += taken
				r.bitCount += 8 * taken
				return
			}
		}
		if r.at >= len(r.data) {
			return
		}
		b := r.data[r.at]
		end := r.at + 1
		if b == 0xff { // 0xff then 0 stands for the byte 0xff; 0xff then anything else is a marker
			for end < len(r.data) && r.data[end] == 0xff {
				end++
			}
			if end == len(r.data) || r.data[end] != 0 {
				return
			}
			end++
		}
		r.at = end
		r.bitBuffer |= uint64(b) << (56 - r.bitCount)
		r.bitCount += 8
	}
}

// bit returns the next bit.
func (r *bits) bit() uint64 {
	if r.bitCount < 1 {
		r.fill()
	}
	b := r.bitBuffer >> 63
	r.bitBuffer <<= 1
	r.bitCount--
	return b
}

// number returns the next n bits, at most 16.
func (r *bits) number(n uint) int {
	if r.bitCount < 16 {
		r.fill()
	}
	v := int(r.bitBuffer >> (64 - n))
	r.bitBuffer <<= n
	r.bitCount -= int(n)
	return v
}

// extend returns the signed number that the highest bits of acc encode (T.81, table F.1). size is the number of these
// bits, at most 16. If the first bit is 0, the number is negative.
func extend(acc uint64, size uint) int32 {
	v := int32(acc >> (64 - size))
	negative := int32(acc>>63) - 1 // if the first bit is 0, all bits set, else none
	return v + negative&(1-int32(1)<<size)
}
