// Package report draws charts and writes pages that can be read from disk without a network. A script in a page lays
// pictures over one another; everything else works without it.
//
// Note: gonum.org/v1/plot draws charts, too, but brings fonts and formats for print: 6.4 of the program's 26 MB.
package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"unicode/utf8"
)

// Chart is a picture of curves.
type Chart struct {
	Title, X, Y string // X and Y are the names of the axes
	Series      []Series
	// Log makes the Y axis logarithmic; values below Floor, which must be above 0, are drawn at Floor.
	Log   bool
	Floor float64
	// Y0 and Y1 are the ends of the Y axis. If they are equal, the Y values decide.
	Y0, Y1 float64
	LogX   bool // the X axis is logarithmic, and all X values are above 0; false: linear
	// Ticks are the marks on the X axis, ascending; they are labelled if there is space. If nil, the X values decide.
	Ticks []float64
}

// Series is one curve. Style decides colour and mark, so that a name can look the same in all charts of a page.
type Series struct {
	Name   string
	Style  int
	Plain  bool // only the last point has a mark; false: all points
	Points []Point
}

// Point is a value Y at X; Low and High are its spread, such as quantiles.
type Point struct{ X, Y, Low, High float64 }

// Figure returns the chart, with the given width and height in points, above a legend that names every curve.
func (c Chart) Figure(width, height float64) (HTML, error) {
	svg, err := c.SVG(width, height)
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString(`<figure class="chart">` + string(svg) + "<figcaption>")
	for _, s := range c.Series {
		fmt.Fprintf(&all, `<span class="key"><svg width="24pt" height="10pt" viewBox="0 0 24 10" aria-hidden="true">`+
			`<path d="M0 5h24" %s/>%s</svg> %s</span>`+"\n", stroke(s.Style), mark(s.Style, 12, 5),
			template.HTMLEscapeString(s.Name))
	}
	return HTML(all.String() + "</figcaption></figure>"), nil
}

// Letter sizes in points, the greatest average width of a letter as a share of its size, and the space beside text.
const (
	wordSize, tickSize = 12, 10
	letter             = 0.58
	gap                = 4.
)

// SVG returns the chart, width×height points large. It fails if a value is not finite, or X ≤ 0 on a logarithmic axis.
func (c Chart) SVG(width, height float64) (HTML, error) {
	x, y, err := c.axes()
	if err != nil {
		return "", err
	}
	digits := 0 // letters in the longest label on the Y axis
	for _, t := range y.ticks {
		digits = max(digits, utf8.RuneCountInString(t.label))
	}
	f := frame{
		x: x, y: y, right: width - 4*gap, top: 2*gap + lineHeight(c.Title),
		left:   2*gap + letter*tickSize*float64(digits) + lineHeight(c.Y),
		bottom: height - tickSize - 2*gap - lineHeight(c.X),
	}
	f.x.thin((1-2*margin)*(f.right-f.left), func(label string) float64 {
		return letter*tickSize*float64(utf8.RuneCountInString(label)) + 2*gap
	})
	f.y.thin(f.bottom-f.top, func(string) float64 { return 1.4 * tickSize }) // the height of a line of text
	var b strings.Builder
	shown := strings.TrimSuffix(strings.TrimPrefix(c.Title+", "+c.Y, ", "), ", ")
	fmt.Fprintf(&b, `<svg width="%gpt" height="%gpt" viewBox="0 0 %g %g" font-size="%d" fill="currentColor" `+
		`role="img" aria-label="%s">`+"\n", width, height, width, height, tickSize,
		template.HTMLEscapeString("Chart: "+shown+" over "+c.X))
	writeLine(&b, c.Title, fmt.Sprintf(`x="%.2f" y="%d"`, (f.left+f.right)/2, wordSize))
	writeLine(&b, c.X, fmt.Sprintf(`x="%.2f" y="%.2f"`, (f.left+f.right)/2, height-gap))
	writeLine(&b, c.Y, fmt.Sprintf(`transform="translate(%d %.2f) rotate(-90)"`, wordSize, (f.top+f.bottom)/2))
	f.grid(&b)
	f.curves(&b, c)
	b.WriteString("</svg>")
	return HTML(b.String()), nil
}

// lineHeight returns the height of a line of text beside the axes, or 0 for no text.
func lineHeight(text string) float64 {
	if text == "" {
		return 0
	}
	return wordSize + gap
}

// writeLine writes text to b as one line. where holds the SVG attributes of its position.
func writeLine(b *strings.Builder, text, where string) {
	if text != "" {
		fmt.Fprintf(b, `<text text-anchor="middle" font-size="%d" %s>%s</text>`+"\n", wordSize, where,
			template.HTMLEscapeString(text))
	}
}

// axes returns the axes of the chart: as its points need, or as Y0, Y1 and Ticks say. clip raises Y0 to c.Floor on a
// logarithmic axis. axes fails if ranges does: if a point cannot be drawn, or Floor is not above 0.
func (c Chart) axes() (x, y axis, err error) {
	across, up, err := c.ranges()
	if err != nil {
		return x, y, err
	}
	if c.Y1 > c.Y0 {
		up = [2]float64{c.clip(c.Y0), c.Y1}
	}
	x, y = newAxis(across[0], across[1], c.LogX), newAxis(up[0], up[1], c.Log)
	if len(c.Ticks) > 0 {
		x.mark(c.Ticks)
	}
	return x, y, nil
}

// ranges returns the least and the greatest X of the points, and the ends of a Y axis that fits points and spreads with
// a margin, which ends at Floor if Log is set, or at 0 if no value is negative. Without points, both are (+Inf, -Inf).
func (c Chart) ranges() (across, up [2]float64, err error) {
	none := [2]float64{math.Inf(1), math.Inf(-1)}
	if c.Log && !(c.Floor > 0) {
		return none, none, fmt.Errorf("report: chart %q: the floor of a logarithmic axis is %g, expected above 0",
			c.Title, c.Floor)
	}
	across, up = none, none
	widen := func(ends *[2]float64, v float64) { *ends = [2]float64{min(ends[0], v), max(ends[1], v)} }
	for _, s := range c.Series {
		for _, p := range s.Points {
			if sum := p.X + p.Y + p.Low + p.High; math.IsNaN(sum) || math.IsInf(sum, 0) || c.LogX && p.X <= 0 {
				return none, none, fmt.Errorf("report: chart %q, curve %q: the point %v cannot be drawn", c.Title,
					s.Name, p)
			}
			widen(&across, p.X)
			widen(&up, c.clip(p.Y))
			if p.High > p.Low {
				widen(&up, c.clip(p.Low))
				widen(&up, c.clip(p.High))
			}
		}
	}
	const share = 0.05 // margin at each end, as a share of the range
	low, high := up[0], up[1]
	switch {
	case !(low < high):
	case c.Log:
		more := math.Pow(high/low, share)
		up = [2]float64{max(low/more, c.Floor), high * more}
	default:
		more := share * (high - low)
		if up = [2]float64{low - more, high + more}; low >= 0 {
			up[0] = max(up[0], 0)
		}
	}
	return across, up, nil
}

// ShareY gives charts that stand side by side the same Y axis, wide enough for the values of all charts.
func ShareY(charts ...*Chart) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range charts {
		if _, up, err := c.ranges(); err == nil { // Chart.SVG returns the error
			low, high = min(low, up[0]), max(high, up[1])
		}
	}
	for _, c := range charts {
		if low < high {
			c.Y0, c.Y1 = low, high
		}
	}
}

// clip returns the Y value at which a point with the Y value v is drawn: at least Floor on a logarithmic axis.
func (c Chart) clip(v float64) float64 {
	if c.Log {
		return max(v, c.Floor)
	}
	return v
}

// frame is the area of a chart inside its axes. It maps values to positions in points.
type frame struct {
	x, y                     axis
	left, top, right, bottom float64
}

// margin is the share of the width of a frame that stays free for marks at each end of the X axis.
const margin = 0.03

// at returns the position in points of the value (x, y).
func (f frame) at(x, y float64) (u, v float64) {
	return f.left + (f.right-f.left)*(margin+(1-2*margin)*f.x.share(x)), f.bottom + (f.top-f.bottom)*f.y.share(y)
}

// grid writes to b the axes and their ticks, and a line across the chart from each tick with a label.
func (f frame) grid(b *strings.Builder) {
	const long, short = 5, 3
	line := func(x0, y0, x1, y1 float64, more string) {
		fmt.Fprintf(b, `<path d="M%.2f %.2fL%.2f %.2f" stroke="currentColor"%s/>`+"\n", x0, y0, x1, y1, more)
	}
	const faint = ` stroke-opacity=".14"`
	text := func(anchor string, x, y float64, text string) {
		fmt.Fprintf(b, `<text text-anchor="%s" x="%.2f" y="%.2f">%s</text>`+"\n", anchor, x, y, text)
	}
	for _, t := range f.x.ticks {
		at, _ := f.at(t.value, f.y.low)
		size := float64(short)
		if t.label != "" {
			size = long
			line(at, f.top, at, f.bottom, faint)
			text("middle", at, f.bottom+gap+tickSize, t.label)
		}
		line(at, f.bottom-size, at, f.bottom, "")
	}
	for _, t := range f.y.ticks {
		_, at := f.at(f.x.low, t.value)
		size := float64(short)
		if t.label != "" {
			size = long
			line(f.left, at, f.right, at, faint)
			text("end", f.left-gap, at+0.35*tickSize, t.label) // 0.35: from the middle to the baseline
		}
		line(f.left, at, f.left+size, at, "")
	}
	line(f.left, f.top, f.left, f.bottom, "")
	line(f.left, f.bottom, f.right, f.bottom, "")
}

// curves writes to b, for each series of c, the spread and the curve, clipped to the frame, and the marks. A series
// of one point has only a mark, and a Plain one only its last mark. Marks beyond the ends of the Y axis are left out.
func (f frame) curves(b *strings.Builder, c Chart) {
	var all strings.Builder
	for _, s := range c.Series {
		var curve, upper, lower strings.Builder
		spread := false
		for i, p := range s.Points {
			x, y := f.at(p.X, c.clip(p.Y))
			fmt.Fprintf(&curve, "%.2f,%.2f ", x, y)
			_, y = f.at(p.X, c.clip(p.High))
			fmt.Fprintf(&upper, "%.2f,%.2f ", x, y)
			last := s.Points[len(s.Points)-1-i] // the lower edge of the spread is drawn from right to left
			x, y = f.at(last.X, c.clip(last.Low))
			fmt.Fprintf(&lower, "%.2f,%.2f ", x, y)
			spread = spread || p.High > p.Low
		}
		if len(s.Points) < 2 {
			continue
		}
		if spread {
			fmt.Fprintf(&all, `<polygon points="%s%s" fill="%s" fill-opacity=".13"/>`+"\n", &upper, &lower,
				shade(s.Style))
		}
		fmt.Fprintf(&all, `<polyline points="%s" %s/>`+"\n", &curve, stroke(s.Style))
	}
	// A nested svg element clips its content.
	w, h := f.right-f.left, f.bottom-f.top
	fmt.Fprintf(b, `<svg x="%.2f" y="%.2f" width="%.2f" height="%.2f" viewBox="%.2f %.2f %.2f %.2f">`+"\n%s</svg>\n",
		f.left, f.top, w, h, f.left, f.top, w, h, &all)
	for _, s := range c.Series {
		for i, p := range s.Points {
			if at := f.y.share(c.clip(p.Y)); (!s.Plain || i == len(s.Points)-1) && at >= 0 && at <= 1 {
				x, y := f.at(p.X, c.clip(p.Y))
				b.WriteString(mark(s.Style, x, y) + "\n")
			}
		}
	}
}
