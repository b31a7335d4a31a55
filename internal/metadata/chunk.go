package metadata

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Chunk is a chunk of a PNG.
type Chunk struct {
	// Kind is good until the next chunk is visited.
	Kind []byte
	Body
	w *window
}

// FormatError is a rule of its format that a file breaks, in words fit to follow "damaged PNG: ".
type FormatError string

func (e FormatError) Error() string { return string(e) }

// ChunkWalk goes over the chunks of a PNG in their order. It is the one walk of this program: what
// looks at a PNG, what plans and what reads it see the same chunks. A chunk is returned only when
// it is whole and stands where it may: IHDR first and once, with 13 bytes; acTL, which makes an
// animation where it stands in front of the pixels, once.
type ChunkWalk struct {
	w               *window
	at              int64 // of the next chunk
	kind            [4]byte
	animated, ended bool
	pixels          bool // are behind
}

// WalkChunks begins a walk over the PNG in src, whose signature is not looked at.
func WalkChunks(src Source) *ChunkWalk { return &ChunkWalk{w: newWindow(src), at: pngSignature} }

// WalkChunksFrom begins a walk at a chunk behind the first, whose place in src is at.
func WalkChunksFrom(src Source, at int64) *ChunkWalk { return &ChunkWalk{w: newWindow(src), at: at} }

// Next returns the next chunk, whose Kind is good until the next call; io.EOF behind IEND, and
// io.ErrUnexpectedEOF where the file ends before it or inside of a chunk. A rule that is broken
// is a FormatError. Checksums are not looked at.
func (k *ChunkWalk) Next() (c Chunk, err error) {
	if k.ended {
		return c, io.EOF
	}
	head := k.w.bytes(k.at, 8)
	if head == nil {
		return c, io.ErrUnexpectedEOF
	}
	n := int64(binary.BigEndian.Uint32(head))
	copy(k.kind[:], head[4:])
	if err := k.check(n); err != nil {
		return c, err
	}
	switch string(k.kind[:]) {
	case "acTL":
		k.animated = !k.pixels // else it is to be passed over
	case "IDAT":
		k.pixels = true
	case "IEND":
		k.ended = true
	}
	c = Chunk{k.kind[:], Body{k.w.src, k.at + 8, n}, k.w}
	k.at += chunkFrame + n
	return c, nil
}

// check refuses the chunk at k.at, of k.kind and with n bytes, where it may not stand.
//
// Note: comparing string(k.kind[:]) takes no memory; a variable that a message has would.
func (k *ChunkWalk) check(n int64) error {
	const most = 1<<31 - 1 // bytes of a chunk
	first, header := k.at == pngSignature, string(k.kind[:]) == "IHDR"
	switch {
	case first && !header:
		return FormatError(fmt.Sprintf("its first chunk is %q, expected IHDR", k.kind[:]))
	case header && !first:
		return FormatError("it has two chunks IHDR, expected one")
	case first && n != headerBody:
		return FormatError(fmt.Sprintf("its chunk IHDR has %d bytes, expected %d", n, headerBody))
	case n > most:
		return FormatError(fmt.Sprintf("a chunk %q of %d bytes, at most %d are allowed", k.kind[:], n, most))
	case n > k.w.size-k.at-chunkFrame:
		return io.ErrUnexpectedEOF
	case string(k.kind[:]) != "acTL":
		return nil
	case k.animated:
		return FormatError("it has two chunks acTL, expected one")
	case !k.pixels && n != animationBody:
		return FormatError(fmt.Sprintf("its chunk acTL has %d bytes, expected %d", n, animationBody))
	}
	return nil
}

// Chunks calls visit with each chunk of a ChunkWalk over src, until a visit returns false. Its
// errors are those of the walk; there is none where the walk reached the end or was stopped.
func Chunks(src Source, visit func(Chunk) bool) error {
	for k := WalkChunks(src); ; {
		c, err := k.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil || !visit(c) {
			return err
		}
	}
}

// sound reports whether a chunk has the checksum that stands behind it.
func (c Chunk) sound() bool {
	sum := uint32(0)
	at, end := c.at-4, c.at+c.Len // with the kind
	for at < end {
		b := c.w.bytes(at, int(min(end-at, int64(len(c.w.buf)))))
		if b == nil {
			return false
		}
		sum = crc32.Update(sum, crc32.IEEETable, b)
		at += int64(len(b))
	}
	want := c.w.bytes(end, 4)
	return want != nil && sum == binary.BigEndian.Uint32(want)
}

// critical reports whether a decoder must know a chunk of this kind.
func (c Chunk) critical() bool { return c.Kind[0]&0x20 == 0 }

// PixelChunks returns a PNG of those of its chunks that a decoder needs, in the memory of
// data: others take it time, and a wrong checksum of theirs would have it refuse the picture.
// src is the same file; where it fails to be read or breaks a rule, the rest stays as it is. The first chunk
// behind pixels stays, so that a PNG whose pixels are parted by others is refused.
func PixelChunks(data []byte, src Source) []byte {
	const before, among, behind = 0, 1, 2
	state, to, from := before, pngSignature, pngSignature
	_ = Chunks(src, func(c Chunk) bool {
		at, next := int(c.at)-8, int(c.at+c.Len)+4
		keep := true
		switch string(c.Kind) {
		case "IDAT":
			state = max(state, among)
		case "IHDR", "PLTE", "tRNS", "IEND":
		default:
			if keep = c.critical() || state == among; keep && c.sound() {
				if keep = state == among; keep {
					state = behind
				}
			} else if keep {
				keep = c.critical() // for the decoder to refuse it
			}
		}
		if keep {
			to += copy(data[to:], data[at:next])
		}
		from = next
		return string(c.Kind) != "IEND"
	})
	return data[:to+copy(data[to:], data[from:])]
}
