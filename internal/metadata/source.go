package metadata

import (
	"bytes"
	"compress/zlib"
	"io"
)

// Source is a file to read metadata from, on a disk or in memory, such as a *bytes.Reader. Besides their results,
// readers of a Source keep only a few bytes of the file in memory. A read error counts as the end of the file.
type Source interface {
	io.ReaderAt
	Size() int64
}

// Body is a piece of a Source, such as the data of a chunk. The piece is not in memory until it is read.
type Body struct {
	src Source
	at  int64
	Len int64
}

// Piece returns the bytes [at, at+n) of src, or fewer where src ends earlier.
func Piece(src Source, at, n int64) Body {
	at = min(at, src.Size())
	return Body{src, at, min(n, src.Size()-at)}
}

// bodyOf returns a Body that shares the memory of b.
func bodyOf(b []byte) Body { return Body{bytes.NewReader(b), 0, int64(len(b))} }

// Bytes returns the bytes of the piece in new memory, or nil where they cannot be read.
func (b Body) Bytes() []byte { return b.read(0, b.Len) }

// Start returns the first n bytes of the piece in new memory, or all if there are fewer, or nil where reading fails.
func (b Body) Start(n int64) []byte { return b.read(0, min(n, b.Len)) }

// At returns the offset of the piece in its Source.
func (b Body) At() int64 { return b.at }

// begins reports whether the piece begins with prefix.
func (b Body) begins(prefix string) bool { return string(b.Start(int64(len(prefix)))) == prefix }

// read returns the bytes [at, at+n) of the piece in new memory, or nil where the piece is shorter or cannot be read.
func (b Body) read(at, n int64) []byte {
	if at < 0 || n < 0 || at > b.Len || n > b.Len-at {
		return nil
	}
	p := make([]byte, n)
	if n > 0 && !b.fill(p, at) {
		return nil
	}
	return p
}

// fill fills p with the bytes of the piece from offset at on. It returns false if reading fails.
func (b Body) fill(p []byte, at int64) bool {
	n, _ := b.src.ReadAt(p, b.at+at)
	return n == len(p)
}

// after returns the piece without its first n bytes.
func (b Body) after(n int64) Body {
	n = min(n, b.Len)
	return Body{b.src, b.at + n, b.Len - n}
}

// reader returns a reader of the piece from its start.
func (b Body) reader() io.Reader { return io.NewSectionReader(b.src, b.at, b.Len) }

// Source returns the piece as a Source, with offset 0 at its first byte.
func (b Body) Source() Source { return io.NewSectionReader(b.src, b.at, b.Len) }

// writeTo writes the bytes of the piece to w, a block at a time.
func (b Body) writeTo(w io.Writer) error {
	const block = 1 << 15
	if b.Len > block {
		_, err := io.Copy(w, b.reader())
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// window reads a Source for a walk over the parts of a file. It reads 4096 bytes ahead while the steps are small.
type window struct {
	src  Source
	size int64
	buf  []byte
	seen []byte // the part of buf that holds bytes of src
	at   int64  // the offset in src of the first byte of seen
}

func newWindow(src Source) *window {
	return &window{src: src, size: src.Size(), buf: make([]byte, 4096)}
}

// bytes returns the bytes [at, at+n) of the file, or nil where the file is shorter. n must be at most 4096. The result
// shares the memory of w, and is valid until the next call.
func (w *window) bytes(at int64, n int) []byte {
	if at < 0 || at > w.size || int64(n) > w.size-at {
		return nil
	}
	if i := at - w.at; i >= 0 && i+int64(n) <= int64(len(w.seen)) {
		return w.seen[i : i+int64(n)]
	}
	want := n
	if at-w.at < int64(len(w.buf)) { // a small step, or one back: reads ahead
		want = len(w.buf)
	}
	got, _ := w.src.ReadAt(w.buf[:min(int64(want), w.size-at)], at)
	w.seen, w.at = w.buf[:got], at
	if got < n {
		return nil
	}
	return w.seen[:n]
}

// find returns the offset of the first byte equal to c at or after offset at, or -1 if there is none.
func (w *window) find(at int64, c byte) int64 {
	for w.bytes(at, 1) != nil {
		rest := w.seen[at-w.at:]
		if i := bytes.IndexByte(rest, c); i >= 0 {
			return at + int64(i)
		}
		at += int64(len(rest))
	}
	return -1
}

// content is a block of metadata, such as a profile. Its bytes lie in one or more pieces of a file: first, then those
// in rest. If packed, they are compressed with zlib. size is the number of bytes after decompression.
type content struct {
	size   int64
	first  Body
	rest   []Body
	packed bool
}

// inOnePiece returns the block with the bytes of b.
func inOnePiece(b Body) content { return content{size: b.Len, first: b} }

// inPieces returns the block with the bytes of all parts, one after another. There must be at least one part.
func inPieces(parts []Body) content {
	c := content{first: parts[0], rest: parts[1:]}
	for _, p := range parts {
		c.size += p.Len
	}
	return c
}

// inflate returns the block that lies in packed, compressed by zlib. It decompresses the data only to learn the
// size, and keeps nothing in memory. ok is false when they are damaged or decompress to more than MaxBlock bytes.
func inflate(packed Body) (c content, ok bool) {
	c = content{first: packed, packed: true}
	in, err := c.open()
	if err == nil {
		c.size, err = io.Copy(io.Discard, io.LimitReader(in, MaxBlock+1))
	}
	return c, err == nil && c.size <= MaxBlock
}

// open returns a reader of the decompressed block from its start.
func (c content) open() (io.Reader, error) {
	in := c.first.reader()
	if len(c.rest) > 0 {
		list := []io.Reader{in}
		for _, p := range c.rest {
			list = append(list, p.reader())
		}
		in = io.MultiReader(list...)
	}
	if c.packed {
		return zlib.NewReader(in)
	}
	return in, nil
}

// start returns the first n bytes of the decompressed block, or all if there are fewer, or nil where reading fails.
func (c content) start(n int64) []byte {
	in, err := c.open()
	if err != nil {
		return nil
	}
	p := make([]byte, min(n, c.size))
	if _, err := io.ReadFull(in, p); err != nil {
		return nil
	}
	return p
}
