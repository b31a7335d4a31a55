package imagefile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// orientation is the value of the EXIF tag of that name: how the stored rows
// and columns lie in the upright picture. 1 is upright; 5 to 8 swap the sides.
type orientation int

const upright orientation = 1

// jpegOrientation returns the orientation in the EXIF segment of a JPEG, or
// upright if there is none or it makes no sense.
func jpegOrientation(data []byte) orientation {
	o := upright
	segments(data, func(marker byte, payload []byte) bool {
		exif, ok := bytes.CutPrefix(payload, []byte("Exif\x00\x00"))
		if marker == markerApp1 && ok {
			o = exifOrientation(exif)
			return false
		}
		return marker != markerScan
	})
	return o
}

// exifOrientation reads the orientation from EXIF data, which is laid out as a
// TIFF file: byte order, offset of the first directory, its 12-byte entries.
func exifOrientation(b []byte) orientation {
	const (
		tagOrientation = 0x0112
		typeShort      = 3
		entryLength    = 12
	)
	order, ok := byteOrder(b)
	if !ok {
		return upright
	}
	start := uint64(order.Uint32(b[4:]))
	if start+2 > uint64(len(b)) {
		return upright
	}
	b = b[start:]
	n := int(order.Uint16(b))
	for b = b[2:]; n > 0 && len(b) >= entryLength; n, b = n-1, b[entryLength:] {
		if order.Uint16(b) != tagOrientation {
			continue
		}
		v := orientation(order.Uint16(b[8:]))
		if order.Uint16(b[2:]) != typeShort || v < 1 || v > 8 {
			return upright
		}
		return v
	}
	return upright
}

// byteOrder returns the byte order that a TIFF header declares; ok is false
// unless b starts with a whole header, 8 bytes.
func byteOrder(b []byte) (_ binary.ByteOrder, ok bool) {
	switch {
	case len(b) < 8:
		return nil, false
	case string(b[:4]) == "II*\x00":
		return binary.LittleEndian, true
	case string(b[:4]) == "MM\x00*":
		return binary.BigEndian, true
	}
	return nil, false
}

// turnsJPEG reports whether a JPEG lies on its side.
func turnsJPEG(data []byte) bool { return jpegOrientation(data) >= 5 }

// uprightJPEG turns a decoded JPEG by its EXIF orientation. Grey stays grey and
// CMYK stays CMYK; turned colour becomes *image.RGBA, since subsampled chroma
// cannot be turned without moving it against the luma.
func uprightJPEG(img image.Image, data []byte) image.Image {
	o := jpegOrientation(data)
	if o == upright {
		return img
	}
	b := img.Bounds()
	turned := b
	if o >= 5 {
		turned.Max.X, turned.Max.Y = b.Max.Y, b.Max.X
	}
	switch src := img.(type) {
	case *image.Gray:
		dst := image.NewGray(turned)
		turn(dst.Pix, dst.Stride, 1, b, o, func(y int) []byte { return src.Pix[src.PixOffset(0, y):] })
		return dst
	case *image.CMYK:
		dst := image.NewCMYK(turned)
		turn(dst.Pix, dst.Stride, 4, b, o, func(y int) []byte { return src.Pix[src.PixOffset(0, y):] })
		return dst
	}
	dst := image.NewRGBA(turned)
	row := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	turn(dst.Pix, dst.Stride, 4, b, o, func(y int) []byte {
		draw.Draw(row, row.Bounds(), img, image.Pt(0, y), draw.Src)
		return row.Pix
	})
	return dst
}

// turn copies the picture of bounds b, whose row y is at the start of row(y),
// into dst by orientation o, which is not upright. A pixel has size bytes; dst
// has the given stride and just the room for the turned picture.
//
// With source pixel (x, y) going to dst[start + x·right + y·down], each of the
// seven orientations is one choice of the three.
func turn(dst []byte, stride, size int, b image.Rectangle, o orientation, row func(y int) []byte) {
	w, h := b.Dx(), b.Dy()
	lastX, lastY := (w-1)*size, (h-1)*stride // of dst, where the sides are kept
	if o >= 5 {
		lastX, lastY = (h-1)*size, (w-1)*stride
	}
	var start, right, down int
	switch o {
	case 2:
		start, right, down = lastX, -size, stride
	case 3:
		start, right, down = lastX+lastY, -size, -stride
	case 4:
		start, right, down = lastY, size, -stride
	case 5:
		start, right, down = 0, stride, size
	case 6:
		start, right, down = lastX, stride, -size
	case 7:
		start, right, down = lastX+lastY, -stride, -size
	case 8:
		start, right, down = lastY, -stride, size
	}
	for y := range h {
		src, at := row(y), start+y*down
		for x := range w {
			copy(dst[at:at+size], src[x*size:])
			at += right
		}
	}
}
