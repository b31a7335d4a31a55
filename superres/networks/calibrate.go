package networks

import (
	"math"
	"math/rand/v2"

	"superres/internal/lines"
	"superres/internal/synthetic"
	"superres/superres/networks/graph"
)

// levels is a picture of samples of 8 bits, the channels of a pixel side by side.
type levels struct {
	w, h, channels int
	values         []uint8
}

// renderPictures returns count pictures of side×side pixels, other ones for another seed. Those for which isOrdinary is
// true are charts and drawings, and clouds of all sizes as in photographs, some with noise; the others are noise, lines
// and squares of extreme colours, without smooth edges.
func renderPictures(seed uint64, count, side, channels int) (list []levels) {
	rng := rand.New(rand.NewPCG(seed, 34))
	for i := range count {
		p := levels{side, side, channels, make([]uint8, side*side*channels)}
		switch i % 6 {
		case 0:
			img := synthetic.Sample(rng, side, side, 2).Image
			for k := range side * side {
				for c := range channels {
					p.values[k*channels+c] = img.Pix[4*k+(c+channels/2)%3]
				}
			}
		case 2:
			p.renderClouds(rng)
		case 4:
			p.renderClouds(rng)
			for k, v := range p.values {
				p.values[k] = uint8(min(max(int(v)+rng.IntN(41)-20, 0), 255))
			}
		default:
			p.renderExtremes(rng)
		}
		list = append(list, p)
	}
	return list
}

// isOrdinary reports whether picture i of renderPictures is like those that people have.
func isOrdinary(i int) bool { return i%2 == 0 }

// renderExtremes makes squares of 16×16 pixels with noise, stripes and squares of extreme colours: black and white, or
// colours of full saturation.
func (p *levels) renderExtremes(rng *rand.Rand) {
	const cell = 16
	for top := 0; top < p.h; top += cell {
		for left := 0; left < p.w; left += cell {
			kind, grey := rng.IntN(6), rng.IntN(2) == 0
			dx, dy := 1+rng.IntN(3), 1+rng.IntN(3)
			colours := [2][3]uint8{}
			for c := range 3 {
				bit := rng.IntN(2)
				colours[bit][c] = 255
				if grey {
					colours[0][c], colours[1][c] = 0, 255
				}
			}
			for i := range cell * cell {
				x, y := i%cell, i/cell
				bit := 0
				switch kind {
				case 0:
					bit = rng.IntN(2)
				case 1:
					bit = x / dx % 2
				case 2:
					bit = y / dy % 2
				case 3:
					bit = (x/dx + y/dy) % 2
				case 4:
					bit = rng.IntN(8) / 7
				case 5:
					bit = (x*dx + y*dy) / 4 % 2
				}
				if left+x < p.w && top+y < p.h {
					copy(p.values[((top+y)*p.w+left+x)*p.channels:][:p.channels], colours[bit][:])
				}
			}
		}
	}
}

// renderCloudy returns one picture of clouds.
func renderCloudy(seed uint64, side, channels int) *levels {
	p := &levels{side, side, channels, make([]uint8, side*side*channels)}
	p.renderClouds(rand.New(rand.NewPCG(seed, 34)))
	return p
}

// renderClouds makes a sum of smooth noise of all sizes: of twice the size, with twice the contrast, as photographs
// have it.
func (p *levels) renderClouds(rng *rand.Rand) {
	sum := make([]float64, len(p.values))
	for size := 1; size < p.w; size *= 2 {
		across := p.w/size + 3
		grid := make([]float64, across*across*p.channels)
		for i := range grid {
			grid[i] = rng.Float64() - 0.5
		}
		shared := rng.Float64() // how much the channels have in common
		for i := 0; i < len(grid); i += p.channels {
			for c := 1; c < p.channels; c++ {
				grid[i+c] = float64(shared*grid[i]) + float64((1-shared)*grid[i+c])
			}
		}
		for i := range sum {
			c, x, y := i%p.channels, i/p.channels%p.w, i/p.channels/p.w
			fx, fy := float64(x%size)/float64(size), float64(y%size)/float64(size)
			at := func(dx, dy int) float64 { return grid[((y/size+dy)*across+x/size+dx)*p.channels+c] }
			upper := at(0, 0) + float64(fx*(at(1, 0)-at(0, 0)))
			lower := at(0, 1) + float64(fx*(at(1, 1)-at(0, 1)))
			sum[i] += float64(float64(size) * (upper + float64(fy*(lower-upper))))
		}
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range sum {
		least, most = min(least, v), max(most, v)
	}
	for i, v := range sum {
		p.values[i] = uint8(math.Round(255 * (v - least) / (most - least)))
	}
}

// rows returns the picture as the source of a program reads it.
func (p *levels) rows() *lines.Rows {
	r := lines.NewRows(lines.Size{W: p.w, H: p.h, Step: p.channels})
	for y := range p.h {
		row := r.Row(y)
		for i, v := range p.values[y*p.w*p.channels:][:p.w*p.channels] {
			row[i] = int16(v) * (white / 255)
		}
	}
	return r
}

// samples returns the picture as a graph reads it, with the given value for white.
func (p *levels) samples(white float32) graph.Samples {
	s := graph.NewSamples(graph.Shape{W: p.w, H: p.h, Channels: p.channels})
	for i, v := range p.values {
		s.Values[i] = float32(v) / 255 * white
	}
	return s
}
