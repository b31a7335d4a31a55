package imagefile

import (
	"bytes"

	"github.com/klauspost/compress/flate"
)

// packer compresses bytes with deflate, and reuses its memory. The zero value is ready to use.
type packer struct {
	writers [3]*flate.Writer
}

// zlibHead is the header of the zlib format: deflate, with a window of 32 KB.
const zlibHead = "\x78\x9c"

// The compression methods.
const (
	huffmanOnly = iota
	quick
	thorough
)

// chooseMethod returns the compression method for filtered rows, after trying methods on up to 32 KB from their
// middle. Rows of photographs have few repetitions, which often cost more to encode than they save: huffmanOnly. If
// repetitions save at least 1 %, a quick search finds them. Above 10 %, as in drawings, a thorough search pays.
func (p *packer) chooseMethod(scratch *bytes.Buffer, rows []byte) int {
	part := rows[len(rows)/2:][:min(1<<15, len(rows)/2)]
	const isLast = false
	scratch.Reset()
	p.deflate(scratch, huffmanOnly, part, isLast)
	plain := scratch.Len()
	scratch.Reset()
	p.deflate(scratch, quick, part, isLast)
	switch searched := scratch.Len(); {
	case 100*searched >= 99*plain:
		return huffmanOnly
	case 10*searched >= 9*plain:
		return quick
	}
	return thorough
}

// deflate appends rows, compressed by method, to out. If last is false, more data follow, beginning at a byte boundary.
func (p *packer) deflate(out *bytes.Buffer, method int, rows []byte, last bool) {
	// Nothing here can fail: the methods are valid, and a buffer takes all bytes.
	w := p.writers[method]
	if w == nil {
		w, _ = flate.NewWriter(out, [...]int{flate.HuffmanOnly, 3, 6}[method]) // levels of huffmanOnly, quick, thorough
		p.writers[method] = w
	}
	w.Reset(out)
	_, _ = w.Write(rows)
	if last {
		_ = w.Close()
	} else {
		_ = w.Flush()
	}
}
