package metadata

import "io"

// Writer returns a writer for the output of an encoder of the given format, named as for Read. The writer inserts m and
// passes the file on to w. m must be a result of For. software is a short record, in ASCII, of the program that made
// the file; it may be empty. If NeedsLength is true, length must be the number of bytes that the encoder will write.
// Writer returns w itself if there is nothing to insert, and for TIFF, WebP and AVIF, which have methods of their own.
// The caller then calls WriteAppended for the data after the file.
func (m Metadata) Writer(w io.Writer, format, software string, length int64) io.Writer {
	splice := containers[format].splice
	if splice == nil {
		return w
	}
	s := splice(m, software, length)
	if s == nil {
		return w
	}
	s.w = w
	return s
}

// NeedsLength reports whether the metadata in front of the picture state the length of its file.
func (m Metadata) NeedsLength() bool { return m.GainMap != nil }

// WriteAppended writes to w the gain map and the film, which belong after the complete file of an encoder.
func (m Metadata) WriteAppended(w io.Writer) error {
	return pieceWriter(m.GainMap, m.Film)(w)
}

// pieceWriter returns a function that writes pieces, one after another.
func pieceWriter(pieces ...[]byte) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, b := range pieces {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		return nil
	}
}

// Layout is the bytes of a file, or of one page, around its pixels.
type Layout struct {
	End int64 // the offset of the end of a TIFF page, where the next page begins; else 0

	before, behind func(io.Writer) error
}

// Write writes the bytes before the pixels, calls pixels to write the pixels, and writes the bytes after them.
func (l Layout) Write(w io.Writer, pixels func(io.Writer) error) error {
	for _, write := range []func(io.Writer) error{l.before, pixels, l.behind} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

// splicer writes a file to w, with an insertion behind the first `need` bytes of the file. It keeps these bytes back
// until it has all, edits them, and writes them and the insertion. All encoders write at least that many bytes.
type splicer struct {
	w      io.Writer
	need   int
	edit   func([]byte)          // changes the first bytes; nil: they stay as they are
	insert func(io.Writer) error // writes the insertion; nil: there is none
	held   []byte                // the first bytes, as far as they have been written to the splicer
	done   bool                  // held and the insertion have been written to w
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
	if s.edit != nil {
		s.edit(s.held)
	}
	if _, err := s.w.Write(s.held); err != nil {
		return 0, err
	}
	if s.insert != nil {
		if err := s.insert(s.w); err != nil {
			return 0, err
		}
	}
	if n == len(p) {
		return n, nil
	}
	rest, err := s.w.Write(p[n:])
	return n + rest, err
}
