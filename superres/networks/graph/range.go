package graph

import (
	"fmt"
	"math"

	"superres/internal/elementary"
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

// better is how much nearer, in dB, a result must be by other ranges than by the usual ones. The agreement of a result,
// reduced to the size of the picture, with the picture is 31.6 to 51.4 dB for eight published networks of 0..1. Read by
// another span at both ends it is less: of a network of 0..1 by 1.9 or more, of 0..255 by 16, of −1..1 by 0.2.
const better = 0.1

// GuessRanges returns the ranges of a network of which the file does not tell them, and how well its result agrees with
// the picture by them, in dB. The picture has samples from 0 to 1; eval returns the result of the network for it by a
// span, in that span. The ranges are those of nine, of 0..1, 0..255 and −1..1, by which the result, reduced to the size
// of the picture, is nearest to it, but 0..1 for both, or the span to which the network limits its result, where that
// is as near. GuessRanges fails as eval does.
func (g *Graph) GuessRanges(picture Samples, eval func(in Span) (Samples, error)) (best Ranges, agreement float64,
	err error) {
	spans := []Span{Unit, Bytes, Signed}
	usual, usually := Ranges{Unit, Unit}, 0.
	if limited, is := g.limits(); is {
		usual = Ranges{limited, limited}
	}
	agreement = math.Inf(-1)
	for _, in := range spans {
		result, err := eval(in)
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
	if usually > agreement-better {
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
	return min(-10*elementary.Log10(sum/float64(len(picture.Values))), 200)
}
