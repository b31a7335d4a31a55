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
	kind string // what the format calls it, such as IDAT
	// body is the content of the part, without length and checksum. It may share the memory of the file, and must
	// not be changed in place.
	body      []byte
	inner     *format // the format of parts, which lie inside this part, behind body; nil: there are none
	parts     []part
	lie       *uint32 // the wrong length to write; nil: the right one is written
	isSpoiled bool    // a wrong checksum is written; false: the right one
}

// clone returns a copy with its own list of parts.
func (p part) clone() part {
	p.parts = slices.Clone(p.parts)
	for i := range p.parts {
		p.parts[i] = p.parts[i].clone()
	}
	return p
}

// content returns body with the parts inside of p behind it.
func (p part) content() []byte {
	if p.inner == nil {
		return p.body
	}
	return slices.Concat(p.body, p.inner.join(p.parts))
}

// length returns the length to write for p: *p.lie, or the length of content, its content.
func (p part) length(content []byte) uint32 {
	if p.lie != nil {
		return *p.lie
	}
	return uint32(len(content))
}

// format is how files of a kind are taken apart and put together.
type format struct {
	is func(data []byte) bool // reports whether a file begins as one of the format
	// split returns the parts of a file. Bytes that break the rules of the format become one part.
	split func(data []byte) []part
	// join puts the parts of split together again.
	join func([]part) []byte
	// settle corrects fields that depend on other parts, such as numbers in sequence; nil: there are none.
	settle       func([]part)
	littleEndian bool // the byte order of numbers
	// hasLengths: join writes the length of each part. hasNoKinds: join does not write the kinds of parts. isText:
	// numbers are written in digits; false: in bytes.
	hasLengths, hasNoKinds, isText bool
}

// number returns the low 32 bits of a number of 1, 2, 4 or 8 bytes.
func (f *format) number(b []byte) (v uint32) {
	for i := range b {
		if f.littleEndian {
			i = len(b) - 1 - i
		}
		v = v<<8 | uint32(b[i])
	}
	return v
}

// putNumber writes the low bytes of a number over the first of b.
func (f *format) putNumber(b []byte, v uint32) {
	for i := range b {
		if !f.littleEndian {
			i = len(b) - 1 - i
		}
		b[i] = byte(v)
		v >>= 8
	}
}

// The formats. The frames of an animated WebP is a list of chunks without a header.
var pngFormat, webpFormat, riffFormat, jpegFormat *format

// formats has the formats of whole files.
var formats []*format

func init() { // for split and join know formats themselves
	pngFormat = &format{is: hasMagic(pngSignature), split: splitPNG, join: joinPNG, settle: settlePNG, hasLengths: true}
	riffFormat = &format{split: splitRIFF, join: joinRIFF, littleEndian: true, hasLengths: true}
	webpFormat = &format{is: hasMagic("RIFF????WEBP"), split: splitWebP, join: joinWebP, littleEndian: true,
		hasLengths: true}
	jpegFormat = &format{is: hasMagic("\xff\xd8\xff"), split: splitJPEG, join: joinJPEG, hasLengths: true}
	formats = []*format{
		pngFormat, webpFormat, jpegFormat, tiffOf("II*\x00"), tiffOf("MM\x00*"), tiffOf("II+\x00"),
		tiffOf("MM\x00+"),
		{is: hasMagic("GIF8"), split: splitGIF, join: joinRaw, littleEndian: true, hasNoKinds: true},
		{is: hasMagic("BM"), split: splitBMP, join: joinRaw, littleEndian: true, hasNoKinds: true},
		{is: hasMagic("????ftyp"), split: splitBoxes, join: joinBoxes, hasLengths: true},
		{is: hasMagic("YUV4MPEG2 "), split: splitY4M, join: joinRaw, isText: true, hasNoKinds: true},
	}
}

// formatOf returns the format of a file, or nil where none is known.
func formatOf(data []byte) *format {
	if i := slices.IndexFunc(formats, func(f *format) bool { return f.is(data) }); i >= 0 {
		return formats[i]
	}
	return nil
}

// hasMagic returns a test whether a file begins with magic, in which ? is any byte.
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

// partOf returns a part with the given kind and body. Where body[from:] begins like a file of a known format, the part
// has the parts of that file inside.
func partOf(kind string, body []byte, from int) part {
	if from <= len(body) {
		if f := formatOf(body[from:]); f != nil {
			return part{kind: kind, body: body[:from], inner: f, parts: f.split(body[from:])}
		}
	}
	return part{kind: kind, body: body}
}

// joinRaw returns the contents of parts, one behind the other.
func joinRaw(parts []part) (out []byte) {
	for _, p := range parts {
		out = append(out, p.content()...)
	}
	return out
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// splitPNG takes a PNG apart into its signature and chunks, each of length, kind, body and checksum.
func splitPNG(data []byte) []part {
	parts := []part{{kind: "signature", body: data[:len(pngSignature)]}}
	for data = data[len(pngSignature):]; len(data) >= 12; {
		n := int64(binary.BigEndian.Uint32(data))
		if n > int64(len(data))-12 {
			break
		}
		p := part{kind: string(data[4:8]), body: data[8 : 8+n]}
		if p.kind == "eXIf" {
			p = partOf(p.kind, p.body, 0)
		}
		parts, data = append(parts, p), data[12+n:]
	}
	return parts
}

func joinPNG(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		if p.kind == "signature" {
			out = append(out, body...)
			continue
		}
		out = binary.BigEndian.AppendUint32(out, p.length(body))
		at := len(out)
		out = append(append(out, p.kind...), body...)
		sum := crc32.ChecksumIEEE(out[at:])
		if p.isSpoiled {
			sum ^= 1
		}
		out = binary.BigEndian.AppendUint32(out, sum)
	}
	return out
}

// settlePNG numbers the chunks of an animation in the order in which they are.
func settlePNG(parts []part) {
	number := uint32(0)
	for i := range parts {
		if p := &parts[i]; (p.kind == "fcTL" || p.kind == "fdAT") && len(p.body) >= 4 {
			p.body = append(binary.BigEndian.AppendUint32(nil, number), p.body[4:]...)
			number++
		}
	}
}

// splitWebP takes a WebP apart into a header, which has the length of the file, and chunks.
func splitWebP(data []byte) []part {
	return append([]part{{kind: "RIFF", body: data[:12]}}, splitRIFF(data[12:])...)
}

// splitRIFF returns the chunks in data, each of kind, length and body, up to one that is cut. ANMF and EXIF are taken
// apart further.
func splitRIFF(data []byte) (parts []part) {
	for len(data) >= 8 {
		kind, n := string(data[:4]), int64(binary.LittleEndian.Uint32(data[4:]))
		if n > int64(len(data))-8 {
			break
		}
		body := data[8 : 8+n]
		data = data[min(8+n+n%2, int64(len(data))):]
		const frameHead = 16
		switch {
		case kind == "ANMF" && n >= frameHead:
			parts = append(parts, part{kind: kind, body: body[:frameHead], inner: riffFormat,
				parts: splitRIFF(body[frameHead:])})
		case kind == "EXIF":
			parts = append(parts, partOf(kind, body, 0))
		default:
			parts = append(parts, part{kind: kind, body: body})
		}
	}
	return parts
}

func joinRIFF(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		if p.kind != "RIFF" {
			out = append(out, p.kind...)
			out = binary.LittleEndian.AppendUint32(out, p.length(body))
		}
		if out = append(out, body...); len(body)%2 > 0 {
			out = append(out, 0)
		}
	}
	return out
}

func joinWebP(parts []part) []byte {
	out := joinRIFF(parts)
	i := slices.IndexFunc(parts, func(p part) bool { return p.kind == "RIFF" })
	if i >= 0 && hasMagic("RIFF????")(out) {
		binary.LittleEndian.PutUint32(out[4:], parts[i].length(out[8:]))
	}
	return out
}

// isBare reports whether a JPEG has no length behind a marker.
func isBare(marker byte) bool {
	return marker >= 0xd0 && marker <= 0xd9 || marker == 1 || marker == 0xff
}

// splitJPEG takes a JPEG apart into segments, each of marker, length and body, and the bits behind
// the head of each scan.
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
		const exif = "Exif\x00\x00"
		if body := data[4:end]; marker == 0xe1 && hasMagic(exif)(body) {
			parts = append(parts, partOf(kind, body, len(exif)))
		} else {
			parts = append(parts, part{kind: kind, body: body})
		}
		data = data[end:]
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
			length := uint16(len(body) + 2)
			if p.lie != nil {
				length = uint16(*p.lie)
			}
			out = binary.BigEndian.AppendUint16(out, length)
		}
		out = append(out, body...)
	}
	return out
}

// tiffOf returns the format of TIFF, and of EXIF, for one of its two beginnings. Parts stay at their
// places in the file as long as none changes its length, so that what leads to them still does.
func tiffOf(magic string) *format {
	f := &format{is: hasMagic(magic), join: joinRaw, littleEndian: magic[0] == 'I', hasNoKinds: true}
	f.split = func(data []byte) []part { return splitTIFF(f, data) }
	return f
}

// splitTIFF takes a TIFF apart into a header, the counts, entries and links of its directories, and
// what lies between those.
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
			continue // it overlaps the one before
		}
		if p.from > end {
			parts = append(parts, part{kind: "data", body: data[end:p.from]})
		}
		parts, end = append(parts, part{kind: p.kind, body: data[p.from:p.to]}), p.to
	}
	return parts
}

// splitGIF takes a GIF apart into a screen with its colours, extensions and images, each with blocks
// that begin with their length, and a trailer.
func splitGIF(data []byte) (parts []part) {
	const screen, descriptor = 13, 10
	colours := func(at int) int { // bytes of the table that the flags there announce
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

// splitBMP takes a BMP apart into a header of the file, one of the picture, masks and colours, and pixels.
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

// boxHeads are the boxes of ISO media that have others inside, behind so many bytes.
var boxHeads = map[string]int{"meta": 4, "iinf": 6, "iref": 4, "iprp": 0, "ipco": 0}

// splitBoxes takes a file of ISO media apart into boxes, each of length, kind and body.
func splitBoxes(data []byte) (parts []part) {
	for len(data) >= 8 {
		kind, n := string(data[4:8]), int64(binary.BigEndian.Uint32(data))
		if n < 8 || n > int64(len(data)) {
			break
		}
		p := part{kind: kind, body: data[8:n]}
		if head, ok := boxHeads[kind]; ok && len(p.body) > head {
			inside := &format{split: splitBoxes, join: joinBoxes, hasLengths: true}
			p.body, p.inner, p.parts = p.body[:head], inside, splitBoxes(p.body[head:])
		}
		parts, data = append(parts, p), data[n:]
	}
	return parts
}

func joinBoxes(parts []part) (out []byte) {
	for _, p := range parts {
		body := p.content()
		length := uint32(len(body) + 8)
		if p.lie != nil {
			length = *p.lie
		}
		out = append(append(binary.BigEndian.AppendUint32(out, length), p.kind...), body...)
	}
	return out
}

// splitY4M takes a YUV4MPEG2 stream apart into the tags of its first line and frames.
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
