package networks

import (
	"math"
	"math/rand/v2"

	"superres/superres/networks/graph"
)

// renderCloudy returns a picture of samples from 0 to 1, in steps of 1/255, that seed decides: a sum of noises, each
// interpolated between random values on a grid of 1, 2, 4, … samples, with a contrast in proportion to this number.
func renderCloudy(seed uint64, side, channels int) graph.Samples {
	rng := rand.New(rand.NewPCG(seed, 34))
	p := graph.NewSamples(graph.Shape{W: side, H: side, Channels: channels})
	sum := make([]float64, len(p.Values))
	for size := 1; size < side; size *= 2 {
		across := side/size + 3 // grid points in a row, some beyond the picture
		grid := make([]float64, across*across*channels)
		for i := range grid {
			grid[i] = rng.Float64() - 0.5
		}
		shared := rng.Float64() // weight of the noise that all channels share
		for i := 0; i < len(grid); i += channels {
			for c := 1; c < channels; c++ {
				grid[i+c] = float64(shared*grid[i]) + float64((1-shared)*grid[i+c])
			}
		}
		for i := range sum {
			c, x, y := i%channels, i/channels%side, i/channels/side
			fx, fy := float64(x%size)/float64(size), float64(y%size)/float64(size)
			at := func(dx, dy int) float64 { return grid[((y/size+dy)*across+x/size+dx)*channels+c] }
			upper := at(0, 0) + float64(fx*(at(1, 0)-at(0, 0)))
			lower := at(0, 1) + float64(fx*(at(1, 1)-at(0, 1)))
			sum[i] += float64(float64(size) * (upper + float64(fy*(lower-upper))))
		}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range sum {
		least, most = min(least, v), max(most, v)
	}
	for i, v := range sum { // becomes 0 for the least, 1 for the greatest
		p.Values[i] = float32(math.Round(255*(v-least)/(most-least)) / 255)
	}
	return p
}
