package metadata

import "math"

// Resolution is the number of pixels per Unit, across (X) and down (Y). The zero value: unknown.
type Resolution struct {
	X, Y float64
	Unit Unit
}

// Unit is a unit of length.
type Unit int

const (
	Unknown Unit = iota // there is no resolution
	Ratio               // no unit of length: only the ratio of X to Y has a meaning
	Inch
	Centimetre
	Metre
)

const metresPerInch = 0.0254

// validated returns r, or the zero value if X or Y is not in (0, 2³¹−1) or the unit is unknown.
func (r Resolution) validated() Resolution {
	for _, v := range [2]float64{r.X, r.Y} {
		if !(v > 0 && v < math.MaxInt32) || r.Unit == Unknown {
			return Resolution{}
		}
	}
	return r
}

// perMetre returns r in whole pixels per metre. ok is false where r has no length unit or a number is out of range.
func (r Resolution) perMetre() (x, y uint32, ok bool) {
	factor := map[Unit]float64{Inch: 1 / metresPerInch, Centimetre: 100, Metre: 1}[r.Unit]
	return roundPair(r.X*factor, r.Y*factor, math.MaxInt32)
}

// jfif returns r as the fields of a JFIF segment: the unit (0: ratio, 1: inch, 2: centimetre), and whole pixels per
// unit. ok is false where these fields cannot hold r.
func (r Resolution) jfif() (unit byte, x, y uint16, ok bool) {
	factor := 1.0
	switch r.Unit {
	case Unknown:
		return 0, 0, 0, false
	case Inch:
		unit = 1
	case Centimetre:
		unit = 2
	case Metre:
		unit, factor = 1, metresPerInch
	}
	a, b, ok := roundPair(r.X*factor, r.Y*factor, math.MaxUint16)
	return unit, uint16(a), uint16(b), ok
}

// fractions returns r as the values of TIFF tags: the unit (1: ratio, 2: inch, 3: centimetre), and pixels per unit as
// fractions. ok is false where the unit is unknown.
func (r Resolution) fractions() (unit uint16, x, y [2]uint32, ok bool) {
	factor := 1.0
	switch r.Unit {
	case Unknown:
		return 0, x, y, false
	case Ratio:
		unit = 1
	case Inch:
		unit = 2
	case Centimetre, Metre:
		unit = 3
		if r.Unit == Metre {
			factor = 0.01
		}
	}
	return unit, fraction(r.X * factor), fraction(r.Y * factor), true
}

// fraction returns the numerator and the denominator, 1, 10, 100 or 1000, of v, which is rounded to thousandths, or to
// an integer where the numerator would need more than 32 bits.
func fraction(v float64) [2]uint32 {
	for _, denominator := range []float64{1, 10, 100, 1000} {
		n := math.Round(v * denominator)
		if n <= math.MaxUint32 && (math.Abs(n-float64(v*denominator)) < 1e-6 || denominator == 1000) {
			return [2]uint32{uint32(n), uint32(denominator)}
		}
	}
	return [2]uint32{uint32(math.Round(v)), 1}
}

// roundPair returns x and y rounded. ok is false unless both results are 1 to most.
func roundPair(x, y, most float64) (_, _ uint32, ok bool) {
	x, y = math.Round(x), math.Round(y)
	if !(x >= 1 && y >= 1 && x <= most && y <= most) {
		return 0, 0, false
	}
	return uint32(x), uint32(y), true
}
