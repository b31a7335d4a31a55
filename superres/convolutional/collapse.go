package convolutional

import (
	"math"
	"math/rand/v2"

	"superres/internal/kernel"
)

// While it is trained, the weights of a layer, a matrix W of side·span rows and wide
// columns, are a product,
//
//	W = A·B + R,  A of H columns, B of H rows, H = 128,
//
// in which A and B are learned and R stays: the identity, at the centre, in a layer of the
// chain, otherwise 0. It says no more than W alone, but gradient descent on A and B goes
// other ways and arrives sooner: a few hundredths to two tenths of a decibel. The
// convolutions run with W, which is made anew after each step, and
//
//	∂A = ∂W·Bᵀ,  ∂B = Aᵀ·∂W.
//
// K. Bhardwaj and others: Collapsible linear blocks for super-efficient super resolution,
// MLSys 2022, arXiv:2103.09404.
type factors struct {
	shape
	value, gradient []float32 // A by rows, B, biases, slopes
	moment, square  []float32 // of Adam
	rest            []float32 // R
	now             parameters
	turned          []float32  // see shape.turn
	mean            parameters // the running mean of now
	sum             parameters // the gradient of now
	work            []float32
}

const hidden = 128

// counts are the lengths of A and of B.
func (f *factors) counts() (a, b int) { return f.rows() * hidden, hidden * f.wide }

// parts takes a slice of all parameters apart.
func (f *factors) parts(all []float32) (a, b, bias, slope []float32) {
	na, nb := f.counts()
	return all[:na], all[na : na+nb], all[na+nb : na+nb+f.wide], all[na+nb+f.wide:]
}

// newFactors makes a layer that begins as the one given, of a network in its given shape:
// as far as A and B are random it is made up for by R. Where fresh is set the weights begin
// as A, B and the identity make them, which is how a network begins to learn from nothing.
func newFactors(s shape, l layer, fresh bool, rng *rand.Rand) *factors {
	f := &factors{shape: s, turned: make([]float32, s.side*s.side*s.wide*s.in)}
	na, nb := f.counts()
	size := na + nb + 2*s.wide
	for _, v := range []*[]float32{&f.value, &f.gradient, &f.moment, &f.square} {
		*v = make([]float32, size)
	}
	f.work = make([]float32, na+hidden*s.wide+s.rows()*s.wide)
	a, b, bias, slope := f.parts(f.value)
	spread := 0.35
	if s.in == 1 {
		spread = 1.2
	} else if s.linear {
		spread = 0.02
	}
	for tap := range s.side * s.side {
		for i := range s.in {
			row := a[s.row(tap, i)*hidden:][:hidden]
			for h := range row {
				row[h] = float32(rng.NormFloat64() / math.Sqrt(float64(s.side*s.side*s.in)))
			}
		}
	}
	for h := range hidden {
		for o := range s.out {
			b[h*s.wide+o] = float32(spread * rng.NormFloat64() / math.Sqrt(hidden))
		}
	}
	f.now, f.mean, f.sum = s.of(l), s.of(l), s.over(make([]float32, s.size()))
	f.rest = make([]float32, s.rows()*s.wide)
	copy(bias, f.now.bias)
	copy(slope, f.now.slope)
	if !fresh {
		want := append([]float32(nil), f.now.weight...)
		f.collapse()
		for i, v := range want {
			f.rest[i] = v - f.now.weight[i]
		}
	} else if s.in == s.out {
		for i := range s.in {
			f.rest[s.row(s.side*s.side/2, i)*s.wide+i] = 1
		}
	}
	f.collapse()
	copy(f.mean.all, f.now.all)
	return f
}

// collapse makes the layer of its factors.
func (f *factors) collapse() {
	a, b, bias, slope := f.parts(f.value)
	rows := f.rows()
	t := transpose(f.work, a, rows, hidden)
	kernel.Mul32(f.now.weight, f.wide, t, rows, b, f.wide, rows, hidden, f.wide)
	for i, v := range f.rest {
		f.now.weight[i] += v
	}
	copy(f.now.bias, bias)
	copy(f.now.slope, slope)
	if f.in > 1 { // no gradient goes back beyond the first layer
		f.turn(f.turned, f.now.weight)
	}
}

// distribute turns the gradient of the layer, f.sum, into that of its factors, f.gradient, and
// returns the sum of its squares.
func (f *factors) distribute() float64 {
	f.forget()
	a, b, _, _ := f.parts(f.value)
	toA, toB, toBias, toSlope := f.parts(f.gradient)
	rows, d := f.rows(), f.sum.weight
	kernel.Mul32(toB, f.wide, a, hidden, d, f.wide, hidden, rows, f.wide)
	dt := transpose(f.work, d, rows, f.wide)
	bt := transpose(f.work[len(dt):], b, hidden, f.wide)
	kernel.Mul32(toA, hidden, dt, rows, bt, hidden, rows, f.wide, hidden)
	copy(toBias, f.sum.bias)
	copy(toSlope, f.sum.slope)
	var squares [4]float64
	for i, v := range f.gradient {
		squares[i%4] += float64(v) * float64(v)
	}
	return squares[0] + squares[1] + squares[2] + squares[3]
}

// forget clears the gradient of what is no parameter: it only fills up, or is a slope of a
// layer that has none.
func (f *factors) forget() {
	for r := range f.side {
		clear(f.sum.weight[(r*f.span+f.side*f.in)*f.wide : (r+1)*f.span*f.wide])
	}
	if f.linear {
		clear(f.sum.slope)
	}
}

// transpose sets to to x of rows×cols, transposed, and returns it.
func transpose(to, x []float32, rows, cols int) []float32 {
	to = to[:rows*cols]
	for r := range rows {
		for c, v := range x[r*cols : (r+1)*cols] {
			to[c*rows+r] = v
		}
	}
	return to
}
