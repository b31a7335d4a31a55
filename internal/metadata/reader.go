package metadata

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// reader reads or measures the metadata of one file. Where a file has several blocks of one kind, it takes the first.
type reader struct {
	keep     bool  // store the metadata in m; false: only measure their size
	size     int64 // bytes of memory that the metadata take, or would take, in m
	m        Metadata
	colours  string // colour space of the ICC profile: see ProfileColours
	warnings []string
	seen     map[string]bool // the kinds of blocks for which isFirst was called
	owned    int64           // total bytes of the parts for m.Own
	parts    int             // number of parts for m.Own
	inEXIF   Resolution      // resolution in the EXIF block, used where the file states no other
}

// isFirst reports whether this is its first call for this kind of block.
func (r *reader) isFirst(kind string) bool {
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

// fits reports whether a block of n bytes, called name in warnings, has 1 to MaxBlock bytes. It warns if larger.
func (r *reader) fits(name string, n int64) bool {
	switch {
	case n == 0:
		return false
	case n > MaxBlock:
		r.drop(name, fmt.Sprintf("larger than %d MiB", MaxBlock>>20))
		return false
	}
	return true
}

// keepBlock adds the size of c to r.size, and returns the bytes of c in new memory, or nil if r only measures.
func (r *reader) keepBlock(c content) []byte {
	r.size += c.size
	if !r.keep {
		return nil
	}
	return c.start(c.size)
}

// keepPart appends p with data to r.m.Own. Past MaxParts parts or MaxBlock bytes in all it drops p, and warns once.
func (r *reader) keepPart(p Part, data Body) {
	r.parts++
	r.owned += data.Len
	if r.parts > MaxParts || r.owned > MaxBlock {
		if r.isFirst("own") {
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

// icc stores the ICC profile c in r.m, and its colour space in r.colours, if it is the first and is not damaged.
func (r *reader) icc(c content) {
	if !r.isFirst("icc") || !r.fits("ICC profile", c.size) {
		return
	}
	if r.colours = profileColours(c.start(profileHead), c.size); r.colours == "" {
		r.drop("ICC profile", "damaged")
		return
	}
	r.m.ICC = r.keepBlock(c)
}

// exif stores the EXIF block b in r.m if it is the first; of a damaged block, only the orientation. b begins with a
// byte order mark, or with "Exif\0\0" before it, as in a JPEG. The stored block says that the picture is upright: for
// a turned one, exif changes the orientation, drops the thumbnail and, where width and height swap, swaps resolutions.
func (r *reader) exif(b Body) {
	if b.begins(exifPrefix) {
		b = b.after(int64(len(exifPrefix)))
	}
	if !r.isFirst("exif") || !r.fits("EXIF block", b.Len) {
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
	r.size += b.Len // for the copy that Resized changes
	if r.m.EXIF = r.keepBlock(inOnePiece(b)); r.m.EXIF != nil && r.m.Orientation > 1 {
		f.order.PutUint16(r.m.EXIF[at:], 1)
		dropThumbnail(r.m.EXIF, f)
		if r.m.Orientation >= 5 { // width and height are swapped
			swapResolutions(r.m.EXIF, f)
		}
	}
}

// xmp stores the XMP packet c in r.m if it is the first and is valid UTF-8 without zero bytes. In a TIFF, zero bytes
// may follow it; they are removed.
func (r *reader) xmp(c content) {
	if !r.isFirst("xmp") || !r.fits("XMP packet", c.size) {
		return
	}
	b := r.keepBlock(c)
	r.size += c.size // for the copies that Resized and For change
	if r.m.Format == "tiff" {
		b = bytes.TrimRight(b, "\x00")
	}
	switch {
	case len(b) == 0: // also if r only measures
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		r.drop("XMP packet", "damaged")
	default:
		r.m.XMP = b
	}
}
