package imagefile

import (
	"encoding/binary"

	"superres/internal/kernel"
)

// filterRow writes to dst the number of one of the five PNG filters, and then row filtered with it. It chooses the
// filter with the smallest sum of magnitudes of the filtered bytes, as signed numbers, which usually compresses best.
// row and the row above begin with mostPixelBytes zeros; n is the number of bytes of a pixel.
//
// If x is a byte of row, a the byte one pixel to the left, b the byte above x, and c the byte above a, the filters give
// x, x-a, x-b, x-⌊(a+b)/2⌋ and x-p, where p is the nearest of a, b and c to a+b-c (Paeth).
func filterRow(dst, row, above []byte, n int) {
	const zeros = mostPixelBytes
	x, a, b, c := row[zeros:], row[zeros-n:], above[zeros:], above[zeros-n:]
	dst, number := dst[1:len(x)+1], dst[:1]
	var sums [5]int
	sums[4] = kernel.Paeth(dst, x, a, b, c)
	words := len(x) &^ 7 // bytes in whole words of eight
	for i := 0; i < words; i += 8 {
		x, a, b := load8(x, i), load8(a, i), load8(b, i)
		sums[0] += magnitude8(x)
		sums[1] += magnitude8(subtract8(x, a))
		sums[2] += magnitude8(subtract8(x, b))
		sums[3] += magnitude8(subtract8(x, mean8(a, b)))
	}
	for i := words; i < len(x); i++ {
		for filter := range 4 {
			sums[filter] += magnitude8(uint64(x[i] - predict(filter, a[i], b[i])))
		}
	}
	best := 0
	for filter, sum := range sums {
		if sum < sums[best] {
			best = filter
		}
	}
	number[0] = byte(best)
	if best == 4 { // kernel.Paeth has filled dst
		return
	}
	for i := 0; i < words; i += 8 {
		x, a, b := load8(x, i), load8(a, i), load8(b, i)
		switch best {
		case 1:
			x = subtract8(x, a)
		case 2:
			x = subtract8(x, b)
		case 3:
			x = subtract8(x, mean8(a, b))
		}
		binary.LittleEndian.PutUint64(dst[i:], x)
	}
	for i := words; i < len(x); i++ {
		dst[i] = x[i] - predict(best, a[i], b[i])
	}
}

// predict returns what a filter, 0 to 3, subtracts from a byte, given the bytes a one pixel to its left and b above.
func predict(filter int, a, b byte) byte {
	switch filter {
	case 1:
		return a
	case 2:
		return b
	case 3:
		return byte((int(a) + int(b)) / 2)
	}
	return 0
}

func load8(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[i:]) }

// The functions below work on eight bytes in one word.
const (
	tops = 0x8080808080808080
	ones = 0x0101010101010101
)

// subtract8 returns x-y for each of the eight bytes. With the top bits of x set, no byte borrows from its neighbour.
func subtract8(x, y uint64) uint64 {
	return ((x | tops) - (y &^ tops)) ^ ((x ^ ^y) & tops)
}

// mean8 returns ⌊(a+b)/2⌋ for each of the eight bytes: the bits set in both, plus half of the bits set in only one.
func mean8(a, b uint64) uint64 {
	return (a & b) + ((a ^ b) >> 1 &^ tops)
}

// magnitude8 returns the sum of the magnitudes of the eight bytes of v as signed numbers.
func magnitude8(v uint64) int {
	negative := v >> 7 & ones          // 1 in each byte that is negative
	v = (v ^ negative*0xff) + negative // negates these bytes: −x = ^x + 1
	const low = 0x00ff00ff00ff00ff
	v = v&low + v>>8&low                     // four sums of 16 bits
	return int(v * 0x0001000100010001 >> 48) // the product's highest 16 bits are the sum of all four
}
