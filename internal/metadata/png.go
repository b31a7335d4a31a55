package metadata

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"math"
)

const (
	pngSignature  = 8                                      // bytes
	headerBody    = 13                                     // bytes of data in IHDR
	animationBody = 8                                      // bytes of data in acTL
	chunkFrame    = 12                                     // bytes for length, kind and checksum around a chunk's data
	pngHeader     = pngSignature + chunkFrame + headerBody // bytes up to the end of the chunk IHDR
	xmpKeyword    = "XML:com.adobe.xmp"

	softwareKeyword = "Software\x00" // with the zero byte after it
)

// png reads the metadata in the chunks of the PNG in src into r.m.
func (r *reader) png(src Source) {
	colours := true
	var header []byte
	_ = Chunks(src, func(c Chunk) bool { // metadata after a damaged chunk is left out
		switch kind := string(c.Kind); {
		case kind == "IHDR":
			header = c.Bytes()
		case kind == "IDAT":
			colours = false
		case isColour(kind) && colours || holdsMetadata(kind):
			if !c.hasChecksum() {
				if r.isFirst("sum") {
					r.warn("has chunks of metadata that are damaged and left out")
				}
			} else if isColour(kind) {
				r.colourChunk(kind, c.Body, header)
			} else {
				r.chunk(kind, c.Body)
			}
		}
		return string(c.Kind) != "IEND"
	})
}

// holdsMetadata reports whether reader.chunk reads this kind of chunk.
func holdsMetadata(kind string) bool {
	switch kind {
	case "iCCP", "eXIf", "iTXt", "tEXt", "zTXt", "pHYs":
		return true
	}
	return false
}

// chunk stores in r.m the metadata in body, the data of a chunk of a kind that isAbout accepts.
func (r *reader) chunk(kind string, body Body) {
	switch kind {
	case "iCCP":
		if r.seen["icc"] {
			break // a second profile is ignored; decompressing it would take time
		}
		if profile, ok := inflatedProfile(body); ok {
			r.icc(profile)
		} else if r.isFirst("icc") {
			r.drop("ICC profile", "damaged or too large")
		}
	case "eXIf":
		r.exif(body)
	case "iTXt":
		if !body.begins(xmpKeyword + "\x00") {
			r.keepPart(Part{Kind: kind}, body)
			break
		}
		if r.seen["xmp"] {
			break
		}
		if packet, ok := xmpText(body.after(int64(len(xmpKeyword)) + 1)); ok {
			r.xmp(packet)
		} else if r.isFirst("xmp") {
			r.drop("XMP packet", "damaged or too large")
		}
	case "pHYs":
		if b := body.Bytes(); body.Len == 9 && r.isFirst("pHYs") {
			unit := Ratio
			if b[8] == 1 {
				unit = Metre
			}
			r.m.Resolution = Resolution{float64(binary.BigEndian.Uint32(b)), float64(binary.BigEndian.Uint32(b[4:])),
				unit}.validated()
		}
	case "tEXt", "zTXt":
		r.iptcText(kind, body)
		r.keepPart(Part{Kind: kind}, body)
	}
}

// inflatedProfile returns the profile in body, the data of a chunk iCCP: a name, a zero byte, the compression method,
// and the compressed profile. ok is false where the data are damaged.
func inflatedProfile(body Body) (_ content, ok bool) {
	start := body.Start(81)
	i := bytes.IndexByte(start, 0)
	if i < 1 || i > 79 || len(start) < i+2 || start[i+1] != 0 {
		return content{}, false
	}
	return inflate(body.after(int64(i) + 2))
}

// xmpText returns the XMP packet in rest, the data of a chunk iTXt after its keyword: a byte that is 1 if the packet
// is compressed, the compression method, a language, a zero byte, a translated keyword, a zero byte, and the packet.
func xmpText(rest Body) (_ content, ok bool) {
	const most = 4096 // bytes in which the packet must begin
	start := rest.Start(most)
	if len(start) < 2 {
		return content{}, false
	}
	packed, at := start[0] == 1, 2
	for range 2 {
		i := bytes.IndexByte(start[at:], 0)
		if i < 0 {
			return content{}, false
		}
		at += i + 1
	}
	if rest = rest.after(int64(at)); packed {
		return inflate(rest)
	}
	return contentOf(rest), true
}

// pngChunks returns head, a PNG up to the end of the chunk IHDR, with chunks for m and software after it.
func (m Metadata) pngChunks(head []byte, software string, _ int64) []byte {
	header := head[pngHeader-headerBody-4:]
	for _, p := range m.Own {
		if p.Kind == "sBIT" {
			p.Data = significantBits(p.Data, p.Depth, header)
		}
		if isColour(p.Kind) && p.Data != nil {
			head = AppendChunk(head, p.Kind, p.Data)
		}
	}
	if m.ICC != nil {
		head = AppendChunk(head, "iCCP", deflated("ICC profile\x00\x00", m.ICC))
	}
	if body, ok := m.Resolution.pHYs(); ok {
		head = AppendChunk(head, "pHYs", body)
	}
	if m.EXIF != nil {
		head = AppendChunk(head, "eXIf", m.EXIF)
	}
	if m.XMP != nil {
		head = AppendChunk(head, "iTXt", []byte(xmpKeyword+"\x00\x00\x00\x00\x00"), m.XMP)
	}
	if m.IPTC != nil {
		head = AppendChunk(head, "zTXt", deflated(iptcKeyword+"\x00", iptcProfile(m.IPTC)))
	}
	for _, p := range m.Own {
		if !isColour(p.Kind) && (software == "" || !bytes.HasPrefix(p.Data, []byte(softwareKeyword))) {
			head = AppendChunk(head, p.Kind, p.Data)
		}
	}
	if software != "" {
		head = AppendChunk(head, "tEXt", []byte(softwareKeyword+software))
	}
	return head
}

// deflated returns start, followed by data compressed with zlib.
func deflated(start string, data []byte) []byte {
	b := bytes.NewBufferString(start)
	z := zlib.NewWriter(b) // writing to memory cannot fail
	_, _ = z.Write(data)
	_ = z.Close()
	return b.Bytes()
}

// pHYs returns r as the data of a chunk pHYs. The second result is false where that chunk cannot hold r.
func (r Resolution) pHYs() ([]byte, bool) {
	unit := byte(1)
	x, y, ok := r.perMetre()
	if r.Unit == Ratio {
		unit = 0
		x, y, ok = roundPair(r.X, r.Y, math.MaxInt32)
	}
	if !ok {
		return nil, false
	}
	return append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, x), y), unit), true
}

// AppendChunk appends a chunk of a PNG to b, with pieces, one after another, as its data, and returns the result.
func AppendChunk(b []byte, kind string, pieces ...[]byte) []byte {
	start := len(b)
	b = append(append(b, 0, 0, 0, 0), kind...)
	for _, data := range pieces {
		b = append(b, data...)
	}
	binary.BigEndian.PutUint32(b[start:], uint32(len(b)-start-8))
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start+4:]))
}
