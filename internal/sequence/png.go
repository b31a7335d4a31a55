package sequence

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"superres/internal/metadata"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// Offsets in the body of the chunk IHDR.
const (
	headerWidth  = 0
	headerHeight = 4
	headerDepth  = 8
)

// The length of the body of fcTL, the control chunk before a frame, and the offsets of its fields.
const (
	controlLength  = 26
	controlWidth   = 4
	controlHeight  = 8
	controlLeft    = 12
	controlTop     = 16
	controlDelay   = 20
	controlDispose = 24
	controlBlend   = 25
)

// pngCells walks over the frames of an animated PNG. Besides the rules in metadata.ChunkWalk it enforces the rules for
// animations: the chunks fcTL and fdAT are numbered from 0 without gaps, pixels follow the fcTL of every frame, and the
// chunks IDAT, with the still picture, lie together, before the pixels of all other frames.
type pngCells struct {
	animation
	data     []byte
	chunks   *metadata.ChunkWalk
	header   []byte    // the body of IHDR
	colours  [2][]byte // the chunks PLTE and tRNS; nil if missing
	sequence uint32    // the number that the next chunk fcTL or fdAT must have
	control  []byte    // the body of the last fcTL; nil: pixels that come next belong to no frame
	still    int       // noPixels, amongPixels or behindPixels
}

// The values of pngCells.still: the walk is before the pixels of the still picture, among these pixels, or after them.
const (
	noPixels = iota
	amongPixels
	behindPixels
)

// newPNGCells returns a walk over the animated PNG in data. It reads the size and depth from IHDR, the first chunk.
func newPNGCells(data []byte) (cells, error) {
	p := &pngCells{data: data, chunks: metadata.WalkChunks(bytes.NewReader(data))}
	head, err := p.chunks.Next() // IHDR, or an error
	if err != nil {
		return nil, err
	}
	p.header = data[head.At() : head.At()+head.Len]
	number := func(at int) int64 { return int64(binary.BigEndian.Uint32(p.header[at:])) }
	p.width, p.height, p.deep = number(headerWidth), number(headerHeight), p.header[headerDepth] == 16
	return p, nil
}

// checkNumber refuses a chunk fcTL or fdAT whose number, the first four bytes of body, is not p.sequence.
func (p *pngCells) checkNumber(body []byte) error {
	if len(body) < 4 || binary.BigEndian.Uint32(body) != p.sequence {
		return refuseDamaged("its frames are out of order")
	}
	p.sequence++
	return nil
}

// next returns the next frame, or io.EOF. It reads up to the next fcTL after the pixels of the frame, or up to IEND.
func (p *pngCells) next() (cell, error) {
	from := int64(0) // offset of the pixels of the frame; 0: none found yet
	for {
		c, err := p.chunks.Next()
		if err != nil {
			return cell{}, err
		}
		at, body := c.At()-8, p.data[c.At():c.At()+c.Len]
		kind := string(c.Kind)
		if kind != "IDAT" && p.still == amongPixels {
			p.still = behindPixels
		}
		switch kind {
		case "PLTE", "tRNS":
			p.keepColour(kind, p.data[at:c.At()+c.Len+4])
		case "acTL":
			if p.still == noPixels {
				p.frames = int64(binary.BigEndian.Uint32(body))
				p.plays = int(binary.BigEndian.Uint32(body[4:]) & (1<<31 - 1)) // numbers of PNG have 31 bits
			}
		case "fcTL":
			if err := p.checkSum(kind, at, body); err != nil {
				return cell{}, err
			}
			if err := p.checkNumber(body); err != nil {
				return cell{}, err
			}
			if len(body) != controlLength {
				return cell{}, refuseDamaged("a chunk fcTL of %d bytes, expected %d", len(body), controlLength)
			}
			before := p.control
			if p.control = body; before != nil {
				return newCell(before, from, at)
			}
		case "IDAT":
			if p.still == behindPixels {
				return cell{}, refuseDamaged("other chunks lie among the pixels of its still picture")
			}
			if p.still = amongPixels; p.control != nil && from == 0 {
				from = at
			}
		case "fdAT":
			if err := p.checkNumber(body); err != nil {
				return cell{}, err
			}
			switch {
			case p.control == nil:
				return cell{}, refuseDamaged("pixels of no frame")
			case p.still == noPixels || from > 0 && string(p.data[from+4:from+8]) == "IDAT":
				return cell{}, refuseDamaged("pixels of another frame come before the end of those " +
					"of its still picture")
			case from == 0:
				from = at
			}
		case "IEND":
			if p.control == nil {
				return cell{}, io.EOF
			}
			last := p.control
			p.control = nil
			return newCell(last, from, at)
		}
	}
}

// keepColour stores chunk, a complete chunk PLTE or tRNS, in p.colours. It ignores a second one of its kind, one
// after the pixels of the still picture, and one longer than any palette.
func (p *pngCells) keepColour(kind string, chunk []byte) {
	const most = 3*256 + 12 // bytes of 256 colours, and of length, kind and checksum of the chunk
	place := 0
	if kind == "tRNS" {
		place = 1
	}
	if p.still == noPixels && p.colours[place] == nil && len(chunk) <= most {
		p.colours[place] = chunk
	}
}

// newCell returns the frame that control, the body of a chunk fcTL, describes. The chunks with its pixels are at the
// offsets [from, to) of the file; from is 0 if there are none.
func newCell(control []byte, from, to int64) (c cell, err error) {
	if from == 0 {
		return c, refuseDamaged("a frame without pixels")
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint32(control[i:])) }
	c.left, c.top = number(controlLeft), number(controlTop)
	c.width, c.height = number(controlWidth), number(controlHeight)
	c.delay = Delay{binary.BigEndian.Uint16(control[controlDelay:]), binary.BigEndian.Uint16(control[controlDelay+2:])}
	c.after = min(disposal(control[controlDispose]), restore) // undefined values, above 2, count as restore
	c.over = control[controlBlend] == 1
	c.from, c.to = from, to
	return c, nil
}

// file returns a PNG with only the frame c: chunks fdAT become chunks IDAT. It fails if a checksum is wrong.
func (p *pngCells) file(c cell) ([]byte, error) {
	head := bytes.Clone(p.header)
	w, h := c.size.Sides()
	binary.BigEndian.PutUint32(head[headerWidth:], uint32(w))
	binary.BigEndian.PutUint32(head[headerHeight:], uint32(h))
	still := metadata.AppendChunk([]byte(pngSignature), "IHDR", head)
	still = append(append(still, p.colours[0]...), p.colours[1]...) // PLTE and tRNS; nil: missing
	for walk := metadata.WalkChunksFrom(bytes.NewReader(p.data[:c.to]), c.from); ; {
		chunk, err := walk.Next()
		if err == io.ErrUnexpectedEOF { // at c.to, the end of the pixels of the frame
			return metadata.AppendChunk(still, "IEND", nil), nil
		}
		if err != nil {
			return nil, err
		}
		kind, body := string(chunk.Kind), p.data[chunk.At():chunk.At()+chunk.Len]
		if kind != "IDAT" && kind != "fdAT" {
			continue
		}
		if err := p.checkSum(kind, chunk.At()-8, body); err != nil {
			return nil, err
		}
		if kind == "fdAT" {
			body = body[4:] // after the sequence number
		}
		still = metadata.AppendChunk(still, "IDAT", body)
	}
}

// checkSum refuses a chunk whose checksum in the file does not match its kind and body. at is the offset of the chunk.
func (p *pngCells) checkSum(kind string, at int64, body []byte) error {
	end := at + 8 + int64(len(body))
	if crc32.ChecksumIEEE(p.data[at+4:end]) != binary.BigEndian.Uint32(p.data[end:]) {
		return refuseDamaged("invalid checksum of a chunk %s", kind)
	}
	return nil
}
