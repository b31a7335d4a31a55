package onnx

import (
	"errors"
	"math"
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// factors returns the factors by which a Resize or Upsample multiplies the height (down) and width (across) of shape s.
// The node states factors, or sizes in newer versions, of all dimensions or of those in axes.
func (c *call) factors(s graph.Shape) (down, across float64) {
	dims := []int{1, s.Channels, s.H, s.W}
	axes := c.list("axes")
	if axes == nil {
		axes = []int{0, 1, 2, 3}
	}
	var list []float64
	scales, sizes := c.in[1], (*value)(nil)
	if c.op == "Resize" && c.opset >= 11 {
		scales, sizes = c.in[2], c.in[3]
	}
	switch {
	case sizes != nil:
		fail.When(sizes.constant == nil || sizes.constant.size() != len(axes),
			"to sizes that are not %d constants is not supported", len(axes))
		for i, a := range axes {
			list = append(list, sizes.constant.real(i)/float64(dims[axis(a, 4)]))
		}
	case scales != nil && scales.constant != nil:
		for i := range min(scales.constant.size(), 8) {
			list = append(list, scales.constant.real(i))
		}
	default:
		panic(fail.With("by factors that are no constants is not supported"))
	}
	fail.When(len(list) != len(axes), "by %d factors for %d dimensions", len(list), len(axes))
	all := [4]float64{1, 1, 1, 1}
	for i, a := range axes {
		all[axis(a, 4)] = list[i]
	}
	fail.When(all[0] != 1 || all[1] != 1, "of channels is not supported")
	return all[2], all[3]
}

// resize computes Resize and Upsample: by a whole factor, by the inverse of one, or to the size of an earlier node.
func (c *call) resize() (out []*value) {
	s := c.shape()
	down, across := c.factors(s)
	var op graph.Resize
	var err error
	if op.Up, op.Down, err = graph.WholeFactors(down, across); err != nil {
		return c.resizeTo(s, down, across, err)
	}
	if c.model.resizesLike && op.Up != op.Down && // the factor may be right only for the file's size: prefer a node's
		fail.Catch(func() { out = c.resizeTo(s, down, across, errors.New("to the size of no other samples")) }) == nil {
		return out
	}
	if op.Up == op.Down {
		return c.same()
	}
	coordinates := c.coordinates()
	fail.When(c.int("antialias", 0) != 0 && op.Down > 1, "with smoothing is not supported")
	op.By, op.A = c.interpolation()
	switch {
	case op.By == graph.Nearest:
		return c.nearest(op, coordinates)
	case isHalfPixel(coordinates):
	case coordinates == "align_corners":
		op.AlignCorners = true
	case coordinates == "asymmetric" && op.By == graph.Bilinear && op.Down == 1:
		return c.enlargeFromCorner(op.Up)
	default:
		panic(fail.With("with the coordinates %q is not supported but for nearest samples", coordinates))
	}
	return c.add(op, c.in[0])
}

// coordinates returns a Resize's coordinate mode, such as half_pixel. It fails for options that graph.Resize lacks.
func (c *call) coordinates() string {
	switch policy := c.text("keep_aspect_ratio_policy", "stretch"); {
	case policy != "stretch":
		panic(fail.With("with the policy %q is not supported", policy))
	case c.int("exclude_outside", 0) != 0:
		panic(fail.With("without what is outside is not supported"))
	case c.op == "Upsample" || c.opset < 11:
		return "asymmetric"
	}
	return c.text("coordinate_transformation_mode", "half_pixel")
}

func isHalfPixel(coordinates string) bool {
	return coordinates == "half_pixel" || coordinates == "pytorch_half_pixel" || coordinates == "half_pixel_symmetric"
}

// interpolation returns the interpolation of a Resize, and the parameter of a bicubic one.
func (c *call) interpolation() (by graph.Interpolation, a float64) {
	switch mode := c.text("mode", "nearest"); mode {
	case "nearest":
	case "linear":
		by = graph.Bilinear
	case "cubic":
		by, a = graph.Bicubic, c.real("cubic_coeff_a", -0.75)
	default:
		panic(fail.With("by %q is not supported", mode))
	}
	return by, a
}

// resizeTo resizes samples of shape s by factors to the size of an earlier node, and fails with noNode if none has it.
func (c *call) resizeTo(s graph.Shape, down, across float64, noNode error) []*value {
	to, found := c.builder.Find(float64(s.W)*across, float64(s.H)*down)
	if !found {
		fail.If(noNode)
	}
	coordinates := c.coordinates()
	var op graph.Resize
	op.By, op.A = c.interpolation()
	rounding := c.text("nearest_mode", "round_prefer_floor")
	switch {
	case c.int("antialias", 0) != 0 && (down < 1 || across < 1):
		panic(fail.With("with smoothing is not supported"))
	case op.By == graph.Nearest && coordinates == "asymmetric" && (rounding == "floor" || c.opset < 11):
	case op.By != graph.Nearest && isHalfPixel(coordinates):
	case op.By != graph.Nearest && coordinates == "align_corners":
		op.AlignCorners = true
	default:
		panic(fail.With("with the coordinates %q and the rounding %q is not supported", coordinates, rounding))
	}
	return c.add(op, c.in[0], c.sampled(to))
}

// enlargeFromCorner adds the nodes of a bilinear enlargement in which column x is at position x/factor of the input:
// every sample becomes a block of mixtures with its neighbours to the right and below.
func (c *call) enlargeFromCorner(factor int) []*value {
	s := c.shape()
	fail.When(s.Channels*factor*factor > graph.MaxChannels,
		"of %d channels by %d is not supported with asymmetric coordinates", s.Channels, factor)
	op := graph.Conv{Out: s.Channels * factor * factor, Height: 2, Width: 2, Dilation: 1, Groups: s.Channels}
	for range s.Channels {
		for y := range factor {
			for x := range factor {
				below, right := float64(y)/float64(factor), float64(x)/float64(factor)
				op.Weight = append(op.Weight, float32((1-below)*(1-right)), float32((1-below)*right),
					float32(below*(1-right)), float32(below*right))
			}
		}
	}
	return c.addChain(fail.Need(c.inUsualLayout(c.in[0])),
		graph.Pad{Edges: graph.Edges{Bottom: 1, Right: 1}, Mode: graph.PadEdge}, op, graph.PixelShuffle{Factor: factor})
}

// nearest adds op, a Resize by nearest neighbour. It fails unless the file takes sample ⌊x·Down/Up⌋ for column x, too.
func (c *call) nearest(op graph.Resize, coordinates string) []*value {
	rounding := c.text("nearest_mode", "round_prefer_floor")
	if c.op == "Upsample" || c.opset < 11 {
		rounding = "floor"
	}
	factor := float64(op.Up) / float64(op.Down)
	for x := range 4 * op.Up { // the pattern repeats after Up columns; four periods are checked
		position := 0.0
		switch coordinates {
		case "asymmetric":
			position = float64(x) / factor
		case "half_pixel", "pytorch_half_pixel", "half_pixel_symmetric":
			position = (float64(x)+0.5)/factor - 0.5
		case "tf_half_pixel_for_nn":
			position = (float64(x) + 0.5) / factor
		default:
			panic(fail.With("with the coordinates %q is not supported for nearest samples", coordinates))
		}
		const slack = 1e-6 // so that rounding errors do not decide
		switch rounding {
		case "floor":
			position = math.Floor(position + slack)
		case "ceil":
			position = math.Ceil(position - slack)
		case "round_prefer_floor":
			position = math.Ceil(position - 0.5 - slack)
		default:
			position = math.Floor(position + 0.5 + slack)
		}
		fail.When(int(max(position, 0)) != x*op.Down/op.Up,
			"with the coordinates %q and the rounding %q is not supported", coordinates, rounding)
	}
	return c.add(op, c.in[0])
}

// pad computes Pad of rows and columns. Negative pads cut rows and columns off.
func (c *call) pad() []*value {
	pads := c.listOr(1, "pads")
	border := c.number(2, c.real("value", 0))
	axes := c.listOr(3, "axes")
	if axes == nil {
		axes = []int{0, 1, 2, 3}
	}
	fail.When(len(pads) != 2*len(axes), "has %d pads for %d dimensions", len(pads), len(axes))
	var all [8]int // the pads in front of dimensions 0 to 3, and then behind them
	for i, a := range axes {
		a = axis(a, 4)
		all[a], all[4+a] = pads[i], pads[len(axes)+i]
	}
	fail.When(all[0] != 0 || all[1] != 0 || all[4] != 0 || all[5] != 0, "of channels is not supported")
	op := graph.Pad{Edges: graph.Edges{Top: all[2], Left: all[3], Bottom: all[6], Right: all[7]}}
	if op.Edges == (graph.Edges{}) {
		return c.same()
	}
	errView.When(len(c.sizes(c.in[0])) != 4)
	switch mode := c.text("mode", "constant"); mode {
	case "constant":
		return c.padWith(op, []float32{float32(border)})
	case "edge":
		op.Mode = graph.PadEdge
	case "reflect":
		op.Mode = graph.PadReflect
	default:
		panic(fail.With("by %q is not supported", mode))
	}
	return c.add(op, c.in[0])
}

// padWith computes op with the samples in border, one for all channels or one for each, in place of op's zeros.
func (c *call) padWith(op graph.Pad, border []float32) []*value {
	areZeros := slices.Min(border) == 0 && slices.Max(border) == 0
	if areZeros || max(op.Top, op.Left, op.Bottom, op.Right) <= 0 {
		return c.add(op, c.in[0])
	}
	minus := make([]float32, len(border))
	for i, v := range border {
		fail.When(!(math.Abs(float64(v)) < 1e4), "with %g is not supported", v) // or samples lose precision
		minus[i] = -v
	}
	// The border is subtracted, zeros are padded, and the border is added again.
	return c.addChain(fail.Need(c.inUsualLayout(c.in[0])), graph.Affine{Scale: []float32{1}, Offset: minus}, op,
		graph.Affine{Scale: []float32{1}, Offset: border})
}
