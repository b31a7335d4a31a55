// Package report draws charts and writes pages that can be read from disk with no
// network. A script in a page lays pictures over one another; all else is there without.
package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Chart is a picture of curves.
type Chart struct {
	Title, X, Y string // and the names of the axes
	Series      []Series
	// Log draws Y on a logarithmic axis; values below Floor are drawn there.
	Log   bool
	Floor float64
	// Y0 and Y1 are the ends of a linear axis; equal: chosen by the values.
	Y0, Y1 float64
	LogX   bool // X values are all above 0
	// Ticks are the marks of the X axis, ascending, labelled where there is room; nil:
	// chosen by the values.
	Ticks []float64
}

// Series is one curve. Its colour and mark follow from Style, so that a name can
// look the same in all charts of a page.
type Series struct {
	Name   string
	Style  int
	Plain  bool // no marks
	Points []Point
}

// Point is a value with its spread, such as quantiles.
type Point struct{ X, Y, Low, High float64 }

// palette tells series apart, also for the colour-blind (after Okabe and Ito).
var palette = []color.NRGBA{
	{0xd5, 0x5e, 0x00, 0xff}, {0x00, 0x72, 0xb2, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0xe6, 0x9f, 0x00, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x33, 0x33, 0x33, 0xff}, {0x99, 0x99, 0x99, 0xff},
}

var marks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
}

// stroke is what a style's curve is drawn with. Beyond the colours there are dashes.
func stroke(style int) draw.LineStyle {
	line := draw.LineStyle{Color: palette[style%len(palette)], Width: 1.6}
	if again := style / len(palette); again > 0 {
		line.Dashes = []vg.Length{vg.Length(8 / again), 3}
	}
	return line
}

// glyph is the mark of a style.
func glyph(style int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[style%len(palette)], Radius: 3, Shape: marks[style%len(marks)]}
}

// Figure draws the chart, width by height in points, with a legend below it that names
// every curve.
func (c Chart) Figure(width, height float64) (HTML, error) {
	svg, err := c.SVG(width, height)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString(`<figure class="chart">` + string(svg) + "<figcaption>")
	for _, s := range c.Series {
		canvas := vgsvg.New(24, 10)
		dc := draw.New(canvas)
		dc.StrokeLine2(stroke(s.Style), 0, 5, 24, 5)
		if !s.Plain {
			dc.DrawGlyph(glyph(s.Style), vg.Point{X: 12, Y: 5})
		}
		svg, err := element(canvas)
		if err != nil {
			return "", err
		}
		all.WriteString(`<span class="key">` + string(svg) + " " + template.HTMLEscapeString(s.Name) + "</span>\n")
	}
	return HTML(all.String() + "</figcaption></figure>"), nil
}

// SVG draws the chart, width by height in points.
func (c Chart) SVG(width, height float64) (svg HTML, err error) {
	defer func() {
		if r := recover(); r != nil { // the library's way to refuse values
			err = fmt.Errorf("report: chart %q cannot be drawn: %v", c.Title, r)
		}
	}()
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.X, c.Y
	for _, style := range []*text.Style{
		&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label,
	} {
		style.Font = font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, style.Font.Size)
	}
	p.Title.Padding = 6
	p.Add(grid())
	if c.Log && c.drawn() {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
		p.Y.Min, p.Y.Max = c.Floor, 1
	}
	if c.LogX && c.drawn() {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
	}
	if len(c.Ticks) > 0 {
		p.X.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
			var list []plot.Tick
			room := 0.09 * (c.Ticks[len(c.Ticks)-1] - c.Ticks[0]) // of a label
			last := math.Inf(-1)
			for _, v := range c.Ticks {
				tick := plot.Tick{Value: v}
				if v-last >= room {
					tick.Label, last = strconv.FormatFloat(v, 'g', -1, 64), v
				}
				list = append(list, tick)
			}
			return list
		})
	}
	for _, s := range c.Series {
		if len(s.Points) == 0 {
			continue
		}
		if err := c.add(p, s); err != nil {
			return "", fmt.Errorf("report: chart %q, curve %q: %w", c.Title, s.Name, err)
		}
	}
	switch {
	case c.Log:
		p.Y.Min, p.Y.Max = c.Floor, max(p.Y.Max, 10*c.Floor)
	case c.Y1 > c.Y0:
		p.Y.Min, p.Y.Max = c.Y0, c.Y1
	}
	if c.LogX && c.drawn() {
		p.X.Max = max(p.X.Max, 10*p.X.Min) // one value has no range
	}
	canvas := vgsvg.New(vg.Length(width), vg.Length(height))
	p.Draw(draw.New(canvas))
	return element(canvas)
}

// element returns a canvas as an element to be put in a page.
func element(canvas *vgsvg.Canvas) (HTML, error) {
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	svg := b.Bytes()
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:] // the XML header has no place inside a page
	}
	return HTML(themed.Replace(string(bytes.TrimSpace(svg)))), nil
}

// themed makes what is black, white or grey follow the page, which may be dark, and names
// fonts for systems that lack the first.
var themed = strings.NewReplacer(
	"fill:#FFFFFF", "fill:none", "#000000", "currentColor", "#333333", "currentColor", "#E4E4E4", "currentColor;stroke-opacity:.14",
	"font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,sans-serif;")

// drawn tells whether there is anything to draw.
func (c Chart) drawn() bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool { return len(s.Points) > 0 })
}

// add draws the spread, the curve and its marks.
func (c Chart) add(p *plot.Plot, s Series) error {
	clip := func(v float64) float64 {
		if c.Log {
			return max(v, c.Floor)
		}
		return v
	}
	n := len(s.Points)
	line, band := make(plotter.XYs, n), make(plotter.XYs, 2*n)
	spread := false
	for i, v := range s.Points {
		line[i] = plotter.XY{X: v.X, Y: clip(v.Y)}
		band[i] = plotter.XY{X: v.X, Y: clip(v.Low)}
		band[2*n-1-i] = plotter.XY{X: v.X, Y: clip(v.High)}
		spread = spread || v.High > v.Low
	}
	shade := palette[s.Style%len(palette)]
	if spread && n > 1 {
		area, err := plotter.NewPolygon(band)
		if err != nil {
			return err
		}
		pale := shade
		pale.A = 0x22
		area.Color, area.LineStyle.Width = pale, 0
		p.Add(area)
	}
	curve, points, err := plotter.NewLinePoints(line)
	if err != nil {
		return err
	}
	curve.LineStyle, points.GlyphStyle = stroke(s.Style), glyph(s.Style)
	if s.Plain {
		points.Radius = 0
	}
	p.Add(curve, points)
	return nil
}

func grid() *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = color.Gray{0xe4}, color.Gray{0xe4}
	return g
}

// decades marks the powers of ten with their values, and 2 to 9 between them.
func decades(low, high float64) []plot.Tick {
	var list []plot.Tick
	if !(low > 0 && low <= high && high < math.Inf(1)) {
		return nil // an axis without values
	}
	for e := int(math.Floor(math.Log10(low) + 1e-9)); e <= int(math.Ceil(math.Log10(high)-1e-9)); e++ {
		unit := math.Pow10(e)
		for f := 1.0; f < 10; f++ {
			v := f * unit
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			label := ""
			if f == 1 {
				label = strconv.FormatFloat(unit, 'g', -1, 64)
			}
			list = append(list, plot.Tick{Value: v, Label: label})
		}
	}
	return list
}
