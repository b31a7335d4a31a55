package convolutional

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// sampleNetwork returns a network of random weights for brightness. Its chain keeps the magnitude of samples,
// since its layers add to their input, and its residual is about a tenth of the picture.
func sampleNetwork(scale, channels, depth int, seed uint64) *Network {
	return randomise(NewNetwork(Architecture{Scale: scale, Channels: channels, Depth: depth}), seed)
}

// randomise sets all parameters of n at random, as sampleNetwork does, and returns n.
func randomise(n *Network, seed uint64) *Network {
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range n.Layers {
		l := &n.Layers[i]
		rms := math.Sqrt(2 / 1.04 / float64(l.Side*l.Side*l.In))
		switch {
		case i == len(n.Layers)-1:
			rms *= 0.1
		case i > 0:
			rms *= 0.6
		}
		for k := range l.Weight {
			l.Weight[k] = float32(rms * rng.NormFloat64())
		}
		for o := range l.Bias {
			l.Bias[o] = float32(0.02 * rng.NormFloat64())
			if l.Slope != nil {
				l.Slope[o] = float32(0.2 + 0.2*rng.NormFloat64())
			}
			if l.In == l.Out {
				l.Weight[(4*l.In+o)*l.Out+o] += 0.8
			}
		}
	}
	return n
}

func roundNetwork(t testing.TB, n *Network) *Stage {
	t.Helper()
	return must.Get(NewStage(n))(t)
}

func TestStage(t *testing.T) {
	for _, size := range [][3]int{{2, 16, 2}, {3, 5, 1}, {4, 20, 3}} {
		stagetest.Run(t, size[0], roundNetwork(t, sampleNetwork(size[0], size[1], size[2], 1)))
	}
	stagetest.Run(t, 2, roundNetwork(t, addLevels(sampleNetwork(2, 16, 2, 1))))
	stagetest.Run(t, 2, roundNetwork(t, sampleNetwork(2, 16, 2, 1)).WithGrain(15))
	stagetest.Run(t, 3, roundNetwork(t, seeing(3, 20, 2)))
	for skip := 1; skip <= 3; skip++ {
		n := NewNetwork(Architecture{Scale: 2, Channels: 16, Depth: 6, Skip: skip})
		stagetest.Run(t, 2, roundNetwork(t, randomise(n, 3)))
	}
}

// A window is made as it is in the whole picture, at its edges and within, with no more of the picture than the reach.
func TestWindow(t *testing.T) {
	const scale = 2
	s := roundNetwork(t, sampleNetwork(scale, 16, 2, 3))
	picture := makeTexture(40, 37)
	blank := func(w, h int) *plane.Plane { return plane.New(scale*w, scale*h) }
	whole := must.Get(s.Apply(t.Context(), picture, blank(40, 37), nil))(t)
	for _, window := range []image.Rectangle{
		image.Rect(0, 0, 9, 40), image.Rect(12, 13, 25, 22), image.Rect(30, 30, 40, 37), image.Rect(0, 0, 40, 37),
	} {
		window = window.Intersect(image.Rect(0, 0, 40, 37))
		shown := window.Inset(-s.Reach()).Intersect(image.Rect(0, 0, 40, 37))
		part := plane.New(shown.Dx(), shown.Dy())
		for y := range part.H {
			copy(part.Row(y), picture.Row(shown.Min.Y + y)[shown.Min.X:])
		}
		current := blank(window.Dx(), window.Dy())
		got := must.Get(s.ApplyWithin(t.Context(), part, window.Sub(shown.Min), current, nil))(t)
		for y := range got.H {
			want := whole.Row(scale*window.Min.Y + y)[scale*window.Min.X:][:got.W]
			if !slices.Equal(got.Row(y), want) {
				t.Fatalf("%v: row %d differs", window, y)
			}
		}
	}
}

// seeing returns a network of random weights that sees colour.
func seeing(scale, channels, depth int) *Network {
	a := Architecture{Scale: scale, Channels: channels, Depth: depth, SeesColour: true}
	return randomise(NewNetwork(a), 1)
}

// addLevels makes strength and trust inputs of n, with random parameters, and returns n.
func addLevels(n *Network) *Network {
	n.Strength, n.Trust = true, true
	rng := rand.New(rand.NewPCG(4, 9))
	for i := range n.Layers[:len(n.Layers)-1] {
		l := &n.Layers[i]
		for k := range l.Levels {
			for range l.Out {
				l.Levels[k] = append(l.Levels[k], float32(0.1*rng.NormFloat64()))
			}
		}
	}
	return n
}

// makeTexture returns a picture of 8 bits with edges and grain.
func makeTexture(w, h int) *plane.Plane {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	low := plane.New(w, h)
	for i := range low.Pix {
		x, y := float64(i%w), float64(i/w)
		low.Pix[i] = float32(0.5 + 0.3*math.Tanh(3*math.Sin(x/3+y/5)) + 0.1*(rng.Float64()-0.5))
	}
	return picture.Round8(low)
}

// The error of the integers is at least 55 dB below the residual.
func TestIntegersAreTheNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for i, size := range [][3]int{{2, 32, 10}, {3, 16, 5}, {4, 12, 1}, {2, 16, 4}, {2, 16, 4}, {2, 16, 5}} {
		n := sampleNetwork(size[0], size[1], size[2], 2)
		if i == 1 {
			n.Skip, n.Depth, n.Layers = 2, 6, append(n.Layers[:6:6], n.Layers[5:]...)
		}
		var levels stage.Tuning
		if i == 5 {
			n = seeing(size[0], size[1], size[2])
		} else if i > 2 {
			n, levels = addLevels(n), stage.Tuning{Strength: float64(i-3) * 0.625, Trust: float64(4-i) * 0.5}
		}
		tuned := must.Get(roundNetwork(t, n).Tune(levels))(t)
		s := tuned.(*Stage)
		low := makeTexture(33, 21)
		var colour []*plane.Plane
		var work *stage.Work
		if n.SeesColour {
			colour = makeColour(low)
			work = work.WithColour([2]*plane.Plane(colour))
		}
		want := n.at([...]float32{float32(levels.Strength), float32(levels.Trust)}).forward(low, colour...)
		current := plane.New(want.W, want.H)
		for i := range current.Pix {
			current.Pix[i] = 0.5
		}
		got := must.Get(s.Apply(t.Context(), low, current, work))(t)
		signal, noise := 0.0, 0.0
		for i, v := range want.Pix {
			d := float64(got.Pix[i] - picture.Clamp(0.5+v))
			signal, noise = signal+float64(v)*float64(v), noise+d*d
		}
		rms := math.Sqrt(signal / float64(len(want.Pix)))
		db := 10 * math.Log10(signal/noise)
		t.Logf("×%d, %d channels, %d layers: what is added has an effective value of %.3f, the integers are %.1f "+
			"dB below it", size[0], size[1], size[2], rms, db)
		if !(rms > 0.003 && rms < 1) || !(db > 55) {
			t.Errorf("×%d, %d channels, %d layers: %.3f, %.1f dB", size[0], size[1], size[2], rms, db)
		}
	}
}

// Network returns the network that a stage was rounded from, within the rounding.
func TestNetworkOfStage(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		want := sampleNetwork(scale, 16, 3, 5)
		s := must.Get(NewStage(want))(t)
		got := s.Network()
		for i, l := range want.Layers {
			most := float32(0)
			for _, v := range l.Weight {
				most = max(most, v, -v)
			}
			near := func(what string, a, b []float32, within float32) {
				t.Helper()
				for k, v := range a {
					if d := v - b[k]; !(d <= within && d >= -within) {
						t.Fatalf("×%d, layer %d: %s %d is %g, expected %g", scale, i, what, k, b[k], v)
					}
				}
			}
			near("weight", l.Weight, got.Layers[i].Weight, most/500)
			near("bias", l.Bias, got.Layers[i].Bias, 1e-3)
			if l.Slope != nil {
				near("slope", l.Slope, got.Layers[i].Slope, 1e-4)
			}
		}
	}
}
