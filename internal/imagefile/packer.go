package imagefile

import (
	"bytes"

	"github.com/klauspost/compress/flate"
)

// packer compresses bytes by deflate. Its memory is used again. The zero value is ready to use.
type packer struct {
	writers [3]*flate.Writer
}

// zlibHead is the head of zlib's format: deflate, with a window of 32 KB.
const zlibHead = "\x78\x9c"

// The methods of compression.
const (
	huffmanOnly = iota
	quick
	thorough
)

// chooseMethod returns the method of compression for rows, which are filtered, tried on a sample. Rows of photographs
// have few repetitions, which often cost more to refer to than they save: huffmanOnly. Where repetitions save
// something, a quick search finds them, and where they save much, as in drawings, a thorough one. scratch is
// overwritten.
func (p *packer) chooseMethod(scratch *bytes.Buffer, rows []byte) int {
	part := rows[len(rows)/2:][:min(1<<15, len(rows)/2)]
	scratch.Reset()
	p.deflate(scratch, huffmanOnly, part, false)
	plain := scratch.Len()
	scratch.Reset()
	p.deflate(scratch, quick, part, false)
	switch some := scratch.Len(); {
	case 100*some >= 99*plain:
		return huffmanOnly
	case 10*some >= 9*plain:
		return quick
	}
	return thorough
}

// deflate appends rows, compressed by a method, to out. last: nothing follows them; false: more does, from a whole byte
// on.
func (p *packer) deflate(out *bytes.Buffer, method int, rows []byte, last bool) {
	// Nothing of this can fail: the methods are valid, and a buffer takes all bytes.
	w := p.writers[method]
	if w == nil {
		w, _ = flate.NewWriter(out, [...]int{flate.HuffmanOnly, 3, 6}[method])
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
