package metadata

import "encoding/binary"

const (
	bmpResolution = 38 // where a BMP has its pixels per metre, two numbers of 4 bytes
	bmpHeader     = bmpResolution + 8
)

func (r *reader) bmp(data []byte) {
	if len(data) < bmpHeader || binary.LittleEndian.Uint32(data[14:]) < 40 {
		return
	}
	x, y := int32(binary.LittleEndian.Uint32(data[bmpResolution:])), int32(binary.LittleEndian.Uint32(data[bmpResolution+4:]))
	r.m.Resolution = Resolution{float64(x), float64(y), Metre}.sound()
}
