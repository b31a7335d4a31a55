package scoring

import (
	"testing"

	"superres/cmd/internal/pictures"
)

// Every test picture goes to the reference whose name it fits best, and to no other.
func TestPair(t *testing.T) {
	list := func(places ...string) (out []pictures.Input) {
		for _, p := range places {
			out = append(out, pictures.Input{Path: "x/" + p, Place: p})
		}
		return out
	}
	got := pair(list("a.png", "a_b.png", "c.png", "d.png"),
		list("a_b_2x.png", "c_2x_old.png", "c_2x.png", "d.jpg", "d_2x.png"))
	want := []string{"", "a_b_2x.png", "c_2x.png", "d.jpg"}
	for i, in := range got {
		if in.Place != want[i] {
			t.Errorf("reference %d is scored by %q, expected %q", i, in.Place, want[i])
		}
	}
}
