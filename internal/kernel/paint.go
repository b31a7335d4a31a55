package kernel

// Paint sets dst to opaque pixels with 8-bit red, green, blue and alpha, four bytes each. l is the brightness, r and
// b are red and blue minus the brightness, and wr and wb the weights of red and of blue in brightness divided by the
// weight of green. Red is level(l+r), blue is level(l+b), and green is level(l − wr·r − wb·b), where
//
//	level(v) = ⌊255·min(max(v, 0), 1) + ½⌋,   NaN as 0.
//
// Every product and every sum is rounded to float32. l may have any length; r and b must be as long.
func Paint(dst []uint8, l, r, b []float32, wr, wb float32) {
	n := len(l)
	if n == 0 {
		return
	}
	paint(dst[:4*n], l, r[:n], b[:n], wr, wb)
}

func paintGeneric(dst []uint8, l, r, b []float32, wr, wb float32) {
	for x, v := range l {
		to := dst[4*x : 4*x+4]
		to[0], to[1], to[2], to[3] = level(v+r[x]), level(v-float32(wr*r[x])-float32(wb*b[x])), level(v+b[x]), 0xff
	}
}

// level returns the level, 0 to 255, for a value: see Paint.
func level(v float32) uint8 {
	if v >= 1 {
		return 0xff
	}
	if v > 0 {
		return uint8(float32(0xff*v) + 0.5)
	}
	return 0
}
