package convolutional

import (
	"context"
	"encoding/json"
	"image"

	"superres/internal/kernel"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Colour adds the residual that a network computes to the enlarged colour of a picture. The inputs of the network are
// the picture's colour differences and its enlarged brightness, which shows the edges. For the symbols see Network.
//
//	f   = φ₀(W₀ ∗ (½(R−Y), ½(B−Y), Y′) + b₀)     3×3, 2+s² → C, Y′ the s² pixels of a sample
//	hᵢ  = φᵢ(Wᵢ ∗ hᵢ₋₁ + bᵢ), h₀ = f              3×3, C → C, i = 1..M; plus hᵢ₋ₙ if n divides i
//	out = W_L ∗ h_M + b_L                         3×3, C → 2s²: R−Y, then B−Y
//
// It implements stage.Colour.
type Colour struct{ net }

// colours is the number of colour differences. Pure red has the greatest ½(R−Y), pure blue the greatest ½(B−Y).
const (
	colours      = 2
	greatestRed  = 0.701 / 2
	greatestBlue = 0.886 / 2
)

// NewColour rounds a network for colour to integers and returns it as a stage. It fails where NewStage would.
func NewColour(n *Network) (*Colour, error) {
	made, err := newNet(n)
	if err != nil {
		return nil, err
	}
	return &Colour{made}, nil
}

// init lets package stage read networks for colour, called "convolutional", from model files.
func init() {
	stage.RegisterColour(kind, func(scale int, text json.RawMessage, a *stage.Arrays) (stage.Colour, error) {
		n, err := loadNet(scale, text, a, true)
		if err != nil {
			return nil, err
		}
		return &Colour{n}, nil
	})
}

// Tune implements stage.Colour. It returns c itself if the settings change nothing.
func (c *Colour) Tune(t stage.Tuning) (stage.Colour, error) {
	tuned, changed, err := c.tune(t)
	if err != nil {
		return nil, err
	}
	if !changed {
		return c, nil
	}
	return &Colour{tuned}, nil
}

// Apply implements stage.Colour: it adds the residual to the rows of enlarged colour that strip returns. low are the
// differences R−Y and B−Y of the picture, and luma is its enlarged brightness.
func (c *Colour) Apply(ctx context.Context, low [2]*plane.Plane, luma *plane.Plane,
	strip func(from, to int) [2]*plane.Plane, w *stage.Work) error {
	scale := c.scale
	inputs := colours + scale*scale
	// read writes the inputs of row y: for each sample two colour differences, then its scale² enlarged pixels.
	read := func(y int, to []int16) {
		red, blue := low[0].Row(y), low[1].Row(y)
		for x, v := range red {
			to[x*inputs], to[x*inputs+1] = quantiseColour(v), quantiseColour(blue[x])
		}
		for k := range scale {
			row, at := luma.Row(y*scale+k), to[colours+k*scale:]
			for x := 0; x < len(row); x += scale {
				for i, v := range row[x:][:scale] {
					at[i] = quantiseLuma(v)
				}
				at = at[min(inputs, len(at)):]
			}
		}
	}
	var current [2]*plane.Plane // the enlarged colour of the rows of low from row top on
	top := 0
	begin := func(from, to int) { current, top = strip(from, to), from }
	// add adds the residual to the pixels of row y of low, within least and most of each sample: see kernel.AddPixels.
	add := func(y int, sums []float32, step int) {
		least, most := make([]float32, low[0].W), make([]float32, low[0].W)
		for i, p := range current { // R−Y, then B−Y
			bounds(least, most, low[i], y)
			for k := range scale {
				row := p.Row((y-top)*scale + k)
				kernel.AddPixels(row, row, sums[(i*scale+k)*scale:], scale, step, colours*scale*scale,
					kernel.Row{V: one[:]}, kernel.Row{V: least, Step: 1}, kernel.Row{V: most, Step: 1})
			}
		}
	}
	size := image.Pt(low[0].W, low[0].H)
	return c.run(ctx, size, image.Rectangle{Max: size}, begin, read, add, w.Report)
}

// bounds sets least and most to the range in which the pixels of each sample of row y of p must stay: the range of
// the 3×3 samples around it, widened on both sides by its own width. So a flat colour, such as grey, stays the same.
func bounds(least, most []float32, p *plane.Plane, y int) {
	row := p.Row(y)
	above, below := p.Row(max(y-1, 0))[:len(row)], p.Row(min(y+1, p.H-1))[:len(row)]
	n := len(row)
	if n > 2 {
		kernel.BoundRange(least[1:n-1], most[1:n-1], above, row, below)
	}
	for _, x := range [2]int{0, n - 1} { // beyond an edge its samples are repeated
		var a, r, b [3]float32
		for k := range r {
			i := min(max(x+k-1, 0), n-1)
			a[k], r[k], b[k] = above[i], row[i], below[i]
		}
		kernel.BoundRange(least[x:x+1], most[x:x+1], a[:], r[:], b[:])
	}
}

// quantiseColour returns the integer for half of a colour difference v, which is clamped to −1..1: round(white/2·v).
func quantiseColour(v float32) int16 {
	v = float32(min(max(v, -1), 1) * (white / 2)) // rounded to float32 before 0.5 is added
	if v < 0 {
		return -int16(0.5 - v)
	}
	return int16(0.5 + v)
}
