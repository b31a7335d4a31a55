package vp8l

import "sync"

// A tile is a square of pixels with one predictor and one group of prefix codes.
const (
	tileBits = 5
	tileSide = 1 << tileBits
)

func tilesIn(n int) int { return (n + tileSide - 1) / tileSide }

// opaqueBlack is the prediction for the first pixel of a picture, and the prediction of predictor 0.
const opaqueBlack = 0xff000000

// Two predictors that the format also prescribes for the first row (byLeft) and the first column (byAbove).
const (
	byLeft  = 1
	byAbove = 2
)

// band holds the data of a band of rows while it is encoded.
type band struct {
	*Stream
	y0, y1    int
	pixels    []uint32 // the row above the band, and the rows of the band, each followed by one more pixel
	residuals []uint32 // the residuals of the band's pixels, row after row without gaps
	tokens    []token
	matcher
	cache  [1 << mostCacheBits]uint32
	counts [classes]*counts
	out    bitString
}

// spareBands keeps the memory of finished bands for reuse.
var spareBands = sync.Pool{New: func() any { return new(band) }}

// newBand returns band number i, with its pixels.
func (s *Stream) newBand(i int) *band { return s.bandOf(i*s.rows, min((i+1)*s.rows, s.pic.Height)) }

// bandOf returns the band of the rows [y0, y1), with its pixels and the row above. y0 is a multiple of tileSide.
func (s *Stream) bandOf(y0, y1 int) *band {
	b := spareBands.Get().(*band)
	b.Stream, b.y0, b.y1 = s, y0, y1
	w := s.pic.Width
	b.pixels = resize(b.pixels, (y1-y0+1)*(w+1))
	b.residuals = resize(b.residuals, (y1-y0)*w)
	for y := max(y0-1, 0); y < y1; y++ {
		row := b.row(y)
		s.pic.Row(row[:w], y)
		if s.method.subtractGreen {
			subtractGreen(row[:w])
		}
		if y > y0-1 {
			b.row(y - 1)[w] = row[0] // the format takes it as above and to the right of the last pixel of row y
		}
	}
	return b
}

// release gives the memory of b to spareBands. b must not be used afterwards.
func (b *band) release() {
	b.Stream, b.counts, b.out = nil, [classes]*counts{}, bitString{bytes: b.out.bytes[:0]}
	spareBands.Put(b)
}

// resize returns a slice of length n, which shares the memory of s if this is large enough.
func resize(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	return s[:n]
}

// row returns the pixels of row y of the picture, followed by one more pixel: see bandOf.
func (b *band) row(y int) []uint32 {
	n := b.pic.Width + 1
	return b.pixels[(y-b.y0+1)*n:][:n:n]
}

// subtractGreen subtracts green from red and from blue in each pixel of row, modulo 256.
func subtractGreen(row []uint32) {
	for i, v := range row {
		green := v >> 8 & 0xff
		row[i] = v&0xff00ff00 | ((v&0x00ff00ff|0x01000100)-green*0x00010001)&0x00ff00ff
	}
}

// subtract returns x-y for each of the four bytes, modulo 256.
func subtract(x, y uint32) uint32 {
	const tops = 0x80808080
	return ((x | tops) - (y &^ tops)) ^ ((x ^ ^y) & tops)
}

// mean returns ⌊(x+y)/2⌋ for each of the four bytes.
func mean(x, y uint32) uint32 { return (x & y) + ((x ^ y) >> 1 & 0x7f7f7f7f) }

// magnitude returns the sum of the absolute values of the four bytes of v, taken as signed numbers.
func magnitude(v uint32) uint32 {
	negative := v >> 7 & 0x01010101    // 1 in each byte that is negative
	v = (v ^ negative*0xff) + negative // negates these bytes: −x = ^x + 1
	v = v&0x00ff00ff + v>>8&0x00ff00ff // two sums of 16 bits
	return (v + v>>16) & 0xffff
}

// predictors is the number of predictors.
const predictors = 14

// predictBy returns what a predictor of RFC 9649 makes of the pixels left, above, above right and above left.
func predictBy(predictor uint8, l, t, tr, tl uint32) uint32 {
	switch predictor {
	case byLeft:
		return l
	case byAbove:
		return t
	case 3:
		return tr
	case 4:
		return tl
	case 5:
		return mean(mean(l, tr), t)
	case 6:
		return mean(l, tl)
	case 7:
		return mean(l, t)
	case 8:
		return mean(tl, t)
	case 9:
		return mean(t, tr)
	case 10:
		return mean(mean(l, tl), mean(t, tr))
	case 11:
		return nearerPixel(l, t, tl)
	case 12:
		return gradient(l, t, tl)
	case 13:
		return halfGradient(mean(l, t), tl)
	}
	return opaqueBlack
}

// nearerPixel returns the pixel, l or t, with the smaller distance to l+t-tl, summed over the channels.
func nearerPixel(l, t, tl uint32) uint32 {
	balance := int32(0) // the distance of l, which is |t−tl|, minus the distance of t, |l−tl|
	for shift := 0; shift < 32; shift += 8 {
		a, b, c := int32(l>>shift&0xff), int32(t>>shift&0xff), int32(tl>>shift&0xff)
		balance += distance(b, c) - distance(a, c)
	}
	if balance < 0 {
		return l
	}
	return t
}

func distance(a, b int32) int32 {
	d := a - b
	sign := d >> 31
	return (d ^ sign) - sign
}

// gradient returns l+t-tl, clamped to 0..255, for each channel.
func gradient(l, t, tl uint32) (v uint32) {
	for shift := 0; shift < 32; shift += 8 {
		v |= clamp(int32(l>>shift&0xff)+int32(t>>shift&0xff)-int32(tl>>shift&0xff)) << shift
	}
	return v
}

// halfGradient returns m + (m-tl)/2, rounded towards m and clamped to 0..255, for each channel.
func halfGradient(m, tl uint32) (v uint32) {
	for shift := 0; shift < 32; shift += 8 {
		a, b := int32(m>>shift&0xff), int32(tl>>shift&0xff)
		v |= clamp(a+(a-b)/2) << shift
	}
	return v
}

func clamp(v int32) uint32 { return uint32(min(max(v, 0), 255)) }

// choosePredictors sets the predictor of each tile of the band to the predictor, other than 0, with the smallest
// residuals, by the sum of their magnitudes in one row out of four. Without b.method.predict it does nothing.
func (b *band) choosePredictors() {
	if !b.method.predict {
		return
	}
	const every = 4 // rows from one measured row to the next
	w := b.pic.Width
	for ty := b.y0; ty < b.y1; ty += tileSide {
		for tx := 0; tx < w; tx += tileSide {
			var sums [predictors]uint32
			// The first row and the first column of the picture have predictors of their own.
			for y := max(min(ty+every/2, b.y1-1), 1); y < min(ty+tileSide, b.y1); y += every {
				row, above := b.row(y), b.row(y-1) // each with one more pixel: see bandOf
				for x := max(tx, 1); x < min(tx+tileSide, w); x++ {
					v, l, t, tr, tl := row[x], row[x-1], above[x], above[x+1], above[x-1]
					for p := uint8(1); p < predictors; p++ {
						sums[p] += magnitude(subtract(v, predictBy(p, l, t, tr, tl)))
					}
				}
			}
			best := uint8(1)
			for p := best; p < predictors; p++ {
				if sums[p] < sums[best] {
					best = p
				}
			}
			b.modes[b.tile(tx, ty)] = best
		}
	}
}

// tile returns the index of the tile with the pixel (x, y).
func (b *band) tile(x, y int) int { return y>>tileBits*b.tiles + x>>tileBits }

// predict sets b.residuals to the pixels minus their predictions, or to the pixels if the method does not predict.
// As the format says, the first row is predicted from the left, and the first column from above.
func (b *band) predict() {
	w := b.pic.Width
	for y := b.y0; y < b.y1; y++ {
		row, out := b.row(y), b.residuals[(y-b.y0)*w:][:w]
		switch {
		case !b.method.predict:
			copy(out, row)
			continue
		case y == 0:
			out[0] = subtract(row[0], opaqueBlack)
			for x := 1; x < w; x++ {
				out[x] = subtract(row[x], row[x-1])
			}
			continue
		}
		above := b.row(y - 1)
		out[0] = subtract(row[0], above[0])
		modes := b.modes[b.tile(0, y):][:b.tiles]
		for x := 1; x < w; x++ {
			out[x] = subtract(row[x], predictBy(modes[x>>tileBits], row[x-1], above[x], above[x+1], above[x-1]))
		}
	}
}
