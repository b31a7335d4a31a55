package metadata

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf16"
)

// This file builds ICC profiles from primaries and a transfer function: version 4.4 (ICC.1:2022), of the display class,
// with the XYZ of red, green and blue, and one curve for all three, or for grey with only the curve.
//
//	M = [S·(x, y, 1−x−y)] for red, green and blue, where S scales the columns so that their sum is the white point
//	A = B⁻¹·diag(B·D50 / B·white)·B, where B is the matrix of Bradford (ICC.1:2022, annex E)
//	profile: the columns of A·M, the tag chad A, and the curve from code value to light

// colorimetry says which colours the samples of a picture mean. In the zero value nothing is known.
type colorimetry struct {
	name      string
	primaries primaries
	curve     []byte // a curve tag's data: maps a code value in 0..1 to light in 0..1
	cicp      []byte // the four bytes of a chunk cICP, or nil
}

// primaries are the chromaticities x and y of white, red, green and blue.
type primaries [4][2]float64

var (
	whiteD65  = [2]float64{0.3127, 0.3290}
	sRGB      = primaries{whiteD65, {0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}}
	sRGBCurve = parametric(2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045) // IEC 61966-2-1
)

type vector [3]float64

type matrix [3]vector // rows

// bradford is the matrix from XYZ to the cone responses that the adaptation scales, ICC.1:2022, equation E.2.
var bradford = matrix{{0.8951, 0.2664, -0.1614}, {-0.7502, 1.7135, 0.0367}, {0.0389, -0.0685, 1.0296}}

// whiteD50 is the white of the profile connection space, ICC.1:2022, 7.2.16.
var whiteD50 = vector{0.9642, 1, 0.8249}

func (m matrix) times(v vector) (out vector) {
	for i, row := range m {
		out[i] = float64(row[0]*v[0]) + float64(row[1]*v[1]) + float64(row[2]*v[2])
	}
	return out
}

// compose returns the product m·n.
func (m matrix) compose(n matrix) matrix {
	t := n.transpose()
	for i := range t {
		t[i] = m.times(t[i])
	}
	return t.transpose()
}

// transpose returns m with rows and columns exchanged.
func (m matrix) transpose() (t matrix) {
	for i, row := range m {
		for j, v := range row {
			t[j][i] = v
		}
	}
	return t
}

// scaleColumns returns m with each column i multiplied by s[i].
func (m matrix) scaleColumns(s vector) matrix {
	for i := range m {
		for j := range s {
			m[i][j] *= s[j]
		}
	}
	return m
}

// cross returns the cross product a×b.
func cross(a, b vector) (c vector) {
	for i := range c {
		j, k := (i+1)%3, (i+2)%3
		c[i] = float64(a[j]*b[k]) - float64(a[k]*b[j])
	}
	return c
}

// inverse returns the inverse of m, from its cofactors. ok is false where the determinant is at most 1e-6 from 0.
func (m matrix) inverse() (inv matrix, ok bool) {
	const least = 1e-6
	inv = matrix{cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])}
	det := matrix{inv[0]}.times(m[0])[0] // the product of the first rows
	for i := range inv {
		for j := range inv[i] {
			inv[i][j] /= det
		}
	}
	return inv.transpose(), math.Abs(det) > least
}

// adaptToD50 returns rgb, the matrix from linear RGB to the XYZ of the profile connection space, and adaptation,
// which turns XYZ for the white p[0] to XYZ for D50: A·M and A at the start of this file. ok is false if the
// primaries span no colour space, or if the matrices have numbers too large for a profile.
func (p primaries) adaptToD50() (rgb, adaptation matrix, ok bool) {
	var m matrix
	for i, c := range p[1:] {
		m[i] = vector{c[0], c[1], 1 - c[0] - c[1]}
	}
	m = m.transpose() // its columns are red, green and blue
	inv, ok := m.inverse()
	x, y := p[0][0], p[0][1]
	if !ok || !(x > 0 && y > 0) {
		return rgb, adaptation, false
	}
	white := vector{x / y, 1, (1 - x - y) / y}
	back, _ := bradford.inverse()
	from, to := bradford.times(white), bradford.times(whiteD50)
	adaptation = back.compose(bradford.transpose().scaleColumns(vector{to[0] / from[0], to[1] / from[1],
		to[2] / from[2]}).transpose()) // transposed twice, to scale rows
	rgb = adaptation.compose(m.scaleColumns(inv.times(white))) // scaled so that the columns add up to white
	const most = 16                                            // far above the matrices of real displays
	for i := range rgb {
		for j := range rgb[i] {
			if !(math.Abs(rgb[i][j]) < most && math.Abs(adaptation[i][j]) < most) {
				return rgb, adaptation, false
			}
		}
	}
	return rgb, adaptation, true
}

// profile returns c as an ICC profile for the colour space "RGB " or "GRAY", or nil where adaptToD50 fails.
func (c colorimetry) profile(colours string) []byte {
	rgb, adaptation, ok := c.primaries.adaptToD50()
	if !ok {
		return nil
	}
	tags := []profileTag{{"desc", textTag(c.name)}, {"cprt", textTag("No copyright, use freely")},
		{"wtpt", fixedNumbers("XYZ ", whiteD50[:]...)},
		{"chad", fixedNumbers("sf32", append(append(adaptation[0][:], adaptation[1][:]...), adaptation[2][:]...)...)}}
	if colours == "GRAY" {
		tags = append(tags, profileTag{"kTRC", c.curve})
	} else {
		for i, column := range rgb.transpose() {
			tags = append(tags, profileTag{"rgb"[i:i+1] + "XYZ", fixedNumbers("XYZ ", column[:]...)})
		}
		for _, letter := range "rgb" {
			tags = append(tags, profileTag{string(letter) + "TRC", c.curve})
		}
		if c.cicp != nil { // grey profiles must not have this tag: ICC.1:2022, 9.2.17
			tags = append(tags, profileTag{"cicp", append([]byte("cicp\x00\x00\x00\x00"), c.cicp...)})
		}
	}
	return layOut(colours, tags)
}

type profileTag struct {
	signature string
	data      []byte
}

// layOut returns a profile for "RGB " or "GRAY": header, table of tags, and their data. Equal data are stored once.
func layOut(colours string, tags []profileTag) []byte {
	be := binary.BigEndian
	b := make([]byte, profileHead+12*len(tags))
	be.PutUint32(b[8:], 0x04400000)           // version 4.4
	copy(b[12:], "mntr"+colours+"XYZ ")       // a display, its colour space, the profile connection space
	for i, v := range [3]uint16{2026, 1, 1} { // a fixed date, so that equal pictures give equal bytes
		be.PutUint16(b[24+2*i:], v)
	}
	copy(b[36:], "acsp")                           // the signature of all profiles
	copy(b[68:], fixedNumbers("", whiteD50[:]...)) // the illuminant
	be.PutUint32(b[128:], uint32(len(tags)))
	known := map[string]uint32{}
	for i, tag := range tags {
		at, is := known[string(tag.data)]
		if !is {
			b = append(b, make([]byte, -len(b)&3)...) // up to a multiple of 4
			at = uint32(len(b))
			known[string(tag.data)] = at
			b = append(b, tag.data...)
		}
		entry := b[profileHead+12*i:]
		copy(entry, tag.signature)
		be.PutUint32(entry[4:], at)
		be.PutUint32(entry[8:], uint32(len(tag.data)))
	}
	b = append(b, make([]byte, -len(b)&3)...)
	be.PutUint32(b, uint32(len(b)))
	return b
}

// fixedNumbers returns values as 16.16 fixed-point numbers, after kind, a tag type, and four zeros if kind is not "".
func fixedNumbers(kind string, values ...float64) (b []byte) {
	if kind != "" {
		b = append([]byte(kind), 0, 0, 0, 0)
	}
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(math.Round(v*65536))))
	}
	return b
}

// textTag returns an English text, of at most 127 letters, as the data of a tag (ICC.1:2022, 10.15): a list of one
// record of 12 bytes, with the language and the length and offset of the text.
func textTag(text string) []byte {
	units := utf16.Encode([]rune(text))
	b := append([]byte("mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0cenUS"), 0, 0, 0, byte(2*len(units)),
		0, 0, 0, 28)
	for _, u := range units {
		b = binary.BigEndian.AppendUint16(b, u)
	}
	return b
}

// parametric returns a tag (ICC.1:2022, 10.18) for Y = X^g or, if abcd is given, Y = (a·X + b)^g if X ≥ d, else c·X.
func parametric(g float64, abcd ...float64) []byte {
	function := byte(0) // 0 and 3: numbers of the functions in the table there
	if len(abcd) > 0 {
		function = 3
	}
	return append([]byte{'p', 'a', 'r', 'a', 0, 0, 0, 0, 0, function, 0, 0},
		fixedNumbers("", append([]float64{g}, abcd...)...)...)
}

// curveTag returns the data of a tag for f from 0..1 to 0..1: 1025 values, between which readers interpolate.
func curveTag(f func(float64) float64) []byte {
	const n = 1025
	b := binary.BigEndian.AppendUint32([]byte("curv\x00\x00\x00\x00"), n)
	for i := range n {
		y := f(float64(i) / (n - 1))
		b = binary.BigEndian.AppendUint16(b, uint16(math.Round(min(max(y, 0), 1)*65535)))
	}
	return b
}

func gammaName(g float64) string { return fmt.Sprintf("gamma %.4g", g) }
