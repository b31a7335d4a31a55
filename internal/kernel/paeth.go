package kernel

// Paeth is the fifth filter of PNG (ISO/IEC 15948). For each byte, modulo 256, it sets out to x minus the one of a (the
// byte of the pixel on the left), b (above) and c (above on the left) that is nearest to a+b−c; on a tie it prefers a,
// then b. It returns the sum of the magnitudes of the bytes of out, read as signed bytes. All slices are as long as x.
func Paeth(out, x, a, b, c []byte) (sum int) {
	n := len(x)
	out, a, b, c = out[:n], a[:n], b[:n], c[:n]
	whole := n / 32 * 32 // assembly takes 32 bytes at a time, Go the rest
	if whole > 0 {
		sum = paeth(out[:whole], x[:whole], a[:whole], b[:whole], c[:whole])
	}
	return sum + paethGeneric(out[whole:], x[whole:], a[whole:], b[whole:], c[whole:])
}

// paethGeneric is the definition of Paeth. The distances of a+b−c from a, b and c are |b−c|, |a−c| and |(b−c)+(a−c)|.
func paethGeneric(out, x, a, b, c []byte) (sum int) {
	a, b, c, out = a[:len(x)], b[:len(x)], c[:len(x)], out[:len(x)]
	for i, v := range x {
		a, b, c := int(a[i]), int(b[i]), int(c[i])
		toA, toB := b-c, a-c
		toC := magnitude(toA + toB)
		toA, toB = magnitude(toA), magnitude(toB)
		if toB < toA {
			a, toA = b, toB
		}
		if toC < toA {
			a = c
		}
		v -= byte(a)
		out[i] = v
		sum += magnitude(int(int8(v)))
	}
	return sum
}

// magnitude returns |v|, without a branch.
func magnitude(v int) int {
	sign := v >> 63
	return (v ^ sign) - sign
}
