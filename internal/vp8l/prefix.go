package vp8l

import (
	"cmp"
	"math/bits"
	"slices"
)

// The greatest lengths in bits of a symbol's code, and of a code that stands for the length of another code.
const (
	mostCodeBits   = 15
	mostLengthBits = 7
)

// prefixCode holds the codes of an alphabet, by symbol. The lowest bit of a code is written first.
type prefixCode struct {
	code   []uint16
	length []uint8 // the length of each symbol's code in bits; 0: the symbol is not used
	used   int     // how many symbols are used
}

// codes holds a prefix code for each alphabet.
type codes [alphabets]*prefixCode

// newCodes returns the prefix codes for symbols that are used as often as c says.
func newCodes(c *counts) *codes {
	all := new(codes)
	for i, list := range c {
		all[i] = newPrefixCode(list, mostCodeBits)
	}
	return all
}

// newPrefixCode returns a prefix code for symbols used as often as count says: the Huffman code or, if that has codes
// of more bits than the limit most, the Huffman code after the smallest counts are raised.
func newPrefixCode(count []uint32, most int) *prefixCode {
	p := &prefixCode{code: make([]uint16, len(count)), length: make([]uint8, len(count))}
	var symbols []int
	for symbol, n := range count {
		if n > 0 {
			symbols = append(symbols, symbol)
		}
	}
	if p.used = len(symbols); p.used == 1 {
		p.length[symbols[0]] = 1 // as write needs; put writes no bits
	}
	if p.used < 2 {
		return p
	}
	slices.SortStableFunc(symbols, func(a, b int) int { return cmp.Compare(count[a], count[b]) })
	for least := uint64(1); ; least *= 2 { // with more equal counts, the longest code gets shorter
		if p.setLengths(symbols, count, least) <= most {
			break
		}
	}
	p.assign()
	return p
}

// setLengths sets p.length to the code lengths of the Huffman code, after smaller counts are raised to least. It
// returns the greatest length. symbols lists the used symbols in ascending order of their counts.
//
// The two lightest nodes are joined until one node is left. Leaves and joined nodes form two queues in ascending order
// of weight, so the lightest node is at the front of one of the queues.
func (p *prefixCode) setLengths(symbols []int, count []uint32, least uint64) int {
	n := len(symbols)
	weight, parent := make([]uint64, 2*n-1), make([]int, 2*n-1)
	for i, symbol := range symbols {
		weight[i] = max(uint64(count[symbol]), least)
	}
	leaf, joined := 0, n                  // the fronts of the queues
	for next := n; next < 2*n-1; next++ { // next is the node that joins two others
		for range 2 {
			light := joined
			if leaf < n && (joined >= next || weight[leaf] <= weight[joined]) {
				light = leaf
				leaf++
			} else {
				joined++
			}
			weight[next] += weight[light]
			parent[light] = next
		}
	}
	depth := make([]int, 2*n-1)
	longest := 0
	for i := 2*n - 3; i >= 0; i-- {
		depth[i] = depth[parent[i]] + 1
		if i < n {
			p.length[symbols[i]] = uint8(min(depth[i], 255))
			longest = max(longest, depth[i])
		}
	}
	return longest
}

// assign sets p.code from p.length: codes of one length are successive numbers, in the order of the symbols. The
// first code of n bits is twice the number after the last code of n−1 bits. p.code has the bits in reverse order.
func (p *prefixCode) assign() {
	next, code := [mostCodeBits + 1]int{}, 0
	var number [mostCodeBits + 1]int // how many codes have each length
	for _, n := range p.length {
		number[n]++
	}
	number[0] = 0
	for n := 1; n <= mostCodeBits; n++ {
		code = (code + number[n-1]) << 1
		next[n] = code
	}
	for symbol, n := range p.length {
		if n > 0 {
			p.code[symbol] = bits.Reverse16(uint16(next[n])) >> (16 - n)
			next[n]++
		}
	}
}

// put appends the code of a symbol to b. If only one symbol is used, its code has no bits.
func (p *prefixCode) put(b *bitString, symbol int) {
	if p.used > 1 {
		b.put(uint64(p.code[symbol]), int(p.length[symbol]))
	}
}

// write appends the code lengths of all alphabets to b.
func (c *codes) write(b *bitString) {
	for _, p := range c {
		p.write(b)
	}
}

// bitsFor returns how many bits the codes take in total if each symbol is written as often as n says.
func (c *codes) bitsFor(n *counts) (sum int64) {
	for i, p := range c {
		if p.used > 1 { // a single symbol takes no bits
			for symbol, count := range n[i] {
				sum += int64(count) * int64(p.length[symbol])
			}
		}
	}
	return sum
}

// lengthOrder lists the symbols of runsOf in the order in which the lengths of their codes are written.
var lengthOrder = [19]int{17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// write appends to b the code lengths, from which a reader computes the codes. If only one or two symbols are used, all
// below 256, it writes these symbols, else runs of lengths, for which it builds another prefix code.
func (p *prefixCode) write(b *bitString) {
	var symbols []int
	for symbol, n := range p.length {
		if n > 0 && len(symbols) < 3 {
			symbols = append(symbols, symbol)
		}
	}
	if len(symbols) == 0 {
		symbols = []int{0} // a code must have a symbol
	}
	if len(symbols) <= 2 && symbols[len(symbols)-1] < values {
		b.putBool(true)
		b.put(uint64(len(symbols)-1), 1)
		if symbols[0] < 2 {
			b.putBool(false)
			b.put(uint64(symbols[0]), 1)
		} else {
			b.putBool(true)
			b.put(uint64(symbols[0]), 8)
		}
		for _, symbol := range symbols[1:] {
			b.put(uint64(symbol), 8)
		}
		return
	}
	runs := runsOf(p.length)
	count := make([]uint32, len(lengthOrder))
	for _, r := range runs {
		count[r.symbol]++
	}
	runCode := newPrefixCode(count, mostLengthBits)
	written := len(lengthOrder) // without the zeros at the end, but at least 4
	for runCode.length[lengthOrder[written-1]] == 0 {
		written--
	}
	written = max(written, 4)
	b.putBool(false)
	b.put(uint64(written-4), 4)
	for _, symbol := range lengthOrder[:written] {
		b.put(uint64(runCode.length[symbol]), 3)
	}
	b.putBool(false) // lengths for all symbols of the alphabet follow
	for _, r := range runs {
		runCode.put(b, r.symbol)
		b.put(uint64(r.rest), r.restBits)
	}
}

// run is a symbol for one or more code lengths, and the value and the number of the extra bits that follow it.
type run struct{ symbol, rest, restBits int }

// runsOf returns code lengths as runs. Symbols 0 to 15 stand for one length, 16 for 3 to 6 copies of the last length
// above 0, 17 for 3 to 10 zeros, and 18 for 11 to 138 zeros.
func runsOf(lengths []uint8) (list []run) {
	for i, last := 0, uint8(8); i < len(lengths); { // a reader starts with 8 as the last length above 0
		v, n := lengths[i], 1
		for i+n < len(lengths) && lengths[i+n] == v {
			n++
		}
		i += n
		if v > 0 && v != last {
			list, last, n = append(list, run{int(v), 0, 0}), v, n-1
		}
		for n > 0 {
			part := 1
			switch {
			case n < 3:
				list = append(list, run{int(v), 0, 0})
			case v > 0:
				part = min(n, 6)
				list = append(list, run{16, part - 3, 2}) // a symbol, and a number of 2 bits after it
			case n < 11:
				part = n
				list = append(list, run{17, part - 3, 3})
			default:
				part = min(n, 138)
				list = append(list, run{18, part - 11, 7})
			}
			n -= part
		}
	}
	return list
}

// write appends the codes of the band's tokens to b.out. A length or a distance is a prefix symbol and extra bits.
func (b *band) write() {
	b.eachToken(func(t token, group uint8) {
		c := b.codes[group]
		switch {
		case t&isCopy != 0:
			length, n, rest := prefixOf(t.length())
			c[ofGreen].put(&b.out, values+length)
			b.out.put(rest, n)
			distance, n, rest := prefixOf(int(uint32(t))) // its code is the lower half of t
			c[ofDistance].put(&b.out, distance)
			b.out.put(rest, n)
		case t&isCache != 0:
			c[ofGreen].put(&b.out, cacheSymbols+int(uint32(t)))
		default:
			c[ofGreen].put(&b.out, int(t>>8&0xff))
			c[ofRed].put(&b.out, int(t>>16&0xff))
			c[ofBlue].put(&b.out, int(t&0xff))
			c[ofAlpha].put(&b.out, int(t>>24&0xff))
		}
	})
}
