package imagefile

import (
	"encoding/binary"
	"image"
	"io"

	"superres/internal/metadata"
	"superres/internal/parallel"
)

// encodePNG writes a PNG (ISO/IEC 15948) that is not interlaced: of grey, grey with
// alpha, a palette, colour, or colour with alpha, in 8 or 16 bits a sample. Colour
// that is opaque throughout has no alpha; greyAlpha asks for a grey picture with
// alpha to be written as that. img is of a type that fitting returns.
//
// The filtered rows are cut into chunks of about chunkBytes, which are packed one by one,
// as many at a time as there are processors, and written in order. A chunk ends at a whole
// byte of the stream and refers to none before it, so that the bytes are the same with any
// number of processors; memory is a few chunks.
func encodePNG(w io.Writer, img image.Image, greyAlpha bool) error {
	r := rasterOf(img, greyAlpha)
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(r.width)), uint32(r.height))
	head = append(head, byte(8*r.depth), r.kind, 0, 0, 0)
	start := metadata.AppendChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", head)
	if r.kind == pngPalette {
		colours, alpha := r.paletteBytes()
		start = metadata.AppendChunk(start, "PLTE", colours)
		if len(alpha) > 0 {
			start = metadata.AppendChunk(start, "tRNS", alpha)
		}
	}
	if _, err := w.Write(start); err != nil {
		return err
	}

	rows, sum := max(chunkBytes/(r.rowBytes()+1), 1), uint32(1)
	err := parallel.Ordered((r.height+rows-1)/rows, func(i int) *pngChunk {
		c := pngChunks.Get().(*pngChunk)
		c.pack(r, i*rows, min((i+1)*rows, r.height))
		return c
	}, func(c *pngChunk) error {
		sum = adlerOfBoth(sum, c.sum, len(c.filtered))
		_, err := w.Write(c.finished(sum))
		pngChunks.Put(c)
		return err
	})
	if err != nil {
		return err
	}
	_, err = w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}
