package imagefile

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"io"

	"superres/internal/metadata"
	"superres/internal/tiff"
)

// MostFrames is the greatest number of pictures to read from one file.
const MostFrames = metadata.MostDirectories

// configOfTIFF returns the size and the colour model of the TIFF in r, which must be a *source.
func configOfTIFF(r io.Reader) (image.Config, error) { return tiff.DecodeConfig(r.(*source)) }

// decodeTIFF decodes the first page of a TIFF.
func decodeTIFF(src *source, size Size, _ Limits) (image.Image, error) {
	img, warnings, err := tiff.Decode(src.ctx, src, src.data, tiff.Options{
		Pixels: size.Pixels(),
		WebP: func(_ context.Context, data []byte) (image.Image, error) {
			return decodeWebP(src.withData(data), Size{}, Limits{}) // package tiff has checked the size
		},
	})
	src.warnings = append(src.warnings, warnings...)
	return img, err
}

// describeTIFF sets pic.GreyAlpha for a TIFF, and adds a warning if its CMYK colours have been converted.
func describeTIFF(src *source, pic *Picture) {
	pic.GreyAlpha = tiff.GreyAlpha(src)
	if _, is := pic.Image.(*image.CMYK); !is && tiff.IsCMYK(src) {
		pic.Warnings = append(pic.Warnings, plainInks)
	}
}

// hasPages reports whether a TIFF has several pages. A wrong link after the only page does not count.
func hasPages(src *source) bool {
	pages := 0
	_ = metadata.TIFFDirectories(src, func(d metadata.TIFFDirectory) bool {
		if d.IsWhole() {
			pages++
		}
		return pages < 2
	})
	return pages > 1
}

// Pages returns the offsets of the page directories in the TIFF data, and the number of other directories, which
// describe smaller copies and masks. SetPage makes a page the first. Pages fails if metadata.TIFFDirectories fails, but
// still returns the offsets found before the error.
func Pages(data []byte) (places []uint64, others int, err error) {
	err = metadata.TIFFDirectories(bytes.NewReader(data), func(d metadata.TIFFDirectory) bool {
		if d.IsWhole() {
			places = append(places, d.At)
		} else {
			others++
		}
		return true
	})
	return places, others, err
}

// SetPage makes a page the first in the TIFF data: it writes the offset of its directory, from Pages, into the header.
func SetPage(data []byte, place uint64) {
	if order, ok := metadata.ByteOrder(data); ok {
		order.PutUint32(data[4:], uint32(place))
		return
	}
	order := binary.ByteOrder(binary.LittleEndian) // order of a BigTIFF
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	order.PutUint64(data[8:], place)
}

// endOfTIFF returns the offset after the last byte of directories, values and pixels in the TIFF data; 0: unknown.
func endOfTIFF(data []byte) (end uint64) {
	left := 1 << 22 // how many offsets and lengths of strips and tiles may still be read
	err := metadata.TIFFDirectories(bytes.NewReader(data), func(d metadata.TIFFDirectory) bool {
		end = max(end, uint64(d.End))
		var offsets, lengths []uint64
		for e := range d.Entries() {
			if v, ok := d.Value(e); ok {
				end = max(end, uint64(v.At()+v.Len))
			}
			switch e.Tag {
			case 273, 324: // offsets of strips and tiles; their lengths: 279, 325
				offsets = d.Numbers(e, left)
				left -= len(offsets)
			case 279, 325:
				lengths = d.Numbers(e, left)
				left -= len(lengths)
			}
		}
		for i := range min(len(offsets), len(lengths)) {
			if sum := offsets[i] + lengths[i]; sum >= offsets[i] { // the sum has not overflowed
				end = max(end, sum)
			}
		}
		return true
	})
	if err != nil {
		return 0
	}
	return end
}
