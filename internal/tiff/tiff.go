// Package tiff decodes the pictures of TIFF and BigTIFF files (TIFF 6.0, Adobe 1992, with its supplements, and the fax
// codes of ITU-T T.4 and T.6): strips and tiles of bilevel, grey, palette, RGB, CMYK, YCbCr and CIELab pictures, of 1
// to 32 bits or in floating point.
//
// layout.go reads what a directory says of the pixels and refuses kinds that are not decoded, in words for the owner of
// a scanner. blocks.go goes over the strips or tiles. rows.go makes rows of bytes of their data, with fax.go and
// packed.go; predictor.go undoes differences, samples.go unpacks the samples of a row into the canvas, and colour.go
// makes a picture of the canvas.
//
// The directories themselves are read by package metadata, so that all of the program agrees on the content of a file.
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

// FormatError says in which way a file breaks the rules of the format, as words behind the name of the file.
type FormatError string

func (e FormatError) Error() string { return "tiff: " + string(e) }

// UnsupportedError names what a file has that is not decoded, as a noun in plain words, such as "JPEG 2000 inside".
type UnsupportedError string

func (e UnsupportedError) Error() string { return "tiff: " + string(e) }

// Options say how to decode. The zero value is ready to use.
type Options struct {
	// Pixels is the largest width × height, in pixels: 2³¹ − 1.
	Pixels int64
	// WebP decodes a WebP picture. nil: a TIFF with such pictures is refused.
	WebP func(ctx context.Context, data []byte) (image.Image, error)
}

// DecodeConfig returns the size and the colour model of the picture of the TIFF in src: the first that is no smaller
// copy of another. It fails as Decode does.
func DecodeConfig(src metadata.Source) (image.Config, error) {
	l, err := layoutOf(src, false)
	if err != nil {
		return image.Config{}, err
	}
	return image.Config{Width: l.width, Height: l.height, ColorModel: l.model()}, nil
}

// Decode returns the picture of the TIFF in src; data has the whole file. The bounds begin at (0, 0). Grey is
// *image.Gray or, of more than 8 bits, *image.Gray16, indices of colours *image.Paletted, CMYK of up to 8 bits
// *image.CMYK, and all others *image.RGBA, *image.NRGBA, *image.RGBA64 or *image.NRGBA64: the alpha of a file is
// multiplied into its colours or not, and stays so.
//
// Samples of n bits are v/(2ⁿ − 1) of white. Samples of up to 16 bits with a sign are taken as if they had none, as
// ImageMagick and FFmpeg take them; longer ones are black where they are negative. In floating point 1 is white where
// no sample is above 16; else 255 is where none is above 255, 65535 where none is above that, and else the largest
// sample.
//
// warnings name the faults of a file that is read all the same, as words behind the name of the file. A file that ends
// before its pixels gives io.ErrUnexpectedEOF, one that breaks the rules a FormatError, and one of a kind that is not
// decoded an UnsupportedError. Once ctx has ended, the error is ctx.Err(). data is not changed.
func Decode(ctx context.Context, src metadata.Source, data []byte, opt Options) (img image.Image, warnings []string,
	err error) {
	l, err := layoutOf(src, true)
	if err != nil {
		return nil, nil, err
	}
	if int64(l.height) > cmp.Or(opt.Pixels, 1<<31-1)/int64(l.width) {
		return nil, nil, FormatError("it has more pixels than its header said")
	}
	d := decoder{layout: l, ctx: ctx, data: data, opt: opt}
	if l.isFloat() {
		if err := d.measure(); err != nil {
			return nil, nil, err
		}
	}
	if d.canvas = newCanvas(l); l.alpha == opaque && d.canvas.pixel == 4*d.canvas.sample {
		d.canvas.makeOpaque()
	}
	if err := d.blocks(d.fill); err != nil {
		return nil, nil, err
	}
	return d.picture(), slices.Sorted(maps.Keys(d.warnings)), nil
}

// Scratch bounds the memory, in bytes, that Decode takes for the picture of the TIFF in src beside the file and the
// picture itself: for its blocks that are worked on at a time. It is 0 for a file that Decode refuses.
func Scratch(src metadata.Source) int64 {
	l, err := layoutOf(src, false) // without the lists of blocks, which Accept has not allowed yet
	if err != nil {
		return 0
	}
	blocks := min(l.blockCount(), src.Size()) // each has an offset in the file
	row := (int64(l.blockWidth)*int64(l.inBlock())*int64(l.bits) + 7) / 8
	each := 3*row + 1<<16 // with the tables of LZW or Deflate
	switch block := int64(l.blockWidth) * int64(l.blockHeight); {
	case l.isJPEG() || l.compression == webP:
		const perPixel = 16 // samples as stored, with all chroma, and in four bytes; coefficients of progressive ones
		each += perPixel * block
	case l.compression == zstandard:
		each += min(64<<20, row*int64(l.blockHeight)) + 1<<20 // its window
	}
	if l.reversed {
		each += src.Size()
	}
	return each*min(int64(runtime.GOMAXPROCS(0)), blocks) + 24*blocks // with their offsets
}

// IsCMYK reports whether the picture of the TIFF in src is in inks.
func IsCMYK(src metadata.Source) bool {
	l, err := layoutOf(src, false)
	return err == nil && l.photometric == separated
}

// GreyAlpha reports whether the picture of the TIFF in src is grey with alpha, which Decode returns in colour.
func GreyAlpha(src metadata.Source) bool {
	l, err := layoutOf(src, false)
	return err == nil && l.alpha != opaque && (l.photometric == blackIsZero || l.photometric == whiteIsZero)
}
