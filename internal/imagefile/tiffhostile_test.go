package imagefile

import (
	"bytes"
	"encoding/binary"
	"testing"

	"superres/internal/mutate"
)

// Where a TIFF ends that comes through a pipe is found in time and memory that its bytes bound:
// not when a thousand directories overlap, nor when the entries of one point to the same bytes.
func TestTIFFEndIsBounded(t *testing.T) {
	const size = 1 << 20
	entries := func(n int) []byte { // all of them are strips that fill the file
		data := append([]byte("II*\x00\x08\x00\x00\x00"), byte(n), byte(n>>8))
		for i := range n {
			e := binary.LittleEndian.AppendUint16(nil, uint16(273+6*(i%2)))
			e = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint16(e, 4), size/4)
			data = append(data, binary.LittleEndian.AppendUint32(e, 0)...)
		}
		data = append(data, 0, 0, 0, 0)
		return append(data, make([]byte, max(0, size-len(data)))...)
	}
	// Directories that begin every 4 bytes, each of 0x4040 entries, each linked to the next.
	overlapping := append([]byte("II*\x00\x08\x00\x00\x00"), bytes.Repeat([]byte{0x40}, size)...)
	const length = 2 + 12*0x4040
	for at := 8; at+length+8 < size; at += 4 {
		binary.LittleEndian.PutUint32(overlapping[at+length:], uint32(at+4))
		if at+4+2 > length { // the counts are no longer 0x4040
			break
		}
	}
	for name, data := range map[string][]byte{"entries": entries(0xffff), "overlapping": overlapping} {
		mutate.Guard(t, name, 64<<20, func() { endOfTIFF(data) })
	}
}
