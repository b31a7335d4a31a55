package mutate

import "encoding/binary"

// webpFormat is WebP: a header with the length of the file, and chunks of kind, length and body.
// riffFormat is a list of chunks alone, as in the frames of an animation.
var webpFormat, riffFormat *format

func init() {
	riffFormat = &format{split: splitRIFF, join: joinRIFF}
	webpFormat = &format{extension: ".webp", split: splitWebP, join: joinWebP, is: func(data []byte) bool {
		return len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
	}}
}

// webpFields are the numbers in chunks. Lossless pixels have their sides in 14 bits each.
var webpFields = map[string][]field{
	"VP8X": fieldsOf(binary.LittleEndian, 0, 1, 4, 3, 7, 3),
	"ANIM": fieldsOf(binary.LittleEndian, 0, 4, 4, 2),
	"ANMF": fieldsOf(binary.LittleEndian, 0, 3, 3, 3, 6, 3, 9, 3, 12, 3, 15, 1),
	"VP8 ": fieldsOf(binary.LittleEndian, 0, 3, 6, 2, 8, 2, 10, 1, 11, 1),
	"VP8L": fieldsOf(binary.LittleEndian, 0, 1, 1, 4, 5, 1, 6, 1),
	"ALPH": fieldsOf(binary.LittleEndian, 0, 1, 1, 1),
}

func splitWebP(data []byte) []part {
	header := part{kind: "RIFF", body: data[:12:12], fields: fieldsOf(binary.LittleEndian, 4, 4)}
	return append([]part{header}, splitRIFF(data[12:])...)
}

func splitRIFF(data []byte) (parts []part) {
	for len(data) >= 8 {
		n := int64(binary.LittleEndian.Uint32(data[4:]))
		if n > int64(len(data))-8 {
			break
		}
		p := part{kind: string(data[:4]), body: data[8 : 8+n : 8+n], fields: webpFields[string(data[:4])]}
		data = data[min(8+n+n%2, int64(len(data))):]
		const frameHead = 16
		if p.kind == "ANMF" && n >= frameHead {
			p.inner, p.parts, p.body = riffFormat, splitRIFF(p.body[frameHead:]), p.body[:frameHead:frameHead]
		}
		if p.kind == "EXIF" && tiffFormat.is(p.body) {
			p.inner, p.parts, p.body = tiffFormat, splitTIFF(p.body), nil
		}
		parts = append(parts, p)
	}
	return parts
}

func joinRIFF(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		if p.kind == "RIFF" {
			out = append(out, body...)
			continue
		}
		n := uint32(len(body))
		if p.lie != nil {
			n = *p.lie
		}
		out = binary.LittleEndian.AppendUint32(append(out, p.kind...), n)
		if out = append(out, body...); len(body)%2 > 0 {
			out = append(out, 0)
		}
	}
	return out
}

func joinWebP(parts []part) []byte {
	out := joinRIFF(parts)
	for _, p := range parts {
		if p.kind != "RIFF" || p.touched || len(out) < 12 {
			continue
		}
		n := uint32(len(out) - 8)
		if p.lie != nil {
			n = *p.lie
		}
		if string(out[:4]) == "RIFF" {
			binary.LittleEndian.PutUint32(out[4:], n)
		}
	}
	return out
}
