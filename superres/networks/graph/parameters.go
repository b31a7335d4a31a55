package graph

import (
	"fmt"
	"math"
)

// WholeFactors returns the parameters Up and Down of the Resize that multiplies heights by down and widths by across.
// It fails unless both are the same whole number, at most MaxScale, or its inverse.
func WholeFactors(down, across float64) (up, reduce int, err error) {
	const slack = 1e-5 // files hold 0.333333
	if math.Abs(down-across) <= slack*math.Abs(across) {
		for n := 1; n <= MaxScale; n++ {
			if math.Abs(down/float64(n)-1) < slack {
				return n, 1, nil
			}
			if math.Abs(down*float64(n)-1) < slack {
				return 1, n, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("by %g×%g is not supported, only by whole factors", across, down)
}

// InterleavedChannels returns the parameter of the Select that takes the channels i, i+step, i+2·step, … for each i
// below step, of count channels.
func InterleavedChannels(count, step int) []int {
	list := make([]int, 0, count)
	for i := range step {
		for k := i; k < count; k += step {
			list = append(list, k)
		}
	}
	return list
}
