package imagefile

import (
	"cmp"
	"image"
	"io"

	"superres/internal/picture"
	"superres/internal/safefile"
)

// Stream writes a PNG or a JPEG from rows that Put receives in order, from the top, so that neither all of the picture
// nor all of the file is ever in memory. It writes the same bytes as Encode.
type Stream struct {
	w             io.Writer
	width, height int // size of the picture
	codec         *codec
	opt           EncodeOptions
	aside         io.ReadWriteSeeker

	file     chunkWriter // nil before the first Put
	like     image.Image // the rows of the first Put; later rows must have its type
	pix      []byte      // rows received and still needed for the next chunk
	rowBytes int         // length of a row of pix
	top      int         // the number of the first row of pix in the picture, from 0
}

// chunkWriter writes the pixels of a file in chunks, each of the same number of rows.
type chunkWriter interface {
	chunks() *chunks
	pack(n int) error // compresses and writes the next n chunks
	end() error       // writes the end of the file, after the last chunk
}

// chunks says how a file is divided into chunks, and how many have been written.
type chunks struct {
	rows    int // number of rows in a chunk; the last may have fewer
	above   int // number of rows above a chunk that pack needs
	of      int // number of chunks in the file
	written int
}

// NewStream returns a Stream that writes a picture of width×height pixels to w, in a format for which CanStream is
// true. If NeedsAside is true, the encoded picture is kept in aside, an empty file, until Close; else aside may be nil.
func NewStream(w io.Writer, width, height int, format Format, opt EncodeOptions, aside io.ReadWriteSeeker) *Stream {
	return &Stream{w: w, width: width, height: height, codec: format.codec(), opt: opt, aside: aside}
}

// NeedsAside reports whether a file with these options starts with the length of the encoded picture.
func (f Format) NeedsAside(opt EncodeOptions) bool { return f == JPEG && opt.Metadata.NeedsLength() }

// Put writes the next rows. They have the same type in all calls: *image.Gray, *image.Gray16, or an opaque *image.NRGBA
// or *image.NRGBA64. Put keeps no reference to rows, and fails for the same reasons as Encode.
func (s *Stream) Put(rows image.Image) error {
	rows = s.codec.adapt(rows)
	pix, stride, _ := picture.Samples(rows)
	s.rowBytes = stride
	if s.like == nil {
		s.like = rows
		if err := s.begin(); err != nil {
			return err
		}
	}
	s.pix = append(s.pix, pix[:rows.Bounds().Dy()*s.rowBytes]...)
	c, end := s.file.chunks(), s.top+len(s.pix)/s.rowBytes // end: how many rows have been received in all
	complete := end / c.rows                               // how many chunks have all their rows
	if end == s.height {
		complete = c.of
	}
	err := s.file.pack(complete - c.written)
	s.drop(complete*c.rows - c.above) // all rows that no later chunk needs
	return err
}

// begin checks the size, and writes the file up to its pixels, to s.aside if needed. If not, it sets s.aside to nil.
func (s *Stream) begin() (err error) {
	if err := s.codec.canHold(s.width, s.height, s.like); err != nil { // s.like: the first rows, for their type
		return err
	}
	s.opt.Quality = cmp.Or(s.opt.Quality, defaultQuality)
	s.opt = s.codec.fitting(s.opt, picture.IsGrey(s.like))
	w := io.Writer(s.aside)
	if !s.codec.format.NeedsAside(s.opt) {
		w, s.aside = s.opt.Metadata.Writer(s.w, string(s.codec.format), s.opt.Software, 0), nil
	}
	s.file, err = s.codec.stream(s, w, s.opt)
	return err
}

// streamPNG writes the start of a PNG to w, and returns a writer that takes the rows from s.pix, from s.top on.
func streamPNG(s *Stream, w io.Writer, _ EncodeOptions) (chunkWriter, error) {
	r := plainRaster(s.like)
	r.height = s.height
	r.read = func(dst []byte, y int) {
		src := s.pix[(y-s.top)*s.rowBytes:]
		if r.kind == pngRGB {
			withoutAlpha(dst, src, r.depth)
			return
		}
		copy(dst, src)
	}
	return beginPNG(w, r)
}

// streamJPEG writes the start of a JPEG to w, and returns a writer for the pixels, which it reads from s.
func streamJPEG(s *Stream, w io.Writer, opt EncodeOptions) (chunkWriter, error) {
	return beginJPEG(w, s.width, s.height, opt.Quality, picture.IsGrey(s.like), s.keptRows)
}

// keptRows returns the rows in s.pix as a picture with 8 bits per sample.
func (s *Stream) keptRows() image.Image {
	bounds := image.Rect(0, 0, s.width, len(s.pix)/s.rowBytes)
	if picture.IsGrey(s.like) {
		return &image.Gray{Pix: s.pix, Stride: s.rowBytes, Rect: bounds}
	}
	return &image.NRGBA{Pix: s.pix, Stride: s.rowBytes, Rect: bounds}
}

// drop removes from s.pix the rows above the given row of the picture.
func (s *Stream) drop(row int) {
	row = min(row, s.height)
	if n := (row - s.top) * s.rowBytes; n > 0 {
		s.pix = s.pix[:copy(s.pix, s.pix[n:])]
		s.top = row
	}
}

// Close ends the file. If the metadata before the picture state its length, the picture has been kept in s.aside, and
// Close now writes both to s.w. It fails if rows are missing.
func (s *Stream) Close() error {
	if s.file == nil || s.file.chunks().written < s.file.chunks().of {
		return refuse(safefile.ErrOutput, "is not whole: rows are missing")
	}
	if err := s.file.end(); err != nil {
		return err
	}
	if s.aside != nil {
		length, err := s.aside.Seek(0, io.SeekCurrent)
		if err == nil {
			_, err = s.aside.Seek(0, io.SeekStart)
		}
		if err != nil {
			return err
		}
		w := s.opt.Metadata.Writer(s.w, string(s.codec.format), s.opt.Software, length)
		if _, err := io.CopyN(w, s.aside, length); err != nil {
			return err
		}
	}
	return s.opt.Metadata.WriteAppended(s.w)
}
