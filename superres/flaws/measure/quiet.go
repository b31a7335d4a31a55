package measure

import (
	"math"
	"slices"
)

// Quiet returns how quiet the quietest places of a picture are, in levels: one in a hundred squares of 5×5 samples
// deviates less from its mean. No noise that is about the same everywhere deviates much more than that. list has the
// parts of the picture. Squares near black and white do not count, as their noise is clipped; without others, Quiet
// is infinite.
func Quiet(list []*Samples) float64 {
	const side, count, most = 5, 5 * 5, 10_000
	var squares []int64 // the variances, in units of 1/(count·Unit)² of those in levels
	for _, p := range list {
		p.Spread(0, 0, 1, 0, side, most, func(x, y int) {
			var sum, squared int64
			for v := y; v < y+side; v++ {
				for _, s := range p.Pix[v*p.W+x:][:side] {
					sum += int64(s)
					squared += int64(s) * int64(s)
				}
			}
			if 16*count*Unit < sum && sum < 239*count*Unit {
				squares = append(squares, count*squared-sum*sum)
			}
		})
	}
	if len(squares) == 0 {
		return math.Inf(1)
	}
	slices.Sort(squares)
	return math.Sqrt(float64(squares[len(squares)/100])) / (count * Unit)
}
