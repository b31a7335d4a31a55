// Package jpeg decodes JPEG files (ITU-T T.81): baseline, extended sequential and progressive, of 8 bits a sample, with
// Huffman coding. Its samples equal libjpeg-turbo's bit for bit. Of these kinds it reads all files that libjpeg-turbo
// reads; for other kinds the error names what cannot be read.
//
// jpeg.go has the exported functions. segments.go reads the segments between the pixels, frame.go the header of the
// picture, huffman.go the code tables and bits.go single bits. scan.go iterates over the blocks of a scan and the
// restart markers between them, and decodes sequential files; progressive.go decodes the blocks of progressive files.
// idct.go computes samples from coefficients, and colours.go a picture from samples, enlarged where needed.
//
// Memory for pixels is allocated only after the size in the header has passed Options.Pixels. Work is bounded by the
// size, by Options.Scans and by the context, which is checked at every segment and every row of blocks.
package jpeg

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"slices"
)

// Options say how to decode a file. The zero value means the defaults.
type Options struct {
	Tables  []byte  // a JPEG stream of only tables, as in a TIFF, which apply until the file redefines them
	Colours Colours // which colours the components are; default: FromFile
	Pixels  int64   // the largest width × height, in pixels; 0: 65,535²
	Scans   int     // the largest number of scans; 0: any number
}

// Colours says how to find out which colours the components are.
type Colours int

const (
	FromFile Colours = iota // by the segments JFIF and Adobe, or else the names of the components
	// AsStored takes one component as grey, three as RGB and four as CMYK, where 0 is no ink. Two components, which a
	// TIFF uses for grey with alpha, become the first two channels of an *image.CMYK.
	AsStored
	AsYCbCr // three components are YCbCr of BT.601 in full range; other files are taken as by FromFile
)

// ErrScans is the error for a file with more than Options.Scans scans.
var ErrScans = errors.New("jpeg: too many scans")

// ErrPixels is the error for a file with more than Options.Pixels pixels.
var ErrPixels = errors.New("jpeg: too many pixels")

// FormatError says which rule of the format a file breaks, in words to follow the file's name, such as "no pixels".
type FormatError string

func (e FormatError) Error() string { return "jpeg: " + string(e) }

// UnsupportedError names a part of the format that is not read, as a noun in plain words, such as "arithmetic coding".
type UnsupportedError string

func (e UnsupportedError) Error() string { return "jpeg: " + string(e) + " cannot be read" }

// DecodeConfig returns the size and colour model of the JPEG data, with or without pixels. It fails as Decode does.
func DecodeConfig(data []byte, opt Options) (image.Config, error) {
	d := &decoder{opt: opt, bits: bits{data: data}}
	if err := d.readHeader(); err != nil {
		return image.Config{}, err
	}
	model := color.GrayModel
	switch d.meaning() {
	case meansYCbCr:
		model = color.YCbCrModel
	case meansRGB:
		model = color.RGBAModel
	case meansCMYK, meansInvertedCMYK, meansInvertedYCCK:
		model = color.CMYKModel
	}
	return image.Config{ColorModel: model, Width: d.width, Height: d.height}, nil
}

// Decode returns the picture in the file data, with bounds that begin at (0, 0): an *image.Gray, an *image.YCbCr, an
// *image.RGBA or an *image.CMYK, where 0 is no ink. Chroma of YCbCr stays as stored if package image has a constant for
// its resolution, and is else enlarged to full resolution as in libjpeg-turbo.
//
// warnings name faults that did not prevent reading the file, in words to follow the name of the file. The error is
// io.ErrUnexpectedEOF for a file that ends too early, a FormatError for one that breaks the rules, an UnsupportedError
// for a kind that is not read, and ctx.Err() once ctx has ended. data is not changed.
func Decode(ctx context.Context, data []byte, opt Options) (img image.Image, warnings []string, err error) {
	d := &decoder{opt: opt, bits: bits{data: data}, ctx: ctx}
	if err := d.readFile(); err != nil {
		return nil, nil, err
	}
	if err := d.transform(); err != nil {
		return nil, nil, err
	}
	return d.picture(), d.warnings(), nil
}

// decoder is the state of decoding a file.
type decoder struct {
	opt Options
	ctx context.Context
	bits

	frame
	quantisers [4]*[64]int32 // quantisation tables by number, row by row like a block; nil: not defined yet
	dc, ac     [4]*codes     // Huffman tables by number; nil: not defined yet
	interval   int           // MCUs between restart markers; 0: no markers

	hasJFIF, hasAdobe bool
	adobeTransform    byte

	scans     int
	used      int  // offset after the bits that the last scan used
	eob       int  // for progressive files: the blocks still to come without further coefficients in this scan
	dataEnded bool // the data up to the next restart marker, or of the scan, have ended too early

	isDamaged, isCoarse, hasNoEnd bool // see warnings
	surplus                       int  // bytes that belong to no segment or scan
}

// warnings returns the faults that were found in a decoded file, in words to follow its name.
func (d *decoder) warnings() (list []string) {
	switch {
	case d.isDamaged:
		list = append(list, "has damaged pixel data; parts of the picture may be wrong")
	case d.surplus > 0:
		list = append(list, "has surplus bytes behind its pixel data, which may be damaged")
	}
	if d.isCoarse {
		list = append(list, "has but a coarse version of its picture")
	}
	if d.hasNoEnd {
		list = append(list, "has no end marker; all of its pixels are there")
	}
	return list
}

// readFile reads all segments and scans, up to the end marker. A fault after the last bits of all coefficients is
// only a warning, unless zeros seem to stand for missing bytes: see endsInZeros.
func (d *decoder) readFile() error {
	if err := d.readTables(); err != nil { // from d.opt.Tables
		return err
	}
	for {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		marker, payload, err := d.segment()
		if err == nil && marker == markerEnd {
			return d.checkPixels()
		}
		if err == nil {
			err = d.read(marker, payload)
		}
		switch {
		case err == nil:
		case d.ctx.Err() != nil:
			return d.ctx.Err()
		case errors.Is(err, ErrScans) || !d.isComplete():
			return err
		case d.endsInZeros():
			return io.ErrUnexpectedEOF
		default: // the pixels are complete; the bytes after them are ignored
			d.hasNoEnd, d.surplus = true, 0 // for the warnings
			return nil
		}
	}
}

// readHeader reads the segments up to the first scan. It fails if there is no frame header among them.
func (d *decoder) readHeader() error {
	if err := d.readTables(); err != nil { // from d.opt.Tables
		return err
	}
	for {
		marker, payload, err := d.segment()
		switch {
		case err != nil:
			return err
		case marker == markerEnd || marker == markerScan:
			if d.components == nil {
				return FormatError("no pixels")
			}
			return nil
		}
		if err := d.read(marker, payload); err != nil {
			return err
		}
	}
}

// checkPixels fails, at the end marker, for a file without data for a component, or a damaged one that lacks bits of
// coefficients. A sound file may lack bits that its writer left out: d.isCoarse is then set, for a warning.
func (d *decoder) checkPixels() error {
	if d.components == nil {
		return FormatError("no pixels")
	}
	if slices.ContainsFunc(d.components, func(c *component) bool { return !c.isBegun() }) {
		return io.ErrUnexpectedEOF
	}
	d.isCoarse = !d.isComplete()
	if d.isCoarse && d.isDamaged {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// endsInZeros reports whether the last scan ended inside a run of zero bytes that reaches to the end of the file. In an
// incomplete copy of a file, zeros may stand for missing bytes, and decode as codes. A complete scan hardly ever ends
// with a zero byte, since its last byte is filled up with ones.
func (d *decoder) endsInZeros() bool {
	return len(bytes.TrimRight(d.data, "\x00")) < d.used && d.used < len(d.data)
}

// isComplete reports whether all coefficients of the picture have been read.
func (d *decoder) isComplete() bool {
	incomplete := func(c *component) bool { return !c.isComplete() }
	return d.components != nil && !slices.ContainsFunc(d.components, incomplete)
}
