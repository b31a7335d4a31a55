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

// What is read of one file is bounded, so that its metadata cost no more than is known before:
// a photograph has some ten parts, one with a depth map in its XMP has a hundred, and a PNG of
// an editor a few dozen texts.
const (
	// MaxBlock is the most bytes that one profile, EXIF block or XMP packet may have, and
	// what is kept for the same format together.
	MaxBlock = 16 << 20
	// MaxParts is how many parts are kept for the same format at most, and how many entries
	// of a TIFF's directories.
	MaxParts = 4096
	// partBytes is what one takes in memory beside its bytes, and a list that has grown.
	partBytes = 128
)

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

// Outline is what is known of a file's metadata before any are kept.
type Outline struct {
	// Orientation is that of the picture, as in Metadata.
	Orientation int
	// Colours are those of the ICC profile: see ProfileColours. Empty: there is none.
	Colours string
	// Bytes is how many Read takes at most for what it returns.
	Bytes int64
}

// Look looks through a file as Read does, and keeps nothing.
func Look(format string, src Source) Outline {
	r := &reader{m: Metadata{Format: format}}
	r.look(src)
	return Outline{r.m.Orientation, r.colours, r.size}
}

// Read takes the metadata out of a file of the given format: "png", "jpeg", "webp",
// "tiff" or "bmp"; others have none. The warnings say what had to be left out.
func Read(format string, src Source) (m Metadata, warnings []string) {
	r := &reader{m: Metadata{Format: format}, keep: true}
	r.look(src)
	return r.m, r.warnings
}

// look visits the metadata of a file.
func (r *reader) look(src Source) {
	defer func() {
		if p := recover(); p != nil { // no case is known; a picture is worth more than its metadata
			r.m = Metadata{Format: r.m.Format}
			r.warn("its metadata is damaged and left out")
		}
	}()
	switch r.m.Format {
	case "png":
		r.png(src)
	case "jpeg":
		r.jpeg(src)
	case "webp":
		r.webp(src)
	case "tiff":
		r.tiff(src)
	case "bmp":
		r.bmp(src)
	}
	if r.m.Orientation > 1 {
		uprightXMP(r.m.XMP)
	}
	if r.m.Resolution.Unit == Unknown {
		r.m.Resolution = r.inEXIF
	}
}

// reader visits the metadata of one file. Of several blocks of a kind the first
// one counts.
type reader struct {
	keep     bool  // what is visited, rather than measure it
	size     int64 // of what is kept, in bytes
	m        Metadata
	colours  string // of the profile
	warnings []string
	seen     map[string]bool
	owned    int64      // of the parts kept for the same format, in bytes
	parts    int        // their number
	inEXIF   Resolution // for a file that has none of its own
	scratch  [40]byte
}

// starts reports whether a piece starts with a prefix, of at most 40 bytes.
func (r *reader) starts(b Body, prefix string) bool {
	p := r.scratch[:len(prefix)]
	return b.Len >= int64(len(p)) && b.fill(p, 0) && string(p) == prefix
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

func (r *reader) warn(text string) { r.warnings = append(r.warnings, text) }

func (r *reader) drop(what, why string) { r.warn(fmt.Sprintf("its %s is %s and left out", what, why)) }

// fits reports whether a block may be kept, and says why not.
func (r *reader) fits(what string, n int64) bool {
	switch {
	case n == 0:
		return false
	case n > MaxBlock:
		r.drop(what, fmt.Sprintf("larger than %d MiB", MaxBlock>>20))
		return false
	}
	return true
}

// take counts a block, and returns it where it is to be kept.
func (r *reader) take(c content) []byte {
	r.size += c.size
	if !r.keep {
		return nil
	}
	return c.start(c.size)
}

// own keeps a part, of the given data, for a file of the same format.
func (r *reader) own(p Part, data Body) {
	r.parts++
	r.owned += data.Len
	if r.parts > MaxParts || r.owned > MaxBlock {
		if r.first("own") {
			why := fmt.Sprintf("larger than %d MiB", MaxBlock>>20)
			if r.parts > MaxParts {
				why = fmt.Sprintf("more than %d", MaxParts)
			}
			r.warn("its texts are " + why + ", and in part left out")
		}
		return
	}
	r.size += partBytes + data.Len
	if r.keep {
		p.Data = data.Bytes()
		r.m.Own = append(r.m.Own, p)
	}
}

func (r *reader) icc(c content) {
	if !r.first("icc") || !r.fits("ICC profile", c.size) {
		return
	}
	if r.colours = profileColours(c.start(profileHead), c.size); r.colours == "" {
		r.drop("ICC profile", "damaged")
		return
	}
	r.m.ICC = r.take(c)
}

// exif takes a block from its byte order mark on, or with the "Exif\0\0" that
// JPEG puts before it and some writers of other formats too.
func (r *reader) exif(b Body) {
	if r.starts(b, exifPrefix) {
		b = b.from(int64(len(exifPrefix)))
	}
	if !r.first("exif") || !r.fits("EXIF block", b.Len) {
		return
	}
	f, ok := tiffIn(b)
	r.m.Orientation = 1
	var at int64
	if ok {
		at, r.m.Orientation = f.orientation()
		_, _, ok = f.span(f.first)
	}
	if !ok {
		r.drop("EXIF block", "damaged")
		return
	}
	r.inEXIF = f.resolution()
	if r.m.EXIF = r.take(plain(b)); r.m.EXIF != nil && r.m.Orientation > 1 {
		f.order.PutUint16(r.m.EXIF[at:], 1)
		dropThumbnail(r.m.EXIF, f)
	}
}

func (r *reader) xmp(c content) {
	if !r.first("xmp") || !r.fits("XMP packet", c.size) {
		return
	}
	b := r.take(c)
	if r.m.Format == "tiff" {
		b = bytes.TrimRight(b, "\x00")
	}
	switch {
	case len(b) == 0:
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		r.drop("XMP packet", "damaged")
	default:
		r.m.XMP = b
	}
}

// uprightXMP sets the orientation in a packet to 1, where it has one in either of
// the two ways to write it. The length stays.
func uprightXMP(b []byte) {
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
}

// profileHead is the header of an ICC profile, and the number of its tags.
const profileHead = 128 + 4

// ProfileColours returns the colours that an ICC profile is for, such as "RGB " or
// "GRAY" or "CMYK", or "" when it is no profile.
func ProfileColours(icc []byte) string { return profileColours(icc, int64(len(icc))) }

// profileColours is ProfileColours by the start of a profile and its length.
func profileColours(start []byte, length int64) string {
	if len(start) < profileHead || string(start[36:40]) != "acsp" {
		return ""
	}
	if size := int64(binary.BigEndian.Uint32(start)); size < profileHead || size > length {
		return ""
	}
	return string(start[16:20])
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
