package imagefile

import (
	"encoding/binary"
	"io"

	"superres/internal/metadata"
	"superres/internal/parallel"
)

// encodePNG writes a PNG (ISO/IEC 15948) that is not interlaced: of grey, grey with
// alpha, a palette, colour, or colour with alpha, in 8 or 16 bits a sample.
//
// The filtered rows are cut into chunks of about chunkBytes, which are packed one by one,
// as many at a time as there are processors, and written in order. A chunk ends at a whole
// byte of the stream and refers to none before it, so that the bytes are the same with any
// number of processors; memory is a few chunks.
func encodePNG(w io.Writer, r *raster) error {
	p, err := beginPNG(w, r)
	if err != nil {
		return err
	}
	if err := p.pack(p.chunks()); err != nil {
		return err
	}
	return p.end()
}

// pngFile is a PNG that is written chunk by chunk.
type pngFile struct {
	w    io.Writer
	r    *raster
	rows int    // of a chunk
	made int    // chunks
	sum  uint32 // Adler-32 of them
}

// beginPNG writes what comes before the pixels.
func beginPNG(w io.Writer, r *raster) (*pngFile, error) {
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
	_, err := w.Write(start)
	return &pngFile{w: w, r: r, rows: max(chunkBytes/(r.rowBytes()+1), 1), sum: 1}, err
}

// chunks is how many there are in all.
func (p *pngFile) chunks() int { return (p.r.height + p.rows - 1) / p.rows }

// pack packs and writes the next n chunks.
func (p *pngFile) pack(n int) error {
	first := p.made
	p.made += n
	return parallel.Ordered(n, func(i int) *pngChunk {
		c := pngChunks.Get().(*pngChunk)
		c.pack(p.r, (first+i)*p.rows, min((first+i+1)*p.rows, p.r.height))
		return c
	}, func(c *pngChunk) error {
		p.sum = adlerOfBoth(p.sum, c.sum, len(c.filtered))
		_, err := p.w.Write(c.finished(p.sum))
		pngChunks.Put(c)
		return err
	})
}

// end writes what comes behind the pixels.
func (p *pngFile) end() error {
	_, err := p.w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}
