package superres

import (
	"math"
	"reflect"
	"testing"
)

// fillSpares gives mem memory of many sizes that holds what is not a number.
func fillSpares(mem *spares) {
	for n := 1 << 10; len(mem.list) < mostSpares; n *= 2 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(math.NaN())
		}
		mem.give(v)
	}
}

// Nobody relies on what memory holds: a picture is the same with spares of any values.
func TestSparesHoldAnything(t *testing.T) {
	for name, m := range everyModel(t) {
		for _, scale := range []float64{2, 2.5} {
			for channels := range 3 {
				img := grain(83, 61, []int{1, 3, 4}[channels])
				w, h, err := m.Size(83, 61, scale)
				if err != nil {
					t.Fatal(err)
				}
				for _, opt := range []Options{{}, {BandRows: 13}} {
					var got [2]any
					for i := range got {
						ctx := withSpares(t.Context())
						if i > 0 {
							fillSpares(sparesOf(ctx))
						}
						p := m.newPainter(img, w, h, opt)
						if err := p.paint(ctx, func(float64) {}); err != nil {
							t.Fatal(err)
						}
						got[i] = p.out.img
					}
					if !reflect.DeepEqual(got[0], got[1]) {
						t.Errorf("%s ×%g, kind %d, bands of %d: the values of spares are in the picture", name, scale, channels, opt.BandRows)
					}
				}
			}
		}
	}
}

func TestSpares(t *testing.T) {
	var none *spares
	if v := none.blank(5); len(v) != 5 {
		t.Error("no memory without spares")
	}
	none.give(make([]float32, 5))
	mem := &spares{}
	for _, n := range []int{100, 60, 1000} {
		mem.give(make([]float32, n))
	}
	first := mem.blank(50)
	if cap(first) != 60 || len(first) != 50 {
		t.Errorf("%d of %d entries, expected 50 of the smallest, 60", len(first), cap(first))
	}
	if second := mem.blank(50); cap(second) != 100 {
		t.Errorf("memory for %d, expected the next, 100", cap(second))
	}
	if third := mem.blank(50); cap(third) >= 1000 {
		t.Error("a waste of memory")
	}
	for range 3 * mostSpares {
		mem.give(make([]float32, 7))
	}
	if len(mem.list) != mostSpares || cap(mem.list[0]) != 7 {
		t.Errorf("%d are kept", len(mem.list))
	}
}

// Spares of bands that grow a little do not pile up, and what is given is used again.
func TestSparesAreFew(t *testing.T) {
	s := &spares{}
	for n := 10_000; n < 100_000; n += n / 6 {
		s.give(s.blank(n))
	}
	if len(s.list) != 1 {
		t.Errorf("%d spares, of which one was ever in use", len(s.list))
	}
	first := s.blank(100_000)
	s.give(first)
	if again := s.blank(100_000 + 100_000/10); &again[0] != &first[0] {
		t.Error("new memory for a tenth more")
	}
	if one, other := s.blank(50), s.blank(50); &one[0] == &other[0] {
		t.Error("the same memory twice")
	}
}
