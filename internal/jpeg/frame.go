package jpeg

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
)

// frame is the header of the picture (T.81, B.2.2).
type frame struct {
	width, height        int // of the picture, in pixels
	isProgressive        bool
	components           []*component // nil: no header was read yet
	mostAcross, mostDown int          // the largest sampling factors among the components
	mcusWide, mcusHigh   int          // MCUs of a scan with several components
}

// component is one colour of a picture.
type component struct {
	id           byte
	across, down int // sampling factors: samples per mostAcross and mostDown pixels
	table        int // number of the quantisation table

	width, height          int            // in samples
	blocksWide, blocksHigh int            // blocks that contain samples of the picture
	stride                 int            // samples per row, a multiple of 8, with some beyond the picture
	samples                []byte         // rows of stride samples each, a multiple of 8 rows; nil: not decoded yet
	coefficients           []coefficients // for progressive files: stride/8 blocks a row; nil: there was no scan yet
	quantiser              *[64]int32     // the quantisation table when the first scan began
	missingBits            [64]int8       // how many low bits are still missing, per coefficient in file order; −1: all

	dc, ac               *codes // Huffman tables of this scan
	previousDC           int32  // DC coefficient of the block before
	stepAcross, stepDown int    // blocks per MCU of this scan
}

// coefficients holds the coefficients of a block of 8×8 samples, row by row, still quantised.
type coefficients [64]int16

// readFrame checks the frame header and stores it in d.frame. It takes no memory for pixels. A height of 0 in the
// header is replaced by the height in a segment DNL, if there is one. readScan refuses a size that is still 0.
func (d *decoder) readFrame(marker byte, payload []byte) error {
	if d.components != nil {
		return FormatError("two frame headers")
	}
	const head, perComponent = 6, 3 // bytes of the header before the components, and for each of them
	if len(payload) < head {
		return FormatError("a frame header that is cut")
	}
	f := frame{isProgressive: marker == markerProgressive, height: int(binary.BigEndian.Uint16(payload[1:])),
		width: int(binary.BigEndian.Uint16(payload[3:]))}
	bits, n := payload[0], int(payload[5])
	switch {
	case bits == 12:
		return UnsupportedError("12 bits a sample")
	case bits != 8:
		return FormatError(fmt.Sprintf("%d bits a sample", bits))
	case n == 0 || len(payload) < head+perComponent*n:
		return FormatError("a frame header that is cut")
	case n > 4 || n == 2 && d.opt.Colours != AsStored:
		return UnsupportedError(fmt.Sprintf("%d components", n))
	}
	if f.height == 0 {
		f.height = d.findHeight()
	}
	if int64(f.width)*int64(f.height) > cmp.Or(d.opt.Pixels, math.MaxUint16*math.MaxUint16) {
		return ErrPixels
	}
	for b := payload[head:]; n > 0; b, n = b[perComponent:], n-1 {
		c := &component{id: b[0], across: int(b[1] >> 4), down: int(b[1] & 15), table: int(b[2])}
		if c.across < 1 || c.across > 4 || c.down < 1 || c.down > 4 || c.table > 3 {
			return FormatError("a wrong frame header")
		}
		for i := range c.missingBits {
			c.missingBits[i] = -1 // no scan has had this coefficient
		}
		f.components = append(f.components, c)
		f.mostAcross, f.mostDown = max(f.mostAcross, c.across), max(f.mostDown, c.down)
	}
	const side = 8 // of a block, in samples
	f.mcusWide, f.mcusHigh = divideUp(f.width, side*f.mostAcross), divideUp(f.height, side*f.mostDown)
	for _, c := range f.components {
		c.width, c.height = divideUp(f.width*c.across, f.mostAcross), divideUp(f.height*c.down, f.mostDown)
		c.blocksWide, c.blocksHigh = divideUp(c.width, side), divideUp(c.height, side)
		c.stride = side * f.mcusWide * c.across
	}
	d.frame = f
	return nil
}

func divideUp(a, b int) int { return (a + b - 1) / b }

// findHeight returns the height from the first segment DNL behind d.at, or 0 if there is none. Some files have this
// segment, after the first scan, instead of a height in the frame header (T.81, B.2.5).
func (d *decoder) findHeight() int {
	for at := d.at; ; {
		marker, end, _ := d.find(at)
		switch {
		case end == 0 || marker == markerEnd || end+4 > len(d.data):
			return 0
		case marker == markerLines:
			return int(binary.BigEndian.Uint16(d.data[end+2:]))
		case isRestart(marker):
			at = end
		default:
			at = end + int(binary.BigEndian.Uint16(d.data[end:]))
		}
	}
}

// rows returns how many rows of blocks c has memory for.
func (c *component) rows(f *frame) int { return f.mcusHigh * c.down }

// isBegun reports whether a scan has brought at least some bits of the DC coefficients of c.
func (c *component) isBegun() bool { return c.missingBits[0] >= 0 }

// isComplete reports whether scans have brought all bits of all coefficients of c.
func (c *component) isComplete() bool { return c.missingBits == [64]int8{} }
