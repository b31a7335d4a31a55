package mutate

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
)

// part is a piece of a file.
type part struct {
	kind string // its name in the format, such as IDAT
	// body is the content of the part, without length and checksum. It may share the memory of the file, and must not
	// be changed in place.
	body      []byte
	inner     *format // the format of parts, which lie inside this part, after body; nil: no parts
	parts     []part
	lie       *uint32 // the wrong length to write; nil: the right length
	isSpoiled bool    // write a wrong checksum; false: the right one
}

// clone returns a copy of p with a separate list of parts.
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

// length returns the length to write for p: *p.lie, or else the right one.
func (p part) length(right int) uint32 {
	if p.lie != nil {
		return *p.lie
	}
	return uint32(right)
}

// format says how files of a kind are divided into parts and put together.
type format struct {
	is func(data []byte) bool // reports whether a file begins as one of the format
	// split returns the parts of a file. Bytes that break the rules of the format become one part.
	split func(data []byte) []part
	// join puts the parts of split together again.
	join func([]part) []byte
	// settle corrects fields that depend on other parts, such as sequence numbers; nil: there are none.
	settle       func([]part)
	littleEndian bool // the byte order of numbers
	// hasLengths: join writes the length of each part. hasNoKinds: join does not write the kinds of parts. isText:
	// numbers are written as digits; false: as bytes.
	hasLengths, hasNoKinds, isText bool
	// inside lists the kinds of parts that contain other parts.
	inside map[string]nest

	// The layout of a part for splitChunks and joinChunks: its length, 4 bytes with counted added, then its kind, or
	// the kind first; its body; a checksum of kind and body; a byte after a body of odd length. The part called head
	// consists only of a body of headBytes, at the beginning of a file.
	head                      string
	headBytes                 int
	counted                   int64
	kindFirst, hasSum, padded bool
}

// nest says that a part contains other parts, after the first bytes of its body: parts of the format of or, if of is
// nil, the parts of a file that begins there, if its format is known.
type nest struct {
	behind int
	of     *format
}

// part returns a part with the given kind and body, and with the parts inside it.
func (f *format) part(kind string, body []byte) part {
	n, has := f.inside[kind]
	if !has || n.behind > len(body) {
		return part{kind: kind, body: body}
	}
	if n.of == nil {
		n.of = formatOf(body[n.behind:])
	}
	if n.of == nil {
		return part{kind: kind, body: body}
	}
	return part{kind: kind, body: body[:n.behind], inner: n.of, parts: n.of.split(body[n.behind:])}
}

// number returns the low 32 bits of the number in b, of 1, 2, 4 or 8 bytes.
func (f *format) number(b []byte) (v uint32) {
	for i := range b {
		if f.littleEndian {
			i = len(b) - 1 - i
		}
		v = v<<8 | uint32(b[i])
	}
	return v
}

// putNumber writes the low bytes of v over b.
func (f *format) putNumber(b []byte, v uint32) {
	for i := range b {
		if !f.littleEndian {
			i = len(b) - 1 - i
		}
		b[i] = byte(v)
		v >>= 8
	}
}

// jpegFormat is the entry for JPEG in formats; splitJPEG needs it.
var jpegFormat *format

// formats lists the formats of whole files.
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
	boxes := chunked(&format{is: hasMagic("????ftyp"), counted: 8})
	boxes.inside = map[string]nest{"meta": {4, boxes}, "iinf": {6, boxes}, "iref": {4, boxes}, "iprp": {0, boxes},
		"ipco": {0, boxes}}
	jpegFormat = &format{is: hasMagic("\xff\xd8\xff"), split: splitJPEG, join: joinJPEG, hasLengths: true,
		inside: map[string]nest{"E1": {behind: len("Exif\x00\x00")}}}
	formats = []*format{
		png, webp, jpegFormat, tiffOf("II*\x00"), tiffOf("MM\x00*"), tiffOf("II+\x00"), tiffOf("MM\x00+"),
		{is: hasMagic("GIF8"), split: splitGIF, join: joinRaw, littleEndian: true, hasNoKinds: true},
		{is: hasMagic("BM"), split: splitBMP, join: joinRaw, littleEndian: true, hasNoKinds: true},
		boxes,
		{is: hasMagic("YUV4MPEG2 "), split: splitY4M, join: joinRaw, isText: true, hasNoKinds: true},
	}
}

// formatOf returns the format of a file, or nil if unknown.
func formatOf(data []byte) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.is(data) }); i >= 0 {
		return formats[i]
	}
	return nil
}

// hasMagic returns a function that tests whether a file begins with magic; ? is any byte.
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

const pngSignature = "\x89PNG\r\n\x1a\n"

// splitChunks divides a file into its head and chunks.
func (f *format) splitChunks(data []byte) (parts []part) {
	if f.head != "" {
		parts, data = append(parts, part{kind: f.head, body: data[:f.headBytes]}), data[f.headBytes:]
	}
	frame := 8
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

// joinChunks puts the parts from splitChunks together.
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

// settlePNG numbers the chunks of an animation in their order.
func settlePNG(parts []part) {
	number := uint32(0)
	for i := range parts {
		if p := &parts[i]; (p.kind == "fcTL" || p.kind == "fdAT") && len(p.body) >= 4 {
			p.body = append(binary.BigEndian.AppendUint32(nil, number), p.body[4:]...)
			number++
		}
	}
}

// joinWebP puts a WebP together; its head contains the length of the file.
func (f *format) joinWebP(parts []part) []byte {
	out := f.joinChunks(parts)
	i := slices.IndexFunc(parts, func(p part) bool { return p.kind == f.head })
	if i >= 0 && hasMagic("RIFF????")(out) {
		f.putNumber(out[4:8], parts[i].length(len(out)-8))
	}
	return out
}

// isBare reports whether marker, in a JPEG, is not followed by a length.
func isBare(marker byte) bool {
	return marker >= 0xd0 && marker <= 0xd9 || marker == 1 || marker == 0xff
}

// splitJPEG divides a JPEG into segments, each of marker, length and body, and the bits after the head of each scan.
func splitJPEG(data []byte) (parts []part) {
	for len(data) >= 4 && data[0] == 0xff {
		marker := data[1]
		kind := fmt.Sprintf("%02X", marker)
		if isBare(marker) {
			parts, data = append(parts, part{kind: kind}), data[2:]
			continue
		}
		end := 2 + int(binary.BigEndian.Uint16(data[2:]))
		if end < 4 || end > len(data) {
			break
		}
		parts, data = append(parts, jpegFormat.part(kind, data[4:end])), data[end:]
		if marker == 0xda {
			end := 0
			for end+1 < len(data) && (data[end] != 0xff || data[end+1] == 0 || data[end+1] >= 0xd0 &&
				data[end+1] <= 0xd7) {
				end++
			}
			parts, data = append(parts, part{kind: "bits", body: data[:end]}), data[end:]
		}
	}
	if hasMagic("\xff\xd9")(data) {
		return append(parts, part{kind: "D9"}, part{kind: "bits", body: data[2:]})
	}
	return append(parts, part{kind: "bits", body: data})
}

func joinJPEG(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		if marker, err := strconv.ParseUint(p.kind, 16, 8); err == nil {
			if out = append(out, 0xff, byte(marker)); isBare(byte(marker)) {
				continue
			}
			out = binary.BigEndian.AppendUint16(out, uint16(p.length(len(body)+2)))
		}
		out = append(out, body...)
	}
	return out
}

// tiffOf returns the format of TIFF files, and of EXIF, that begin with magic. As long as no part changes its length,
// parts keep their places in the file, so that offsets remain right.
func tiffOf(magic string) *format {
	f := &format{is: hasMagic(magic), join: joinRaw, littleEndian: magic[0] == 'I', hasNoKinds: true}
	f.split = func(data []byte) []part { return splitTIFF(f, data) }
	return f
}

// splitTIFF divides a TIFF into a header, the counts, entries and links of its directories, and the bytes between these
// parts.
func splitTIFF(f *format, data []byte) (parts []part) {
	type piece struct {
		kind     string
		from, to int
	}
	header, first, count, entry, word := 8, 4, 2, 12, 4
	if f.is([]byte("II+\x00")) || f.is([]byte("MM\x00+")) { // a BigTIFF
		header, first, count, entry, word = 16, 8, 8, 20, 8
	}
	if len(data) < header {
		return []part{{kind: "header", body: data}}
	}
	pieces := []piece{{"header", 0, header}}
	places := []int{int(f.number(data[first:header]))}
	for seen := 0; seen < len(places) && seen < 64; seen++ {
		at := places[seen]
		if slices.Contains(places[:seen], at) || at < header || at+count > len(data) {
			continue
		}
		n := int(f.number(data[at : at+count]))
		link := at + count + entry*n
		if link+word > len(data) {
			continue
		}
		pieces = append(pieces, piece{"count", at, at + count}, piece{"link", link, link + word})
		for from := at + count; from < link; from += entry {
			pieces = append(pieces, piece{"entry", from, from + entry})
			const tagSub, tagEXIF, tagGPS = 330, 34665, 34853
			switch f.number(data[from : from+2]) {
			case tagSub, tagEXIF, tagGPS:
				places = append(places, int(f.number(data[from+entry-word:from+entry])))
			}
		}
		places = append(places, int(f.number(data[link:link+word])))
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	end := 0
	for _, p := range append(pieces, piece{"data", len(data), len(data)}) {
		if p.from < end {
			continue // it overlaps the piece before
		}
		if p.from > end {
			parts = append(parts, part{kind: "data", body: data[end:p.from]})
		}
		parts, end = append(parts, part{kind: p.kind, body: data[p.from:p.to]}), p.to
	}
	return parts
}

// splitGIF divides a GIF into a screen with its colours; extensions and images, each with blocks that begin with their
// length; and a trailer.
func splitGIF(data []byte) (parts []part) {
	const screen, descriptor = 13, 10
	colours := func(at int) int { // length of the colour table, from the flags at offset at
		if at >= len(data) || data[at]&0x80 == 0 {
			return 0
		}
		return 3 << (1 + data[at]&7)
	}
	for kind, end := "screen", screen+colours(screen-3); ; {
		end = min(end, len(data))
		parts, data = append(parts, part{kind: kind, body: data[:end]}), data[end:]
		switch {
		case len(data) == 0:
			return parts
		case data[0] == '!':
			kind, end = "extension", 2
		case data[0] == ',':
			kind, end = "image", descriptor+colours(descriptor-1)+1
		default:
			return append(parts, part{kind: "trailer", body: data})
		}
		for end < len(data) {
			n := int(data[end])
			if end += 1 + n; n == 0 {
				break
			}
		}
	}
}

// splitBMP divides a BMP into the header of the file, the header of the picture, masks and colours, and pixels.
func splitBMP(data []byte) []part {
	const head = 14
	if len(data) < head+4 {
		return []part{{kind: "file", body: data}}
	}
	number := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	info := min(head+number(head), len(data))
	at := max(info, min(number(10), len(data)))
	return []part{{kind: "file", body: data[:head]}, {kind: "picture", body: data[head:info]},
		{kind: "colours", body: data[info:at]}, {kind: "pixels", body: data[at:]}}
}

// splitY4M divides a YUV4MPEG2 stream into the tags of its first line, and frames.
func splitY4M(data []byte) (parts []part) {
	line, frames, _ := strings.Cut(string(data), "FRAME")
	for tag := range strings.SplitAfterSeq(line, " ") {
		parts = append(parts, part{kind: "tag", body: []byte(tag)})
	}
	for n := range strings.SplitSeq(frames, "FRAME") {
		if len(frames) > 0 {
			parts = append(parts, part{kind: "FRAME", body: []byte("FRAME" + n)})
		}
	}
	return parts
}
