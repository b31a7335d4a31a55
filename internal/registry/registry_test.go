package registry_test

import (
	"slices"
	"testing"

	"superres/internal/registry"
)

func TestRegistry(t *testing.T) {
	r := registry.Registry[int]{Kind: "animal"}
	r.Add("zebra", 4)
	r.Add("ant", 6)
	if got := r.Names(); !slices.Equal(got, []string{"ant", "zebra"}) {
		t.Error(got)
	}
	if legs, err := r.Get("ant"); legs != 6 || err != nil {
		t.Error(legs, err)
	}
	const want = `unknown animal "zebar"; did you mean "zebra"? (known: ant zebra)`
	if legs, err := r.Get("zebar"); legs != 0 || err == nil || err.Error() != want {
		t.Error(legs, err)
	}
	for _, name := range []string{"ant", ""} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q: no panic", name)
				}
			}()
			r.Add(name, 1)
		}()
	}
}
