package jpeg

import "superres/internal/quantiser"

// zigzag has the place, in a block stored row by row, of the coefficient with an index in the file. Damaged bits can
// lead to an index of up to 63 + 15, which is taken for the last coefficient.
var zigzag = func() (places [80]uint8) {
	for i := range places {
		places[i] = uint8(quantiser.Zigzag[min(i, 63)])
	}
	return places
}()

// decodeSequential decodes a block of a file that is not progressive (T.81, F.2.2) and writes its samples.
func (d *decoder) decodeSequential(c *component, x, y int) {
	out := c.samples[8*(y*c.stride+x):]
	if d.hasEnded {
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

// sequentialBlock decodes the coefficients of a block, undoes their quantisation, and returns the index in the file of
// the last that is not 0.
func (d *decoder) sequentialBlock(block *[64]int32, c *component) (last int) {
	if d.count < leastBits {
		d.fill()
	}
	size, n := c.dc.decode(d.acc)
	acc, count := d.acc<<n, d.count-int(n)-int(size)
	isBad := n == invalidLength
	c.before += extend(acc, uint(size))
	acc <<= size
	q, ac := c.quantiser, c.ac
	block[0] = int32(int16(c.before)) * q[0]
	for k := 1; k < 64; k++ {
		if count < leastBits {
			d.acc, d.count = acc, count
			d.fill()
			acc, count = d.acc, d.count
		}
		value, n := ac.decode(acc)
		acc <<= n & 63
		count -= int(n)
		run, size := int(value>>4), uint(value&15)
		if size == 0 {
			if run < 15 { // the rest is 0
				isBad = isBad || n == invalidLength
				break
			}
			k += 15
			continue
		}
		k += run
		place := zigzag[k] & 63
		block[place] = extend(acc, size) * q[place]
		acc <<= size
		count -= int(size)
		last = k
	}
	d.acc, d.count = acc, count
	d.isDamaged = d.isDamaged || isBad || last > 63
	return last
}
