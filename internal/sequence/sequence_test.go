package sequence_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/safefile"
	"superres/internal/sequence"
)

// step is one frame of an animation as a test draws it.
type step struct {
	rect    image.Rectangle
	at      func(x, y int) color.NRGBA
	dispose int // 0: nothing, 1: cleared, 2: as before
	over    bool
	num     uint16
	den     uint16
}

// seen is the oracle: the pictures that the steps show, pixel by pixel, as the formats say it.
func seen(w, h int, steps []step) (frames []*image.NRGBA) {
	now := map[image.Point]color.NRGBA{}
	for _, s := range steps {
		before := map[image.Point]color.NRGBA{}
		for y := s.rect.Min.Y; y < s.rect.Max.Y; y++ {
			for x := s.rect.Min.X; x < s.rect.Max.X; x++ {
				p := image.Pt(x, y)
				before[p] = now[p]
				src, dst := s.at(x, y), now[p]
				if !s.over || src.A == 255 {
					now[p] = src
					continue
				}
				a, b := float64(src.A)/255, float64(dst.A)/255
				sum := a + b*(1-a)
				if sum == 0 {
					if dst.A > 0 || src.A == 0 {
						continue
					}
				}
				mix := func(u, v uint8) uint8 { return uint8((float64(u)*a+float64(v)*b*(1-a))/sum + 0.5) }
				if src.A > 0 {
					now[p] = color.NRGBA{mix(src.R, dst.R), mix(src.G, dst.G), mix(src.B, dst.B), uint8(sum*255 + 0.5)}
				}
			}
		}
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		for p, c := range now {
			img.SetNRGBA(p.X, p.Y, c)
		}
		frames = append(frames, img)
		for p, c := range before {
			switch s.dispose {
			case 1:
				now[p] = color.NRGBA{}
			case 2:
				now[p] = c
			}
		}
	}
	return frames
}

// steps are some that need all there is: with alpha of 8 bits, or of one.
func steps(soft bool) []step {
	alpha := func(x, y int) uint8 {
		if soft {
			return uint8(x*31 + y*17)
		}
		return uint8((x + y/2) % 3 / 2 * 255)
	}
	hue := func(n int) func(x, y int) color.NRGBA {
		return func(x, y int) color.NRGBA {
			if a := alpha(x+n, y); a > 0 {
				return color.NRGBA{uint8(40 * n), uint8(60 * (x % 4)), uint8(50 * (y % 3)), a}
			}
			return color.NRGBA{}
		}
	}
	full := func(x, y int) color.NRGBA { return color.NRGBA{200, uint8(20 * (x % 5)), 30, 255} }
	return []step{
		{image.Rect(1, 1, 9, 6), hue(1), 2, true, 10, 100}, // "as before" of nothing
		{image.Rect(0, 0, 11, 7), full, 0, true, 0, 100},
		{image.Rect(2, 1, 8, 5), hue(2), 2, true, 3, 100},
		{image.Rect(3, 3, 11, 7), hue(3), 1, true, 65535, 100},
		{image.Rect(0, 0, 4, 4), hue(4), 0, !soft, 7, 100},
		{image.Rect(5, 2, 6, 3), full, 0, true, 1, 100},
		{image.Rect(0, 0, 11, 7), full, 2, true, 2, 100},
		{image.Rect(10, 6, 11, 7), hue(5), 1, true, 2, 100},
	}
}

// gifOf writes steps as GIF.
func gifOf(t testing.TB, w, h, loop int, list []step) []byte {
	g := &gif.GIF{LoopCount: loop, Config: image.Config{Width: w, Height: h}}
	for _, s := range list {
		colours := color.Palette{color.RGBA{}}
		known := map[color.NRGBA]uint8{}
		m := image.NewPaletted(s.rect, nil)
		for y := s.rect.Min.Y; y < s.rect.Max.Y; y++ {
			for x := s.rect.Min.X; x < s.rect.Max.X; x++ {
				c := s.at(x, y)
				if c.A == 0 {
					continue
				}
				if _, is := known[c]; !is {
					known[c] = uint8(len(colours))
					colours = append(colours, color.RGBA(c))
				}
				m.SetColorIndex(x, y, known[c])
			}
		}
		m.Palette = colours
		g.Image, g.Delay = append(g.Image, m), append(g.Delay, int(s.num))
		g.Disposal = append(g.Disposal, byte(s.dispose+1))
	}
	return imagetest.Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// apngOf writes steps as PNG. still is a picture that is no part of the animation, or nil; the
// first step fills the canvas otherwise.
func apngOf(t testing.TB, w, h, said, plays int, still image.Image, list []step) []byte {
	pixels := func(img image.Image) (data []byte) {
		file := imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
		metadata.Chunks(bytes.NewReader(file), func(c metadata.Chunk) bool {
			if string(c.Kind) == "IDAT" {
				data = append(data, c.Bytes()...)
			}
			return true
		})
		return data
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := metadata.AppendChunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(head, 8, 6, 0, 0, 0))
	out = metadata.AppendChunk(out, "acTL",
		binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(said)), uint32(plays)))
	if still != nil {
		out = metadata.AppendChunk(out, "IDAT", pixels(still))
	}
	number := uint32(0)
	next := func() []byte {
		number++
		return binary.BigEndian.AppendUint32(nil, number-1)
	}
	for i, s := range list {
		control := next()
		for _, v := range []int{s.rect.Dx(), s.rect.Dy(), s.rect.Min.X, s.rect.Min.Y} {
			control = binary.BigEndian.AppendUint32(control, uint32(v))
		}
		control = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(control, s.num), s.den)
		over := byte(0)
		if s.over {
			over = 1
		}
		out = metadata.AppendChunk(out, "fcTL", append(control, byte(s.dispose), over))
		m := image.NewNRGBA(image.Rectangle{Max: s.rect.Size()})
		for y := range s.rect.Dy() {
			for x := range s.rect.Dx() {
				m.SetNRGBA(x, y, s.at(s.rect.Min.X+x, s.rect.Min.Y+y))
			}
		}
		m.Pix[3] &= 0xfe // so that the encoder writes alpha
		if i == 0 && still == nil {
			out = metadata.AppendChunk(out, "IDAT", pixels(m))
			continue
		}
		out = metadata.AppendChunk(out, "fdAT", append(next(), pixels(m)...))
	}
	return metadata.AppendChunk(out, "IEND", nil)
}

// open reads a file of several pictures as the program does.
func open(data []byte, name string, lim imagefile.Limits) (*sequence.Reader, error) {
	lim.Several = func(imagefile.Format) {}
	if lim.Pixels == 0 {
		lim.Pixels = 1e6
	}
	pic, err := imagefile.Decode(context.Background(), bytes.NewReader(data), name, lim)
	if err != nil {
		return nil, err
	}
	if pic.File == nil {
		return nil, errors.New("holds one picture")
	}
	return sequence.NewReader(context.Background(), pic, name, lim)
}

// all reads all frames.
func all(t *testing.T, data []byte, name string) (*sequence.Reader, []*sequence.Frame) {
	t.Helper()
	r := must.Get(open(data, name, imagefile.Limits{}))(t)
	for list := []*sequence.Frame(nil); ; {
		f, err := r.Next(context.Background())
		if err == io.EOF {
			return r, list
		}
		must.Succeed(t, err)
		list = append(list, f)
	}
}

// nrgba converts a picture of any type, pixel by pixel; wholly transparent pixels get no colour.
func nrgba(img image.Image) *image.NRGBA {
	m := image.NewNRGBA(img.Bounds())
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			if c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA); c.A > 0 {
				m.SetNRGBA(x, y, c)
			}
		}
	}
	return m
}

// check compares frames with the pictures wanted, with samples that may differ by off.
func check(t *testing.T, what string, got []*sequence.Frame, want []*image.NRGBA, off int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d frames, expected %d", what, len(got), len(want))
	}
	for i, f := range got {
		a, b := nrgba(f.Image), nrgba(want[i])
		for k := range a.Pix {
			if d := int(a.Pix[k]) - int(b.Pix[k]); d > off || d < -off {
				t.Fatalf("%s: frame %d differs at pixel %d: %v, expected %v", what, f.Number, k/4, a.Pix[k/4*4:k/4*4+4],
					b.Pix[k/4*4:k/4*4+4])
			}
		}
	}
}

// Every way of blending and of disposing shows what the oracle shows, read from GIF and PNG and written as both.
func TestFramesAsSeen(t *testing.T) {
	const w, h = 11, 7
	hard := steps(false)
	soft := append([]step{{image.Rect(0, 0, w, h), func(x, y int) color.NRGBA { return color.NRGBA{} }, 2, false, 1,
		3}}, steps(true)...)
	for i := range soft {
		if soft[i].at(soft[i].rect.Min.X, soft[i].rect.Min.Y).A == 255 { // as apngOf writes it
			at, p := soft[i].at, soft[i].rect.Min
			soft[i].at = func(x, y int) color.NRGBA {
				c := at(x, y)
				if image.Pt(x, y) == p {
					c.A = 254
				}
				return c
			}
		}
	}
	still := imagetest.Ramp(w, h)
	for name, c := range map[string]struct {
		data  []byte
		list  []step
		off   int
		plays int
	}{
		"a.gif":     {gifOf(t, w, h, 0, hard), hard, 0, 0},
		"once.gif":  {gifOf(t, w, h, -1, hard), hard, 0, 1},
		"four.gif":  {gifOf(t, w, h, 3, hard), hard, 0, 4},
		"a.png":     {apngOf(t, w, h, len(soft), 0, nil, soft), soft, 1, 0},
		"apart.png": {apngOf(t, w, h, len(soft), 5, still, soft), soft, 1, 5},
	} {
		want := seen(w, h, c.list)
		r, frames := all(t, c.data, name)
		check(t, name, frames, want, c.off)
		if r.Plays != c.plays || len(r.Warnings) > 0 || r.Opaque {
			t.Errorf("%s: played %d times, expected %d; %q", name, r.Plays, c.plays, r.Warnings)
		}
		for i, f := range frames {
			if s := c.list[i]; f.Delay != (sequence.Delay{Num: s.num, Den: s.den}) {
				t.Errorf("%s: frame %d is seen for %v", name, i+1, f.Delay)
			}
		}
		// The written file gives the same again.
		data := writePNG(t, r.Plays, frames)
		again, copies := all(t, data, "copy.png")
		check(t, name+" as PNG", copies, want, c.off)
		if again.Plays != r.Plays || copies[3].Delay != frames[3].Delay ||
			!bytes.Contains(data, []byte("Software\x00test")) {
			t.Errorf("%s as PNG: played %d times, %v", name, again.Plays, copies[3].Delay)
		}
		data = writeGIF(t, r.Plays, frames)
		again, copies = all(t, data, "copy.gif")
		var cut []*image.NRGBA // transparency
		for _, m := range want {
			m = nrgba(m)
			for k := 3; k < len(m.Pix); k += 4 {
				if m.Pix[k] = m.Pix[k] / 128 * 255; m.Pix[k] == 0 {
					copy(m.Pix[k-3:], []uint8{0, 0, 0})
				}
			}
			cut = append(cut, m)
		}
		check(t, name+" as GIF", copies, cut, 40*c.off)
		if again.Plays != r.Plays {
			t.Errorf("%s as GIF: played %d times", name, again.Plays)
		}
		if g, err := gif.DecodeAll(bytes.NewReader(data)); err != nil || len(g.Image) != len(frames) || c.off == 0 &&
			g.Delay[3] != 65535 {
			t.Errorf("%s as GIF: %v", name, err)
		}
	}
}

// writePNG writes frames as PNG.
func writePNG(t *testing.T, plays int, frames []*sequence.Frame) []byte {
	t.Helper()
	var out bytes.Buffer
	p := sequence.NewPNGWriter(&out, len(frames), plays, imagefile.EncodeOptions{Alpha: true, Software: "test"})
	for _, f := range frames {
		must.Succeed(t, p.Put(f.Image, f.Delay))
	}
	must.Succeed(t, p.Close())
	return out.Bytes()
}

// writeGIF writes frames as GIF.
func writeGIF(t *testing.T, plays int, frames []*sequence.Frame) []byte {
	t.Helper()
	aside := must.Get(safefile.Scratch(t.TempDir()))(t)
	defer aside.Close()
	var out bytes.Buffer
	g := sequence.NewGIFWriter(&out, plays, "made by a test", aside)
	for _, f := range frames {
		must.Succeed(t, g.Put(f.Image, f.Delay))
	}
	must.Succeed(t, g.Close())
	return out.Bytes()
}

// A GIF of more colours than it can have keeps its areas as they are, and what stands still is
// the same in all frames, though colours come and go beside it.
func TestPaletteStandsStill(t *testing.T) {
	const w, h = 64, 48
	var frames []*sequence.Frame
	for n := range 6 {
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w {
				c := color.NRGBA{uint8(4 * x), uint8(5 * y), 77, 255} // a slope that stands still
				switch {
				case x < 16:
					c = color.NRGBA{201, 17, 99, 255} // an area
				case x >= 40:
					c = color.NRGBA{uint8(40 * n), uint8(x * y), uint8(255 - 5*y), 255}
				}
				m.SetNRGBA(x, y, c)
			}
		}
		frames = append(frames, &sequence.Frame{Image: m, Delay: sequence.Delay{Num: 4, Den: 100}})
	}
	_, got := all(t, writeGIF(t, 0, frames), "a.gif")
	first := nrgba(got[0].Image)
	worst := 0
	for _, f := range got {
		m := nrgba(f.Image)
		for y := range h {
			for x := range 40 {
				c, want := m.NRGBAAt(x, y), color.NRGBA{uint8(4 * x), uint8(5 * y), 77, 255}
				if c != first.NRGBAAt(x, y) || x < 16 && c != (color.NRGBA{201, 17, 99, 255}) {
					t.Fatalf("frame %d has %v at (%d, %d), the first %v", f.Number, c, x, y, first.NRGBAAt(x, y))
				}
				if x >= 16 {
					worst = max(worst, abs(int(c.R)-int(want.R)), abs(int(c.G)-int(want.G)))
				}
			}
		}
	}
	if worst > 40 {
		t.Errorf("a colour is %d levels off", worst)
	}
}

func abs(v int) int { return max(v, -v) }

// A broken rule is refused in a line that names it, and no part of an animation is read as all of it.
func TestDamagedSequences(t *testing.T) {
	const w, h = 11, 7
	list := steps(true)
	list[0].rect = image.Rect(0, 0, w, h)
	good := apngOf(t, w, h, len(list), 0, nil, list)
	sum := bytes.Clone(good)
	sum[bytes.LastIndex(sum, []byte("fdAT"))+9] ^= 1
	gifs := gifOf(t, w, h, 0, steps(false))
	many := func(n, size int) []byte { // one pixel after the other
		frame := append([]byte{0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, 0, 0, 0, 255, 255, 255, 2}, 2, 0x44, 1, 0)
		head := []byte{'G', 'I', 'F', '8', '9', 'a', byte(size), byte(size >> 8), byte(size), byte(size >> 8), 0, 0, 0}
		return append(append(head, bytes.Repeat(frame, n)...), 0x3b)
	}
	for name, c := range map[string]struct {
		data []byte
		want string // an ErrLimit if it names a limit, else an ErrInput
	}{
		"sum.png":  {sum, "sum.png: damaged animation: invalid checksum of a chunk fdAT; copy or export it again"},
		"none.png": {apngOf(t, w, h, 5, 0, imagetest.Ramp(w, h), nil), "damaged animation: it has no frames"},
		"cut.png":  {good[:len(good)-13], "damaged animation: unexpected EOF (is the file complete?)"},
		"cut.gif":  {gifs[:len(gifs)-1], "damaged animation: unexpected EOF (is the file complete?)"},
		"many.gif": {many(100_000, 1), "has more than 50000 frames; cut it into parts first"},
		"whole.gif": {many(101, 1000),
			"its 101 pictures have 101 megapixels together, the limit is 100, as for 100 single pictures"},
	} {
		_, err := open(c.data, name, imagefile.Limits{})
		class := safefile.ErrInput
		if strings.Contains(c.want, "limit") || name == "many.gif" {
			class = safefile.ErrLimit
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, class) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
	r, frames := all(t, apngOf(t, w, h, 500, 0, nil, list), "lies.png")
	if len(frames) != len(list) || len(r.Warnings) != 1 || r.Warnings[0] != "says that it has 500 frames, and has 8" {
		t.Errorf("%d frames, %q", len(frames), r.Warnings)
	}
	for name, data := range map[string][]byte{"a.png": good, "a.gif": gifs, "a.webp": webpOf(t),
		"a.tif": tiffOf(t, 3)} {
		for n := range data {
			if n%9 != 0 && len(data) > 300 {
				continue
			}
			if r, err := open(data[:n], name, imagefile.Limits{}); err == nil && name != "a.tif" {
				t.Errorf("%s: %d of %d bytes are %d frames", name, n, len(data), r.Frames)
			}
		}
	}
}

// webpOf is a WebP of plain frames: one that fills the canvas, one over it, one in its place.
func webpOf(t testing.TB) []byte {
	t.Helper()
	frame := func(x, y, w, h, ms int, flags byte) []byte {
		still := imagetest.PlainWebP(w, h)[12:]
		head := []byte{byte(x / 2), 0, 0, byte(y / 2), 0, 0, byte(w - 1), 0, 0, byte(h - 1), 0, 0, byte(ms),
			byte(ms >> 8), byte(ms >> 16), flags}
		return imagetest.RIFFChunk("ANMF", append(head, still...))
	}
	body := append([]byte("WEBP"), imagetest.RIFFChunk("VP8X", []byte{0x12, 0, 0, 0, 7, 0, 0, 5, 0, 0})...)
	body = append(body, imagetest.RIFFChunk("ANIM", []byte{0, 0, 0, 0, 3, 0})...)
	body = append(body, frame(0, 0, 8, 6, 40, 0)...)
	body = append(body, frame(2, 2, 4, 3, 100_000, 1)...)
	body = append(body, frame(4, 0, 2, 2, 0, 2)...)
	return imagetest.RIFFChunk("RIFF", body)
}

// The frames of a WebP come where and as long as it says: cleared behind the second.
func TestWebP(t *testing.T) {
	r, frames := all(t, webpOf(t), "a.webp")
	if r.Plays != 3 || len(frames) != 3 || frames[0].Delay != (sequence.Delay{Num: 40, Den: 1000}) ||
		frames[1].Delay != (sequence.Delay{Num: 10_000, Den: 100}) || frames[2].Delay.Num != 0 {
		t.Errorf("%d frames, played %d times", len(frames), r.Plays)
	}
	last := nrgba(frames[2].Image)
	for _, p := range []image.Point{{2, 2}, {5, 4}} {
		if c := last.NRGBAAt(p.X, p.Y); c.A != 0 {
			t.Errorf("%v at %v, expected nothing", c, p)
		}
	}
	if c := last.NRGBAAt(0, 0); c.A != 255 || c != nrgba(frames[0].Image).NRGBAAt(0, 0) {
		t.Errorf("%v at the corner", c)
	}
}

// tiffOf is a TIFF of pages of several sizes and kinds.
func tiffOf(t testing.TB, pages int) []byte {
	t.Helper()
	var out bytes.Buffer
	p := imagefile.NewPageWriter(&out, pages)
	for i := range pages {
		if err := p.Put(pageOf(i),
			imagefile.EncodeOptions{Software: "test",
				Metadata: metadata.Metadata{Resolution: metadata.Resolution{X: float64(100 + i), Y: 50,
					Unit: metadata.Inch}}}); err != nil {
			t.Fatal(err)
		}
	}
	must.Succeed(t, p.Close())
	return out.Bytes()
}

// pageOf is page i: grey, grey of 16 bits, colour, colour with alpha of 16 bits.
func pageOf(i int) image.Image {
	w, h := 5+i%7, 4+i%3
	switch i % 4 {
	case 0:
		return imagetest.GreyRamp(w, h)
	case 1:
		m := image.NewGray16(image.Rect(0, 0, w, h))
		for k := range m.Pix {
			m.Pix[k] = uint8(k * 7)
		}
		return m
	case 2:
		m := imagetest.Ramp(w, h)
		for k := 3; k < len(m.Pix); k += 4 {
			m.Pix[k] = 255
		}
		return m
	}
	m := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for k := range m.Pix {
		m.Pix[k] = uint8(k*13 + i)
	}
	return m
}

// Pages come back as they were written, each with its own size, depth and resolution.
func TestPages(t *testing.T) {
	const pages = 200
	data := tiffOf(t, pages)
	r, list := all(t, data, "a.tif")
	if !r.Pages || r.Frames != pages || len(list) != pages {
		t.Fatalf("%d pages of %d", len(list), r.Frames)
	}
	for i, f := range list {
		want := pageOf(i)
		if fmt.Sprint(f.Image.Bounds()) != fmt.Sprint(want.Bounds()) {
			t.Fatalf("page %d is %v", i+1, f.Image.Bounds())
		}
		for y := range want.Bounds().Dy() {
			for x := range want.Bounds().Dx() {
				a := color.NRGBA64Model.Convert(f.Image.At(x, y))
				if b := color.NRGBA64Model.Convert(want.At(x, y)); a != b && b.(color.NRGBA64).A > 0 {
					t.Fatalf("page %d has %v at (%d, %d), expected %v", i+1, a, x, y, b)
				}
			}
		}
		if res := f.Page.Metadata.Resolution; res.X != float64(100+i) || res.Y != 50 {
			t.Errorf("page %d has %v", i+1, res)
		}
	}
	// A chain that bites its tail is refused, with what it has.
	places, others, err := imagefile.Pages(data)
	must.Succeed(t, err)
	at := int(places[3])
	end := at + 2 + 12*int(binary.LittleEndian.Uint16(data[at:]))
	binary.LittleEndian.PutUint32(data[end:], uint32(places[1]))
	if looped, _, err := imagefile.Pages(data); len(looped) != 4 || others != 0 || err == nil {
		t.Errorf("%d pages of a loop, %v", len(looped), err)
	}
	_, err = open(data, "a.tif", imagefile.Limits{Pixels: 77})
	if err == nil || !errors.Is(err, safefile.ErrInput) || !strings.Contains(err.Error(), "go round in a circle") {
		t.Errorf("%v, expected a circle", err)
	}
	// One that leads out of the file ends there, with a word.
	binary.LittleEndian.PutUint32(data[end:], 1<<31)
	r, list = all(t, data, "a.tif")
	if len(list) != 4 || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "behind 4 pages") {
		t.Errorf("%d pages, %q", len(list), r.Warnings)
	}
	if _, err := open(data, "a.tif", imagefile.Limits{Pixels: 77}); err != nil {
		t.Error(err)
	}
	var limit *safefile.Fault
	if _, err := open(data, "a.tif", imagefile.Limits{Pixels: 40}); !errors.As(err, &limit) ||
		limit.Remedy != imagefile.MorePixels {
		t.Errorf("%v, expected the limit of a page", err)
	}
}

// Pages that Accept has let in may be larger than a picture may be without it.
func TestLargePages(t *testing.T) {
	golden.NotShort(t, "100 megapixels")
	var out bytes.Buffer
	p := imagefile.NewPageWriter(&out, 2)
	page := image.NewGray(image.Rect(0, 0, 8000, 6300))
	for range 2 {
		must.Succeed(t, p.Put(page, imagefile.EncodeOptions{}))
	}
	must.Succeed(t, p.Close())
	data := append(out.Bytes(), make([]byte, 8000*6300/200)...)
	accepted := 0
	lim := imagefile.Limits{Several: func(imagefile.Format) {},
		Accept: func(image.Config, int64) error { accepted++; return nil }}
	pic := must.Get(imagefile.DecodeBytes(t.Context(), data, "a.tif", lim))(t)
	accepted = 0
	r := must.Get(sequence.NewReader(t.Context(), pic, "a.tif", lim))(t)
	for range 2 {
		if f := must.Get(r.Next(t.Context()))(t); f.Image.Bounds() != page.Rect {
			t.Errorf("a page of %v", f.Image.Bounds())
		}
	}
	if accepted != 2 {
		t.Errorf("%d pages were accepted", accepted)
	}
}
