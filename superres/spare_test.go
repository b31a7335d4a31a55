package superres

import "testing"

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
