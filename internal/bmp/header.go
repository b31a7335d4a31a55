// Package bmp reads pictures of the format BMP of Windows and OS/2: uncompressed, run-length coded, with bit fields.
//
// A Decoder reads the header and the palette (header.go). The caller checks the size and allocates memory for the
// pixels, and Decode fills it: from uncompressed pixels in pixels.go, from run-length codes in rle.go.
//
// Sources: Microsoft, "Bitmap Compression" and "Bitmap Storage", with BITMAPFILEHEADER, BITMAPCOREHEADER and
// BITMAPINFOHEADER to BITMAPV5HEADER; IBM, "OS/2 2.0 Presentation Manager Programming Reference", BITMAPINFOHEADER2.
package bmp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"

	"superres/internal/safefile"
)

// UnsupportedError names the part of a valid file that this package does not read.
type UnsupportedError string

func (e UnsupportedError) Error() string { return "bmp: " + string(e) }

// Lengths of headers in bytes, by version. Other lengths from 16 to 64 belong to OS/2 2.0: it may end after any field.
const (
	fileHeader = 14
	coreHeader = 12  // OS/2 1.x: sides of 16 bits, and a palette of three bytes an entry
	infoHeader = 40  // Windows 3.0
	v2Header   = 52  // infoHeader and the masks of red, green and blue
	v3Header   = 56  // v2Header and the mask of alpha
	os2Header  = 64  // OS/2 2.0
	v4Header   = 108 // Windows 95
	v5Header   = 124 // Windows 98
)

// The compressions of a picture.
const (
	uncompressed = 0
	rle8         = 1
	rle4         = 2
	bitFields    = 3 // in OS/2 2.0, the same number means a fax code
	jpegInside   = 4 // in OS/2 2.0, the same number means run lengths of 24-bit pixels
	pngInside    = 5
	alphaFields  = 6
	os2Fax       = 3 + os2
	rle24        = 4 + os2
	os2          = 1 << 40 // added to compression numbers of OS/2 2.0, as Windows gives the same numbers other meanings
)

// Decoder reads one file.
type Decoder struct {
	r             *bufio.Reader
	width, height int64
	topDown       bool
	depth         int64 // bits of a pixel
	compression   int64
	palette       color.Palette // has 1<<depth entries; nil: no palette
	masks         [4]uint64     // of red, green, blue and alpha; 0: the channel is missing
}

// NewDecoder reads the file in r up to its pixels. A bare bitmap, as in a clipboard, lacks the file header "BM" and
// begins with the bitmap header. NewDecoder fails with an UnsupportedError, or with io.ErrUnexpectedEOF where the file
// is too short. The caller must check the size of the picture.
func NewDecoder(r io.Reader) (*Decoder, error) {
	d := &Decoder{r: bufio.NewReader(r)}
	head := make([]byte, v5Header)   // fields of a shorter header stay 0
	at, pixels := int64(0), int64(0) // offsets of the bitmap header and of the pixels
	if start, err := d.r.Peek(2); err == nil && string(start) == "BM" {
		if err := d.read(head[:fileHeader]); err != nil {
			return nil, err
		}
		at, pixels = fileHeader, int64(binary.LittleEndian.Uint32(head[10:]))
	}
	if err := d.read(head[:4]); err != nil {
		return nil, err
	}
	length := int64(binary.LittleEndian.Uint32(head))
	if length != coreHeader && (length < 16 || length > os2Header) && length != v4Header && length != v5Header {
		return nil, UnsupportedError(fmt.Sprintf("a header of %d bytes", length))
	}
	if err := d.read(head[4:length]); err != nil {
		return nil, err
	}
	entries := d.readFields(head, length)
	if err := d.check(); err != nil {
		return nil, err
	}
	at += length
	if masks := d.masksAfter(length); masks > 0 {
		if err := d.read(head[infoHeader:][:4*masks]); err != nil {
			return nil, err
		}
		at += 4 * masks
	}
	d.setMasks(head, length)

	entry := int64(4) // bytes of a palette entry: blue, green, red and, but for OS/2 1.x, an unused byte
	if length == coreHeader {
		entry = 3
	}
	most := int64(0) // how many palette entries an index can select
	if d.depth <= 8 {
		most = 1 << d.depth
	}
	if entries == 0 {
		entries = most
	}
	if pixels < at { // in a bare bitmap, and in files of some programs: the pixels follow the palette
		pixels = at + entry*entries
	}
	list := make([]byte, entry*min(entries, most, (pixels-at)/entry))
	if err := d.read(list); err != nil {
		return nil, err
	}
	if most > 0 {
		d.palette = slices.Repeat(color.Palette{color.RGBA{A: 0xff}}, int(most)) // black where there is no entry
	}
	for i := range int64(len(list)) / entry {
		d.palette[i] = color.RGBA{R: list[entry*i+2], G: list[entry*i+1], B: list[entry*i], A: 0xff}
	}
	_, err := io.CopyN(io.Discard, d.r, pixels-at-int64(len(list)))
	return d, safefile.CutShort(err)
}

// readFields sets the size, the order of rows, the depth and the compression from head, a header of the given length,
// and returns the number of palette entries, 0 for as many as the depth allows. A negative height in the file means
// that the top row comes first. The depth is the upper half of a word with the number of planes, which is not used.
func (d *Decoder) readFields(head []byte, length int64) (entries int64) {
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint32(head[at:])) }
	if length == coreHeader {
		d.width, d.height, d.depth = number(4)&0xffff, number(6)&0xffff, number(8)>>16
		return 0
	}
	d.width, d.height = int64(int32(number(4))), int64(int32(number(8)))
	if d.topDown = d.height < 0; d.topDown {
		d.height = -d.height
	}
	d.depth, d.compression = number(12)>>16, number(16)
	isOS2 := length <= os2Header && length != infoHeader && length != v2Header && length != v3Header // by elimination
	if isOS2 && (d.compression == bitFields || d.compression == jpegInside) {
		d.compression += os2
	}
	return number(32)
}

// check fails where this package does not read the depth or the compression.
func (d *Decoder) check() error {
	what := ""
	switch d.compression {
	case jpegInside:
		what = "a JPEG inside of it"
	case pngInside:
		what = "a PNG inside of it"
	case os2Fax:
		what = "a fax code of OS/2"
	case 11, 12, 13:
		what = "CMYK colours"
	}
	if what != "" {
		return UnsupportedError(what)
	}
	depths, ok := map[int64][]int64{
		uncompressed: {1, 2, 4, 8, 16, 24, 32}, rle8: {8}, rle4: {4}, rle24: {24},
		bitFields: {16, 24, 32}, alphaFields: {16, 24, 32},
	}[d.compression]
	switch {
	case !ok: // without os2, the mark that readFields has added
		return UnsupportedError(fmt.Sprintf("compression %d", d.compression&^os2))
	case !slices.Contains(depths, d.depth) && d.compression == uncompressed:
		return UnsupportedError(fmt.Sprintf("%d bits a pixel", d.depth))
	case !slices.Contains(depths, d.depth):
		return UnsupportedError(fmt.Sprintf("%d bits a pixel in compression %d", d.depth, d.compression&^os2))
	}
	return nil
}

// masksAfter returns how many channel masks follow a header of the given length. Headers longer than infoHeader contain
// the masks, and pixels of other compressions need none.
func (d *Decoder) masksAfter(length int64) int64 {
	switch {
	case length == infoHeader && d.compression == bitFields:
		return 3
	case length == infoHeader && d.compression == alphaFields:
		return 4
	}
	return 0
}

// setMasks sets d.masks from head, a header of the given length with the masks after it. If it has no masks of colours,
// they are the usual ones of the depth: 5 bits each in pixels of 16 bits, else 8, with blue in the lowest bits.
//
// Note: a plain INFO header has no field for a mask of alpha, but FFmpeg and Pillow write alpha into the fourth byte
// of its pixels, and FFmpeg and ImageMagick read it. With later headers, only a mask makes it alpha.
func (d *Decoder) setMasks(head []byte, length int64) {
	if d.compression == bitFields || d.compression == alphaFields {
		for i := range d.masks {
			d.masks[i] = uint64(binary.LittleEndian.Uint32(head[infoHeader+4*i:]))
		}
	}
	if d.masks[0]|d.masks[1]|d.masks[2] != 0 {
		return
	}
	d.masks = [4]uint64{0xff0000, 0xff00, 0xff}
	switch {
	case d.depth == 16:
		d.masks = [4]uint64{0x7c00, 0x3e0, 0x1f}
	case d.depth == 32 && length == infoHeader && d.compression == uncompressed:
		d.masks[3] = 0xff000000
	}
}

// Config returns the size and the colour model of the picture. The model is a color.Palette, color.NRGBAModel for a
// picture that may have transparency, or color.RGBAModel.
func (d *Decoder) Config() image.Config {
	c := image.Config{ColorModel: color.RGBAModel, Width: int(d.width), Height: int(d.height)}
	if d.palette != nil {
		c.ColorModel = d.palette
	} else if d.masks[3] != 0 {
		c.ColorModel = color.NRGBAModel
	}
	return c
}

// read fills b from the file.
func (d *Decoder) read(b []byte) error {
	_, err := io.ReadFull(d.r, b)
	return safefile.CutShort(err)
}
