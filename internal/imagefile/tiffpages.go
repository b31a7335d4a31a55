package imagefile

import (
	"bytes"
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// MostFrames is how many pictures of one file are looked at.
const MostFrames = metadata.MostDirectories

// tiffPage is what a directory of a TIFF says about the kind of its picture.
type tiffPage struct {
	whole    bool // neither a smaller copy of a page nor a mask
	separate bool // a plane for each colour
}

// pageOf reads a directory.
func pageOf(d metadata.TIFFDirectory) tiffPage {
	const (
		tagNewSubfile = 254
		tagSamples    = 277
		tagPlanes     = 284
		reduced, mask = 1, 4
	)
	p, kind, samples := tiffPage{}, uint32(0), uint16(1)
	for e := range d.Entries() {
		switch e.Tag {
		case tagNewSubfile:
			kind = e.Long
		case tagSamples:
			samples = e.Short
		case tagPlanes:
			p.separate = samples > 1 && e.Short == 2
		}
	}
	p.whole = kind&(reduced|mask) == 0
	return p
}

// inspectTIFF refuses a TIFF of more than one page, or of what cannot be read. One page of which
// the link leads nowhere, or round in a circle, is a picture all the same.
func inspectTIFF(src *source, lim Limits) (err error) {
	if _, ok := metadata.ByteOrder(src.data); !ok {
		return io.ErrUnexpectedEOF
	}
	_ = metadata.TIFFDirectories(src, func(d metadata.TIFFDirectory) bool {
		if pageOf(d).separate {
			err = refuse(safefile.ErrInput, "is a TIFF with a plane for each colour, which cannot be read; save it as PNG first")
		}
		return false // the first is decoded
	})
	if err == nil && !lim.FirstFrame && hasPages(src) {
		err = refuse(safefile.ErrInput, "is a TIFF with more than one page").With(FirstPage)
	}
	return err
}

// hasPages tells whether a TIFF has more than one page.
func hasPages(src *source) bool {
	pages := 0
	_ = metadata.TIFFDirectories(src, func(d metadata.TIFFDirectory) bool {
		if pageOf(d).whole {
			pages++
		}
		return pages < 2
	})
	return pages > 1
}

// Pages returns the places in a TIFF of the directories of its pages. Smaller copies and masks
// of a page are no pages: others is how many of them there are. Put into the header, from byte
// 4 on, a place makes its page the first. The errors are those of metadata.TIFFDirectories; what
// was found before is returned as well.
func Pages(data []byte) (places []uint32, others int, err error) {
	err = metadata.TIFFDirectories(bytes.NewReader(data), func(d metadata.TIFFDirectory) bool {
		if pageOf(d).whole {
			places = append(places, d.At)
		} else {
			others++
		}
		return true
	})
	return places, others, err
}

// endOfTIFF is where the last of what a TIFF points to ends: directories, values and pixels. It is 0
// where that cannot be known.
func endOfTIFF(data []byte) (end uint64) {
	left := 1 << 22 // strips and tiles, with their lengths
	err := metadata.TIFFDirectories(bytes.NewReader(data), func(d metadata.TIFFDirectory) bool {
		end = max(end, uint64(d.End))
		var offsets, lengths []uint32
		for e := range d.Entries() {
			if v, ok := d.Value(e); ok {
				end = max(end, uint64(v.At()+v.Len))
			}
			switch e.Tag {
			case 273, 324: // of strips and tiles
				offsets = d.Numbers(e, left)
				left -= len(offsets)
			case 279, 325:
				lengths = d.Numbers(e, left)
				left -= len(lengths)
			}
		}
		for i := range min(len(offsets), len(lengths)) {
			end = max(end, uint64(offsets[i])+uint64(lengths[i]))
		}
		return true
	})
	if err != nil {
		return 0
	}
	return end
}
