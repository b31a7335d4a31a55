package metadata

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Chunk is a chunk of a PNG.
type Chunk struct {
	Kind []byte // the four letters of the chunk's kind, which are overwritten when the next chunk is read
	Body
	w *window
}

// FormatError says which rule of the format a file breaks, in words that fit after "damaged PNG: ".
type FormatError string

func (e FormatError) Error() string { return string(e) }

// ChunkWalk walks over the chunks of a PNG in file order. All readers of PNG in the program use it, so that they agree
// on the content of a file. It fails at a chunk that is cut off or breaks a rule: a chunk has at most 2³¹−1 bytes of
// data. IHDR is the first chunk, occurs once and has 13 bytes. An acTL before the pixels, which announces an animation,
// has 8 bytes, and no second acTL follows it. An acTL that comes only after the pixels is ignored.
type ChunkWalk struct {
	w               *window
	at              int64 // the offset of the next chunk
	kind            [4]byte
	animated, ended bool
	pixels          bool // a chunk IDAT was returned; false: none yet
}

// WalkChunks returns a walk over the PNG in src. It does not check the signature.
func WalkChunks(src Source) *ChunkWalk { return &ChunkWalk{w: newWindow(src), at: pngSignature} }

// WalkChunksFrom returns a walk that begins with the chunk at offset at in src. This chunk must not be IHDR, the first.
func WalkChunksFrom(src Source, at int64) *ChunkWalk { return &ChunkWalk{w: newWindow(src), at: at} }

// Next returns the next chunk, with a Kind that is valid until the next call. It compares no checksums. The error is
// io.EOF after IEND, io.ErrUnexpectedEOF where the file ends earlier, and a FormatError where it breaks a rule.
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
		k.animated = !k.pixels // acTL after the pixels has no effect
	case "IDAT":
		k.pixels = true
	case "IEND":
		k.ended = true
	}
	c = Chunk{k.kind[:], Body{k.w.src, k.at + 8, n}, k.w}
	k.at += chunkFrame + n
	return c, nil
}

// check fails if the chunk at k.at, with the kind k.kind and n bytes of data, breaks a rule listed at ChunkWalk.
//
// Note: comparing string(k.kind[:]) allocates nothing, but a string variable that is also in an error message would.
func (k *ChunkWalk) check(n int64) error {
	const most = 1<<31 - 1 // the most bytes of data in a chunk
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

// Chunks calls visit with each chunk of the PNG in src, until visit returns false. It fails as ChunkWalk.Next does, but
// returns nil where the walk reached IEND or visit returned false.
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

// hasChecksum reports whether the checksum at the end of the chunk is right.
func (c Chunk) hasChecksum() bool {
	sum := uint32(0)
	at, end := c.at-4, c.at+c.Len // the checksum covers the kind as well
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
