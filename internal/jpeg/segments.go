package jpeg

import (
	"encoding/binary"
	"io"

	"superres/internal/quantiser"
)

// Markers, ITU-T T.81 table B.1: the byte after 0xff.
const (
	markerBaseline    = 0xc0
	markerSequential  = 0xc1
	markerProgressive = 0xc2
	markerLossless    = 0xc3
	markerHuffman     = 0xc4
	markerArithmetic  = 0xc9
	markerProgArith   = 0xca
	markerConditions  = 0xcc // for arithmetic coding
	markerRestart0    = 0xd0
	markerRestart7    = 0xd7
	markerStart       = 0xd8
	markerEnd         = 0xd9
	markerScan        = 0xda
	markerQuantiser   = 0xdb
	markerLines       = 0xdc // DNL, the height where the frame header has none
	markerInterval    = 0xdd
	markerApp0        = 0xe0
	markerApp14       = 0xee
	markerApp15       = 0xef
	markerComment     = 0xfe
	markerTemporary   = 0x01
)

// find returns the next marker at or after the offset at, the offset after the marker, and the number of bytes skipped
// before the marker. end is 0 where the file has no further marker. 0xff then 0 is no marker, but coded pixels.
func (r *bits) find(at int) (marker byte, end, skipped int) {
	for ; at < len(r.data); at++ {
		if r.data[at] != 0xff {
			skipped++
			continue
		}
		for at < len(r.data) && r.data[at] == 0xff { // any number of 0xff may begin a marker
			at++
		}
		if at < len(r.data) && r.data[at] != 0 {
			return r.data[at], at + 1, skipped
		}
		skipped += 2
	}
	return 0, 0, skipped
}

// segment returns the next marker and the payload of its segment, which is empty for an end marker. At the start of the
// file it requires the start marker and skips it. It adds bytes between segments to d.surplus.
func (d *decoder) segment() (marker byte, payload []byte, err error) {
	if d.at == 0 {
		if len(d.data) < 2 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		if d.data[0] != 0xff || d.data[1] != markerStart {
			return 0, nil, FormatError("no start marker")
		}
		d.at = 2
	}
	for {
		marker, end, skipped := d.find(d.at)
		if end == 0 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		d.at = end
		d.surplus += skipped
		if marker == markerEnd {
			return marker, nil, nil
		}
		if isRestart(marker) || marker == markerTemporary {
			continue // these markers have no length
		}
		if marker < markerBaseline || marker == markerStart {
			return 0, nil, FormatError("a marker that is none")
		}
		if len(d.data)-end < 2 {
			return 0, nil, io.ErrUnexpectedEOF
		}
		n := int(binary.BigEndian.Uint16(d.data[end:])) // includes its own 2 bytes
		if n < 2 {
			return 0, nil, FormatError("a segment of impossible length")
		}
		if n > len(d.data)-end {
			return 0, nil, io.ErrUnexpectedEOF
		}
		d.at = end + n
		return marker, d.data[end+2 : end+n], nil
	}
}

// read reads a segment and, after the header of a scan, decodes the scan. It ignores comments and the data of programs,
// but for JFIF and Adobe, and refuses segments of kinds of JPEG that are not read.
func (d *decoder) read(marker byte, payload []byte) error {
	switch marker {
	case markerBaseline, markerSequential, markerProgressive:
		return d.readFrame(marker, payload)
	case markerHuffman:
		return d.readCodes(payload)
	case markerQuantiser:
		return d.readQuantisers(payload)
	case markerInterval:
		if len(payload) < 2 {
			return FormatError("a restart interval that is cut")
		}
		d.interval = int(binary.BigEndian.Uint16(payload))
	case markerScan:
		return d.readScan(payload)
	case markerApp0:
		d.hasJFIF = d.hasJFIF || len(payload) >= 14 && string(payload[:5]) == "JFIF\x00"
	case markerApp14:
		if len(payload) >= 12 && string(payload[:5]) == "Adobe" {
			d.hasAdobe, d.adobeTransform = true, payload[11]
		}
	case markerLines: // readFrame has read the height already
	default:
		if markerApp0 <= marker && marker <= markerApp15 || marker == markerComment {
			return nil
		}
		return unsupportedMarker(marker)
	}
	return nil
}

// unsupportedMarker returns the error for a marker that is not read, most often of another kind of JPEG.
func unsupportedMarker(marker byte) error {
	switch {
	case marker == markerLossless:
		return UnsupportedError("lossless coding")
	case marker == markerArithmetic, marker == markerProgArith, marker == markerConditions:
		return UnsupportedError("arithmetic coding")
	case marker == 0xcb:
		return UnsupportedError("lossless arithmetic coding")
	case marker > markerLossless && marker < markerRestart0 && marker != 0xc8: // 0xc8 is reserved
		return UnsupportedError("hierarchical coding")
	}
	return UnsupportedError("an extension of the format")
}

// readTables sets the tables and the restart interval of d from Options.Tables, and skips other segments there.
func (d *decoder) readTables() error {
	if d.opt.Tables == nil {
		return nil
	}
	tables := &decoder{bits: bits{data: d.opt.Tables}}
	for {
		marker, payload, err := tables.segment()
		switch {
		case err != nil:
			return err
		case marker == markerEnd:
			d.quantisers, d.dc, d.ac, d.interval = tables.quantisers, tables.dc, tables.ac, tables.interval
			return nil
		case marker == markerHuffman, marker == markerQuantiser, marker == markerInterval:
			if err := tables.read(marker, payload); err != nil {
				return err
			}
		}
	}
}

// readQuantisers sets quantisation tables of d from payload: for each, its number, and 64 steps of one or two bytes.
func (d *decoder) readQuantisers(payload []byte) error {
	for len(payload) > 0 {
		wide, number := int(payload[0]>>4), payload[0]&15
		size := 1 + 64*(1+wide)
		if wide > 1 || number > 3 || len(payload) < size {
			return FormatError("a wrong quantisation table")
		}
		table := new([64]int32)
		for i, at := range quantiser.Zigzag {
			if wide == 1 {
				table[at] = int32(binary.BigEndian.Uint16(payload[1+2*i:]))
			} else {
				table[at] = int32(payload[1+i])
			}
		}
		d.quantisers[number] = table
		payload = payload[size:]
	}
	return nil
}
