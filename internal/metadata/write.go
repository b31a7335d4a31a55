package metadata

import "io"

// Writer returns a writer for an encoder of a format, named as for Read, that passes the encoder's file on to w with m
// put in. m must be a result of For. software is a short record of what made the file, in ASCII; empty is none. length
// is the number of bytes of the encoder's file, where NeedsLength says that it counts. For a TIFF, which Metadata.TIFF
// lays out, and where there is nothing to put in, it returns w. Behind the file, WriteAppended writes the rest.
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

// NeedsLength reports whether the metadata in front of a picture say how long its file is, which Writer must be told.
func (m Metadata) NeedsLength() bool { return m.GainMap != nil }

// WriteAppended writes to w what belongs behind the whole file of an encoder.
func (m Metadata) WriteAppended(w io.Writer) error {
	return pieceWriter(m.GainMap, m.Film)(w)
}

// pieceWriter returns a function that writes pieces, one behind the other.
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

// Layout is the layout of a file, or of a page of one, around its pixels.
type Layout struct {
	// End is the offset of the end of a page of a TIFF, where the next begins.
	End int64

	before, behind func(io.Writer) error
}

// Write writes the bytes before the pixels, the pixels by a function that does that, and the bytes behind them.
func (l Layout) Write(w io.Writer, pixels func(io.Writer) error) error {
	for _, write := range []func(io.Writer) error{l.before, pixels, l.behind} {
		if err := write(w); err != nil {
			return err
		}
	}
	return nil
}

// splicer passes a file on to w with insertions behind its first need bytes. It holds these back until all are there,
// edits them, and writes them and then the insertions. Every file of an encoder has at least need bytes.
type splicer struct {
	w      io.Writer
	need   int
	edit   func([]byte)          // changes the first bytes; nil: they stay
	insert func(io.Writer) error // writes the insertions; nil: there are none
	held   []byte
	done   bool
}

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
