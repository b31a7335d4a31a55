package metadata

import (
	"compress/zlib"
	"io"
)

// content is what a block holds, wherever it lies: in one piece, in several, or packed.
type content struct {
	size   int64
	first  Body
	rest   []Body
	packed bool
}

// plain is a block in one piece.
func plain(b Body) content { return content{size: b.Len, first: b} }

// joined is a block in pieces, one at least.
func joined(parts []Body) content {
	c := content{first: parts[0], rest: parts[1:]}
	for _, p := range parts {
		c.size += p.Len
	}
	return c
}

// inflated is a block that was packed by zlib. It is unpacked once to learn its size, and
// nothing of it is kept; ok is false when it is damaged or has more than MaxBlock bytes.
func inflated(packed Body) (c content, ok bool) {
	c = content{first: packed, packed: true}
	in, err := c.open()
	if err == nil {
		c.size, err = io.Copy(io.Discard, io.LimitReader(in, MaxBlock+1))
	}
	return c, err == nil && c.size <= MaxBlock
}

// open reads a block from its start.
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

// start returns the first n bytes, or all where there are less; nil where they cannot be read.
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
