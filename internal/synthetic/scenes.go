package synthetic

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"

	"superres/internal/elementary"
)

// Picture is a synthetic picture.
type Picture struct {
	// Image is opaque.
	Image *image.NRGBA
	// IsPixelArt is true if each square of unit×unit pixels (see Sample) has a single colour.
	IsPixelArt bool
}

// Sample returns a random picture of w×h pixels that shows the screen of a computer with w/unit × h/unit pixels: a thin
// line is about unit pixels wide, a letter at least 7·unit pixels high. Edges are anti-aliased, as programs draw them,
// except in pixel art. The picture depends only on the numbers of rng and on the sizes.
func Sample(rng *rand.Rand, w, h, unit int) Picture {
	if rng.IntN(8) == 0 {
		return Picture{Image: renderPixelArt(rng, w, h, unit), IsPixelArt: true}
	}
	c := newCanvas(rng, w, h, float64(unit))
	c.fillRectangle(0, 0, c.w, c.h, c.sampleColour())
	c.renderScene()
	if c.likely(0.25) { // another scene covers the lower right part
		x, y := c.snap(c.between(0.3, 0.7)*c.w), c.snap(c.between(0.3, 0.7)*c.h)
		part := newCanvas(rng, w-int(x*c.unit), h-int(y*c.unit), c.unit)
		part.fillRectangle(0, 0, part.w, part.h, c.sampleColour())
		part.renderScene()
		draw.Draw(c.NRGBA, image.Rect(int(x*c.unit), int(y*c.unit), w, h), part.NRGBA, image.Point{}, draw.Src)
	}
	return Picture{Image: c.NRGBA}
}

// canvas is an image on which shapes are rendered. Coordinates count in units, which are unit pixels long, from the
// upper left corner, so that the same scene can be rendered at several sizes.
type canvas struct {
	*image.NRGBA
	*rand.Rand
	w, h, unit float64 // w and h: size in units; unit: pixels per unit
}

func newCanvas(rng *rand.Rand, w, h int, unit float64) *canvas {
	return &canvas{image.NewNRGBA(image.Rect(0, 0, w, h)), rng, float64(w) / unit, float64(h) / unit, unit}
}

// likely is true with the probability p. between draws from [lo, hi) evenly, proportion evenly in the logarithm.
func (c *canvas) likely(p float64) bool             { return c.Float64() < p }
func (c *canvas) between(lo, hi float64) float64    { return lo + (hi-lo)*c.Float64() }
func (c *canvas) proportion(lo, hi float64) float64 { return lo * elementary.Pow(hi/lo, c.Float64()) }

// snap rounds v, a length in units, to whole units.
func (c *canvas) snap(v float64) float64 { return math.Round(v) }

// sampleColour returns a random colour: black or white with a probability of 0.2 each, another grey with 0.2.
func (c *canvas) sampleColour() color.NRGBA {
	v := [3]uint8{uint8(c.IntN(256)), uint8(c.IntN(256)), uint8(c.IntN(256))}
	switch kind := c.IntN(10); {
	case kind < 2:
		v = [3]uint8{}
	case kind < 4:
		v = [3]uint8{255, 255, 255}
	case kind < 6:
		v[1], v[2] = v[0], v[0]
	}
	return color.NRGBA{v[0], v[1], v[2], 255}
}

// sampleInk returns a random colour. Most are visible on the colour ground: over 40 of 255 levels brighter or darker.
func (c *canvas) sampleInk(ground color.NRGBA) color.NRGBA {
	for {
		ink := c.sampleColour()
		if math.Abs(brightness(ink)-brightness(ground)) > 40 || c.likely(0.1) {
			return ink
		}
	}
}

func brightness(v color.NRGBA) float64 {
	return 0.299*float64(v.R) + 0.587*float64(v.G) + 0.114*float64(v.B)
}

// colourAt returns the colour of the pixel at (x, y), in units, or of the nearest pixel of the picture.
func (c *canvas) colourAt(x, y float64) color.NRGBA {
	return c.NRGBAAt(min(max(int(x*c.unit), 0), c.Rect.Dx()-1), min(max(int(y*c.unit), 0), c.Rect.Dy()-1))
}

// renderScene renders a scene of a random kind on the whole canvas. A kind listed twice is twice as likely.
func (c *canvas) renderScene() {
	scenes := []func(){
		c.renderPage, c.renderPage, c.renderCode, c.renderLines, c.renderLines, c.renderCurves, c.renderCartoon,
		c.renderDialog, c.renderDialog, c.renderChart, c.renderStreets, c.renderStreets, c.renderPattern,
		c.renderGradient,
	}
	scenes[c.IntN(len(scenes))]()
}

// renderLines renders lines in all directions, about a third of them nearly horizontal or vertical, and some polygons.
func (c *canvas) renderLines() {
	for range 4 + c.IntN(14) {
		x, y := c.between(0, c.w), c.between(0, c.h)
		angle := c.between(0, math.Pi)
		if c.likely(0.35) {
			angle = math.Pi/2*float64(c.IntN(2)) + 0.15*c.NormFloat64()
		}
		sin, cos := elementary.Sincos(angle)
		long := c.proportion(6, c.w)
		width := c.sampleWidth()
		ink := c.sampleInk(c.colourAt(x, y))
		count := 1
		if c.likely(0.2) { // several parallel lines
			count = 2 + c.IntN(5)
		}
		gap := width * c.between(1.5, 4)
		for i := range count {
			ox, oy := -sin*gap*float64(i), cos*gap*float64(i)
			c.stroke(ink, width, []point{{x + ox - cos*long/2, y + oy - sin*long/2},
				{x + ox + cos*long/2, y + oy + sin*long/2}})
		}
		if c.likely(0.2) {
			x, y, r := c.between(0, c.w), c.between(0, c.h), c.proportion(2, 20)
			c.fillArea(c.sampleInk(c.colourAt(x, y)), c.sampleCorners(x, y, r, 3+c.IntN(3)))
		}
	}
}

// sampleWidth returns a random line width, hardly ever below one unit, because programs draw no line thinner than a
// pixel of the screen. A model trained on thinner lines would mistake a grey line for a thin black one.
func (c *canvas) sampleWidth() float64 {
	if c.likely(0.4) {
		return 1
	}
	return c.proportion(0.9, 5)
}

// renderStreets renders a map in muted colours: winding borders and straight roads, 0.9 to 2.5 units wide, and names.
func (c *canvas) renderStreets() {
	ground := c.colourAt(0, 0)
	tones := [3]color.NRGBA{c.sampleMiddle(ground), c.sampleMiddle(ground), c.sampleMiddle(ground)}
	narrow := func() float64 { return c.proportion(0.9, 2.5) }
	for range 1 + c.IntN(5) {
		x, y, angle := c.between(0, c.w), c.between(0, c.h), c.between(0, 2*math.Pi)
		list := []point{{x, y}}
		for range 10 + c.IntN(60) {
			angle += 0.35 * c.NormFloat64()
			sin, cos := elementary.Sincos(angle)
			x, y = x+3*cos, y+3*sin
			list = append(list, point{x, y})
		}
		c.stroke(tones[0], narrow(), list)
	}
	for range 2 + c.IntN(8) {
		from, to := point{c.between(0, c.w), c.between(0, c.h)}, point{c.between(0, c.w), c.between(0, c.h)}
		c.stroke(tones[1], narrow(), []point{from, to})
	}
	for range 2 + c.IntN(8) {
		c.write(c.between(-5, c.w-10), c.between(5, c.h), c.between(7, 16), tones[2], c.sampleWords(c.between(3, 10)))
	}
}

// sampleMiddle returns a random colour between the colour ground and a colour that is visible on it.
func (c *canvas) sampleMiddle(ground color.NRGBA) color.NRGBA {
	ink, share := c.sampleInk(ground), c.between(0.3, 0.8)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.NRGBA{mix(ground.R, ink.R), mix(ground.G, ink.G), mix(ground.B, ink.B), 255}
}

// sampleCorners returns the n corners of a random polygon, each at the distance r from (x, y).
func (c *canvas) sampleCorners(x, y, r float64, n int) (list []point) {
	turn := c.between(0, 2*math.Pi)
	for i := range n {
		sin, cos := elementary.Sincos(turn + 2*math.Pi*(float64(i)+c.between(-0.2, 0.2))/float64(n))
		list = append(list, point{x + r*cos, y + r*sin})
	}
	return list
}

// renderCurves renders circles, discs and arcs, some flattened to ellipses, and waves.
func (c *canvas) renderCurves() {
	for range 4 + c.IntN(10) {
		x, y, r := c.between(0, c.w), c.between(0, c.h), c.proportion(1.5, c.w/2)
		ink := c.sampleInk(c.colourAt(x, y))
		from, to := 0.0, 2*math.Pi
		if c.likely(0.4) {
			from, to = c.between(0, 3), c.between(3.5, 7)
		}
		flat := 1.0
		if c.likely(0.4) {
			flat = c.between(0.2, 1)
		}
		switch c.IntN(4) {
		case 0:
			c.fillArea(ink, arc(x, y, r, r*flat, 0, 2*math.Pi))
		case 1:
			c.renderWave(x, y, ink)
		default:
			rings := 1
			if c.likely(0.2) {
				rings = 2 + c.IntN(4)
			}
			width := c.sampleWidth()
			for i := range rings {
				more := float64(i) * width * 2.5
				c.stroke(ink, width, arc(x, y, r+more, (r+more)*flat, from, to))
			}
		}
	}
}

// renderWave renders a wave as long as the canvas is wide, with its middle at (x, y).
func (c *canvas) renderWave(x, y float64, ink color.NRGBA) {
	var list []point
	high, long := c.proportion(1, c.h/3), c.proportion(4, c.w) // amplitude and wavelength
	for i := range 65 {
		u := float64(i)/32 - 1
		list = append(list, point{x + u*c.w/2, y + high*elementary.Sin(u*c.w/2/long*2*math.Pi)})
	}
	c.stroke(ink, c.sampleWidth(), list)
}

// arc returns points on an ellipse with centre (x, y) and radii rx and ry, between the angles from and to in radians.
func arc(x, y, rx, ry, from, to float64) (list []point) {
	n := 8 + int(2*math.Sqrt(max(rx, ry))*(to-from))
	for i := range n + 1 {
		sin, cos := elementary.Sincos(from + (to-from)*float64(i)/float64(n))
		list = append(list, point{x + rx*cos, y + ry*sin})
	}
	return list
}

// renderCartoon renders round shapes of one colour, most with an outline.
func (c *canvas) renderCartoon() {
	outline := c.sampleColour()
	width := c.proportion(1, 4)
	for range 3 + c.IntN(8) {
		x, y, r := c.between(0, c.w), c.between(0, c.h), c.proportion(3, c.w/2)
		var list []point
		corners := c.sampleCorners(x, y, r, 4+c.IntN(5))
		for i, p := range corners { // a closed quadratic B-spline
			next, after := corners[(i+1)%len(corners)], corners[(i+2)%len(corners)]
			for k := range 8 {
				t := float64(k) / 8
				a, b, d := (1-t)*(1-t)/2, 0.5+t*(1-t), t*t/2
				list = append(list, point{a*p.x + b*next.x + d*after.x, a*p.y + b*next.y + d*after.y})
			}
		}
		c.fillArea(c.sampleColour(), list)
		if c.likely(0.75) {
			c.stroke(outline, width, append(list, list[0], list[1]))
		}
	}
}

// renderDialog renders frames, fields and buttons, with edges on whole pixels of the screen, and words.
func (c *canvas) renderDialog() {
	ground := c.colourAt(0, 0)
	size := c.between(8, 14)
	for range 5 + c.IntN(8) {
		x, y := c.snap(c.between(-5, c.w-8)), c.snap(c.between(-5, c.h-8))
		w, h := c.snap(c.proportion(4, c.w)), c.snap(c.proportion(4, c.h/2))
		edge, inside := c.sampleInk(ground), c.sampleColour()
		border := float64(1 + c.IntN(8)/6) // 1 or, in a quarter of cases, 2
		switch c.IntN(4) {
		case 0:
			c.fillRectangle(x, y, w, border, edge) // a horizontal line
			continue
		case 1:
			r := c.between(1.5, min(6, w/2, h/2))
			c.fillArea(edge, roundRectangle(x, y, w, h, r))
			c.fillArea(inside, roundRectangle(x+border, y+border, w-2*border, h-2*border, max(r-border, 0.5)))
		default:
			c.fillRectangle(x, y, w, h, edge)
			if c.likely(0.7) {
				c.fillRectangle(x+border, y+border, w-2*border, h-2*border, inside)
			} else {
				inside = edge
			}
		}
		if h > size && c.likely(0.7) {
			c.write(x+border+2, y+(h+0.7*size)/2, size, c.sampleInk(inside), c.sampleWords(w/size*2))
		}
	}
}

// roundRectangle returns the outline of a rectangle with corners of radius r.
func roundRectangle(x, y, w, h, r float64) (list []point) {
	for i, at := range []point{{x + w - r, y + h - r}, {x + r, y + h - r}, {x + r, y + r}, {x + w - r, y + r}} {
		list = append(list, arc(at.x, at.y, r, r, float64(i)*math.Pi/2, float64(i+1)*math.Pi/2)...)
	}
	return list
}

// renderChart renders axes, a grid, curves or bars, and numbers.
func (c *canvas) renderChart() {
	ground := c.colourAt(0, 0)
	ink := c.sampleInk(ground)
	step := c.snap(c.between(6, 20))
	left, bottom := c.snap(c.between(4, 14)), c.snap(c.h-c.between(4, 14))
	for i := 1.0; i*step < c.w; i++ {
		if c.likely(0.8) {
			c.fillRectangle(left+i*step, 0, 1, bottom, c.sampleColour())
			c.fillRectangle(left, bottom-i*step, c.w, 1, c.sampleColour())
		}
		c.write(left+i*step-3, bottom+9, 8, ink, c.sampleWords(2))
	}
	c.fillRectangle(left, 0, 1, bottom, ink)
	c.fillRectangle(left, bottom, c.w, 1, ink)
	for range 1 + c.IntN(4) {
		curve := c.sampleInk(ground)
		y, slope := c.between(0, bottom), 0.0
		bars, dots := c.likely(0.3), c.likely(0.3)
		var list []point
		for x := left; x < c.w; x += step / 2 {
			slope = 0.7*slope + 5*c.NormFloat64()
			y = min(max(y+slope, 2), bottom-1)
			list = append(list, point{x, y})
			if bars {
				c.fillRectangle(x, c.snap(y), c.snap(step/3)+1, bottom-c.snap(y), curve)
			}
			if dots {
				c.fillArea(curve, arc(x, y, 2, 2, 0, 2*math.Pi))
			}
		}
		if !bars {
			c.stroke(curve, c.proportion(0.8, 3), list)
		}
	}
}

// renderPattern renders stripes, squares in every second place as on a chessboard, both, or oblique hatching.
func (c *canvas) renderPattern() {
	first := c.sampleColour()    // of squares
	second := c.sampleInk(first) // of stripes and hatching
	period := float64(2 + c.IntN(7))
	if c.likely(0.3) {
		period = c.between(2, 9)
	}
	share := max(1, c.snap(period/2)) // width of a stripe
	switch kind := c.IntN(4); kind {
	case 0, 1: // stripes, for 1 with squares on them
		across := c.likely(0.5)
		for i := 0.0; i*period < max(c.w, c.h); i++ {
			if across {
				c.fillRectangle(i*period, 0, share, c.h, second)
			} else {
				c.fillRectangle(0, i*period, c.w, share, second)
			}
		}
		if kind == 0 {
			return
		}
		fallthrough
	case 2: // squares
		for y := 0.0; y*period < c.h; y++ {
			for x := 0.0; x*period < c.w; x++ {
				if int(x+y)%2 == 0 {
					c.fillRectangle(x*period, y*period, period, period, first)
				}
			}
		}
	default: // hatching
		sin, cos := elementary.Sincos(c.between(0, math.Pi))
		for i := -c.w; i < c.w; i += period {
			x, y := c.w/2-sin*i, c.h/2+cos*i
			c.stroke(second, share*0.7, []point{{x - cos*c.w, y - sin*c.w}, {x + cos*c.w, y + sin*c.w}})
		}
	}
}

// renderGradient renders a gradient from one colour to another, with shapes on it.
func (c *canvas) renderGradient() {
	from, to := c.sampleColour(), c.sampleColour()
	sin, cos := elementary.Sincos(c.between(0, 2*math.Pi))
	for y := range c.Rect.Dy() {
		for x := range c.Rect.Dx() {
			t := 0.5 + 0.35*((float64(x)/c.unit/c.w-0.5)*cos+(float64(y)/c.unit/c.h-0.5)*sin)*2
			mix := func(a, b uint8) uint8 {
				return uint8(math.Round(min(max((1-t)*float64(a)+t*float64(b), 0), 255)))
			}
			c.SetNRGBA(x, y, color.NRGBA{mix(from.R, to.R), mix(from.G, to.G), mix(from.B, to.B), 255})
		}
	}
	[]func(){c.renderLines, c.renderCurves, c.renderCartoon, c.renderDialog}[c.IntN(4)]()
}

// renderPixelArt returns pixel art: symmetric figures, blocks, lines of single pixels and dithers in few colours.
func renderPixelArt(rng *rand.Rand, w, h, unit int) *image.NRGBA {
	small := newCanvas(rng, (w+unit-1)/unit, (h+unit-1)/unit, 1)
	palette := make([]color.NRGBA, 2+rng.IntN(7))
	for i := range palette {
		palette[i] = small.sampleColour()
	}
	ink := func() color.NRGBA { return palette[rng.IntN(len(palette))] }
	small.fillRectangle(0, 0, small.w, small.h, palette[0])
	for range 6 + rng.IntN(12) {
		x, y := rng.IntN(int(small.w)), rng.IntN(int(small.h))
		side := 3 + rng.IntN(14)
		one, two := ink(), ink()
		switch rng.IntN(4) {
		case 0: // a figure
			for v := range side {
				for u := range (side + 1) / 2 {
					if rng.IntN(2) == 0 {
						shade := ink()
						small.SetNRGBA(x+u, y+v, shade)
						small.SetNRGBA(x+side-1-u, y+v, shade)
					}
				}
			}
		case 1: // a block
			small.fillRectangle(float64(x), float64(y), float64(side), float64(1+rng.IntN(side)), one)
		case 2: // a dither
			for v := range side {
				for u := range side {
					if (u+v)%2 == 0 || rng.IntN(side) > u {
						small.SetNRGBA(x+u, y+v, two)
					}
				}
			}
		default: // a line
			sin, cos := elementary.Sincos(small.between(0, 2*math.Pi))
			for i := range 3 * side {
				small.SetNRGBA(x+int(math.Round(cos*float64(i))), y+int(math.Round(sin*float64(i))), one)
			}
		}
	}
	out := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetNRGBA(x, y, small.NRGBAAt(x/unit, y/unit))
		}
	}
	return out
}
