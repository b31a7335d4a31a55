package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// chunkOf returns a chunk gAMA or cHRM of these numbers.
func chunkOf(kind string, values ...uint32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return imagetest.PNGChunk(kind, b)
}

func cICP(values ...byte) []byte { return imagetest.PNGChunk("cICP", values) }

// Chromaticities in the order of cHRM: white, red, green, blue.
var (
	ofSRGB  = []uint32{31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000}
	ofAdobe = []uint32{31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000}
	ofP3    = []uint32{31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000}
	of2020  = []uint32{31270, 32900, 70800, 29200, 17000, 79700, 13100, 4600}
	ofDCI   = []uint32{31400, 35100, 68000, 32000, 26500, 69000, 15000, 6000}
)

// parsed has the tags of a profile.
type parsed map[string][]byte

func parseProfile(t *testing.T, b []byte) parsed {
	t.Helper()
	be := binary.BigEndian
	if len(b) < 132 || int(be.Uint32(b)) != len(b) || string(b[36:40]) != "acsp" || len(b)%4 != 0 {
		t.Fatalf("no profile: %.140q", b)
	}
	p := parsed{}
	for i := range be.Uint32(b[128:]) {
		e := b[132+12*i:]
		p[string(e[:4])] = b[be.Uint32(e[4:]):][:be.Uint32(e[8:])]
	}
	return p
}

// numbers returns the values in steps of 1/65536 from byte at of a tag on.
func (p parsed) numbers(tag string, at int) (list []float64) {
	for b := p[tag][at:]; len(b) >= 4; b = b[4:] {
		list = append(list, float64(int32(binary.BigEndian.Uint32(b)))/65536)
	}
	return list
}

// light returns the value of a curve at v.
func (p parsed) light(tag string, v float64) float64 {
	if b := p[tag]; string(b[:4]) == "curv" {
		n := binary.BigEndian.Uint32(b[8:])
		at := v * float64(n-1)
		i := min(int(at), int(n)-2)
		lo, hi := float64(binary.BigEndian.Uint16(b[12+2*i:])), float64(binary.BigEndian.Uint16(b[14+2*i:]))
		return (lo + (hi-lo)*(at-float64(i))) / 65535
	}
	c := p.numbers(tag, 12)
	switch {
	case len(c) == 1:
		return math.Pow(v, c[0])
	case v >= c[4]:
		return math.Pow(c[1]*v+c[2], c[0])
	}
	return c[3] * v
}

// near reports whether two lists differ by at most most.
func near(a, b []float64, most float64) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(v float64) bool { return math.IsNaN(v) }) &&
		slices.EqualFunc(a, b, func(a, b float64) bool { return math.Abs(a-b) <= most })
}

// unadapted returns the chromaticities of XYZ before the adaptation chad, by Cramer's rule.
func unadapted(chad, xyz []float64) []float64 {
	det := func(m []float64) float64 {
		return m[0]*(m[4]*m[8]-m[5]*m[7]) - m[1]*(m[3]*m[8]-m[5]*m[6]) + m[2]*(m[3]*m[7]-m[4]*m[6])
	}
	var v [3]float64
	for i := range v {
		m := slices.Clone(chad)
		for row := range 3 {
			m[3*row+i] = xyz[row]
		}
		v[i] = det(m) / det(chad)
	}
	sum := v[0] + v[1] + v[2]
	return []float64{v[0] / sum, v[1] / sum}
}

// What the chunks of a PNG say about its colours, a profile says to the other formats: the columns add up to D50, the
// chromaticities come back behind the adaptation, and the curve is the transfer function.
func TestColourProfiles(t *testing.T) {
	type light map[float64]float64 // by code value
	sRGBLight := light{0.02: 0.02 / 12.92, 0.5: 0.21404, 1: 1}
	adobe := chunkOf("cHRM", ofAdobe...)
	profile := imagetest.PNGChunk("iCCP", append([]byte("x\x00\x00"), packed(imagetest.Profile("RGB ", 200))...))
	for name, c := range map[string]struct {
		primaries []uint32
		light     light
		coded     []byte
		more      []byte // other chunks than cICP
	}{
		"Display P3": {ofP3, sRGBLight, []byte{12, 13, 0, 1}, nil},
		// BT.2408: the code 0.5807 of PQ and 0.75 of HLG are 203 cd/m², which the curve has at a half.
		"PQ":           {of2020, light{0: 0, 0.5807: 0.5, 1: 1}, []byte{9, 16, 0, 1}, nil},
		"HLG":          {of2020, light{0: 0, 0.75: 0.5208, 1: 1}, []byte{9, 18, 0, 1}, nil},
		"BT.709":       {ofSRGB, light{0.5: 0.25973, 0.045: 0.01}, []byte{1, 1, 0, 1}, nil},
		"DCI":          {ofDCI, light{0.25: 0.25}, []byte{11, 8, 0, 1}, nil},
		"gamma":        {ofSRGB, light{0.5: 0.28717}, nil, chunkOf("gAMA", 55556)},
		"linear":       {ofAdobe, light{0.5: 0.5}, nil, append(chunkOf("gAMA", 100000), adobe...)},
		"cHRM":         {ofAdobe, sRGBLight, nil, adobe},
		"cHRM, 2.2":    {ofAdobe, light{0.5: 0.21764}, nil, append(chunkOf("gAMA", 45455), adobe...)},
		"before gamma": {ofP3, sRGBLight, []byte{12, 13, 0, 1}, append(chunkOf("gAMA", 55556), adobe...)},
		"before iCCP":  {ofP3, sRGBLight, []byte{12, 13, 0, 1}, profile},
	} {
		chunks := [][]byte{c.more}
		if c.coded != nil {
			chunks = append(chunks, cICP(c.coded...))
		}
		in := decoded(t, pngWith(t, colours(), blocks{}, chunks...))
		for _, out := range []string{"jpeg", "tiff", "webp"} {
			if _, warnings := in.Metadata.For(out, false); warnings != nil {
				t.Errorf("%s to %s: %q", name, out, warnings)
			}
			file := encoded(t, in.Image, out, imagefile.EncodeOptions{Metadata: in.Metadata})
			p := parseProfile(t, decoded(t, file).Metadata.ICC)
			r, g, b := p.numbers("rXYZ", 8), p.numbers("gXYZ", 8), p.numbers("bXYZ", 8)
			var sum []float64
			for i := range r {
				sum = append(sum, r[i]+g[i]+b[i])
			}
			d50 := []float64{0.9642, 1, 0.8249}
			if !near(sum, d50, 3.0/65536) || !near(p.numbers("wtpt", 8), d50, 1.0/65536) {
				t.Errorf("%s: white is %v", name, sum)
			}
			chad := p.numbers("chad", 8)
			for i, v := range [][]float64{d50, r, g, b} {
				want := []float64{float64(c.primaries[2*i]) / 1e5, float64(c.primaries[2*i+1]) / 1e5}
				if got := unadapted(chad, v); !near(got, want, 0.0002) {
					t.Errorf("%s: colour %d is %v, want %v", name, i, got, want)
				}
			}
			last := -1.0
			for i := range 1001 {
				v := p.light("gTRC", float64(i)/1000)
				if v < last {
					t.Errorf("%s: the curve falls at %d", name, i)
				}
				last = v
			}
			for code, want := range c.light {
				if got := p.light("rTRC", code); math.Abs(got-want) > 0.0005 {
					t.Errorf("%s: light of %g is %g, want %g", name, code, got, want)
				}
			}
			got := p["cicp"]
			if (got == nil) != (c.coded == nil) || got != nil && string(got) != "cicp\x00\x00\x00\x00"+string(c.coded) {
				t.Errorf("%s: cicp %q", name, got)
			}
		}
	}
}

// The columns agree with published profiles: sRGB v4 of the ICC, Display P3 of Apple.
func TestPublishedColumns(t *testing.T) {
	for _, c := range []struct {
		chunk   []byte
		columns []float64
	}{
		{chunkOf("gAMA", 100000), []float64{0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061,
			0.71410}},
		{cICP(12, 13, 0, 1), []float64{0.51512, 0.24120, -0.00105, 0.29198, 0.69225, 0.04189, 0.15710, 0.06657,
			0.78407}},
	} {
		m, _ := decoded(t, pngWith(t, colours(), blocks{}, c.chunk)).Metadata.For("jpeg", false)
		p := parseProfile(t, m.ICC)
		got := slices.Concat(p.numbers("rXYZ", 8), p.numbers("gXYZ", 8), p.numbers("bXYZ", 8))
		chad := []float64{1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01706, -0.00925, 0.01508, 0.75168}
		if !near(got, c.columns, 0.0002) || !near(p.numbers("chad", 8), chad, 0.0002) {
			t.Errorf("%.5f\n%.5f", got, p.numbers("chad", 8))
		}
	}
}

// What needs no profile has none, and what a profile cannot say is named.
func TestColoursWithoutProfile(t *testing.T) {
	sRGB := imagetest.PNGChunk("sRGB", []byte{0})
	mastering, levels := imagetest.PNGChunk("mDCv", make([]byte, 24)), imagetest.PNGChunk("cLLI", make([]byte, 8))
	for _, c := range []struct {
		out    string
		chunks [][]byte
		want   string
	}{
		{"jpeg", [][]byte{sRGB}, ""},
		{"bmp", [][]byte{sRGB, chunkOf("gAMA", 45455), chunkOf("cHRM", ofSRGB...)}, ""},
		{"jpeg", [][]byte{chunkOf("gAMA", 45455)}, ""},
		{"jpeg", [][]byte{chunkOf("gAMA", 55556), sRGB}, ""},
		{"jpeg", [][]byte{cICP(1, 13, 0, 1), chunkOf("gAMA", 55556)}, ""},
		{"jpeg", [][]byte{cICP(9, 16, 9, 1)}, "its cICP colour description is left out: only PNG has such"},
		{"tiff", [][]byte{cICP(9, 16, 0, 0), sRGB}, "its cICP colour description is left out: only PNG has such"},
		{"jpeg", [][]byte{chunkOf("gAMA", 0)}, "its gAMA colour description is left out: only PNG has such"},
		{"jpeg", [][]byte{chunkOf("gAMA", 50000), chunkOf("cHRM", make([]uint32, 8)...)},
			"its gAMA and cHRM colour description is left out: only PNG has such"},
		{"jpeg", [][]byte{sRGB, mastering, levels, imagetest.PNGChunk("sBIT", []byte{5, 6, 5}),
			imagetest.PNGChunk("tEXt", []byte("Gr\xf6\xdfe\x00x"))}, "its mDCV mastering display, cLLI light levels, " +
			"sBIT significant bits and text chunk \"Größe\" are left out: only PNG has such"},
		{"bmp", [][]byte{cICP(9, 16, 0, 1)}, "its cICP colour description is left out: the output format has none"},
		{"gif", [][]byte{chunkOf("gAMA", 50000), chunkOf("cHRM", ofP3...)},
			"its gAMA and cHRM colour description is left out: the output format has none"},
	} {
		m, warnings := decoded(t, pngWith(t, colours(), blocks{}, c.chunks...)).Metadata.For(c.out, false)
		if got := strings.Join(warnings, "; "); got != c.want || m.ICC != nil || m.Own != nil {
			t.Errorf("got %q, want %q, and a profile of %d bytes", got, c.want, len(m.ICC))
		}
	}
	var many [][]byte
	for i := range 30 {
		many = append(many, imagetest.PNGChunk("tEXt", fmt.Appendf(nil, "Key %d\x00x", i/2)))
	}
	_, warnings := decoded(t, pngWith(t, colours(), blocks{}, many...)).Metadata.For("webp", false)
	if want := `"Key 6" and "Key 7" and 7 more are left out`; len(warnings) != 1 || !strings.Contains(warnings[0], want) {
		t.Errorf("%q", warnings)
	}
}

// A grey picture gets a profile for grey, in WebP one for colour.
func TestGreyColours(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 9, 7))
	in := decoded(t, pngWith(t, grey, blocks{}, cICP(9, 16, 0, 1)))
	for out, want := range map[string]string{"jpeg": "GRAY", "tiff": "GRAY", "webp": "RGB "} {
		got := decoded(t, encoded(t, in.Image, out, imagefile.EncodeOptions{Metadata: in.Metadata})).Metadata.ICC
		p := parseProfile(t, got)
		if colours := metadata.ProfileColours(got); colours != want || want == "GRAY" && (p["cicp"] != nil ||
			math.Abs(p.light("kTRC", 0.5807)-0.5) > 0.0005) {
			t.Errorf("%s: %q with %d tags", out, colours, len(p))
		}
	}
}

// What a PNG says about its colours goes to a PNG byte for byte, before the pixels. But how many bits of a sample
// mean something is kept only where a sample has as many as before.
func TestColourChunks(t *testing.T) {
	chunks := [][]byte{cICP(9, 16, 0, 1), imagetest.PNGChunk("sRGB", []byte{0}), chunkOf("gAMA", 45455),
		chunkOf("cHRM", ofSRGB...), imagetest.PNGChunk("mDCV", bytes.Repeat([]byte{1, 2}, 12)),
		imagetest.PNGChunk("cLLi", []byte("12345678")), imagetest.PNGChunk("sBIT", []byte{5, 6, 5})}
	p := decoded(t, pngWith(t, colours(), blocks{}, chunks...))
	file := encoded(t, p.Image, "png", imagefile.EncodeOptions{Metadata: p.Metadata})
	if want := bytes.Join(chunks, nil); !bytes.HasPrefix(file[33:], want) {
		t.Errorf("the PNG starts %q", file[:33+len(want)])
	}
	square := image.Rect(0, 0, 4, 4)
	clear := image.NewNRGBA(square)
	for _, c := range []struct {
		in, out image.Image
		bits    []byte
		want    []byte
	}{
		{image.NewGray(square), image.NewGray(square), []byte{5}, []byte{5}},
		{image.NewGray(square), image.NewGray(square), []byte{9}, nil},
		{image.NewGray(square), image.NewGray(square), []byte{0}, nil},
		{image.NewGray(square), image.NewGray16(square), []byte{5}, nil},
		{image.NewGray(square), clear, []byte{5}, nil},
		{colours(), clear, []byte{5, 6, 5}, []byte{5, 6, 5, 8}},
		{clear, clear, []byte{5, 6, 5, 1}, []byte{5, 6, 5, 1}},
		{clear, colours(), []byte{5, 6, 5, 1}, []byte{5, 6, 5}},
		{image.NewPaletted(square, color.Palette{color.Black, color.RGBA{255, 0, 0, 255}}), colours(), []byte{5, 6, 5},
			[]byte{5, 6, 5}},
	} {
		m := decoded(t, pngWith(t, c.in, blocks{}, imagetest.PNGChunk("sBIT", c.bits))).Metadata
		file := encoded(t, c.out, "png", imagefile.EncodeOptions{Metadata: m})
		if c.want == nil && bytes.Contains(file, []byte("sBIT")) ||
			c.want != nil && !bytes.Contains(file, imagetest.PNGChunk("sBIT", c.want)) {
			t.Errorf("%T to %T, %v: want %v", c.in, c.out, c.bits, c.want)
		}
	}
}

// Whatever numbers the chunks have, there is a profile with white at D50, or a line that says that there is none.
func TestAnyColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	profiles := 0
	for range 3000 {
		values := make([]uint32, 8)
		for i := range values {
			values[i] = uint32(rng.IntN(110000))
			if rng.IntN(20) == 0 {
				values[i] = rng.Uint32()
			}
		}
		m := metadata.Metadata{Format: "png", Own: []metadata.Part{
			{Kind: "cHRM", Data: chunkOf("cHRM", values...)[8:40]},
			{Kind: "gAMA", Data: chunkOf("gAMA", uint32(rng.IntN(200000)))[8:12]}}}
		if rng.IntN(4) == 0 {
			codes := []byte{byte(rng.IntN(24)), byte(rng.IntN(20)), 0, 1}
			m.Own = append(m.Own, metadata.Part{Kind: "cICP", Data: codes})
		}
		got, warnings := m.For("tiff", false)
		if got.ICC == nil {
			if len(warnings) == 0 && m.Own[len(m.Own)-1].Kind != "cICP" { // which may say sRGB
				t.Fatalf("%v: neither a profile nor a line", values)
			}
			continue
		}
		profiles++
		p := parseProfile(t, got.ICC)
		r, g, b := p.numbers("rXYZ", 8), p.numbers("gXYZ", 8), p.numbers("bXYZ", 8)
		if sum := []float64{r[0] + g[0] + b[0], r[1] + g[1] + b[1], r[2] + g[2] + b[2]}; !near(sum,
			[]float64{0.9642, 1, 0.8249}, 3.0/65536) {
			t.Fatalf("%v: white is %v", values, sum)
		}
	}
	if profiles < 1000 {
		t.Errorf("%d profiles", profiles)
	}
}
