package graph

import "context"

// GuessRange returns the Range of a network of which the file does not tell it: 1, or 255 if the result for 1 is no
// picture like the given one and that for 255 is. The picture has samples from 0 to 1. GuessRange fails as Eval does.
func (g *Graph) GuessRange(ctx context.Context, picture Samples) (float32, error) {
	var distances [2]float64
	for i, white := range []float32{1, 255} {
		in := NewSamples(picture.Shape)
		for k, v := range picture.Values {
			in.Values[k] = v * white
		}
		result, err := g.Eval(ctx, in)
		if err != nil {
			return 0, err
		}
		distances[i] = result.distance(picture, white)
	}
	// Of networks for 0 to 1, the result is nearer than 0.05, which is 13 dB. With 255 it may be nearer yet: if what
	// the network adds is limited, less of it is left.
	if distances[0] > 0.05 && distances[1] < distances[0]/4 {
		return 255, nil
	}
	return 1, nil
}

// distance returns the mean square of the differences, limited to 1, between s, in which white has the given value,
// and a picture, of which each sample is repeated.
func (s Samples) distance(picture Samples, white float32) float64 {
	scale, sum := s.W/picture.W, 0.0
	for y := range s.H {
		for x := range s.W {
			for c, v := range picture.At(x/scale, y/scale) {
				d := float64(s.At(x, y)[c]/white) - float64(v)
				sum += min(float64(d*d), 1)
			}
		}
	}
	return sum / float64(len(s.Values))
}
