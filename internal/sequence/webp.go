package sequence

import (
	"bytes"
	"encoding/binary"
	"io"

	"superres/internal/metadata"
)

// webpFrame is the length in bytes of the head of a frame in a WebP: offset, size, duration, flags.
const webpFrame = 16

// webpCells walks over the frames of an animated WebP.
type webpCells struct {
	animation
	data   []byte
	chunks *metadata.RIFFWalk
	begun  bool // the chunk ANIM was read
	// The parts of a still WebP with the frame that next has returned last: see metadata.Body.StillWebP.
	start []byte
	parts []metadata.Body
}

func number24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }

// newWebPCells returns a walk over the animated WebP in data. It reads the size from VP8X, the first chunk.
func newWebPCells(data []byte) (cells, error) {
	w := &webpCells{data: data, chunks: metadata.WalkRIFF(bytes.NewReader(data))}
	head, err := w.chunks.Next()
	if err != nil {
		return nil, err
	}
	const width, height, length = 4, 7, 10 // offsets in the chunk VP8X, and its length
	if string(head.Kind) != "VP8X" || head.Len != length {
		return nil, refuseDamaged("it begins with a chunk %q of %d bytes, expected VP8X of %d",
			head.Kind, head.Len, length)
	}
	body := head.Bytes()
	w.width, w.height = number24(body[width:])+1, number24(body[height:])+1
	w.plays, w.frames = 1, -1 // until the chunk ANIM, and unknown
	return w, nil
}

// next implements cells: it reads the chunks up to the next frame, a chunk ANMF.
func (w *webpCells) next() (c cell, err error) {
	for {
		chunk, err := w.chunks.Next()
		if err != nil {
			return c, err
		}
		switch string(chunk.Kind) {
		case "ANIM":
			if w.begun || chunk.Len < 6 { // 4 bytes of background, and 2 of how often it is played
				return c, refuseDamaged("two chunks ANIM, or one of %d bytes", chunk.Len)
			}
			w.begun = true
			w.plays = int(binary.LittleEndian.Uint16(chunk.Bytes()[4:]))
		case "ANMF":
			if !w.begun {
				return c, refuseDamaged("a frame stands in front of the chunk ANIM")
			}
			return w.frame(chunk)
		}
	}
}

// frame returns the frame in chunk, an ANMF, and sets w.start and w.parts to the parts of a still WebP of it. The
// chunk holds half of the left and top edges, and the width and height less 1.
func (w *webpCells) frame(chunk metadata.RIFFChunk) (c cell, err error) {
	if chunk.Len < webpFrame {
		return c, refuseDamaged("a frame of %d bytes, expected %d at least", chunk.Len, webpFrame)
	}
	body := w.data[chunk.At():][:webpFrame]
	c.left, c.top = 2*number24(body), 2*number24(body[3:])
	c.width, c.height = number24(body[6:])+1, number24(body[9:])+1
	c.delay = milliseconds(int(number24(body[12:])))
	c.over = body[15]&2 == 0 // the flag for replacing instead of blending is not set
	if body[15]&1 != 0 {     // the flag for clearing the rectangle afterwards
		c.after = clear
	}
	if w.start, w.parts, err = chunk.StillWebP(); err == io.EOF {
		err = refuseDamaged("a frame without pixels")
	}
	return c, err
}

// file returns a WebP with only the frame c, which next returned last.
func (w *webpCells) file(cell) ([]byte, error) {
	return metadata.JoinWebP(nil, w.start, w.parts, w.data), nil
}

// milliseconds returns a delay of ms milliseconds, as exactly as its fields of 16 bits allow.
func milliseconds(ms int) Delay {
	unit := 1000
	for ms > 0xffff {
		ms, unit = (ms+5)/10, unit/10
	}
	return Delay{uint16(ms), uint16(unit)}
}
