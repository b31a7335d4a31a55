package metadata

import (
	"compress/zlib"
	"io"
)

// content is a block of metadata, such as a profile. Its bytes are in one or more pieces of a file, first and then
// rest, compressed by zlib if packed. size is the number of bytes after decompression.
type content struct {
	size   int64
	first  Body
	rest   []Body
	packed bool
}

// inOnePiece returns a block of the bytes b.
func inOnePiece(b Body) content { return content{size: b.Len, first: b} }

// inPieces returns a block of the bytes of all parts, one behind the other. There must be at least one.
func inPieces(parts []Body) content {
	c := content{first: parts[0], rest: parts[1:]}
	for _, p := range parts {
		c.size += p.Len
	}
	return c
}

// inflate returns the block that packed holds, compressed by zlib. It decompresses the block once to learn the size,
// and keeps nothing in memory. ok is false when the block is damaged or has more than MaxBlock bytes.
func inflate(packed Body) (c content, ok bool) {
	c = content{first: packed, packed: true}
	in, err := c.open()
	if err == nil {
		c.size, err = io.Copy(io.Discard, io.LimitReader(in, MaxBlock+1))
	}
	return c, err == nil && c.size <= MaxBlock
}

// open returns a reader of a block from its start.
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

// start returns the first n bytes of a block, or all if it has less, or nil where they cannot be read.
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
