package networks

import (
	"errors"
	"fmt"
	"math"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// arithmetic builds "add", with two factors a channel, and "multiply", with one.
func (b *builder) arithmetic(n *specNode, in []values) (op lines.Op, out values, err error) {
	if err := expect(in, 2, false); err != nil {
		return nil, out, err
	}
	a, c := in[0], in[1]
	if a.channels != n.Channels || c.channels != n.Channels || a.step != c.step || a.step%kernel.Lanes != 0 ||
		n.Most < 1 {
		return nil, out, errors.New("inputs of other sizes than the result")
	}
	factors := func() []float32 {
		padded := make([]float32, a.step)
		list, takeErr := take(&b.rest.floats, n.Channels)
		if takeErr != nil {
			err = takeErr
		}
		for i, v := range list {
			if !(math.Abs(float64(v)) < 1<<40) {
				err = errors.New("a factor out of range")
			}
			padded[i] = v
		}
		return padded
	}
	out.most = int64(n.Most)
	if n.Op == "multiply" {
		return &lines.Multiply{Factor: factors(), Most: int16(n.Most)}, out, err
	}
	return &lines.Add{First: factors(), Second: factors(), Most: int16(n.Most)}, out, err
}

// split builds a part of integers of 22 bits, with a slope and a factor a channel.
func (b *builder) split(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, len(in), true); err != nil || len(in) < 1 || len(in) > 3 {
		return nil, values{}, errors.Join(err, fmt.Errorf("%d inputs, expected 1 to 3", len(in)))
	}
	step := kernel.PadTo(n.Channels, kernel.Lanes)
	for _, v := range in {
		if v.step != step {
			return nil, values{}, errors.New("its inputs have other numbers of channels")
		}
	}
	list, err := take(&b.rest.floats, 2*n.Channels)
	if err != nil {
		return nil, values{}, err
	}
	for _, v := range list {
		if !(math.Abs(float64(v)) < 1<<40) {
			return nil, values{}, errors.New("a factor out of range")
		}
	}
	op := &lines.Split{
		Slope: padded(list[:n.Channels], step), Factor: padded(list[n.Channels:], step), IsLow: n.Op == "low",
	}
	if op.IsLow {
		return op, values{most: kernel.MostLow}, nil
	}
	return op, values{most: kernel.MostHigh}, nil
}

// lookup builds a function of one number: Factor tables of 65,536 integers, and the index of the table of each
// channel.
func (b *builder) lookup(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, false); err != nil {
		return nil, values{}, err
	}
	if in[0].channels != n.Channels || n.Factor < 1 || n.Factor > n.Channels || in[0].step%kernel.Lanes != 0 {
		return nil, values{}, fmt.Errorf("%d tables for %d channels", n.Factor, n.Channels)
	}
	list, err := take(&b.rest.weights, n.Factor<<16)
	if err != nil {
		return nil, values{}, err
	}
	order, err := b.order(n.Channels, n.Factor)
	if err != nil {
		return nil, values{}, err
	}
	op := &lines.Lookup{Tables: make([]*[1 << 16]int16, in[0].step)}
	for ch := range op.Tables {
		table := 0 // for what pads the channels
		if ch < n.Channels {
			table = order[ch]
		}
		op.Tables[ch] = (*[1 << 16]int16)(list[table<<16:])
	}
	most := int64(0)
	for _, v := range list {
		most = max(most, int64(v), -int64(v))
	}
	return op, values{most: most, step: in[0].step}, nil
}

// gather builds a choice of channels of its inputs: runs of channels, three indexes each. The inputs of "floatjoin" are
// float32.
func (b *builder) gather(n *specNode, in []values) (lines.Op, values, error) {
	isFloats := n.Op == "floatjoin"
	if err := expect(in, len(in), isFloats); err != nil || len(in) == 0 {
		return nil, values{}, errors.Join(err, errors.New("expected inputs"))
	}
	op := &lines.Gather{Step: kernel.PadTo(n.Channels, kernel.Lanes), Floats: isFloats}
	out := values{floats: isFloats, step: op.Step}
	for left := n.Channels; left > 0; {
		run, err := take(&b.rest.indexes, 3)
		if err != nil {
			return nil, out, err
		}
		c := lines.Channels{Input: int(run[0]), From: int(run[1]), Count: int(run[2])}
		if c.Input < 0 || c.Input >= len(in) || c.From < 0 || c.Count < 1 || c.Count > left ||
			c.From+c.Count > in[c.Input].channels {
			return nil, out, fmt.Errorf("channels %d to %d of input %d", c.From, c.From+c.Count, c.Input)
		}
		op.Channels = append(op.Channels, c)
		out.most = max(out.most, in[c.Input].most)
		left -= c.Count
	}
	return op, out, nil
}

// floatGather builds a choice of channels of one input of float32.
func (b *builder) floatGather(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, true); err != nil {
		return nil, values{}, err
	}
	order, err := b.order(n.Channels, in[0].channels)
	return &lines.Shuffle{Factor: 1, Step: n.Channels, Order: order}, values{floats: true}, err
}

// order takes count indexes below limit.
func (b *builder) order(count, limit int) ([]int, error) {
	list, err := take(&b.rest.indexes, count)
	if err != nil {
		return nil, err
	}
	order := make([]int, count)
	for i, v := range list {
		if order[i] = int(v); v < 0 || order[i] >= limit {
			return nil, fmt.Errorf("channel %d of %d", v, limit)
		}
	}
	return order, nil
}

// shuffle builds graph.PixelShuffle, of integers or of float32.
func (b *builder) shuffle(n *specNode, in []values) (lines.Op, values, error) {
	if len(in) != 1 || n.Factor < 1 || n.Factor > maxFactor || in[0].channels != n.Channels*n.Factor*n.Factor {
		return nil, values{}, fmt.Errorf("by %d", n.Factor)
	}
	out := values{floats: in[0].floats, most: in[0].most, step: n.Channels}
	if !out.floats {
		out.step = kernel.PadTo(n.Channels, kernel.Lanes)
	}
	op := &lines.Shuffle{Factor: n.Factor, Step: out.step}
	for place := range n.Factor * n.Factor {
		for c := range out.step {
			from := -1
			if c < n.Channels {
				from = c*n.Factor*n.Factor + place
			}
			op.Order = append(op.Order, from)
		}
	}
	return op, out, nil
}

// unshuffle builds graph.PixelUnshuffle, of integers.
func (b *builder) unshuffle(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, false); err != nil {
		return nil, values{}, err
	}
	square := n.Factor * n.Factor
	if n.Factor < 1 || n.Factor > maxFactor || in[0].channels*square != n.Channels {
		return nil, values{}, fmt.Errorf("by %d", n.Factor)
	}
	op := &lines.Unshuffle{Factor: n.Factor}
	for c := range kernel.PadTo(n.Channels, kernel.Lanes) {
		p := lines.Place{Channel: -1}
		if c < n.Channels {
			p = lines.Place{Y: c % square / n.Factor, X: c % n.Factor, Channel: c / square}
		}
		op.Order = append(op.Order, p)
	}
	return op, values{most: in[0].most}, nil
}

// resize builds graph.Resize, of integers or of float32.
func (b *builder) resize(n *specNode, in []values) (lines.Op, values, error) {
	r := graph.Resize{By: graph.Interpolation(n.By), Up: n.Up, Down: n.Down, A: n.A, AlignCorners: n.AlignCorners}
	if len(in) != 1 || in[0].channels != n.Channels || min(r.Up, r.Down) != 1 || max(r.Up, r.Down) > maxFactor ||
		r.By < graph.Nearest || r.By > graph.Bicubic || !(r.A >= -1 && r.A <= 0) {
		return nil, values{}, fmt.Errorf("by %d/%d", n.Up, n.Down)
	}
	out := in[0]
	if !out.floats {
		out.most = max(out.most, int64(n.Most))
	}
	return resizeRows(r, int16(out.most)), out, nil
}

// shift builds graph.Pad, of integers or of float32.
func (b *builder) shift(n *specNode, in []values) (lines.Op, values, error) {
	const least, most = -1 << 20, 1 << 10
	if len(in) != 1 || in[0].channels != n.Channels || min(n.Top, n.Left, n.Bottom, n.Right) < least ||
		max(n.Top, n.Left, n.Bottom, n.Right) > most || n.Mode < int(lines.Zeros) || n.Mode > int(lines.Mirror) {
		return nil, values{}, errors.New("its edges are out of range")
	}
	return &lines.Shift{Edges: n.edges(), Mode: lines.Beyond(n.Mode)}, in[0], nil
}

// floats builds float32 of integers, with a factor a channel.
func (b *builder) floats(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, false); err != nil {
		return nil, values{}, err
	}
	factors, err := take(&b.rest.floats, n.Channels)
	if err == nil && in[0].channels != n.Channels {
		err = errors.New("its input has another number of channels")
	}
	return &lines.ToFloats{Factor: factors, Offset: make([]float32, n.Channels)}, values{floats: true}, err
}

// scale builds lines.Scale: three numbers a channel, and the two limits.
func (b *builder) scale(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, true); err != nil {
		return nil, values{}, err
	}
	list, err := take(&b.rest.floats, 3*n.Channels+2)
	if err != nil || in[0].channels != n.Channels {
		return nil, values{}, errors.Join(err, errors.New("its input has another number of channels"))
	}
	c, step := n.Channels, in[0].step
	return &lines.Scale{
		Slope: padded(list[:c], step), Factor: padded(list[c:2*c], step), Offset: padded(list[2*c:3*c], step),
		Least: list[3*c], Most: list[3*c+1],
	}, values{floats: true, step: step}, nil
}

// combine builds a sum, a difference or a product of float32.
func (b *builder) combine(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 2, true); err != nil {
		return nil, values{}, err
	}
	if in[0].channels != n.Channels || in[1].channels != n.Channels || in[0].step != in[1].step {
		return nil, values{}, errors.New("its inputs have other numbers of channels")
	}
	return &lines.Combine{By: n.Op[len("floats")]}, values{floats: true, step: in[0].step}, nil
}

// curve builds a function of float32: three numbers, and a table.
func (b *builder) curve(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, true); err != nil {
		return nil, values{}, err
	}
	list, err := take(&b.rest.floats, lines.CurveSteps+4)
	if err != nil || in[0].channels != n.Channels {
		return nil, values{}, errors.Join(err, errors.New("its input has another number of channels"))
	}
	for _, v := range list {
		if !(math.Abs(float64(v)) < 1<<40) {
			return nil, values{}, errors.New("a value out of range")
		}
	}
	if list[0] < 1 {
		return nil, values{}, errors.New("a table of too small a range")
	}
	op := &lines.Curve{Most: list[0], Below: list[1], Above: list[2], Table: list[3:]}
	return op, values{floats: true, step: in[0].step}, nil
}

// padded returns list with zeros up to length n.
func padded(list []float32, n int) []float32 {
	if len(list) == n {
		return list
	}
	return append(list[:len(list):len(list)], make([]float32, n-len(list))...)
}
