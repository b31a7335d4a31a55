package vp8l

import "math/bits"

// token is a pixel, a reference to the colour cache, or a copy of earlier pixels. A pixel is stored as its 32 bits; the
// other two kinds have a flag in a high bit.
type token uint64

const (
	isCopy  token = 1 << 63 // the length begins at bit lengthAt; the low 32 bits are the distance code
	isCache token = 1 << 62 // the low 32 bits are the index in the cache

	lengthAt   = 32
	mostLength = 4096 // the greatest length of a copy, in pixels
)

// length returns the number of pixels that t stands for.
func (t token) length() int {
	if t&isCopy != 0 {
		return int(t >> lengthAt & (2*mostLength - 1))
	}
	return 1
}

// mostCacheBits is the largest cacheBits that is tried, for a colour cache of 2^10 colours.
const mostCacheBits = 10

// cacheIndex returns the index of the pixel v in a colour cache of 2^bits colours.
func cacheIndex(v uint32, bits int) uint32 { return v * 0x1e35a7bd >> (32 - bits) }

// tokenise sets b.tokens from b.residuals, with copies and a colour cache if m says so.
//
// Note: at the start of a band, the decoder's cache holds colours from earlier bands. tokenise does not refer to these
// colours, so that no band depends on another.
func (b *band) tokenise(m method) {
	b.tokens = b.tokens[:0]
	if m.references {
		b.matcher.begin(len(b.residuals))
	}
	clear(b.cache[:])
	known := [1 << mostCacheBits / 64]uint64{} // which entries of the cache hold a colour of this band
	remember := func(v uint32) {
		i := cacheIndex(v, m.cacheBits)
		b.cache[i] = v
		known[i/64] |= 1 << (i % 64)
	}
	px := b.residuals
	for at := 0; at < len(px); {
		if m.references {
			if length, distance := b.find(px, at, b.pic.Width); length > 0 {
				b.tokens = append(b.tokens, isCopy|token(length)<<lengthAt|token(distanceCode(distance, b.pic.Width)))
				for range length {
					if m.cacheBits > 0 {
						remember(px[at])
					}
					b.insertAt(px, at)
					at++
				}
				continue
			}
			b.insertAt(px, at)
		}
		v := px[at]
		at++
		t := token(v)
		if m.cacheBits > 0 {
			if i := cacheIndex(v, m.cacheBits); b.cache[i] == v && known[i/64]>>(i%64)&1 == 1 {
				t = isCache | token(i)
			}
			remember(v)
		}
		b.tokens = append(b.tokens, t)
	}
}

// matcher finds repetitions. It keeps the places with the same hash of two successive pixels in a chain.
type matcher struct {
	heads  [1 << hashBits]int32 // for each hash, the last place with this hash, plus 1; 0: none
	before []int32              // for each place, the previous place with the same hash, plus 1; 0: none
}

const (
	hashBits   = 15
	mostTries  = 24 // how many places of a chain are compared
	enough     = 64 // a repetition of this many pixels ends the search for a longer repetition
	leastNear  = 3  // the fewest pixels of a copy from the pixel before or the pixel above, which have short codes
	leastFar   = 5  // the fewest pixels of any other copy
	shortCodes = 120
)

// begin prepares m for n pixels, and forgets all places.
func (m *matcher) begin(n int) {
	clear(m.heads[:])
	if cap(m.before) < n {
		m.before = make([]int32, n)
	}
	m.before = m.before[:n]
}

func hashOf(a, b uint32) uint32 {
	return (a*0x9e3779b1 + b*0x85ebca6b) >> (32 - hashBits)
}

// insertAt enters the index at of px into the chain for the hash of the two pixels that begin there.
func (m *matcher) insertAt(px []uint32, at int) {
	if at+1 < len(px) {
		h := hashOf(px[at], px[at+1])
		m.before[at], m.heads[h] = m.heads[h], int32(at+1)
	}
}

// find returns the length of the longest repetition found for the pixels from px[at] on, and the distance back to
// the earlier pixels. A length of 0 means that there is no repetition worth a copy. It tries the pixel before, the
// pixel above, width pixels before, and then the last places with the same hash.
func (m *matcher) find(px []uint32, at, width int) (length, distance int) {
	if at == 0 || at+1 >= len(px) {
		return 0, 0
	}
	most := min(mostLength, len(px)-at)
	try := func(from, least int) {
		if length < most && px[from+length] == px[at+length] { // else the repetition cannot be longer than length
			if n := common(px[from:], px[at:at+most]); n > length && n >= least {
				length, distance = n, at-from
			}
		}
	}
	try(at-1, leastNear)
	if at >= width {
		try(at-width, leastNear)
	}
	from := m.heads[hashOf(px[at], px[at+1])] // the place plus 1, or 0
	for range mostTries {
		if from == 0 || length >= enough {
			break
		}
		try(int(from-1), leastFar)
		from = m.before[from-1]
	}
	return length, distance
}

// common returns how many pixels at the start of a and b are equal. a must not be shorter than b.
func common(a, b []uint32) int {
	a = a[:len(b)] // so that the loop checks no index
	for i, v := range b {
		if a[i] != v {
			return i
		}
	}
	return len(b)
}

// offsets are the nearby pixels with a short distance code, in the order of table 3 of RFC 9649. Each is stored as
// 16 times the number of rows above, plus 8, minus the distance to the left, negative for a pixel to the right.
var offsets = [shortCodes]uint8{
	0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a,
	0x26, 0x2a, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1b, 0x36, 0x3a,
	0x25, 0x2b, 0x48, 0x04, 0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b,
	0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34, 0x3c, 0x03,
	0x57, 0x59, 0x13, 0x1d, 0x56, 0x5a, 0x23, 0x2d, 0x44, 0x4c,
	0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67, 0x69, 0x12, 0x1e,
	0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b,
	0x32, 0x3e, 0x78, 0x01, 0x77, 0x79, 0x53, 0x5d, 0x11, 0x1f,
	0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b,
	0x31, 0x3f, 0x63, 0x6d, 0x52, 0x5e, 0x00, 0x74, 0x7c, 0x41,
	0x4f, 0x10, 0x20, 0x62, 0x6e, 0x30, 0x73, 0x7d, 0x51, 0x5f,
	0x40, 0x72, 0x7e, 0x61, 0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
}

// offsetCodes maps each entry of offsets to its code, from 1.
var offsetCodes = func() (list [128]uint8) {
	for i, offset := range offsets {
		list[offset] = uint8(i + 1)
	}
	return list
}()

// distanceCode returns the code of a distance in pixels, along the rows of a picture of the given width. Only pixels
// up to 7 rows above, 8 to the left and 7 to the right have one of the codes 1 to shortCodes.
func distanceCode(distance, width int) int {
	rows, left := distance/width, distance%width
	switch {
	case rows < 8 && left <= 8:
		return int(offsetCodes[rows*16+8-left])
	case rows < 7 && left > width-8: // up to 7 pixels to the right, one more row above
		return int(offsetCodes[(rows+1)*16+8+width-left])
	}
	return distance + shortCodes
}

// prefixOf returns the symbol for v, a length or distance code from 1, and the number and value of its extra bits. 1
// to 4 have a symbol each. Else the symbol says the highest bit of v−1 and the bit below, and extra bits the rest.
func prefixOf(v int) (symbol, extra int, rest uint64) {
	v--
	if v < 4 {
		return v, 0, 0
	}
	extra = bits.Len(uint(v)) - 2
	return 2*(extra+1) + v>>extra&1, extra, uint64(v & (1<<extra - 1))
}

// extraBits returns the number of extra bits that follow a symbol from prefixOf.
func extraBits(symbol int) int { return max(symbol/2-1, 0) }
