//go:build measure

package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/safefile"
	"superres/internal/sequence"
)

// texture returns a picture of w×h pixels of a kind such as "rgb", with detail everywhere.
func texture(kind string, w, h int) image.Image {
	r := image.Rect(0, 0, w, h)
	level := func(i, c int) uint8 { return uint8(i%w/3+i/w/5+40*c)&127 + uint8(i*7919>>3)&7 }
	switch kind {
	case "grey":
		m := image.NewGray(r)
		for i := range m.Pix {
			m.Pix[i] = level(i, 0)
		}
		return m
	case "grey16":
		m := image.NewGray16(r)
		for i := range m.Pix {
			m.Pix[i] = level(i/2, i%2)
		}
		return m
	case "rgb16":
		m := image.NewNRGBA64(r)
		for i := range m.Pix {
			m.Pix[i] = level(i/8, i/2%4) | uint8(0xff*(i%8/6))
		}
		return m
	}
	m := image.NewNRGBA(r)
	for i := range m.Pix {
		m.Pix[i] = level(i/4, i%4)
		if i%4 == 3 && (kind != "rgba" || i/4%w > w/3) {
			m.Pix[i] = 255
		}
	}
	return m
}

// promised returns the memory, in bytes, that superres estimates with args in its plan.
func promised(t *testing.T, dir string, args ...string) int64 {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", append(args, "--dry-run")...)
	var plan struct{ Memory int64 }
	if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&plan); err != nil || code != 0 {
		t.Fatalf("%v: exit %d, %v, %s", args, code, err, stderr)
	}
	return plan.Memory
}

// shape is a file to be enlarged.
type shape struct {
	format, kind string
	w, h, frames int
	flags        string
}

// data returns the content of the file.
func (s shape) data(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	var put func(i int, img image.Image) error
	end := func() error { return nil }
	opt := imagefile.EncodeOptions{Alpha: s.kind == "rgba"}
	switch s.format {
	case "jpeg":
		put = func(_ int, img image.Image) error { return jpeg.Encode(&out, img, nil) }
	case "png":
		put = func(_ int, img image.Image) error { return png.Encode(&out, img) }
	case "tiff":
		p := imagefile.NewPageWriter(&out, s.frames)
		put, end = func(_ int, img image.Image) error { return p.Put(img, opt) }, p.Close
	case "gif":
		aside := must.Get(safefile.Scratch(t.TempDir()))(t)
		defer aside.Close()
		g := sequence.NewGIFWriter(&out, 0, "", aside)
		put, end = func(_ int, img image.Image) error { return g.Put(img, sequence.Delay{Num: 5, Den: 100}) }, g.Close
	case "apng":
		p := sequence.NewPNGWriter(&out, s.frames, 0, opt)
		put, end = func(_ int, img image.Image) error { return p.Put(img, sequence.Delay{Num: 5, Den: 100}) }, p.Close
	case "y4m":
		fmt.Fprintf(&out, "YUV4MPEG2 W%d H%d F25:1 C%s\n", s.w, s.h, s.kind)
		size := map[string]int{"mono": 2, "420jpeg": 3, "422": 4, "444": 6, "420p10": 6}[s.kind] * s.w * s.h / 2
		put = func(i int, _ image.Image) error {
			fmt.Fprint(&out, "FRAME\n")
			for k := range size {
				v := byte(k%s.w/3+k/s.w/5+i)&127 + byte(k*7919>>3)&7
				if s.kind == "420p10" && k%2 == 1 {
					v &= 3
				}
				out.WriteByte(v)
			}
			return nil
		}
	}
	for i := range s.frames {
		kind := s.kind
		if s.format == "y4m" {
			kind = "grey"
		}
		img := texture(kind, s.w, s.h)
		if moved, ok := img.(*image.NRGBA); ok && i > 0 { // make each frame differ from the one before
			for k := range len(moved.Pix) / 8 {
				if k%4 != 3 {
					moved.Pix[k] += byte(7 * i)
				}
			}
		}
		must.Succeed(t, put(i, img))
	}
	must.Succeed(t, end())
	return out.Bytes()
}

// shapes are the files to measure, by the title of their table, which compares the memory promised with the memory
// taken. Files of "pages, --max-memory promised" must take no more than the limit under which they were accepted, even
// if they barely fit. Titles that begin with "more" are for the long form.
var shapes = map[string][]shape{
	"stills": {
		{"png", "grey", 28, 28, 1, "-m digits -j 1"},
		{"png", "rgb", 120, 90, 1, "--effort fast -j 1"},
		{"png", "rgba", 400, 300, 1, "-j 2"},
		{"jpeg", "rgb", 900, 700, 1, "-m photo -j 2"},
		{"png", "rgb16", 700, 500, 1, "-m photo -j 1"},
		{"png", "grey16", 1200, 900, 1, "-m photo --effort fast -j 2"},
		{"png", "rgb", 1500, 1100, 1, "-s 4 -m bicubic --tile 40 -j 2"}, // in strips
		{"png", "rgba", 1500, 1100, 1, "-m bicubic -s 3 -j 1"},
	},
	"more stills": {
		{"png", "rgba", 1500, 1100, 1, "-s 4"}, // in several bands
		{"png", "grey", 16, 16, 1, "-m bicubic"},
		{"png", "rgb", 16, 16, 1, ""},
		{"png", "rgb", 90, 60, 1, "-s 3"},
		{"png", "rgb", 64, 48, 1, "-s 2.5 --effort fast"},
		{"png", "rgb", 48, 40, 1, "-s 6 --effort fast"},
		{"png", "rgb", 120, 90, 1, "-m coupled"},
		{"png", "rgb", 600, 450, 1, "-m coupled"},
		{"png", "rgb", 900, 700, 1, "-m photo-real"},
		{"png", "rgba", 160, 120, 1, "--effort fast"},
		{"png", "rgb16", 160, 120, 1, "--effort max"},
		{"png", "rgb", 600, 450, 1, "--effort max -m photo"},
		{"png", "rgb", 2000, 10, 1, "--effort fast"},
		{"png", "rgb", 10, 2000, 1, "--effort fast"},
		{"png", "rgb", 900, 700, 1, "-m lanczos -s 1.5"},
		{"png", "rgb", 900, 700, 1, "-m photo -s 4"},
		{"png", "rgba", 900, 700, 1, "-m photo"},
		{"png", "grey", 1800, 1500, 1, "-m bicubic -f bmp"},
		{"png", "grey", 900, 700, 1, "-m photo"},
	},
	"pages": {
		{"tiff", "grey", 60, 40, 3, "-m photo --effort fast -j 1"},
		{"tiff", "rgb", 300, 200, 4, "-m photo -j 2"},
		{"tiff", "rgba", 400, 300, 4, "-m photo --effort fast -j 1"},
		{"tiff", "rgb16", 500, 400, 4, "-m bicubic -j 2"},
		{"tiff", "grey16", 1200, 900, 3, "-m bicubic -j 1"},
		{"tiff", "rgb", 1200, 900, 4, "-m bicubic -s 3 -j 2"},
		{"tiff", "rgb", 1000, 800, 3, "-m photo -j 1"},
		{"tiff", "rgba", 1000, 800, 5, "-m bicubic -j 2"},
	},
	"pages, --max-memory promised": {
		{"tiff", "rgb", 300, 200, 3, "-m photo -j 2 --max-memory 68"},
		{"tiff", "rgb", 640, 480, 4, "-m bicubic -j 1 --max-memory 64"},
		{"tiff", "rgb", 2200, 1500, 3, "-m bicubic -s 3 -j 2 --max-memory 500"},
	},
	"more pages, --max-memory promised": {
		{"tiff", "rgb", 1700, 1300, 3, "-m photo -j 2 --max-memory 500"},
		{"tiff", "rgb", 4500, 3500, 3, "-m photo --effort fast -j 2 --max-memory 2000"},
	},
	"animations": {
		{"gif", "rgb", 60, 40, 4, "-m photo --effort fast -j 1"},
		{"gif", "rgb", 400, 300, 6, "-m photo -j 2"},
		{"gif", "rgb", 800, 600, 4, "-m bicubic -j 1"},
		{"apng", "grey", 600, 400, 5, "-m photo --effort fast -j 2"},
		{"apng", "rgba", 400, 300, 6, "-m photo --effort fast -j 2"},
		{"apng", "rgb16", 500, 400, 5, "-m bicubic -j 1"},
		{"apng", "rgb", 800, 600, 6, "-m photo -j 1"},
		{"apng", "rgba", 1000, 800, 5, "-m bicubic -j 2"},
	},
	"Y4M": {
		{"y4m", "mono", 64, 48, 5, "-m photo --effort fast -j 1"},
		{"y4m", "420jpeg", 320, 240, 8, "-m photo --effort fast -j 2"},
		{"y4m", "444", 320, 240, 8, "-m photo -j 1"},
		{"y4m", "420p10", 640, 480, 6, "-m bicubic -j 2"},
		{"y4m", "420jpeg", 1280, 720, 6, "-m photo --effort fast -j 2"},
		{"y4m", "420jpeg", 1280, 720, 5, "-m photo --effort fast -j 1"},
		{"y4m", "422", 1280, 720, 6, "-m bicubic -s 3 -j 2"},
		{"y4m", "mono", 1920, 1080, 5, "-m bicubic -j 1"},
	},
}

func TestMeasureShapes(t *testing.T) {
	for _, title := range slices.Sorted(maps.Keys(shapes)) {
		if strings.HasPrefix(title, "more ") && os.Getenv("SUPERRES_FULL") == "" {
			continue
		}
		most := 1.7 // small pictures take less than the program and the tables that are allowed for
		if strings.HasSuffix(title, " promised") {
			most = 100
		}
		t.Run(title, func(t *testing.T) {
			m, dir := newMeasurement(t, title, most), t.TempDir()
			for _, s := range shapes[title] {
				s.measure(t, m, dir)
			}
		})
	}
}

// measure enlarges the file in dir, and adds to m the memory promised or allowed, and the memory taken.
func (s shape) measure(t *testing.T, m *measurement, dir string) {
	in := filepath.Join(dir, "in."+strings.TrimPrefix(s.format, "a"))
	consoletest.Put(t, in, s.data(t))
	args := append([]string{"upscale", in, "--on-exist", "overwrite", "--json"}, strings.Fields(s.flags)...)
	promise := promised(t, dir, args...)
	if _, limit, ok := strings.Cut(s.flags, "--max-memory "); ok {
		mib := must.Get(strconv.ParseInt(limit, 10, 64))(t)
		promise = mib << 20
	}
	name := fmt.Sprintf("%s %s %d×%d ×%d %s", s.format, s.kind, s.w, s.h, s.frames, s.flags)
	m.program(dir, name, promise, nil, args...)
}

// measurement compares memory that was promised with memory that was taken, in a table that it prints at the end. It is
// for tests that .ci/measure runs one at a time, since garbage is collected later on a busy machine.
type measurement struct {
	t    *testing.T
	most float64
	rows []string
}

// newMeasurement begins a table under title. A promise must be at least the memory taken and at most most times that.
func newMeasurement(t *testing.T, title string, most float64) *measurement {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	m := &measurement{t: t, most: most}
	t.Cleanup(func() {
		fmt.Printf("\n%-58s %8s %8s %6s\n", title, "promised", "taken", "ratio")
		for _, row := range m.rows {
			fmt.Println(row)
		}
	})
	return m
}

// runs is how often each piece of work is done at most, since the time of garbage collection and the timing of threads
// are chance.
const runs = 2

// slack is the share of the memory taken by which a promise may miss its limits before the test fails, so that a busy
// machine does not fail it. The table shows every miss.
const slack = 0.15

// program runs the program with args in the folder dir, in a process of its own with the standard input stdin, unless
// that is nil, and compares its peak memory with promised, in bytes; it does so again if that does not fit. The test
// fails if promised is less than the least peak, or more than most times the greatest, beyond slack.
func (m *measurement) program(dir, name string, promised int64, stdin []byte, args ...string) {
	m.t.Helper()
	least, greatest := int64(math.MaxInt64), int64(0)
	fits := func(slack float64) bool {
		return float64(promised) >= (1-slack)*float64(least) && float64(promised) <= (m.most+slack)*float64(greatest)
	}
	for i := 0; i < runs && !fits(0); i++ {
		peak := filepath.Join(dir, "peak")
		cmd := consoletest.Process(dir, args...)
		cmd.Env = append(cmd.Env, consoletest.NotePeak(peak))
		if stdin != nil {
			cmd.Stdin = bytes.NewReader(stdin)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			m.t.Fatalf("%s: %v\n%s", name, err, out)
		}
		taken := consoletest.Peak(m.t, peak)
		least, greatest = min(least, taken), max(greatest, taken)
	}
	sign := ""
	if !fits(slack) {
		m.t.Errorf("%s: promised %d MiB, taken %d to %d MiB, expected 1 to %.2g times that",
			name, promised>>20, least>>20, greatest>>20, m.most)
		sign = " !"
	}
	const mib = 1 << 20
	m.rows = append(m.rows, fmt.Sprintf("%-58s %8.1f %8.1f %6.2f%s", name, float64(promised)/mib, float64(least)/mib,
		float64(promised)/float64(least), sign))
}
