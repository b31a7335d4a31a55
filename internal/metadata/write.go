package metadata

import (
	"bytes"
	"io"
)

// Writer returns a writer for the output of an encoder of the given format, named as for Read. The writer inserts m and
// passes the file on to w. m must be a result of For. software is a short record, in ASCII, of the program that made
// the file; it may be empty. If NeedsLength is true, length must be the number of bytes that the encoder will write.
// Writer returns w itself for TIFF, WebP and AVIF, which have methods of their own. The caller then calls WriteAppended
// for the data after the file.
func (m Metadata) Writer(w io.Writer, format, software string, length int64) io.Writer {
	c := containers[format]
	if c.splice == nil {
		return w
	}
	return &splicer{w: w, need: c.need, edit: func(head []byte) []byte { return c.splice(m, head, software, length) }}
}

// NeedsLength reports whether the metadata in front of the picture state the length of its file.
func (m Metadata) NeedsLength() bool { return m.GainMap != nil }

// WriteAppended writes to w the gain map and the film, which belong after the complete file of an encoder.
func (m Metadata) WriteAppended(w io.Writer) error {
	_, err := io.Copy(w, io.MultiReader(bytes.NewReader(m.GainMap), bytes.NewReader(m.Film)))
	return err
}

// Layout is the bytes of a file, or of one page, around its pixels.
type Layout struct {
	// End is the offset of the end of a TIFF page, where the next page begins; else 0.
	End int64

	before, behind []byte
}

// Write writes the bytes before the pixels, calls pixels to write the pixels, and writes the bytes after them.
func (l Layout) Write(w io.Writer, pixels func(io.Writer) error) error {
	_, err := w.Write(l.before)
	if err == nil {
		err = pixels(w)
	}
	if err == nil {
		_, err = w.Write(l.behind)
	}
	return err
}

// splicer writes a file to w. It keeps the first bytes of the file back until it has need bytes, and writes what edit
// returns for them. Files of encoders are long enough.
type splicer struct {
	w    io.Writer
	need int
	edit func(head []byte) []byte
	held []byte
	done bool
}

// Write takes the next bytes of the encoder's file: it holds back the first s.need bytes until it has all of them, then
// writes them as edited, and passes on all bytes that follow.
func (s *splicer) Write(p []byte) (int, error) {
	if s.done {
		return s.w.Write(p)
	}
	n := min(len(p), s.need-len(s.held))
	s.held = append(s.held, p[:n]...)
	if len(s.held) < s.need {
		return n, nil
	}
	s.done = true
	if _, err := s.w.Write(s.edit(s.held)); err != nil {
		return 0, err
	}
	if n == len(p) {
		return n, nil
	}
	rest, err := s.w.Write(p[n:])
	return n + rest, err
}
