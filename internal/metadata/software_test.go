package metadata

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// A record of what made a file is found where it is written, and nowhere else.
func TestSoftwareBegins(t *testing.T) {
	const text = "superres 1.0; model photo"
	png := func(kind, data string) []byte {
		file := []byte("\x89PNG\r\n\x1a\n")
		file = AppendChunk(file, "IHDR", make([]byte, headerBody))
		file = AppendChunk(file, "tEXt", []byte("Comment\x00hello"))
		file = AppendChunk(file, kind, []byte(data))
		return AppendChunk(file, "IDAT", nil)
	}
	jpeg := func(marker byte, data string) []byte {
		file := []byte{0xff, 0xd8, 0xff, markerApp0, 0, 4, 1, 2, 0xff, markerComment, 0, 4, 'h', 'i', 0xff, marker}
		file = binary.BigEndian.AppendUint16(file, uint16(2+len(data)))
		return append(append(file, data...), 0xff, markerScan, 0, 2, 1, 2, 3, 0xff, markerEnd)
	}
	tiff := func(tag uint16) []byte {
		file := binary.LittleEndian.AppendUint32([]byte("II*\x00"), 8)
		file = append(file, 1, 0)
		file = binary.LittleEndian.AppendUint16(file, tag)
		file = append(file, 2, 0, byte(len(text)+1), 0, 0, 0, 26, 0, 0, 0) // ASCII, behind the directory
		return append(append(file, 0, 0, 0, 0), text+"\x00"...)
	}
	gif := func(label byte) []byte {
		file := append([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00\x21"), label, byte(len(text)))
		return append(append(file, text...), 0, GIFImage)
	}
	for _, c := range []struct {
		what, format string
		file         []byte
		want         bool
	}{
		{"PNG", "png", png("tEXt", "Software\x00"+text), true},
		{"PNG with another keyword", "png", png("tEXt", "Title\x00"+text), false},
		{"PNG with another kind of text", "png", png("zTXt", "Software\x00"+text), false},
		{"PNG of another program", "png", png("tEXt", "Software\x00GIMP"), false},
		{"JPEG", "jpeg", jpeg(markerComment, text), true},
		{"JPEG with another segment", "jpeg", jpeg(0xe5, text), false},
		{"TIFF", "tiff", tiff(tagSoftware), true},
		{"TIFF with another tag", "tiff", tiff(0x010e), false},
		{"GIF", "gif", gif(0xfe), true},
		{"GIF with another extension", "gif", gif(0xff), false},
		{"BMP", "bmp", []byte("BM" + text), false},
	} {
		for n := range c.file { // wherever the file is cut, nothing breaks
			SoftwareBegins(c.format, bytes.NewReader(c.file[:n]), "superres ")
		}
		if got := SoftwareBegins(c.format, bytes.NewReader(c.file), "superres "); got != c.want {
			t.Errorf("%s: %v, expected %v", c.what, got, c.want)
		}
	}
}
