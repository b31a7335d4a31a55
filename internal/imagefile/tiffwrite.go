package imagefile

import (
	"image"
	"image/color"
	"io"
	"slices"

	"superres/internal/metadata"
)

// encodeTIFF writes the samples in one piece and not compressed, so that it takes no
// memory of its own. img is of a type that fitting returns.
//
// Note: x/image/tiff writes 72 pixels per inch whatever the picture, no metadata,
// and four samples a pixel where three would do.
func encodeTIFF(w io.Writer, img image.Image, m metadata.Metadata, software string) error {
	const (
		byteSamples, wordSamples = 8, 16
		grey, rgb, indexed       = 1, 2, 3
		multiplied, plain        = 1, 2 // how colour and alpha go together
	)
	b := img.Bounds()
	var (
		pix                 []byte
		stride              int
		bits, photometric   = uint32(byteSamples), uint32(rgb)
		stored, alpha       = 4, uint32(plain) // samples of a pixel in pix; 0: no alpha
		colours             color.Palette
		opaque, opaqueKnown = img.(interface{ Opaque() bool })
	)
	switch src := img.(type) {
	case *image.Gray:
		pix, stride, stored, alpha, photometric = src.Pix, src.Stride, 1, 0, grey
	case *image.Gray16:
		pix, stride, stored, alpha, photometric, bits = src.Pix, src.Stride, 1, 0, grey, wordSamples
	case *image.Paletted:
		pix, stride, stored, alpha, photometric, colours = src.Pix, src.Stride, 1, 0, indexed, src.Palette
	case *image.NRGBA:
		pix, stride = src.Pix, src.Stride
	case *image.NRGBA64:
		pix, stride, bits = src.Pix, src.Stride, wordSamples
	case *image.RGBA:
		pix, stride, alpha = src.Pix, src.Stride, multiplied
	case *image.RGBA64:
		pix, stride, alpha, bits = src.Pix, src.Stride, multiplied, wordSamples
	default:
		dst := nrgba(img, func(x, y int) color.NRGBA { return color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA) })
		return encodeTIFF(w, dst, m, software)
	}
	samples := stored
	if stored == 4 && opaqueKnown && opaque.Opaque() {
		samples, alpha = 3, 0
	}
	size := int(bits / 8)
	length := uint32(b.Dx() * b.Dy() * samples * size)

	layout := m.TIFF(software, length, func(at uint32) []metadata.TIFFField {
		f := []metadata.TIFFField{
			{Tag: 256, Long: true, Values: []uint32{uint32(b.Dx())}},
			{Tag: 257, Long: true, Values: []uint32{uint32(b.Dy())}},
			{Tag: 258, Values: slices.Repeat([]uint32{bits}, samples)},
			{Tag: 259, Values: []uint32{1}}, // not compressed
			{Tag: 262, Values: []uint32{photometric}},
			{Tag: 273, Long: true, Values: []uint32{at}},
			{Tag: 277, Values: []uint32{uint32(samples)}},
			{Tag: 278, Long: true, Values: []uint32{uint32(b.Dy())}},
			{Tag: 279, Long: true, Values: []uint32{length}},
		}
		if colours != nil {
			f = append(f, metadata.TIFFField{Tag: 320, Values: colourMap(colours)})
		}
		if alpha != 0 {
			f = append(f, metadata.TIFFField{Tag: 338, Values: []uint32{alpha}})
		}
		return f
	})
	if err := layout.WriteHead(w); err != nil {
		return err
	}
	// Samples of 16 bits are big-endian in memory.
	swap := size == 2 && layout.Order.Uint16([]byte{0, 1}) != 1
	row := make([]byte, b.Dx()*samples*size)
	for y := range b.Dy() {
		src := pix[y*stride:][:b.Dx()*stored*size]
		if samples == stored {
			copy(row, src)
		} else {
			for x := range b.Dx() {
				copy(row[x*samples*size:(x+1)*samples*size], src[x*stored*size:])
			}
		}
		if swap {
			for i := 0; i < len(row); i += 2 {
				row[i], row[i+1] = row[i+1], row[i]
			}
		}
		if _, err := w.Write(row); err != nil {
			return err
		}
	}
	return layout.WriteTail(w)
}

// colourMap is a palette as TIFF has it: 256 reds, greens and blues of 16 bits.
func colourMap(p color.Palette) []uint32 {
	m := make([]uint32, 3*256)
	for i, c := range p[:min(len(p), 256)] {
		m[i], m[256+i], m[512+i], _ = c.RGBA()
	}
	return m
}
