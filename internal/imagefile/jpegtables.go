package imagefile

import (
	"superres/internal/jpeg"
	"superres/internal/quantiser"
)

// huffmanTable is a standard table with the code, and the length of the code in bits, that the table gives each value.
type huffmanTable struct {
	jpeg.Table
	code   [256]uint16
	length [256]byte
}

// huffman holds a pair of tables for luma and a pair for chroma: the first of a pair is for the first coefficient of a
// block (DC), the second for the other coefficients (AC).
var huffman = [2][2]huffmanTable{
	{newHuffmanTable(jpeg.Standard[0][0]), newHuffmanTable(jpeg.Standard[0][1])},
	{newHuffmanTable(jpeg.Standard[1][0]), newHuffmanTable(jpeg.Standard[1][1])},
}

// newHuffmanTable adds codes to table: each is the previous code plus 1, with zero bits appended if codes get longer.
func newHuffmanTable(table jpeg.Table) huffmanTable {
	t := huffmanTable{Table: table}
	code, i := uint16(0), 0
	for n, ofLength := range t.Count { // ofLength codes have n+1 bits
		for range ofLength {
			t.code[t.Values[i]], t.length[t.Values[i]] = code, byte(n+1)
			code, i = code+1, i+1
		}
		code <<= 1
	}
	return t
}

// jpegTables are the quantisation tables of a file, for luma and for chroma.
type jpegTables struct {
	table [2][64]int32 // divisors of the coefficients, in zigzag order
	steps [2][64]int32 // the same table, in the units of the coefficients from transform: times 2^coefficientBits
}

// newJPEGTables returns the tables that the Independent JPEG Group defines for a quality.
func newJPEGTables(quality int) *jpegTables {
	e := &jpegTables{}
	for t, table := range [2][64]int{quantiser.Brightness, quantiser.Colour} {
		for i, at := range quantiser.Zigzag {
			e.table[t][i] = int32(quantiser.Scale(table[at], quality))
			e.steps[t][i] = e.table[t][i] << coefficientBits // in the units of transform
		}
	}
	return e
}

// header returns the bytes of a file before its first block, for w×h pixels with the given number of components.
func (e *jpegTables) header(w, h, components int) []byte {
	out := []byte{0xff, 0xd8} // the start marker
	segment := func(marker byte, payload ...byte) {
		n := len(payload) + 2
		out = append(append(out, 0xff, marker, byte(n>>8), byte(n)), payload...)
	}
	const tables, codesOf, baseline, restarts, scanHead = 0xdb, 0xc4, 0xc0, 0xdd, 0xda // markers
	kinds := min(components, 2)                                                        // of tables: luma, chroma
	for t := range kinds {
		payload := []byte{byte(t)}
		for _, v := range e.table[t] {
			payload = append(payload, byte(v))
		}
		segment(tables, payload...)
	}
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), byte(components)}
	scan := []byte{byte(components)}
	for c := range components {
		t := byte(min(c, 1))
		frame = append(frame, byte(c+1), 0x11, t) // sampling factors 1 and 1
		scan = append(scan, byte(c+1), t<<4|t)
	}
	segment(baseline, frame...)
	for t := range kinds {
		for class := range 2 {
			codes := &huffman[t][class]
			segment(codesOf, append(append([]byte{byte(class<<4 | t)}, codes.Count[:]...), codes.Values...)...)
		}
	}
	interval := (w + 7) / 8 // blocks between restarts
	segment(restarts, byte(interval>>8), byte(interval))
	segment(scanHead, append(scan, 0, 63, 0)...) // with all 64 coefficients
	return out
}
