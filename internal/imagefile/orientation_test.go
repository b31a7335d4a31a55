package imagefile

import (
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// The pictures of these tests are made of square blocks, each of one ink and
// called by its letter; "ABC/DEF" is two rows of three.
const block = 16 // pixels, what a JPEG keeps apart even in its chroma

var inks = map[byte]color.RGBA{
	'A': {R: 20, G: 20, B: 20, A: 255}, 'B': {R: 240, G: 30, B: 30, A: 255}, 'C': {R: 30, G: 200, B: 30, A: 255},
	'D': {R: 30, G: 40, B: 230, A: 255}, 'E': {R: 240, G: 240, B: 60, A: 255}, 'F': {R: 250, G: 250, B: 250, A: 255},
}

// readLetters names the blocks of img by the nearest inks, row by row.
func readLetters(img image.Image) string {
	var words []string
	b := img.Bounds()
	for y := block / 2; y < b.Dy(); y += block {
		var word []byte
		for x := block / 2; x < b.Dx(); x += block {
			best, least := byte('?'), 1<<30
			got := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
			for letter, ink := range inks {
				if _, grey := img.(*image.Gray); grey {
					g := color.GrayModel.Convert(ink).(color.Gray).Y
					ink = color.RGBA{R: g, G: g, B: g, A: 255}
				}
				dr, dg, db := int(got.R)-int(ink.R), int(got.G)-int(ink.G), int(got.B)-int(ink.B)
				if d := dr*dr + dg*dg + db*db; d < least {
					best, least = letter, d
				}
			}
			word = append(word, best)
		}
		words = append(words, string(word))
	}
	return strings.Join(words, "/")
}

// All kinds of pixels come upright, whatever file tells their orientation.
func TestOrientationsOfEveryFormat(t *testing.T) {
	// How "ABC/DEF" as stored is to be seen, after the EXIF standard: value 6
	// says, "the 0th row is the right side, the 0th column the top".
	want := []string{
		"ABC/DEF", "ABC/DEF", "CBA/FED", "FED/CBA", "DEF/ABC", "AD/BE/CF", "DA/EB/FC", "FC/EB/DA", "CF/BE/AD",
		"ABC/DEF",
	}
	r := image.Rect(0, 0, 3*block, 2*block)
	inked := func(img draw.Image) image.Image {
		for i := range r.Dx() * r.Dy() {
			x, y := i%r.Dx(), i/r.Dx()
			c := inks["ABCDEF"[y/block*3+x/block]]
			img.Set(x, y, c)
			if n, ok := img.(*image.NRGBA); ok {
				n.SetNRGBA(x, y, color.NRGBA{c.R, c.G, c.B, uint8(200 + i%2)})
			}
		}
		return img
	}
	var p color.Palette
	for _, letter := range "ABCDEF" {
		p = append(p, inks[byte(letter)])
	}
	for name, img := range map[string]image.Image{
		"gray": inked(image.NewGray(r)), "gray16": inked(image.NewGray16(r)), "palette": inked(image.NewPaletted(r, p)),
		"rgba": inked(image.NewRGBA(r)), "nrgba": inked(image.NewNRGBA(r)), "rgba64": inked(image.NewRGBA64(r)),
		"nrgba64": inked(image.NewNRGBA64(r)),
	} {
		for o := range want { // 0 and 9 are none
			exif := imagetest.WithExif([]byte{0xff, 0xd8}, o, binary.BigEndian)[12:]
			jpeg := encoded(t, img, JPEG, EncodeOptions{Quality: 100})
			for format, data := range map[string][]byte{
				"png":  imagetest.WithChunks(imagetest.PNG(t, img), imagetest.PNGChunk("eXIf", exif)),
				"tiff": turnedTIFF(encoded(t, img, TIFF, EncodeOptions{}), uint16(o)),
				"jpeg": imagetest.WithExif(jpeg, o, []binary.AppendByteOrder{binary.LittleEndian,
					binary.BigEndian}[o%2]),
			} {
				var seen image.Config
				got, err := decodeBytes(data, name+"."+format, Limits{
					Accept: func(cfg image.Config, _ int64) error { seen = cfg; return nil }})
				must.Succeed(t, err)
				if size := got.Image.Bounds().Size(); image.Pt(seen.Width, seen.Height) != size {
					t.Errorf("%s as %s, orientation %d: accepted as %dx%d, comes as %v", name, format, o, seen.Width,
						seen.Height, size)
				}
				if grey, ok := got.Image.(*image.Gray16); ok {
					got.Image = grey8(grey)
				}
				if letters := readLetters(got.Image); letters != want[o] {
					t.Errorf("%s as %s, orientation %d: got %s, want %s", name, format, o, letters, want[o])
				}
				if stripped, err := decodeBytes(data, name+"."+format, Limits{Strip: true}); err != nil ||
					stripped.Metadata.EXIF != nil || stripped.Image.Bounds() != got.Image.Bounds() {
					t.Errorf("%s as %s, orientation %d, stripped: %v, %v", name, format, o, stripped.Image.Bounds(),
						err)
				}
			}
		}
	}
}

// turnedTIFF puts an orientation in place of the number of samples, which the
// decoder does not look at, and the tags back in order.
func turnedTIFF(data []byte, o uint16) []byte {
	at := binary.LittleEndian.Uint32(data[4:])
	for n, e := binary.LittleEndian.Uint16(data[at:]), data[at+2:]; n > 0; n, e = n-1, e[12:] {
		if binary.LittleEndian.Uint16(e) == 277 {
			binary.LittleEndian.PutUint16(e, 274)
			binary.LittleEndian.PutUint16(e[8:], o)
		}
	}
	return data
}

// CMYK, which no format here is written in, keeps its type.
func TestTurnKeepsCMYK(t *testing.T) {
	src := &image.CMYK{Pix: []byte("abcdefghijklmnopqrstuvwx"), Stride: 12, Rect: image.Rect(0, 0, 3, 2)}
	dst, ok := Upright(src, 6).(*image.CMYK)
	if want := "mnopabcdqrstefghuvwxijkl"; !ok || dst.Stride != 8 || string(dst.Pix) != want {
		t.Errorf("%+v, expected %s", dst, want)
	}
}
