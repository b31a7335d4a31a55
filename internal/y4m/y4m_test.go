package y4m

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/mutate"
	"superres/internal/safefile"
)

// names are all layouts at all depths.
func names() (list []string) {
	for _, l := range layouts {
		list = append(list, l.Name)
	}
	for _, base := range []string{"420p", "422p", "444p", "mono"} {
		for _, depth := range []int{9, 10, 12, 14, 16} {
			list = append(list, fmt.Sprint(base, depth))
		}
	}
	return list
}

// A stream that was read comes out again, the parameters in their order, and so do all codes that go through pictures
// and planes.
func TestRoundTrip(t *testing.T) {
	for _, name := range names() {
		head := Magic + "W13 H7 F30000:1001 Ip A128:117 C" + name + " XYSCSS=ANY XCOLORRANGE=LIMITED\n"
		in, err := NewReader(strings.NewReader(head), imagefile.Limits{})
		if err != nil {
			t.Fatal(name, err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		data := []byte(head)
		for n := range 3 {
			data = append(data, []string{"FRAME\n", "FRAME Ip\n", "FRAME XA=1\n"}[n]...)
			for range in.FrameBytes() / in.sampleBytes() {
				if code := random.IntN(in.most() + 1); in.Depth == 8 {
					data = append(data, uint8(code))
				} else {
					data = binary.LittleEndian.AppendUint16(data, uint16(code))
				}
			}
		}
		if in, err = NewReader(bytes.NewReader(data), imagefile.Limits{}); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		w := must.Get(NewWriter(&out, in.Header))(t)
		for {
			f, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
			again := in.NewFrame(f.Params)
			in.PutBrightness(again, in.Brightness(f))
			for i := 1; i < in.Planes(); i++ {
				in.PutColour(again, i, in.Colour(f, i))
			}
			must.Succeed(t, w.Put(again))
		}
		if !bytes.Equal(out.Bytes(), data) {
			t.Errorf("%s: %d bytes come back otherwise, of %d", name, out.Len(), len(data))
		}
		if got := in.Sized(26, 14).String(); got+"\n" != strings.NewReplacer("W13", "W26", "H7", "H14").Replace(head) {
			t.Errorf("%s: sized: %s", name, got)
		}
	}
}

func TestLayouts(t *testing.T) {
	for head, want := range map[string]struct {
		name      string
		bytes     int64
		left, top bool
	}{
		"W5 H3":                         {"420jpeg", 15 + 2*6, false, false},
		"W5 H3 C420":                    {"420", 15 + 2*6, false, false},
		"W5 H3 C420mpeg2":               {"420mpeg2", 15 + 2*6, true, false},
		"W5 H3 XYSCSS=420PALDV":         {"420paldv", 15 + 2*6, true, true},
		"W5 H3 C420p10":                 {"420p10", 2 * (15 + 2*6), true, false},
		"W5 H3 C422 XYSCSS=444":         {"422", 15 + 2*9, true, false},
		"W5 H3 C411":                    {"411", 15 + 2*6, true, false},
		"W5 H3 C444p12":                 {"444p12", 2 * 45, false, false},
		"W5 H3 Cmono":                   {"mono", 15, false, false},
		"W5 H3 Cmono10":                 {"mono10", 30, false, false},
		"  W5  H3 F0:0 I? A0:0 Xa Xa  ": {"420jpeg", 15 + 2*6, false, false},
	} {
		in, err := NewReader(strings.NewReader(Magic+head+"\n"), imagefile.Limits{})
		if err != nil {
			t.Errorf("%s: %v", head, err)
		} else if l := in.Layout; l.Name != want.name || in.FrameBytes() != want.bytes || l.Left != want.left ||
			l.Top != want.top {
			t.Errorf("%s: %+v, %d bytes", head, l, in.FrameBytes())
		}
	}
}

// Each is refused with a class and a word for the fault.
func TestRefusals(t *testing.T) {
	frame := "FRAME\n" + strings.Repeat("x", 6)
	for data, want := range map[string]string{
		"":                            "its header is cut short",
		"YUV4MPEG2 W2 H2":             "its header is cut short",
		"YUV4MPEG W2 H2\n":            "does not begin with",
		Magic + "\n":                  "no width",
		Magic + "W2\n":                "no height",
		Magic + "W0 H2\n":             `side of "0"`,
		Magic + "W65536 H2\n":         `side of "65536"`,
		Magic + "W-2 H2\n":            `side of "-2"`,
		Magic + "W2 W2 H2\n":          "twice",
		Magic + "W2 H2 It\n":          "deinterlace it first",
		Magic + "W2 H2 Im\n":          "deinterlace it first",
		Magic + "W2 H2 Iz\n":          "interlacing",
		Magic + "W2 H2 C440\n":        `colour as "440"`,
		Magic + "W2 H2 C420p11\n":     `colour as "420p11"`,
		Magic + "W2 H2 X\x1b[2J\n":    "line of text",
		Magic + "W2 H2\nFRAM":         "frame 1 is cut short",
		Magic + "W2 H2\nFRAMES\n":     `frame 1 is damaged: it begins with "FRAMES"`,
		Magic + "W2 H2\nFRAME\nxxx":   "frame 1 is cut short: it has 3 of 6 bytes",
		Magic + "W2 H2\n" + frame[1:]: "frame 1 is damaged",
		Magic + "W2 H2\n" + frame + frame + frame[:9]:                  "frame 3 is cut short: it has 3 of 6 bytes",
		Magic + "W2 H2 X" + strings.Repeat("a", longest) + "\n":        "line of text",
		Magic + "W2 H2\nFRAME X" + strings.Repeat("a", longest) + "\n": "line of text",
	} {
		in, err := NewReader(strings.NewReader(data), imagefile.Limits{})
		for err == nil {
			_, err = in.Next()
		}
		if !errors.Is(err, safefile.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, expected %s", data, err, want)
		}
	}
}

// Frames beyond the limits of a picture are refused by the header, whatever the product of their
// sides, and no memory is taken for them.
func TestLimits(t *testing.T) {
	for head, want := range map[string]error{
		"W65535 H65535 C444p16":                   safefile.ErrLimit,
		"W65535 H764":                             safefile.ErrLimit,
		"W4 H3 Cmono":                             safefile.ErrLimit,
		"W4294967296 H4294967296":                 safefile.ErrInput,
		"W9223372036854775807 H2":                 safefile.ErrInput,
		"W99999999999999999999999999999999999 H2": safefile.ErrInput,
	} {
		lim := imagefile.Limits{}
		if head == "W4 H3 Cmono" {
			lim.Pixels = 11
		}
		var err error
		mutate.Guard(t, head, 1<<18, func() { _, err = NewReader(strings.NewReader(Magic+head+"\nFRAME\n"), lim) })
		if !errors.Is(err, want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, expected %v", head, err, want)
		}
	}
}

// A code that a depth has not got is its greatest.
func TestCodesBeyondTheDepth(t *testing.T) {
	in := must.Get(NewReader(strings.NewReader(Magic+"W1 H1 C444p10\nFRAME\n\xff\xff\x00\x04\xff\x03"),
		imagefile.Limits{}))(t)
	f := must.Get(in.Next())(t)
	in.PutBrightness(f, in.Brightness(f))
	for i := 1; i < 3; i++ {
		in.PutColour(f, i, in.Colour(f, i))
	}
	if want := "\xff\x03\xff\x03\xff\x03"; string(f.Data) != want {
		t.Errorf("%x, expected %x", f.Data, want)
	}
}

// The samples of colour lie where FFmpeg's names for the types of H.273 say, as far as the layout shares them.
func TestSited(t *testing.T) {
	for _, c := range []struct {
		name, location string
		x, y           float64
	}{
		{"420jpeg", "left", 0.5, 1}, {"420p10", "topleft", 0.5, 0.5}, {"420paldv", "center", 1, 1},
		{"420mpeg2", "top", 1, 0.5}, {"420mpeg2", "bottom", 1, 1.5}, {"420paldv", "bottomleft", 0.5, 1.5},
		{"420jpeg", "", 1, 1}, {"420mpeg2", "right", 0.5, 1}, {"411", "center", 2, 0.5},
		{"422", "center", 1, 0.5}, {"422p10", "topleft", 0.5, 0.5}, {"444", "bottomleft", 0.5, 0.5},
	} {
		l, _, err := layoutOf(c.name)
		l = l.Sited(c.location)
		if x, y := l.Offset(); err != nil || x != c.x || y != c.y || l.Name != c.name {
			t.Errorf("%s at %s: %v, %v, %v, expected %v, %v", c.name, c.location, x, y, err, c.x, c.y)
		}
	}
}
