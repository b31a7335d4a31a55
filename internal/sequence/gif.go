package sequence

import (
	"encoding/binary"
	"image"
	"io"
)

// The parts of a GIF.
const (
	gifHeader     = 13
	gifDescriptor = 10
	gifTrailer    = 0x3b
	gifExtension  = 0x21
	gifImage      = 0x2c
	gifControl    = 0xf9 // the label of an extension about the next image
	gifOwn        = 0xff // that of one of a program
)

// gifCells reads the images of a GIF.
type gifCells struct {
	data    []byte
	at      int
	control []byte // the extension about the next image; nil: there is none
	plays   int    // as far as is known
}

// openGIF reads what a GIF says about all images.
func (r *Reader) openGIF() error {
	if len(r.data) < gifHeader {
		return io.ErrUnexpectedEOF
	}
	r.size = image.Pt(int(binary.LittleEndian.Uint16(r.data[6:])), int(binary.LittleEndian.Uint16(r.data[8:])))
	all := newGIFCells(r.data)
	for r.Frames = 0; ; r.Frames++ {
		if _, _, err := all.image(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		if r.Frames == MostFrames {
			return tooMany()
		}
	}
	r.Plays, r.canvas = all.plays, newCanvas(r.size, false)
	r.begin = func() cells { return newGIFCells(r.data) }
	return nil
}

func newGIFCells(data []byte) *gifCells {
	return &gifCells{data: data, at: gifHeader + gifColours(data[10]), plays: 1}
}

// gifColours is the length in bytes of the colour table that flags announce.
func gifColours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// image goes on to the next image and past it, and returns where it lies.
func (g *gifCells) image() (from, to int, err error) {
	for g.at < len(g.data) {
		start := g.at
		switch g.data[start] {
		case gifTrailer:
			return 0, 0, io.EOF
		case gifExtension:
			blocks, err := g.pass(2)
			if err != nil {
				return 0, 0, err
			}
			switch label := g.data[start+1]; {
			case label == gifControl && len(blocks) >= 5 && blocks[0] == 4:
				g.control = g.data[start:g.at]
			case label == gifOwn && len(blocks) >= 16 && (string(blocks[:12]) == "\x0bNETSCAPE2.0" || string(blocks[:12]) == "\x0bANIMEXTS1.0") && blocks[12] == 3 && blocks[13] == 1:
				// How often it is played again.
				if n := int(binary.LittleEndian.Uint16(blocks[14:])); n > 0 {
					g.plays = n + 1
				} else {
					g.plays = 0
				}
			}
		case gifImage:
			if start+gifDescriptor > len(g.data) {
				return 0, 0, io.ErrUnexpectedEOF
			}
			_, err := g.pass(gifDescriptor + gifColours(g.data[start+9]) + 1)
			return start, g.at, err
		default:
			return 0, 0, damaged("a block of the kind 0x%02x where an image should be", g.data[start])
		}
	}
	return 0, 0, io.ErrUnexpectedEOF
}

// pass goes past a head and the blocks of data behind it, which begin with their length; 0
// ends them. It returns the blocks.
func (g *gifCells) pass(head int) ([]byte, error) {
	start := g.at + head
	for g.at = start; g.at < len(g.data); {
		n := int(g.data[g.at])
		if g.at += 1 + n; n == 0 {
			return g.data[start:g.at], nil
		}
	}
	return nil, io.ErrUnexpectedEOF
}

func (g *gifCells) next() (c cell, err error) {
	g.control = nil
	from, to, err := g.image()
	if err != nil {
		return c, err
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint16(g.data[from+i:])) }
	c.rect = image.Rect(0, 0, at(5), at(7)).Add(image.Pt(at(1), at(3)))
	c.over = true // what is not transparent
	c.delay = Delay{Den: 100}
	c.still = append(c.still, g.data[:gifHeader+gifColours(g.data[10])]...)
	// It alone, on a screen of its size.
	copy(c.still[6:], g.data[from+5:from+9])
	if g.control != nil {
		c.delay.Num = binary.LittleEndian.Uint16(g.control[4:])
		switch g.control[3] >> 2 & 7 {
		case 2:
			c.after = clear
		case 3, 4: // 4 is what some programs write for it
			c.after = restore
		}
		c.still = append(c.still, g.control...)
	}
	place := len(c.still)
	c.still = append(append(c.still, g.data[from:to]...), gifTrailer)
	copy(c.still[place+1:], []byte{0, 0, 0, 0})
	return c, nil
}
