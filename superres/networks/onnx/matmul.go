package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// gemm computes Gemm: a product of samples and a constant matrix, to which a constant may be added.
func (c *call) gemm() []*value {
	w := c.in[1].constant
	fail.When(w == nil || len(w.dims) != 2 || c.int("transA", 0) != 0,
		"of transposed samples, or by other than a constant matrix, is not supported")
	out := c.linear(c.in[0], w, c.int("transB", 0) != 0, float32(c.real("alpha", 1)))
	if c.in[2] == nil {
		return out
	}
	fail.When(c.real("beta", 1) != 1 || c.in[2].constant == nil,
		"with an addend that is no constant, or is multiplied, is not supported")
	return c.arithmetic('+', out[0], c.in[2])
}

// matMul computes MatMul of samples by samples, or of samples by a constant matrix.
func (c *call) matMul() []*value {
	a, b := c.in[0], c.in[1]
	switch {
	case a.constant == nil && b.constant == nil:
		return c.product(a, b)
	case a.constant != nil:
		panic(fail.With("of a constant by samples is not supported"))
	}
	w := *b.constant
	for len(w.dims) > 2 && w.dims[0] == 1 {
		w.dims = w.dims[1:]
	}
	fail.When(len(w.dims) != 2, "by a constant of %v numbers is not supported", b.constant.dims)
	return c.linear(a, &w, false, 1) // false: w is inputs × outputs
}

// linear multiplies the channels of each pixel, which must be the last dimension of v, by a factor and by the matrix w
// of inputs×outputs (outputs×inputs if isTransposed). It adds a convolution of 1×1 taps. It fails for other samples.
func (c *call) linear(v *value, w *tensor, isTransposed bool, factor float32) []*value {
	dims := c.layout(v)
	in, out := w.dims[0], w.dims[1]
	if isTransposed {
		in, out = out, in
	}
	node := c.samples(v)
	count := c.builder.Shape(node).Channels
	last := len(dims) - 1
	fail.When(w.reals == nil || last < 0 || in != count || dims.sizes()[last] != in,
		"of other samples than the %d channels of a pixel, by a constant of %v numbers, is not supported", count,
		w.dims)
	node = fail.Need(c.selectChannels(node, dims[last], count))
	c.spendCopies(in * out)
	op := graph.Conv{Out: out, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: make([]float32, in*out)}
	for o := range out {
		for i := range in {
			k := i*out + o
			if isTransposed {
				k = o*in + i
			}
			op.Weight[o*in+i] = w.reals[k] * factor
		}
	}
	made := slices.Clone(dims)
	made[last] = []part{{of: channels, size: out, step: 1}}
	return []*value{c.sampled(c.put(op, node)).arranged(made)}
}

// factor is one of the two factors of a product of matrices that both depend on the picture. Of the dimensions of a
// matrix, the product sums over inner and keeps left. It does so for each index of batch, the dimensions before them.
type factor struct {
	batch, left, inner []part // parts of the channels, rows or columns of node
	node               int
	shape              graph.Shape // of node
	heads              int         // how many heads batch counts in the channels of node; 1 before arrange
}

// factor returns v as a factor of a product that keeps dimension left and sums over inner: 1 is v's last, 2 the other.
func (c *call) factor(v *value, left, inner int) (f factor) {
	dims := c.layout(v).merged()
	n := len(dims)
	errView.When(n < 2)
	f.batch, f.left, f.inner, f.heads = slices.Concat(dims[:n-2]...), dims[n-left], dims[n-inner], 1
	f.node = c.samples(v)
	f.shape = c.builder.Shape(f.node)
	return f
}

// arrange reorders the channels of f.node: head after head, as the parts of channels in batch count them, and within a
// head in the order of the given parts. It sets f.heads to the number of heads.
func (c *call) arrange(f *factor, parts []part) {
	var order []part
	for _, p := range f.batch {
		if p.of == channels {
			order = append(order, p)
			f.heads *= p.size
		}
	}
	f.node = fail.Need(c.selectChannels(f.node, slices.Concat(order, parts), f.shape.Channels))
}

// arePixels reports whether there are parts, and all of them are of rows or columns.
func arePixels(parts []part) bool {
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(p part) bool { return p.of == channels })
}

// keyWindows returns the windows of a picture of shape s, which may overlap, and their number across and down. parts
// are the rows and columns of a window; the rows and columns in batch count windows, and step from one to the next.
// Along a side with one window, the distance k.Down or k.Across is the window's side, but at most height or width, the
// sides of the windows that attend to it, if height is not 0. It fails unless the windows end with the picture.
func keyWindows(parts, batch []part, s graph.Shape, height, width int) (k graph.Keys, across, down int) {
	k.Height, k.Width = 1, 1
	for i, p := range parts {
		errView.When(p.step != 1 || p.of == rows && i > 0)
		if p.of == rows {
			k.Height = p.size
		} else {
			k.Width = p.size
		}
	}
	k.Down, k.Across, down, across = k.Height, k.Width, 1, 1
	if height > 0 {
		k.Down, k.Across = min(k.Height, height), min(k.Width, width)
	}
	last := channels // what the part before counts; channels before the first
	for _, p := range batch {
		switch {
		case p.of == channels:
			continue
		case p.of == rows && last == channels:
			k.Down, down = p.step, p.size
		case p.of == columns && last != columns:
			k.Across, across = p.step, p.size
		default:
			panic(errView)
		}
		last = p.of
	}
	errView.When((down-1)*k.Down+k.Height != s.H || (across-1)*k.Across+k.Width != s.W)
	return k, across, down
}

// windowSize returns the size of the windows that keyWindows finds. It fails if they overlap, and returns 0×0 for a
// single window that is the whole picture of shape s.
func windowSize(parts, batch []part, s graph.Shape) (height, width int) {
	k, _, _ := keyWindows(parts, batch, s, 0, 0)
	switch {
	case k.Height != k.Down || k.Width != k.Across:
		panic(errView)
	case k.Height == s.H && k.Width == s.W:
		return 0, 0
	}
	return k.Height, k.Width
}

// sameBatch reports whether the batches of two factors have equal numbers of windows and heads, in the same order, and
// heads of equal steps. The windows may have different steps.
func sameBatch(a, b []part) bool {
	return slices.EqualFunc(a, b, func(p, q part) bool {
		return p.of == q.of && p.size == q.size && (p.of != channels || p.step == q.step)
	})
}

// product multiplies x by y, which both depend on the picture, as matrices: as x·y or, if that fails, as (yᵀ·xᵀ)ᵀ.
func (c *call) product(x, y *value) (out []*value) {
	err := fail.Catch(func() { out = c.productOf(x, y) })
	if err != nil && fail.Catch(func() { out = c.productOf(c.swapLast(y), c.swapLast(x)) }) == nil {
		return []*value{c.swapLast(out[0])}
	}
	fail.If(err)
	return out
}

// swapLast returns v with its last two dimensions exchanged, which transposes its matrices.
func (c *call) swapLast(v *value) *value {
	dims := slices.Clone(c.layout(v))
	if n := len(dims); n > 1 {
		dims[n-2], dims[n-1] = dims[n-1], dims[n-2]
	}
	return v.arranged(dims)
}

// productOf returns x·y as one value. If a factor holds scores, the weights of attention, it must be x. If the rows or
// columns of a factor are a grid, pixels at equal distances all over the picture, they are first moved side by side.
// They are moved back if the result has pixels in the same places as y then.
func (c *call) productOf(x, y *value) []*value {
	first, _ := c.gatherGrid(x)
	second, grid := c.gatherGrid(y)
	out := c.multiplied(first, second)
	if grid == nil || !slices.ContainsFunc(slices.Concat(c.layout(out[0])...), func(p part) bool {
		return p.of != channels && p.step > 1 // the pixels of this part lie apart
	}) || c.builder.Shape(out[0].samples.base) != c.builder.Shape(second.samples.base) {
		return out
	}
	node := c.put(graph.Interleave{Rows: grid.Rows, Columns: grid.Columns, Undo: true}, out[0].samples.base)
	s := c.builder.Shape(node)
	return []*value{c.sampled(node).arranged(interleaved(c.layout(out[0]), s, s.H/grid.Rows, s.W/grid.Columns))}
}

// gatherGrid returns v with pixels side by side, if one of its last two dimensions is a grid of pixels at equal
// distances, spread over the whole picture. It also returns the grid. If there is no grid, it returns v and nil.
func (c *call) gatherGrid(v *value) (*value, *graph.Interleave) {
	dims, s := c.layout(v), c.builder.Shape(v.samples.base)
	for _, parts := range dims[max(len(dims)-2, 0):] {
		parts = merged(parts)
		if len(parts) != 2 || parts[0].of != rows || parts[1].of != columns || parts[0].step == 1 ||
			parts[0].step*parts[0].size != s.H || parts[1].step*parts[1].size != s.W {
			continue
		}
		grid := &graph.Interleave{Rows: parts[0].size, Columns: parts[1].size}
		node := c.put(*grid, c.samples(v))
		return c.sampled(node).arranged(interleaved(dims, s, grid.Rows, grid.Columns)), grid
	}
	return v, nil
}

// interleaved returns the layout that samples of layout l have after an Interleave of n rows and m columns in a
// picture of shape s: parts of rows with step 1 get step n, and parts with step s.H/n get step 1; columns likewise.
func interleaved(l layout, s graph.Shape, n, m int) layout {
	out := make(layout, len(l))
	for d, parts := range l.merged() {
		for _, p := range parts {
			side, outer := s.H, n
			if p.of == columns {
				side, outer = s.W, m
			}
			switch {
			case p.of == channels:
			case p.step == 1:
				p.step = outer
			case p.step == side/outer:
				p.step = 1
			}
			out[d] = append(out[d], p)
		}
	}
	return out
}

// multiplied returns x·y. It supports scores, which are products of pixels in windows or of channels, and sums of
// pixels or of channels that are weighted by scores. It tells them by the dimensions, inner and left, that the product
// sums over and keeps in the factors a and b: whether these are pixels, channels, or a part of channels and pixels.
func (c *call) multiplied(x, y *value) []*value {
	a := c.factor(x, 2, 1)
	b := c.factor(y, 1, 2)
	batch := c.layout(x)
	batch = batch[:len(batch)-2]
	switch {
	case len(b.left) == 0 && b.shape.Channels == 1 && arePixels(b.inner) && slices.Equal(a.inner, b.inner) &&
		a.shape.Channels == max(1, product(layout{a.left}.sizes())): // the sum of each channel, weighted by one map
		node := c.chain(c.put(graph.Mul{}, a.node, b.node), graph.Reduce{By: graph.Sum, OfPicture: true})
		return []*value{c.sampled(node).arranged(append(slices.Clone(batch), a.left, nil))}
	case arePixels(a.left) && arePixels(b.left) && !arePixels(a.inner) && sameBatch(a.batch, b.batch):
		return c.scores(a, b, batch)
	case len(a.inner) > 1 && a.inner[0].of == channels && arePixels(a.inner[1:]) && !arePixels(a.left) &&
		!arePixels(b.left) && slices.Equal(a.inner, b.inner):
		return c.layerScores(a, b, batch)
	case len(b.left) > 1 && b.left[0].of == channels && arePixels(b.left[1:]) && !arePixels(a.inner) &&
		!arePixels(b.inner):
		return c.layerSum(a, b)
	case !arePixels(a.left) && !arePixels(b.left) && arePixels(a.inner) && slices.Equal(a.inner, b.inner) &&
		slices.Equal(a.batch, b.batch):
		return c.channelScores(a, b, batch)
	case arePixels(b.inner) && !arePixels(a.inner):
		return c.weightedSum(a, b, c.layout(y))
	case arePixels(b.left) && !arePixels(b.inner):
		return c.channelSum(a, b, c.layout(y))
	}
	panic(fail.With("of samples is supported within windows, and of channels, alone"))
}

// scored returns the scores of node, which has one pixel per window of height×width, as a value. Its dimensions are
// batch, the dimensions before the matrix in the first factor, and then first and second, the rows and columns of a
// matrix of scores. Steps of pixels in batch lead to the next window, so they shrink by its size; 0×0 is one window.
func (c *call) scored(node int, batch layout, height, width int, first, second part) []*value {
	dims := make(layout, len(batch))
	first.step, second.step = second.size, 1
	inner := first.size * second.size // the step of the next part of channels, from the last to the first
	for d := len(batch) - 1; d >= 0; d-- {
		for _, p := range slices.Backward(batch[d]) {
			switch {
			case p.of == channels && p.size > 1:
				p = part{of: channels, size: p.size, step: inner}
				inner *= p.size
			case p.of == rows && height > 0:
				p.step /= height
			case p.of == columns && width > 0:
				p.step /= width
			}
			dims[d] = slices.Insert(dims[d], 0, p)
		}
	}
	return []*value{c.sampled(node).arranged(append(dims, []part{first}, []part{second}))}
}

// scores adds a graph.Scores: the products of pixels of factors a and b within windows, for each index in batch.
func (c *call) scores(a, b factor, batch layout) []*value {
	height, width := windowSize(a.left, a.batch, a.shape)
	fail.When(height == 0,
		"of all pixels is not supported; where they are those of one window, export the network for a larger picture")
	k, _, _ := keyWindows(b.left, b.batch, b.shape, height, width)
	c.arrange(&a, a.inner)
	c.arrange(&b, b.inner)
	second := part{of: channels, size: k.Height * k.Width, height: k.Height, width: k.Width}
	op := graph.Scores{Windows: graph.Windows{Height: height, Width: width, Heads: a.heads}, Keys: k}
	if k == (graph.Keys{}).Or(op.Windows) { // the same windows as in a, for which zero stands
		op.Keys = graph.Keys{}
	}
	node := c.put(op, a.node, b.node)
	first := part{of: channels, size: height * width, height: height, width: width}
	return c.scored(node, batch, height, width, first, second)
}

// channelScores adds a graph.ChannelScores: the products of channels of factors a and b, for each index in batch.
func (c *call) channelScores(a, b factor, batch layout) []*value {
	height, width := windowSize(a.inner, a.batch, a.shape)
	c.arrange(&a, a.left)
	c.arrange(&b, b.left)
	op := graph.ChannelScores{Windows: graph.Windows{Height: height, Width: width, Heads: a.heads}}
	node := c.put(op, a.node, b.node)
	n := part{of: channels, size: a.shape.Channels / a.heads}
	return c.scored(node, batch, height, width, n, n)
}

// layerScores does what channelScores does where a row of the matrix is a layer, with all pixels of several channels,
// the first part of inner: layer attention (Niu et al.: HAN, ECCV 2020). It counts these channels as heads and sums
// over the heads, so two layers score the sum of the scores of each channel of one and the same channel of the other.
func (c *call) layerScores(a, b factor, batch layout) []*value {
	each := a.inner[:1]
	for _, f := range []*factor{&a, &b} {
		f.batch, f.inner = slices.Concat(f.batch, each), f.inner[1:]
	}
	out := c.channelScores(a, b, append(slices.Clone(batch), each))
	out = c.reduceApart(out[0], len(batch), each[0].size, graph.Sum)
	return []*value{out[0].arranged(slices.Delete(c.layout(out[0]), len(batch), len(batch)+1))}
}

// layerSum does what channelSum does with the scores of layerScores as weights: one for all channels of a layer. It
// repeats the weights for each channel of a layer, as if these channels were heads.
func (c *call) layerSum(a, b factor) []*value {
	each, layers := b.left[0], b.shape.Channels/b.left[0].size // the channels of a layer, and how many layers
	if a.shape.Channels != layers*layers || !a.hasOrder(layers*layers) || len(a.left) != 1 || len(b.inner) != 1 ||
		each.size > graph.MaxScores/layers/layers {
		panic(errView)
	}
	var list []int // the channels of a, once for each channel of a layer
	for range each.size {
		for k := range layers * layers {
			list = append(list, k)
		}
	}
	node := c.put(graph.Select{Channels: list}, a.node)
	one := part{of: channels, size: each.size, step: layers * layers}
	a.node, a.shape, a.batch = node, c.builder.Shape(node), append(slices.Clone(a.batch), one)
	pixels := b.left[1:]
	b.batch, b.left = append(slices.Clone(b.batch), each), pixels
	out := c.channelSum(a, b, layout{{each}, b.inner, pixels})
	dims := c.layout(out[0])
	order := slices.Concat(dims[1], dims[0]) // back from head after head to layer after layer
	node = fail.Need(c.selectChannels(out[0].samples.base, order, b.shape.Channels))
	return []*value{c.sampled(node).arranged(layout{nil, {{of: channels, size: layers, step: each.size}},
		slices.Concat([]part{{of: channels, size: each.size, step: 1}}, pixels)})}
}

// hasOrder reports whether the channels of f are scores in the order of graph.Scores: head after head, n scores each.
func (f *factor) hasOrder(n int) bool {
	order := slices.Concat(f.batch, f.left, f.inner)
	step := 1
	for _, p := range slices.Backward(order) {
		if p.of != channels {
			continue
		}
		if p.step != step {
			return false
		}
		step *= p.size
	}
	return step == f.shape.Channels && f.shape.Channels%n == 0
}

// weightedSum adds a graph.WeightedSum: sums of the pixels of b, with the scores a as weights. order is b's layout.
func (c *call) weightedSum(a, b factor, order layout) []*value {
	var like part // the pixels that the scores are for
	if len(a.left) == 1 {
		like = a.left[0]
	}
	k, across, down := keyWindows(b.inner, b.batch, b.shape, like.height, like.width)
	isScore := len(a.inner) == 1 && like.height > 0 && a.inner[0].height == k.Height &&
		a.inner[0].width == k.Width && a.shape.W == across && a.shape.H == down
	fail.When(!isScore || !a.hasOrder(a.left[0].size*a.inner[0].size),
		"of pixels is supported by what products of pixels make alone")
	c.arrange(&b, b.left)
	op := graph.WeightedSum{Keys: k,
		Windows: graph.Windows{Height: a.left[0].height, Width: a.left[0].width, Heads: b.heads}}
	if k == (graph.Keys{}).Or(op.Windows) { // the windows of the result, for which zero stands
		op.Keys = graph.Keys{}
	}
	node := c.put(op, a.node, b.node)
	// The channels are now in order, head after head, and the windows are the windows of the scores.
	out := c.inOrder(order)
	last := len(out) - 2
	for d, parts := range out[:last] {
		for i, p := range parts {
			switch p.of {
			case rows:
				out[d][i].step = op.Height
			case columns:
				out[d][i].step = op.Width
			}
		}
	}
	out[last] = []part{{of: rows, size: op.Height, step: 1}, {of: columns, size: op.Width, step: 1}}
	return []*value{c.sampled(node).arranged(out)}
}

// channelSum adds a graph.ChannelSum: sums of the channels of b, with the scores a as weights. like is the layout of b.
func (c *call) channelSum(a, b factor, like layout) []*value {
	height, width := windowSize(b.left, b.batch, b.shape)
	c.arrange(&b, b.inner)
	n := b.shape.Channels / b.heads // a has a score for each two of the n channels of a head
	fail.When(!a.hasOrder(n*n) || a.shape.Channels != b.heads*n*n,
		"of channels is supported by what products of channels make alone")
	op := graph.ChannelSum{Windows: graph.Windows{Height: height, Width: width, Heads: b.heads}}
	node := c.put(op, a.node, b.node)
	return []*value{c.sampled(node).arranged(c.inOrder(like))}
}

// inOrder returns the layout like for a node that has its channels in the order of like: the same parts, other steps.
func (c *call) inOrder(like layout) layout {
	out := make(layout, len(like))
	step := 1 // of the next part of channels, from the last to the first
	for d := len(like) - 1; d >= 0; d-- {
		for _, p := range slices.Backward(like[d]) {
			if p.of == channels && p.size > 1 {
				p.step = step
				step *= p.size
			}
			out[d] = slices.Insert(out[d], 0, p)
		}
	}
	return out
}

// shiftMask returns the ShiftMask that adds constant t to v, the scores of a moved picture, and false if there is none.
func (c *call) shiftMask(v *value, t *tensor) (mask graph.ShiftMask, is bool) {
	dims := c.layout(v)
	s := c.builder.Shape(v.samples.base)
	n := len(dims)
	if n < 3 || len(t.dims) != n || len(dims[n-1]) != 1 || dims[n-1][0].height == 0 {
		return mask, false
	}
	p := dims[n-1][0]
	mask = graph.ShiftMask{Height: p.height, Width: p.width, Heads: s.Channels / p.size / p.size}
	windows := 1 // how many matrices of scores the constant has
	for d, parts := range dims[:n-2] {
		ofWindows := slices.ContainsFunc(parts, func(p part) bool { return p.of != channels })
		if windows *= t.dims[d]; t.dims[d] != 1 && (!ofWindows || t.dims[d] != s.W*s.H) {
			return mask, false
		}
	}
	if windows != s.W*s.H || t.dims[n-2] != p.size || t.dims[n-1] != p.size || c.spendWork(t.size()) != nil {
		return mask, false
	}
	for i := range t.size() {
		if value := float32(t.real(i)); value != 0 {
			mask.Value = value
			break
		}
	}
	// In the last window, the rows and columns that the move brought from the other side of the picture have masked
	// scores with the first pixel. isMask compares all others.
	last := t.size() - p.size*p.size
	for i := p.height - 1; i > 0 && t.real(last+i*p.width) != 0; i-- {
		mask.Rows++
	}
	for i := p.width - 1; i > 0 && t.real(last+i) != 0; i-- {
		mask.Columns++
	}
	return mask, c.isMask(mask, t, s)
}

// isMask reports whether constant t holds, one window after another, what mask adds to scores of shape s.
func (c *call) isMask(mask graph.ShiftMask, t *tensor, s graph.Shape) bool {
	n := mask.Height * mask.Width
	for i := range t.size() {
		window, first, second := i/(n*n), i/n%n, i%n
		want := float32(0)
		if mask.IsApart(window%s.W, window/s.W, first, second, s) { // the pixels came from different places
			want = mask.Value
		}
		if float32(t.real(i)) != want {
			return false
		}
	}
	return true
}
