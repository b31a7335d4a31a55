package jpeg

// progressiveDecoder returns the function that decodes a block in the scan s of a progressive file (T.81, annex G).
// A scan holds DC coefficients (s.first is 0) or a range of AC coefficients: all bits down to bit s.low (s.high is
// 0), or only bit s.low. The function does nothing once the data of the scan have ended.
func (d *decoder) progressiveDecoder(s *scan) func(c *component, x, y int) {
	decode := d.refineAC // unless one of the cases below applies
	switch {
	case s.first == 0 && s.high == 0:
		decode = d.decodeDC
	case s.first == 0:
		decode = d.refineDC
	case s.high == 0:
		decode = d.decodeAC
	}
	return func(c *component, x, y int) {
		if !d.dataEnded {
			decode(s, c, &c.coefficients[y*c.stride/8+x])
		}
	}
}

// decodeDC sets block[0], the DC coefficient down to bit s.low. The file stores its difference from the block before.
func (d *decoder) decodeDC(s *scan, c *component, block *coefficients) {
	if d.bitCount < enoughBits {
		d.fill()
	}
	size, n := c.dc.decode(d.bitBuffer)
	d.isDamaged = d.isDamaged || n == invalidLength
	c.previousDC += extend(d.bitBuffer<<n, uint(size))
	d.bitBuffer <<= n + uint(size)
	d.bitCount -= int(n) + int(size)
	block[0] = int16(c.previousDC << s.low)
}

// refineDC reads bit s.low of the DC coefficient of a block, and adds it to block[0].
func (d *decoder) refineDC(s *scan, _ *component, block *coefficients) {
	block[0] |= int16(d.bit() << s.low)
}

// decodeAC reads the AC coefficients s.first to s.last of a block, down to bit s.low and in file order, into block.
// A code says how many coefficients that are 0 come first, and the size of the next one. Size 0 means 16 zeros (run
// 15), or that this block and d.eob blocks after it have no further coefficients.
func (d *decoder) decodeAC(s *scan, c *component, block *coefficients) {
	if d.eob > 0 {
		d.eob--
		return
	}
	for k := s.first; k <= s.last; k++ {
		if d.bitCount < enoughBits {
			d.fill()
		}
		value, n := c.ac.decode(d.bitBuffer)
		d.bitBuffer <<= n
		d.bitCount -= int(n)
		run, size := int(value>>4), uint(value&15)
		if size == 0 {
			if run < 15 {
				d.isDamaged = d.isDamaged || n == invalidLength
				d.eob = d.runOfBlocks(run) - 1
				return
			}
			k += 15 // with k++, 16 zeros
			continue
		}
		if k += run; k > s.last {
			d.isDamaged = true
		}
		block[zigzag[k]] = int16(extend(d.bitBuffer, size) << s.low)
		d.bitBuffer <<= size
		d.bitCount -= int(size)
	}
}

// runOfBlocks reads how many blocks, from this one on, have no further coefficients: 2^size plus the next size bits.
func (d *decoder) runOfBlocks(size int) int { return 1<<size + d.number(uint(size)) }

// refineAC decodes bit s.low of the AC coefficients of a block. refine reads it for all that are not 0. A code says
// how many zeros refine passes, and what replaces the next zero (added), or it ends d.eob blocks from this one on.
func (d *decoder) refineAC(s *scan, c *component, block *coefficients) {
	k := s.first
	for d.eob == 0 && k <= s.last {
		if d.bitCount < enoughBits {
			d.fill()
		}
		value, n := c.ac.decode(d.bitBuffer)
		d.bitBuffer <<= n
		d.bitCount -= int(n)
		run, size := int(value>>4), value&15
		d.isDamaged = d.isDamaged || n == invalidLength || size > 1
		if size == 0 && run < 15 {
			d.eob = d.runOfBlocks(run)
			break
		}
		added := int16(0)
		if size > 0 {
			added = int16(-1) << s.low
			if d.bit() == 1 {
				added = 1 << s.low
			}
		}
		k = d.refine(block, k, s, run)
		if added != 0 { // else run is 15, and a 16th zero stays 0
			block[zigzag[k]] = added
		}
		k++
	}
	if d.eob > 0 { // nothing is added to the rest of this block
		d.refine(block, k, s, 64) // 64: past all zeros of the block
		d.eob--
	}
}

// refine decodes bit s.low of each coefficient of a block that is not 0, from index k on, where a 1 moves it away from
// 0. Once it has passed `zeros` coefficients that are 0, it returns the index of the next 0, or s.last+1.
func (d *decoder) refine(block *coefficients, k int, s *scan, zeros int) int {
	for ; k <= s.last; k++ {
		v := &block[zigzag[k]]
		if *v == 0 {
			if zeros == 0 {
				break
			}
			zeros--
			continue
		}
		if d.bit() == 0 || *v>>s.low&1 != 0 { // a bit that is set already comes from damaged data
			continue
		}
		if *v > 0 {
			*v += 1 << s.low
		} else {
			*v -= 1 << s.low
		}
	}
	return k
}
