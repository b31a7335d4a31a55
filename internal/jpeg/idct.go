package jpeg

// The inverse cosine transform of 8×8 coefficients with the method of C. Loeffler, A. Ligtenberg and G. S. Moschytz,
// "Practical fast 1-D DCT algorithms with 11 multiplications", ICASSP 1989, pp. 988–991, in the variant with 12
// multiplications, where no product is multiplied again. It transforms the columns, then the rows. A transform of 8
// numbers costs 12 multiplications and 32 additions.
//
// Factors have scaleBits fractional bits, and numbers between the two passes have columnBits. These are the precisions
// of libjpeg, which most programs use, so samples are the same to the bit.
const (
	scaleBits  = 13
	columnBits = 2
)

// The factors times 2^scaleBits, where ck is √2·cos(kπ/16).
const (
	fC6      = 4433   // c6
	fC2less6 = 6270   // c2 − c6
	fC2plus6 = 15137  // c2 + c6
	fC3      = 9633   // c3
	fIn7     = 2446   // −c1 + c3 + c5 − c7
	fIn5     = 16819  // c1 + c3 − c5 + c7
	fIn3     = 25172  // c1 + c3 + c5 − c7
	fIn1     = 12299  // c1 + c3 − c5 − c7
	fIn1and7 = -7373  // c7 − c3
	fIn3and5 = -20995 // −c1 − c3
	fIn3and7 = -16069 // −c3 − c5
	fIn1and5 = -3196  // c5 − c3
)

// butterfly returns the inverse transform of x, times √8 and 2^scaleBits. e is the part from even x, o from odd x.
func butterfly(x0, x1, x2, x3, x4, x5, x6, x7 int32) (y0, y1, y2, y3, y4, y5, y6, y7 int32) {
	rotated := (x2 + x6) * fC6
	even2, even6 := rotated+x2*fC2less6, rotated-x6*fC2plus6
	sum, difference := (x0+x4)<<scaleBits, (x0-x4)<<scaleBits
	e0, e1, e2, e3 := sum+even2, difference+even6, difference-even6, sum-even2

	both := (x1 + x3 + x5 + x7) * fC3
	a, b := (x1+x7)*fIn1and7, (x3+x5)*fIn3and5
	c, d := (x3+x7)*fIn3and7+both, (x1+x5)*fIn1and5+both
	o0, o1, o2, o3 := x1*fIn1+a+d, x3*fIn3+b+c, x5*fIn5+b+d, x7*fIn7+a+c
	return e0 + o0, e1 + o1, e2 + o2, e3 + o3, e3 - o3, e2 - o2, e1 - o1, e0 - o0
}

// inverse writes the 8×8 samples of a block to out, in rows that are stride bytes apart. b holds the dequantised
// coefficients row by row; inverse overwrites it.
func inverse(b *[64]int32, out []byte, stride int) {
	const half = 1 << (scaleBits - columnBits - 1)
	for i := range 8 {
		x0 := b[i]
		x1, x2, x3, x4, x5, x6, x7 := b[8+i], b[16+i], b[24+i], b[32+i], b[40+i], b[48+i], b[56+i]
		if x1|x2|x3|x4|x5|x6|x7 == 0 { // the column becomes constant
			v := x0 << columnBits
			b[i], b[8+i], b[16+i], b[24+i], b[32+i], b[40+i], b[48+i], b[56+i] = v, v, v, v, v, v, v, v
			continue
		}
		y0, y1, y2, y3, y4, y5, y6, y7 := butterfly(x0, x1, x2, x3, x4, x5, x6, x7)
		const shift = scaleBits - columnBits
		b[i], b[8+i], b[16+i], b[24+i] = (y0+half)>>shift, (y1+half)>>shift, (y2+half)>>shift, (y3+half)>>shift
		b[32+i], b[40+i], b[48+i], b[56+i] = (y4+half)>>shift, (y5+half)>>shift, (y6+half)>>shift, (y7+half)>>shift
	}
	for i := range 8 {
		x := b[8*i : 8*i+8 : 8*i+8]
		row := out[i*stride : i*stride+8 : i*stride+8]
		y0, y1, y2, y3, y4, y5, y6, y7 := butterfly(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7])
		row[0], row[1], row[2], row[3] = sample(y0), sample(y1), sample(y2), sample(y3)
		row[4], row[5], row[6], row[7] = sample(y4), sample(y5), sample(y6), sample(y7)
	}
}

// sample converts a result of both passes to a sample: rounded, moved from −128..127 to 0..255 and clipped.
func sample(y int32) byte {
	const shift = scaleBits + columnBits + 3 // 3: the transform in two dimensions is divided by 8
	v := (y+1<<(shift-1))>>shift + 128
	if uint32(v) > 255 { // below 0 or above 255
		return byte(^v >> 31) // 0 or 255
	}
	return byte(v)
}

// fillBlock writes to out the samples of a block that has only one coefficient, first, its dequantised DC coefficient.
func fillBlock(first int32, out []byte, stride int) {
	v := sample(first << (columnBits + scaleBits)) // as both passes of inverse would scale it
	for i := range 8 {
		row := out[i*stride : i*stride+8 : i*stride+8]
		row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7] = v, v, v, v, v, v, v, v
	}
}
