// Package metadata reads and writes what a picture file carries beside its
// pixels: the ICC profile, the EXIF block, the XMP packet, the records of IPTC, the resolution.
//
// Files that lie behind the picture of a JPEG, a gain map and the film of a motion photo, are kept in a JPEG. Resized
// says what follows from another size of the picture.
//
// Reading trusts nothing and never fails: blocks that are damaged or too large are left out, with a warning. Profile,
// EXIF and XMP are kept byte for byte but for the orientation: since package imagefile returns pictures turned upright,
// the orientation in EXIF and XMP is set to upright too.
package metadata

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// The memory for the metadata of one file is bounded. A photograph has about ten parts, one with a depth map
// in its XMP a hundred, and a PNG of an editor a few dozen texts.
const (
	// MaxBlock is the largest size of one profile, EXIF block or XMP packet, and of all parts that are kept
	// for the same format together, in bytes.
	MaxBlock = 16 << 20
	// MaxParts is the largest number of parts that are kept for the same format, and of the entries of the
	// directories of a TIFF.
	MaxParts = 4096
	// partBytes is the memory in bytes that a Part takes besides its data, with the growth of the list of parts.
	partBytes = 128
)

// Metadata is the metadata of one file. The zero value is none.
type Metadata struct {
	ICC        []byte // a colour profile
	EXIF       []byte // a TIFF structure, from its byte order mark on
	XMP        []byte // a packet of UTF-8
	IPTC       []byte // IIM records
	Resolution Resolution

	// Own is what only a file of the same format can carry: the chunks of a PNG about its colours beside the
	// profile, of which For makes a profile for other formats, and its texts; the comments of a JPEG, its Photoshop
	// segments, and further parts of its XMP. Texts and Photoshop segments have the records of IPTC too, byte for
	// byte.
	Own    []Part
	Format string // the format of the file that has the parts Own

	// GainMap is a JPEG behind the picture of a JPEG, which says how much brighter it is on a screen of high dynamic
	// range, relative to the picture. Its samples are turned like the file's: see Orientation. A gain map of an AVIF
	// has no picture after Read: Still.Map says which it is.
	GainMap []byte
	// Film is the end of a JPEG behind the picture, from where the film of a motion photo or data beside it begin.
	Film []byte
	// Geo are the tags of a TIFF that say where on Earth its pixels lie.
	Geo []GeoTag

	// Orientation is how the stored rows and columns lie in the upright picture, by the EXIF tag of that name:
	// 1 is upright, 5 to 8 swap the sides, and 0 stands for 1. EXIF and XMP have been set to 1 already.
	Orientation int
}

// Part is a chunk of a PNG, by its kind, or a segment of a JPEG, by its marker.
type Part struct {
	Kind   string
	Marker byte
	Depth  byte // of a chunk sBIT: the bits of a sample in its file
	Data   []byte
}

// Outline is a summary of the metadata of a file, which needs no memory for them.
type Outline struct {
	// Orientation is the field Orientation of Metadata.
	Orientation int
	// Colours is the result of ProfileColours for the ICC profile. It is empty where there is no profile.
	Colours string
	// Bytes bounds the memory that the result of Read takes, in bytes.
	Bytes int64
}

// Look returns the outline of a file of the given format, named as for Read.
func Look(format string, src Source) Outline {
	r := &reader{m: Metadata{Format: format}}
	r.look(src)
	return Outline{r.m.Orientation, r.colours, r.size}
}

// Read returns the metadata of a file of the given format: "png", "jpeg", "webp", "tiff" or "bmp". Files of
// other formats have none. The warnings say what had to be left out.
func Read(format string, src Source) (m Metadata, warnings []string) {
	r := &reader{m: Metadata{Format: format}, keep: true}
	r.look(src)
	return r.m, r.warnings
}

// look reads the metadata of src into r.m or, where r.keep is false, only measures them.
func (r *reader) look(src Source) {
	defer func() {
		if p := recover(); p != nil { // no case is known, but a panic here must not cost the picture
			r.m = Metadata{Format: r.m.Format}
			r.warn("its metadata is damaged and left out")
		}
	}()
	if read := containers[r.m.Format].read; read != nil {
		read(r, src)
	}
	if r.m.Orientation > 1 {
		uprightXMP(r.m.XMP)
	}
	if r.m.Resolution.Unit == Unknown {
		r.m.Resolution = r.inEXIF
	}
	if d := &r.m.Resolution; r.m.Orientation >= 5 {
		d.X, d.Y = d.Y, d.X // with the sides of the picture
	}
}

// profileHead is the length of the header of an ICC profile and of the number of its tags, in bytes.
const profileHead = 128 + 4

// ProfileColours returns the colour space of an ICC profile, such as "RGB ", "GRAY" or "CMYK", or "" when the
// bytes are no profile.
func ProfileColours(icc []byte) string { return profileColours(icc, int64(len(icc))) }

// profileColours is ProfileColours for a profile of length bytes that begins with start.
func profileColours(start []byte, length int64) string {
	if len(start) < profileHead || string(start[36:40]) != "acsp" {
		return ""
	}
	if size := int64(binary.BigEndian.Uint32(start)); size < profileHead || size > length {
		return ""
	}
	return string(start[16:20])
}

// For returns the part of m that a file of the given format can carry with a grey or a colour picture, and warnings
// about the rest. For a format other than m.Format, what the chunks of a PNG say about its colours becomes an ICC
// profile; see describedColours.
func (m Metadata) For(format string, grey bool) (Metadata, []string) {
	m, warnings := m.keepPromises(format)
	c := containers[format]
	want, profile := "RGB ", "ICC profile"
	if grey && !c.colourOnly {
		want = "GRAY"
	}
	lost := ""
	if format != m.Format {
		colours, kinds, unknown := m.describedColours()
		if kinds != nil {
			m.ICC, profile = nil, enumerate(kinds)+" colour description"
		}
		if colours.curve != nil {
			m.ICC = colours.profile(want)
		}
		lost = m.lostWarning(unknown)
		if m.Own = nil; m.GainMap != nil { // which promises a map of ISO 21496-1, of the first version
			m.Own = []Part{{Marker: markerApp2, Data: []byte(isoPrefix + "\x00\x00\x00\x00")}}
		}
	}
	if m.ICC != nil {
		if got := ProfileColours(m.ICC); got != want {
			m.ICC = nil
			warnings = append(warnings, fmt.Sprintf("its ICC profile is for %q, not for %q, and left out",
				strings.TrimSpace(got), strings.TrimSpace(want)))
		}
	}
	if slices.ContainsFunc(m.Own, Part.hasIPTC) {
		m.IPTC = nil // m.Own has it
	}
	for _, block := range []struct {
		name  string
		bytes *[]byte
		most  int
	}{{"IPTC block", &m.IPTC, c.maxIPTC}, {"EXIF block", &m.EXIF, c.maxEXIF}, {"XMP packet", &m.XMP, c.maxXMP},
		{profile, &m.ICC, c.maxICC}} {
		if len(*block.bytes) <= block.most {
			continue
		}
		why := fmt.Sprintf("the output format has room for %d bytes", block.most)
		if block.most == 0 {
			why = "the output format has none"
		}
		*block.bytes = nil
		warnings = append(warnings, fmt.Sprintf("its %s is left out: %s", block.name, why))
	}
	if lost != "" {
		warnings = append(warnings, lost)
	}
	return m, warnings
}
