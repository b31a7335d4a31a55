package tiff

import (
	"bytes"
	giflzw "compress/lzw"
	"image"
	"image/draw"
	"io"
	"sync"

	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	tifflzw "golang.org/x/image/tiff/lzw"
	"golang.org/x/image/webp"

	"superres/internal/chroma"
	"superres/internal/jpeg"
	"superres/internal/picture"
)

// rowSource returns the rows of a block, one after another.
type rowSource interface {
	// next fills row with the next bytes. It fails with io.EOF or io.ErrUnexpectedEOF where the data end first.
	next(row []byte) error
}

// rowMemory holds decompressors that the next block uses again. nil: none yet.
type rowMemory struct {
	zlib io.ReadCloser
	zstd *zstd.Decoder
}

// zstdDecoders holds decoders, of 2 MB each, for use by other blocks and pictures.
var zstdDecoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		panic(err) // the options are valid
	}
	return d
}}

// release returns the Zstandard decoder to the pool once a block is decoded.
func (m *rowMemory) release() {
	if m.zstd != nil {
		_ = m.zstd.Reset(nil) // drops the reference to the data
		zstdDecoders.Put(m.zstd)
		m.zstd = nil
	}
}

// open returns the rows in the data of a block, decompressed, with the predictor still to be undone. They use the
// decompressors in w.rows, so only one block can be open at a time.
func (w *worker) open(data []byte) (rowSource, error) {
	switch w.compression {
	case none:
		return readerRows{bytes.NewReader(data)}, nil
	case packBits:
		return &packedRows{data: data}, nil
	case lzw:
		return readerRows{lzwReader(data)}, nil
	case adobe, deflate:
		in := bytes.NewReader(data)
		var err error
		if w.rows.zlib == nil {
			w.rows.zlib, err = zlib.NewReader(in)
		} else {
			err = w.rows.zlib.(zlib.Resetter).Reset(in, nil)
		}
		return readerRows{w.rows.zlib}, err
	case zstandard:
		in := bytes.NewReader(data)
		if w.rows.zstd == nil {
			w.rows.zstd = zstdDecoders.Get().(*zstd.Decoder)
		}
		return readerRows{w.rows.zstd}, w.rows.zstd.Reset(in)
	case newJPEG, oldJPEG, webP:
		img, err := w.picture(data)
		return &pictureRows{img: img, samples: w.inBlock()}, err
	}
	return newFaxRows(w.layout, w.blockWidth, data, func() { // all other compressions are fax codes
		w.warn("has damaged lines, with white ends")
	}), nil
}

// lzwReader returns a reader of LZW data (TIFF 6.0, section 13), in which codes have the highest bit first, and grow
// one code earlier than in GIF. Files from before 1990 have the lowest bit first, and grow as in GIF. The first code,
// always 256 in 9 bits, shows the kind, as in libtiff.
func lzwReader(data []byte) io.Reader {
	const byteBits = 8
	if len(data) > 1 && data[0] == 0 && data[1]&1 == 1 {
		return giflzw.NewReader(bytes.NewReader(data), giflzw.LSB, byteBits)
	}
	return tifflzw.NewReader(bytes.NewReader(data), tifflzw.MSB, byteBits)
}

// readerRows are rows from a reader.
type readerRows struct{ r io.Reader }

func (r readerRows) next(row []byte) error {
	_, err := io.ReadFull(r.r, row)
	return err
}

// packedRows are rows compressed with PackBits (TIFF 6.0, section 9): runs of one byte, and sequences of literal bytes.
type packedRows struct {
	data     []byte
	literals int  // literal bytes still to be copied
	repeats  int  // how many copies of value are still to be written
	value    byte // the byte of a run
}

// next fills row from codes: a byte n of 0 to 127 and n+1 literal bytes, or n of −127 to −1 and a byte to repeat 1−n
// times. −128 means nothing. A code may reach beyond row: p keeps its rest for the next call.
func (p *packedRows) next(row []byte) error {
	for len(row) > 0 {
		switch {
		case p.literals > 0:
			n := min(p.literals, len(row))
			if len(p.data) < n {
				return io.ErrUnexpectedEOF
			}
			copy(row[:n], p.data)
			p.data, row, p.literals = p.data[n:], row[n:], p.literals-n
		case p.repeats > 0:
			n := min(p.repeats, len(row))
			for i := range n {
				row[i] = p.value
			}
			row, p.repeats = row[n:], p.repeats-n
		case len(p.data) < 2:
			return io.ErrUnexpectedEOF
		default:
			switch n := int8(p.data[0]); {
			case n >= 0:
				p.literals, p.data = int(n)+1, p.data[1:]
			case n != -128:
				p.repeats, p.value, p.data = 1-int(n), p.data[1], p.data[2:]
			default:
				p.data = p.data[1:]
			}
		}
	}
	return nil
}

// pictureRows are the rows of a wholly decoded picture.
type pictureRows struct {
	img     image.Image
	samples int // per pixel in the rows that next fills, at most as many as img has
	y       int // the next row of img
}

// next copies the next row of p.img, with the first p.samples samples of each pixel, to row.
func (p *pictureRows) next(row []byte) error {
	pix, stride, size := picture.Samples(p.img) // size is the number of bytes, here of samples, of a pixel
	width := len(row) / p.samples
	if b := p.img.Bounds(); p.y >= b.Dy() || width > b.Dx() || p.samples > size {
		return FormatError("a picture inside is smaller than the place for it, or of other colours")
	}
	from := pix[p.y*stride:]
	if p.samples == size {
		copy(row, from[:width*size])
	} else {
		for x := range width {
			copy(row[x*p.samples:(x+1)*p.samples], from[x*size:])
		}
	}
	p.y++
	return nil
}

// picture decodes the JPEG or WebP data of a block. YCbCr becomes RGB. It refuses a picture of more pixels than most.
func (w *worker) picture(data []byte) (img image.Image, err error) {
	// A block at an edge may hold a full tile, or only the part in the picture, and some encoders write more rows.
	most := int64(w.blockWidth+16) * int64(w.blockHeight+16)
	if w.compression == webP {
		if w.opt.WebP == nil {
			return nil, UnsupportedError("WebP inside")
		}
		size, err := webp.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if int64(size.Width)*int64(size.Height) > most {
			return nil, FormatError("a picture inside is larger than the place for it")
		}
		return w.opt.WebP(w.ctx, data)
	}
	const mostScans = 100 // as for a JPEG file, by default
	opt := jpeg.Options{Tables: w.tables, Colours: jpeg.AsStored, Pixels: most, Scans: mostScans}
	if w.jpegYCbCr {
		opt.Colours = jpeg.AsYCbCr
	}
	if w.compression == oldJPEG {
		opt.Colours = jpeg.FromFile
	}
	img, warnings, err := jpeg.Decode(w.ctx, data, opt)
	if err != nil {
		return nil, asTIFFError(err)
	}
	for _, text := range warnings {
		w.warn(text)
	}
	return rgbOf(chroma.Smooth(img)), nil
}

// asTIFFError converts an error of package jpeg to one of this package.
func asTIFFError(err error) error {
	switch e := err.(type) {
	case jpeg.FormatError:
		return FormatError("a JPEG inside: " + string(e))
	case jpeg.UnsupportedError:
		return UnsupportedError(string(e) + " inside")
	}
	return err
}

// rgbOf returns a YCbCr picture as RGB, and other pictures unchanged.
func rgbOf(img image.Image) image.Image {
	src, ok := img.(*image.YCbCr)
	if !ok {
		return img
	}
	out := image.NewRGBA(src.Bounds())
	draw.Draw(out, out.Rect, src, image.Point{}, draw.Src)
	return out
}
