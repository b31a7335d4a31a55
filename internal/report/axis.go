package report

import (
	"math"
	"strconv"
)

// axis maps values to positions along a side of a chart.
type axis struct {
	low, high float64
	log       bool
	ticks     []tick
}

// tick is a mark of an axis. One without a label is shorter.
type tick struct {
	value float64
	label string
}

// spanning returns an axis for values from low to high, widened where they are equal.
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
	const room = 0.09 // of a label
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

// label returns a value in as few digits as tell it from its neighbours.
func label(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
