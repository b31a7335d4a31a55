package imagefile

import (
	"bytes"
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// MostFrames is the largest number of pictures that are read from one file.
const MostFrames = metadata.MostDirectories

// tiffPage says what kind of picture a TIFF directory describes.
type tiffPage struct {
	whole    bool // it is a page; false: a smaller copy of a page, or a mask
	separate bool // it has a plane for each colour; false: the samples of a pixel lie together
}

// pageOf returns the kind of picture that d describes.
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

// inspectTIFF refuses a TIFF of more than one page, and a TIFF with a plane for each colour, which the decoder cannot
// read. It accepts a single page whose link to the next leads nowhere, or in a circle.
func inspectTIFF(src *source, lim Limits) (err error) {
	if _, ok := metadata.ByteOrder(src.data); !ok {
		return io.ErrUnexpectedEOF
	}
	_ = metadata.TIFFDirectories(src, func(d metadata.TIFFDirectory) bool {
		if pageOf(d).separate {
			err = refuse(safefile.ErrInput, "is a TIFF with a plane for each colour, which cannot be read; save "+
				"it as PNG first")
		}
		return false // only the first page is decoded
	})
	if err == nil && !lim.FirstFrame && hasPages(src) {
		err = refuse(safefile.ErrInput, "is a TIFF with more than one page").With(FirstPage)
	}
	return err
}

// hasPages reports whether a TIFF has more than one page.
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

// Pages returns the offsets of the directories of the pages of the TIFF data, and the number of other directories, of
// smaller copies and masks. Writing one of the offsets at byte 4 of the file makes its page the first. The errors are
// those of metadata.TIFFDirectories; the offsets that were found before the error are returned as well.
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

// endOfTIFF returns the offset behind the last bytes that the TIFF data refers to, which may be a directory, a value or
// pixels. It is 0 where that cannot be known.
func endOfTIFF(data []byte) (end uint64) {
	left := 1 << 22 // the most offsets and lengths of strips and tiles that may still be read
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
