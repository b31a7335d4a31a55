package graph

import (
	"context"
	"fmt"
	"math"
)

// Span is what samples stand for: Black and White are their values for black and for white.
type Span struct{ Black, White float32 }

// The spans of the networks that there are.
var (
	Unit   = Span{0, 1}
	Bytes  = Span{0, 255}
	Signed = Span{-1, 1}
)

// String returns the span as text, such as 0..255.
func (s Span) String() string { return fmt.Sprintf("%g..%g", s.Black, s.White) }

// Ranges are the spans of the picture that a network takes, and of its result.
type Ranges struct{ In, Out Span }

// String returns the ranges as text: 0..1, or 0..255 in and 0..1 out.
func (r Ranges) String() string {
	if r.In == r.Out {
		return r.In.String()
	}
	return fmt.Sprintf("%v in and %v out", r.In, r.Out)
}

// The agreement, in dB, of a result, reduced to the size of the picture, with the picture. Of eight published networks
// of 0..1 it is 31.6 to 51.4, and for other spans 5 to 15.6 where the two differ, and 7 to 29.5 for 0..255 of 0..1. For
// −1..1 of 0..1 it is 1.9 to 29 less than that for 0..1, and for 0..1 of −1..1 it is 0.2 to 4.6 less than for −1..1.
const (
	alike  = 30  // above, 0..1 is taken whatever else is nearer: a network that adds little is near in other spans too
	unlike = 20  // below, the nearest spans are taken
	nearer = 15  // of those between, spans that are nearer by so much are taken
	better = 0.1 // −1..1 at both ends is taken in place of 0..1 where it is nearer by so much
)

// GuessRanges returns the ranges of a network of which the file does not tell them, and how well its result agrees with
// the picture by them, in dB. The picture has samples from 0 to 1. The ranges are those of nine, of 0..1, 0..255 and
// −1..1, by which the result, reduced to the size of the picture, is nearest to it, but 0..1 for both, or the span to
// which the network limits its result, where that is near enough and −1..1 for both is not nearer. GuessRanges fails as
// Eval does.
func (g *Graph) GuessRanges(ctx context.Context, picture Samples) (best Ranges, agreement float64, err error) {
	spans := []Span{Unit, Bytes, Signed}
	usual, usually := Ranges{Unit, Unit}, 0.
	if limited, is := g.limits(); is {
		usual = Ranges{limited, limited}
	}
	agreement = math.Inf(-1)
	for _, in := range spans {
		given := NewSamples(picture.Shape)
		for i, v := range picture.Values {
			given.Values[i] = in.Black + float32(v*(in.White-in.Black))
		}
		result, err := g.Eval(ctx, given)
		if err != nil {
			return best, 0, err
		}
		for _, out := range spans {
			r, db := Ranges{in, out}, result.agreement(picture, out)
			if r == usual {
				usually = db
			}
			if db > agreement {
				best, agreement = r, db
			}
		}
	}
	if best == (Ranges{Signed, Signed}) && usual == (Ranges{Unit, Unit}) && agreement > usually+better {
		return best, agreement, nil
	}
	if usually >= alike || usually >= unlike && agreement < usually+nearer || usually > agreement-0.01 {
		return usual, usually, nil
	}
	return best, agreement, nil
}

// limits returns the span to which the last operation that changes samples limits the result, if it is one of the
// three.
func (g *Graph) limits() (s Span, is bool) {
	i := g.Output
	for {
		switch op := g.Nodes[i].Op.(type) {
		case PixelShuffle, Pad, Select:
			i = g.Nodes[i].Inputs[0]
		case Clip:
			s = Span{op.Min, op.Max}
			return s, s == Unit || s == Bytes || s == Signed
		case Function:
			return Signed, op == Tanh
		default:
			return s, false
		}
	}
}

// agreement returns the PSNR, in dB, of s, whose samples have the given span, reduced to the size of a picture, against
// the picture. Each sample of s is limited to 0..1; 200 stands for more.
func (s Samples) agreement(picture Samples, span Span) float64 {
	scale, sum := s.W/picture.W, 0.
	for y := range picture.H {
		for x := range picture.W {
			for c, want := range picture.At(x, y) {
				mean := 0.
				for k := range scale * scale {
					v := float64(s.At(x*scale+k%scale, y*scale+k/scale)[c]-span.Black) / float64(span.White-span.Black)
					if math.IsNaN(v) {
						v = float64(1 - want) // as far as can be
					}
					mean += min(max(v, 0), 1)
				}
				d := mean/float64(scale*scale) - float64(want)
				sum += float64(d * d)
			}
		}
	}
	return min(-10*math.Log10(sum/float64(len(picture.Values))), 200)
}

// WithRanges returns a graph that does what g does, whose samples have the given ranges, but has one Range: 255, or 1
// with operations before and after those of g.
func (g *Graph) WithRanges(r Ranges) *Graph {
	out := *g
	switch r {
	case Ranges{Unit, Unit}:
		out.Range = 1
		return &out
	case Ranges{Bytes, Bytes}:
		out.Range = 255
		return &out
	}
	before := Affine{[]float32{r.In.White - r.In.Black}, []float32{r.In.Black}}
	size := r.Out.White - r.Out.Black
	after := Affine{[]float32{1 / size}, []float32{-r.Out.Black / size}}
	out.Range = 1
	out.Nodes = []Node{g.Nodes[0], {Name: "input range", Op: before, Inputs: []int{0}}}
	for _, n := range g.Nodes[1:] {
		moved := Node{Name: n.Name, Op: n.Op}
		for _, from := range n.Inputs {
			moved.Inputs = append(moved.Inputs, from+1)
		}
		out.Nodes = append(out.Nodes, moved)
	}
	out.Output = len(out.Nodes)
	out.Nodes = append(out.Nodes, Node{Name: "output range", Op: after, Inputs: []int{g.Output + 1}})
	return &out
}
