package mutate

import (
	"encoding/binary"
	"hash/crc32"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngFormat is PNG and APNG: a signature, and chunks of length, kind, body and checksum.
var pngFormat *format

func init() {
	pngFormat = &format{extension: ".png", is: begins(pngSignature), split: splitPNG, join: joinPNG, settle: settlePNG}
}

// pngFields are the numbers in chunks.
var pngFields = map[string][]field{
	"IHDR": fieldsOf(binary.BigEndian, 0, 4, 4, 4, 8, 1, 9, 1, 10, 1, 11, 1, 12, 1),
	"acTL": fieldsOf(binary.BigEndian, 0, 4, 4, 4),
	"fcTL": fieldsOf(binary.BigEndian, 0, 4, 4, 4, 8, 4, 12, 4, 16, 4, 20, 2, 22, 2, 24, 1, 25, 1),
	"fdAT": fieldsOf(binary.BigEndian, 0, 4, 4, 1, 5, 1),
	"IDAT": fieldsOf(binary.BigEndian, 0, 1, 1, 1),
	"pHYs": fieldsOf(binary.BigEndian, 0, 4, 4, 4, 8, 1),
	"gAMA": fieldsOf(binary.BigEndian, 0, 4),
	"tRNS": fieldsOf(binary.BigEndian, 0, 2, 2, 2),
}

func splitPNG(data []byte) []part {
	parts := []part{{kind: "signature", body: data[:len(pngSignature)]}}
	for data = data[len(pngSignature):]; len(data) >= 12; {
		n := int64(binary.BigEndian.Uint32(data))
		if n > int64(len(data))-12 {
			break
		}
		kind := string(data[4:8])
		p := part{kind: kind, body: data[8 : 8+n : 8+n], fields: pngFields[kind]}
		if kind == "eXIf" && tiffFormat.is(p.body) {
			p.body, p.inner, p.parts = nil, tiffFormat, splitTIFF(p.body)
		}
		parts = append(parts, p)
		data = data[12+n:]
	}
	return parts
}

func joinPNG(parts []part) []byte {
	var out []byte
	for _, p := range parts {
		body := p.content()
		if p.kind == "signature" {
			out = append(out, body...)
			continue
		}
		n := uint32(len(body))
		if p.lie != nil {
			n = *p.lie
		}
		out = binary.BigEndian.AppendUint32(out, n)
		at := len(out)
		out = append(append(out, p.kind...), body...)
		sum := crc32.ChecksumIEEE(out[at:])
		if p.spoiled {
			sum ^= 1
		}
		out = binary.BigEndian.AppendUint32(out, sum)
	}
	return out
}

// settlePNG numbers the chunks of an animation in the order in which they are.
func settlePNG(parts []part) {
	number := uint32(0)
	for i := range parts {
		if p := &parts[i]; (p.kind == "fcTL" || p.kind == "fdAT") && len(p.body) >= 4 {
			p.body = append(binary.BigEndian.AppendUint32(nil, number), p.body[4:]...)
			number++
		}
	}
}
