package decoders

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/picture"
)

// heic is the beginning of a HEIC.
const heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"

// A file of another kind is what a program makes of it. One that is missing, hangs or makes nothing of use is an error
// with its name, and leaves nothing behind.
func TestPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the programs are shell scripts")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("PATH", os.Getenv("PATH"))
	work := t.TempDir()
	file, made := filepath.Join(work, "a.heic"), filepath.Join(work, "made.png")
	must.Succeed(t, os.WriteFile(file, []byte(heic), 0o600))
	must.Succeed(t, os.WriteFile(made, imagetest.PNG(t, imagetest.Ramp(5, 4)), 0o600))
	for _, c := range []struct{ script, given, want string }{
		{"cp " + made + ` "$2"`, "", ""},
		{"exit 0", "", "program ended well and wrote nothing"},
		{`echo text > "$2"`, "", "program has written what cannot be read: not a picture"},
		{"echo 'no such codec' >&2; exit 3", "", "program cannot read it: no such codec"},
		{"sleep 60", "", "program cannot read it: it did not end in time"},
		{`head -c 900000000 /dev/zero | tail -c 900000000 > /dev/null || exit 3; cp ` + made + ` "$2"`, "",
			"program cannot read it"},
		{"", filepath.Join(work, "absent"), "none of heif-dec, heif-convert"},
	} {
		if strings.HasPrefix(c.script, "head") && runtime.GOOS != "linux" {
			continue // where nothing limits the memory of a program
		}
		program := filepath.Join(work, "program")
		must.Succeed(t, os.WriteFile(program, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700))
		if c.given != "" {
			program = c.given
			t.Setenv("PATH", work)
		}
		s := &Set{Given: []string{"heic=" + program + " {in} {out}"}, Time: time.Second, Memory: 64 << 20}
		content, err := s.Source(t.Context(), file).Open()
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || console.ExitCode(err) != console.ExitInput {
				t.Errorf("%q: %v, want %q", c.script, err, c.want)
			}
			continue
		}
		must.Succeed(t, err)
		data := must.Get(io.ReadAll(content))(t)
		content.Close()
		if img := must.Get(png.Decode(bytes.NewReader(data)))(t); img.Bounds() != image.Rect(0, 0, 5, 4) {
			t.Errorf("a picture of %v", img.Bounds())
		}
	}
	if left := must.Get(os.ReadDir(dir))(t); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	s := &Set{Given: []string{"none"}}
	content := must.Get(s.Source(t.Context(), file).Open())(t)
	defer content.Close()
	if data := must.Get(io.ReadAll(content))(t); string(data) != heic {
		t.Errorf("none: %q", data)
	}
}

// Of several pictures that a program has written, the one that the file calls its primary is taken.
func TestSeveralResults(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"picture-1-depth.png", "picture-1.png", "picture-2.png", "picture-10.png"} {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), imagetest.PNG(t, imagetest.Ramp(1+i, 1)), 0o600))
	}
	for place, width := range map[int]int{1: 2, 2: 3, 10: 4} {
		f := must.Get(result(dir, place))(t)
		if img := must.Get(png.Decode(io.NewSectionReader(f, 0, 1<<20)))(t); img.Bounds().Dx() != width {
			t.Errorf("%d: a picture of %v, want one of %d", place, img.Bounds(), width)
		}
		f.Close()
	}
}

// A raw file has the white balance of its camera: a grey card is grey.
func TestRawWhiteBalance(t *testing.T) {
	if _, err := exec.LookPath("dcraw_emu"); err != nil {
		t.Skip("dcraw_emu of LibRaw is not on the path")
	}
	const side, start = 64, 8 + 2 + 12*19 + 4
	order := binary.LittleEndian
	var rest []byte
	for _, v := range []int32{32406, -15372, -4986, -9689, 18758, 415, 557, -2040, 10570, 5000, 10000, 6000} {
		rest = order.AppendUint32(order.AppendUint32(rest, uint32(v)), 10000) // from XYZ to the camera, and its white
	}
	rest = append(rest, "Test\x00\x00"...)
	pixels := uint32(start + len(rest))
	name := uint32(start + 12*8)
	for i := range side * side {
		red, green, blue := uint16(10000), uint16(20000), uint16(12000)
		rest = order.AppendUint16(rest, [4]uint16{red, green, green, blue}[i/side%2*2+i%2])
	}
	page := imagetest.TIFFPage(0, [][4]uint32{{254, 4, 1, 0}, {256, 4, 1, side}, {257, 4, 1, side}, {258, 3, 1, 16},
		{259, 3, 1, 1}, {262, 3, 1, 32803}, {271, 2, 5, name}, {272, 2, 5, name}, {273, 4, 1, pixels}, {277, 3, 1, 1},
		{278, 4, 1, side}, {279, 4, 1, 2 * side * side}, {33421, 3, 2, 2<<16 | 2}, {33422, 1, 4, 2<<24 | 1<<16 | 1<<8},
		{50706, 1, 4, 4<<8 | 1}, {50717, 4, 1, 60000}, {50721, 10, 9, start}, {50728, 5, 3, start + 9*8},
		{50778, 3, 1, 21}}...)
	file := filepath.Join(t.TempDir(), "card.dng")
	must.Succeed(t, os.WriteFile(file, append(append([]byte(imagetest.TIFFStart), page...), rest...), 0o600))
	s := &Set{Time: time.Minute, Memory: 1 << 30}
	content := must.Get(s.Source(t.Context(), file).Open())(t)
	defer content.Close()
	p := must.Get(imagefile.Decode(t.Context(), content, file, imagefile.Limits{Made: true}))(t)
	if r, g, b, _ := p.Image.At(32, 32).RGBA(); p.Image.ColorModel() != color.RGBA64Model || r < g-g/50 || r > g+g/50 ||
		b < g-g/50 || b > g+g/50 {
		t.Errorf("grey is %d, %d, %d in a %T", r, g, b, p.Image)
	}
}

func TestCheck(t *testing.T) {
	for text, is := range map[string]bool{"none": true, "heic=p {in} {out}": true, "raw=p -Z {stem}.tif {in}": true,
		"heic=p": false, "bmp=p {in} {out}": false, "": false} {
		if err := Check(text); (err == nil) != is {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// White of 10 and 12 bits is white, colours are those before the multiplication by alpha, in 8 and in 16 bits, and grey
// of limited range goes from 0 to 255.
func TestCorrections(t *testing.T) {
	size := image.Rect(0, 0, 2, 1)
	for _, c := range []struct {
		img       image.Image
		still     metadata.Still
		pix, want []byte
	}{
		{image.NewGray16(size), metadata.Still{Depth: 10}, []byte{0xff, 0xc0, 0, 0}, []byte{0xff, 0xff, 0, 0}},
		{image.NewGray16(size), metadata.Still{Depth: 12}, []byte{0xff, 0xf0, 0x80, 0}, []byte{0xff, 0xff, 0x80, 0x08}},
		{image.NewNRGBA(size), metadata.Still{Depth: 8, HasAlpha: true, Premultiplied: true},
			[]byte{50, 100, 128, 128, 9, 0, 0, 0}, []byte{100, 199, 255, 128, 9, 0, 0, 0}},
		{image.NewNRGBA64(image.Rect(0, 0, 1, 1)), metadata.Still{Depth: 16, HasAlpha: true, Premultiplied: true},
			[]byte{0x20, 0, 0x40, 0, 0x80, 0, 0x80, 0}, []byte{0x40, 0, 0x80, 0, 0xff, 0xff, 0x80, 0}},
		{image.NewGray(size), metadata.Still{Depth: 8, Grey: true, Limited: true}, []byte{16, 235}, []byte{0, 255}},
		{image.NewGray(size), metadata.Still{Depth: 8, Grey: true}, []byte{16, 235}, []byte{16, 235}},
		{image.NewGray16(size), metadata.Still{Depth: 10, Grey: true, Limited: true},
			[]byte{64 >> 2, 0, 940 >> 2, 0}, []byte{0, 0, 255, 255}},
	} {
		pix, _, _ := picture.Samples(c.img)
		copy(pix, c.pix)
		if correct(c.img, &c.still); !bytes.Equal(pix, c.want) {
			t.Errorf("%T of %+v: %x became %x, want %x", c.img, c.still, c.pix, pix, c.want)
		}
	}
}
