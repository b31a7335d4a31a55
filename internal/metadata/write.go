package metadata

import "io"

// Writer returns a writer for the encoder of a format, named as for Read, which puts m into the file on
// its way to w. What m holds must fit: see For. software is a short record of what made the file, in
// ASCII; empty is none. A TIFF is laid out by the method TIFF instead, and its writer is w.
func (m Metadata) Writer(w io.Writer, format, software string) io.Writer {
	splice := containers[format].splice
	if splice == nil {
		return w
	}
	s := splice(m, software)
	if s == nil {
		return w
	}
	s.w = w
	return s
}

// splicer holds the first bytes back until there are as many as needed, writes them, edited
// if they are to be, and then what is inserted. No encoder writes less than that.
type splicer struct {
	w      io.Writer
	need   int
	edit   func([]byte)          // nil: as they are
	insert func(io.Writer) error // nil: nothing
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
