package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/y4m"
)

// stream returns a stream with the header head and a number of frames; at gives the code of a sample.
func stream(t *testing.T, head string, frames int, at func(n, plane, x, y int) int) string {
	t.Helper()
	in := must.Get(y4m.NewReader(strings.NewReader(y4m.Magic+head+"\n"), imagefile.Limits{}))(t)
	var out bytes.Buffer
	w := must.Get(y4m.NewWriter(&out, in.Header))(t)
	for n := range frames {
		f := in.NewFrame("")
		i := 0
		for plane := range in.Planes() {
			wide, high := in.Plane(plane)
			for k := range wide * high {
				code := at(n, plane, k%wide, k/wide)
				f.Data[i] = uint8(code)
				if i++; in.Depth > 8 {
					f.Data[i] = uint8(code >> 8)
					i++
				}
			}
		}
		must.Succeed(t, w.Put(f))
	}
	return out.String()
}

// moving is a noisy pattern that moves from frame to frame, in codes of 8 bits.
func moving(n, plane, x, y int) int {
	random := rand.New(rand.NewPCG(uint64(n), uint64(plane<<40+y<<20+x)))
	return 40 + 100*((x+n+y/2)/5%2) + random.IntN(50)
}

// readVideo returns the header and the frames of the stream data.
func readVideo(t *testing.T, data string) (y4m.Header, []*y4m.Frame) {
	t.Helper()
	in := must.Get(y4m.NewReader(strings.NewReader(data), imagefile.Limits{}))(t)
	for list := []*y4m.Frame(nil); ; {
		f, err := in.Next()
		if err == io.EOF {
			return in.Header, list
		}
		must.Succeed(t, err)
		list = append(list, f)
	}
}

// piped returns the stream data enlarged with flags, through a pipe.
func piped(t *testing.T, data, flags string) string {
	t.Helper()
	got, stderr := expect(t, t.TempDir(), data, "- "+flags, 0)
	if stderr != "" {
		t.Errorf("%s: %s", flags, stderr)
	}
	return got
}

// grey returns the brightness of a photograph.
func grey(t *testing.T) *image.Gray {
	colour := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	img := image.NewGray(colour.Bounds())
	draw.Draw(img, img.Rect, colour, colour.Bounds().Min, draw.Src)
	return img
}

// For every layout and depth, the header is kept except for the size, and a colour gradient has the same colour at the
// same place of the result, wherever the samples of the layout lie.
func TestVideoLayouts(t *testing.T) {
	for _, layout := range []string{"420jpeg", "420mpeg2", "420paldv", "420", "411", "422", "444", "444alpha", "mono",
		"420p10", "422p10", "444p10", "mono10", "420p12", "444p16"} {
		for _, scale := range []string{"1", "1.5", "2", "3"} {
			const w, h = 61, 47
			head := "W61 H47 F30000:1001 Ip A128:117 C" + layout + " XYSCSS=OWN XCOLORRANGE=LIMITED"
			asked := must.Get(y4m.NewReader(strings.NewReader(y4m.Magic+head+"\n"), imagefile.Limits{}))(t)
			unit := 1 << (asked.Depth - 8)
			// value returns a sample of a plane: a linear gradient over positions of brightness, measured from the
			// edge.
			value := func(h y4m.Header, across, down float64, plane, x, y int) float64 {
				place := func(i, of int, first bool) float64 {
					switch {
					case plane == 0:
						return float64(i) + 0.5
					case first:
						return float64(i*of) + 0.5
					}
					return float64(i*of) + float64(of)/2
				}
				px, py := place(x, h.Layout.Across, h.Layout.Left), place(y, h.Layout.Down, h.Layout.Top)
				return float64(unit) * (20 + 2*px/across + float64(plane%3)*py/down)
			}
			data := stream(t, head, 2,
				func(_, plane, x, y int) int { return int(value(asked.Header, 1, 1, plane, x, y) + 0.5) })
			got, frames := readVideo(t, piped(t, data, "-m bicubic -s "+scale))
			var factor float64
			fmt.Sscan(scale, &factor)
			toW, toH := int(w*factor+0.5), int(h*factor+0.5)
			if want := fmt.Sprintf("%sW%d H%d%s", y4m.Magic, toW, toH,
				strings.TrimPrefix(head, "W61 H47")); got.String() != want || len(frames) != 2 {
				t.Fatalf("%d frames of %s, expected %s", len(frames), got, want)
			}
			if !bytes.Equal(frames[0].Data, frames[1].Data) {
				t.Error("two frames that are the same differ")
			}
			for plane := range got.Planes() {
				wide, high := got.Plane(plane)
				all := got.Brightness(frames[0])
				for y := 9; y < high-9; y++ {
					for x := 9; x < wide-9; x++ {
						r, _, _, _ := all.At(x, y).RGBA()
						code := float64(r) / 0xffff
						if plane > 0 {
							code = float64(got.Colour(frames[0], plane).Row(y)[x])
						}
						code *= float64(int(1)<<got.Depth - 1)
						if want := value(got, float64(toW)/w, float64(toH)/h, plane, x, y); math.Abs(code-want) > 1.1 {
							t.Fatalf("%s ×%s: plane %d is %.1f at (%d, %d), expected %.1f", layout, scale, plane, code,
								x, y, want)
						}
						x += wide / 7
					}
					y += high / 5
				}
			}
		}
	}
}

// With any number of workers, by a network of another program too, from a file or a pipe and to either, results have
// the same bytes.
func TestVideoIsTheSame(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	putNetworks(t)
	three := stream(t, "W32 H24 C420jpeg", 3, moving)
	if piped(t, three, "-m rgb2 -j 3") != piped(t, three, "-m rgb2 -j 1") {
		t.Error("by a network of another program: other bytes")
	}
	data := stream(t, "W40 H30 C422p10", 12, moving)
	want := piped(t, data, "-j 1")
	for _, jobs := range []string{"2", "8"} {
		if piped(t, data, "-j "+jobs) != want {
			t.Errorf("-j %s: other bytes", jobs)
		}
	}
	dir := t.TempDir()
	putText(t, dir, "in.y4m", data)
	for line, output := range map[string]string{"in.y4m": "in_2x.y4m", "in.y4m b.y4m": "b.y4m",
		"in.y4m -o new/": "new/in_2x.y4m", "in.y4m -o new/c.y4m": "new/c.y4m",
		"in.y4m --name {stem}-{scale}.y4m": "in-2.y4m", "- -o d.y4m": "d.y4m"} {
		expect(t, dir, data, line, 0)
		if string(consoletest.Read(t, dir, output)) != want {
			t.Errorf("%s: other bytes", line)
		}
	}
}

// Noise in the first frame selects the model against noise for all frames, and values outside the range of video are
// kept.
func TestVideoNoiseAndRange(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	noisy := stream(t, "W64 H64 Cmono", 2, func(int, int, int, int) int { return 100 + int(20*random.NormFloat64()) })
	expect(t, t.TempDir(), noisy, "-v - -o out.y4m", 0, "Y4M, mono of 8 bits, 64×64, noise of ", "photo-real")
	bright := stream(t, "W40 H40 Cmono XCOLORRANGE=LIMITED", 1, func(_, _, x, _ int) int { return 2 + 250*(x/20) })
	got, frames := readVideo(t, piped(t, bright, ""))
	if img := got.Brightness(frames[0]).(*image.Gray); img.GrayAt(8, 40).Y != 2 || img.GrayAt(70, 40).Y != 252 {
		t.Errorf("codes 2 and 252 became %d and %d", img.GrayAt(8, 40).Y, img.GrayAt(70, 40).Y)
	}
}

// Colour goes through the model, with a better result than interpolation, at full and at half resolution; brightness
// has the same samples as without colour.
func TestVideoColour(t *testing.T) {
	truth := imaging.Clone(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	truth = imaging.Crop(truth, image.Rect(0, 0, truth.Rect.Dx()&^3, truth.Rect.Dy()&^3))
	w, h := truth.Rect.Dx()/2, truth.Rect.Dy()/2
	low := imaging.Resize(truth, w, h, imaging.CatmullRom)
	// code returns a sample of a plane: the mean of side×side pixels.
	code := func(img *image.NRGBA, plane, x, y, side int) int {
		sum := 0
		for i := range side * side {
			p := img.NRGBAAt(x*side+i%side, y*side+i/side)
			luma, cb, cr := color.RGBToYCbCr(p.R, p.G, p.B)
			sum += int([3]uint8{luma, cb, cr}[plane])
		}
		return (sum + side*side/2) / (side * side)
	}
	plain := func(_, _, x, y int) int { return code(low, 0, x, y, 1) }
	_, grey := readVideo(t, piped(t, stream(t, fmt.Sprintf("W%d H%d Cmono", w, h), 1, plain), ""))
	for layout, side := range map[string]int{"444": 1, "420jpeg": 2} {
		data := stream(t, fmt.Sprintf("W%d H%d C%s", w, h, layout), 1, func(_, plane, x, y int) int {
			return code(low, plane, x, y, map[bool]int{true: 1, false: side}[plane == 0])
		})
		off := func(flags string) (sum float64) {
			header, frames := readVideo(t, piped(t, data, flags))
			if got := header.Brightness(frames[0]).(*image.Gray).Pix; flags == "" &&
				!bytes.Equal(got, grey[0].Data) {
				t.Errorf("%s: brightness is another than without colour", layout)
			}
			for plane := 1; plane < 3; plane++ {
				got := header.Colour(frames[0], plane)
				for i, v := range got.Pix {
					d := 255*float64(v) - float64(code(truth, plane, i%got.W, i/got.W, side))
					sum += d * d
				}
			}
			return sum
		}
		network, interpolated := off(""), off("-m bicubic")
		t.Logf("%s: squared error %.0f by the network, %.0f by interpolation", layout, network, interpolated)
		if network > 0.9*interpolated {
			t.Errorf("%s: the network has a squared error of %.0f, interpolation %.0f", layout, network, interpolated)
		}
	}
}
