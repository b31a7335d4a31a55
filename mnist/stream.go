package mnist

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// magic is the number at the start of an IDX file: the element type and the number of dimensions.
type magic uint32

const (
	labelMagic magic = 0x0801
	imageMagic magic = 0x0803
	// wideMagic opens the labels of QMNIST: for each image a row of int32 that begins with the label (C. Yadav, L.
	// Bottou: Cold Case: The Lost MNIST Digits, 2019, arXiv 1905.10498).
	wideMagic magic = 0x0C02
)

// dims returns the number of sizes in the header, including the count.
func (m magic) dims() int { return int(m & 0xff) }

// item returns the word for one item of the file: image or label.
func (m magic) item() string {
	if m == imageMagic {
		return "image"
	}
	return "label"
}

// describe says what a file with this magic number holds.
func (m magic) describe() string {
	switch m {
	case imageMagic:
		return "IDX images"
	case labelMagic:
		return "IDX labels"
	}
	types := map[magic]string{8: "uint8", 9: "int8", 0xB: "int16", 0xC: "int32", 0xD: "float32", 0xE: "float64"}
	if t := types[m>>8]; t != "" && m.dims() > 0 {
		return fmt.Sprintf("IDX, dimensions: %d, elements: %s", m.dims(), t)
	}
	if m>>16 == 0x1f8b { // gzip's magic number
		return "gzip inside gzip"
	}
	return "not IDX"
}

// Reading and writing have these limits, checked before allocation. Every file that can be written can be read.
const (
	maxCount  = 1<<31 - 1 // IDX sizes are 32-bit integers; an int holds this on every machine
	maxSide   = 65535
	maxPixels = 1 << 24 // of one image, 4096×4096: a reader allocates no more memory than this
	maxBytes  = 1 << 40 // of all images together
)

// checkSizes returns an error if the sizes in a header exceed the limits. Labels have width 1, and height 1 or, in
// files of QMNIST, the number of values in a row.
func checkSizes(count, width, height int64) error {
	for _, c := range []struct {
		what          string
		got, min, max int64
	}{
		{"count", count, 0, maxCount},
		{"rows", height, 1, maxSide},
		{"columns", width, 1, maxSide},
	} {
		if c.got < c.min || c.got > c.max {
			return fmt.Errorf("%s: got %d, expected %d to %d", c.what, c.got, c.min, c.max)
		}
	}
	// No overflow: the factors are below 2³¹, 2¹⁶ and 2¹⁶.
	if n := width * height; n > maxPixels {
		return fmt.Errorf("image of %d×%d: got %d pixels, expected at most %d", width, height, n, maxPixels)
	}
	if n := count * width * height; n > maxBytes {
		return fmt.Errorf("%d images of %d×%d: got %d bytes, expected at most %d", count, width, height,
			n, int64(maxBytes))
	}
	return nil
}

// stream reads the items of an IDX file in order, each once.
type stream struct {
	magic magic
	name  string        // the name of the file, for errors; empty for a reader without a file
	file  io.Closer     // nil if the caller owns the reader
	r     *bufio.Reader // unpacked bytes after the header
	count int

	width, height int // of an item; 1 for labels, but QMNIST has several values in a column

	next int   // index of the next item
	err  error // why the reading ended; io.EOF after a complete file
}

// openStream opens a file and reads its header.
func openStream(name string, m magic) (*stream, error) {
	f, err := openRegular(name)
	if err != nil {
		return nil, fmt.Errorf("mnist: %w", err)
	}
	s, err := newStream(f, name, m)
	if err != nil {
		f.Close()
		return nil, err
	}
	s.file = f
	return s, nil
}

// openRegular opens a regular file. It refuses other files before opening them: opening a pipe may block forever.
func openRegular(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file (mode %v)", name, info.Mode())
	}
	return os.Open(name)
}

// newStream reads the header of r and returns a stream of the rest. name is the name of the file, for errors, or "".
func newStream(r io.Reader, name string, m magic) (s *stream, err error) {
	s = &stream{magic: m, name: name}
	if s.r, err = unpack(r); err == nil {
		err = s.readHeader()
	}
	if err != nil {
		return nil, s.wrap(err)
	}
	return s, nil
}

// unpack returns a reader of r, unpacked if its first two bytes are gzip's. An IDX file begins with two zeros.
func unpack(r io.Reader) (*bufio.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<15)
	head, err := b.Peek(2)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if string(head) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("gzip header: %w", noEOF(err))
	}
	z.Multistream(false) // members goes on to the next gzip member itself, past zeros between them
	return bufio.NewReader(&members{z, b}), nil
}

// members reads all members of a gzip file in turn, as z stops after each. It skips the zeros that tapes and disks add.
type members struct {
	z *gzip.Reader
	b *bufio.Reader // the reader from which z reads
}

// Read implements io.Reader. At the end of a member it skips zeros, and begins the next member.
func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	if err != io.EOF {
		return n, err
	}
	for {
		next, err := m.b.ReadByte()
		if err != nil {
			return n, err // io.EOF: that was the last member
		}
		if next != 0 {
			break
		}
	}
	if err := m.b.UnreadByte(); err != nil {
		return n, err
	}
	err = m.z.Reset(m.b)
	m.z.Multistream(false)
	return n, err
}

// readHeader reads and checks the header.
func (s *stream) readHeader() error {
	head := make([]byte, 4+4*s.magic.dims())
	n, err := io.ReadFull(s.r, head)
	if n == 0 && err == io.EOF {
		return fmt.Errorf("file is empty: %w", io.ErrUnexpectedEOF)
	}
	// The kind of file is checked first, so that a short file of another kind is reported as a file of another kind.
	got := magic(binary.BigEndian.Uint32(head))
	if n == len(head) && got == wideMagic && s.magic == labelMagic { // QMNIST's header has one more size
		s.magic, head = wideMagic, append(head, 0, 0, 0, 0)
		if _, err := io.ReadFull(s.r, head[n:]); err != nil {
			return cut("header", n, len(head), err)
		}
	} else if n >= 4 && got != s.magic {
		return fmt.Errorf("magic number: got 0x%08x (%s), expected 0x%08x (%s)",
			uint32(got), got.describe(), uint32(s.magic), s.magic.describe())
	}
	if err != nil {
		return cut("header", n, len(head), err)
	}
	size := [3]int64{1: 1, 2: 1} // count, height and width; for plain labels 1×1
	for i := range s.magic.dims() {
		size[i] = int64(binary.BigEndian.Uint32(head[4+4*i:]))
	}
	if err := checkSizes(size[0], size[2], size[1]); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	s.count, s.height, s.width = int(size[0]), int(size[1]), int(size[2])
	return nil
}

// readLabel reads the next item, a label. After the last label it returns io.EOF: see read.
func (s *stream) readLabel() (int, error) {
	if s.magic == wideMagic { // a file of QMNIST
		row := make([]byte, 4*s.height) // s.height values of 4 bytes, the first of which is the label
		err := s.read(row)
		return int(int32(binary.BigEndian.Uint32(row))), err
	}
	var label [1]byte
	err := s.read(label[:])
	return int(label[0]), err
}

// read fills dst, which has the size of one item (an image or a label), with the next item. After the last item it
// returns io.EOF, or an error if the file goes on. After an error all further calls return it.
func (s *stream) read(dst []byte) error {
	if s.err != nil {
		return s.err
	}
	if s.next == s.count {
		s.err = s.end()
		return s.err
	}
	if n, err := io.ReadFull(s.r, dst); err != nil {
		where := fmt.Sprintf("%s %d of %d", s.magic.item(), s.next, s.count)
		s.err = s.wrap(cut(where, n, len(dst), err))
		return s.err
	}
	s.next++
	return nil
}

// end returns io.EOF if nothing follows the last item. Reading to the end also makes gzip compare its checksum.
func (s *stream) end() error {
	switch _, err := s.r.ReadByte(); err {
	case io.EOF:
		return io.EOF
	case nil:
		return s.wrap(fmt.Errorf("file goes on after the last of %d %ss", s.count, s.magic.item()))
	default:
		return s.wrap(fmt.Errorf("after the last of %d %ss: %w", s.count, s.magic.item(), err))
	}
}

// close closes the file, if the stream has opened it. Reading then fails with os.ErrClosed or the error before it.
func (s *stream) close() error {
	if s.err == nil {
		s.err = s.wrap(os.ErrClosed)
	}
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	if err := f.Close(); err != nil {
		return s.wrap(err)
	}
	return nil
}

// wrap adds the package and the name of the file to an error.
func (s *stream) wrap(err error) error {
	if s.name == "" {
		return fmt.Errorf("mnist: %w", err)
	}
	return fmt.Errorf("mnist: %s: %w", s.name, err)
}

// cut returns the error for a read of want bytes that ended with err after n bytes. Its text begins with where.
func cut(where string, n, want int, err error) error {
	if err = noEOF(err); errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: file ends after %d of %d bytes: %w", where, n, want, err)
	}
	return fmt.Errorf("%s: reading stops after %d of %d bytes: %w", where, n, want, err)
}

// noEOF turns io.EOF in the middle of an item into io.ErrUnexpectedEOF.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
