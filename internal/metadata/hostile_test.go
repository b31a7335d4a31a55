package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// Numbers that lead elsewhere cost the map or the film, with a word, and never the picture.
func TestHostileAppended(t *testing.T) {
	picture, gainMap := photo(t), smallMap(t)
	turned := imagetest.WithExif(picture, 6, binary.BigEndian)
	const (
		noMap     = "its gain map is not where the file says, and left out"
		noFilm    = "its film is not where the file says, and left out"
		noPicture = "the rest of its file is left out: a picture that is not where the file says"
	)
	front := func(segments ...[]byte) []byte {
		return slices.Concat(picture[:2], bytes.Join(segments, nil), picture[2:], gainMap)
	}
	directory := func(kind, length string) []byte {
		return imagetest.XMPSegment(`hdrgm:Version="1.0"`, imagetest.Directory(false, 0, kind, length))
	}
	index := func(offset, length uint32) []byte {
		return imagetest.MPF(0, [3]uint32{0, length, offset})
	}
	iso := imagetest.JPEGSegment(0xe2, []byte("urn:iso:std:iso:ts:21496:-1\x00\x00\x00\x00\x00")...)
	huge := slices.Concat(gainMap[:2], imagetest.JPEGFrame(0xc0, 65535, 65535)[2:], gainMap[2:])
	circle := imagetest.MPF(0, [3]uint32{0, 9, 9})
	binary.LittleEndian.PutUint32(circle[4+4+2+3*12+8:], 8) // the next directory is the first
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"promised, and nothing there": {front(directory("GainMap", "0")), noMap},
		"too long":                    {front(directory("GainMap", "99999999")), noMap},
		"not a number":                {front(directory("GainMap", "many")), noMap},
		"below zero":                  {front(directory("GainMap", "-5")), noMap},
		"beyond 64 bits":              {front(directory("GainMap", "99999999999999999999")), noMap},
		"within the picture":          {front(index(2, 50), iso), noPicture},
		"behind the file":             {front(index(1<<31, 50), iso), noPicture},
		"of all the file":             {front(index(4, 1<<32-1)), noPicture},
		"no index":                    {front(imagetest.JPEGSegment(0xe2, []byte("MPF\x00nonsense")...), iso), noMap},
		"a circle":                    {front(circle, iso), noMap},
		"no film":                     {front(directory("MotionPhoto", "100")), noFilm},
		"a film in the picture": {front(imagetest.XMPSegment(fmt.Sprintf(`GCamera:MicroVideoOffset="%d"`,
			len(gainMap)+9), "")), noFilm},
		"no packet": {front(imagetest.JPEGSegment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+
			`<x xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" <`)...), iso), noMap},
		"a huge map": {imagetest.Behind{Picture: turned, GainMap: huge, XMP: true, MPF: true}.Bytes(),
			"its gain map is larger than the picture and left out"},
		"a cut map": {imagetest.Behind{Picture: turned, GainMap: gainMap[:len(gainMap)-30], XMP: true}.Bytes(),
			"its gain map is damaged and left out"},
		"a trailer of nothing": {append(front(), "\xff\xff\xff\xffSEFT"...), ""},
		"a trailer of blocks before the file": {slices.Concat(front(), []byte("SEFH\x6b\x00\x00\x00\x01\x00\x00\x00"+
			"\x00\x00\x30\x0a\xff\xff\xff\xff\x01\x00\x00\x00\x18\x00\x00\x00SEFT")), ""},
	} {
		outline := metadata.Look("jpeg", bytes.NewReader(c.data))
		if outline.Bytes > 1<<20 {
			t.Errorf("%s: %d bytes are announced", name, outline.Bytes)
		}
		file, warnings := doubled(t, c.data, "jpeg")
		if !strings.Contains(strings.Join(warnings, "; "), c.want) || c.want == "" && len(warnings) > 0 {
			t.Errorf("%s: %q, want %q", name, warnings, c.want)
		}
		if c.want != "" && (bytes.Contains(file, []byte("hdrgm:Version")) || bytes.Contains(file, []byte("MPF\x00")) ||
			bytes.Contains(file, []byte("urn:iso")) || bytes.Contains(file, []byte("GCamera:M"))) {
			t.Errorf("%s: the result promises a map: %q", name, file[:300])
		}
	}
}
