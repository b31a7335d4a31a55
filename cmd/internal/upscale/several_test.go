package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/safefile"
	"superres/internal/sequence"
)

// scene returns frame n of an animation: a still pattern on the left, a moving one on the right, and, if holes is
// true, transparent places.
func scene(n, w, h int, holes bool) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(60 * (x / 5 % 4)), uint8(80 * (y / 4 % 3)), 90, 255}
			if x > w*3/4 {
				c = color.NRGBA{uint8(50 * ((x + n) / 4 % 4)), 200, uint8(70 * ((y + n) / 3 % 3)), 255}
			}
			if holes && (x+y+n)%9 == 0 && x > w/2 {
				c = color.NRGBA{}
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// scenes returns frames as a file of format "gif", "png" or "tiff", played plays times.
func scenes(t *testing.T, format string, plays int, frames ...image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	opt := imagefile.EncodeOptions{Alpha: true}
	delay := func(i int) sequence.Delay { return sequence.Delay{Num: uint16(3 * i), Den: 100} }
	var put func(i int, img image.Image) error
	var end func() error
	switch format {
	case "gif":
		aside := must.Get(safefile.Scratch(t.TempDir()))(t)
		defer aside.Close()
		g := sequence.NewGIFWriter(&out, plays, "", aside)
		put, end = func(i int, img image.Image) error { return g.Put(img, delay(i)) }, g.Close
	case "png":
		p := sequence.NewPNGWriter(&out, len(frames), plays, opt)
		put, end = func(i int, img image.Image) error { return p.Put(img, delay(i)) }, p.Close
	default:
		p := imagefile.NewPageWriter(&out, len(frames))
		put, end = func(_ int, img image.Image) error { return p.Put(img, opt) }, p.Close
	}
	for i, img := range frames {
		must.Succeed(t, put(i, img))
	}
	must.Succeed(t, end())
	return out.Bytes()
}

// apart returns a reader of the file data, and its frames.
func apart(t *testing.T, data []byte) (*sequence.Reader, []*sequence.Frame) {
	t.Helper()
	lim := imagefile.Limits{Several: func(imagefile.Format) {}, Pixels: 1e7}
	pic := must.Get(imagefile.Decode(t.Context(), bytes.NewReader(data), "made", lim))(t)
	if pic.File == nil {
		t.Fatal("one picture")
	}
	r := must.Get(sequence.NewReader(t.Context(), pic, "made", lim))(t)
	for list := []*sequence.Frame(nil); ; {
		f, err := r.Next(t.Context())
		if err == io.EOF {
			return r, list
		}
		must.Succeed(t, err)
		list = append(list, f)
	}
}

// differ returns where the visible pixels of a and b differ, or "".
func differ(a, b image.Image) string {
	if a.Bounds().Size() != b.Bounds().Size() {
		return fmt.Sprintf("%v and %v", a.Bounds(), b.Bounds())
	}
	at := func(img image.Image, x, y int) color.NRGBA64 {
		return color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := at(a, x, y), at(b, x, y)
			if p != q && (p.A > 0 || q.A > 0) {
				return fmt.Sprintf("%v and %v at (%d, %d)", p, q, x, y)
			}
		}
	}
	return ""
}

// enlarged writes data to the file name in a new folder, enlarges it with flags, and returns the bytes of the file
// output.
func enlarged(t *testing.T, name string, data []byte, output, flags string) []byte {
	t.Helper()
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, name), data)
	succeeds(t, dir, name+" -o "+output+" "+flags)
	return consoletest.Read(t, dir, output)
}

// alone returns frames enlarged as files of a format, each on its own.
func alone(t *testing.T, frames []*sequence.Frame, format, flags string) (list []image.Image) {
	t.Helper()
	dir := t.TempDir()
	name := func(i int) string { return fmt.Sprintf("%03d.%s", i, format) }
	for i, f := range frames {
		data := encoded(t, f.Image, imagefile.Format(format), imagefile.EncodeOptions{Alpha: true})
		consoletest.Put(t, filepath.Join(dir, "in", name(i)), data)
	}
	expect(t, dir, "", "in -o out --name {stem} "+flags, 0)
	for i := range frames {
		list = append(list, opened(t, dir, "out/"+name(i)).Image)
	}
	return list
}

// Each frame of an animation and each page equals its enlargement as a single picture by the same model; delays and
// loops are kept.
func TestFramesAlone(t *testing.T) {
	putNetworks(t)
	const w, h = 40, 28
	var opaque, holed, grey []image.Image
	for n := range 5 {
		opaque, holed = append(opaque, scene(n, w, h, false)), append(holed, scene(n, w, h, n > 2))
		g := image.NewGray(image.Rect(0, 0, w, h))
		for i := range g.Pix {
			g.Pix[i] = uint8((i%w/4 + i/w/3 + n) % 5 * 50)
		}
		grey = append(grey, g)
	}
	deep := image.NewGray16(image.Rect(0, 0, 11, 12))
	for i := range deep.Pix {
		deep.Pix[i] = uint8(i * 5)
	}
	for _, c := range []struct {
		name, output string
		data         []byte
		plays        int
		flags        string
	}{
		{"a.png", "b.png", scenes(t, "png", 0, opaque...), 0, "-m photo"},
		{"a.png", "b.png", scenes(t, "png", 4, holed...), 4, "-m photo -s 1.5"},
		{"grey.png", "b.png", scenes(t, "png", 1, grey...), 1, "-m photo --effort max"},
		{"a.gif", "b.png", scenes(t, "gif", 0, holed...), 0, "-m photo -s 3 --tile 7"},
		{"a.png", "b.png", scenes(t, "png", 2, holed...), 2, "-m rgb2"}, // a network of another program
		{"a.gif", "b.tif", scenes(t, "gif", 3, opaque...), 1, "-m bicubic -q"},
		{"a.gif", "b.gif", scenes(t, "gif", 2, holed...), 2, "-m nearest"},
		{"a.png", "b.gif", scenes(t, "png", 1, opaque...), 1, "-m nearest -s 2.5"},
		{"a.png", "b.png", scenes(t, "png", 7, grey...), 7, "-m bicubic --depth 16"},
		{"a.tif", "b.tif", scenes(t, "tiff", 1, append(grey, holed...)...), 1, "-m photo"},
		{"a.tif", "b.tif", scenes(t, "tiff", 1, imagetest.GreyRamp(9, 8), imagetest.Ramp(13, 11), deep,
			imagetest.GreyRamp(15, 9)), 1, ""},
	} {
		in, frames := apart(t, c.data)
		r, got := apart(t, enlarged(t, c.name, c.data, c.output, c.flags))
		want := alone(t, frames, map[bool]string{true: "tiff", false: "png"}[in.Pages], c.flags)
		if len(got) != len(want) || r.Plays != c.plays && !r.Pages {
			t.Fatalf("%s: %d frames played %d times, expected %d and %d", c.name, len(got), r.Plays, len(want), c.plays)
		}
		for i, f := range got {
			if text := differ(f.Image, want[i]); text != "" {
				t.Errorf("%s as %s %s: frame %d: %v", c.name, c.output, c.flags, i+1, text)
			}
			if !r.Pages && f.Delay != frames[i].Delay {
				t.Errorf("%s: frame %d is seen for %v, expected %v", c.name, i+1, f.Delay, frames[i].Delay)
			}
		}
		_, isGrey := got[0].Image.(*image.Gray)
		if _, was := frames[0].Image.(*image.Gray); was != isGrey && !strings.Contains(c.flags, "depth") {
			t.Errorf("%s: it is %T", c.name, got[0].Image)
		}
	}
}

// Still areas have the same bytes in all frames, whatever moves beside them, even in a GIF, with any number of
// workers, and from a pipe.
func TestNothingShimmers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const w, h, still = 120, 40, 60
	for _, holes := range []bool{false, true} {
		var list []image.Image
		for n := range 4 {
			list = append(list, scene(n, w, h, holes && n%2 > 0))
		}
		data := scenes(t, "gif", 0, list...)
		for _, output := range []string{"b.gif", "b.png"} {
			made := enlarged(t, "a.gif", data, output, "-j 1")
			_, got := apart(t, made)
			first := got[0].Image.(*image.NRGBA).SubImage(image.Rect(0, 0, still*3/2, 2*h))
			for _, f := range got[1:] {
				if text := differ(first, f.Image.(*image.NRGBA).SubImage(first.Bounds())); text != "" {
					t.Errorf("%s: frame %d: %s", output, f.Number, text)
				}
			}
			if !bytes.Equal(enlarged(t, "a.gif", data, output, "-j 5"), made) {
				t.Errorf("%s: other bytes by five workers", output)
			}
			if piped, _ := expect(t, t.TempDir(), string(data), "- -f "+output[2:], 0); piped != string(made) {
				t.Errorf("%s: other bytes from a pipe", output)
			}
		}
	}
}

// Each kind of file with several pictures gives the expected format and messages.
func TestSeveralKinds(t *testing.T) {
	dir := t.TempDir()
	frames := []image.Image{scene(0, 12, 10, false), scene(1, 12, 10, false), scene(2, 12, 10, false)}
	for name, data := range map[string][]byte{
		"in/a.gif": scenes(t, "gif", 0, frames...), "in/b.PNG": scenes(t, "png", 0, frames...),
		"in/c.tif": scenes(t, "tiff", 0, frames...), "plain": scenes(t, "gif", 0, frames...),
		"in/d.gif": imagetest.Sound(t)["colour.gif"], "in/e.jpg": imagetest.Sound(t)["colour.jpeg"],
	} {
		consoletest.Put(t, filepath.Join(dir, name), data)
	}
	succeeds(t, dir, "in -o out -m nearest -q")
	if made := fmt.Sprint(consoletest.Tree(t, filepath.Join(dir, "out"))); made !=
		"[a_2x.gif b_2x.PNG c_2x.tif d_2x.png e_2x.jpg]" {
		t.Error(made)
	}
	holds := func(name, data string, want imagefile.Format) {
		t.Helper()
		if r, got := apart(t, []byte(data)); r.Format != want || len(got) != 3 {
			t.Errorf("%s: %d of %s", name, len(got), r.Format)
		}
	}
	for in, out := range map[string]string{"a.gif": "a_2x.gif", "b.PNG": "b_2x.PNG", "c.tif": "c_2x.tif"} {
		format := imagefile.NamedFormat(in)
		holds(out, string(consoletest.Read(t, dir, "out", out)), format)
		// From a pipe, the format of the file is kept.
		stdout, _ := expect(t, dir, string(consoletest.Read(t, dir, "in", in)), "- -m nearest", 0)
		holds(in, stdout, format)
	}
	succeeds(t, dir, "plain -m nearest")
	holds("plain", string(consoletest.Read(t, dir, "plain_2x.gif")), "gif")
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"in/a.gif -f jpeg", console.ExitOutput,
			"is an animation of 3 frames, which JPEG cannot be; use --format png or gif, or --first-frame"},
		{"in/b.PNG -o x.bmp", console.ExitOutput, "is an animation of 3 frames, which BMP cannot be"},
		{"in/c.tif -o x.png", console.ExitOutput,
			"in/c.tif: is a TIFF of 3 pages, which PNG cannot be; use --format tiff, or --first-frame"},
		{"in/d.gif -f gif", console.ExitUsage, "GIF is written for animations alone, and in/d.gif is one picture"},
		{"in/a.gif --first-frame -o x.gif", console.ExitUsage, "GIF is written for animations alone"},
		{"in/a.gif --depth 16", console.ExitUsage, "--depth 16: GIF has 8 bits a sample"},
	})
	stdout, _ := expect(t, dir, "", "in/a.gif in/c.tif --dry-run -m nearest -o other/", 0)
	consoletest.InOrder(t, stdout, "in/a.gif 12×10 (3) -> other/a_2x.gif 24×20, by nearest",
		"in/c.tif 12×10 (3) -> other/c_2x.tif 24×20")
	expect(t, dir, "", "in/a.gif --dry-run -f bmp", console.ExitOutput,
		"is an animation of 3 frames, which BMP cannot be")
	expect(t, dir, "", "in/a.gif -o x.tif -v", 0, "in/a.gif: GIF of 3 frames, 12×10, ",
		"in/a.gif: its delays are left out: the pages of a TIFF have none")
}

// Events, the journal and interruption work for files of several pictures, with their frames.
func TestSeveralInBatches(t *testing.T) {
	dir := t.TempDir()
	frames := []image.Image{scene(0, 12, 10, false), scene(1, 12, 10, false), scene(2, 12, 10, false)}
	consoletest.Put(t, filepath.Join(dir, "in/a.gif"), scenes(t, "gif", 0, frames...))
	consoletest.Put(t, filepath.Join(dir, "in/b.png"), scenes(t, "png", 0, frames...))
	consoletest.Put(t, filepath.Join(dir, "in/c.jpg"), imagetest.Sound(t)["colour.jpeg"])
	const line = "in -o out -m nearest --resume --json -j 1 -q"
	stdout, _ := expect(t, dir, "", line, 0)
	var told []string
	for line := range strings.Lines(stdout) {
		ev := consoletest.Decode[struct {
			Event, Input  string
			Frame, Frames int
		}](t, line)
		told = append(told, fmt.Sprint(ev.Event, filepath.Base(ev.Input), ev.Frame, ev.Frames))
	}
	want := "starta.gif0 0 framea.gif1 0 framea.gif2 0 framea.gif3 0 donea.gif0 3 startb.png0 0 frameb.png1 0 " +
		"frameb.png2 0 frameb.png3 0 doneb.png0 3 startc.jpg0 0 donec.jpg0 0 summary.0 0"
	if got := strings.Join(told, " "); got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	must.Succeed(t, os.Remove(filepath.Join(dir, "out/a_2x.gif")))
	stdout, _ = expect(t, dir, "", line, 0)
	if strings.Count(stdout, `"event":"skip"`) != 2 || strings.Count(stdout, `"event":"frame"`) != 3 {
		t.Error(stdout)
	}
	var many []image.Image
	for n := range 60 {
		many = append(many, scene(n, 60, 40, false))
	}
	for _, name := range []string{"many.gif", "many.png"} {
		consoletest.Put(t, filepath.Join(dir, name), scenes(t, name[5:], 0, many...))
		program.Interrupted(t, dir, `"frame":2,`, "upscale", name, "--json")
	}
	// A damaged frame is found before any work, and nothing is written.
	broken := consoletest.Read(t, dir, "many.png")
	broken[bytes.LastIndex(broken, []byte("fdAT"))+30] ^= 4
	consoletest.Put(t, filepath.Join(dir, "broken.png"), broken)
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"broken.png", console.ExitInput, "broken.png: damaged animation: invalid checksum of a chunk fdAT"},
		{"many.png -s 16 --max-memory 40", console.ExitLimit, "--max-memory"},
	})
}

// Files that FFmpeg wrote are read as FFmpeg reads them, and FFmpeg reads their enlargements.
func TestSeveralWithFFmpeg(t *testing.T) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg here")
	}
	dir := t.TempDir()
	run := func(line string) []byte {
		t.Helper()
		cmd := exec.Command(ffmpeg, strings.Fields("-v error -nostdin "+line)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return out
	}
	// same checks that FFmpeg reads the same frames from the file name as this program.
	same := func(name string, w, h int) *sequence.Reader {
		t.Helper()
		raw := run("-i " + name + " -fps_mode passthrough -pix_fmt rgba -f rawvideo -")
		r, frames := apart(t, consoletest.Read(t, dir, name))
		if len(raw) != 5*4*w*h || len(frames) != 5 {
			t.Fatalf("%s: %d frames, %d bytes", name, len(frames), len(raw))
		}
		for i, f := range frames {
			theirs := &image.NRGBA{Pix: raw[4*w*h*i:][:4*w*h], Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
			if text := differ(f.Image, theirs); text != "" {
				t.Fatalf("%s: frame %d: %s", name, i+1, text)
			}
		}
		return r
	}
	for _, c := range []struct{ name, output, flags string }{
		{"a.gif", "b.gif", "-loop 0"}, {"a.png", "b.png", "-f apng -plays 2"}, {"a.gif", "b.png", "-loop -1"},
	} {
		run("-y -f lavfi -i testsrc=s=48x32:r=10:d=0.5 " + c.flags + " " + c.name)
		before := same(c.name, 48, 32)
		expect(t, dir, "", c.name+" -o "+c.output+" -m photo --on-exist overwrite", 0)
		if after := same(c.output, 96, 64); after.Plays != before.Plays {
			t.Errorf("%s: played %d times", c.name, after.Plays)
		}
	}
	if _, err := gif.DecodeAll(bytes.NewReader(consoletest.Read(t, dir, "b.gif"))); err != nil {
		t.Error(err)
	}
}

// Metadata of files with several pictures is kept, frames are turned upright, and 16 bits stay 16.
func TestSeveralKeepsMetadata(t *testing.T) {
	const w, h = 12, 9
	// The orientation is 6: on its side.
	exif := []byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00")
	var out bytes.Buffer
	about := metadata.Metadata{EXIF: exif, XMP: []byte("<x:xmpmeta/>"),
		Resolution: metadata.Resolution{X: 1000, Y: 1000, Unit: metadata.Metre}}
	p := sequence.NewPNGWriter(&out, 2, 0, imagefile.EncodeOptions{Alpha: true, Metadata: about})
	var frames []*image.NRGBA64
	for n := range 2 {
		m := image.NewNRGBA64(image.Rect(0, 0, w, h))
		for i := range m.Pix {
			m.Pix[i] = uint8(i*7 + n)
		}
		frames = append(frames, m)
		must.Succeed(t, p.Put(m, sequence.Delay{Num: 1, Den: 7}))
	}
	must.Succeed(t, p.Close())
	made := enlarged(t, "a.png", out.Bytes(), "b.png", "-m nearest")
	_, got := apart(t, made)
	for n, f := range got {
		if f.Image.Bounds() != image.Rect(0, 0, 2*h, 2*w) || f.Delay != (sequence.Delay{Num: 1, Den: 7}) {
			t.Fatalf("frame %d: %v for %v", n+1, f.Image.Bounds(), f.Delay)
		}
		if a, b := f.Image.(*image.NRGBA64).NRGBA64At(0, 0), frames[n].NRGBA64At(0, h-1); a != b {
			t.Errorf("frame %d has %v in its corner, expected %v", n+1, a, b)
		}
	}
	pic := must.Get(imagefile.Decode(t.Context(), bytes.NewReader(made), "b.png",
		imagefile.Limits{FirstFrame: true}))(t)
	exif[18] = 1
	if m := pic.Metadata; !bytes.Equal(m.EXIF, exif) || !bytes.Equal(m.XMP, about.XMP) ||
		m.Resolution != about.Resolution || !bytes.Contains(made, []byte("Software\x00superres ")) {
		t.Errorf("kept are %q, %q and %v", m.EXIF, m.XMP, m.Resolution)
	}
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a.png"), out.Bytes())
	_, stderr := expect(t, dir, "", "a.png -o b.gif -m nearest", 0,
		"its EXIF block is left out: the output format has none", "its XMP packet is left out")
	if strings.Count(stderr, "\n") > 3 {
		t.Error(stderr)
	}
}

// Limits apply to each picture and to the whole file, and the error says to which.
func TestSeveralLimits(t *testing.T) {
	dir := t.TempDir()
	frame := append([]byte{0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 255, 255, 255, 2}, 2, 0x44, 1, 0)
	put := func(name string, side, frames int) {
		head := []byte{'G', 'I', 'F', '8', '9', 'a', byte(side), byte(side >> 8), byte(side), byte(side >> 8), 0, 0, 0}
		consoletest.Put(t, filepath.Join(dir, name), append(append(head, bytes.Repeat(frame, frames)...), 0x3b))
	}
	put("many.gif", 4, 60_000)
	put("whole.gif", 1000, 101)
	put("large.gif", 1001, 2)
	put("slow.gif", 100, 900)
	// Headers of pages whose results do not fit into a TIFF.
	page := [][4]uint32{{256, 4, 1, 3000}, {257, 4, 1, 3000}, {258, 3, 1, 8}, {262, 3, 1, 1}, {273, 4, 1, 0},
		{279, 4, 1, 2}}
	file := []byte(imagetest.TIFFStart)
	for range 120 {
		next := uint32(len(file) + len(imagetest.TIFFPage(0, page...))) // the last leads out of the file
		file = append(file, imagetest.TIFFPage(next, page...)...)
	}
	consoletest.Put(t, filepath.Join(dir, "pages.tif"), file)
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"many.gif", console.ExitLimit, "many.gif: has more than 50000 frames; cut it into parts first"},
		{"whole.gif --max-pixels 1", console.ExitLimit, "whole.gif: its 101 pictures have 101 megapixels together, " +
			"the limit is 100, as for 100 single pictures; use --max-pixels"},
		{"large.gif --max-pixels 1", console.ExitLimit,
			"1001×1001 is 1.002 megapixels, the limit is 1; use --max-pixels"},
		{"slow.gif --timeout 300ms", console.ExitLimit,
			"slow.gif: takes longer to enlarge than the limit of 0.3 s; use --timeout"},
		{"pages.tif", console.ExitOutput, "pages.tif: its 120 pages would have 4.0"},
		{"pages.tif", console.ExitOutput, "a TIFF has at most 4 GiB; use a smaller --scale, or a file of fewer pages"},
	})
}
