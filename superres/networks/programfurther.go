package networks

import (
	"fmt"
	"math"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// exact are the functions of the graph that float64 computes with exactly rounded results.
var exact = map[graph.Function]func(float64) float64{
	graph.Reciprocal: func(x float64) float64 { return 1 / x },
	graph.Floor:      math.Floor, graph.Ceil: math.Ceil, graph.Round: math.RoundToEven,
	graph.Sign:     func(x float64) float64 { return positive(x) - positive(-x) },
	graph.Positive: positive,
}

func positive(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// function applies f to every sample of v. 1/x would make +∞ of the zeros that pad pixels, so Padded restores them.
func (b *builder) function(f graph.Function, v value) value {
	if f == graph.Reciprocal {
		return b.unary(lines.Padded{Pointwise: lines.Exactly(exact[f]), Channels: v.channels, Step: v.step}, v)
	}
	if of, isExact := exact[f]; isExact {
		return b.unary(lines.Exactly(of), v)
	}
	return b.unary(lines.Curve(functions[f]), v)
}

// addFurther continues addNode, for operations that combine several values, pixels or channels.
func (b *builder) addFurther(n graph.Node, in []value) (value, error) {
	v := in[0]
	switch op := n.Op.(type) {
	case graph.Div:
		x, y := b.paired(in[0], in[1]) // Padded: 0/0 in the padding of pixels must not be NaN
		return b.binary(lines.Padded{Pointwise: lines.Divide, Channels: x.channels, Step: x.step}, x, y), nil
	case graph.Max:
		return b.binary(lines.Greatest, in[0], in[1]), nil
	case graph.Min:
		return b.binary(lines.Least, in[0], in[1]), nil
	case graph.Where:
		return b.where(in), nil
	case graph.Pool:
		return b.like(&lines.Pool{IsMax: op.IsMax, Height: op.Height, Width: op.Width, Stride: op.Stride,
			Pad: lines.Edges(op.Pad), CountPad: op.CountPad}, v), nil
	case graph.Reduce:
		return b.reduce(op, v), nil
	case graph.ReduceEach:
		by, _ := reductions(op.By)
		return b.unary(lines.ReduceEach{By: by, Size: op.Size, Channels: v.channels, Step: v.step}, v), nil
	case graph.Normalize:
		return b.normalize(op, v), nil
	case graph.Softmax:
		return b.unary(lines.Softmax{Size: op.Size, Channels: v.channels, Step: v.step}, v), nil
	case graph.Roll:
		return b.like(&lines.Roll{Rows: op.Rows, Columns: op.Columns}, v), nil
	case graph.Interleave:
		return b.like(&lines.Interleave{Rows: op.Rows, Columns: op.Columns, Undo: op.Undo}, v), nil
	case graph.ShiftMask:
		return b.like(&lines.Mask{Heads: op.Heads, N: op.Height * op.Width, Value: op.Value,
			IsApart: func(x, y, first, second, w, h int) bool {
				return op.IsApart(x, y, first, second, graph.Shape{W: w, H: h})
			}}, v), nil
	}
	return b.attention(n, in)
}

// where adds a node that takes a sample of in[1] where the sample of in[0] is not 0, else the sample of in[2]. It first
// gives all three as many channels and equal steps.
func (b *builder) where(in []value) value {
	x, y := b.paired(in[0], in[1])
	y, z := b.paired(y, in[2])
	x, z = b.paired(x, z) // the call above may have changed z
	x, y = b.paired(x, y) // and that one x
	out := x
	out.node = b.add(lines.Select{}, x, y, z)
	out.isOpen = false
	return out
}

// reductions returns the operation that reduces a row or a pixel, and the one that combines the results of all rows:
// for Norm, squares are summed in each row, and the root is taken at the end.
func reductions(by graph.Reduction) (first, then lines.Reduction) {
	switch by {
	case graph.Norm:
		return lines.SumOfSquares, lines.Norm
	case graph.Maximum:
		return lines.Maximum, lines.Maximum
	}
	return lines.Reduction(by), lines.Reduction(by) // Mean and Sum, which both packages number alike
}

// reduce adds a reduction of channels to one, of the picture to one pixel, row by row, or of both.
func (b *builder) reduce(op graph.Reduce, v value) value {
	by, then := reductions(op.By) // `by` reduces a pixel or a row, `then` the results of the rows
	if op.OfChannels {
		v = value{node: b.add(lines.ReduceChannels{By: by, Channels: v.channels}, v), channels: 1, step: 1}
	}
	if op.OfPicture {
		v.node = b.add(lines.ReduceRow{By: by}, v)
		v.node = b.add(lines.ReduceColumn{By: then}, v)
		v.isOpen = false
	}
	return v
}

// normalize adds a normalisation over each pixel, or over the whole picture by the means and variances of its rows.
func (b *builder) normalize(op graph.Normalize, v value) value {
	if !op.OfPicture {
		return b.unary(lines.Normalize{Groups: op.Groups, Channels: v.channels, Step: v.step, Epsilon: op.Epsilon}, v)
	}
	v.isOpen = false
	by := v
	by.node = b.add(lines.RowMoments{}, v)
	by.node = b.add(lines.PictureMoments{Groups: op.Groups, Channels: v.channels, Epsilon: op.Epsilon}, by)
	v.node = b.add(lines.NormalizeBy{}, v, by)
	return v
}

// attention adds scores (products of pixels or of channels with each other), or sums that are weighted by scores.
// Windows of no height are the whole picture, for which products are summed row by row.
func (b *builder) attention(n graph.Node, in []value) (value, error) {
	last := in[len(in)-1] // its channels are divided into heads
	made := func(op lines.Op, channels, step int) value {
		return value{node: b.add(op, in...), channels: channels, step: step}
	}
	windows := func(w graph.Windows, k graph.Keys) lines.Windows {
		return lines.Windows{Height: w.Height, Width: w.Width, Heads: w.Heads, PerHead: last.channels / w.Heads,
			Keys: lines.Keys(k.Or(w))}
	}
	scored := func(op lines.Op, channels int) value {
		return made(op, channels, kernel.PadTo(channels, kernel.Lanes))
	}
	switch op := n.Op.(type) {
	case graph.Scores:
		w := windows(op.Windows, op.Keys)
		return scored(&lines.Scores{Windows: w}, w.Heads*w.Height*w.Width*w.Keys.Height*w.Keys.Width), nil
	case graph.WeightedSum:
		return made(&lines.WeightedSum{Windows: windows(op.Windows, op.Keys)}, last.channels, last.step), nil
	case graph.ChannelScores:
		w := windows(op.Windows, graph.Keys{})
		if op.Height > 0 {
			return scored(&lines.Scores{Windows: w, OfChannels: true}, w.Heads*w.PerHead*w.PerHead), nil
		}
		v := scored(&lines.RowScores{Heads: w.Heads, PerHead: w.PerHead}, w.Heads*w.PerHead*w.PerHead)
		v.node = b.add(lines.ReduceColumn{By: lines.Sum}, v)
		return v, nil
	case graph.ChannelSum:
		w := windows(op.Windows, graph.Keys{})
		if op.Height > 0 {
			return made(&lines.WeightedSum{Windows: w, OfChannels: true}, last.channels, last.step), nil
		}
		return made(&lines.ChannelSum{Heads: w.Heads, PerHead: w.PerHead}, last.channels, last.step), nil
	}
	return value{}, fmt.Errorf("cannot be computed")
}
