package metadata

import (
	"encoding/binary"
	"io"
	"math"
)

// container says how the files of one format carry metadata.
type container struct {
	// read reads the metadata of a file into a reader. nil: files of the format have none.
	read func(*reader, Source)
	// maxEXIF, maxXMP, maxICC and maxIPTC are the largest blocks that a file can carry, in bytes; 0: none at all.
	maxEXIF, maxXMP, maxICC, maxIPTC int
	// colourOnly: grey pictures are written in colour, too; false: in grey.
	colourOnly bool
	// splice returns a splicer that puts m and software into the file of length bytes that an encoder writes, or nil
	// where both are empty. nil: the format is not written, or is TIFF, WebP or AVIF: Metadata.TIFF, Metadata.WebP and
	// Metadata.AVIF lay these out.
	splice func(m Metadata, software string, length int64) *splicer
}

// containers has the formats by their names. Files of other formats have no metadata.
var containers = map[string]container{
	"png": {
		read: (*reader).png, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, maxIPTC: math.MaxInt,
		splice: func(m Metadata, software string, _ int64) *splicer {
			s := &splicer{need: pngHeader}
			s.insert = func(w io.Writer) error { return m.pngChunks(w, s.held[pngHeader-headerBody-4:], software) }
			return s
		},
	},
	"jpeg": {
		read:    (*reader).jpeg,
		maxEXIF: mostSegment - len(exifPrefix), maxXMP: mostSegment - len(xmpPrefix), maxICC: 255 * mostProfile,
		maxIPTC: mostSegment - len(photoshopPrefix) - resourceHeader - 1,
		splice: func(m Metadata, software string, length int64) *splicer {
			return &splicer{need: startOfPicture, insert: func(w io.Writer) error {
				return m.jpegSegments(w, software, length)
			}}
		},
	},
	"webp": {read: (*reader).webp, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, colourOnly: true},
	"tiff": {
		read: (*reader).tiff, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, maxIPTC: math.MaxInt,
	},
	"bmp":  {read: (*reader).bmp, splice: spliceBMP},
	"avif": {read: (*reader).avif, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt}, // and HEIC
	"jxl":  {read: (*reader).jxl},
}

const (
	bmpResolution = 38 // offset in a BMP of the pixels per metre, two numbers of 4 bytes
	bmpHeader     = bmpResolution + 8

	// Offsets in a BMP with the last header, BITMAPV5HEADER, of its length, the kind of colour space, and the offset,
	// from the header on, and the length of the ICC profile.
	bmpLength        = 14
	bmpColourSpace   = 14 + 56
	bmpProfile       = 14 + 112
	bmpProfileHeader = bmpProfile + 8
)

// bmp reads the resolution and the ICC profile of the BMP in src.
func (r *reader) bmp(src Source) {
	start := int64(bmpLength) // of the header that the offsets are of; a bare bitmap begins with it
	if string(newWindow(src).bytes(0, 2)) != "BM" {
		start = 0
	}
	head := newWindow(src).bytes(start, bmpHeader-bmpLength)
	if head == nil || binary.LittleEndian.Uint32(head) < 40 {
		return
	}
	const embedded = "DEBM" // PROFILE_EMBEDDED, 'MBED' as a number
	if long := newWindow(src).bytes(start, bmpProfileHeader-bmpLength); long != nil && long[0] == 124 &&
		string(long[bmpColourSpace-bmpLength:][:4]) == embedded {
		at := start + int64(binary.LittleEndian.Uint32(long[bmpProfile-bmpLength:]))
		size := int64(binary.LittleEndian.Uint32(long[bmpProfile-bmpLength+4:]))
		if size <= src.Size()-at {
			r.icc(inOnePiece(Piece(src, at, size)))
		} else {
			r.drop("ICC profile", "damaged")
		}
	}
	per := head[bmpResolution-bmpLength:]
	x, y := int32(binary.LittleEndian.Uint32(per)), int32(binary.LittleEndian.Uint32(per[4:]))
	r.m.Resolution = Resolution{float64(x), float64(y), Metre}.validated()
}

// spliceBMP returns a splicer that sets the resolution in the header of a BMP, or nil where m has none.
func spliceBMP(m Metadata, _ string, _ int64) *splicer {
	x, y, ok := m.Resolution.perMetre()
	if !ok {
		return nil
	}
	return &splicer{need: bmpHeader, edit: func(b []byte) {
		binary.LittleEndian.PutUint32(b[bmpResolution:], x)
		binary.LittleEndian.PutUint32(b[bmpResolution+4:], y)
	}}
}
