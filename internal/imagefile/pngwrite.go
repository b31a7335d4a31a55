package imagefile

import (
	"encoding/binary"
	"image"
	"io"

	"superres/internal/metadata"
	"superres/internal/parallel"
)

// encodePNG writes a PNG (ISO/IEC 15948), not interlaced: a palette, or grey or colour, with or without alpha.
//
// The filtered rows are divided into chunks of about chunkBytes, which are compressed independently, one per processor
// at the same time, and written in order. A chunk ends at a byte boundary and refers to no earlier chunk, so the file
// does not depend on the number of processors. Only a few chunks are in memory at once.
func encodePNG(w io.Writer, img image.Image, opt EncodeOptions) error {
	p, err := beginPNG(w, rasterOf(img, opt.GreyAlpha, opt.Alpha))
	if err != nil {
		return err
	}
	if err := p.pack(p.count.of); err != nil {
		return err
	}
	return p.end()
}

// pngFile is a PNG that is written chunk by chunk.
type pngFile struct {
	w     io.Writer
	r     *raster
	count chunks
	sum   uint32 // Adler-32 of the chunks written
}

// beginPNG writes the chunks before the pixels of r to w, and returns a writer for the pixels.
func beginPNG(w io.Writer, r *raster) (*pngFile, error) {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(r.width)), uint32(r.height))
	head = append(head, byte(8*r.depth), r.kind, 0, 0, 0) // deflate, the usual filters, no interlacing
	start := metadata.AppendChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", head)
	if r.kind == pngPalette {
		colours, alpha := r.paletteBytes()
		start = metadata.AppendChunk(start, "PLTE", colours)
		if len(alpha) > 0 {
			start = metadata.AppendChunk(start, "tRNS", alpha)
		}
	}
	_, err := w.Write(start)
	rows := max(chunkBytes/(r.rowBytes()+1), 1)
	const sumOfNothing = 1 // by Adler-32
	return &pngFile{w: w, r: r, count: chunks{rows: rows, above: 1, of: (r.height + rows - 1) / rows},
		sum: sumOfNothing}, err
}

func (p *pngFile) chunks() *chunks { return &p.count }

// pack compresses and writes the next n chunks.
func (p *pngFile) pack(n int) error {
	first, rows := p.count.written, p.count.rows
	p.count.written += n
	return parallel.Ordered(n, func(i int) *pngChunk {
		c := pngChunks.Get().(*pngChunk)
		c.pack(p.r, (first+i)*rows, min((first+i+1)*rows, p.r.height))
		return c
	}, func(c *pngChunk) error {
		p.sum = adlerOfBoth(p.sum, c.sum, len(c.filtered))
		_, err := p.w.Write(c.finish(p.sum))
		pngChunks.Put(c)
		return err
	})
}

// end writes the chunk IEND.
func (p *pngFile) end() error {
	_, err := p.w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}
