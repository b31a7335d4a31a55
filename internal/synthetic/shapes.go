package synthetic

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"superres/internal/elementary"
)

// point is a position in units: see canvas.
type point struct{ x, y float64 }

// fillRectangle fills a rectangle, or nothing if w or h ≤ 0. It does no anti-aliasing if all sides lie between pixels.
func (c *canvas) fillRectangle(x, y, w, h float64, ink color.NRGBA) {
	if w <= 0 || h <= 0 {
		return
	}
	whole := func(v float64) bool { return v*c.unit == math.Round(v*c.unit) }
	if whole(x) && whole(y) && whole(w) && whole(h) {
		r := image.Rect(int(x*c.unit), int(y*c.unit), int((x+w)*c.unit), int((y+h)*c.unit))
		draw.Draw(c.NRGBA, r, image.NewUniform(ink), image.Point{}, draw.Src)
		return
	}
	c.fillArea(ink, []point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}})
}

// fillArea fills a polygon.
func (c *canvas) fillArea(ink color.NRGBA, list []point) { c.paint(ink, [][]point{list}) }

// stroke renders a line of the given width through the points of list.
func (c *canvas) stroke(ink color.NRGBA, width float64, list []point) {
	var parts [][]point
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		long := elementary.Hypot(b.x-a.x, b.y-a.y)
		if long == 0 {
			continue
		}
		u, v := (b.y-a.y)/long*width/2, (a.x-b.x)/long*width/2 // from the middle of the line to its edge
		if len(list) > 2 {                                     // segments overlap, to leave no gaps at bends
			more := 0.25 * width / long
			a, b = point{a.x - more*(b.x-a.x), a.y - more*(b.y-a.y)}, point{b.x + more*(b.x-a.x), b.y + more*(b.y-a.y)}
		}
		parts = append(parts, []point{{a.x + u, a.y + v}, {b.x + u, b.y + v}, {b.x - u, b.y - v}, {a.x - u, a.y - v}})
	}
	c.paint(ink, parts)
}

// paint fills the union of the polygons in list, which must all turn the same way: areas of opposite turns cancel out.
func (c *canvas) paint(ink color.NRGBA, list [][]point) {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, polygon := range list {
		for _, p := range polygon {
			x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
		}
	}
	if !(x0 < c.w && y0 < c.h && x1 > 0 && y1 > 0) {
		return
	}
	box := image.Rect(int(max(x0, 0)*c.unit), int(max(y0, 0)*c.unit), int(min(x1, c.w)*c.unit)+1,
		int(min(y1, c.h)*c.unit)+1).Intersect(c.Rect)
	r := vector.NewRasterizer(box.Dx(), box.Dy())
	for _, polygon := range list {
		for i, p := range polygon {
			x, y := float32(p.x*c.unit-float64(box.Min.X)), float32(p.y*c.unit-float64(box.Min.Y))
			if i == 0 {
				r.MoveTo(x, y)
			} else {
				r.LineTo(x, y)
			}
		}
		r.ClosePath()
	}
	r.Draw(c.NRGBA, box, image.NewUniform(ink), image.Point{})
}

// fonts returns the fonts in which text is rendered.
var fonts = sync.OnceValue(func() (list []*opentype.Font) {
	for _, data := range [][]byte{goregular.TTF, gobold.TTF, gomono.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			panic(err) // the fonts are part of the program
		}
		list = append(list, f)
	}
	return list
})

// write renders text in a random font. (x, y) is the left end of the base line; size is the font size in units.
func (c *canvas) write(x, y, size float64, ink color.NRGBA, text string) {
	c.renderText(fonts()[c.IntN(len(fonts()))], x, y, size, ink, text)
}

// renderText renders text in the font f. (x, y) is the left end of the base line; size is the font size in units.
func (c *canvas) renderText(f *opentype.Font, x, y, size float64, ink color.NRGBA, text string) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size * c.unit, DPI: 72})
	if err != nil {
		panic(err) // impossible: NewFace refuses only other options
	}
	d := font.Drawer{Dst: c.NRGBA, Src: image.NewUniform(ink), Face: face,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * c.unit * 64), Y: fixed.Int26_6(y * c.unit * 64)}}
	d.DrawString(text)
}

// renderPage renders text in several sizes.
func (c *canvas) renderPage() {
	f := fonts()[c.IntN(len(fonts()))]
	ground := c.colourAt(0, 0)
	ink := c.sampleInk(ground)
	for y := c.between(0, 12); y < c.h+10; {
		size := c.proportion(7, 40)
		if c.likely(0.6) {
			size = c.between(7, 16)
		}
		x := c.between(-10, c.w/4)
		for range 1 + c.IntN(4) {
			y += size * c.between(1.05, 1.3)
			c.renderText(f, x, y, size, ink, c.sampleWords(2*(c.w-x)/size+2)) // a letter is about size/2 wide
		}
		if c.likely(0.3) {
			ink = c.sampleInk(ground)
		}
	}
}

// renderCode renders lines of words in up to four colours, like source code in an editor.
func (c *canvas) renderCode() {
	size := c.between(8, 15)
	ground := c.colourAt(0, 0)
	inks := []color.NRGBA{c.sampleInk(ground), c.sampleInk(ground), c.sampleInk(ground), c.sampleInk(ground)}
	for y := c.between(0, size); y < c.h+size; y += c.snap(size * 1.25) {
		x := c.between(-4, 4) + 2*size*float64(c.IntN(3))
		for x < c.w {
			word := c.sampleWord() + " "
			c.renderText(fonts()[2], x, y, size, inks[c.IntN(len(inks))], word)
			x += 0.6 * size * float64(len(word)) // this font gives every letter 0.6·size
		}
	}
}

// sampleWords returns random words, each followed by a space, with at least n characters in all.
func (c *canvas) sampleWords(n float64) string {
	var b strings.Builder
	for float64(b.Len()) < n {
		b.WriteString(c.sampleWord())
		b.WriteByte(' ')
	}
	return b.String()
}

// sampleWord returns a random word, mostly of lower-case letters with the frequencies of English.
func (c *canvas) sampleWord() string {
	const often = "eeeetttaaaooiinnsshhrrddlcumwfgypbvkjxqz"
	const others = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?()[]{}<>+-=*/&%$#@\"'_"
	b := make([]byte, 1+c.IntN(9))
	odd := c.likely(0.2)
	for i := range b {
		if odd || i == 0 && c.likely(0.15) {
			b[i] = others[c.IntN(len(others))]
		} else {
			b[i] = often[c.IntN(len(often))]
		}
	}
	return string(b)
}
