package picture

import (
	"slices"
	"superres/patches/plane"
	"testing"
)

// Orient moves each sample to one position, differently in all orientations, and AddOriented moves it back.
func TestOrientations(t *testing.T) {
	p := plane.New(5, 3)
	for i := range p.Pix {
		p.Pix[i] = float32(i)
	}
	seen := map[float32]bool{}
	for form := range int32(Orientations) {
		o := Orient(p, form)
		back := plane.New(p.W, p.H)
		for y := range o.H {
			for x, v := range o.Row(y) {
				back.Pix[SourceOffset(form, x, y, p.W, p.H)] = v
			}
		}
		if !slices.Equal(back.Pix, p.Pix) {
			t.Errorf("orientation %d comes back as %v", form, back.Pix)
		}
		AddOriented(back, o, form, 2)
		for i, v := range p.Pix {
			if back.Pix[i] != 3*v {
				t.Fatalf("orientation %d is added as %v", form, back.Pix)
			}
		}
		if wide := form&Transposed == 0; wide != (o.W == 5) || o.W*o.H != 15 {
			t.Errorf("orientation %d is %d×%d", form, o.W, o.H)
		}
		seen[1000*o.Pix[0]+o.Pix[1]] = true
	}
	if len(seen) != Orientations {
		t.Errorf("%d orientations differ, expected %d", len(seen), Orientations)
	}
}
