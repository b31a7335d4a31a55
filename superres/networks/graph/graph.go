// Package graph describes networks of convolutions in float32, as the files of other programs hold them: as nodes, each
// of which computes samples from those of nodes before it. The readers of package networks make graphs, and package
// networks makes programs of them.
package graph

// Graph is a network. It does not change once it is made, and may be used concurrently.
type Graph struct {
	// Nodes are in an order in which each comes after its inputs. The first is the Input; there is no other.
	Nodes []Node
	// Output is the index of the node whose samples are the result.
	Output int
	// Range is the value that stands for white in the samples of the input and of the result: 1 or 255; black is 0.
	Range float32
	// Terms are the terms of use that the file states; empty if it states none.
	Terms string
}

// Node is one operation of a Graph.
type Node struct {
	// Name is what the file calls the node, for messages.
	Name string
	// Op is the operation: a value of one of the types of this package that implement Op.
	Op Op
	// Inputs are the indexes of the nodes whose samples the operation takes.
	Inputs []int
}

// Op is an operation. Its samples have a width, a height and a number of channels.
type Op interface {
	// Name returns the name of the operation as users know it, such as Conv.
	Name() string
	// shape returns the shape of the result for inputs of the given shapes. It fails if the parameters of the operation
	// do not fit the inputs or each other, and for a result without samples.
	shape(in []Shape) (Shape, error)
}

// Shape is the size of the samples of a node.
type Shape struct{ W, H, Channels int }

// Input is the picture: red, green and blue, or brightness alone.
type Input struct{ Channels int }

// Conv is a convolution. Samples beyond the edges are 0.
type Conv struct {
	// Out is the number of output channels.
	Out int
	// Height and Width are the numbers of taps.
	Height, Width int
	// Pad is the number of samples beyond each edge that the taps reach.
	Pad Edges
	// Dilation is the distance of neighbouring taps; at least 1.
	Dilation int
	// Groups divides the channels: the outputs of a group see the inputs of that group alone. At least 1.
	Groups int
	// Weight has the weight of tap (y, x) from channel i of a group to output o at ((o·in + i)·Height + y)·Width + x,
	// with in the number of input channels of a group.
	Weight []float32
	// Bias has one value per output; nil: 0.
	Bias []float32
}

// ConvTranspose is a transposed convolution: every input sample adds Kernel×Kernel weighted copies of itself to the
// result, Stride apart, and Pad samples are cut off at each edge, Extra fewer at the bottom and on the right.
type ConvTranspose struct {
	Out, Kernel, Stride, Pad, Extra int
	// Groups is that of Conv.
	Groups int
	// Weight has the weight of tap (y, x) from input i to channel o of its group at ((i·out + o)·Kernel + y)·Kernel +
	// x, with out the number of output channels of a group.
	Weight []float32
	// Bias has one value per output; nil: 0.
	Bias []float32
}

// PReLU multiplies negative samples by a slope.
type PReLU struct {
	// Slope has one value, or one per channel. 0 makes it a ReLU, a constant a LeakyReLU.
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
	Round    // to the nearest whole number, of two to the even one
	Sign     // −1, 0 or 1
	Positive // 1 above 0, else 0
)

// Clip limits samples to Min..Max.
type Clip struct{ Min, Max float32 }

// Affine multiplies samples by Scale and adds Offset. Each has one value, or one per channel.
type Affine struct{ Scale, Offset []float32 }

// Add, Sub, Mul, Div, Max and Min combine two inputs of equal size, sample by sample. An input that has one channel
// goes with every channel of the other, and one of a single pixel with every pixel.
type (
	Add struct{}
	Sub struct{}
	Mul struct{}
	Div struct{}
	Max struct{}
	Min struct{}
)

// Where has the samples of its second input where those of the first are not 0, else those of the third. The sizes are
// those of Add.
type Where struct{}

// Concat has the channels of all its inputs, one input after the other.
type Concat struct{}

// Select has the given channels of its input, in their order: a part, or a permutation. Channels may repeat.
type Select struct{ Channels []int }

// PixelShuffle makes pixels of channels: output (x, y) of channel c is input (x/r, y/r) of channel c·r² + (y mod r)·r +
// x mod r, with r the Factor.
type PixelShuffle struct{ Factor int }

// PixelUnshuffle is the inverse of PixelShuffle. The sides of its input are multiples of Factor; if Extend, any, and
// samples beyond the bottom and on the right are 0.
type PixelUnshuffle struct {
	Factor int
	Extend bool
}

// Interpolation is a way to resize.
type Interpolation int

// The interpolations. Bilinear and Bicubic do not smooth when they reduce.
const (
	Nearest Interpolation = iota
	Bilinear
	Bicubic
)

// Resize makes the picture Up times as large, or Down times smaller; the other of the two is 1, or, without
// AlignCorners, Up is less than Down. With a second input, both are 0, and the result is as large as that. Samples
// beyond the edges repeat those at the edge; Nearest takes sample i·from/to, rounded down, for sample i.
type Resize struct {
	By       Interpolation
	Up, Down int
	// A is the parameter of bicubic interpolation, −0.75 or −0.5.
	A float64
	// AlignCorners takes the centres of the corner samples of input and output for the same points; otherwise the
	// corners of the pictures are.
	AlignCorners bool
}

// PadMode says what samples beyond the edges are.
type PadMode int

// The modes of Pad.
const (
	PadZero    PadMode = iota
	PadEdge            // the nearest sample
	PadReflect         // mirrored at the edge sample
)

// Pad adds samples beyond the edges; negative numbers cut off.
type Pad struct {
	Edges
	Mode PadMode
}

// Edges has a number of samples for each side of a picture.
type Edges struct{ Top, Left, Bottom, Right int }
