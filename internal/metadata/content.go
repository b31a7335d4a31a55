package metadata

import (
	"compress/zlib"
	"io"
)

// content is what a block holds, wherever it lies: in one piece, in several, or packed.
type content struct {
	size int64
	open func() io.Reader // from its start
}

// plain is a block in one piece.
func plain(b Body) content { return content{b.Len, b.reader} }

// joined is a block in pieces.
func joined(parts []Body) content {
	var size int64
	for _, p := range parts {
		size += p.Len
	}
	return content{size, func() io.Reader {
		list := make([]io.Reader, len(parts))
		for i, p := range parts {
			list[i] = p.reader()
		}
		return io.MultiReader(list...)
	}}
}

// inflated is a block that was packed by zlib. It is unpacked once to learn its size, and
// nothing of it is kept; ok is false when it is damaged or has more than MaxBlock bytes.
func inflated(packed Body) (_ content, ok bool) {
	open := func() io.Reader {
		z, err := zlib.NewReader(packed.reader())
		if err != nil {
			return broken{err}
		}
		return z
	}
	n, err := io.Copy(io.Discard, io.LimitReader(open(), MaxBlock+1))
	return content{n, open}, err == nil && n <= MaxBlock
}

// broken is a reader of nothing.
type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// start returns the first n bytes, or all where there are less; nil where they cannot be read.
func (c content) start(n int64) []byte {
	p := make([]byte, min(n, c.size))
	if _, err := io.ReadFull(c.open(), p); err != nil {
		return nil
	}
	return p
}
