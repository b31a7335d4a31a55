package graph

// Samples are the samples of a node for one picture.
type Samples struct {
	Shape
	// Values holds the sample of channel c of pixel (x, y) at index (y·W + x)·Channels + c.
	Values []float32
}

// NewSamples returns samples that are 0. The numbers of the shape must be positive.
func NewSamples(s Shape) Samples { return Samples{s, make([]float32, s.count())} }

func (s Shape) count() int { return s.W * s.H * s.Channels }

// Row returns the samples of row y, pixel after pixel with all its channels. The slice shares memory with s.
func (s Samples) Row(y int) []float32 {
	n := s.W * s.Channels
	return s.Values[y*n : (y+1)*n : (y+1)*n]
}

// At returns the samples of all channels at (x, y). The slice shares memory with s.
func (s Samples) At(x, y int) []float32 {
	i := (y*s.W + x) * s.Channels
	return s.Values[i : i+s.Channels : i+s.Channels]
}
