package jpeg

// progressiveDecoder returns how a scan of a progressive file decodes a block (T.81, annex G): its first coefficient or
// some others, and of these all bits down to one, or one more bit.
func (d *decoder) progressiveDecoder(s *scan) func(c *component, x, y int) {
	decode := d.refineOthers
	switch {
	case s.first == 0 && s.high == 0:
		decode = d.decodeFirst
	case s.first == 0:
		decode = d.refineFirst
	case s.high == 0:
		decode = d.decodeOthers
	}
	return func(c *component, x, y int) {
		if !d.hasEnded {
			decode(s, c, &c.coefficients[y*c.stride/8+x])
		}
	}
}

// decodeFirst decodes the difference between the first coefficients of a block and of the block before.
func (d *decoder) decodeFirst(s *scan, c *component, block *coefficients) {
	if d.count < leastBits {
		d.fill()
	}
	size, n := c.dc.decode(d.acc)
	d.isDamaged = d.isDamaged || n == invalidLength
	c.before += extend(d.acc<<n, uint(size))
	d.acc <<= n + uint(size)
	d.count -= int(n) + int(size)
	block[0] = int16(c.before << s.low)
}

// refineFirst decodes one more bit of the first coefficient of a block.
func (d *decoder) refineFirst(s *scan, _ *component, block *coefficients) {
	block[0] |= int16(d.bit() << s.low)
}

// decodeOthers decodes coefficients of a block other than the first.
func (d *decoder) decodeOthers(s *scan, c *component, block *coefficients) {
	if d.eob > 0 {
		d.eob--
		return
	}
	for k := s.first; k <= s.last; k++ {
		if d.count < leastBits {
			d.fill()
		}
		value, n := c.ac.decode(d.acc)
		d.acc <<= n
		d.count -= int(n)
		run, size := int(value>>4), uint(value&15)
		if size == 0 {
			if run < 15 {
				d.isDamaged = d.isDamaged || n == invalidLength
				d.eob = d.runOfBlocks(run) - 1
				return
			}
			k += 15
			continue
		}
		if k += run; k > s.last {
			d.isDamaged = true
		}
		block[zigzag[k]] = int16(extend(d.acc, size) << s.low)
		d.acc <<= size
		d.count -= int(size)
	}
}

// runOfBlocks returns the number of blocks, this one included, without further coefficients: 2^size and a number of
// size bits.
func (d *decoder) runOfBlocks(size int) int { return 1<<size + d.number(uint(size)) }

// refineOthers decodes one more bit of those coefficients of a block that are not 0 so far, and further coefficients of
// ±1 in this bit. Before each of those stands the number of coefficients to pass over that stay 0.
func (d *decoder) refineOthers(s *scan, c *component, block *coefficients) {
	k := s.first
	for d.eob == 0 && k <= s.last {
		if d.count < leastBits {
			d.fill()
		}
		value, n := c.ac.decode(d.acc)
		d.acc <<= n
		d.count -= int(n)
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
		if added != 0 {
			block[zigzag[k]] = added
		}
		k++
	}
	if d.eob > 0 {
		d.refine(block, k, s, 64)
		d.eob--
	}
}

// refine decodes one more bit of the coefficients of a block from index k on that are not 0, and stops at the one
// behind zeros that are 0, of which it returns the index, or behind the last one of the scan.
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
		if d.bit() == 0 || *v>>s.low&1 != 0 {
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
