// Package tiff decodes the pictures of TIFF and BigTIFF files (TIFF 6.0, Adobe 1992, with its supplements, and the fax
// codes of ITU-T T.4 and T.6), in strips or tiles: bilevel, grey, palette, RGB, CMYK, YCbCr and CIELab pictures, of 1
// to 32 bits a sample or in floating point.
//
// layout.go reads how a directory describes the pixels, and refuses kinds that are not decoded, in plain words.
// blocks.go iterates over the strips or tiles. rows.go and fax.go decompress their data to rows of bytes; predictor.go
// undoes differences, samples.go unpacks the samples of a row to the canvas, and colour.go converts the canvas to RGB.
//
// Package metadata reads the directories, so that all of the program agrees on the content of a file.
package tiff

import (
	"cmp"
	"context"
	"image"
	"maps"
	"runtime"
	"slices"

	"superres/internal/metadata"
)

// FormatError says which rule of the format a file breaks, in words to follow the name of the file.
type FormatError string

func (e FormatError) Error() string { return "tiff: " + string(e) }

// UnsupportedError names a part of a file that is not decoded, as a noun in plain words, such as "JPEG 2000 inside".
type UnsupportedError string

func (e UnsupportedError) Error() string { return "tiff: " + string(e) }

// Options say how to decode. The zero value means the defaults.
type Options struct {
	Pixels int64 // the largest width × height, in pixels; 0: 2³¹ − 1
	// WebP decodes a WebP picture. nil: TIFFs with WebP inside are refused.
	WebP func(ctx context.Context, data []byte) (image.Image, error)
}

// DecodeConfig returns the size and the colour model of the picture that Decode would return. It fails as Decode does.
func DecodeConfig(src metadata.Source) (image.Config, error) {
	l, err := layoutOf(src, skipBlocks)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{Width: l.width, Height: l.height, ColorModel: l.model()}, nil
}

// Decode returns the picture of the TIFF in src, the first that is not a smaller copy or a mask; data holds the whole
// file. The bounds begin at (0, 0). Without alpha, grey becomes *image.Gray or, above 8 bits, *image.Gray16, palettes
// of up to 8 bits *image.Paletted, CMYK of up to 8 bits *image.CMYK. All others become *image.RGBA, *image.NRGBA,
// *image.RGBA64 or *image.NRGBA64. Colours that are stored multiplied by alpha stay so, others stay unmultiplied.
//
// A sample v of n bits means v/(2ⁿ − 1) of white. Signed samples of up to 16 bits are read as unsigned, as ImageMagick
// and FFmpeg do; longer negative samples become black. In floating point, white is 1 if no sample is above 16, else
// 255 if none is above 255, else 65535 if none is above 65535, and else the largest sample.
//
// warnings name faults that did not prevent reading the file, in words to follow the name of the file. The error is
// io.ErrUnexpectedEOF for a file that ends too early, a FormatError for one that breaks the rules, an UnsupportedError
// for a kind that is not decoded, and ctx.Err() once ctx has ended. data is not changed.
func Decode(ctx context.Context, src metadata.Source, data []byte, opt Options) (img image.Image, warnings []string,
	err error) {
	l, err := layoutOf(src, readBlocks)
	if err != nil {
		return nil, nil, err
	}
	if int64(l.height) > cmp.Or(opt.Pixels, 1<<31-1)/int64(l.width) { // opt.Pixels is 0 without a limit
		return nil, nil, FormatError("it has more pixels than its header said")
	}
	d := decoder{layout: l, ctx: ctx, data: data, opt: opt}
	if l.isFloat() {
		if err := d.setWhite(); err != nil {
			return nil, nil, err
		}
	}
	if d.canvas = newCanvas(l); l.alpha == opaque && d.canvas.pixel == 4*d.canvas.sample { // the file has no alpha
		d.canvas.makeOpaque()
	}
	if err := d.blocks(d.fill); err != nil {
		return nil, nil, err
	}
	return d.picture(), slices.Sorted(maps.Keys(d.warnings)), nil
}

// Scratch returns the most memory, in bytes, that Decode needs besides the file and the picture: for the blocks that
// are decoded at the same time. It is 0 for a file that Decode refuses.
func Scratch(src metadata.Source) int64 {
	l, err := layoutOf(src, skipBlocks) // no memory is granted yet for the lists of blocks
	if err != nil {
		return 0
	}
	blocks := min(l.blockCount(), src.Size()) // each block has an offset in the file, so there are no more
	row := (int64(l.blockWidth)*int64(l.inBlock())*int64(l.bits) + 7) / 8
	each := 3*row + 1<<16 // a row and copies of it, and tables for LZW or Deflate
	switch block := int64(l.blockWidth) * int64(l.blockHeight); {
	case l.isJPEG() || l.compression == webP:
		const perPixel = 16 // bytes: samples as stored, with full chroma, as RGBA; coefficients
		each += perPixel * block
	case l.compression == zstandard:
		each += min(64<<20, row*int64(l.blockHeight)) + 1<<20 // with the window of past data, 64 MiB at most
	}
	if l.reversed {
		each += src.Size()
	}
	// 24: for an offset, a length, and its bytes in the file
	return each*min(int64(runtime.GOMAXPROCS(0)), blocks) + 24*blocks
}

// IsCMYK reports whether the picture of the TIFF in src is in printing inks.
func IsCMYK(src metadata.Source) bool {
	l, err := layoutOf(src, skipBlocks)
	return err == nil && l.photometric == separated
}

// GreyAlpha reports whether the picture of the TIFF in src is grey with alpha, which Decode returns as RGB.
func GreyAlpha(src metadata.Source) bool {
	l, err := layoutOf(src, skipBlocks)
	return err == nil && l.alpha != opaque && (l.photometric == blackIsZero || l.photometric == whiteIsZero)
}
