package graph

import (
	"context"
	"math"
)

func (p PReLU) compute(ctx context.Context, out Samples, in []Samples) error {
	slope := spread(p.Slope, out.Channels)
	return forRows(ctx, out, func(y int) {
		to, from := out.Row(y), in[0].Row(y)
		for ; len(to) > 0; to, from = to[len(slope):], from[len(slope):] {
			for i, s := range slope {
				v := from[i]
				if v < 0 {
					v *= s
				}
				to[i] = v
			}
		}
	})
}

// spread returns one value for each channel, of a list that has one for each or one for all.
func spread(list []float32, channels int) []float32 {
	if len(list) == channels {
		return list
	}
	all := make([]float32, channels)
	for i := range all {
		all[i] = list[0]
	}
	return all
}

func (f Function) compute(ctx context.Context, out Samples, in []Samples) error {
	return forRows(ctx, out, func(y int) {
		to := out.Row(y)
		for i, v := range in[0].Row(y) {
			to[i] = float32(f.At(float64(v)))
		}
	})
}

// At returns the function of x.
func (f Function) At(x float64) float64 {
	switch f {
	case Sigmoid:
		return sigmoid(x)
	case Tanh:
		return math.Tanh(x)
	case SiLU:
		return x * sigmoid(x)
	case GELU:
		return x / 2 * math.Erfc(-x/math.Sqrt2)
	case GELUTanh:
		return x * sigmoid(2*math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)) // ½(1 + tanh(z)) = σ(2z)
	case Mish:
		return x * math.Tanh(softplus(x))
	case ELU:
		return max(x, 0) + math.Expm1(min(x, 0))
	case Softplus:
		return softplus(x)
	case HardSwish:
		return x * hardSigmoid(x)
	case HardSigmoid:
		return hardSigmoid(x)
	case Abs:
		return math.Abs(x)
	case Square:
		return x * x
	case Exp:
		return math.Exp(x)
	case Sqrt:
		return math.Sqrt(x)
	case Reciprocal:
		return 1 / x
	case Floor:
		return math.Floor(x)
	case Ceil:
		return math.Ceil(x)
	case Round:
		return math.RoundToEven(x)
	case Sign:
		return positive(x) - positive(-x)
	case Positive:
		return positive(x)
	}
	panic("graph: no such function")
}

func sigmoid(x float64) float64     { return 1 / (1 + math.Exp(-x)) }
func softplus(x float64) float64    { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }
func hardSigmoid(x float64) float64 { return min(max(x/6+0.5, 0), 1) }

func positive(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

func (c Clip) compute(ctx context.Context, out Samples, in []Samples) error {
	return forRows(ctx, out, func(y int) {
		to := out.Row(y)
		for i, v := range in[0].Row(y) {
			to[i] = min(max(v, c.Min), c.Max)
		}
	})
}

func (a Affine) compute(ctx context.Context, out Samples, in []Samples) error {
	scale, offset := spread(a.Scale, out.Channels), spread(a.Offset, out.Channels)
	return forRows(ctx, out, func(y int) {
		to, from := out.Row(y), in[0].Row(y)
		for ; len(to) > 0; to, from = to[len(scale):], from[len(scale):] {
			for i, s := range scale {
				to[i] = float32(from[i]*s) + offset[i]
			}
		}
	})
}

func (Add) compute(ctx context.Context, out Samples, in []Samples) error {
	return combine(ctx, out, in, func(to, a, b []float32) {
		for i, v := range a {
			to[i] = v + b[i]
		}
	})
}

func (Sub) compute(ctx context.Context, out Samples, in []Samples) error {
	return combine(ctx, out, in, func(to, a, b []float32) {
		for i, v := range a {
			to[i] = v - b[i]
		}
	})
}

func (Mul) compute(ctx context.Context, out Samples, in []Samples) error {
	return combine(ctx, out, in, func(to, a, b []float32) {
		for i, v := range a {
			to[i] = v * b[i]
		}
	})
}

// combine calls op for rows of samples of two inputs; of an input of one channel, with as many copies as the other has
// channels.
func combine(ctx context.Context, out Samples, in []Samples, op func(to, a, b []float32)) error {
	return forRows(ctx, out, func(y int) {
		var rows [2][]float32
		for k, s := range in[:2] {
			rows[k] = s.Row(min(y, s.H-1))
			if s.Channels == out.Channels && s.W == out.W {
				continue
			}
			wide := make([]float32, 0, out.W*out.Channels)
			for x := range out.W {
				for c := range out.Channels {
					wide = append(wide, s.At(min(x, s.W-1), min(y, s.H-1))[min(c, s.Channels-1)])
				}
			}
			rows[k] = wide
		}
		op(out.Row(y), rows[0], rows[1])
	})
}
