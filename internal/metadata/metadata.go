// Package metadata reads and writes what a picture file carries beside its
// pixels: the ICC profile, the EXIF block, the XMP packet, the resolution.
//
// Reading trusts nothing and fails never: what is damaged or too large is left
// out, with a line that says so. Profile, EXIF and XMP are kept byte for byte;
// the one change is that a picture which is shown turned comes back upright, so
// whatever tells its orientation says "upright" too.
package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxBlock is the most bytes that one profile, EXIF block or XMP packet may have.
const MaxBlock = 16 << 20

// Metadata is what one file carries. The zero value is nothing at all.
type Metadata struct {
	ICC        []byte // a colour profile
	EXIF       []byte // a TIFF structure, from its byte order mark on
	XMP        []byte // a packet of UTF-8
	Resolution Resolution

	// Own is what only a file of the same format can carry: what a PNG says about
	// its colours without a profile, and its texts; a JPEG's comments, IPTC in its
	// Photoshop segments, and further parts of its XMP.
	Own    []Part
	Format string // of the file

	// Orientation is how the stored rows and columns lie in the upright picture,
	// by the EXIF tag of that name: 1 is upright, 5 to 8 swap the sides. EXIF and
	// XMP say 1 already. 0 stands for 1.
	Orientation int
}

// Part is a chunk of a PNG, by its kind, or a segment of a JPEG, by its marker.
type Part struct {
	Kind   string
	Marker byte
	Data   []byte
}

// Read takes the metadata out of the whole file in data, of the given format:
// "png", "jpeg", "webp", "tiff" or "bmp"; others have none. Nothing in the result
// refers to data. The warnings say what had to be left out.
func Read(format string, data []byte) (m Metadata, warnings []string) {
	r := &reader{m: Metadata{Format: format}}
	defer func() {
		if p := recover(); p != nil { // no case is known; a picture is worth more than its metadata
			m, warnings = Metadata{Format: format}, append(r.warnings, "its metadata is damaged and left out")
		}
	}()
	switch format {
	case "png":
		r.png(data)
	case "jpeg":
		r.jpeg(data)
	case "webp":
		r.webp(data)
	case "tiff":
		r.tiff(data)
	case "bmp":
		r.bmp(data)
	}
	if r.m.Orientation > 1 {
		r.m.XMP = uprightXMP(r.m.XMP)
	}
	if r.m.Resolution.Unit == Unknown {
		r.m.Resolution = r.inEXIF
	}
	return r.m, r.warnings
}

// reader collects the metadata of one file. Of several blocks of a kind the first
// one counts.
type reader struct {
	m        Metadata
	warnings []string
	seen     map[string]bool
	size     int        // of the parts kept for the same format, in bytes
	inEXIF   Resolution // for a file that has none of its own
}

// first reports whether this is the first block of its kind.
func (r *reader) first(kind string) bool {
	if r.seen[kind] {
		return false
	}
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	r.seen[kind] = true
	return true
}

func (r *reader) drop(what, why string) {
	r.warnings = append(r.warnings, fmt.Sprintf("its %s is %s and left out", what, why))
}

// fits reports whether a block may be kept, and says why not.
func (r *reader) fits(what string, b []byte) bool {
	switch {
	case len(b) == 0:
		return false
	case len(b) > MaxBlock:
		r.drop(what, fmt.Sprintf("larger than %d MiB", MaxBlock>>20))
		return false
	}
	return true
}

// own keeps a part for a file of the same format.
func (r *reader) own(p Part) {
	if r.size += len(p.Data); r.size > MaxBlock {
		if r.first("large") {
			r.warnings = append(r.warnings, fmt.Sprintf("its texts are larger than %d MiB, and in part left out", MaxBlock>>20))
		}
		return
	}
	p.Data = bytes.Clone(p.Data)
	r.m.Own = append(r.m.Own, p)
}

func (r *reader) icc(b []byte) {
	if !r.first("icc") || !r.fits("ICC profile", b) {
		return
	}
	if ProfileColours(b) == "" {
		r.drop("ICC profile", "damaged")
		return
	}
	r.m.ICC = bytes.Clone(b)
}

// exif takes a block from its byte order mark on, or with the "Exif\0\0" that
// JPEG puts before it and some writers of other formats too.
func (r *reader) exif(b []byte) {
	b = bytes.TrimPrefix(b, []byte(exifPrefix))
	if !r.first("exif") || !r.fits("EXIF block", b) {
		return
	}
	// The orientation may be legible where the rest is not.
	at, o := findOrientation(b)
	r.m.Orientation = o
	order, ok := ByteOrder(b)
	if ok {
		_, _, ok = entries(b, order, order.Uint32(b[4:]))
	}
	if !ok {
		r.drop("EXIF block", "damaged")
		return
	}
	b = bytes.Clone(b)
	if o > 1 {
		order.PutUint16(b[at:], 1)
		dropThumbnail(b, order)
	}
	r.m.EXIF = b
	r.inEXIF = resolutionIn(b, order, order.Uint32(b[4:]))
}

func (r *reader) xmp(b []byte) {
	if !r.first("xmp") || !r.fits("XMP packet", b) {
		return
	}
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		r.drop("XMP packet", "damaged")
		return
	}
	r.m.XMP = bytes.Clone(b)
}

// uprightXMP sets the orientation in a packet to 1, where it has one in either of
// the two ways to write it. The length stays.
func uprightXMP(b []byte) []byte {
	b = bytes.Clone(b)
	for _, start := range []string{`tiff:Orientation="`, `tiff:Orientation='`, "<tiff:Orientation>"} {
		for at := 0; ; {
			i := bytes.Index(b[at:], []byte(start))
			if i < 0 {
				break
			}
			at += i + len(start)
			if at < len(b) && '2' <= b[at] && b[at] <= '8' {
				b[at] = '1'
			}
		}
	}
	return b
}

// ProfileColours returns the colours that an ICC profile is for, such as "RGB " or
// "GRAY" or "CMYK", or "" when it is no profile.
func ProfileColours(icc []byte) string {
	const header = 128
	if len(icc) < header+4 || string(icc[36:40]) != "acsp" {
		return ""
	}
	if size := binary.BigEndian.Uint32(icc); size < header+4 || uint64(size) > uint64(len(icc)) {
		return ""
	}
	return string(icc[16:20])
}

// For returns the part of m that a file of the given format can carry with a grey
// or a colour picture, and warnings about the rest.
func (m Metadata) For(format string, grey bool) (Metadata, []string) {
	var warnings []string
	if m.ICC != nil {
		want := "RGB "
		if grey {
			want = "GRAY"
		}
		if got := ProfileColours(m.ICC); got != want {
			m.ICC = nil
			warnings = append(warnings, fmt.Sprintf("its ICC profile is for %q, not for %q, and left out", strings.TrimSpace(got), strings.TrimSpace(want)))
		}
	}
	leave := func(what string, b *[]byte, most int) {
		if len(*b) > most {
			*b = nil
			warnings = append(warnings, fmt.Sprintf("its %s is left out: %s", what, map[bool]string{
				true: "the output format has none", false: fmt.Sprintf("the output format has room for %d bytes", most)}[most == 0]))
		}
	}
	switch format {
	case "png", "tiff":
	case "jpeg":
		leave("EXIF block", &m.EXIF, mostSegment-len(exifPrefix))
		leave("XMP packet", &m.XMP, mostSegment-len(xmpPrefix))
		leave("ICC profile", &m.ICC, 255*mostProfile)
	default:
		leave("EXIF block", &m.EXIF, 0)
		leave("XMP packet", &m.XMP, 0)
		leave("ICC profile", &m.ICC, 0)
	}
	if format != m.Format {
		if slices.ContainsFunc(m.Own, func(p Part) bool { return !isColour(p.Kind) }) {
			warnings = append(warnings, fmt.Sprintf("its texts are left out: they are of a kind that only %s has", strings.ToUpper(m.Format)))
		}
		m.Own = nil
	}
	return m, warnings
}
