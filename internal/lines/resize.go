package lines

import "sync/atomic"

// Interpolation is a method of interpolation.
type Interpolation int

// The methods. Bilinear and Bicubic do not smooth when they reduce a picture.
const (
	Nearest Interpolation = iota
	Bilinear
	Bicubic
)

// Resize makes a picture Up times as large and Down times smaller. If there is a second input, the result has the size
// of that input. Samples beyond an edge equal the nearest sample at the edge.
type Resize struct {
	rowwise
	By       Interpolation
	Up, Down int
	A        float64 // the parameter of bicubic interpolation: see tapsOf
	// AlignCorners makes the centres of the corner samples of both pictures coincide, instead of the pictures' corners.
	AlignCorners bool

	columns atomic.Pointer[resizedColumns] // for the latest size
}

// resizedColumns holds the taps for each sample of a row that is resized from one number of samples to another.
type resizedColumns struct {
	from, to int
	taps     []taps
}

// taps are the weights of neighbouring samples. The first sample may lie beyond the edge.
type taps struct {
	first  int
	weight [4]float32
}

// count returns the number of taps for one sample.
func (r *Resize) count() int { return [...]int{1, 2, 4}[r.By] }

// Size implements Op: the size of the second input or, without one, of the first times Up/Down, rounded down.
func (r *Resize) Size(in []Size) Size {
	if len(in) > 1 {
		return Size{in[1].W, in[1].H, in[0].Step, in[0].Floats}
	}
	s := in[0]
	s.W, s.H = s.W*r.Up/r.Down, s.H*r.Up/r.Down
	return s
}

// position returns where sample i of the result lies in the input, given the numbers of samples of both. first is the
// index of the first tap, possibly beyond an edge. rest, at least 0 and below 1, is the distance to the position from
// the tap just before it, which is the second tap for Bicubic and otherwise the first; for Nearest it is 0.
func (r *Resize) position(i, inputs, outputs int) (first int, rest float64) {
	above, below := (2*i+1)*inputs-outputs, 2*outputs // the position is the quotient above/below
	switch {
	case r.By == Nearest:
		return i * inputs / outputs, 0
	case r.AlignCorners:
		above, below = i*(inputs-1), max(outputs-1, 1)
	}
	first = floorDiv(above, below)
	rest = float64(above-first*below) / float64(below)
	if r.By == Bicubic {
		first--
	}
	return first, rest
}

func floorDiv(a, b int) int {
	return (a - (a%b+b)%b) / b // a/b, rounded down
}

// tapsOf returns the taps for sample i of the result, given the numbers of samples of the input and of the result.
func (r *Resize) tapsOf(i, inputs, outputs int) taps {
	first, x := r.position(i, inputs, outputs)
	switch r.By {
	case Nearest:
		return taps{first, [4]float32{1}}
	case Bilinear:
		return taps{first, [4]float32{float32(1 - x), float32(x)}}
	}
	// R. Keys: Cubic convolution interpolation for digital image processing, IEEE Trans. ASSP 29 (1981). A is its a.
	near := func(x float64) float64 { // the weight at a distance x of up to 1
		return float64(float64(float64((r.A+2)*x)-float64(r.A+3))*float64(x*x)) + 1
	}
	far := func(x float64) float64 { // the weight at a distance x of 1 to 2
		inner := float64(float64(r.A*x)-float64(5*r.A)) * x
		return float64((float64(inner)+float64(8*r.A))*x) - float64(4*r.A)
	}
	return taps{first, [4]float32{float32(far(x + 1)), float32(near(x)), float32(near(1 - x)), float32(far(2 - x))}}
}

// Needs implements Op. With aligned corners, positions depend on h. If height is exactly h·Up/Down, it returns a
// range that suffices for any h, since the reach of a network is computed from one h for all.
func (r *Resize) Needs(input, y, h, height int) (lo, hi int) {
	if input > 0 {
		return 0, 0 // the second input gives only its size
	}
	if r.AlignCorners && r.By != Nearest && r.Up*h == r.Down*height {
		lo, hi = floorDiv((y-r.Up+1)*r.Down, r.Up), floorDiv(y*r.Down, r.Up)+r.Down+1
		if r.By == Bicubic {
			lo, hi = lo-1, hi+1
		}
	} else {
		lo, _ = r.position(y, h, height)
		hi = lo + r.count()
	}
	return min(lo, h-1), max(hi, 1)
}

// Make implements Op. It combines rows first, and then resizes the combined row; Nearest copies samples.
func (r *Resize) Make(t *Task, y, n int) {
	in, step := t.In[0], t.In[0].Step
	columns := r.columns.Load()
	if columns == nil || columns.from != in.W || columns.to != t.Out.W {
		columns = &resizedColumns{from: in.W, to: t.Out.W}
		for x := range t.Out.W {
			columns.taps = append(columns.taps, r.tapsOf(x, in.W, t.Out.W))
		}
		r.columns.Store(columns)
	}
	count := r.count()
	for last := -1; n > 0; n, y = n-1, y+1 { // for Nearest, last is the row of the input that was resized last
		down := r.tapsOf(y, in.H, t.Out.H) // the rows to combine
		sum, out := in.FloatRow(min(max(down.first, 0), in.H-1)), t.Out.FloatRow(y)
		if r.By == Nearest {
			if down.first == last {
				copy(out, t.Out.FloatRow(y-1))
				continue
			}
			last = down.first
			for _, across := range columns.taps { // often three values: a call of copy takes longer
				from := sum[across.first*step:]
				for i := range out[:step] {
					out[i] = from[i]
				}
				out = out[step:]
			}
			continue
		}
		sum = t.scratch(len(sum))
		for k, w := range down.weight[:count] {
			addWeighted(sum, in.FloatRow(min(max(down.first+k, 0), in.H-1)), w, k == 0)
		}
		for x, across := range columns.taps {
			to := out[x*step:][:step]
			for k, w := range across.weight[:count] {
				at := min(max(across.first+k, 0), in.W-1)
				addWeighted(to, sum[at*step:][:step], w, k == 0)
			}
		}
	}
}

// addWeighted adds w·src to dst. If first is true, it sets dst to w·src instead.
func addWeighted(dst, src []float32, w float32, first bool) {
	dst = dst[:len(src)]
	for i, v := range src {
		if first {
			dst[i] = v * w
		} else {
			dst[i] += float32(v * w)
		}
	}
}
