package metadata

import (
	"encoding/binary"
	"math"
	"slices"

	"superres/internal/elementary"
)

// colourChunks are the PNG chunks that say how samples encode colour, with their lengths in bytes; 0: one byte for each
// of the 1 to 4 samples of a pixel. mDCv and cLLi are the spellings in drafts of the third edition.
var colourChunks = map[string]int64{"cICP": 4, "gAMA": 4, "cHRM": 32, "sRGB": 1, "mDCV": 24, "mDCv": 24, "cLLI": 8,
	"cLLi": 8, "sBIT": 0}

func isColour(kind string) bool {
	_, is := colourChunks[kind]
	return is
}

// colourChunk stores body, the data of a chunk that isColour accepts, in r.m.Own if it is the first of its kind and has
// the right length. header is the data of IHDR.
func (r *reader) colourChunk(kind string, body Body, header []byte) {
	const depthAt, typeAt, palette = 8, 9, 3
	p := Part{Kind: kind}
	length := colourChunks[kind]
	if kind == "sBIT" && body.Len <= 4 && len(header) == headerBody {
		if p.Depth, length = header[depthAt], body.Len; header[typeAt] == palette {
			p.Depth = 8 // the samples of the palette's colours
		}
	}
	if body.Len == length && length > 0 && r.isFirst(kind) {
		r.keepPart(p, body)
	}
}

// part returns the data of the first part of this kind in m.Own, or nil.
func (m Metadata) part(kind string) []byte {
	for _, p := range m.Own {
		if p.Kind == kind {
			return p.Data
		}
	}
	return nil
}

// describedColours returns the colours that the PNG chunks in m describe, and the kinds of the chunks used. The first
// chunk present decides, in the order cICP, iCCP, sRGB, gAMA with cHRM (Portable Network Graphics, third edition, W3C
// 2025, 4.3). c has no curve if the ICC profile m.ICC decides, if the colours are sRGB, the default without a profile,
// or if no chunk is left. unknown lists chunks that would decide, but are passed over: no ICC profile can express them.
func (m Metadata) describedColours() (c colorimetry, kinds, unknown []string) {
	if b := m.part("cICP"); b != nil {
		if c, ok := codePoints(b); ok {
			return c, []string{"cICP"}, nil
		}
		unknown = []string{"cICP"}
	}
	if m.ICC != nil || m.part("sRGB") != nil {
		return colorimetry{}, nil, unknown
	}
	c = colorimetry{name: "sRGB curve", primaries: sRGB, curve: sRGBCurve}
	asSRGB := true
	if b := m.part("gAMA"); b != nil {
		kinds = append(kinds, "gAMA")
		v := binary.BigEndian.Uint32(b)
		c.name, c.curve = gamma(v)
		asSRGB = sRGBGammas[0] <= v && v <= sRGBGammas[1]
	}
	if b := m.part("cHRM"); b != nil {
		kinds = append(kinds, "cHRM")
		if p := chromaticities(b); !p.isNear(sRGB) {
			c.name, c.primaries, asSRGB = c.name+", primaries of its own", p, false
		}
	}
	if asSRGB {
		return colorimetry{}, nil, unknown
	}
	if _, _, ok := c.primaries.adaptToD50(); c.curve == nil || !ok {
		return colorimetry{}, nil, append(unknown, kinds...)
	}
	return c, kinds, unknown
}

// sRGBGammas are the smallest and largest value of a chunk gAMA that means the sRGB curve if the primaries are sRGB.
//
// Note: an sRGB PNG has 45455 in gAMA for old readers, often without a chunk sRGB. The number also stands for 2.2.
var sRGBGammas = [2]uint32{45000, 46000}

// gamma returns the name and the curve of v, the value of a chunk gAMA: 100000 times the exponent from light to
// samples. The curve is nil where v is out of range.
func gamma(v uint32) (string, []byte) {
	const one, least, most = 100000, 6250, 1600000 // exponents of 1, 1/16 and 16
	if v < least || v > most {
		return "", nil
	}
	g := float64(one) / float64(v)
	return gammaName(g), parametric(g)
}

// chromaticities returns the primaries in b, the data of a chunk cHRM: 100000 times x and y of white, red, green, blue.
func chromaticities(b []byte) (p primaries) {
	for i := range p {
		for j := range p[i] {
			p[i][j] = float64(binary.BigEndian.Uint32(b[8*i+4*j:])) / 100000
		}
	}
	return p
}

// isNear reports whether p and q differ by no more than the rounding in files.
func (p primaries) isNear(q primaries) bool {
	const most = 0.001
	for i := range p {
		for j := range p[i] {
			if math.Abs(p[i][j]-q[i][j]) > most {
				return false
			}
		}
	}
	return true
}

// codedPrimaries are the primaries in ITU-T H.273, table 2, by their numbers, with names.
var codedPrimaries = map[byte]struct {
	name string
	primaries
}{
	1:  {"BT.709", sRGB},
	4:  {"BT.470 M", primaries{{0.310, 0.316}, {0.67, 0.33}, {0.21, 0.71}, {0.14, 0.08}}},
	5:  {"BT.470 BG", primaries{whiteD65, {0.64, 0.33}, {0.29, 0.60}, {0.15, 0.06}}},
	6:  {"BT.601", primaries{whiteD65, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}}},
	7:  {"SMPTE 240M", primaries{whiteD65, {0.630, 0.340}, {0.310, 0.595}, {0.155, 0.070}}},
	8:  {"film", primaries{{0.310, 0.316}, {0.681, 0.319}, {0.243, 0.692}, {0.145, 0.049}}},
	9:  {"BT.2020", primaries{whiteD65, {0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}}},
	10: {"XYZ", primaries{{1.0 / 3, 1.0 / 3}, {1, 0}, {0, 1}, {0, 0}}},
	11: {"DCI-P3", primaries{{0.314, 0.351}, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}},
	12: {"Display P3", primaries{whiteD65, {0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}}},
	22: {"EBU 3213", primaries{whiteD65, {0.630, 0.340}, {0.295, 0.605}, {0.155, 0.077}}},
}

// bt709 is the curve of ITU-R BT.709, BT.601 and BT.2020.
var bt709 = parametric(1/0.45, 1/1.099, 0.099/1.099, 1/4.5, 0.081)

// codedCurve returns the name and the curve of transfer function number in ITU-T H.273, table 3. curve is nil if an
// ICC profile cannot express it.
func codedCurve(number byte) (name string, curve []byte) {
	switch number {
	case 1, 6, 14, 15:
		return "BT.709 curve", bt709
	case 4:
		return gammaName(2.2), parametric(2.2)
	case 5:
		return gammaName(2.8), parametric(2.8)
	case 7:
		return "SMPTE 240M curve", parametric(1/0.45, 1/1.1115, 0.1115/1.1115, 1/4.0, 0.0913)
	case 8:
		return "linear", parametric(1)
	case 13:
		return "sRGB curve", sRGBCurve
	case 16:
		return "PQ", curveTag(func(v float64) float64 { return toneMapped(pq(v), 10000) }) // 10000 cd/m² at v = 1
	case 18:
		return "HLG", curveTag(func(v float64) float64 { return toneMapped(hlg(v), 1000) })
	}
	return "", nil
}

// codePoints returns the colours that b, 4 bytes of a chunk cICP, states with the ITU-T H.273 numbers of primaries,
// curve, matrix and range. For sRGB it returns no curve. ok is false where no ICC profile can express b.
func codePoints(b []byte) (c colorimetry, ok bool) {
	p, known := codedPrimaries[b[0]]
	curve, data := codedCurve(b[1])
	const matrixRGB, fullRange = 0, 1
	if !known || data == nil || b[2] != matrixRGB || b[3] != fullRange {
		return c, false
	}
	if p.primaries == sRGB && &data[0] == &sRGBCurve[0] { // the same memory, so the curve of sRGB
		return c, true
	}
	return colorimetry{p.name + ", " + curve, p.primaries, data, b}, true
}

// pq returns the light in cd/m² for the PQ code value v in 0..1, ITU-R BT.2100-2, table 4.
func pq(v float64) float64 {
	const m1, m2, c1, c2, c3 = 2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128
	e := elementary.Pow(v, 1/m2)
	return 10000 * elementary.Pow(max(e-c1, 0)/(c2-float64(c3*e)), 1/m1)
}

// hlg returns the light in cd/m² of a grey with the HLG code value v on a 1000 cd/m² display, ITU-R BT.2100-2, table 5.
func hlg(v float64) float64 {
	const a, b, c, system = 0.17883277, 0.28466892, 0.55991073, 1.2
	scene := v * v / 3
	if v > 0.5 {
		scene = (elementary.Exp((v-c)/a) + b) / 12
	}
	return 1000 * elementary.Pow(scene, system)
}

// toneMapped compresses light, in cd/m² and at most peak, to 0..1, for the curve of an ICC profile.
//
// Note: programs that know the tag cicp do not need the curve. Others would show white of 203 cd/m², the reference of
// ITU-R BT.2408, as nearly black if the brightest light were mapped to 1 in proportion. So the curve is equation 4 of
// Reinhard et al., Photographic Tone Reproduction for Digital Images, 2002, which maps 203 cd/m² to 0.5..0.52.
func toneMapped(light, peak float64) float64 {
	const reference = 203
	t, w := light/reference, peak/reference
	return t * (1 + t/(w*w)) / (1 + t)
}

// significantBits adapts bits, the data of a chunk sBIT of a file with depth bits a sample, to a PNG with header as
// the data of IHDR: it returns one number for each sample of a pixel, and depth for alpha if bits lacks alpha. For
// wrong bits, other depths, palettes, or if only one picture is grey, it returns nil: enlarging fills all bits.
func significantBits(bits []byte, depth byte, header []byte) []byte {
	const depthAt, typeAt = 8, 9
	samples := map[byte]int{0: 1, 2: 3, 4: 2, 6: 4}[header[typeAt]] // of a pixel, by colour type; 0: a palette
	hasAlpha := func(n int) bool { return n%2 == 0 }
	if header[depthAt] != depth || samples == 0 || (samples > 2) != (len(bits) > 2) ||
		slices.Min(bits) == 0 || slices.Max(bits) > depth {
		return nil
	}
	switch {
	case hasAlpha(samples) && !hasAlpha(len(bits)):
		bits = append(bits[:len(bits):len(bits)], depth)
	case hasAlpha(len(bits)) && !hasAlpha(samples):
		bits = bits[:len(bits)-1]
	}
	return bits
}
