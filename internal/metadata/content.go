package metadata

import (
	"compress/zlib"
	"io"
)

// content is the content of a block, which may lie in one piece or in several, or be compressed.
type content struct {
	size   int64
	first  Body
	rest   []Body
	packed bool
}

// inOnePiece returns the content of a block in one piece.
func inOnePiece(b Body) content { return content{size: b.Len, first: b} }

// inPieces returns the content of a block in one or more pieces.
func inPieces(parts []Body) content {
	c := content{first: parts[0], rest: parts[1:]}
	for _, p := range parts {
		c.size += p.Len
	}
	return c
}

// inflate returns the content of a block that is compressed by zlib. It decompresses the block once to learn
// its size and keeps nothing. ok is false when the block is damaged or has more than MaxBlock bytes.
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
