package graph

import (
	"fmt"
	"math"
)

// Operand is an operand of Arithmetic: samples of a node or, if Constant is not nil, one constant or one per channel.
type Operand struct {
	Node     int
	Constant []float32
}

// Arithmetic adds the nodes that combine x and y by a sign: + - * or /, or > for the greater and < for the lesser of
// the two. It returns the result, which is a constant if both operands are constants. It fails for a constant divisor
// that holds a 0, and for operands that do not fit each other.
func (b *Builder) Arithmetic(name string, sign byte, x, y Operand) (Operand, error) {
	if sign == '/' && y.Constant != nil {
		inverse := make([]float32, len(y.Constant))
		for i, v := range y.Constant {
			if inverse[i] = 1 / v; v == 0 {
				return Operand{}, fmt.Errorf("division by 0 in Div %q", name)
			}
		}
		sign, y = '*', Operand{Constant: inverse}
	}
	switch {
	case x.Constant != nil && y.Constant != nil:
		return combineConstants(name, sign, x.Constant, y.Constant)
	case x.Constant == nil && y.Constant == nil:
		return b.combineNodes(name, sign, x.Node, y.Node)
	case x.Constant != nil && sign != '-' && sign != '/':
		x, y = y, x
	}
	var op Op
	switch limit := y.Constant; {
	case sign == '>' && len(limit) == 1 && limit[0] == 0:
		op = PReLU{limit}
	case sign == '>' && len(limit) == 1:
		op = Clip{limit[0], math.MaxFloat32}
	case sign == '<' && len(limit) == 1:
		op = Clip{-math.MaxFloat32, limit[0]}
	case sign == '>', sign == '<':
		filled, err := b.Add(name, Affine{[]float32{0}, y.Constant}, x.Node)
		if err != nil {
			return Operand{}, err
		}
		return b.combineNodes(name, sign, x.Node, filled)
	case sign == '/': // constant / samples
		inverse, err := b.Add(name, Reciprocal, y.Node)
		if err != nil {
			return Operand{}, err
		}
		op, x = Affine{x.Constant, []float32{0}}, Operand{Node: inverse}
	case x.Constant != nil: // constant − samples
		op, x = Affine{[]float32{-1}, x.Constant}, y
	case sign == '+':
		op = Affine{[]float32{1}, y.Constant}
	case sign == '-':
		negative := make([]float32, len(y.Constant))
		for i, v := range y.Constant {
			negative[i] = -v
		}
		op = Affine{[]float32{1}, negative}
	default:
		op = Affine{y.Constant, []float32{0}}
	}
	node, err := b.Add(name, op, x.Node)
	return Operand{Node: node}, err
}

// pairwise maps each sign of Arithmetic to an operation with two inputs.
var pairwise = map[byte]Op{'+': Add{}, '-': Sub{}, '*': Mul{}, '/': Div{}, '>': Max{}, '<': Min{}}

// combineNodes does what Arithmetic does for two nodes. x·x becomes a Square.
func (b *Builder) combineNodes(name string, sign byte, x, y int) (Operand, error) {
	op, in := pairwise[sign], []int{x, y}
	if sign == '*' && x == y {
		op, in = Square, in[:1]
	}
	node, err := b.Add(name, op, in...)
	return Operand{Node: node}, err
}

// Combine returns the number that results from x and y by a sign of Arithmetic. Any unknown sign counts as /.
func Combine(sign byte, x, y float64) float64 {
	switch sign {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	case '>':
		return max(x, y)
	case '<':
		return min(x, y)
	}
	return x / y
}

// combineConstants combines two constants of equal length, number by number, as Combine does; a single one is repeated.
func combineConstants(name string, sign byte, x, y []float32) (Operand, error) {
	n := max(len(x), len(y))
	if len(x) != n && len(x) != 1 || len(y) != n && len(y) != 1 {
		return Operand{}, fmt.Errorf("%q combines %d and %d constants", name, len(x), len(y))
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(Combine(sign, float64(x[i%len(x)]), float64(y[i%len(y)])))
	}
	return Operand{Constant: list}, nil
}
