package kernel

import (
	"slices"
	"testing"
)

// A layer whose outputs see one channel each is one of 3×3 taps whose other weights are 0.
func TestConvolveDepthwise(t *testing.T) {
	const channels, samples, line = 32, 30, 32 * 32
	narrow := randomFilter(3, 3, channels, channels, 10, 1)
	wide := randomFilter(3, 3*channels/2, channels, channels, 10, 1)
	wide.Bias, wide.PositiveScale, wide.NegativeScale = narrow.Bias, narrow.PositiveScale, narrow.NegativeScale
	clear(wide.Weights)
	for o := range channels {
		for tap := range 9 {
			w := narrow.Weights[(o/Lanes*9+tap)*Lanes+o%Lanes] & 0xffff
			entry := tap%3*channels + o
			wide.Weights[((o/Lanes*3+tap/3)*wide.Words+entry/2)*Lanes+o%Lanes] |= w << (entry % 2 * 16)
		}
	}
	src, rows := randomShorts(3*line, 1), []int{line, 0, 2 * line}
	skip := randomShorts(samples*channels, 2)
	got, want := make([]int16, len(skip)), make([]int16, len(skip))
	eachTier(t, func(t *testing.T) {
		ConvolveDepthwise(got, src, rows, samples, narrow, skip)
		if Convolve(want, src, rows, samples, wide, skip); !slices.Equal(got, want) {
			t.Error("the outputs are not those of all weights")
		}
	})
}
