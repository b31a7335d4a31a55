package superres

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/kernel"
	"superres/patches"
)

// Every sample of a plane comes to one place of each orientation, and all of them differ.
func TestOrientations(t *testing.T) {
	p := patches.NewPlane(5, 3)
	for i := range p.Pix {
		p.Pix[i] = float32(i)
	}
	seen := map[float32]bool{}
	for form := range int32(orientations) {
		o := oriented(p, form)
		back := patches.NewPlane(p.W, p.H)
		for y := range o.H {
			for x, v := range o.Row(y) {
				back.Pix[placeOf(form, x, y, p.W, p.H)] = v
			}
		}
		if !slices.Equal(back.Pix, p.Pix) {
			t.Errorf("orientation %d comes back as %v", form, back.Pix)
		}
		if wide := form&kernel.Turned == 0; wide != (o.W == 5) || o.W*o.H != 15 {
			t.Errorf("orientation %d is %d×%d", form, o.W, o.H)
		}
		seen[1000*o.Pix[0]+o.Pix[1]] = true
	}
	if len(seen) != orientations {
		t.Errorf("%d orientations differ, expected %d", len(seen), orientations)
	}
}

// The ensemble of a picture in another orientation is that of the picture, turned, which
// a model by itself does not manage; and a constant stays one.
func TestEnsemble(t *testing.T) {
	m := small(t, 2, true)
	rng := rand.New(rand.NewPCG(5, 0))
	p := patches.NewPlane(14, 9)
	for i := range p.Pix {
		p.Pix[i] = rng.Float32()
	}
	enlarge := func(p *patches.Plane, ensemble bool) *patches.Plane {
		t.Helper()
		var out *patches.Plane
		var err error
		if ensemble {
			out, err = m.ensemble(t.Context(), p, 2*p.W, 2*p.H, func(float64) {})
		} else {
			out, err = m.plane(t.Context(), p, 2*p.W, 2*p.H)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	differ := func(form int32, ensemble bool) (most float64) {
		a, b := oriented(enlarge(p, ensemble), form), enlarge(oriented(p, form), ensemble)
		for i, v := range a.Pix {
			most = max(most, math.Abs(float64(v-b.Pix[i])))
		}
		return most
	}
	for form := range int32(orientations) {
		if d := differ(form, true); d > 1e-5 {
			t.Errorf("orientation %d: off by %g", form, d)
		}
	}
	if d := differ(kernel.Turned, false); d < 1e-4 {
		t.Errorf("one turned picture is enlarged like the other, but for %g: this shows nothing", d)
	}
	for _, band := range []int{0, 5} { // bands mean nothing to it
		img := drawing(20, 30, 1)
		a, err := m.Upscale(t.Context(), img, Options{Ensemble: true, BandRows: band})
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Upscale(t.Context(), img, Options{BandRows: band})
		if err != nil {
			t.Fatal(err)
		}
		if a.Bounds() != b.Bounds() || slices.Equal(split(a).channels[0].Pix, split(b).channels[0].Pix) {
			t.Error("the ensemble is of another size, or the same picture")
		}
	}
}
