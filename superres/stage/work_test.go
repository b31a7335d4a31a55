package stage

import "testing"

func TestPool(t *testing.T) {
	var none *Pool
	if v := none.Blank(5); len(v) != 5 {
		t.Error("no memory without a pool")
	}
	none.Give(make([]float32, 5))
	mem := &Pool{}
	for _, n := range []int{100, 60, 1000} {
		mem.Give(make([]float32, n))
	}
	first := mem.Blank(50)
	if cap(first) != 60 || len(first) != 50 {
		t.Errorf("%d of %d entries, expected 50 of the smallest, 60", len(first), cap(first))
	}
	if second := mem.Blank(50); cap(second) != 100 {
		t.Errorf("memory for %d, expected the next, 100", cap(second))
	}
	if third := mem.Blank(50); cap(third) >= 1000 {
		t.Error("a waste of memory")
	}
	for range 3 * mostKept {
		mem.Give(make([]float32, 7))
	}
	if len(mem.list) != mostKept || cap(mem.list[0]) != 7 {
		t.Errorf("%d are kept", len(mem.list))
	}
}

// Buffers of bands that grow a little do not pile up, and buffers that were given back are used again.
func TestPoolStaysSmall(t *testing.T) {
	s := &Pool{}
	for n := 10_000; n < 100_000; n += n / 6 {
		s.Give(s.Blank(n))
	}
	if len(s.list) != 1 {
		t.Errorf("%d are kept, of which one was ever in use", len(s.list))
	}
	first := s.Blank(100_000)
	s.Give(first)
	if again := s.Blank(100_000 + 100_000/10); &again[0] != &first[0] {
		t.Error("new memory for a tenth more")
	}
	if one, other := s.Blank(50), s.Blank(50); &one[0] == &other[0] {
		t.Error("the same memory twice")
	}
}
