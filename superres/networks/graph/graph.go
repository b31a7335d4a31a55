// Package graph describes convolutional networks in float32 as lists of nodes. Each node is one operation and computes
// its samples from the samples of earlier nodes. The packages beside this one build graphs from the files of other
// programs, and package networks translates graphs into programs.
package graph

// Graph is a network. It does not change once it is made, and may be used concurrently.
type Graph struct {
	// Nodes are in an order in which each node comes after its inputs. The first node, and no other, is the Input.
	Nodes []Node
	// Output is the index of the node whose samples are the result.
	Output int
	// Range is the value of white in the samples of the input and of the result: 1 or 255. Black is 0.
	Range float32
	// Terms are the terms of use that the file states; empty if it states none.
	Terms string
}

// Node is one operation of a Graph.
type Node struct {
	// Name is the name of the node in the file, for error messages.
	Name string
	// Op is the operation: a value of one of the types of this package that implement Op.
	Op Op
	// Inputs are the indexes of the nodes whose samples the operation takes.
	Inputs []int
}

// Op is an operation on samples. Its result has a width, a height and a number of channels.
type Op interface {
	// shape returns the shape of the result for inputs of the given shapes. It panics with a fail.Failure if the
	// parameters of the operation do not fit the inputs or each other. The result may be empty: see shapeOf.
	shape(in []Shape) Shape
}

// Shape is the size of the samples of a node: W×H pixels with Channels samples each.
type Shape struct{ W, H, Channels int }

// Input is the picture. It has 3 channels (red, green and blue) or 1 (brightness).
type Input struct{ Channels int }

// Conv is a convolution. Samples beyond the edges are 0.
type Conv struct {
	// Out is the number of output channels.
	Out int
	// Height and Width are the numbers of rows and columns of taps.
	Height, Width int
	// Pad is how many samples the taps reach beyond each edge of the picture.
	Pad Edges
	// Dilation is the distance between neighbouring taps; at least 1.
	Dilation int
	// Groups is the number of groups of channels, at least 1. An output depends only on the inputs of its group.
	Groups int
	// Weight holds the weight of tap (y, x) from channel i of a group to output o at ((o·n + i)·Height + y)·Width + x,
	// where n is the number of input channels of a group.
	Weight []float32
	// Bias has one value per output; nil means 0.
	Bias []float32
}

// ConvTranspose is a transposed convolution: every input sample adds Kernel×Kernel weighted copies of itself to the
// result, Stride samples from its neighbour's. Pad samples are cut off above and left, Pad−Extra below and right,
// where a negative number adds samples.
type ConvTranspose struct {
	Out, Kernel, Stride, Pad, Extra int
	// Groups is as in Conv.
	Groups int
	// Weight holds the weight of tap (y, x) from input i to output o of its group at ((i·n + o)·Kernel + y)·Kernel + x,
	// where n is the number of output channels of a group.
	Weight []float32
	// Bias has one value per output; nil means 0.
	Bias []float32
}

// PReLU multiplies negative samples by a slope.
type PReLU struct {
	// Slope has one value, or one per channel. A slope of 0 makes the PReLU a ReLU, a single other slope a LeakyReLU.
	Slope []float32
}

// Function is a function of one number that is applied to every sample.
type Function int

// The functions.
const (
	Sigmoid Function = iota
	Tanh
	SiLU      // x·σ(x)
	GELU      // x·Φ(x), by the error function
	GELUTanh  // x·Φ(x), by the approximation with tanh
	Mish      // x·tanh(ln(1+eˣ))
	ELU       // x, or eˣ−1 below 0
	Softplus  // ln(1+eˣ)
	HardSwish // x·clip(x/6 + ½, 0, 1)
	Abs
	Square
	Exp
	Sqrt
	Reciprocal
	Floor
	Ceil
	Round    // to the nearest whole number; from halfway to the even one
	Sign     // −1, 0 or 1
	Positive // 1 above 0, else 0
)

// Clip limits samples to Min..Max.
type Clip struct{ Min, Max float32 }

// Affine multiplies samples by Scale and adds Offset. Scale and Offset each have one value, or one value per channel.
type Affine struct{ Scale, Offset []float32 }

// Add, Sub, Mul, Div, Max and Min combine two inputs of equal size, sample by sample. An input of one channel is
// combined with every channel of the other input, an input of a single pixel with every pixel.
type (
	Add struct{}
	Sub struct{}
	Mul struct{}
	Div struct{}
	Max struct{}
	Min struct{}
)

// Where takes a sample from its second input where the first is not 0, else from its third. Their sizes are as in Add.
type Where struct{}

// Concat joins the channels of all its inputs, one input after the other.
type Concat struct{}

// Select returns the listed channels of its input, in the order of the list, which may omit and repeat channels.
type Select struct{ Channels []int }

// PixelShuffle turns channels into pixels: with r the Factor, output (x, y) of channel c is input (⌊x/r⌋, ⌊y/r⌋) of
// channel c·r² + (y mod r)·r + x mod r.
type PixelShuffle struct{ Factor int }

// PixelUnshuffle is the inverse of PixelShuffle. The sides of its input must be multiples of Factor, unless Extend
// is true: then samples beyond the bottom and right edges count as 0.
type PixelUnshuffle struct {
	Factor int
	Extend bool
}

// Interpolation is a way to resize.
type Interpolation int

// The interpolations. Bilinear and Bicubic reduce without antialiasing.
const (
	Nearest Interpolation = iota
	Bilinear
	Bicubic
)

// Resize multiplies the sides of the picture by Up/Down. At least one of the two is 1, unless Up is less than Down and
// AlignCorners is false. With a second input, both are 0, and the result has the size of that input. Edge samples are
// repeated beyond the edges. With Nearest, sample i of n in a row of the result is sample ⌊i·m/n⌋ of m in the input.
type Resize struct {
	By       Interpolation
	Up, Down int
	// A is the parameter of bicubic interpolation, from −1 to 0: usually −0.75 or −0.5.
	A float64
	// AlignCorners maps the centres of the input's corner samples to the centres of the result's corner samples;
	// otherwise the outer corners of the two pictures coincide.
	AlignCorners bool
}

// PadMode says which samples Pad adds beyond the edges.
type PadMode int

// The modes of Pad.
const (
	PadZero    PadMode = iota
	PadEdge            // the nearest sample at the edge
	PadReflect         // mirrored at the edge sample, which is not repeated
)

// Pad adds as many samples beyond each edge as Edges says, or cuts samples off where the number is negative.
type Pad struct {
	Edges
	Mode PadMode
}

// Edges holds a number of samples for each side of a picture.
type Edges struct{ Top, Left, Bottom, Right int }
