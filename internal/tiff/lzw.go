package tiff

import "io"

// lzwRows are rows in the compression LZW (TIFF 6.0, section 13): codes of 9 to 12 bits, the highest bit first, which
// get longer one code before they have to. Files of before 1990 have the lowest bit first, and get longer when they
// have to; their first code, which is always the same, tells them apart, as in libtiff.
type lzwRows struct {
	data  []byte
	at    int // in data
	old   bool
	bits  uint32 // that were read and are not used, at the low end
	count uint   // of them
	width uint   // of the next code

	free   int // the next free entry of the table
	last   int // the code before; -1: none since the table was emptied
	ended  bool
	rest   []byte // of a string, what did not fit into a row
	prefix [4096]uint16
	suffix [4096]byte
	first  [4096]byte
	length [4096]uint16
	memory [4096]byte
}

const (
	lzwClear = 256
	lzwEnd   = 257
	lzwFirst = 258
	lzwMost  = 4096
)

// reset returns l as the rows of data.
func (l *lzwRows) reset(data []byte) *lzwRows {
	l.data, l.at, l.bits, l.count, l.rest, l.ended = data, 0, 0, 0, nil, false
	l.old = len(data) > 1 && data[0] == 0 && data[1]&1 == 1
	for i := range 256 {
		l.suffix[i], l.first[i], l.length[i] = byte(i), byte(i), 1
	}
	l.resetTable()
	return l
}

func (l *lzwRows) resetTable() { l.width, l.free, l.last = 9, lzwFirst, -1 }

// readCode returns the next code, or lzwEnd at the end of the data.
func (l *lzwRows) readCode() int {
	for l.count < l.width {
		if l.at == len(l.data) {
			return lzwEnd
		}
		b := uint32(l.data[l.at])
		l.at++
		if l.old {
			l.bits |= b << l.count
		} else {
			l.bits = l.bits<<8 | b
		}
		l.count += 8
	}
	l.count -= l.width
	if l.old {
		c := l.bits & (1<<l.width - 1)
		l.bits >>= l.width
		return int(c)
	}
	return int(l.bits >> l.count & (1<<l.width - 1))
}

func (l *lzwRows) next(row []byte) error {
	for len(row) > 0 {
		if len(l.rest) > 0 {
			n := copy(row, l.rest)
			row, l.rest = row[n:], l.rest[n:]
			continue
		}
		if l.ended {
			return io.ErrUnexpectedEOF
		}
		c := l.readCode()
		switch {
		case c == lzwEnd:
			l.ended = true
			continue
		case c == lzwClear:
			l.resetTable()
			continue
		case c > l.free || c >= lzwFirst && l.last < 0 || c == l.free && c == lzwMost:
			return FormatError("LZW has a code that it has not defined")
		}
		if l.last >= 0 && l.free < lzwMost {
			l.prefix[l.free], l.first[l.free] = uint16(l.last), l.first[l.last]
			l.length[l.free] = l.length[l.last] + 1
			l.suffix[l.free] = l.first[c] // of the code itself where that is this entry, which was set just now
			l.free++
			early := 1
			if l.old {
				early = 0
			}
			if l.free+early >= 1<<l.width && l.width < 12 {
				l.width++
			}
		}
		l.last = c
		n := int(l.length[c])
		to := row
		if n > len(row) {
			to = l.memory[:n]
		}
		for i := n - 1; i >= 0; i-- {
			to[i] = l.suffix[c]
			c = int(l.prefix[c])
		}
		if n > len(row) {
			l.rest = to[:n]
		} else {
			row = row[n:]
		}
	}
	return nil
}
