package superres

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/testimage"
)

// kindSide is the side of the pictures of kinds.
const kindSide = 64

// kind is a small picture of one kind that an enlargement meets. No model was trained on any.
type kind struct {
	name string
	img  image.Image
}

// drawing is a picture to draw on.
type drawing struct{ *image.NRGBA }

func newDrawing(ground color.Color) drawing {
	m := image.NewNRGBA(image.Rect(0, 0, kindSide, kindSide))
	draw.Draw(m, m.Rect, image.NewUniform(ground), image.Point{}, draw.Src)
	return drawing{m}
}

func rgb(v uint32) color.NRGBA { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255} }

func (c drawing) fill(x0, y0, x1, y1 int, ink color.Color) {
	draw.Draw(c, image.Rect(x0, y0, x1, y1), image.NewUniform(ink), image.Point{}, draw.Src)
}

func (c drawing) write(face font.Face, x, y int, ink color.Color, text string) {
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
}

// kinds returns drawings of five kinds, and a part of a photograph.
func kinds(t testing.TB, photograph image.Image) []kind {
	t.Helper()
	crop := func(img image.Image, x, y int) image.Image {
		out := image.NewNRGBA(image.Rect(0, 0, kindSide, kindSide))
		draw.Draw(out, out.Rect, img, image.Pt(x, y), draw.Src)
		return out
	}
	return []kind{
		{"coloured text", drawColouredText(t)}, {"one-pixel lines", drawPixelLines()}, {"pixel art", drawPixelArt()},
		{"zone plate", drawZonePlate()}, {"sheet", crop(sheet(), 0, 8)}, {"photograph", crop(photograph, 32, 24)},
	}
}

func drawColouredText(t testing.TB) image.Image {
	t.Helper()
	parsed := must.Get(opentype.Parse(goregular.TTF))(t)
	face := must.Get(opentype.NewFace(parsed, &opentype.FaceOptions{Size: 13, DPI: 72}))(t)
	c := newDrawing(rgb(0xd04040))
	c.fill(32, 0, 64, 32, rgb(0x40a060))
	c.fill(0, 32, 32, 64, rgb(0x1020d0))
	c.fill(32, 32, 64, 64, rgb(0xf0e040))
	for i, ink := range []uint32{0x808080, 0x808080, 0xe01020, 0x606060} {
		x, y := 32*(i%2)+2, 32*(i/2)
		c.write(face, x, y+13, rgb(ink), "Grey")
		c.write(basicfont.Face7x13, x, y+27, rgb(ink), "Text")
	}
	return c
}

func drawPixelLines() image.Image {
	c := newDrawing(rgb(0xf4f4f4))
	for i := range 32 {
		if i%2 == 0 {
			c.fill(i, 0, i+1, 12, color.Black) // stripes of one pixel
			c.fill(34, i, 44, i+1, color.Black)
		}
		if i%4 == 0 {
			c.fill(i, 14, i+1, 26, rgb(0x606060))
			c.fill(46, i, 62, i+1, rgb(0x606060))
		}
		c.Set(i, 30+i/5, color.Black)
		c.Set(i/2, 40+i/2, color.Black)
		c.Set(4+i, 63-i*2/3, rgb(0xc01818))
	}
	for a := range 720 { // a circle of whole pixels
		sin, cos := math.Sincos(float64(a) * math.Pi / 360)
		c.Set(int(math.Round(50+11*cos)), int(math.Round(48+11*sin)), color.Black)
	}
	for i := range 4 {
		c.Set(46+3*i, 48, color.Black)
	}
	return c
}

func drawPixelArt() image.Image {
	c := newDrawing(rgb(0x30306c))
	for y := range 3 {
		for x := range 8 {
			c.fill(8*x+4*(y%2), 52+4*y, 8*x+4*(y%2)+7, 55+4*y, rgb(0x3c8c4c)) // a wall
			c.fill(8*x+4*(y%2), 55+4*y, 8*x+4*(y%2)+7, 56+4*y, rgb(0x1c5430))
		}
	}
	for i := range 12 {
		c.Set(5*i*7%64, 3+i*11%20, rgb(0xf0e8a0)) // stars
	}
	ink := map[rune]color.Color{
		'#': color.Black, 'g': rgb(0xb8c0c8), 'd': rgb(0x707888), 'r': rgb(0xd83030),
		'y': rgb(0xf8c838), 'w': color.White,
	}
	robot := []string{
		".....r......", ".....#......", "..########..", "..#gggggd#..",
		"..#w#gw#d#..", "..#gggggd#..", "..#g###gd#..", "..########..",
		"....#yd#....", ".##########.", "#g#rrgggd#g#", "#g#gggyyd#g#",
		"#.#gggyyd#.#", "..########..", "..#d#..#d#..", ".###....###.",
	}
	for y, row := range robot {
		for x, v := range row {
			if v != '.' {
				c.Set(4+x, 36+y, ink[v])
				c.fill(30+2*x, 20+2*y, 32+2*x, 22+2*y, ink[v])
			}
		}
	}
	return c
}

func drawZonePlate() image.Image {
	return testimage.Gray(kindSide, kindSide, func(x, y int) uint8 {
		return uint8(math.Round(127.5 + 127.5*math.Cos(math.Pi*float64((x-4)*(x-4)+(y-4)*(y-4))/128)))
	})
}

// enlargedKinds returns the kinds, and their enlargements by a model.
func enlargedKinds(t *testing.T, model string, scale int) (list []kind, out []image.Image) {
	t.Helper()
	m := builtin(t, model)
	list = kinds(t, golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	for _, k := range list {
		out = append(out, upscale(t, m, k.img, float64(scale)))
	}
	return list, out
}

// All kinds are compared with one golden sheet.
func TestGoldenKinds(t *testing.T) {
	const columns, side = 3, 2 * kindSide
	_, all := enlargedKinds(t, "photo", 2)
	sheet := image.NewNRGBA(image.Rect(0, 0, columns*side, len(all)/columns*side))
	for i, img := range all {
		at := image.Pt(i%columns*side, i/columns*side)
		draw.Draw(sheet, img.Bounds().Add(at), img, image.Point{}, draw.Src)
	}
	golden.Compare(t, "kinds_photo.png", sheet, golden.Tolerance{Levels: 1, Share: 0.01})
}
