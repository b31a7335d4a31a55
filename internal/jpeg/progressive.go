package jpeg

// progressiveDecoder returns the function that decodes a block in the scan s of a progressive file (T.81, annex G). A
// scan holds DC coefficients or a range of AC coefficients: all bits down to bit s.low, or only that bit.
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

// decodeFirst sets block[0], the DC coefficient. The file stores its difference from the block before.
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

// refineFirst reads bit s.low of the DC coefficient of a block, and adds it to block[0].
func (d *decoder) refineFirst(s *scan, _ *component, block *coefficients) {
	block[0] |= int16(d.bit() << s.low)
}

// decodeOthers reads the AC coefficients s.first to s.last of a block, in file order, into block.
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

// runOfBlocks reads how many blocks, from this one on, have no further coefficients: 2^size plus the next size bits.
func (d *decoder) runOfBlocks(size int) int { return 1<<size + d.number(uint(size)) }

// refineOthers decodes one more bit of the AC coefficients of a block that are not 0 so far, and adds coefficients that
// become ±1 in this bit. Before each added coefficient, the file has the number of coefficients before it that stay 0.
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

// refine decodes one more bit of each coefficient of a block that is not 0, from index k on. Once it has passed `zeros`
// coefficients that are 0, it returns the index of the next one, or s.last+1 if there is none.
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
