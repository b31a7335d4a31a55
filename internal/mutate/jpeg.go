package mutate

import (
	"encoding/binary"
	"fmt"
)

// jpegFormat is JPEG: segments of marker, length and body, and the bits of scans behind theirs.
var jpegFormat *format

func init() {
	jpegFormat = &format{extension: ".jpg", is: begins("\xff\xd8\xff"), split: splitJPEG, join: joinJPEG}
}

// jpegFields are the numbers in segments, by their kind; those of frames are in isFrame.
var jpegFields = map[string][]field{
	"DA": fieldsOf(binary.BigEndian, 0, 1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1),
	"C4": fieldsOf(binary.BigEndian, 0, 1, 1, 1, 2, 1, 3, 1, 8, 1, 16, 1, 17, 1),
	"DB": fieldsOf(binary.BigEndian, 0, 1, 1, 1, 2, 1, 64, 1),
	"DD": fieldsOf(binary.BigEndian, 0, 2),
	"E0": fieldsOf(binary.BigEndian, 7, 1, 8, 2, 10, 2, 12, 1, 13, 1),
	"E2": fieldsOf(binary.BigEndian, 12, 1, 13, 1, 14, 4),
	"EE": fieldsOf(binary.BigEndian, 5, 2, 11, 1),
}

// frameFields are the numbers of the segment of a frame: depth, sides, and three components.
var frameFields = fieldsOf(binary.BigEndian, 0, 1, 1, 2, 3, 2, 5, 1, 6, 1, 7, 1, 8, 1, 9, 1, 10, 1, 12, 1, 13, 1)

func splitJPEG(data []byte) (parts []part) {
	for len(data) >= 2 && data[0] == 0xff {
		marker := data[1]
		kind := fmt.Sprintf("%02X", marker)
		if marker == 0xd8 || marker == 0xd9 || marker >= 0xd0 && marker <= 0xd7 || marker == 1 || marker == 0xff {
			parts = append(parts, part{kind: kind})
			data = data[2:]
			continue
		}
		if len(data) < 4 {
			break
		}
		n := int(binary.BigEndian.Uint16(data[2:]))
		if n < 2 || n > len(data)-2 {
			break
		}
		p := part{kind: kind, body: data[4 : 2+n : 2+n], fields: jpegFields[kind]}
		const exif = "Exif\x00\x00"
		switch {
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xcc:
			p.fields = frameFields
		case marker == 0xe1 && begins(exif)(p.body) && tiffFormat.is(p.body[len(exif):]):
			p.inner, p.parts, p.body = tiffFormat, splitTIFF(p.body[len(exif):]), p.body[:len(exif):len(exif)]
		}
		parts = append(parts, p)
		data = data[2+n:]
		if marker != 0xda {
			continue
		}
		end := 0
		for end+1 < len(data) && (data[end] != 0xff || data[end+1] == 0 || data[end+1] >= 0xd0 && data[end+1] <= 0xd7) {
			end++
		}
		if end+1 >= len(data) {
			end = len(data)
		}
		parts = append(parts, part{kind: "bits", body: data[:end:end]})
		data = data[end:]
	}
	if len(data) > 0 {
		parts = append(parts, part{kind: "bits", body: data})
	}
	return parts
}

func joinJPEG(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		var marker byte
		if _, err := fmt.Sscanf(p.kind, "%02X", &marker); err != nil || len(p.kind) != 2 {
			out = append(out, body...)
			continue
		}
		out = append(out, 0xff, marker)
		if marker == 0xd8 || marker == 0xd9 || marker >= 0xd0 && marker <= 0xd7 || marker == 1 || marker == 0xff {
			continue
		}
		n := uint16(len(body) + 2)
		if p.lie != nil {
			n = uint16(*p.lie)
		}
		out = append(binary.BigEndian.AppendUint16(out, n), body...)
	}
	return out
}
