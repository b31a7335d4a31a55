package mutate

import "encoding/binary"

// gifFormat is GIF: a screen with its colours, extensions and images, each with blocks of data
// that begin with their length, and a trailer.
var gifFormat *format

func init() {
	gifFormat = &format{extension: ".gif", is: begins("GIF8"), split: splitGIF, join: joinRaw}
}

// colourBytes is the length in bytes of the colour table that flags announce.
func colourBytes(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

func splitGIF(data []byte) []part {
	const screen, descriptor = 13, 10
	if len(data) < screen || len(data) < screen+colourBytes(data[10]) {
		return nil
	}
	at := screen + colourBytes(data[10])
	parts := []part{{kind: "screen", body: data[:at:at], fields: fieldsOf(binary.LittleEndian, 6, 2, 8, 2, 10, 1,
		11, 1)}}
	for data = data[at:]; len(data) > 0; {
		p := part{}
		start := 0
		switch {
		case data[0] == ';':
			return append(parts, part{kind: "trailer", body: data})
		case data[0] == '!' && len(data) >= 2:
			p.kind, start = "extension", 2
			p.fields = fieldsOf(binary.LittleEndian, 1, 1, 3, 1, 4, 2, 6, 1)
		case data[0] == ',' && len(data) >= descriptor:
			p.kind, start = "image", descriptor+colourBytes(data[9])+1
			p.fields = fieldsOf(binary.LittleEndian, 1, 2, 3, 2, 5, 2, 7, 2, 9, 1, start-1, 1)
		default:
			return append(parts, part{kind: "rest", body: data})
		}
		for start < len(data) {
			n := int(data[start])
			p.fields = append(p.fields, field{start, 1, binary.LittleEndian})
			if start += 1 + n; n == 0 {
				break
			}
		}
		start = min(start, len(data))
		p.body = data[:start:start]
		parts, data = append(parts, p), data[start:]
	}
	return parts
}

// joinRaw puts parts together that are written as they are.
func joinRaw(parts []part) (out []byte) {
	for _, p := range parts {
		out = append(out, p.content()...)
	}
	return out
}
