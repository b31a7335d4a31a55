package metadata

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
)

// IPTC records (IIM 4) lie in a TIFF under a tag of their own; in a JPEG, in a Photoshop resource of a segment; and in
// a PNG, as ImageMagick and ExifTool write them, in a text chunk that holds such a resource in hexadecimal.

const (
	resourceMark   = "8BIM"
	resourceIPTC   = 0x0404
	resourceHeader = len(resourceMark) + 2 + 2 + 4 // mark, number, empty name, length
	mostName       = 256                           // the most bytes of a resource's name, with its length and padding
	iptcKeyword    = "Raw profile type iptc\x00"
	iptcMark       = 0x1c // the byte that a record begins with
	hexColumns     = 36   // bytes in a line of hexadecimal
)

// iptcResource returns the IPTC records in b, a list of Photoshop resources. ok is false where there are none. A
// resource has a mark, a number (2 bytes), the length of its name (1), the name, the length of its data (4), and the
// data. A zero byte follows a name of even length, and data of odd length.
func iptcResource(b Body) (_ Body, ok bool) {
	for b.Len >= int64(resourceHeader) {
		head := b.Start(int64(len(resourceMark) + 2 + mostName + 4))
		if len(head) < resourceHeader || string(head[:4]) != resourceMark {
			return Body{}, false
		}
		name := 1 + int(head[6]) // bytes of the name and its length
		at := len(resourceMark) + 2 + name + name%2
		if len(head) < at+4 {
			return Body{}, false
		}
		n := int64(binary.BigEndian.Uint32(head[at:]))
		b = b.after(int64(at + 4))
		if n > b.Len {
			return Body{}, false
		}
		if binary.BigEndian.Uint16(head[4:]) == resourceIPTC {
			return Body{b.src, b.at, n}, true
		}
		b = b.after(n + n%2)
	}
	return Body{}, false
}

// iptc stores the IPTC records c in r.m if they are the first. In some TIFFs, each four bytes of them are reversed.
func (r *reader) iptc(c content) {
	if !r.isFirst("iptc") || !r.fits("IPTC block", c.size) {
		return
	}
	swapped := false
	switch start := c.start(4); {
	case len(start) > 0 && start[0] == iptcMark:
	case len(start) == 4 && start[3] == iptcMark && c.size%4 == 0:
		swapped = true
	default:
		r.drop("IPTC block", "damaged")
		return
	}
	r.m.IPTC = r.keepBlock(c)
	if swapped {
		for b := r.m.IPTC; len(b) >= 4; b = b[4:] {
			b[0], b[1], b[2], b[3] = b[3], b[2], b[1], b[0]
		}
	}
}

// iptcText stores in r.m the IPTC records in body, the data of a chunk tEXt or zTXt of a PNG, if there are any. Records
// that are damaged or in a text of more than 1 MiB stay only in the text, which the caller keeps as a part of its own.
func (r *reader) iptcText(kind string, body Body) {
	if r.seen["iptc"] || !body.begins(iptcKeyword) {
		return
	}
	text := inOnePiece(body.after(int64(len(iptcKeyword))))
	if kind == "zTXt" {
		const method = 1 // the byte with the compression method
		var ok bool
		if text, ok = inflate(text.first.after(method)); !ok {
			return
		}
	}
	const most = 1 << 20 // the most bytes of the text
	if text.size > most {
		return
	}
	_, rest, _ := bytes.Cut(bytes.TrimLeft(text.start(text.size), "\n"), []byte("\n")) // skip the name "iptc"
	_, rest, _ = bytes.Cut(rest, []byte("\n"))                                         // and the line with the length
	digits := bytes.Join(bytes.Fields(rest), nil)
	block := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(block, digits); err != nil {
		return
	}
	records := bodyOf(block) // bare, or in a resource
	if inner, ok := iptcResource(records); ok {
		records = inner
	}
	r.iptc(inOnePiece(records))
}

// hasIPTC reports whether p may hold IPTC records: it is a Photoshop segment of a JPEG, or an IPTC text of a PNG.
func (p Part) hasIPTC() bool {
	return p.Marker == markerApp13 || bytes.HasPrefix(p.Data, []byte(iptcKeyword))
}

// iptcHead returns the head of the Photoshop resource for n bytes of IPTC records.
func iptcHead(n int) []byte {
	b := binary.BigEndian.AppendUint16([]byte(resourceMark), resourceIPTC)
	return binary.BigEndian.AppendUint32(append(b, 0, 0), uint32(n))
}

// iptc writes IPTC records, in a Photoshop resource of even length, as a chunk zTXt in hexadecimal.
func (c *chunks) iptc(records []byte) {
	head := iptcHead(len(records))
	padding := make([]byte, len(records)%2)
	c.pack("zTXt", iptcKeyword+"\x00", func(w io.Writer) error { // 0: the compression method
		if _, err := fmt.Fprintf(w, "\niptc\n%8d\n", len(head)+len(records)+len(padding)); err != nil {
			return err
		}
		block := io.MultiReader(bytes.NewReader(head), bytes.NewReader(records), bytes.NewReader(padding))
		for line := make([]byte, hexColumns); ; {
			n, err := io.ReadFull(block, line)
			if n == 0 {
				break
			}
			if _, failed := fmt.Fprintf(w, "%x\n", line[:n]); failed != nil {
				return failed
			}
			if err != nil {
				break
			}
		}
		return nil
	})
}
