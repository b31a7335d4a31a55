package imagefile

import (
	"context"
	"image"
	"io"

	"superres/internal/avif"
	"superres/internal/parallel"
)

// avifEncoderBytes returns the bytes of memory that encodeAVIF needs besides a picture of w×h pixels.
func avifEncoderBytes(w, h int) int64 {
	const pixelBytes, fileBytes = 4, 3 // bytes a pixel: of pix in encodeAVIF, and allowed for the file
	pixels := int64(w) * int64(h)
	return avif.EncoderMemory(pixels) + (pixelBytes+fileBytes)*pixels
}

// encodeAVIF writes img, converted by adapt, with its metadata. Colours are multiplied by alpha first.
func encodeAVIF(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := plainRaster(img)
	pix, read := make([]byte, 4*r.width*r.height), r.readARGB()
	parallel.Rows(r.height, func(y int) {
		row := make([]uint32, r.width)
		read(row, y) // each pixel as 0xAARRGGBB
		for x, v := range row {
			p, alpha := pix[4*(y*r.width+x):][:4], v>>24
			for c := range 3 {
				p[c] = byte(((v>>(16-8*c))&0xff*alpha + 127) / 255)
			}
			p[3] = byte(alpha)
		}
	})
	file, err := avif.Encode(context.Background(), r.width, r.height, pix, r.kind == pngGrey, opt.Quality)
	if err != nil {
		return err
	}
	if file, err = opt.Metadata.AVIF(file, opt.Software); err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}
