package superres

import (
	"math"
	"math/rand/v2"
	"slices"
	"superres/patches/plane"
	"testing"

	"superres/internal/picture"
	"superres/internal/testimage"
)

// The ensemble of a picture in another orientation is that of the picture, turned, which
// a model by itself does not manage; and a constant stays one.
func TestEnsemble(t *testing.T) {
	m := small(t, 2, true)
	rng := rand.New(rand.NewPCG(5, 0))
	p := plane.New(14, 9)
	for i := range p.Pix {
		p.Pix[i] = rng.Float32()
	}
	enlarge := func(p *plane.Plane, ensemble bool) *plane.Plane {
		t.Helper()
		var out *plane.Plane
		var err error
		if ensemble {
			out, err = ensembleOf(t, m, p)
		} else {
			out, err = m.enlargePlane(t.Context(), p, 2*p.W, 2*p.H)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	differ := func(form int32, ensemble bool) (most float64) {
		a, b := picture.Oriented(enlarge(p, ensemble), form), enlarge(picture.Oriented(p, form), ensemble)
		for i, v := range a.Pix {
			most = max(most, math.Abs(float64(v-b.Pix[i])))
		}
		return most
	}
	for form := range int32(picture.Orientations) {
		if d := differ(form, true); d > 1e-5 {
			t.Errorf("orientation %d: off by %g", form, d)
		}
	}
	if d := differ(picture.Transposed, false); d < 1e-4 {
		t.Errorf("one turned picture is enlarged like the other, but for %g: this shows nothing", d)
	}
	for _, band := range []int{0, 5} { // bands mean nothing to it
		img := testimage.Drawing(20, 30, 1)
		eight, err := m.Effort("max")
		if err != nil {
			t.Fatal(err)
		}
		a, err := eight.Upscale(t.Context(), img, Options{BandRows: band})
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Upscale(t.Context(), img, Options{BandRows: band})
		if err != nil {
			t.Fatal(err)
		}
		if a.Bounds() != b.Bounds() || slices.Equal(picture.Split(a).Channels[0].Pix, picture.Split(b).Channels[0].Pix) {
			t.Error("the ensemble is of another size, or the same picture")
		}
	}
}

func ensembleOf(t *testing.T, m *Model, p *plane.Plane) (*plane.Plane, error) {
	list, err := m.ensemble(t.Context(), []*plane.Plane{p}, task{sizes: sizes{p.W, p.H, 2 * p.W, 2 * p.H}, planes: 1}, func(float64) {})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}
