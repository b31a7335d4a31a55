package metadata

import (
	"encoding/binary"
	"io"
)

// Writer returns a writer for an encoder of the given format, "png", "jpeg" or
// "bmp", which puts m into the file on its way to w. What m holds must fit: see
// For. software, if any, is a short record of what made the file, in ASCII.
// A TIFF is laid out by the method of that name instead.
func (m Metadata) Writer(w io.Writer, format, software string) io.Writer {
	s := &splicer{w: w}
	switch format {
	case "png":
		s.need, s.insert = pngHeader, func(w io.Writer) error { return m.pngChunks(w, software) }
	case "jpeg":
		s.need, s.insert = startOfPicture, func(w io.Writer) error { return m.jpegSegments(w, software) }
	case "bmp":
		x, y, ok := m.Resolution.perMetre()
		if !ok {
			return w
		}
		s.need, s.edit = bmpHeader, func(b []byte) {
			binary.LittleEndian.PutUint32(b[bmpResolution:], x)
			binary.LittleEndian.PutUint32(b[bmpResolution+4:], y)
		}
	default:
		return w
	}
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
