package flaws

import (
	_ "embed" // the perceptron
	"image"
	"math"
	"sort"
	"sync"

	"superres/internal/kernel"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// Correction changes a picture that is blurred or sharpened to one as the bicubic kernel would have made it, for which
// models are made (S. Abu Hussein, T. Tirer, R. Giryes, Correction filter for single image super-resolution, CVPR
// 2020): the base-2 logarithms, in steps of 1/256, of the gains at frequencies of
// 1/16, 2/16, … 8/16 cycles a sample, in all directions; the last holds beyond too. The zero value changes nothing.
type Correction [correctionBands]int32

const correctionBands = 8

// IsNone reports whether c changes nothing.
func (c Correction) IsNone() bool { return c == Correction{} }

// middle is the index of the gain at a frequency of 1/4.
const middle = correctionBands/2 - 1

// Blur returns the standard deviation, in pixels, of the Gaussian blur that c undoes, by its gain at a frequency of
// 1/4; 0: it undoes none.
func (c Correction) Blur() float64 {
	// A blur of deviation s has left the share exp(−2π²s²f²) of frequency f.
	return math.Sqrt(math.Ln2 * max(0, float64(c[middle])/traitOne) * 8 / (math.Pi * math.Pi))
}

// Sharpening returns by what factor the sharpening that c undoes has raised detail, at the frequency where most; 0: it
// undoes none.
func (c Correction) Sharpening() float64 {
	least := int32(0)
	for _, v := range c {
		least = min(least, v)
	}
	if least == 0 {
		return 0
	}
	return math.Exp2(float64(-least) / traitOne)
}

// gains returns the outputs of p as the gains of a correction, and the greatest up and down.
func (p *Perceptron) gains(traits []int32) (c Correction, up, down int64) {
	for i, v := range p.Outputs(traits)[:correctionBands] {
		c[i] = int32(min(max((v+1<<15)>>16, -mostGain), mostGain))
		up, down = max(up, int64(c[i])), max(down, -int64(c[i]))
	}
	return c, up, down
}

// mostGain limits gains, to 12 octaves.
const mostGain = 12 * traitOne

// Correction returns the outputs of p as a correction of blur. It is less where there is little to correct, of which
// most would be errors, and none where no gain is more than the doubtful one, d: it is multiplied by 1 − d²/m², with
// the greatest gain m (the non-negative garrote: L. Breiman, Better subset regression using the nonnegative garrote,
// Technometrics 37 (1995)). It is none where detail would have to be lowered: see Softening.
func (p *Perceptron) Correction(traits []int32) Correction {
	const d = doubtful
	c, up, down := p.gains(traits)
	if up <= max(d, down) {
		return Correction{}
	}
	for i, v := range c {
		c[i] = int32(int64(v) * (up*up - d*d) / (up * up))
	}
	return c
}

// Partly returns the correction that changes a picture by a share, 0 to 1, of what c changes.
func (c Correction) Partly(share float64) Correction {
	const whole = 1 << 10
	part := int64(float64(share*whole) + 0.5)
	for i, v := range c {
		c[i] = logarithmOf(one + (powerOfTwo(int64(v))-one)*part/whole)
	}
	return c
}

// logarithmOf returns the greatest v for which powerOfTwo(v) is at most gain.
func logarithmOf(gain int64) int32 {
	return int32(sort.Search(2*mostGain, func(v int) bool { return powerOfTwo(int64(v+1-mostGain)) > gain }) - mostGain)
}

// doubtful is the greatest gain, in steps of 1/256, that counts as none. The table has two measurements by such a gain.
// The first is on clean pictures reduced by 2, the number of them that Correction takes for blurred: the middles of
// 193, in grey, of general-dev, T91, open-valid and Kodak, and 218 whole ones in colour, of these and of Unsplash. The
// second is on 36 pictures of general-dev, blurred by 0.7 or by 1.2 pixels of the result and reduced by 2: the mean
// PSNR of the default model less that of interpolation, in dB.
//
//	gain, octaves   clean middles   whole   0.7    1.2
//	0.3             2
//	0.35            0               3       2.42   3.04
//	0.4             0
//	0.45                            1       2.31   2.86
//
// The three are soft in themselves, and lost 0.84, 0.76 and 0.32 dB, of 42 to 51. With 0.45 one loses 0.2.
const doubtful = 45 * traitOne / 100

//go:embed correction.bin
var correctionFile []byte

var corrector = sync.OnceValue(func() *Perceptron { return embedded(correctionFile) })

// Corrector returns what tells corrections in this program: see Perceptron.Correction. It must not be changed.
func Corrector() *Perceptron { return corrector() }

// Limited returns c for a picture with the flaws f: where gains are large, they would enlarge noise more than detail.
// With R, the inverse of a gain, and e, which is proportional to the variance of the noise and to the square of the
// frequency, it is (R + e)/(R² + e), which is 1/R without noise and 1 where there is nothing else.
func (c Correction) Limited(f Flaws) Correction {
	noise := float64(f.Noise*f.Noise) + float64(f.Loss*f.Loss)
	if noise == 0 {
		return c
	}
	for i, v := range c {
		r := powerOfTwo(-int64(v))
		e := int64(float64(noise*NoiseWeight*one)) * int64((i+1)*(i+1)) / (correctionBands * correctionBands)
		c[i] = logarithmOf((r + e) * one / max(r*r/one+e, 1))
	}
	return c
}

// NoiseWeight is e of Limited at a frequency of 1/2 and with noise of one level.
const NoiseWeight = 0.02

// A correction is a filter of (2·reach + 1)² taps, in steps of 2⁻¹⁴, the same in all four quadrants.
const (
	reach   = 7
	tapBits = 14
	grid    = 32 // frequencies along a side, by which taps are computed
)

type taps [][]int64

// reach returns how far the filter reaches, in samples.
func (t taps) reach() int { return len(t) - 1 }

// countOf returns how many taps of a filter equal the one x samples across and y down from its middle.
func countOf(x, y int) int64 {
	count := int64(1)
	if x > 0 {
		count *= 2
	}
	if y > 0 {
		count *= 2
	}
	return count
}

// gain returns the gain at a frequency, in steps of 2⁻²⁰. frequency is in 1/256 of a band.
func (c Correction) gain(frequency int) int64 {
	below, part := frequency/256, int32(frequency%256)
	at := func(i int) int32 { // band 0 is the mean, which stays
		if i == 0 {
			return 0
		}
		return c[min(i, correctionBands)-1]
	}
	return powerOfTwo(int64(at(below) + (at(below+1)-at(below))*part/256))
}

// turnsOf returns the cosines of the n parts of a whole turn, times 2¹⁴.
func turnsOf(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(math.Round(math.Cos(2*math.Pi*float64(i)/float64(n)) * (1 << 14)))
	}
	return list
}

// taps returns the taps of c: its gains, transformed.
func (c Correction) taps() taps {
	return newTaps(reach, grid, func(u, v int) int64 {
		return c.gain(int(math.Sqrt(float64(u*u+v*v)) * 256 * 16 / grid))
	})
}

// newTaps returns the taps of a filter from its gains at frequencies of 0/n, 1/n, … ½ cycles a sample across and down,
// in steps of 2⁻²⁰.
func newTaps(reach, n int, gain func(u, v int) int64) (t taps) {
	turns := turnsOf(n)
	across := make([][]int64, n) // of each row of frequencies, the taps across, in steps of 2⁻²⁰
	gains := make([]int64, n)
	for v := range across {
		for u := range gains {
			gains[u] = gain(min(u, n-u), min(v, n-v))
		}
		across[v] = make([]int64, reach+1)
		for x := range across[v] {
			sum := int64(0)
			for u, g := range gains {
				sum += g * turns[u*x%n]
			}
			across[v][x] = sum / (int64(n) << 14)
		}
	}
	total := int64(0)
	for y := range reach + 1 {
		t = append(t, make([]int64, reach+1))
		for x := range t[y] {
			sum := int64(0)
			for v := range n {
				sum += across[v][x] * turns[v*y%n]
			}
			t[y][x] = sum / (int64(n) << 14) >> (20 - tapBits)
			total += countOf(x, y) * t[y][x]
		}
	}
	// What is missing of the mean goes to all taps alike, so that it changes no frequency but the lowest.
	width := int64(2*reach + 1)
	each := (1<<tapBits - total) / (width * width)
	for y := range t {
		for x := range t[y] {
			t[y][x] += each
		}
	}
	t[0][0] += 1<<tapBits - total - each*width*width
	return t
}

// NoiseGain returns by how much c changes the deviation of white noise.
func (c Correction) NoiseGain() float64 {
	sum := int64(0)
	for y, row := range c.taps() {
		for x, v := range row {
			sum += countOf(x, y) * v * v
		}
	}
	return math.Sqrt(float64(sum)) / (1 << tapBits)
}

// rowsEach is how many rows repaint has painted at a time.
const rowsEach = 64

// Apply returns img corrected, in new memory: its brightness is filtered, and what that changes is added to red, green
// and blue alike. img must be opaque.
func (c Correction) Apply(img image.Image) image.Image {
	t := c.taps()
	return repaint(img, func(out *picture.Canvas, lo, hi int) { t.filter(out, img, lo, hi, brightness) })
}

func brightness(p picture.Picture) []*plane.Plane { return []*plane.Plane{p.Luma()} }

// repaint returns a picture of the kind and the size of img, whose rows paint paints, in new memory. paint is called
// concurrently, for the rows [lo, hi).
func repaint(img image.Image, paint func(out *picture.Canvas, lo, hi int)) image.Image {
	size := img.Bounds().Size()
	out := picture.NewCanvas(size.X, size.Y, picture.IsGrey(img), picture.IsDeep(img))
	parallel.Rows((size.Y+rowsEach-1)/rowsEach, func(i int) {
		paint(out, i*rowsEach, min((i+1)*rowsEach, size.Y))
	})
	return out.Image
}

// paintRow paints row y with the samples of its channels, grey or red, green and blue.
func paintRow(out *picture.Canvas, y int, channels [][]float32) {
	if len(channels) == 1 {
		out.Put(y, 0, channels[0])
	} else {
		out.RGB(y, channels[0], channels[1], channels[2])
	}
}

// filter paints the rows [lo, hi) of img. It filters the planes that listPlanes takes from the picture: one for each
// channel, or one for all, to which what that changes is added alike.
func (t taps) filter(out *picture.Canvas, img image.Image, lo, hi int,
	listPlanes func(picture.Picture) []*plane.Plane) {
	h := img.Bounds().Dy()
	from := max(lo-t.reach(), 0)
	p := picture.SplitRows(plane.New, img, true, from, min(hi+t.reach(), h))
	var changes []func(y int) []float32
	for _, one := range listPlanes(p) {
		changes = append(changes, t.newChange(one, from, h))
	}
	for y := lo; y < hi; y++ {
		var add []float32
		var painted [][]float32
		for i, channel := range p.Channels {
			if i < len(changes) {
				add = changes[i](y)
			}
			row := channel.Row(y - from)
			kernel.AddFloats(row, row, add)
			painted = append(painted, row)
		}
		paintRow(out, y, painted)
	}
}

// newChange returns what t adds to row y of a picture of h rows, of which p has those from row from on. The result is
// good until the next call.
func (t taps) newChange(p *plane.Plane, from, h int) func(y int) []float32 {
	w, reach := p.W, t.reach()
	padded := w + 2*reach
	rows := make([]float32, padded*p.H) // each row mirrored at its ends
	for y := range p.H {
		row, to := p.Row(y), rows[y*padded:][:padded]
		copy(to[reach:], row)
		for x := range reach {
			to[x], to[padded-1-x] = row[mirror(x-reach, w)], row[mirror(w+reach-1-x, w)]
		}
	}
	rowAt := func(y int) []float32 { return rows[(mirror(y, h)-from)*padded:][:padded] }
	at, weights := t.parts(padded)
	pairs, add := make([]float32, (reach+1)*padded), make([]float32, w)
	return func(y int) []float32 {
		copy(pairs, rowAt(y))
		for dy := 1; dy <= reach; dy++ {
			kernel.AddFloats(pairs[dy*padded:][:padded], rowAt(y-dy), rowAt(y+dy))
		}
		kernel.Combine(add, pairs, at, weights)
		return add
	}
}

// parts returns the taps, less the one that leaves a picture as it is, as kernel.Combine takes them, for rows of padded
// samples: the row itself, then the sums of those 1, 2, … above and below.
func (t taps) parts(padded int) (at []int, weights []float32) {
	reach := t.reach()
	for dy, row := range t {
		for dx := -reach; dx <= reach; dx++ {
			v := row[max(dx, -dx)]
			if dx == 0 && dy == 0 {
				v -= 1 << tapBits
			}
			at, weights = append(at, dy*padded+reach+dx), append(weights, float32(v)/(1<<tapBits))
		}
	}
	return at, weights
}

// mirror returns the sample of n that stands for sample i, beyond the ends too: …1 0 0 1 … n−1 n−1 n−2….
func mirror(i, n int) int {
	i %= 2 * n
	if i < 0 {
		i += 2 * n
	}
	if i >= n {
		i = 2*n - 1 - i
	}
	return i
}

// Corrected returns the flaws of a picture with the flaws f after the correction c, which changes noise, also that of
// rounding.
func (f Flaws) Corrected(c Correction) Flaws {
	gain := c.NoiseGain()
	f.Noise, f.Likely, f.Loss = f.Noise*gain, f.Likely*gain, f.Loss*gain
	if rounding := gain * 0.29; rounding > 0.5 {
		f.Loss = math.Sqrt(float64(f.Loss*f.Loss) + float64(rounding*rounding))
	}
	return f
}

// StrengthAfter returns the strength of what is wrong with a picture after the correction c, if it was s before.
func (c Correction) StrengthAfter(s float64) float64 { return roundStrength(s * c.NoiseGain()) }
