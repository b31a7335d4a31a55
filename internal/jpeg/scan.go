package jpeg

import (
	"io"
	"slices"

	"superres/internal/quantiser"
)

// scan is one pass over the blocks. An MCU is the unit between two possible restart markers: one block in a scan of one
// component, and else as many blocks of each component as its sampling factors say.
type scan struct {
	components   []*component
	first, last  int // the range of coefficients, in file order
	high, low    int // for progressive files: how many low bits are missing before the scan (0: all), and after it
	across, down int // size of the scan in MCUs
	// block decodes the next block of c, at (x, y) in blocks. After the end of the data, it changes no coefficients of
	// a progressive file, and makes the samples of other files grey.
	block func(c *component, x, y int)
}

// readScan reads the header of a scan and decodes the scan. A component gets its memory, for coefficients or
// samples, and its quantisation table in its first scan.
func (d *decoder) readScan(payload []byte) error {
	if d.components == nil {
		return FormatError("pixels before the frame header")
	}
	if d.width == 0 || d.height == 0 {
		return FormatError("no pixels")
	}
	if d.scans++; d.opt.Scans > 0 && d.scans > d.opt.Scans {
		return ErrScans
	}
	s, err := d.scanHeader(payload)
	if err != nil {
		return err
	}
	for _, c := range s.components {
		if c.quantiser == nil {
			if c.quantiser = d.quantisers[c.table]; c.quantiser == nil {
				return FormatError("no quantisation table")
			}
		}
		blocks := c.stride / 8 * c.rows(&d.frame)
		if d.isProgressive && c.coefficients == nil {
			c.coefficients = make([]coefficients, blocks)
		}
		if !d.isProgressive && c.samples == nil {
			c.samples = make([]byte, 64*blocks)
		}
		c.stepAcross, c.stepDown = 1, 1               // blocks per MCU
		s.across, s.down = c.blocksWide, c.blocksHigh // for a scan of one component
	}
	if len(s.components) > 1 {
		for _, c := range s.components {
			c.stepAcross, c.stepDown = c.across, c.down
		}
		s.across, s.down = d.mcusWide, d.mcusHigh
	}
	if err := d.decodeScan(s); err != nil {
		return err
	}
	for _, c := range s.components {
		for k := s.first; k <= s.last; k++ {
			c.missingBits[k] = int8(s.low) // later scans may add these lowest bits
		}
	}
	return nil
}

// scanHeader returns the scan that payload describes, and sets the Huffman tables of its components. A scan of a file
// that is not progressive has all 64 coefficients. A progressive scan has DC coefficients, or AC coefficients of one
// component, and adds all bits above s.low, or one bit (T.81, G.1.1.1).
func (d *decoder) scanHeader(payload []byte) (*scan, error) {
	damaged := FormatError("a wrong scan header")
	if len(payload) < 1 {
		return nil, damaged
	}
	n := int(payload[0])
	if n < 1 || n > len(d.components) || len(payload) < 4+2*n {
		return nil, damaged
	}
	s := &scan{last: 63, block: d.decodeSequential}
	if end := payload[1+2*n:]; d.isProgressive {
		s.first, s.last, s.high, s.low = int(end[0]), int(end[1]), int(end[2]>>4), int(end[2]&15)
		if s.last > 63 || s.low > 13 || s.high > 0 && s.high != s.low+1 || (s.first == 0) != (s.last == 0) ||
			s.first > s.last || s.first > 0 && n > 1 {
			return nil, damaged
		}
		s.block = d.progressiveDecoder(s)
	}
	for ; n > 0; n-- {
		c := d.unused(payload[1], s)
		dc, ac := payload[2]>>4, payload[2]&15
		if c == nil || dc > 3 || ac > 3 {
			return nil, damaged
		}
		c.dc, c.ac = d.tables(dc, ac)
		if s.first == 0 && s.high == 0 && c.dc == nil || s.last > 0 && c.ac == nil {
			return nil, FormatError("no Huffman table")
		}
		s.components = append(s.components, c)
		payload = payload[2:]
	}
	return s, nil
}

// unused returns the component with this id that is not yet part of the scan s, or nil.
func (d *decoder) unused(id byte, s *scan) *component {
	for _, c := range d.components {
		if c.id == id && !slices.Contains(s.components, c) {
			return c
		}
	}
	return nil
}

// tables returns the Huffman tables with the numbers dc and ac, nil for a table that the file lacks. In files that
// are not progressive, the tables of T.81, annex K, replace missing tables 0 and 1, as for frames of Motion JPEG.
func (d *decoder) tables(dc, ac byte) (*codes, *codes) {
	tables := [2]*codes{d.dc[dc], d.ac[ac]}
	for class, number := range [2]byte{dc, ac} {
		if t := tables[class]; t == nil && number < 2 && !d.isProgressive {
			tables[class] = newCodes(Standard[number][class].Count[:], Standard[number][class].Values)
		}
	}
	return tables[0], tables[1]
}

// decodeScan decodes all blocks of s, from the data at d.at on, with a restart marker after each d.interval MCUs.
func (d *decoder) decodeScan(s *scan) error {
	d.begin(s)
	number, wanted := 0, byte(0) // the numbers of the MCU and of the next restart marker
	for y := range s.down {
		if err := d.ctx.Err(); err != nil {
			return err
		}
		for x := range s.across {
			if d.interval > 0 && number > 0 && number%d.interval == 0 {
				if err := d.restart(s, wanted, s.across*s.down-number); err != nil {
					return err
				}
				wanted = (wanted + 1) & 7 // restart markers have the numbers 0 to 7 in turn
			}
			number++
			for _, c := range s.components {
				for v := range c.stepDown {
					for h := range c.stepAcross {
						s.block(c, x*c.stepAcross+h, y*c.stepDown+v)
					}
				}
			}
			if d.bitCount < 0 && !d.dataEnded { // more bits were used than there were before the next marker
				d.dataEnded = true
				if err := d.checkEnd(s, s.across*s.down-number); err != nil {
					return err
				}
			}
		}
	}
	unused := max(d.bitCount, 0) / 8 // whole bytes that fill has taken from the file
	d.surplus += unused
	d.used = d.at - unused // the offset up to which bits were used
	return nil
}

// begin resets the state of decoding, at the start of a scan or after a restart marker.
func (d *decoder) begin(s *scan) {
	d.bitBuffer, d.bitCount, d.eob, d.dataEnded = 0, 0, 0, false
	for _, c := range s.components {
		c.previousDC = 0
	}
}

// checkEnd fails where the data of the scan s have ended and the file has no further marker, or more than 1% of the
// MCUs are missing without damage that explains this: bits that were no code, a restart marker that came too early, or
// a marker that does not exist. If it does not fail, it sets d.isDamaged.
func (d *decoder) checkEnd(s *scan, missing int) error {
	marker, end, _ := d.find(d.at)
	isCut := marker >= markerBaseline && !isRestart(marker) && !d.isDamaged && missing > s.across*s.down/100
	if end == 0 || isCut {
		return io.ErrUnexpectedEOF
	}
	d.isDamaged = true
	return nil
}

// restart moves after the restart marker with the given number, 0 to 7, and prepares for the bits there. Where it
// finds another marker, it does as libjpeg (jdmarker.c, jpeg_resync_to_restart). One of the next two restart markers,
// or a marker of another kind, means that the wanted marker and the data after it are missing. restart skips restart
// markers that come too late, and invalid markers. Any other restart marker counts as the wanted one. missing is the
// number of MCUs of s that are still to come.
func (d *decoder) restart(s *scan, number byte, missing int) error {
	d.isDamaged = d.isDamaged || d.bitCount >= 8 // whole bytes before the marker were not used
	d.begin(s)
	for {
		marker, end, skipped := d.find(d.at)
		if end == 0 {
			return io.ErrUnexpectedEOF
		}
		d.isDamaged = d.isDamaged || skipped > 0
		d.at = end
		ahead := (marker - markerRestart0 - number) & 7 // how many markers after the wanted one; 6 and 7: before it
		switch {
		case marker < markerBaseline, isRestart(marker) && ahead >= 6:
			d.isDamaged = true
		case isRestart(marker) && (ahead == 0 || ahead > 2):
			d.isDamaged = d.isDamaged || ahead > 0
			return nil
		default:
			d.at, d.dataEnded = end-2, true // back to the start of the marker
			return d.checkEnd(s, missing)
		}
	}
}

func isRestart(marker byte) bool { return markerRestart0 <= marker && marker <= markerRestart7 }

// zigzag maps the index of a coefficient in the file to its index in a block stored row by row. Damaged data can lead
// to an index of up to 63 + 15, which stands for the last coefficient.
var zigzag = func() (places [80]uint8) {
	for i := range places {
		places[i] = uint8(quantiser.Zigzag[min(i, 63)])
	}
	return places
}()

// decodeSequential decodes a block of a sequential file (T.81, F.2.2) into c.samples: grey, if the data have ended.
func (d *decoder) decodeSequential(c *component, x, y int) {
	out := c.samples[8*(y*c.stride+x):]
	if d.dataEnded {
		fillBlock(0, out, c.stride)
		return
	}
	var block [64]int32
	last := d.sequentialBlock(&block, c)
	if last == 0 {
		fillBlock(block[0], out, c.stride)
	} else {
		inverse(&block, out, c.stride)
	}
}

// sequentialBlock stores the next block, decoded and dequantised, in block, which must be all zeros, and returns the
// index in the file of the last coefficient that is not 0. It sets d.isDamaged for wrong codes and indices above 63.
func (d *decoder) sequentialBlock(block *[64]int32, c *component) (last int) {
	if d.bitCount < enoughBits {
		d.fill()
	}
	size, n := c.dc.decode(d.bitBuffer)
	acc, count := d.bitBuffer<<n, d.bitCount-int(n)-int(size) // local copies, for speed
	isBad := n == invalidLength
	c.previousDC += extend(acc, uint(size))
	acc <<= size
	q, ac := c.quantiser, c.ac
	block[0] = int32(int16(c.previousDC)) * q[0]
	for k := 1; k < 64; k++ {
		if count < enoughBits {
			d.bitBuffer, d.bitCount = acc, count
			d.fill()
			acc, count = d.bitBuffer, d.bitCount
		}
		value, n := ac.decode(acc)
		acc <<= n & 63 // n is below 64; this spares a check
		count -= int(n)
		run, size := int(value>>4), uint(value&15)
		if size == 0 {
			if run < 15 { // the other coefficients are 0
				isBad = isBad || n == invalidLength
				break
			}
			k += 15 // with k++, 16 coefficients that are 0
			continue
		}
		k += run                // zeros before this coefficient
		place := zigzag[k] & 63 // below 64, so that no index is checked below
		block[place] = extend(acc, size) * q[place]
		acc <<= size
		count -= int(size)
		last = k
	}
	d.bitBuffer, d.bitCount = acc, count
	d.isDamaged = d.isDamaged || isBad || last > 63
	return last
}
