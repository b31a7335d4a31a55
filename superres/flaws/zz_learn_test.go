package flaws

import (
	"encoding/gob"
	"fmt"
	"image"
	_ "image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"testing"

	"superres/internal/degrade"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

var dct = func() (c [8][8]float64) {
	for k := range 8 {
		s := 0.5
		if k == 0 {
			s = math.Sqrt(1. / 8)
		}
		for x := range 8 {
			c[k][x] = s * math.Cos(math.Pi*float64((2*x+1)*k)/16)
		}
	}
	return
}()

// group of a frequency: ring 1..7 by max(u,v), three orientations
func group(u, v int) int {
	r := max(u, v)
	if r == 0 {
		return -1
	}
	o := 2
	if u > 2*v {
		o = 0
	} else if v > 2*u {
		o = 1
	}
	return (r-1)*3 + o
}

const groups = 21

func features(p *degrade.Plane) []float64 {
	w, h := p.W, p.H
	// choose stride
	stride := 4
	for ((w-8)/stride+1)*((h-8)/stride+1) > 260 {
		stride++
	}
	var lists [groups][]float64
	var count [groups]float64
	for u := range 8 {
		for v := range 8 {
			if g := group(u, v); g >= 0 {
				count[g]++
			}
		}
	}
	var phase [8]float64
	_ = phase
	for y := 0; y+8 <= h; y += stride {
		for x := 0; x+8 <= w; x += stride {
			var half, e [64]float64
			for j := range 8 {
				row := p.Pix[(y+j)*w+x:][:8]
				for k := range 8 {
					s := 0.0
					for i, t := range row {
						s += dct[k][i] * float64(t)
					}
					half[8*j+k] = s
				}
			}
			var sums [groups]float64
			for u := range 8 {
				for k := range 8 {
					s := 0.0
					for j := range 8 {
						s += dct[k][j] * half[8*j+u]
					}
					e[8*k+u] = s * s
					if g := group(u, k); g >= 0 {
						sums[g] += s * s
					}
				}
			}
			for g, s := range sums {
				lists[g] = append(lists[g], s/count[g])
			}
		}
	}
	lg := func(v float64) float64 { return math.Log2(v+0.02) / 4 }
	var f []float64
	for g := range lists {
		sort.Float64s(lists[g])
		n := len(lists[g])
		for _, q := range []int{5, 25, 60, 90} {
			f = append(f, lg(lists[g][min(n*q/100, n-1)]))
		}
	}
	// autocorrelation of a high-pass at lags, on all
	at := func(x, y int) float64 { return float64(p.Pix[y*w+x]) }
	hp := make([]float64, w*h)
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			hp[y*w+x] = 4*at(x, y) - at(x-1, y) - at(x+1, y) - at(x, y-1) - at(x, y+1)
			hp[y*w+x] = min(max(hp[y*w+x], -60), 60)
		}
	}
	lags := [][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}, {2, 0}, {0, 2}, {2, 2}, {2, -2}, {2, 1}, {1, 2}, {2, -1}, {1, -2}, {3, 0}, {0, 3}}
	ac := make([]float64, len(lags))
	e0 := 1e-3
	for y := 4; y < h-4; y++ {
		for x := 4; x < w-4; x++ {
			v := hp[y*w+x]
			e0 += v * v
			for i, l := range lags {
				ac[i] += v * hp[(y+l[1])*w+x+l[0]]
			}
		}
	}
	for i := range ac {
		f = append(f, ac[i]/e0)
	}
	// gradients: directional smoothed gradient energies along 4 directions at two scales
	var dirs [4][2]float64
	steps := [4][2]int{{1, 0}, {0, 1}, {1, 1}, {1, -1}}
	for y := 4; y < h-4; y++ {
		for x := 4; x < w-4; x++ {
			for i, s := range steps {
				d1 := at(x, y) - at(x+s[0], y+s[1])
				d2 := at(x-s[0], y-s[1]) - at(x+2*s[0], y+2*s[1])
				dirs[i][0] += d1 * d1
				dirs[i][1] += d2 * d2
			}
		}
	}
	for i := range dirs {
		f = append(f, math.Log2((dirs[i][0]+1)/(dirs[i][1]+1)))
	}
	// edge profiles: overshoot and width, in x and y
	for axis := range 2 {
		step, other := 1, w
		if axis == 1 {
			step, other = w, 1
		}
		_ = other
		var over, wide, n float64
		lim := [2]int{w, h}
		for y := 6; y < lim[1]-7; y++ {
			for x := 6; x < lim[0]-7; x++ {
				i := y*w + x
				g := p.Pix[i+step] - p.Pix[i]
				ag := float32(math.Abs(float64(g)))
				if ag < 25 || ag < abs32(p.Pix[i+2*step]-p.Pix[i+step]) || ag <= abs32(p.Pix[i]-p.Pix[i-step]) {
					continue
				}
				sgn := float32(1)
				if g < 0 {
					sgn = -1
				}
				// far plateaus
				lo, hi := sgn*p.Pix[i-5*step], sgn*p.Pix[i+6*step]
				if hi-lo < float32(30) {
					continue
				}
				mx, mn := float32(-1e9), float32(1e9)
				for k := 1; k <= 4; k++ {
					mx = max(mx, sgn*p.Pix[i+k*step])
					mn = min(mn, sgn*p.Pix[i+(1-k)*step])
				}
				over += float64(((mx - hi) + (lo - mn)) / (hi - lo))
				wide += float64(ag / (hi - lo))
				n++
			}
		}
		f = append(f, math.Log2(n+1)/8, over/(n+3), wide/(n+3))
	}
	// salt, tones, clipping
	salt, clip := 0.0, 0.0
	var seen [256]int
	for y := 1; y < h-1; y++ {
		for x := 1; x < w-1; x++ {
			v := p.Pix[y*w+x]
			seen[int(v)]++
			if v == 0 || v == 255 {
				clip++
			}
			lo, hi := float32(255), float32(0)
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if dx != 0 || dy != 0 {
						q := p.Pix[(y+dy)*w+x+dx]
						lo, hi = min(lo, q), max(hi, q)
					}
				}
			}
			if v > hi+30 || v < lo-30 {
				salt++
			}
		}
	}
	tones := 0.0
	for _, n := range seen {
		if n > 0 {
			tones++
		}
	}
	N := float64(w * h)
	f = append(f, math.Log2(salt/N*1000+0.05)/4, math.Log2(tones)/4, math.Log2(clip/N*100+0.1)/4)
	// third differences by phase (grid)
	for axis := range 2 {
		var sum, cnt [8]float64
		for y := 3; y < h-3; y++ {
			for x := 3; x < w-3; x++ {
				s, pos := 1, x
				if axis == 1 {
					s, pos = w, y
				}
				i := y*w + x
				d := p.Pix[i-2*s] - 3*p.Pix[i-s] + 3*p.Pix[i] - p.Pix[i+s]
				sum[pos%8] += math.Min(math.Abs(float64(d)), 12)
				cnt[pos%8]++
			}
		}
		var m []float64
		for k := range sum {
			m = append(m, sum[k]/cnt[k])
		}
		sort.Float64s(m)
		f = append(f, math.Log2((m[7]+0.1)/(m[3]+0.1)), math.Log2((m[6]+0.1)/(m[3]+0.1)))
	}
	// known file
	s := &samples{w: w, h: h, pix: make([]int32, w*h), parts: 1}
	for i, v := range p.Pix {
		s.pix[i] = int32(unit * v)
	}
	q, loss := estimateFile([]*samples{s}, 0)
	f = append(f, float64(q)/100, loss/8)
	return f
}

func abs32(v float32) float32 { return max(v, -v) }

type sample struct {
	F    []float64
	L    [7]float64
	Name string
	D    degrade.Degradation
}

func load(dirs ...string) (list []*plane.Plane) {
	for _, d := range dirs {
		names, _ := filepath.Glob("/work/shared/data/" + d + "/*.png")
		for _, n := range names {
			f, _ := os.Open(n)
			img, _, err := image.Decode(f)
			f.Close()
			if err != nil {
				panic(err)
			}
			list = append(list, picture.Split(img).Luma())
		}
	}
	return
}

func TestMakeData(t *testing.T) {
	if os.Getenv("OUT") == "" {
		t.Skip()
	}
	var n, seed int
	fmt.Sscan(os.Getenv("N"), &n)
	fmt.Sscan(os.Getenv("SEED"), &seed)
	dirs := []string{"kodak", "open", "pexels", "skimage", "unsplash"}
	if os.Getenv("SET") != "" {
		dirs = []string{os.Getenv("SET")}
	}
	pics := load(dirs...)
	rng := rand.New(rand.NewPCG(uint64(seed), 77))
	var out []sample
	for len(out) < n {
		p := pics[rng.IntN(len(pics))]
		scale := 1 + rng.IntN(4) // 1: the picture as it is
		side := 64 + 8*rng.IntN(13)
		if p.W < side*scale+2 || p.H < side*scale+2 {
			scale = 1
			side = min(side, p.W, p.H)
			if side < 48 {
				continue
			}
		}
		x, y := rng.IntN(p.W-side*scale+1), rng.IntN(p.H-side*scale+1)
		crop := p.Crop(x, y, side*scale, side*scale)
		d := degrade.Sample(rng)
		low := crop
		aliased := 0.
		if scale > 1 {
			k := rng.IntN(10)
			if d.IsClean() {
				k = 9
			}
			switch {
			case k == 0:
				low = resample.Box.Reduce(crop, scale)
			case k == 1:
				aliased = 1
				low = plane.New(side, side)
				for i := range low.Pix {
					low.Pix[i] = crop.Row(i / side * scale)[i%side*scale]
				}
			default:
				low = resample.Cubic.Reduce(crop, scale)
			}
		}
		q := &degrade.Plane{W: side, H: side, Pix: make([]float32, side*side)}
		for i := range q.Pix {
			q.Pix[i] = 255 * low.Pix[i]
		}
		c := d.Apply(rng, q)
		xx, yy, xy := d.Blur.Root()
		out = append(out, sample{F: features(q), L: [7]float64{min(c.Noise/25, 1), min(c.Loss/25, 1), xx / 2.5, yy / 2.5, xy / 2.5, d.Sharpen / 1.5, aliased}, D: d})
	}
	f, _ := os.Create(os.Getenv("OUT"))
	gob.NewEncoder(f).Encode(out)
	f.Close()
}
