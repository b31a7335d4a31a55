package tiff

import (
	"encoding/binary"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"superres/internal/metadata"
)

// The directory tags that say how the pixels are stored (TIFF 6.0, parts 1 and 2).
const (
	tagWidth         = 256
	tagHeight        = 257
	tagBits          = 258
	tagCompression   = 259
	tagPhotometric   = 262
	tagFillOrder     = 266
	tagStripOffsets  = 273
	tagSamples       = 277
	tagRowsPerStrip  = 278
	tagStripCounts   = 279
	tagPlanes        = 284
	tagFax3Options   = 292
	tagPredictor     = 317
	tagColourMap     = 320
	tagTileWidth     = 322
	tagTileHeight    = 323
	tagTileOffsets   = 324
	tagTileCounts    = 325
	tagInkSet        = 332
	tagExtraSamples  = 338
	tagSampleFormat  = 339
	tagJPEGTables    = 347
	tagOldJPEG       = 513 // the offset of a whole JPEG file
	tagOldJPEGLength = 514
	tagCoefficients  = 529
	tagSubsampling   = 530
	tagReference     = 532
)

// The values of tagPhotometric.
const (
	whiteIsZero = 0
	blackIsZero = 1
	rgb         = 2
	palette     = 3
	mask        = 4
	separated   = 5
	yCbCr       = 6
	cieLab      = 8
	iccLab      = 9
)

// The values of tagCompression.
const (
	none        = 1
	faxRLE      = 2
	fax3        = 3
	fax4        = 4
	lzw         = 5
	oldJPEG     = 6
	newJPEG     = 7
	adobe       = 8
	faxRLEWords = 32771
	packBits    = 32773
	deflate     = 32946
	zstandard   = 50000
	webP        = 50001
)

// compressions are the names of compressions that this package does not decode.
var compressions = map[int]string{
	9: "JBIG", 10: "JBIG", 34661: "JBIG", 32766: "NeXT's compression", 32809: "ThunderScan's compression",
	32908: "PIXAR's compression", 32909: "PIXAR's compression",
	33003: "JPEG 2000", 33004: "JPEG 2000", 33005: "JPEG 2000", 34712: "JPEG 2000",
	34676: "LogLuv", 34677: "LogLuv", 34887: "LERC", 34892: "lossy JPEG of a raw file", 34925: "LZMA",
	50002: "JPEG XL", 52546: "JPEG XL", 32767: "the raw samples of a camera", 34713: "the raw samples of a camera",
	65535: "the raw samples of a camera",
}

// alpha says what the sample after the colours of a pixel means.
type alpha int

const (
	opaque     alpha = iota // no alpha
	multiplied              // the colours are multiplied by alpha
	straight                // the colours are not multiplied by alpha
)

// The values of tagSampleFormat.
const (
	unsigned = 1
	signed   = 2
	floating = 3
	untyped  = 4
)

// layout is the description of the pixels in a directory.
type layout struct {
	width, height            int
	bits, format             int  // bits per sample, and a value of tagSampleFormat
	samples                  int  // samples per pixel in the file
	jpegYCbCr                bool // JPEG blocks hold YCbCr; false: the colours that photometric says
	colours                  int  // how many of a pixel's samples are colours; they come first
	alpha                    alpha
	photometric, compression int
	planar                   bool // each sample of a pixel lies in blocks of its own; false: side by side
	predictor                int
	reversed                 bool // the first pixel in a byte is in its lowest bit
	fax3Options              int

	tiled                   bool
	blockWidth, blockHeight int // in pixels, of a tile or a strip
	offsets, lengths        []uint64
	order                   binary.ByteOrder

	colourMap    []uint16 // all red values, then all green, then all blue
	tables       []byte   // JPEG tables that all blocks share
	oldJPEG      []uint64 // offset and length of a whole JPEG file, or nil
	horizontal   int      // pixels per chroma sample, across and down: 1, 2 or 4
	vertical     int
	coefficients [3]float64 // weights of red, green and blue in luma
	reference    [6]float64 // black and white of Y, Cb and Cr
}

// mostBlocks is the largest number of strips or tiles, mostColours of palette entries.
const mostBlocks, mostColours = 1 << 24, 1 << 16

const readBlocks, skipBlocks = true, false // whether layoutOf reads the offsets and lengths of strips or tiles

// layoutOf returns the layout of the picture of the TIFF in src, without offsets and lengths unless withBlocks. It
// fails for pictures that this package does not decode.
func layoutOf(src metadata.Source, withBlocks bool) (*layout, error) {
	d, ok := metadata.TIFFPicture(src)
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	l := &layout{bits: 1, format: unsigned, samples: 1, photometric: -1, compression: none, predictor: 1,
		order: d.Order(), horizontal: 2, vertical: 2, coefficients: [3]float64{0.299, 0.587, 0.114},
		reference: [6]float64{0, 255, 128, 255, 128, 255}}
	var extra []uint64
	inks, rows, numbers := uint64(1), uint64(math.MaxUint64), map[uint16][]uint64{}
	for e := range d.Entries() {
		if tagWidth <= e.Tag && e.Tag <= tagReference {
			if _, ok := d.Value(e); !ok {
				return nil, io.ErrUnexpectedEOF
			}
		}
		switch e.Tag {
		case tagWidth, tagHeight, tagTileWidth, tagTileHeight, tagRowsPerStrip, tagSamples, tagCompression,
			tagPhotometric, tagFillOrder, tagPlanes, tagFax3Options, tagPredictor, tagInkSet, tagOldJPEG,
			tagOldJPEGLength:
			if list := d.Numbers(e, 16); len(list) > 0 {
				numbers[e.Tag] = list
			}
		case tagBits, tagSampleFormat:
			numbers[e.Tag] = d.Numbers(e, math.MaxUint16)
		case tagExtraSamples:
			extra = d.Numbers(e, math.MaxUint16)
		case tagSubsampling:
			numbers[e.Tag] = d.Numbers(e, 2)
		case tagStripOffsets, tagTileOffsets:
			l.tiled = e.Tag == tagTileOffsets
			if withBlocks {
				l.offsets = d.Numbers(e, mostBlocks)
			}
		case tagStripCounts, tagTileCounts:
			if withBlocks {
				l.lengths = d.Numbers(e, mostBlocks)
			}
		case tagColourMap:
			for _, v := range d.Numbers(e, 3*mostColours) {
				l.colourMap = append(l.colourMap, uint16(v))
			}
		case tagJPEGTables:
			if v, ok := d.Value(e); ok && v.Len <= 1<<20 {
				l.tables = v.Bytes()
			}
		case tagCoefficients:
			copy(l.coefficients[:], d.Fractions(e, 3))
		case tagReference:
			copy(l.reference[:], d.Fractions(e, 6))
		}
	}
	number := func(tag uint16, otherwise uint64) uint64 {
		if list := numbers[tag]; len(list) > 0 {
			return list[0]
		}
		return otherwise
	}
	width, height := number(tagWidth, 0), number(tagHeight, 0)
	switch {
	case width == 0 || height == 0:
		return nil, FormatError(fmt.Sprintf("its size is %d×%d", width, height))
	case width > math.MaxInt32 || height > math.MaxInt32:
		return nil, FormatError("image too large")
	}
	l.width, l.height = int(width), int(height)
	l.samples = int(min(number(tagSamples, uint64(max(1, len(numbers[tagBits])))), math.MaxUint16))
	l.compression = int(min(number(tagCompression, none), math.MaxInt32))
	l.photometric = int(min(number(tagPhotometric, math.MaxUint16), math.MaxUint16))
	l.reversed = number(tagFillOrder, 1) == 2
	l.planar = number(tagPlanes, 1) == 2 && l.samples > 1
	l.fax3Options = int(number(tagFax3Options, 0) & math.MaxUint16)
	l.predictor = int(min(number(tagPredictor, 1), math.MaxUint16))
	inks, rows = number(tagInkSet, 1), number(tagRowsPerStrip, math.MaxUint64)
	if at := number(tagOldJPEG, 0); at > 0 {
		l.oldJPEG = []uint64{at, number(tagOldJPEGLength, 0)}
	}
	if list := numbers[tagSubsampling]; len(list) == 2 {
		l.horizontal, l.vertical = int(min(list[0], 8)), int(min(list[1], 8))
	}
	var err error
	if l.bits, err = equalNumber(numbers[tagBits], 1, "bits"); err != nil {
		return nil, err
	}
	if l.format, err = equalNumber(numbers[tagSampleFormat], unsigned, "kinds"); err != nil {
		return nil, err
	}
	if err := l.checkSamples(extra, inks); err != nil {
		return nil, err
	}
	if err := l.sizeBlocks(number(tagTileWidth, 0), number(tagTileHeight, 0), rows); err != nil || !withBlocks {
		return l, err
	}
	return l, l.checkOffsets()
}

// equalNumber returns the value that all elements of list have, one for each sample of a pixel, or preset if list is
// empty. It fails if the elements differ. what is the name of the value for errors.
func equalNumber(list []uint64, preset int, what string) (int, error) {
	if len(list) == 0 {
		return preset, nil
	}
	if slices.Max(list) != slices.Min(list) {
		return 0, UnsupportedError("samples of different " + what)
	}
	return int(min(list[0], math.MaxUint16)), nil
}

// checkSamples sets l.colours and l.alpha, and fails for samples that this package does not decode.
func (l *layout) checkSamples(extra []uint64, inks uint64) error {
	if name, known := compressions[l.compression]; known {
		return UnsupportedError(name + " inside")
	}
	switch l.compression {
	case none, faxRLE, fax3, fax4, lzw, newJPEG, adobe, faxRLEWords, packBits, deflate, zstandard, webP:
	case oldJPEG:
		if l.oldJPEG == nil {
			return UnsupportedError("the JPEG of TIFF 6.0, without a whole JPEG file, inside")
		}
	default:
		return UnsupportedError(fmt.Sprintf("compression %d inside", l.compression))
	}
	if l.photometric == math.MaxUint16 { // the tag is missing: guess like libtiff
		l.photometric = map[bool]int{true: rgb, false: blackIsZero}[l.samples >= 3]
		if l.isFax() {
			l.photometric = whiteIsZero
		}
	}
	switch l.photometric {
	case whiteIsZero, blackIsZero, palette, mask:
		l.colours = 1
	case rgb, yCbCr, cieLab, iccLab:
		l.colours = 3
	case separated:
		if l.colours = 4; inks != 1 {
			return UnsupportedError("other inks than cyan, magenta, yellow and black")
		}
	case 32803, 34892:
		return UnsupportedError("the raw samples of a camera inside")
	case 32844, 32845:
		return UnsupportedError("LogLuv inside")
	default:
		return UnsupportedError(fmt.Sprintf("colours of kind %d inside", l.photometric))
	}
	switch {
	case l.samples < l.colours:
		return FormatError(fmt.Sprintf("it has %d samples a pixel for %d colours", l.samples, l.colours))
	case l.samples > 64:
		return UnsupportedError(fmt.Sprintf("%d samples a pixel", l.samples))
	case l.samples == l.colours:
	case len(extra) > 0 && extra[0] == 1:
		l.alpha = multiplied
	default: // kind 2; most programs read kind 0 or no kind so too
		l.alpha = straight
	}
	switch {
	case l.format == floating && l.bits != 16 && l.bits != 24 && l.bits != 32 && l.bits != 64,
		l.format != floating && (l.bits < 1 || l.bits > 32):
		return UnsupportedError(fmt.Sprintf("%d bits a sample", l.bits))
	case l.format < unsigned || l.format > untyped:
		return UnsupportedError("complex numbers")
	case l.isFax() && (l.bits != 1 || l.samples != 1 && !l.planar):
		return UnsupportedError("a fax of several bits a pixel inside")
	case l.photometric == palette && (l.bits > 16 || l.format == floating || len(l.colourMap) < 3<<l.bits):
		return FormatError(fmt.Sprintf("it has %d numbers for the colours of %d bits", len(l.colourMap), l.bits))
	case l.isJPEG() && l.bits != 8:
		return UnsupportedError(fmt.Sprintf("JPEG of %d bits a sample inside", l.bits))
	case l.compression == webP && (l.bits != 8 || l.planar || l.samples < 3 || l.samples > 4):
		return UnsupportedError("a WebP that is not red, green and blue inside")
	case l.subsampled() && l.bits != 8:
		return UnsupportedError("halved colour of more than 8 bits inside")
	case (l.photometric == cieLab || l.photometric == iccLab) && l.bits != 8 && l.bits != 16 && !l.isFloat():
		return UnsupportedError(fmt.Sprintf("CIELab of %d bits inside", l.bits))
	case (l.photometric == cieLab || l.photometric == iccLab || l.photometric == yCbCr) && l.isFloat():
		return UnsupportedError("CIELab or YCbCr in floating point inside")
	}
	if l.photometric == yCbCr && !l.isJPEG() && (!slices.Contains([]int{1, 2, 4}, l.horizontal) ||
		!slices.Contains([]int{1, 2, 4}, l.vertical)) {
		return FormatError(fmt.Sprintf("its colour has a resolution of 1/%d×1/%d", l.horizontal, l.vertical))
	}
	switch {
	case l.photometric != yCbCr:
	case l.planar && (l.horizontal > 1 || l.vertical > 1):
		return UnsupportedError("halved colour in a plane of its own inside")
	case l.compression == webP: // WebP decodes to full-resolution RGB
		l.horizontal, l.vertical = 1, 1
	case !l.planar && l.isJPEG():
		l.photometric, l.jpegYCbCr = rgb, true
	}
	switch {
	case l.photometric != separated || l.alpha == opaque:
	case len(extra) == 0 || extra[0] == 0:
		l.alpha = opaque // not alpha, but a fifth ink or a saved selection
	case l.planar || l.alpha == multiplied || l.isJPEG():
		return UnsupportedError("CMYK with transparency as JPEG, in planes or multiplied")
	}
	return l.checkPredictor()
}

// checkPredictor sets l.predictor to 1 (none) where the compression has no predictor, and fails for unknown predictors.
// 2 means differences of samples, and 3 differences of the bytes of floating-point samples.
func (l *layout) checkPredictor() error {
	switch l.compression {
	case lzw, adobe, deflate, zstandard:
	default:
		l.predictor = 1
	}
	switch {
	case l.predictor == 1, l.predictor == 2 && (l.bits == 8 || l.bits == 16 || l.bits == 32 || l.bits == 64),
		l.predictor == 3 && l.isFloat():
		return nil
	case l.predictor == 2:
		return UnsupportedError(fmt.Sprintf("differences of samples of %d bits inside", l.bits))
	}
	return UnsupportedError(fmt.Sprintf("predictor %d inside", l.predictor))
}

// sizeBlocks sets the size of tiles or, without them, of strips of the given rows. It fails for tiles of more than
// twice the picture's side plus 4096, and for rows of more than 8 GiB. oldJPEG locates the one block of old JPEG.
func (l *layout) sizeBlocks(tileWidth, tileHeight, rows uint64) error {
	if l.compression == oldJPEG { // the whole picture is one block
		l.blockWidth, l.blockHeight, l.planar, l.tiled = l.width, l.height, false, false
		l.offsets, l.lengths = l.oldJPEG[:1], l.oldJPEG[1:]
		return nil
	}
	l.blockWidth, l.blockHeight = l.width, int(min(max(rows, 1), uint64(l.height)))
	if l.tiled {
		// A tile may be larger than the picture, but not so much that it wastes memory.
		if tileWidth == 0 || tileHeight == 0 || tileWidth > uint64(2*l.width)+4096 ||
			tileHeight > uint64(2*l.height)+4096 {
			return FormatError(fmt.Sprintf("its tiles have %d×%d pixels", tileWidth, tileHeight))
		}
		l.blockWidth, l.blockHeight = int(tileWidth), int(tileHeight)
	}
	if int64(l.blockWidth)*int64(l.samples)*int64(l.bits) > 1<<36 { // bits of a row: 8 GiB, far above real files
		return FormatError("its rows are too long")
	}
	return nil
}

// checkOffsets fails where the file lists fewer block offsets than the picture needs.
func (l *layout) checkOffsets() error {
	switch {
	case l.offsets == nil:
		return FormatError("it does not say where its pixels are")
	case int64(len(l.offsets)) < l.blockCount():
		return io.ErrUnexpectedEOF
	}
	return nil
}

// blocksAcross and blocksDown return the number of strips or tiles in a row and in a column.
func (l *layout) blocksAcross() int { return (l.width + l.blockWidth - 1) / l.blockWidth }
func (l *layout) blocksDown() int   { return (l.height + l.blockHeight - 1) / l.blockHeight }

// planes returns how many planes of the file are read: one for each sample used, or 1 if the samples lie side by side.
func (l *layout) planes() int {
	if !l.planar {
		return 1
	}
	return l.samplesUsed()
}

// samplesUsed returns how many samples of a pixel are read.
func (l *layout) samplesUsed() int {
	if l.alpha != opaque {
		return l.colours + 1
	}
	return l.colours
}

// blockCount is the number of strips or tiles that are read.
func (l *layout) blockCount() int64 {
	return int64(l.blocksAcross()) * int64(l.blocksDown()) * int64(l.planes())
}

// inBlock is the number of samples per pixel in a block.
func (l *layout) inBlock() int {
	if l.planar {
		return 1
	}
	return l.samples
}

func (l *layout) isFloat() bool { return l.format == floating }
func (l *layout) isJPEG() bool  { return l.compression == newJPEG || l.compression == oldJPEG }
func (l *layout) isFax() bool {
	return l.compression == faxRLE || l.compression == faxRLEWords || l.compression == fax3 || l.compression == fax4
}

// subsampled reports whether chroma is stored at a lower resolution, interleaved with luma.
func (l *layout) subsampled() bool {
	return l.photometric == yCbCr && !l.isJPEG() && l.compression != webP && !l.planar &&
		(l.horizontal > 1 || l.vertical > 1)
}

func (l *layout) isDeep() bool { return l.bits > 8 || l.isFloat() }

// model returns the colour model of the picture.
func (l *layout) model() color.Model {
	switch {
	case l.isIndexed():
		return l.colourPalette()
	case l.isGrey() && l.isDeep():
		return color.Gray16Model
	case l.isGrey():
		return color.GrayModel
	case l.photometric == separated && !l.isDeep() && l.alpha == opaque:
		return color.CMYKModel
	case l.alpha == straight && l.isDeep():
		return color.NRGBA64Model
	case l.alpha == straight:
		return color.NRGBAModel
	case l.isDeep():
		return color.RGBA64Model
	}
	return color.RGBAModel
}

// isGrey reports whether the picture is grey and opaque.
func (l *layout) isGrey() bool {
	return l.alpha == opaque && (l.photometric == whiteIsZero || l.photometric == blackIsZero || l.photometric == mask)
}

// isIndexed reports whether the picture is decoded to indices of a palette of at most 256 opaque colours.
func (l *layout) isIndexed() bool {
	return l.photometric == palette && l.bits <= 8 && l.alpha == opaque
}
