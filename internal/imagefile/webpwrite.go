package imagefile

import (
	"image"
	"io"
	"sync"

	"superres/internal/vp8l"
)

// encodeWebP writes img, which is of a type that adapt returns, losslessly, with its metadata. Colour under full
// transparency is kept.
func encodeWebP(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := rasterOf(img, false, false)
	stream := vp8l.New(vp8l.Picture{Width: r.width, Height: r.height, Alpha: r.kind == pngRGBA, Row: r.readARGB()})
	return opt.Metadata.WebP(opt.Software, r.width, r.height, r.kind == pngRGBA, stream.Size()).Write(w, stream.Write)
}

// readARGB returns a function that fills dst with row y, as vp8l.Picture has it. r has samples of one byte.
func (r *raster) readARGB() func(dst []uint32, y int) {
	const opaque = 0xff << 24
	rows := sync.Pool{New: func() any {
		row := make([]byte, r.rowBytes())
		return &row
	}}
	var colours [256]uint32
	if r.kind == pngPalette {
		list, _ := r.paletteBytes() // all are opaque
		for i := 0; len(list) > 0; i, list = i+1, list[3:] {
			colours[i] = opaque | uint32(list[0])<<16 | uint32(list[1])<<8 | uint32(list[2])
		}
	}
	return func(dst []uint32, y int) {
		buffer := rows.Get().(*[]byte)
		defer rows.Put(buffer)
		row := *buffer
		r.read(row, y)
		switch r.kind {
		case pngGrey:
			for i, v := range row {
				dst[i] = opaque | uint32(v)*0x010101
			}
		case pngPalette:
			for i, v := range row {
				dst[i] = colours[v]
			}
		case pngRGB:
			for i := range dst {
				p := row[3*i:][:3]
				dst[i] = opaque | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
			}
		default:
			for i := range dst {
				p := row[4*i:][:4]
				dst[i] = uint32(p[3])<<24 | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
			}
		}
	}
}
