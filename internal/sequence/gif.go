package sequence

import (
	"bytes"
	"encoding/binary"
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
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint16(r.data[at:])) }
	all := newGIFCells(r.data)
	if err := r.plan(number(6), number(8), all, func() cells { return newGIFCells(r.data) }); err != nil {
		return err
	}
	r.Plays, r.canvas = all.plays, newCanvas(r.size, false)
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
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint16(g.data[from+i:])) }
	c.left, c.top, c.width, c.height = number(1), number(3), number(5), number(7)
	c.from, c.to = int64(from), int64(to)
	c.over = true // what is not transparent
	c.delay = Delay{Den: 100}
	if g.control != nil {
		c.delay.Num = binary.LittleEndian.Uint16(g.control[4:])
		switch g.control[3] >> 2 & 7 {
		case 2:
			c.after = clear
		case 3, 4: // 4 is what some programs write for it
			c.after = restore
		}
	}
	return c, nil
}

// file is a GIF of an image alone, the one that next returned last, on a screen of its size.
func (g *gifCells) file(c cell) ([]byte, error) {
	still := bytes.Clone(g.data[:gifHeader+gifColours(g.data[10])])
	copy(still[6:], g.data[c.from+5:c.from+9])
	still = append(still, g.control...)
	place := len(still)
	still = append(append(still, g.data[c.from:c.to]...), gifTrailer)
	copy(still[place+1:], []byte{0, 0, 0, 0})
	return still, nil
}
