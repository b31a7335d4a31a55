package jobs

import (
	"errors"
	"io"
	"slices"
	"sync"
)

// Blocks reads a file that another program holds, block by block, and keeps the last few blocks in memory. It
// implements io.ReaderAt and is safe for concurrent use.
type Blocks struct {
	// Size is the size of the file in bytes.
	Size int64
	// Read returns length bytes from offset on, which lie within the file. The caller does not change the bytes.
	Read func(offset, length int64) ([]byte, error)

	mu   sync.Mutex // guards kept, and is locked while Read runs
	kept []block    // at most mostKept, the most recently used first
}

type block struct {
	offset int64
	data   []byte
}

const (
	blockBytes = 128 << 10
	mostKept   = 4
)

// ReadAt implements io.ReaderAt.
func (b *Blocks) ReadAt(p []byte, offset int64) (n int, err error) {
	if offset < 0 {
		return 0, errors.New("a negative offset")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) {
		at := offset + int64(n)
		if at >= b.Size {
			return n, io.EOF
		}
		data, err := b.block(at - at%blockBytes)
		if err != nil {
			return n, err
		}
		n += copy(p[n:], data[at%blockBytes:])
	}
	return n, nil
}

// block returns the block at offset, a multiple of blockBytes, now the first of b.kept. The caller must not change it.
func (b *Blocks) block(offset int64) ([]byte, error) {
	for i, one := range b.kept {
		if one.offset == offset {
			copy(b.kept[1:i+1], b.kept[:i])
			b.kept[0] = one
			return one.data, nil
		}
	}
	data, err := b.Read(offset, min(blockBytes, b.Size-offset))
	if err != nil {
		return nil, err
	}
	b.kept = slices.Insert(b.kept[:min(len(b.kept), mostKept-1)], 0, block{offset, data})
	return data, nil
}
