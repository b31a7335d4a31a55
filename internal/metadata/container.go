package metadata

import (
	"encoding/binary"
	"io"
	"math"
)

// container says how files of one format hold metadata.
type container struct {
	read func(*reader, Source) // reads the metadata of a file into a reader; nil: the format has none
	// maxEXIF, maxXMP, maxICC and maxIPTC are the largest sizes in bytes of blocks that a file can hold; 0: none.
	maxEXIF, maxXMP, maxICC, maxIPTC int
	colourOnly                       bool // the encoder writes grey pictures as colour pictures
	// splice returns a splicer that inserts m and software into a file of the given length while an encoder writes it,
	// or nil if there is nothing to insert. The field is nil for formats that are not written, and for TIFF, WebP and
	// AVIF, which are laid out by Metadata.TIFF, Metadata.WebP and Metadata.AVIF.
	splice func(m Metadata, software string, length int64) *splicer
}

// containers holds the formats by name. Other formats have no metadata.
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
	"avif": {read: (*reader).avif, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt}, // HEIC as well
	"jxl":  {read: (*reader).jxl},
}

const (
	bmpResolution = 38                // offset in a BMP of the pixels per metre across and down, 4 bytes each
	bmpHeader     = bmpResolution + 8 // where they end

	// Offsets in a BMP with the longest header, BITMAPV5HEADER: of the header's length, of the kind of colour space,
	// and of the offset (from the header) and the length of the ICC profile.
	bmpLength        = 14
	bmpColourSpace   = 14 + 56
	bmpProfile       = 14 + 112
	bmpProfileHeader = bmpProfile + 8 // where these two numbers end
)

// bmp reads the resolution and the ICC profile of the BMP in src into r.m.
func (r *reader) bmp(src Source) {
	start := int64(bmpLength) // offset of the header; a file without "BM" begins with its header
	if string(newWindow(src).bytes(0, 2)) != "BM" {
		start = 0
	}
	// head and long begin with the header, so offsets that count from the start of the file lessen by bmpLength.
	head := newWindow(src).bytes(start, bmpHeader-bmpLength)
	if head == nil || binary.LittleEndian.Uint32(head) < 40 {
		return // an old header, with neither resolution nor profile
	}
	const embedded = "DEBM" // PROFILE_EMBEDDED, the number 'MBED', low byte first
	const v5Length = 124    // of a BITMAPV5HEADER
	if long := newWindow(src).bytes(start, bmpProfileHeader-bmpLength); long != nil && long[0] == v5Length &&
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

// spliceBMP returns a splicer that sets the resolution in the header of a BMP, or nil where perMetre fails.
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
