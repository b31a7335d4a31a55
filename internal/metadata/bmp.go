package metadata

import "encoding/binary"

const (
	bmpResolution = 38 // where a BMP has its pixels per metre, two numbers of 4 bytes
	bmpHeader     = bmpResolution + 8
)

func (r *reader) bmp(src Source) {
	head := newWindow(src).bytes(0, bmpHeader)
	if head == nil || binary.LittleEndian.Uint32(head[14:]) < 40 {
		return
	}
	x, y := int32(binary.LittleEndian.Uint32(head[bmpResolution:])), int32(binary.LittleEndian.Uint32(head[bmpResolution+4:]))
	r.m.Resolution = Resolution{float64(x), float64(y), Metre}.sound()
}
