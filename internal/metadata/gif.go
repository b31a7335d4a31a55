package metadata

import (
	"encoding/binary"
	"fmt"
	"io"
)

// The kinds of blocks of a GIF.
const (
	GIFExtension = 0x21
	GIFImage     = 0x2c
	gifTrailer   = 0x3b
)

// Lengths in bytes of parts of a GIF.
const (
	gifHeader     = 13
	gifDescriptor = 10 // the descriptor before an image's data
)

// GIFHead is the start of a GIF: the sides of its screen in pixels, 0 to 65,535, and the bytes before the first block.
type GIFHead struct{ Width, Height, Length int64 }

// GIFWalk walks over the blocks of a GIF, extensions and images, in file order. All readers of GIF in the program use
// it, so that they agree on the content of a file.
type GIFWalk struct {
	Head GIFHead // the start of the file

	w      *window
	at     int64 // the offset of the start of the current block, or of its end
	within bool  // at is the start of the block; false: the end
}

// WalkGIF returns a walk over the GIF in src. It fails with io.ErrUnexpectedEOF when src is shorter than a header.
func WalkGIF(src Source) (*GIFWalk, error) {
	k := &GIFWalk{w: newWindow(src)}
	head := k.w.bytes(0, gifHeader)
	if head == nil {
		return nil, io.ErrUnexpectedEOF
	}
	side := func(at int) int64 { return int64(binary.LittleEndian.Uint16(head[at:])) }
	k.at = gifHeader + gifColours(head[10])
	k.Head = GIFHead{side(6), side(8), k.at}
	return k, nil
}

// gifColours returns the length in bytes of the colour table that the byte flags announces, 0 for none.
func gifColours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// At returns the offset of the start of the block from the last Next, of its end after Pass, or where the walk failed.
func (k *GIFWalk) At() int64 { return k.at }

// Next moves to the start of the next block and returns its kind, GIFExtension or GIFImage. The error is io.EOF at the
// trailer, io.ErrUnexpectedEOF where the file ends before it, and a FormatError for any other kind of block.
func (k *GIFWalk) Next() (kind byte, err error) {
	if k.within { // in a block that the caller has not passed
		if err := k.Pass(); err != nil {
			return 0, err
		}
	}
	b := k.w.bytes(k.at, 1)
	switch {
	case b == nil:
		return 0, io.ErrUnexpectedEOF
	case b[0] == gifTrailer:
		return 0, io.EOF
	case b[0] != GIFExtension && b[0] != GIFImage:
		return 0, FormatError(fmt.Sprintf("a block of the kind 0x%02x where an image should be", b[0]))
	}
	k.within = true
	return b[0], nil
}

// Pass moves to the end of the block that Next returned last. After a block's head, its data lie in pieces that begin
// with their length, up to a piece of 0 bytes. Pass fails with io.ErrUnexpectedEOF when the file ends first.
func (k *GIFWalk) Pass() error {
	head := k.w.bytes(k.at, 2)
	if head == nil {
		return io.ErrUnexpectedEOF
	}
	skip := int64(2) // the head of an extension: its kind and its label
	if head[0] == GIFImage {
		if head = k.w.bytes(k.at, gifDescriptor); head == nil {
			return io.ErrUnexpectedEOF
		}
		skip = gifDescriptor + gifColours(head[9]) + 1 // and the byte with the initial LZW code size
	}
	for {
		k.at += skip
		length := k.w.bytes(k.at, 1)
		if length == nil {
			return io.ErrUnexpectedEOF
		}
		if skip = 1 + int64(length[0]); skip == 1 {
			k.at += skip
			k.within = false
			return nil
		}
	}
}
