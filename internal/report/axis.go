package report

import (
	"fmt"
	"math"
	"strconv"
)

// axis maps values to positions along a side of a chart.
type axis struct {
	low, high float64
	log       bool
	ticks     []tick
}

// tick is a mark on an axis. A tick with an empty label is drawn shorter.
type tick struct {
	value float64
	label string
}

// spanning returns an axis for values from low to high, logarithmic if log, and widened where low and high are equal.
func spanning(low, high float64, log bool) axis {
	switch {
	case !(low <= high): // no values
		low, high = 0.1, 1
	case log:
		high = max(high, 10*low)
	case low == high:
		room := max(math.Abs(low)/2, 0.5)
		low, high = low-room, high+room
	}
	a := axis{low: low, high: high, log: log}
	if log {
		a.ticks = decades(low, high)
	} else {
		a.ticks = steps(low, high)
	}
	return a
}

// share returns the position of a value: 0 is the lower end of the axis, 1 the upper end.
func (a axis) share(v float64) float64 {
	if a.log {
		return math.Log(v/a.low) / math.Log(a.high/a.low)
	}
	return (v - a.low) / (a.high - a.low)
}

// mark puts ticks at ascending values, and labels those that have space for a label.
func (a *axis) mark(values []float64) {
	const room = 0.09 // the share of the axis that a label needs
	a.ticks = nil
	last := math.Inf(-1)
	for _, v := range values {
		t := tick{value: v}
		if at := a.share(v); at-last >= room {
			t.label, last = label(v), at
		}
		a.ticks = append(a.ticks, t)
	}
}

// steps returns about four to nine multiples of 1, 2 or 5 times a power of ten.
func steps(low, high float64) (list []tick) {
	most := (high - low) / 3.5
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, f := range []float64{5, 2} {
		if f*unit <= most {
			unit *= f
			break
		}
	}
	for i := int(math.Ceil(low/unit - 1e-9)); i <= int(math.Floor(high/unit+1e-9)); i++ {
		v := float64(i) * unit
		list = append(list, tick{v, label(v)})
	}
	return list
}

// decades returns ticks at the powers of ten, labelled, and at 2 to 9 times them.
func decades(low, high float64) (list []tick) {
	for e := math.Floor(math.Log10(low) + 1e-9); e <= math.Ceil(math.Log10(high)-1e-9); e++ {
		unit := math.Pow(10, e)
		for f := 1.0; f < 10; f++ {
			t := tick{value: f * unit}
			if t.value < low*(1-1e-9) || t.value > high*(1+1e-9) {
				continue
			}
			if f == 1 {
				t.label = label(t.value)
			}
			list = append(list, t)
		}
	}
	return list
}

// label returns v with at most 6 significant digits, and without zeros at its end. Ticks of one axis differ in them.
func label(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// palette has the colours of series, which the colour-blind can tell apart (after Okabe and Ito). The last but one is
// the colour of the page's text, also where the page is dark.
var palette = []string{"#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "currentColor", "#999999"}

// marks draw a mark around 0: filled, then not.
var marks = []string{
	`<circle r="3" fill="%s"/>`, `<rect x="-2.7" y="-2.7" width="5.4" height="5.4" fill="%s"/>`,
	`<path d="M-3.2 2.6h6.4L0 -3.4z" fill="%s"/>`,
	`<circle r="2.7" fill="none" stroke="%s"/>`, `<path d="M-2.5 -2.5h5v5h-5z" fill="none" stroke="%s"/>`,
	`<path d="M-3 2.4h6L0 -3.2z" fill="none" stroke="%s"/>`,
	`<path d="M-2.4 -2.4l4.8 4.8m0 -4.8l-4.8 4.8" fill="none" stroke="%s"/>`,
	`<path d="M-3 0h6M0 -3v6" fill="none" stroke="%s"/>`,
}

// shade returns the colour of a style, the number of a series.
func shade(style int) string { return palette[style%len(palette)] }

// mark draws the mark of a style at a position.
func mark(style int, x, y float64) string {
	return fmt.Sprintf(`<g transform="translate(%.2f %.2f)">%s</g>`, x, y,
		fmt.Sprintf(marks[style%len(marks)], shade(style)))
}

// stroke returns the attributes of the curve of a style. Styles beyond the colours have dashes.
func stroke(style int) string {
	s := fmt.Sprintf(`fill="none" stroke-width="1.6" stroke="%s"`, shade(style))
	if again := style / len(palette); again > 0 {
		s += fmt.Sprintf(` stroke-dasharray="%d 3"`, max(8/again, 1))
	}
	return s
}
