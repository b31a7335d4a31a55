package metadata

import (
	"encoding/binary"
	"math"
)

// container says how files of one format hold metadata.
type container struct {
	// read reads the metadata of a file into a reader. It is nil for formats that have none.
	read func(*reader, Source)
	// maxEXIF, maxXMP, maxICC and maxIPTC are the largest sizes in bytes of blocks that a file can hold; 0 means that
	// it holds no such block.
	maxEXIF, maxXMP, maxICC, maxIPTC int
	// colourOnly says that the encoder writes grey pictures as colour pictures.
	colourOnly bool
	// splice returns head, the first need bytes of a file of the given length, with m and software inserted. It is nil
	// for formats that are not written, and for TIFF, WebP and AVIF, which are laid out by Metadata.TIFF, Metadata.WebP
	// and Metadata.AVIF.
	splice func(m Metadata, head []byte, software string, length int64) []byte
	need   int
}

// containers holds the formats by name. Other formats have no metadata.
var containers = map[string]container{
	"png": {
		read: (*reader).png, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, maxIPTC: math.MaxInt,
		splice: Metadata.pngChunks, need: pngHeader,
	},
	"jpeg": {
		read:    (*reader).jpeg,
		maxEXIF: mostSegment - len(exifPrefix), maxXMP: mostSegment - len(xmpPrefix), maxICC: 255 * mostProfile,
		maxIPTC: mostSegment - len(photoshopPrefix) - resourceHeader - 1,
		splice:  Metadata.jpegSegments, need: startOfPicture,
	},
	"webp": {read: (*reader).webp, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, colourOnly: true},
	"tiff": {
		read: (*reader).tiff, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt, maxIPTC: math.MaxInt,
	},
	"bmp":  {read: (*reader).bmp, splice: spliceBMP, need: bmpHeader},
	"avif": {read: (*reader).avif, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt}, // HEIC as well
	"jxl":  {read: (*reader).jxl},
}

const (
	bmpResolution = 38 // offset in a BMP of the pixels per metre across and down, 4 bytes each
	bmpHeader     = bmpResolution + 8

	// Offsets in a BMP with the longest header, BITMAPV5HEADER: of the header's length, of the kind of colour space,
	// and of the offset (from the header) and the length of the ICC profile.
	bmpLength        = 14
	bmpColourSpace   = 14 + 56
	bmpProfile       = 14 + 112
	bmpProfileHeader = bmpProfile + 8
)

// bmp reads the resolution and the ICC profile of the BMP in src into r.m.
func (r *reader) bmp(src Source) {
	start := int64(bmpLength) // offset of the header; a file without "BM" begins with its header
	if string(newWindow(src).bytes(0, 2)) != "BM" {
		start = 0
	}
	head := newWindow(src).bytes(start, bmpHeader-bmpLength)
	if head == nil || binary.LittleEndian.Uint32(head) < 40 {
		return
	}
	const embedded = "DEBM" // PROFILE_EMBEDDED, the number 'MBED', low byte first
	if long := newWindow(src).bytes(start, bmpProfileHeader-bmpLength); long != nil && long[0] == 124 &&
		string(long[bmpColourSpace-bmpLength:][:4]) == embedded {
		at := start + int64(binary.LittleEndian.Uint32(long[bmpProfile-bmpLength:]))
		size := int64(binary.LittleEndian.Uint32(long[bmpProfile-bmpLength+4:]))
		if size <= src.Size()-at {
			r.icc(contentOf(Piece(src, at, size)))
		} else {
			r.drop("ICC profile", "damaged")
		}
	}
	per := head[bmpResolution-bmpLength:]
	x, y := int32(binary.LittleEndian.Uint32(per)), int32(binary.LittleEndian.Uint32(per[4:]))
	r.m.Resolution = Resolution{float64(x), float64(y), Metre}.validated()
}

// spliceBMP returns head, the header of a BMP, with the resolution of m unless perMetre fails.
func spliceBMP(m Metadata, head []byte, _ string, _ int64) []byte {
	if x, y, ok := m.Resolution.perMetre(); ok {
		binary.LittleEndian.PutUint32(head[bmpResolution:], x)
		binary.LittleEndian.PutUint32(head[bmpResolution+4:], y)
	}
	return head
}
