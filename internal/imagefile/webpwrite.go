package imagefile

import (
	"context"
	"image"
	"io"

	"superres/internal/parallel"
	"superres/internal/wasm"
)

// webpEncoderBytes returns the bytes that encodeWebP takes beside a picture of w×h pixels.
func webpEncoderBytes(w, h int) int64 {
	const pixelBytes, fileBytes = 4, 4
	pixels := int64(w) * int64(h)
	return wasm.WebPEncoderMemory(pixels) + (pixelBytes+fileBytes)*pixels
}

// encodeWebP writes img, which is of a type that adapt returns, losslessly, with its metadata. Colour under full
// transparency is kept.
func encodeWebP(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := rasterOf(img, false, false)
	stream, err := wasm.EncodeWebP(context.Background(), r.width, r.height, r.samples())
	if err != nil {
		return err
	}
	layout := opt.Metadata.WebP(opt.Software, r.width, r.height, r.kind == pngRGBA, int64(len(stream)))
	return layout.Write(w, func(w io.Writer) error {
		_, err := w.Write(stream)
		return err
	})
}

// samples returns red, green, blue and alpha of all pixels. r must have samples of one byte.
func (r *raster) samples() []byte {
	pix := make([]byte, 4*r.width*r.height)
	colours, _ := r.paletteBytes() // all palette colours are opaque
	parallel.Rows(r.height, func(y int) {
		dst := pix[4*y*r.width:][:4*r.width]
		if r.kind == pngRGBA {
			r.read(dst, y)
			return
		}
		row := make([]byte, r.rowBytes())
		r.read(row, y)
		for x := range r.width {
			p := dst[4*x:][:4]
			switch r.kind {
			case pngGrey:
				p[0], p[1], p[2] = row[x], row[x], row[x]
			case pngPalette:
				copy(p, colours[3*int(row[x]):][:3])
			case pngRGB:
				copy(p, row[3*x:][:3])
			}
			p[3] = 0xff
		}
	})
	return pix
}
