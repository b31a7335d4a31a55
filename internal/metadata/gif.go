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
	gifDescriptor = 10 // of an image
)

// GIFHead is what a GIF says of all its images. Width and Height are the sides of its screen in
// pixels, 0 to 65,535, and Length is how many bytes stand in front of its first block.
type GIFHead struct{ Width, Height, Length int64 }

// GIFWalk goes over the blocks of a GIF in their order: extensions and images. It is the one walk
// of this program, as ChunkWalk is of a PNG.
type GIFWalk struct {
	// Head is that of the file.
	Head GIFHead

	w      *window
	at     int64 // of the current block, or behind it
	within bool  // the walk is at the start of a block, rather than behind it
}

// WalkGIF begins a walk over the GIF in src. It fails with io.ErrUnexpectedEOF when src has not got a header.
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

// gifColours is the length in bytes of the colour table that flags announce.
func gifColours(flags byte) int64 {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// At is where the walk is: at the start of the block that Next returned last, behind it after
// Pass, or where it ended.
func (k *GIFWalk) At() int64 { return k.at }

// Next goes on to the start of the next block and returns its kind, GIFExtension or GIFImage; io.EOF is the end of
// the GIF, and io.ErrUnexpectedEOF that of a file before it. Any other kind of block is a FormatError.
func (k *GIFWalk) Next() (kind byte, err error) {
	if k.within {
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

// Pass goes past the block that Next returned last: its head, and its data, which is in pieces that begin with
// their length, up to one of 0 bytes. It fails with io.ErrUnexpectedEOF when the file ends before.
func (k *GIFWalk) Pass() error {
	head := k.w.bytes(k.at, 2)
	if head == nil {
		return io.ErrUnexpectedEOF
	}
	skip := int64(2) // an extension, and its label
	if head[0] == GIFImage {
		if head = k.w.bytes(k.at, gifDescriptor); head == nil {
			return io.ErrUnexpectedEOF
		}
		skip = gifDescriptor + gifColours(head[9]) + 1 // and the size of its first codes
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
