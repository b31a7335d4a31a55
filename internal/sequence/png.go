package sequence

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"

	"superres/internal/metadata"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// The control chunk of a frame, fcTL, and the places of what it says.
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

// pngCells reads the frames of an animated PNG.
type pngCells struct {
	data     []byte
	at       int64
	head     []byte // of a file of one frame: signature, IHDR, palette and transparency
	sequence uint32 // of the next chunk of the animation
	control  []byte // that of the frame of which the pixels come next; nil: they are of none
	ended    bool
}

// openPNG reads what a PNG says about all frames.
func (r *Reader) openPNG() error {
	const depth = 24 // of a sample, from the start of the file
	if len(r.data) < 33 {
		return io.ErrUnexpectedEOF
	}
	r.size = image.Pt(int(binary.BigEndian.Uint32(r.data[16:])), int(binary.BigEndian.Uint32(r.data[20:])))
	head := append([]byte(nil), r.data[:33]...)
	frames, said := 0, uint32(0)
	ended, before := false, map[string]bool{}
	metadata.Chunks(bytes.NewReader(r.data), func(c metadata.Chunk) bool {
		switch kind := string(c.Kind); kind {
		case "PLTE", "tRNS":
			if before[kind] || c.Len > 3*256 {
				break // the frames would repeat it
			}
			before[kind] = true
			head = append(head, r.data[c.At()-8:c.At()+c.Len+4]...)
		case "acTL":
			if c.Len == 8 && said == 0 {
				said = binary.BigEndian.Uint32(c.Bytes())
				r.Plays = int(binary.BigEndian.Uint32(c.Bytes()[4:]) & (1<<31 - 1))
			}
		case "fcTL":
			frames++
		case "IEND":
			ended = true
		}
		return !ended && frames <= MostFrames
	})
	switch {
	case frames > MostFrames:
		return tooMany()
	case !ended:
		return io.ErrUnexpectedEOF
	}
	if r.Frames = frames; uint32(frames) != said {
		r.Warnings = append(r.Warnings, fmt.Sprintf("says that it has %d frames, and has %d", said, frames))
	}
	r.canvas = newCanvas(r.size, r.data[depth] == 16)
	r.begin = func() cells { return &pngCells{data: r.data, at: int64(len(pngSignature)), head: head} }
	return nil
}

// chunk reads the next chunk.
func (p *pngCells) chunk() (kind string, body []byte, err error) {
	rest := p.data[p.at:]
	if len(rest) < 12 {
		return "", nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.BigEndian.Uint32(rest))
	if n > int64(len(rest))-12 {
		return "", nil, io.ErrUnexpectedEOF
	}
	kind, body = string(rest[4:8]), rest[8:8+n]
	switch kind {
	case "fcTL", "fdAT", "IDAT":
		if crc32.ChecksumIEEE(rest[4:8+n]) != binary.BigEndian.Uint32(rest[8+n:]) {
			return "", nil, damaged("invalid checksum of a chunk %s", kind)
		}
	}
	p.at += 12 + n
	return kind, body, nil
}

// ordered takes the number at the start of a chunk of the animation, which counts them.
func (p *pngCells) ordered(body []byte) error {
	if len(body) < 4 || binary.BigEndian.Uint32(body) != p.sequence {
		return damaged("its frames are out of order")
	}
	p.sequence++
	return nil
}

func (p *pngCells) next() (c cell, err error) {
	control, pixels := p.control, []byte(nil)
	p.control = nil
	for !p.ended {
		kind, body, err := p.chunk()
		if err != nil {
			return c, err
		}
		switch kind {
		case "fcTL":
			if err := p.ordered(body); err != nil {
				return c, err
			}
			if len(body) != controlLength {
				return c, damaged("a chunk fcTL of %d bytes", len(body))
			}
			if control != nil {
				p.control = body
				return p.cell(control, pixels)
			}
			control, pixels = body, nil
		case "IDAT":
			if control != nil {
				pixels = metadata.AppendChunk(pixels, "IDAT", body)
			}
		case "fdAT":
			if err := p.ordered(body); err != nil {
				return c, err
			}
			if control == nil {
				return c, damaged("pixels of no frame")
			}
			pixels = metadata.AppendChunk(pixels, "IDAT", body[4:])
		case "IEND":
			p.ended = true
		}
	}
	if control == nil {
		return c, io.EOF
	}
	return p.cell(control, pixels)
}

// cell is a frame of a control chunk and of its pixels, as chunks of a picture.
func (p *pngCells) cell(control, pixels []byte) (c cell, err error) {
	at := func(i int) int { return int(binary.BigEndian.Uint32(control[i:])) }
	const most = 1<<31 - 1
	for _, i := range []int{controlWidth, controlHeight, controlLeft, controlTop} {
		if at(i) > most/2 {
			return c, damaged("a frame of %dx%d at %d,%d", at(controlWidth), at(controlHeight), at(controlLeft), at(controlTop))
		}
	}
	c.rect = image.Rect(0, 0, at(controlWidth), at(controlHeight)).Add(image.Pt(at(controlLeft), at(controlTop)))
	c.delay = Delay{binary.BigEndian.Uint16(control[controlDelay:]), binary.BigEndian.Uint16(control[controlDelay+2:])}
	c.after = min(disposal(control[controlDispose]), restore)
	c.over = control[controlBlend] == 1
	head := bytes.Clone(p.head[16:29])
	copy(head, control[controlWidth:controlLeft])
	c.still = metadata.AppendChunk([]byte(pngSignature), "IHDR", head)
	c.still = append(append(c.still, p.head[33:]...), pixels...)
	c.still = metadata.AppendChunk(c.still, "IEND", nil)
	return c, nil
}
