package learning

import (
	"math"
	"math/rand/v2"

	"superres/superres/convolutional"
)

// learned is a layer while it is trained, as shape.go says how it lies.
type learned struct {
	shape
	now    parameters
	turned []float32  // weights, see shape.turn
	mean   parameters // the running mean of now
	sum    parameters // the gradient of now
	moment parameters // the running mean of the gradient
	square []float32  // that of its square, of biases, slopes and levels
	step   []float32  // by which weights move
	work   work
}

// newLearned makes a layer that begins as the one given. Where fresh is set its weights are
// random instead, those of the chain around the identity.
func newLearned(s shape, l convolutional.Layer, fresh bool, rng *rand.Rand) *learned {
	f := &learned{shape: s, now: s.of(l), turned: make([]float32, s.side*s.side*s.wide*s.in), square: make([]float32, s.size()-s.rows()*s.wide),
		step: make([]float32, s.rows()*s.wide), work: newWork(s.rows(), s.wide)}
	for _, p := range []*parameters{&f.mean, &f.sum, &f.moment} {
		*p = s.over(make([]float32, s.size()))
	}
	if fresh {
		spread := 0.35
		if s.in == 1 {
			spread = 1.2
		} else if s.linear {
			spread = 0.02
		}
		spread /= math.Sqrt(float64(s.side * s.side * s.in))
		for tap := range s.side * s.side {
			for i := range s.in {
				row := f.now.weight[s.row(tap, i)*s.wide:][:s.out]
				for o := range row {
					row[o] = float32(spread * rng.NormFloat64())
				}
				if s.in == s.out && tap == s.side*s.side/2 {
					row[i]++
				}
			}
		}
	}
	copy(f.mean.all, f.now.all)
	f.moved()
	return f
}

// moved follows a change of the parameters.
func (f *learned) moved() {
	if f.in > 1 { // no gradient goes back beyond the first layer
		f.turn(f.turned, f.now.weight)
	}
}

// forget clears the gradient of what is no parameter: it only fills up, or is a slope of a
// layer that has none.
func (f *learned) forget() {
	for r := range f.side {
		clear(f.sum.weight[(r*f.span+f.side*f.in)*f.wide : (r+1)*f.span*f.wide])
	}
	for r := range f.rows() {
		clear(f.sum.weight[r*f.wide+f.out : (r+1)*f.wide])
	}
	clear(f.sum.bias[f.out:])
	if f.leveled {
		clear(f.sum.level[f.out:])
	}
	if f.linear {
		clear(f.sum.slope)
	}
}

// squares is the sum of those of the gradient.
func (f *learned) squares() float64 {
	var sums [4]float64
	for i, v := range f.sum.all {
		sums[i%4] += float64(v) * float64(v)
	}
	return sums[0] + sums[1] + sums[2] + sums[3]
}
