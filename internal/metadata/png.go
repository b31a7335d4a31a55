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
	colours := true // no IDAT yet; later chunks about colours have no effect
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

// chunk stores in r.m the metadata in body, the data of a chunk of a kind that holdsMetadata accepts.
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
			if b[8] == 1 { // the unit after two numbers of 4 bytes
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
// and the compressed profile. ok is false where the data are damaged or the profile exceeds MaxBlock.
func inflatedProfile(body Body) (_ content, ok bool) {
	start := body.Start(81) // the longest name, of 79 bytes, and two bytes after it
	i := bytes.IndexByte(start, 0)
	if i < 1 || i > 79 || len(start) < i+2 || start[i+1] != 0 {
		return content{}, false
	}
	return inflate(body.after(int64(i) + 2))
}

// xmpText returns the XMP packet in rest, the data of a chunk iTXt after its keyword: a byte that is 1 if the packet
// is compressed, the compression method, a language, a zero byte, a translated keyword, a zero byte, and the packet.
// ok is false where the packet begins after 4096 bytes, is damaged, or decompresses to more than MaxBlock bytes.
func xmpText(rest Body) (_ content, ok bool) {
	start := rest.Start(4096)
	if len(start) < 2 {
		return content{}, false
	}
	packed, at := start[0] == 1, 2
	for range 2 { // skips the language and the translated keyword
		i := bytes.IndexByte(start[at:], 0)
		if i < 0 {
			return content{}, false
		}
		at += i + 1
	}
	if rest = rest.after(int64(at)); packed {
		return inflate(rest)
	}
	return inOnePiece(rest), true
}

// pngChunks writes chunks with m and software, to be inserted after IHDR. header begins with the data of IHDR. A text
// Software in m.Own is left out if software replaces it.
func (m Metadata) pngChunks(w io.Writer, header []byte, software string) error {
	out := chunks{w: w}
	for _, p := range m.Own {
		if p.Kind == "sBIT" {
			p.Data = significantBits(p.Data, p.Depth, header)
		}
		if isColour(p.Kind) && p.Data != nil {
			out.add(p.Kind, p.Data)
		}
	}
	if m.ICC != nil {
		out.pack("iCCP", "ICC profile\x00\x00", pieceWriter(m.ICC)) // a name, and the compression method
	}
	if body, ok := m.Resolution.pHYs(); ok {
		out.add("pHYs", body)
	}
	if m.EXIF != nil {
		out.add("eXIf", m.EXIF)
	}
	if m.XMP != nil {
		out.add("iTXt", []byte(xmpKeyword+"\x00\x00\x00\x00\x00"), m.XMP) // uncompressed, without a language
	}
	if m.IPTC != nil {
		out.iptc(m.IPTC)
	}
	for _, p := range m.Own {
		if !isColour(p.Kind) && (software == "" || !bytes.HasPrefix(p.Data, []byte(softwareKeyword))) {
			out.add(p.Kind, p.Data)
		}
	}
	if software != "" {
		out.add("tEXt", []byte(softwareKeyword+software))
	}
	return out.err
}

// chunks writes chunks to w. It keeps the first error in err, and then writes nothing more.
type chunks struct {
	w   io.Writer
	err error
}

// add writes a chunk of the given kind with pieces, one after another, as its data.
func (c *chunks) add(kind string, pieces ...[]byte) {
	n := 0
	for _, b := range pieces {
		n += len(b)
	}
	c.chunk(kind, uint32(n), pieceWriter(pieces...))
}

// pack writes a chunk of the given kind. Its data are head and, compressed with zlib, the output of write. It calls
// write twice, the first time only to learn the compressed length.
func (c *chunks) pack(kind, head string, write func(io.Writer) error) {
	pack := func(w io.Writer) error {
		if _, err := io.WriteString(w, head); err != nil {
			return err
		}
		z := zlib.NewWriter(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
	var n Count
	_ = pack(&n) // counting cannot fail
	c.chunk(kind, uint32(n), pack)
}

// Count counts the bytes that are written to it.
type Count int64

// Write implements io.Writer.
func (n *Count) Write(p []byte) (int, error) {
	*n += Count(len(p))
	return len(p), nil
}

// chunk writes a chunk of the given kind, with n bytes of data that the function data writes.
func (c *chunks) chunk(kind string, n uint32, data func(io.Writer) error) {
	if c.err != nil {
		return
	}
	if _, c.err = c.w.Write(append(binary.BigEndian.AppendUint32(nil, n), kind...)); c.err != nil {
		return
	}
	sum := crc32.NewIEEE()
	_, _ = io.WriteString(sum, kind)
	if c.err = data(io.MultiWriter(c.w, sum)); c.err == nil {
		_, c.err = c.w.Write(sum.Sum(nil))
	}
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

// AppendChunk appends a chunk of a PNG with this kind and body to b, and returns the result.
func AppendChunk(b []byte, kind string, body []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(len(body)))
	start := len(b)
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[start:]))
}
