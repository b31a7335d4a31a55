package graphtest

import (
	"math"

	"superres/superres/networks/graph"
)

// fill computes the result of op for the inputs in by its definition in float64, and stores it in out, which has the
// shape of the result. It reports false, and changes nothing, for operations that the function value computes.
func fill(op graph.Op, out exact, in []exact) bool {
	each := func(value func(x, y, c int) float64) {
		for i := range out.Values {
			out.Values[i] = value(i/out.Channels%out.W, i/out.Channels/out.W, i%out.Channels)
		}
	}
	at := func(s exact, x, y, c int) float64 { return s.Values[(y*s.W+x)*s.Channels+c] }
	s := in[0]
	pick := func(k, x, y, c int) float64 { // the sample of input k; a single pixel or channel is repeated
		t := in[k]
		return at(t, min(x, t.W-1), min(y, t.H-1), min(c, t.Channels-1))
	}
	switch op := op.(type) {
	case graph.Div:
		each(func(x, y, c int) float64 { return pick(0, x, y, c) / pick(1, x, y, c) })
	case graph.Max:
		each(func(x, y, c int) float64 { return max(pick(0, x, y, c), pick(1, x, y, c)) })
	case graph.Min:
		each(func(x, y, c int) float64 { return min(pick(0, x, y, c), pick(1, x, y, c)) })
	case graph.Where:
		each(func(x, y, c int) float64 {
			if pick(0, x, y, c) != 0 {
				return pick(1, x, y, c)
			}
			return pick(2, x, y, c)
		})
	case graph.Pool:
		each(func(x, y, c int) float64 {
			sum, greatest, count := 0., math.Inf(-1), 0
			for ky := range op.Height {
				for kx := range op.Width {
					sx, sy := x*op.Stride-op.Pad.Left+kx, y*op.Stride-op.Pad.Top+ky
					if sx < 0 || sy < 0 || sx >= s.W || sy >= s.H {
						continue
					}
					v := at(s, sx, sy, c)
					sum, greatest, count = sum+v, max(greatest, v), count+1
				}
			}
			if op.CountPad {
				count = op.Height * op.Width
			}
			if op.IsMax {
				return greatest
			}
			return sum / float64(count)
		})
	case graph.Reduce:
		each(func(x, y, c int) float64 {
			sum, squares, greatest, count := 0., 0., math.Inf(-1), 0
			values := s.Values
			if !op.OfPicture {
				values = s.At(x, y)
			}
			for i, v := range values {
				if op.OfChannels || i%s.Channels == c {
					sum, squares, count = sum+v, squares+v*v, count+1
					greatest = max(greatest, v)
				}
			}
			return []float64{sum / float64(count), sum, math.Sqrt(squares), greatest}[op.By]
		})
	case graph.ReduceEach:
		each(func(x, y, c int) float64 {
			sum, squares, greatest := 0., 0., math.Inf(-1)
			for _, v := range s.At(x, y)[c/op.Size*op.Size:][:op.Size] {
				sum, squares, greatest = sum+v, squares+v*v, max(greatest, v)
			}
			return []float64{sum / float64(op.Size), sum, math.Sqrt(squares), greatest}[op.By]
		})
	case graph.Normalize:
		fillNormalized(op, out, s)
	case graph.Softmax:
		each(func(x, y, c int) float64 {
			greatest, sum := math.Inf(-1), 0.
			first := c / op.Size * op.Size
			for k := range op.Size {
				greatest = max(greatest, at(s, x, y, first+k))
			}
			for k := range op.Size {
				sum += math.Exp(at(s, x, y, first+k) - greatest)
			}
			return math.Exp(at(s, x, y, c)-greatest) / sum
		})
	case graph.Resize:
		each(func(x, y, c int) float64 { return resizeValue(op, s, out.Shape, x, y, c) })
	case graph.Roll:
		each(func(x, y, c int) float64 {
			wrap := func(i, n int) int { return (i%n + n) % n }
			return at(s, wrap(x+op.Columns, s.W), wrap(y+op.Rows, s.H), c)
		})
	case graph.Interleave:
		from := func(i, side, n int) int {
			if op.Undo {
				n = side / n
			}
			return i%n*(side/n) + i/n
		}
		each(func(x, y, c int) float64 { return at(s, from(x, s.W, op.Columns), from(y, s.H, op.Rows), c) })
	default:
		return fillAttention(op, out, in)
	}
	return true
}

// fillNormalized stores (sample − mean) / √(variance + Epsilon) in out, by the mean and variance of a sample's group.
func fillNormalized(op graph.Normalize, out, s exact) {
	per := s.Channels / op.Groups
	group := func(i int) int { // the group of sample i
		g := i % s.Channels / per
		if op.OfPicture {
			return g
		}
		return i/s.Channels*op.Groups + g
	}
	sums, squares, counts := map[int]float64{}, map[int]float64{}, map[int]float64{}
	for i, v := range s.Values {
		sums[group(i)] += v
		counts[group(i)]++
	}
	for i, v := range s.Values {
		d := v - sums[group(i)]/counts[group(i)]
		squares[group(i)] += d * d
	}
	for i, v := range s.Values {
		g := group(i)
		d := v - sums[g]/counts[g]
		out.Values[i] = d / math.Sqrt(squares[g]/counts[g]+float64(op.Epsilon))
	}
}

// fillAttention does what fill does for the operations of attention.
func fillAttention(op graph.Op, out exact, in []exact) bool {
	var w graph.Windows
	var keys graph.Keys
	var ofChannels, isSum bool
	switch op := op.(type) {
	case graph.Scores:
		w, keys = op.Windows, op.Keys
	case graph.WeightedSum:
		w, keys, isSum = op.Windows, op.Keys, true
	case graph.ChannelScores:
		w, ofChannels = op.Windows, true
	case graph.ChannelSum:
		w, ofChannels, isSum = op.Windows, true, true
	case graph.ShiftMask:
		fillMask(op, out, in[0])
		return true
	default:
		return false
	}
	v := in[1]
	if w.Height == 0 {
		w.Width, w.Height = v.W, v.H
	}
	keys = keys.Or(w)
	per, pixels := v.Channels/w.Heads, w.Width*w.Height
	n, m, across, inner := pixels, keys.Width*keys.Height, (v.W-keys.Width)/keys.Across+1, per
	if ofChannels {
		n, m, inner = per, per, pixels
	}
	// Products are of two pixels of a window in one channel, or, if ofChannels, of two channels in one pixel.
	sums := make([]float64, len(out.Values))
	for wy := range (v.H-keys.Height)/keys.Down + 1 {
		for wx := range across {
			offset := func(pixel, channel int) int { // index of a sample of the first input of Scores, or of a sum
				return ((wy*w.Height+pixel/w.Width)*across*w.Width+wx*w.Width+pixel%w.Width)*v.Channels + channel
			}
			key := func(pixel, channel int) int { // index of a sample of the second input
				y, x := wy*keys.Down+pixel/keys.Width, wx*keys.Across+pixel%keys.Width
				return (y*v.W+x)*v.Channels + channel
			}
			for h := range w.Heads {
				for i := range n {
					for k := range m {
						score := ((wy*across+wx)*w.Heads+h)*n*m + i*m + k
						for j := range inner {
							first, second := offset(i, h*per+j), key(k, h*per+j)
							if ofChannels {
								first, second = offset(j, h*per+i), key(j, h*per+k)
							}
							if isSum {
								sums[first] += in[0].Values[score] * v.Values[second]
							} else {
								sums[score] += in[0].Values[first] * v.Values[second]
							}
						}
					}
				}
			}
		}
	}
	copy(out.Values, sums)
	return true
}

// fillMask stores in out the scores s, with op.Value added for pairs of pixels that were apart before a Roll.
func fillMask(op graph.ShiftMask, out, s exact) {
	n := op.Height * op.Width
	for y := range s.H {
		for x := range s.W {
			for k, v := range s.At(x, y) {
				if i := k % (n * n); op.IsApart(x, y, i/n, i%n, s.Shape) { // pair i of pixels, in any head
					v += float64(op.Value)
				}
				out.At(x, y)[k] = v
			}
		}
	}
}
