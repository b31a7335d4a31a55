package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
)

const (
	pngHeader  = 8 + 25 // the signature and the chunk IHDR
	chunkFrame = 12     // length, kind and checksum around a chunk's data
	xmpKeyword = "XML:com.adobe.xmp"
)

// Chunks calls visit with the place, the kind and the data of each chunk of the
// PNG in data that is whole, until a visit returns false.
func Chunks(data []byte, visit func(at int, kind string, body []byte) bool) {
	for p := uint64(8); p+chunkFrame <= uint64(len(data)); {
		n := uint64(binary.BigEndian.Uint32(data[p:]))
		if p+chunkFrame+n > uint64(len(data)) || !visit(int(p), string(data[p+4:p+8]), data[p+8:p+8+n]) {
			return
		}
		p += chunkFrame + n
	}
}

// WithoutDamagedChunks returns a PNG without those of its chunks that say nothing
// about its pixels and have a wrong checksum, and how many they were: the decoder
// would refuse the picture for them.
func WithoutDamagedChunks(data []byte) ([]byte, int) {
	var kept []byte
	from, n := 0, 0
	Chunks(data, func(at int, kind string, body []byte) bool {
		end := at + chunkFrame + len(body)
		optional := kind[0]&0x20 != 0 && kind != "tRNS"
		if optional && crc32.ChecksumIEEE(data[at+4:end-4]) != binary.BigEndian.Uint32(data[end-4:]) {
			kept = append(kept, data[from:at]...)
			from, n = end, n+1
		}
		return true
	})
	if n == 0 {
		return data, 0
	}
	return append(kept, data[from:]...), n
}

func (r *reader) png(data []byte) {
	colours := true
	Chunks(data, func(_ int, kind string, body []byte) bool {
		switch kind {
		case "IDAT":
			colours = false
		case "iCCP":
			if r.seen["icc"] {
				break // before it is unpacked: that is what takes time
			}
			if profile, ok := inflatedProfile(body); ok {
				r.icc(profile)
			} else if r.first("icc") {
				r.drop("ICC profile", "damaged or too large")
			}
		case "eXIf":
			r.exif(body)
		case "iTXt":
			text, ok := bytes.CutPrefix(body, []byte(xmpKeyword+"\x00"))
			if !ok {
				r.own(Part{Kind: kind, Data: body})
			}
			if !ok || r.seen["xmp"] {
				break
			}
			if packet, ok := xmpText(text); ok {
				r.xmp(packet)
			} else if r.first("xmp") {
				r.drop("XMP packet", "damaged or too large")
			}
		case "pHYs":
			if len(body) == 9 && r.first("pHYs") {
				unit := Ratio
				if body[8] == 1 {
					unit = Metre
				}
				r.m.Resolution = Resolution{float64(binary.BigEndian.Uint32(body)), float64(binary.BigEndian.Uint32(body[4:])), unit}.sound()
			}
		case "gAMA", "cHRM", "sRGB", "cICP":
			length := map[string]int{"gAMA": 4, "cHRM": 32, "sRGB": 1, "cICP": 4}[kind]
			if colours && len(body) == length && r.first(kind) {
				r.own(Part{Kind: kind, Data: body})
			}
		case "tEXt", "zTXt":
			r.own(Part{Kind: kind, Data: body})
		}
		return true
	})
}

// inflatedProfile returns the profile in a chunk iCCP: a name, a zero, the method
// of compression, the compressed profile.
func inflatedProfile(body []byte) (_ []byte, ok bool) {
	i := bytes.IndexByte(body, 0)
	if i < 1 || i > 79 || len(body) < i+2 || body[i+1] != 0 {
		return nil, false
	}
	return inflated(body[i+2:])
}

func inflated(packed []byte) (_ []byte, ok bool) {
	z, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, false
	}
	b, err := io.ReadAll(io.LimitReader(z, MaxBlock+1))
	return b, err == nil && len(b) <= MaxBlock
}

// xmpText returns the packet in what follows the keyword in a chunk iTXt: is it
// compressed, by which method, a language, a zero, a translated keyword, a zero,
// the text.
func xmpText(rest []byte) (_ []byte, ok bool) {
	if len(rest) < 2 {
		return nil, false
	}
	packed := rest[0] == 1
	_, rest, ok = bytes.Cut(rest[2:], []byte{0})
	if !ok {
		return nil, false
	}
	_, rest, ok = bytes.Cut(rest, []byte{0})
	if !ok {
		return nil, false
	}
	if packed {
		return inflated(rest)
	}
	return rest, true
}

// pngChunks are the chunks to put behind IHDR.
func (m Metadata) pngChunks(software string) []byte {
	var b []byte
	for _, p := range m.Own {
		if isColour(p.Kind) {
			b = AppendChunk(b, p.Kind, p.Data)
		}
	}
	if m.ICC != nil {
		var packed bytes.Buffer
		packed.WriteString("ICC profile\x00\x00")
		z := zlib.NewWriter(&packed)
		_, _ = z.Write(m.ICC) // into memory
		_ = z.Close()
		b = AppendChunk(b, "iCCP", packed.Bytes())
	}
	if body, ok := m.Resolution.pHYs(); ok {
		b = AppendChunk(b, "pHYs", body)
	}
	if m.EXIF != nil {
		b = AppendChunk(b, "eXIf", m.EXIF)
	}
	if m.XMP != nil {
		b = AppendChunk(b, "iTXt", append([]byte(xmpKeyword+"\x00\x00\x00\x00\x00"), m.XMP...))
	}
	const softwareKeyword = "Software\x00"
	for _, p := range m.Own {
		if !isColour(p.Kind) && (software == "" || !bytes.HasPrefix(p.Data, []byte(softwareKeyword))) {
			b = AppendChunk(b, p.Kind, p.Data)
		}
	}
	if software != "" {
		b = AppendChunk(b, "tEXt", []byte(softwareKeyword+software))
	}
	return b
}

// isColour reports whether a kind of chunk says what a PNG's colours mean.
func isColour(kind string) bool {
	switch kind {
	case "gAMA", "cHRM", "sRGB", "cICP":
		return true
	}
	return false
}

// pHYs is the body of the chunk of that name.
func (r Resolution) pHYs() ([]byte, bool) {
	unit := byte(1)
	x, y, ok := r.perMetre()
	if r.Unit == Ratio {
		unit = 0
		x, y, ok = whole(r.X, r.Y, math.MaxInt32)
	}
	if !ok {
		return nil, false
	}
	return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, x), y), unit), true
}

// AppendChunk appends a chunk of a PNG.
func AppendChunk(b []byte, kind string, body []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	start := len(b)
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}
