package ncnn

import (
	"math"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// rest is the number that stands in a .param for all remaining channels, or for an end of an axis.
const rest = -233

// channelAxis fails unless axis is the axis of the channels, the first of a picture's three axes.
func channelAxis(axis int) {
	fail.When(axis != 0 && axis != -3, "along axis %d is not supported, only along the channels", axis)
}

func (c *call) concat() []graph.Operand {
	channelAxis(c.int(0, 0))
	return c.add(graph.Concat{}, c.in...)
}

// slice adds a Slice: each size selects the next so many channels. A size of `rest` is an equal share of those left.
func (c *call) slice() (out []graph.Operand) {
	sizes, s := c.ints(0), c.shape()
	channelAxis(c.int(1, 0))
	fail.When(len(c.ints(2)) > 0, "at indexes is not supported")
	start := 0
	for i, size := range sizes {
		if size == rest {
			size = (s.Channels - start) / (len(sizes) - i)
		}
		out = append(out, c.add(graph.Select{Channels: span(start, size, s.Channels)})...)
		start += size
	}
	return out
}

// span returns the indexes of size channels from start on. It fails if that is more than the given number of channels.
func span(start, size, channels int) []int {
	fail.When(start < 0 || size < 1 || start > channels-size,
		"of %d channels from channel %d on, of %d", size, start, channels)
	list := make([]int, size)
	for i := range list {
		list[i] = start + i
	}
	return list
}

// part is the range of samples from start to end−1 along an axis.
type part struct{ start, end int }

// crop adds a Crop: it selects channels, and cuts rows and columns off the edges.
func (c *call) crop() []graph.Operand {
	s := c.shape()
	sides := [3]int{s.Channels, s.H, s.W}
	parts := c.croppedParts(sides)
	for i, p := range parts {
		fail.When(p.start < 0 || p.end > sides[i] || p.start >= p.end,
			"of samples %d to %d, of %d", p.start, p.end, sides[i])
	}
	out := c.in[:1]
	if p := parts[0]; p != (part{0, s.Channels}) {
		out = c.add(graph.Select{Channels: span(p.start, p.end-p.start, s.Channels)}, out...)
	}
	edges := graph.Edges{Top: -parts[1].start, Bottom: parts[1].end - s.H,
		Left: -parts[2].start, Right: parts[2].end - s.W}
	if edges == (graph.Edges{}) {
		return out
	}
	return c.add(graph.Pad{Edges: edges}, out...)
}

// croppedParts returns the parts that a Crop keeps along the axes channels, height and width. The file states arrays of
// starts and ends along some axes (keys 9 to 11), or for each axis an offset, a size, which may be rest, and a number
// to cut off at the end (keys 0 to 8, width first). It fails for a size if the sides of the picture are not known.
func (c *call) croppedParts(sides [3]int) (parts [3]part) {
	starts, ends, axes := c.ints(9), c.ints(10), c.ints(11)
	if len(starts) == 0 {
		for i := range sides {
			from, size, back := c.int(2-i, 0), c.int(5-i, 0), c.int(8-i, 0)
			parts[i] = part{from, sides[i] - back}
			if size != rest {
				parts[i].end = min(parts[i].end, from+size)
				errSize.When(i > 0 && !c.sized && from+size != sides[i])
			}
		}
		return parts
	}
	fail.When(len(ends) != len(starts) || len(axes) != 0 && len(axes) != len(starts) || len(starts) > 3,
		"has %d starts, %d ends and %d axes", len(starts), len(ends), len(axes))
	for i := range sides {
		parts[i].end = sides[i]
	}
	for k, start := range starts {
		axis := k
		if len(axes) > 0 {
			if axis = axes[k]; axis < 0 {
				axis += 3
			}
		}
		fail.When(axis < 0 || axis > 2, "along axis %d", axis)
		side, end := sides[axis], ends[k]
		errSize.When(end > 0 && end < math.MaxInt32 && axis > 0 && !c.sized)
		switch {
		case start == rest:
			start = 0
		case start < 0:
			start += side
		}
		switch {
		case end == rest:
			end = side
		case end <= 0:
			end += side
		}
		parts[axis] = part{start, min(end, side)}
	}
	return parts
}

var errSize = fail.With("to a size of its own is not supported for pictures of any size")

// padding adds a Padding with zeros, repeated edges or mirrored edges. The keys of parameters are ncnn's.
func (c *call) padding() []graph.Operand {
	op := graph.Pad{Edges: graph.Edges{Top: c.int(0, 0), Bottom: c.int(1, 0), Left: c.int(2, 0), Right: c.int(3, 0)}}
	kind, value := c.int(4, 0), c.float(5, 0)
	switch {
	case kind < 0 || kind > 2:
		panic(fail.With("of number %d is not supported", kind))
	case kind == 0 && value != 0 || c.int(6, 0) != 0:
		panic(fail.With("with a number that is not 0 is not supported"))
	case c.int(7, 0) != 0 || c.int(8, 0) != 0:
		panic(fail.With("of channels is not supported"))
	case min(op.Top, op.Left, op.Bottom, op.Right) < 0:
		panic(fail.With("with fewer than 0 samples is not supported"))
	}
	op.Mode = []graph.PadMode{graph.PadZero, graph.PadEdge, graph.PadReflect}[kind]
	return c.add(op)
}

// shuffleChannel divides the channels into groups and takes one of each in turn; with parameter 1, it undoes that.
func (c *call) shuffleChannel() []graph.Operand {
	groups, reverse := c.int(0, 1), c.int(1, 0)
	s := c.shape()
	fail.When(groups < 1 || groups > s.Channels || s.Channels%groups != 0,
		"of %d channels in %d groups", s.Channels, groups)
	step := s.Channels / groups
	if reverse != 0 {
		step = groups
	}
	return c.add(graph.Select{Channels: graph.InterleavedChannels(s.Channels, step)})
}

func (c *call) pixelShuffle() []graph.Operand {
	c.shape()
	node := fail.Need(c.graph.AddShuffle(c.name, c.int(0, 1), c.int(1, 0) != 0, c.in[0].Node))
	return []graph.Operand{{Node: node}}
}

func (c *call) reorg() []graph.Operand {
	c.shape()
	node := fail.Need(c.graph.AddUnshuffle(c.name, c.int(0, 1), c.int(1, 0) != 0, c.in[0].Node))
	return []graph.Operand{{Node: node}}
}

// interp resizes the first input: to a stated size, to the size of the second input, or by two factors. If that is not
// by a whole factor or its inverse, it resizes to the size of an earlier node that has the new size, or else by a
// fraction such as 3/4. If the size stays the same, it adds nothing. It fails for a stated size if the Input has none.
func (c *call) interp() []graph.Operand {
	kind, down, across := c.int(0, 0), c.float(1, 1), c.float(2, 1)
	height, width, isLike, text := c.int(3, 0), c.int(4, 0), c.int(5, 0) != 0, c.text(9)
	op := graph.Resize{AlignCorners: c.int(6, 0) != 0}
	s := c.shape()
	switch {
	case kind < 1 || kind > 3 || c.in[len(c.in)-1].Constant != nil:
		panic(fail.With("of number %d, or to the size of a constant, is not supported", kind))
	case text != "": // two expressions
		var shapes []graph.Shape
		for _, x := range c.in {
			shapes = append(shapes, c.graph.Shape(x.Node))
		}
		list, areOfInputs := sizes(text, shapes)
		errSize.When(!areOfInputs && !c.sized)
		down, across = float32(list[1])/float32(s.H), float32(list[0])/float32(s.W)
	case len(c.in) > 1:
		like := c.graph.Shape(c.in[1].Node)
		down, across = float32(like.H)/float32(s.H), float32(like.W)/float32(s.W)
	case isLike: // without a second input
		panic(fail.With("to the size of another input lacks that"))
	case height != 0 && width != 0:
		errSize.When(!c.sized)
		down, across = float32(height)/float32(s.H), float32(width)/float32(s.W)
	}
	if op.By = graph.Interpolation(kind - 1); op.By == graph.Bicubic { // kinds 1 to 3: Nearest, Bilinear, Bicubic
		op.A = -0.75
	}
	var err error
	if op.Up, op.Down, err = graph.WholeFactors(float64(down), float64(across)); err != nil {
		to, found := c.graph.Find(float64(s.W)*float64(across), float64(s.H)*float64(down))
		if found {
			op.Up, op.Down = 0, 0 // a Resize to the size of its second input
			return c.add(op, c.in[0], graph.Operand{Node: to})
		}
		op.Up, op.Down, err = graph.Fraction(float64(down), float64(across))
		fail.If(err)
	}
	if op.Up == 1 && op.Down == 1 {
		return c.split()
	}
	return c.add(op)
}

// The values of Pooling's parameter 5: how far windows reach beyond the picture.
const (
	padFull  = 0 // as far as the last window reaches
	padValid = 1
)

// pooling adds a Pooling over windows or over the whole picture. The numbers are ncnn's keys of parameters; 8 and 18
// are the size of the result, and padFull pads on the right and below until windows cover all samples.
func (c *call) pooling() []graph.Operand {
	op := graph.Pool{IsMax: c.int(0, 0) == 0, Width: c.int(1, 0), Stride: c.int(2, 1), CountPad: c.int(6, 0) != 0}
	op.Height, op.Pad.Left = c.int(11, op.Width), c.int(3, 0)
	op.Pad.Top, op.Pad.Right = c.int(13, op.Pad.Left), c.int(14, op.Pad.Left)
	op.Pad.Bottom = c.int(15, op.Pad.Top)
	isWhole, mode, adaptive := c.int(4, 0) != 0, c.int(5, 0), c.int(7, 0)
	s := c.shape()
	switch {
	case isWhole, adaptive != 0 && c.int(8, 0) == 1 && c.int(18, 1) == 1:
		by := graph.Mean
		if op.IsMax {
			by = graph.Maximum
		}
		return c.add(graph.Reduce{By: by, OfPicture: true})
	case adaptive != 0 || mode != padFull && mode != padValid || c.int(12, op.Stride) != op.Stride:
		panic(fail.With("to a size, with a padding that is not stated, or with two strides, is not supported"))
	case op.Stride < 1 || op.Width < 1 || op.Height < 1:
		panic(fail.With("of windows of %d×%d with stride %d", op.Width, op.Height, op.Stride))
	}
	// more returns how many samples a side, which counts the padding, lacks for its last window to be whole.
	if more := func(side, window int) int { return wrap(window-side, op.Stride) }; mode == padFull {
		op.Pad.Right += more(s.W+op.Pad.Left+op.Pad.Right, op.Width)
		op.Pad.Bottom += more(s.H+op.Pad.Top+op.Pad.Bottom, op.Height)
	}
	return c.add(op)
}

func wrap(i, n int) int { return (i%n + n) % n } // i modulo n, from 0 to n−1
