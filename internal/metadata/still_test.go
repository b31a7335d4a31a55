package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"superres/internal/must"
)

// boxOf returns a box of ISO media.
func boxOf(kind string, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), []byte(kind), body)
}

// Of a file of several pictures the primary one is taken, wherever it is among them, and a line says how many there
// are, without hidden ones, tiles, small copies and what belongs to others.
func TestPicturesOfHEIC(t *testing.T) {
	item := func(id byte, kind string, hidden byte) []byte {
		return boxOf("infe", []byte{2, 0, 0, hidden, 0, id, 0, 0}, []byte(kind+"\x00"))
	}
	hvcC := make([]byte, 23)
	hvcC[16], hvcC[17] = 0xfc, 0xf8|2 // grey, 10 bits
	file := slices.Concat(boxOf("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), boxOf("meta", make([]byte, 4),
		boxOf("pitm", []byte{0, 0, 0, 0, 0, 7}),
		boxOf("iinf", []byte{0, 0, 0, 0, 0, 7}, item(9, "hvc1", 0), item(7, "hvc1", 0), item(1, "hvc1", 1),
			item(2, "grid", 0), item(3, "hvc1", 0), item(4, "hvc1", 0), item(5, "Exif", 0), item(6, "hvc1", 0)),
		boxOf("iref", make([]byte, 4), boxOf("thmb", []byte{0, 4, 0, 1, 0, 2}), boxOf("dimg", []byte{0, 2, 0, 1, 0, 3}),
			boxOf("auxl", []byte{0, 6, 0, 1, 0, 7})),
		boxOf("iprp", boxOf("ipco", boxOf("ispe", []byte{0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 10}), boxOf("hvcC", hvcC),
			boxOf("auxC", make([]byte, 4), []byte("urn:mpeg:hevc:2015:auxid:2\x00"))),
			boxOf("ipma", []byte{0, 0, 0, 0, 0, 0, 0, 2, 0, 7, 2, 1, 2, 0, 6, 1, 3}))))
	s := must.Get(ReadStill(bytes.NewReader(file)))(t)
	if s.Place != 3 || s.Depth != 10 || !s.Grey || s.Width != 20 || s.Height != 10 || s.HasAlpha {
		t.Errorf("%+v", s)
	}
	_, warnings := Read("avif", bytes.NewReader(file))
	want := "[its depth map is left out its file has 3 pictures, of which the primary one alone is taken]"
	if fmt.Sprint(warnings) != want {
		t.Errorf("%v, want %v", warnings, want)
	}
}
