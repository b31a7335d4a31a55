package superres

import (
	"math"
	"reflect"
	"testing"

	"superres/superres/stage"
)

// full is a pool of blocks of many sizes that hold what is not a number.
func full() *stage.Pool {
	p := &stage.Pool{}
	for i := range 12 {
		v := make([]float32, 1<<10<<i)
		for i := range v {
			v[i] = float32(math.NaN())
		}
		p.Give(v)
	}
	return p
}

// Nobody relies on what memory holds: a picture is the same with a pool of any values.
func TestPoolHoldsAnything(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for name, m := range everyModel(t) {
		for _, scale := range []float64{2, 2.5} {
			for channels := range 3 {
				img := grain(53, 37, []int{1, 3, 4}[channels])
				w, h, err := m.Size(53, 37, scale)
				if err != nil {
					t.Fatal(err)
				}
				for _, opt := range []Options{{}, {BandRows: 13}} {
					var got [2]any
					for i := range got {
						pool := &stage.Pool{}
						if i > 0 {
							pool = full()
						}
						e := m.newEnlarger(img, w, h, opt, pool)
						if err := e.enlarge(t.Context(), func(float64) {}); err != nil {
							t.Fatal(err)
						}
						got[i] = e.out.Image
					}
					if !reflect.DeepEqual(got[0], got[1]) {
						t.Errorf("%s ×%g, kind %d, bands of %d: the values of the pool are in the picture", name, scale, channels, opt.BandRows)
					}
				}
			}
		}
	}
}
