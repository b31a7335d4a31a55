package imagefile

import (
	"cmp"
	"fmt"
	"image"
	"io"
	"math"
	"path/filepath"
	"strings"

	"golang.org/x/image/bmp"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// knownOutputs lists the formats that Encode writes, for messages.
//
// Note: WebP is read and not written, because the encoder in Go that could be had fails on
// some pictures. What was a WebP, or a GIF, which has too few colours, is written as PNG.
const knownOutputs = "PNG JPEG BMP TIFF"

// FormatOf returns the format that the extension of an output file's path asks
// for: "png", "jpeg", "bmp" or "tiff". Any other extension is an ErrOutput.
func FormatOf(path string) (string, error) {
	ext := filepath.Ext(path)
	switch strings.ToLower(ext) {
	case ".png":
		return "png", nil
	case ".jpg", ".jpeg", ".jpe", ".jfif":
		return "jpeg", nil
	case ".bmp":
		return "bmp", nil
	case ".tif", ".tiff":
		return "tiff", nil
	}
	what := fmt.Sprintf("cannot write %q files", ext)
	if ext == "" {
		what = "has no extension to tell the format"
	}
	return "", safefile.Refuse(safefile.ErrOutput, path, "%s (known: %s)", what, knownOutputs).With(KnownName)
}

// EncodeOptions are the choices of Encode. The zero value is ready to use.
type EncodeOptions struct {
	// Quality is that of a JPEG, 1 to 100. 0 is 95.
	Quality int
	// Metadata is written as far as it fits the format: none.
	Metadata metadata.Metadata
	// Software is a short record of what made the file. Empty is none.
	Software string
	// GreyAlpha writes a grey picture with alpha as that where the format is PNG: false,
	// as colour.
	GreyAlpha bool
	// Alpha writes a PNG of colour with alpha even where all of it is opaque: false.
	Alpha bool
}

// Encode writes img to w as "png", "jpeg", "bmp" or "tiff". PNG and TIFF keep
// 16 bits and alpha; TIFF is not compressed, so it takes no memory of its own.
// JPEG and BMP round to 8 bits. JPEG has its colour at full resolution. It has no
// alpha: what is transparent comes out over black, so a caller who wants another
// ground paints it first.
//
// An error of w comes back as it is. A picture or an option that the format
// cannot hold is an ErrOutput without a file's name, found before anything is
// written; safefile.WriteAtomic adds the name.
func Encode(w io.Writer, img image.Image, format string, opt EncodeOptions) error {
	size := img.Bounds().Size()
	if err := canHold(format, size.X, size.Y, img); err != nil {
		return err
	}
	quality := cmp.Or(opt.Quality, 95)
	if quality < 1 || quality > 100 {
		return refuse(safefile.ErrOutput, "JPEG quality %d is not from 1 to 100", quality).With(KnownQuality)
	}
	greyAlpha := opt.GreyAlpha && format == "png" // in a TIFF few could read it
	m, _ := opt.Metadata.For(format, greyAlpha || isGrey(img))
	software := plainText(opt.Software)
	img = fitting(img, format)
	out := m.Writer(w, format, software)
	switch format {
	case "png":
		return encodePNG(out, rasterOf(img, greyAlpha, opt.Alpha))
	case "jpeg":
		return encodeJPEG(out, img, quality)
	case "bmp":
		return bmp.Encode(out, img)
	}
	return encodeTIFF(w, img, m, software)
}

// isGrey reports whether a picture has grey samples alone.
func isGrey(img image.Image) bool {
	switch img.(type) {
	case *image.Gray, *image.Gray16:
		return true
	}
	return false
}

// plainText keeps the visible ASCII of s, which every format can hold, and bounds
// its length.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 1000)]
}

// canHold refuses an unknown format, and a picture of width w and height h
// beyond what the format can describe.
//
// Note: the TIFF and BMP encoders do not look; they write a file with a wrong
// size in it.
func canHold(format string, w, h int, img image.Image) error {
	side, bytes := math.MaxInt32, int64(math.MaxInt64)
	switch format {
	case "png":
	case "jpeg":
		side = math.MaxUint16
	case "bmp":
		bytes = math.MaxUint32
	case "tiff":
		side, bytes = math.MaxUint16, math.MaxUint32
	default:
		return refuse(safefile.ErrOutput, "cannot write the format %q (known: %s)", format, knownOutputs).With(KnownFormat)
	}
	if w < 1 || h < 1 {
		return refuse(safefile.ErrOutput, "there is nothing to write, the picture is %dx%d", w, h).With(LargerScale)
	}
	title := strings.ToUpper(format)
	if w > side || h > side {
		return refuse(safefile.ErrOutput, "a side of %s has at most %d pixels, the picture is %dx%d", title, side, w, h).With(PNGOrSmaller)
	}
	const headers = 64 << 20 // more than any of them needs, with metadata
	perPixel := int64(4)     // with a BMP's padding
	if format == "tiff" {
		switch img.(type) {
		case *image.NRGBA64, *image.RGBA64:
			perPixel = 8
		}
	}
	if int64(w)*int64(h) > (bytes-headers)/perPixel {
		return refuse(safefile.ErrOutput, "%s has at most 4 GiB, which a picture of %dx%d exceeds", title, w, h).With(PNGOrSmaller)
	}
	return nil
}

// Stream writes a PNG or a JPEG as its rows come, from the top, so that neither the picture
// nor the file is ever in memory as a whole. The bytes are those of Encode.
type Stream struct {
	w             io.Writer
	width, height int // of the picture
	format        string
	opt           EncodeOptions

	png  *pngFile // one of the two, after the first rows
	jpeg *jpegFile
	pix  []byte // rows that are needed still, ...
	row  int    // of so many bytes, ...
	top  int    // from this one on
	like image.Image
}

// NewStream begins a picture of a width and height, in pixels. The format is "png" or "jpeg".
func NewStream(w io.Writer, width, height int, format string, opt EncodeOptions) *Stream {
	return &Stream{w: w, width: width, height: height, format: format, opt: opt}
}

// Put writes the next rows, all of one type: *image.Gray or *image.Gray16, or *image.NRGBA or
// *image.NRGBA64 that is opaque. It copies what it keeps. Its errors are those of Encode.
func (s *Stream) Put(rows image.Image) error {
	rows = fitting(rows, s.format)
	var pix []byte
	switch m := rows.(type) {
	case *image.Gray:
		pix, s.row = m.Pix, m.Stride
	case *image.Gray16:
		pix, s.row = m.Pix, m.Stride
	case *image.NRGBA:
		pix, s.row = m.Pix, m.Stride
	case *image.NRGBA64:
		pix, s.row = m.Pix, m.Stride
	}
	if s.like == nil {
		s.like = rows
		if err := s.begin(); err != nil {
			return err
		}
	}
	s.pix = append(s.pix, pix[:rows.Bounds().Dy()*s.row]...)
	end := s.top + len(s.pix)/s.row
	if s.png != nil {
		n := end / s.png.rows
		if end == s.height {
			n = s.png.chunks()
		}
		err := s.png.pack(n - s.png.made)
		s.drop(n*s.png.rows - 1) // the next chunk looks at the row above it
		return err
	}
	n := end / 8
	if end == s.height {
		n = s.jpeg.last + 1
	}
	err := s.jpeg.pack(s.window(), n-s.jpeg.made)
	s.drop(n * 8)
	return err
}

// begin writes what comes before the pixels.
func (s *Stream) begin() (err error) {
	if err := canHold(s.format, s.width, s.height, s.like); err != nil {
		return err
	}
	grey := isGrey(s.like)
	m, _ := s.opt.Metadata.For(s.format, grey)
	out := m.Writer(s.w, s.format, plainText(s.opt.Software))
	if s.format == "jpeg" {
		s.jpeg, err = beginJPEG(out, s.width, s.height, cmp.Or(s.opt.Quality, 95), grey)
		return err
	}
	r := rasterOf(s.like, false, false)
	r.height = s.height
	r.read = func(dst []byte, y int) {
		src := s.pix[(y-s.top)*s.row:]
		if r.kind == pngRGB {
			withoutAlpha(dst, src, r.depth)
			return
		}
		copy(dst, src)
	}
	s.png, err = beginPNG(out, r)
	return err
}

// window is the rows in memory as a picture.
func (s *Stream) window() image.Image {
	bounds := image.Rect(0, 0, s.width, len(s.pix)/s.row)
	if isGrey(s.like) {
		return &image.Gray{Pix: s.pix, Stride: s.row, Rect: bounds}
	}
	return &image.NRGBA{Pix: s.pix, Stride: s.row, Rect: bounds}
}

// drop forgets the rows before one.
func (s *Stream) drop(before int) {
	if n := (min(before, s.height) - s.top) * s.row; n > 0 {
		s.pix = s.pix[:copy(s.pix, s.pix[n:])]
		s.top = min(before, s.height)
	}
}

// Close ends the file. It fails when rows are missing.
func (s *Stream) Close() error {
	switch {
	case s.png != nil && s.png.made == s.png.chunks():
		return s.png.end()
	case s.jpeg != nil && s.jpeg.made == s.jpeg.last+1:
		return nil
	}
	return refuse(safefile.ErrOutput, "is not whole: rows are missing")
}
