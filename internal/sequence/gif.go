package sequence

import (
	"bytes"
	"encoding/binary"

	"superres/internal/metadata"
)

// Bytes that begin or label the parts of a GIF.
const (
	gifTrailer = 0x3b
	gifControl = 0xf9 // label of an extension about the next image
	gifOwn     = 0xff // label of an extension defined by some program
)

// gifCells walks over the images of a GIF.
type gifCells struct {
	animation
	data    []byte
	blocks  *metadata.GIFWalk
	control []byte // the extension about the next image; nil: no extension
}

// newGIFCells returns a walk over the GIF in data. It reads the size from the header. Without an extension that says
// otherwise, an animation is played once.
func newGIFCells(data []byte) (cells, error) {
	blocks, err := metadata.WalkGIF(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	whole := animation{width: blocks.Head.Width, height: blocks.Head.Height, plays: 1, frames: -1}
	return &gifCells{animation: whole, data: data, blocks: blocks}, nil
}

// readExtension sets g.control if the extension block is about the next image, or g.plays if it is about repetition.
// It ignores all others. The byte after the label is the length of the data: 4, or 11 for the name of a program, after
// which repetition has a block of 3 bytes that begins with 1.
func (g *gifCells) readExtension(block []byte) {
	const (
		label = 1  // offset of the label, which says what the extension is about
		again = 16 // offset of the number of repetitions in an extension of NETSCAPE
		least = 18 // least length of an extension of NETSCAPE
	)
	name := "" // name of the program that defined the extension
	if len(block) >= least && block[2] == 11 {
		name = string(block[3:14])
	}
	switch {
	case block[label] == gifControl && len(block) >= 7 && block[2] == 4:
		g.control = block
	case block[label] == gifOwn && len(block) >= least && (name == "NETSCAPE2.0" || name == "ANIMEXTS1.0") &&
		block[14] == 3 && block[15] == 1:
		if n := int(binary.LittleEndian.Uint16(block[again:])); n > 0 {
			g.plays = n + 1
		} else {
			g.plays = 0
		}
	}
}

// next implements cells: it reads the extensions before an image, and then the image.
func (g *gifCells) next() (c cell, err error) {
	g.control = nil
	kind, from := byte(metadata.GIFExtension), int64(0)
	for kind == metadata.GIFExtension {
		if kind, err = g.blocks.Next(); err != nil {
			return c, err
		}
		from = g.blocks.At()
		if err := g.blocks.Pass(); err != nil {
			return c, err
		}
		if kind == metadata.GIFExtension {
			g.readExtension(g.data[from:g.blocks.At()])
		}
	}
	number := func(i int64) int64 { return int64(binary.LittleEndian.Uint16(g.data[from+i:])) }
	c.left, c.top, c.width, c.height = number(1), number(3), number(5), number(7) // after the byte that begins an image
	c.from, c.to = from, g.blocks.At()
	c.over = true // opaque pixels cover the canvas, transparent ones leave it as it is
	c.delay = Delay{Den: 100}
	if g.control != nil {
		c.delay.Num = binary.LittleEndian.Uint16(g.control[4:])
		switch g.control[3] >> 2 & 7 { // the disposal method
		case 2:
			c.after = clear
		case 3, 4: // some programs write 4 for 3
			c.after = restore
		}
	}
	return c, nil
}

// file returns a GIF with only the image c, the last that next has returned; its screen is the visible part of c.
func (g *gifCells) file(c cell) ([]byte, error) {
	still := bytes.Clone(g.data[:g.blocks.Head.Length])
	w, h := c.size.Sides()
	binary.LittleEndian.PutUint16(still[6:], uint16(w)) // the width of the screen, then its height
	binary.LittleEndian.PutUint16(still[8:], uint16(h))
	still = append(still, g.control...)
	place := len(still)
	still = append(append(still, g.data[c.from:c.to]...), gifTrailer)
	copy(still[place+1:], []byte{0, 0, 0, 0}) // left and top of the image; what lies outside of the screen is cut off
	return still, nil
}
