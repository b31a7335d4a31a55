package sequence

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"superres/internal/metadata"
)

// webpFrame is how long the head of a frame of a WebP is: place, size, duration, flags.
const webpFrame = 16

// webpCells reads the frames of an animated WebP.
type webpCells struct {
	data []byte
	at   int
}

// number24 reads 24 bits.
func number24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// openWebP reads what a WebP says about all frames.
func (r *Reader) openWebP() error {
	const start = 12 + 8 + 10 // up to the end of VP8X
	if len(r.data) < start || uint64(binary.LittleEndian.Uint32(r.data[4:]))+8 > uint64(len(r.data)) {
		return io.ErrUnexpectedEOF
	}
	r.size = image.Pt(number24(r.data[24:])+1, number24(r.data[27:])+1)
	r.Plays = 1
	metadata.RIFFChunks(bytes.NewReader(r.data), func(kind []byte, body metadata.Body) bool {
		switch string(kind) {
		case "ANIM":
			if b := body.Start(6); len(b) == 6 {
				r.Plays = int(binary.LittleEndian.Uint16(b[4:]))
			}
		case "ANMF":
			r.Frames++
		}
		return r.Frames <= MostFrames
	})
	if r.Frames > MostFrames {
		return tooMany()
	}
	end := 8 + int(binary.LittleEndian.Uint32(r.data[4:]))
	r.canvas = newCanvas(r.size, false)
	r.begin = func() cells { return &webpCells{data: r.data[:end], at: 12} }
	return nil
}

// riff takes the next chunk of a RIFF off the start of data.
func riff(data []byte) (kind string, body, rest []byte, err error) {
	if len(data) < 8 {
		return "", nil, nil, io.EOF
	}
	n := int64(binary.LittleEndian.Uint32(data[4:]))
	if n > int64(len(data))-8 {
		return "", nil, nil, io.ErrUnexpectedEOF
	}
	return string(data[:4]), data[8 : 8+n], data[min(8+n+n%2, int64(len(data))):], nil
}

func (w *webpCells) next() (c cell, err error) {
	for {
		kind, body, rest, err := riff(w.data[w.at:])
		if err != nil {
			return c, err
		}
		w.at = len(w.data) - len(rest)
		if kind == "ANMF" {
			return webpCell(body)
		}
	}
}

// webpCell is the frame in a chunk ANMF.
func webpCell(body []byte) (c cell, err error) {
	if len(body) < webpFrame {
		return c, damaged("a frame of %d bytes", len(body))
	}
	size := image.Pt(number24(body[6:])+1, number24(body[9:])+1)
	c.rect = image.Rectangle{Max: size}.Add(image.Pt(2*number24(body), 2*number24(body[3:])))
	c.delay = milliseconds(number24(body[12:]))
	c.over = body[15]&2 == 0
	if body[15]&1 != 0 {
		c.after = clear
	}
	const alphaFlag = 0x10
	still := append([]byte("RIFF????WEBPVP8X"), 10, 0, 0, 0, 0, 0, 0, 0)
	still = append(still, body[6:12]...)
	for rest := body[webpFrame:]; ; {
		kind, chunk, next, err := riff(rest)
		if err == io.EOF {
			return c, damaged("a frame without pixels")
		} else if err != nil {
			return c, err
		}
		whole := rest[:8+len(chunk)]
		if rest = next; kind == "ALPH" && still[20] == 0 {
			still[20] = alphaFlag
		} else if kind != "VP8 " && kind != "VP8L" {
			continue
		}
		if still = append(still, whole...); len(whole)%2 > 0 {
			still = append(still, 0)
		}
		if kind != "ALPH" {
			binary.LittleEndian.PutUint32(still[4:], uint32(len(still)-8))
			c.still = still
			return c, nil
		}
	}
}

// milliseconds is a delay, as exactly as 16 bits can have it.
func milliseconds(ms int) Delay {
	unit := 1000
	for ms > 0xffff {
		ms, unit = (ms+5)/10, unit/10
	}
	return Delay{uint16(ms), uint16(unit)}
}
