package degrade

import "math"

// pass is what the file keeps of the picture: the brightness of a JPEG, whose blocks of 8×8
// samples begin at X−8 and Y−8 and go beyond the edges, where samples are repeated.
func (f File) pass(p *Plane) {
	table := quantisers(f.Quality)
	var block, work [64]float32
	for top := f.Y - 8; top < p.H; top += 8 {
		for left := f.X - 8; left < p.W; left += 8 {
			if top+8 <= 0 || left+8 <= 0 {
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
			transform(&block, &work, &turned)
			for y := max(top, 0); y < min(top+8, p.H); y++ {
				for x := max(left, 0); x < min(left+8, p.W); x++ {
					p.Pix[y*p.W+x] = rounded(block[8*(y-top)+x-left] + 128)
				}
			}
		}
	}
}

// cosines is the orthonormal cosine transform of eight samples, a row for a frequency, and
// turned its inverse.
var cosines, turned = func() (c, t [64]float32) {
	for k := range 8 {
		scale := math.Sqrt(2. / 8)
		if k == 0 {
			scale = math.Sqrt(1. / 8)
		}
		for x := range 8 {
			v := float32(scale * math.Cos(math.Pi*float64((2*x+1)*k)/16))
			c[8*k+x], t[8*x+k] = v, v
		}
	}
	return c, t
}()

// transform sets to to M·B·Mᵀ, of a block by rows.
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

// quantisers are the steps of a quality, 1 to 100: those of Annex K of ITU-T T.81 for
// brightness, by rows, scaled as libjpeg does.
func quantisers(quality int) (table [64]float32) {
	scale := 200 - 2*quality
	if quality < 50 {
		scale = 5000 / quality
	}
	for i, step := range annexK {
		table[i] = float32(min(max((step*scale+50)/100, 1), 255))
	}
	return table
}

var annexK = [64]int{
	16, 11, 10, 16, 24, 40, 51, 61,
	12, 12, 14, 19, 26, 58, 60, 55,
	14, 13, 16, 24, 40, 57, 69, 56,
	14, 17, 22, 29, 51, 87, 80, 62,
	18, 22, 37, 56, 68, 109, 103, 77,
	24, 35, 55, 64, 81, 104, 113, 92,
	49, 64, 78, 87, 103, 121, 120, 101,
	72, 92, 95, 98, 112, 100, 103, 99,
}
