// Package metadata reads and writes the ICC profile, EXIF block, XMP packet, IPTC records and resolution of a picture.
//
// A JPEG may hold further files after its picture, such as a gain map or the film of a motion photo; writing a JPEG
// keeps them. Metadata.Resized adapts the metadata to a result of another size.
//
// Reading trusts nothing and never fails: damaged or too large blocks are left out, with a warning. Profile, EXIF and
// XMP are kept byte for byte, except for the orientation: package imagefile returns pictures in their upright
// orientation, so the orientation in EXIF and XMP is set to upright as well.
package metadata

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// The memory for the metadata of one file is bounded. A photograph has about ten parts, a photograph with a depth map
// in its XMP a hundred, and a PNG from an editor a few dozen texts.
const (
	MaxBlock  = 16 << 20 // the most bytes of one profile, EXIF block or XMP packet, and of Metadata.Own in total
	MaxParts  = 4096     // the most parts in Metadata.Own, and TIFF entries copied into one EXIF block
	partBytes = 128      // bytes of memory for a Part without its data, with the growth of the list of parts
)

// Metadata is the metadata of one file. The zero value holds none.
type Metadata struct {
	ICC        []byte // a colour profile
	EXIF       []byte // a TIFF structure that begins with its byte order mark
	XMP        []byte // a packet in UTF-8
	IPTC       []byte // IIM records
	Resolution Resolution

	// Own are the parts that only a file of the same format can hold. For a PNG: its texts and, besides the profile,
	// the chunks about its colours, from which For builds a profile for other formats. For a JPEG: comments, Photoshop
	// segments, further parts of a long XMP packet, and the segment of ISO 21496-1 that announces a gain map. Texts
	// and Photoshop segments include IPTC records.
	Own    []Part
	Format string // the format of the file from which Own was read

	// GainMap is a JPEG after the picture of a JPEG file. It says how much brighter each part of the picture is on a
	// screen of high dynamic range. The rows and columns of the gain map lie like the stored rows and columns of the
	// picture: see Orientation. For an AVIF, Read returns a gain map without pixels, and Still.Map says where they are.
	GainMap []byte
	Film    []byte   // the end of a JPEG file, from the film of a motion photo, or the data stored with it, on
	Geo     []GeoTag // the TIFF tags that say where on Earth the pixels lie

	// Orientation says how the stored rows and columns lie in the upright picture, as a value of the EXIF tag: 1 is
	// upright, 5 to 8 swap width and height, and 0 stands for 1. The tag in EXIF and XMP is already set to 1.
	Orientation int
}

// Part is a chunk of a PNG, identified by Kind, or a segment of a JPEG, identified by Marker.
type Part struct {
	Kind   string
	Marker byte
	Depth  byte // for a chunk sBIT: the bits per sample of the PNG it came from
	Data   []byte
}

// Outline is a summary of the metadata of a file. Look computes it without keeping the metadata in memory.
type Outline struct {
	Orientation int    // as in Metadata
	Colours     string // the result of ProfileColours for the ICC profile, or "" where there is no profile
	Bytes       int64  // an upper bound of the memory in bytes that the result of Read takes
}

// Look returns the Outline of a file of the given format, named as for Read.
func Look(format string, src Source) Outline {
	r := &reader{m: Metadata{Format: format}}
	r.look(src)
	return Outline{r.m.Orientation, r.colours, r.size}
}

// Read returns the metadata of a file of the given format: "png", "jpeg", "webp", "tiff", "bmp", "avif" (also for HEIC)
// or "jxl". It returns none for other formats. The warnings say what had to be left out.
func Read(format string, src Source) (m Metadata, warnings []string) {
	r := &reader{m: Metadata{Format: format}, keep: true}
	r.look(src)
	return r.m, r.warnings
}

// look reads the metadata of src into r.m or, where r.keep is false, only measures their size.
func (r *reader) look(src Source) {
	defer func() {
		if p := recover(); p != nil { // no such case is known, but a panic here must not prevent reading the pixels
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
		d.X, d.Y = d.Y, d.X // as width and height are swapped too
	}
}

// profileHead is the length in bytes of the header of an ICC profile and the number of tags after it.
const profileHead = 128 + 4

// ProfileColours returns the colour space of an ICC profile, such as "RGB ", "GRAY" or "CMYK", or "" for other bytes.
func ProfileColours(icc []byte) string { return profileColours(icc, int64(len(icc))) }

// profileColours is ProfileColours for a profile of length bytes that begins with start; it is "" for a damaged one.
func profileColours(start []byte, length int64) string {
	if len(start) < profileHead || string(start[36:40]) != "acsp" {
		return ""
	}
	if size := int64(binary.BigEndian.Uint32(start)); size < profileHead || size > length {
		return ""
	}
	return string(start[16:20])
}

// For returns the metadata that a file of the given format can hold, for a grey or a colour picture, and warnings about
// the rest. For formats other than m.Format, it turns colour chunks of a PNG into a profile: see describedColours.
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
		if m.Own = nil; m.GainMap != nil { // this segment says that a gain map of ISO 21496-1, version 0, follows
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
		m.IPTC = nil // m.Own holds the records already
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
