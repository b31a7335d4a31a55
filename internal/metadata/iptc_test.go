package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// records is a keyword by IPTC.
const records = "\x1c\x02\x19\x00\x04lion"

// resources are resources of Photoshop: one with a name, then the records, of odd length.
const resources = "8BIM\x03\xed\x04name\x00\x00\x00\x00\x03abc\x00" + "8BIM\x04\x04\x00\x00\x00\x00\x00\x09" + records +
	"\x00"

// IPTC is read where programs put it, is written where JPEG, PNG and TIFF have it, and once there stays as it is. It is
// said to be lost where a format has no place for it.
func TestIPTC(t *testing.T) {
	const keyword = "Raw profile type iptc\x00"
	text := fmt.Sprintf("\nIPTC profile\n%8d\n%x\n%x\n", len(resources), resources[:36], resources[36:])
	plain := encoded(t, colours(), "png", imagefile.EncodeOptions{})
	jpeg := encoded(t, colours(), "jpeg", imagefile.EncodeOptions{})
	segment := "Photoshop 3.0\x00" + resources
	segment = "\xff\xed" + string(binary.BigEndian.AppendUint16(nil, uint16(2+len(segment)))) + segment
	swapped := []byte(records + "\x00\x00\x00")
	for b := swapped; len(b) > 0; b = b[4:] {
		b[0], b[1], b[2], b[3] = b[3], b[2], b[1], b[0]
	}
	page := func(tag uint32, value string) []byte {
		file := encoded(t, colours(), "tiff", imagefile.EncodeOptions{Metadata: metadata.Metadata{IPTC: []byte(value)}})
		return bytes.Replace(file, []byte{0xbb, 0x83}, []byte{byte(tag), byte(tag >> 8)}, 1)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"jpeg":      {append([]byte(jpeg[:2:2]), segment+string(jpeg[2:])...), records},
		"png, text": {imagetest.WithChunks(plain, imagetest.PNGChunk("tEXt", []byte(keyword+text))), records},
		"png, zipped text": {imagetest.WithChunks(plain, imagetest.PNGChunk("zTXt",
			append([]byte(keyword+"\x00"), packed([]byte(text))...))), records},
		"tiff":            {page(0x83bb, records), records},
		"tiff, resources": {page(0x8649, resources), records},
		"tiff, swapped":   {page(0x83bb, string(swapped)), records + "\x00\x00\x00"},
	} {
		p := decoded(t, c.data)
		if string(p.Metadata.IPTC) != c.want || len(p.Warnings) > 0 {
			t.Errorf("%s: %q, expected %q, %v", name, p.Metadata.IPTC, c.want, p.Warnings)
		}
		for _, out := range []string{"png", "jpeg", "tiff", "webp", "bmp"} {
			_, lost := p.Metadata.For(out, false)
			if out == "webp" || out == "bmp" {
				if strings.Join(lost, "; ") != "its IPTC block is left out: the output format has none" {
					t.Errorf("%s to %s: %q", name, out, lost)
				}
				continue
			}
			file := encoded(t, p.Image, out, imagefile.EncodeOptions{Metadata: p.Metadata})
			got := decoded(t, file)
			if string(got.Metadata.IPTC) != c.want || len(lost)+len(got.Warnings) > 0 {
				t.Errorf("%s to %s: %q, %v, %v", name, out, got.Metadata.IPTC, lost, got.Warnings)
			}
			if n := len(got.Metadata.Own); n != 1 && out != "tiff" {
				t.Errorf("%s to %s: IPTC is there %d times", name, out, n)
			}
			if out == "jpeg" && p.Format == "jpeg" && !bytes.Contains(file, []byte(segment)) {
				t.Errorf("%s: the segment has changed", name)
			}
		}
	}
}

// Damaged resources and records are left out, and never fail a picture.
func TestDamagedIPTC(t *testing.T) {
	jpeg := encoded(t, colours(), "jpeg", imagefile.EncodeOptions{})
	for n := range len(resources) {
		segment := "Photoshop 3.0\x00" + resources[:n]
		head := binary.BigEndian.AppendUint16([]byte(jpeg[:2:2]), 0xffed)
		data := append(binary.BigEndian.AppendUint16(head, uint16(2+len(segment))), segment+string(jpeg[2:])...)
		if got := decoded(t, data).Metadata.IPTC; got != nil && n < len(resources)-1 {
			t.Errorf("of %d bytes of resources: %q", n, got)
		}
	}
	opt := imagefile.EncodeOptions{Metadata: metadata.Metadata{IPTC: []byte("nonsense")}}
	file := encoded(t, colours(), "tiff", opt)
	got := decoded(t, file)
	if got.Metadata.IPTC != nil || strings.Join(got.Warnings, "") != "its IPTC block is damaged and left out" {
		t.Errorf("%q, %v", got.Metadata.IPTC, got.Warnings)
	}
}
