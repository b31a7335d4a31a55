package convolutional

import "superres/patches/plane"

// forward returns what the enlargement lacks, in float32: the definition, which the kernels
// and the integers are compared with. It is for tests alone.
func (n *Network) forward(low *plane.Plane) *plane.Plane {
	margin := n.Reach()
	w, h := low.W+2*margin, low.H+2*margin
	f := make([]float32, w*h)
	for y := range h {
		for x := range w {
			f[y*w+x] = low.Row(min(max(y-margin, 0), low.H-1))[min(max(x-margin, 0), low.W-1)]
		}
	}
	f = n.through(f, w, h)
	s := n.Scale
	out := plane.New(low.W*s, low.H*s)
	for y := range low.H {
		for x := range low.W {
			for k := range s * s {
				out.Row(y*s + k/s)[x*s+k%s] = f[(y*low.W+x)*s*s+k]
			}
		}
	}
	return out
}

// through returns what the last layer makes of w×h samples of what goes into the first.
func (n *Network) through(f []float32, w, h int) []float32 {
	var first []float32
	last := len(n.Layers) - 1
	for i, l := range n.Layers {
		f, w, h = l.Apply(f, w, h)
		if i == 0 {
			first = f
		}
		if i == last-1 && last > 1 {
			inner := crop(first, n.Channels, w+2*(last-1), h+2*(last-1), w, h)
			for k, v := range inner {
				f[k] += v
			}
		}
	}
	return f
}

// crop returns the middle of w×h samples.
func crop(x []float32, channels, w, h, toW, toH int) []float32 {
	out := make([]float32, 0, toW*toH*channels)
	top, left := (h-toH)/2, (w-toW)/2
	for y := range toH {
		at := ((top+y)*w + left) * channels
		out = append(out, x[at:at+toW*channels]...)
	}
	return out
}
