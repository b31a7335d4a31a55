// Package jpeg decodes JPEG files (ITU-T T.81): baseline, extended sequential and progressive, of 8 bits a sample, with
// Huffman coding. It gives the samples of libjpeg-turbo bit for bit, reads all that this library reads of these kinds,
// and names what it does not read.
//
// jpeg.go has what other packages call. segments.go reads the segments between the pixels, frame.go the header of a
// picture, huffman.go the tables of codes and bits.go the bits. scan.go goes over the blocks of a scan and the restart
// markers between them, of sequential files; progressive.go decodes the blocks of others. idct.go makes samples of
// coefficients, and colours.go a picture of the samples, enlarged where components differ in resolution.
//
// Memory for pixels is taken once Options has accepted the size in the header. Work is bounded by the size, by
// Options.Scans and by the context, which is asked once for every segment and every row of blocks.
package jpeg

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"io"
)

// Options say how to decode a file. The zero value reads a whole file by what it says of itself.
type Options struct {
	// Tables is a stream of tables alone, as a TIFF has it apart from its pictures: the tables hold until the file
	// defines others.
	Tables []byte
	// Colours is the meaning of the components: FromFile.
	Colours Colours
	// Pixels is the largest width × height, in pixels: 65,535².
	Pixels int64
	// Scans is how many scans a file may have: any number.
	Scans int
}

// Colours is the meaning of the components of a picture.
type Colours int

const (
	// FromFile takes the meaning from the segments JFIF and Adobe, or else from the names of the components.
	FromFile Colours = iota
	// AsStored takes one component as grey, three as RGB and four as CMYK of which 0 is no ink. Two, as a TIFF has them
	// for grey with alpha, become the first two channels of an *image.CMYK.
	AsStored
	// AsYCbCr takes three components as YCbCr of BT.601 in full range, and others as FromFile does.
	AsYCbCr
)

// ErrScans is the error of a file of more than Options.Scans scans.
var ErrScans = errors.New("jpeg: too many scans")

// ErrPixels is the error of a file of more than Options.Pixels pixels.
var ErrPixels = errors.New("jpeg: too many pixels")

// FormatError says in which way a file breaks the rules of the format, as words behind the name of the file, such as
// "no pixels".
type FormatError string

func (e FormatError) Error() string { return "jpeg: " + string(e) }

// UnsupportedError is a part of the format that is not read, as a noun in plain words, such as "arithmetic coding".
type UnsupportedError string

func (e UnsupportedError) Error() string { return "jpeg: " + string(e) + " cannot be read" }

// DecodeConfig returns the size and the colour model of the picture in data, a file or its segments up to the pixels.
// It fails as Decode does.
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

// Decode returns the picture in data, a file. Its bounds begin at (0, 0). It is an *image.Gray, an *image.YCbCr, an
// *image.RGBA or an *image.CMYK of which 0 is no ink. YCbCr keeps its chroma as stored, where image.YCbCr has a name
// for its resolution, and else has it enlarged to full resolution as libjpeg-turbo does.
//
// warnings name the faults of a file that is read all the same, as words behind the name of the file. A file that ends
// before its pixels gives io.ErrUnexpectedEOF, one that breaks the rules a FormatError, and one of a kind that is not
// read an UnsupportedError. Once ctx has ended, the error is ctx.Err(). data is not changed.
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

// decoder is a file that is being decoded.
type decoder struct {
	opt Options
	ctx context.Context
	bits

	frame
	quantisers [4]*[64]int32 // by number, each in the order of a block's rows; nil: not defined yet
	dc, ac     [4]*codes     // by number; nil: not defined yet
	interval   int           // the MCUs between restart markers; 0: there are none

	hasJFIF, hasAdobe bool
	adobeTransform    byte

	scans    int
	used     int  // the offset behind the bits of the last scan
	eob      int  // of progressive files: the blocks to come without further coefficients in this scan
	hasEnded bool // the bits up to the next restart marker or the end of the scan have ended before they should

	isDamaged, isCoarse, hasNoEnd bool
	surplus                       int // bytes that belong to no part
}

// warnings returns what was wrong with a file that was decoded.
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

// readFile reads all segments and scans.
func (d *decoder) readFile() error {
	if err := d.readTables(); err != nil {
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
		default: // what follows the pixels is not of the file
			d.hasNoEnd, d.surplus = true, 0
			return nil
		}
	}
}

// readHeader reads the segments up to the first scan.
func (d *decoder) readHeader() error {
	if err := d.readTables(); err != nil {
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

// checkPixels fails at the end marker of a file that has nothing of a component, or that is damaged and lacks bits of
// one. A sound file may lack bits: it was made so.
func (d *decoder) checkPixels() error {
	if d.components == nil {
		return FormatError("no pixels")
	}
	for _, c := range d.components {
		if !c.isBegun() {
			return io.ErrUnexpectedEOF
		}
	}
	d.isCoarse = !d.isComplete()
	if d.isCoarse && d.isDamaged {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// endsInZeros reports whether the last scan ended among zeros that go on to the end of the file: a copy that was cut
// can have zeros in place of missing bytes, and they are codes. The last byte of a whole scan is hardly ever 0, since
// it is filled up with ones.
func (d *decoder) endsInZeros() bool {
	return len(bytes.TrimRight(d.data, "\x00")) < d.used && d.used < len(d.data)
}

// isComplete reports whether the file has had all of its pixels.
func (d *decoder) isComplete() bool {
	for _, c := range d.components {
		if !c.isComplete() {
			return false
		}
	}
	return d.components != nil
}
