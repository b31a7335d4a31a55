package imagefile

import (
	"cmp"
	"image"
	"io"
	"strings"

	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/safefile"
)

// defaultQuality is the quality of a JPEG or an AVIF if EncodeOptions.Quality is 0. At this quality, a photograph
// (kodim01) has 0.66 bytes per pixel and 46.2 dB as AVIF, 0.63 bytes per pixel and 41.7 dB as JPEG.
const defaultQuality = 95

// EncodeOptions are the choices of Encode. The zero value is ready to use.
type EncodeOptions struct {
	Quality   int               // of a JPEG or an AVIF, 1 to 100; 0 stands for 95
	Metadata  metadata.Metadata // is written, except the parts that the format cannot hold
	Software  string            // a short text on the program that made the file; empty: none
	GreyAlpha bool              // writes grey with alpha as two samples per pixel, not four, if the format can
	Alpha     bool              // writes a colour PNG with an alpha channel even if all pixels are opaque
}

// Encode writes img to w in a format for which CanWrite is true. PNG and TIFF keep 16 bits and alpha. WebP, which is
// lossless, and AVIF keep alpha but round to 8 bits, as JPEG and BMP do. A JPEG has colour at full resolution and no
// alpha: transparent pixels are blended with black, unless the caller has blended them before. Encode needs
// Format.EncoderBytes bytes of memory besides the picture.
//
// Encode returns an error from w unchanged. For a picture or option that the format cannot hold, it returns an
// ErrOutput without a file name before it writes anything; safefile.WriteAtomic adds the name.
func Encode(w io.Writer, img image.Image, format Format, opt EncodeOptions) error {
	c, size := format.codec(), img.Bounds().Size()
	if err := c.canHold(size.X, size.Y, img); err != nil {
		return err
	}
	if opt.Quality = cmp.Or(opt.Quality, defaultQuality); opt.Quality < 1 || opt.Quality > 100 {
		return refuse(safefile.ErrOutput, "quality %d is not from 1 to 100", opt.Quality).With(KnownQuality)
	}
	opt.GreyAlpha = opt.GreyAlpha && c.canGreyAlpha            // two samples per pixel, not four
	opt = c.fitting(opt, opt.GreyAlpha || picture.IsGrey(img)) // without metadata that the format cannot hold
	img = c.adapt(img)                                         // to a type that c.encode takes
	var length metadata.Count
	if opt.Metadata.NeedsLength() { // encodes the picture twice to avoid storing it encoded
		_ = c.encode(&length, img, opt) // counting cannot fail
	}
	if err := c.encode(opt.Metadata.Writer(w, string(format), opt.Software, int64(length)), img, opt); err != nil {
		return err
	}
	return opt.Metadata.WriteAppended(w)
}

// fitting returns opt with only the metadata and text that the format can hold, for a grey or a colour picture.
func (c *codec) fitting(opt EncodeOptions, grey bool) EncodeOptions {
	opt.Metadata, _ = opt.Metadata.For(string(c.format), grey)
	opt.Software = plainText(opt.Software)
	return opt
}

// plainText returns the first 1000 characters of s, with ? for all but printable ASCII, which every format can hold.
func plainText(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return s[:min(len(s), 1000)]
}
