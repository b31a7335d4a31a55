package metadata

import (
	"encoding/binary"
	"io"
	"math"
)

// container is how the files of one format carry metadata.
type container struct {
	// read visits the metadata of a file; nil: there are none.
	read func(*reader, Source)
	// maxEXIF, maxXMP and maxICC are the largest blocks that a file can carry, in bytes; 0: none at all.
	maxEXIF, maxXMP, maxICC int
	// splice returns what puts metadata into a file on its way, or nil where there is nothing to put;
	// nil: the format is not written, or is a TIFF, which is laid out by the method of that name.
	splice func(m Metadata, software string) *splicer
}

// containers are the formats by their names. Files of others have no metadata.
var containers = map[string]container{
	"png": {
		read: (*reader).png, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt,
		splice: func(m Metadata, software string) *splicer {
			return &splicer{need: pngHeader, insert: func(w io.Writer) error { return m.pngChunks(w, software) }}
		},
	},
	"jpeg": {
		read:    (*reader).jpeg,
		maxEXIF: mostSegment - len(exifPrefix), maxXMP: mostSegment - len(xmpPrefix), maxICC: 255 * mostProfile,
		splice: func(m Metadata, software string) *splicer {
			return &splicer{need: startOfPicture, insert: func(w io.Writer) error {
				return m.jpegSegments(w, software)
			}}
		},
	},
	"webp": {read: (*reader).webp},
	"tiff": {read: (*reader).tiff, maxEXIF: math.MaxInt, maxXMP: math.MaxInt, maxICC: math.MaxInt},
	"bmp":  {read: (*reader).bmp, splice: spliceBMP},
}

const (
	bmpResolution = 38 // where a BMP has its pixels per metre, two numbers of 4 bytes
	bmpHeader     = bmpResolution + 8
)

// bmp visits the resolution of a BMP.
func (r *reader) bmp(src Source) {
	head := newWindow(src).bytes(0, bmpHeader)
	if head == nil || binary.LittleEndian.Uint32(head[14:]) < 40 {
		return
	}
	x, y := int32(binary.LittleEndian.Uint32(head[bmpResolution:])), int32(
		binary.LittleEndian.Uint32(head[bmpResolution+4:]))
	r.m.Resolution = Resolution{float64(x), float64(y), Metre}.validated()
}

// spliceBMP sets the resolution in the header of a BMP.
func spliceBMP(m Metadata, _ string) *splicer {
	x, y, ok := m.Resolution.perMetre()
	if !ok {
		return nil
	}
	return &splicer{need: bmpHeader, edit: func(b []byte) {
		binary.LittleEndian.PutUint32(b[bmpResolution:], x)
		binary.LittleEndian.PutUint32(b[bmpResolution+4:], y)
	}}
}
