package mutate

import (
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
)

// part is a piece of a file.
type part struct {
	kind string // the name of the kind of part in the format, such as IDAT
	// body is the content without length and checksum. It may share the memory of the file: do not change it there.
	body      []byte
	inner     *format // the format of parts, which lie inside this part, after body; nil: no parts
	parts     []part
	lie       *uint32 // the wrong length to write; nil: the right length
	isSpoiled bool    // write a wrong checksum; false: the right one
}

func (p part) clone() part {
	p.parts = slices.Clone(p.parts)
	for i := range p.parts {
		p.parts[i] = p.parts[i].clone()
	}
	return p
}

// content returns body, followed by the parts inside p.
func (p part) content() []byte {
	if p.inner == nil {
		return p.body
	}
	return slices.Concat(p.body, p.inner.join(p.parts))
}

// length returns the length to write for p: *p.lie or, if p.lie is nil, the correct length, right.
func (p part) length(right int) uint32 {
	if p.lie != nil {
		return *p.lie
	}
	return uint32(right)
}

// format says how files of a kind are divided into parts and put together.
type format struct {
	is func(data []byte) bool // reports whether data begins like a file of the format
	// split returns the parts of a file. It leaves out bytes after the last part that is complete.
	split        func(data []byte) []part
	join         func([]part) []byte // puts the parts of split together again
	settle       func([]part)        // corrects fields that depend on other parts, such as sequence numbers; or nil
	littleEndian bool                // numbers have the low byte first; false: the high byte
	// hasLengths: join writes the length of each part. hasNoKinds: join does not write the kinds of parts.
	hasLengths, hasNoKinds bool
	inside                 map[string]nest // for each kind of part that contains parts, a description of these

	// splitChunks and joinChunks use the fields below. A part in a file is: its length plus counted, in 4 bytes; its
	// kind (before the length if kindFirst); its body; a checksum of kind and body, if hasSum; and a byte after a body
	// of odd length, if padded. The part called head is only a body of headBytes bytes, at the beginning of a file.
	head                      string
	headBytes                 int
	counted                   int64
	kindFirst, hasSum, padded bool
}

// nest says that a part contains other parts. behind is their offset in the body of the part. They have the given
// format or, if format is nil, are the parts of a whole file of a known format.
type nest struct {
	behind int
	format *format
}

// part returns a part with the given kind and body. It splits the body, from offset n.behind on, if parts of this
// kind contain other parts: of n.format or, if that is nil, of the format that the bytes there begin with.
func (f *format) part(kind string, body []byte) part {
	n, has := f.inside[kind]
	if !has || n.behind > len(body) {
		return part{kind: kind, body: body}
	}
	if n.format == nil {
		n.format = formatOf(body[n.behind:])
	}
	if n.format == nil {
		return part{kind: kind, body: body}
	}
	return part{kind: kind, body: body[:n.behind], inner: n.format, parts: n.format.split(body[n.behind:])}
}

// number returns the low 32 bits of the number in b, of 1, 2, 4 or 8 bytes in the byte order of f.
func (f *format) number(b []byte) (v uint32) {
	for i := range b {
		if f.littleEndian {
			i = len(b) - 1 - i
		}
		v = v<<8 | uint32(b[i])
	}
	return v
}

// putNumber writes the low bytes of v over b, in the byte order of f.
func (f *format) putNumber(b []byte, v uint32) {
	for i := range b {
		if !f.littleEndian {
			i = len(b) - 1 - i
		}
		b[i] = byte(v)
		v >>= 8
	}
}

// formats has the formats of whole files.
var formats []*format

func init() { // not a composite literal: formats refer to each other
	chunked := func(f *format) *format {
		f.split, f.join, f.hasLengths = f.splitChunks, f.joinChunks, true
		return f
	}
	png := chunked(&format{is: hasMagic(pngSignature), settle: settlePNG, head: "signature",
		headBytes: len(pngSignature), hasSum: true, inside: map[string]nest{"eXIf": {}}})
	// The frames of an animated WebP are lists of chunks without a header; so are the contents of boxes in ISO media.
	const frameHead = 16
	chunks := chunked(&format{kindFirst: true, padded: true, littleEndian: true})
	webp := chunked(&format{is: hasMagic("RIFF????WEBP"), head: "RIFF", headBytes: 12, kindFirst: true, padded: true,
		littleEndian: true, inside: map[string]nest{"ANMF": {frameHead, chunks}, "EXIF": {}}})
	webp.join = webp.joinWebP
	boxes := chunked(&format{is: hasMagic("????ftyp"), counted: 8}) // a length counts itself and the kind too
	boxes.inside = map[string]nest{"meta": {4, boxes}, "iinf": {6, boxes}, "iref": {4, boxes}, "iprp": {0, boxes},
		"ipco": {0, boxes}}
	formats = []*format{png, webp, boxes}
	for _, magic := range []string{"\xff\xd8\xff", "II*\x00", "II+\x00", "MM\x00*", "MM\x00+", "GIF8", "BM",
		"YUV4MPEG2 "} {
		littleEndian := strings.ContainsRune("IGB", rune(magic[0])) // II of TIFF, GIF and BMP
		formats = append(formats, &format{is: hasMagic(magic), split: splitRaw, join: joinRaw,
			littleEndian: littleEndian, hasNoKinds: true})
	}
}

// formatOf returns the format of a file, or nil if unknown.
func formatOf(data []byte) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.is(data) }); i >= 0 {
		return formats[i]
	}
	return nil
}

// hasMagic returns a function that tests whether a file begins with magic, in which ? stands for any byte.
func hasMagic(magic string) func([]byte) bool {
	return func(data []byte) bool {
		for i := range len(magic) {
			if i >= len(data) || magic[i] != '?' && magic[i] != data[i] {
				return false
			}
		}
		return true
	}
}

// joinRaw returns the contents of parts, one after another.
func joinRaw(parts []part) (out []byte) {
	for _, p := range parts {
		out = append(out, p.content()...)
	}
	return out
}

// headPieces is how many short pieces splitRaw cuts at the front of a file, and tailBytes how many bytes at the end
// of the file it cuts into short pieces.
const headPieces, tailBytes = 40, 400

const pngSignature = "\x89PNG\r\n\x1a\n"

// splitChunks divides a file into its head and chunks. It drops what follows the last chunk that is complete.
func (f *format) splitChunks(data []byte) (parts []part) {
	if f.head != "" {
		parts, data = append(parts, part{kind: f.head, body: data[:f.headBytes]}), data[f.headBytes:]
	}
	frame := 8 // bytes around a body: length, kind and checksum
	if f.hasSum {
		frame += 4
	}
	for len(data) >= frame {
		kind, length := data[4:8], data[:4]
		if f.kindFirst {
			kind, length = length, kind
		}
		n := int64(f.number(length)) - f.counted
		if n < 0 || n > int64(len(data)-frame) {
			break
		}
		parts = append(parts, f.part(string(kind), data[8:8+n]))
		end := int64(frame) + n
		if f.padded {
			end = min(end+n%2, int64(len(data)))
		}
		data = data[end:]
	}
	return parts
}

// joinChunks puts parts together, with their kinds, checksums, and lengths, which count f.counted bytes besides a
// body. Lengths and checksums are wrong where a part says so.
func (f *format) joinChunks(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		if p.kind == f.head {
			out = append(out, body...)
			continue
		}
		length := make([]byte, 4)
		f.putNumber(length, p.length(len(body)+int(f.counted)))
		if f.kindFirst {
			out = append(append(out, p.kind...), length...)
		} else {
			out = append(append(out, length...), p.kind...)
		}
		at := len(out) - 4
		if out = append(out, body...); f.hasSum {
			sum := crc32.ChecksumIEEE(out[at:])
			if p.isSpoiled {
				sum ^= 1
			}
			out = binary.BigEndian.AppendUint32(out, sum)
		}
		if f.padded && len(body)%2 > 0 {
			out = append(out, 0)
		}
	}
	return out
}

// settlePNG numbers the chunks fcTL and fdAT of an animation in their order, from 0.
func settlePNG(parts []part) {
	number := uint32(0)
	for i := range parts {
		if p := &parts[i]; (p.kind == "fcTL" || p.kind == "fdAT") && len(p.body) >= 4 {
			p.body = append(binary.BigEndian.AppendUint32(nil, number), p.body[4:]...)
			number++
		}
	}
}

// joinWebP puts a WebP together, and writes the length of the file into the head.
func (f *format) joinWebP(parts []part) []byte {
	out := f.joinChunks(parts)
	i := slices.IndexFunc(parts, func(p part) bool { return p.kind == f.head })
	if i >= 0 && hasMagic("RIFF????")(out) {
		f.putNumber(out[4:8], parts[i].length(len(out)-8))
	}
	return out
}

// splitRaw cuts a file of a format without chunks into pieces: short ones where headers and directories are, at the
// front and at the end, and longer pieces between them. The same file always gives the same pieces.
func splitRaw(data []byte) (parts []part) {
	random := rand.New(rand.NewPCG(uint64(len(data)), uint64(crc32.ChecksumIEEE(data))))
	for len(data) > 0 {
		n := 1 + random.IntN(12) // a short piece
		if len(parts) >= headPieces && len(data) > tailBytes {
			n = 1 + random.IntN(1+len(data)/4)
		}
		n = min(n, len(data))
		parts, data = append(parts, part{kind: "piece", body: data[:n]}), data[n:]
	}
	return parts
}
