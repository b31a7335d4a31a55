package degrade

import (
	"math"

	"superres/internal/elementary"
	"superres/internal/quantiser"
)

// pass changes p, a plane of brightness, as a JPEG file does in which p is saved and opened again.
func (f File) pass(p *Plane) { f.passBlocks(p, &quantiser.Brightness) }

// passBlocks quantises p as a JPEG file does, and rounds it to levels. steps is the quantisation table for quality 50.
// Blocks of 8×8 samples cover p, the first whole one at (X, Y). Beyond the edges of p its edge samples are repeated.
func (f File) passBlocks(p *Plane, steps *[64]int) {
	var table [64]float32
	for i, step := range steps {
		table[i] = float32(quantiser.Scale(step, f.Quality))
	}
	var block, work [64]float32
	for top := f.Y - 8; top < p.H; top += 8 {
		for left := f.X - 8; left < p.W; left += 8 {
			if top+8 <= 0 || left+8 <= 0 { // no sample of the block is in p
				continue
			}
			for y := range 8 {
				row := p.Pix[min(max(top+y, 0), p.H-1)*p.W:]
				for x := range 8 {
					block[8*y+x] = row[min(max(left+x, 0), p.W-1)] - 128
				}
			}
			transform(&work, &block, &cosines)
			for i, v := range work {
				work[i] = table[i] * float32(math.Round(float64(v/table[i])))
			}
			transform(&block, &work, &inverse)
			for y := max(top, 0); y < min(top+8, p.H); y++ {
				for x := max(left, 0); x < min(left+8, p.W); x++ {
					p.Pix[y*p.W+x] = roundLevel(block[8*(y-top)+x-left] + 128)
				}
			}
		}
	}
}

// cosines is the orthonormal cosine transform of 8 samples, with a frequency in each row, and inverse its transpose.
var cosines, inverse = func() (c, t [64]float32) {
	for k := range 8 {
		scale := math.Sqrt(2. / 8)
		if k == 0 {
			scale = math.Sqrt(1. / 8)
		}
		for x := range 8 {
			v := float32(scale * elementary.Cos(math.Pi*float64((2*x+1)*k)/16))
			c[8*k+x], t[8*x+k] = v, v
		}
	}
	return c, t
}()

// transform sets *to to the product m·b·mᵀ. All are 8×8 matrices, stored row by row.
func transform(to, b, m *[64]float32) {
	var half [64]float32
	for i := range 8 {
		for k := range 8 {
			w := m[8*i+k]
			for j := range 8 {
				half[8*i+j] += w * b[8*k+j]
			}
		}
	}
	for i := range 8 {
		row := half[8*i : 8*i+8]
		for j := range 8 {
			sum := float32(0)
			for k, v := range row {
				sum += v * m[8*j+k]
			}
			to[8*i+j] = sum
		}
	}
}
