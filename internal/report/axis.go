package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// axis maps values to positions along a side of a chart.
type axis struct {
	low, high float64
	log       bool
	ticks     []tick
}

// tick is a mark on an axis. A tick without a label is drawn shorter.
type tick struct {
	value float64
	label string
	minor bool // the label is left out first if there is too little space
}

// newAxis returns an axis from low to high, logarithmic if isLog is true. If low is above high, as without values,
// the axis is 0.1 to 1. If they are equal, it begins below and ends above them.
func newAxis(low, high float64, isLog bool) axis {
	switch {
	case !(low <= high): // no values
		low, high = 0.1, 1
	case low == high && isLog:
		low, high = low/2, 2*high
	case low == high:
		room := max(math.Abs(low)/2, 0.5)
		low, high = low-room, high+room
	}
	a := axis{low: low, high: high, log: isLog}
	if isLog {
		a.ticks = logTicks(low, high)
	} else {
		a.ticks = linearTicks(low, high)
	}
	return a
}

// share returns the position of v on the axis: 0 is the lower end, 1 the upper end.
func (a axis) share(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return (v - a.low) / (a.high - a.low)
}

// mark replaces the ticks by labelled ticks at values, which must ascend.
func (a *axis) mark(values []float64) {
	a.ticks = nil
	for _, v := range values {
		a.ticks = append(a.ticks, tick{value: v, label: label(v)})
	}
}

// thin removes each label that would overlap a label kept before it: it goes through the ticks that are not minor,
// then through the minor ticks. size returns the space that a label needs along the axis, in the unit of length.
func (a *axis) thin(length float64, size func(label string) float64) {
	type interval struct{ from, to float64 }
	var taken []interval
	for _, minor := range []bool{false, true} {
		for i, t := range a.ticks {
			if t.minor != minor || t.label == "" {
				continue
			}
			at, half := length*a.share(t.value), size(t.label)/2
			if slices.ContainsFunc(taken, func(o interval) bool { return at-half < o.to && o.from < at+half }) {
				a.ticks[i].label = ""
				continue
			}
			taken = append(taken, interval{at - half, at + half})
		}
	}
}

// linearTicks returns about four to nine ticks for a linear axis, at multiples of 1, 2 or 5 times a power of ten.
func linearTicks(low, high float64) (list []tick) {
	most := (high - low) / 3.5 // the greatest distance between ticks; unit becomes the largest that is not above it
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{5, 2} {
		if f*unit <= most {
			unit *= f
			break
		}
	}
	for i := int(math.Ceil(low/unit - 1e-9)); i <= int(math.Floor(high/unit+1e-9)); i++ {
		v := float64(i) * unit // 1e-9: an end of the axis is a tick despite rounding
		list = append(list, tick{value: v, label: label(v)})
	}
	return list
}

// logTicks returns ticks for a logarithmic axis: at 1 to 9 times the powers of ten. The powers are labelled and, on
// an axis of less than two decades, 2 and 5 times the powers. If high < 5·low, the ticks are as on a linear axis.
func logTicks(low, high float64) (list []tick) {
	if high < 5*low {
		return linearTicks(low, high)
	}
	for e := math.Floor(math.Log10(low) + 1e-9); e <= math.Ceil(math.Log10(high)-1e-9); e++ {
		unit := math.Pow(10, e)
		for f := 1.0; f < 10; f++ {
			t := tick{value: f * unit, minor: f > 1}
			if t.value < low*(1-1e-9) || t.value > high*(1+1e-9) {
				continue
			}
			if f == 1 || high < 100*low && (f == 2 || f == 5) {
				t.label = label(t.value)
			}
			list = append(list, t)
		}
	}
	return list
}

// label returns v with at most 6 significant digits, enough to tell ticks of an axis apart, without trailing zeros.
// Numbers far from 1 are written with a power of ten, such as 2·10⁻⁵.
func label(v float64) string {
	text := strconv.FormatFloat(v, 'g', 6, 64)
	digits, exponent, far := strings.Cut(text, "e")
	if !far {
		return text
	}
	sign := ""
	if exponent[0] == '-' {
		sign = "⁻"
	}
	power := "10" + sign + superscripts.Replace(strings.TrimLeft(exponent, "+-0"))
	if digits == "1" {
		return power
	}
	return digits + "·" + power
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷",
	"8", "⁸", "9", "⁹")

// palette holds the colours of series, which colour-blind people can tell apart (after Okabe and Ito). The last but one
// is the colour of text on the page, also on a dark page.
var palette = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor", "#999999"}

// marks are SVG elements with a mark around (0, 0) in the colour %s: first the filled marks, then the open marks.
var marks = []string{
	`<circle r="3" fill="%s"/>`, `<rect x="-2.7" y="-2.7" width="5.4" height="5.4" fill="%s"/>`,
	`<path d="M-3.2 2.6h6.4L0 -3.4z" fill="%s"/>`,
	`<circle r="2.7" fill="none" stroke="%s"/>`, `<path d="M-2.5 -2.5h5v5h-5z" fill="none" stroke="%s"/>`,
	`<path d="M-3 2.4h6L0 -3.2z" fill="none" stroke="%s"/>`,
	`<path d="M-2.4 -2.4l4.8 4.8m0 -4.8l-4.8 4.8" fill="none" stroke="%s"/>`,
	`<path d="M-3 0h6M0 -3v6" fill="none" stroke="%s"/>`,
}

// shade returns the colour for a style, which is a number: see Series.
func shade(style int) string { return palette[style%len(palette)] }

// mark returns the SVG of the mark for style, at the position (x, y).
func mark(style int, x, y float64) string {
	return fmt.Sprintf(`<g transform="translate(%.2f %.2f)">%s</g>`, x, y,
		fmt.Sprintf(marks[style%len(marks)], shade(style)))
}

// stroke returns the SVG attributes of the curve for style. Curves that reuse a colour are dashed, ever more finely.
func stroke(style int) string {
	s := fmt.Sprintf(`fill="none" stroke-width="1.6" stroke="%s"`, shade(style))
	if again := style / len(palette); again > 0 {
		s += fmt.Sprintf(` stroke-dasharray="%d 3"`, max(8/again, 1))
	}
	return s
}
