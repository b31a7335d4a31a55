package imagefile

import (
	"context"
	"image"
	"io"

	"superres/internal/parallel"
	"superres/internal/wasm"
)

// avifEncoderBytes returns the bytes of memory that encodeAVIF needs besides a picture of w×h pixels.
func avifEncoderBytes(w, h int) int64 {
	const pixelBytes, fileBytes = 4, 3
	pixels := int64(w) * int64(h)
	return wasm.AVIFEncoderMemory(pixels) + (pixelBytes+fileBytes)*pixels
}

// encodeAVIF writes img, converted by adapt, with its metadata. Colours are multiplied by alpha first.
func encodeAVIF(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := rasterOf(img, false, false)
	pix := r.samples()
	parallel.Rows(r.height, func(y int) {
		for x := range r.width {
			p := pix[4*(y*r.width+x):][:4]
			for c := range 3 {
				p[c] = byte((uint32(p[c])*uint32(p[3]) + 127) / 255)
			}
		}
	})
	file, err := wasm.EncodeAVIF(context.Background(), r.width, r.height, pix, r.kind == pngGrey, opt.Quality)
	if err != nil {
		return err
	}
	if file, err = opt.Metadata.AVIF(file, opt.Software); err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}
