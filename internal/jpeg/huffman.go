package jpeg

// fastBits is the number of bits that one look-up decodes. Most codes are shorter.
const fastBits = 9

// codes is a table of Huffman codes (T.81, annex C): codes of each length are successive numbers.
type codes struct {
	// fast has, by the next bits, a value of which the code is among them, and the length of the code, each in a
	// byte; a length of 0: the code is longer, or there is none.
	fast [1 << fastBits]uint16
	// beyond has, by length, the first number of 16 bits that begins with no code of this length or a shorter one.
	beyond [17]uint32
	// shift has, by length, the index in values of a code of this length, less the code.
	shift  [17]int32
	values [256]byte
}

// invalidLength is the number of bits that are taken where they are no code, as libjpeg does.
const invalidLength = 17

// decode returns the value of the code at the front of bits, of which there are at least 16, and the length of the
// code, or 0 and invalidLength where there is none.
func (c *codes) decode(acc uint64) (value byte, length uint) {
	if f := c.fast[acc>>(64-fastBits)]; f != 0 {
		return byte(f >> 8), uint(f & 0xff)
	}
	return c.decodeLong(acc)
}

// decodeLong is decode for a code of more than fastBits.
func (c *codes) decodeLong(acc uint64) (value byte, length uint) {
	next := uint32(acc >> 48)
	for n := uint(fastBits + 1); n <= 16; n++ {
		if next < c.beyond[n] {
			return c.values[byte(int32(next>>(16-n))+c.shift[n])], n
		}
	}
	return 0, invalidLength
}

// newCodes returns the table with count codes of each length from 1 to 16, for values. It returns nil where there are
// more codes than a length can have.
func newCodes(count []byte, values []byte) *codes {
	c := &codes{}
	copy(c.values[:], values)
	code, index := 0, 0
	for n := 1; n <= 16; n++ {
		c.shift[n] = int32(index - code)
		for range count[n-1] {
			if n <= fastBits && code < 1<<n {
				free := fastBits - n
				for i := code << free; i < (code+1)<<free; i++ {
					c.fast[i] = uint16(values[index])<<8 | uint16(n)
				}
			}
			code, index = code+1, index+1
		}
		if code > 1<<n {
			return nil
		}
		c.beyond[n] = uint32(code) << (16 - n)
		code <<= 1
	}
	return c
}

// readCodes takes in tables of codes, each a class and a number, the count of codes of each length, and their values.
func (d *decoder) readCodes(payload []byte) error {
	const head = 17
	for len(payload) > 0 {
		if len(payload) < head {
			return FormatError("a Huffman table that is cut")
		}
		class, number, n := payload[0]>>4, payload[0]&15, 0
		for _, many := range payload[1:head] {
			n += int(many)
		}
		if class > 1 || number > 3 || n > 256 || len(payload) < head+n {
			return FormatError("a wrong Huffman table")
		}
		values := payload[head : head+n]
		table := newCodes(payload[1:head], values)
		if table == nil {
			return FormatError("a wrong Huffman table")
		}
		if class == 1 {
			d.ac[number] = table
		} else {
			for _, size := range values {
				if size > 15 {
					return FormatError("a wrong Huffman table")
				}
			}
			d.dc[number] = table
		}
		payload = payload[head+n:]
	}
	return nil
}
