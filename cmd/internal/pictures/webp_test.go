package pictures

import (
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
)

// A still WebP stays WebP, and an animated one becomes PNG, by the name or by the content of a file.
func TestNamesOfWebP(t *testing.T) {
	namer := must.Get(NewNamer(Naming{Template: "{stem}_x"}, true))(t)
	for _, c := range []struct {
		in   Input
		want string
	}{
		{Input{Path: "a.webp", Place: "a.webp"}, "a_x.webp"},
		{Input{Path: "A.WEBP", Place: "A.WEBP"}, "A_x.WEBP"},
		{Input{Path: "a", Place: "a", Format: imagefile.WebP}, "a_x.webp"},
		{Input{Path: "a.webp", Place: "a.webp", Several: true}, "a_x.png"},
		{Input{Path: "a", Place: "a", Format: imagefile.WebP, Several: true}, "a_x.png"},
		{Input{Path: "a.gif", Place: "a.gif", Several: true}, "a_x.gif"},
		{Input{Path: "a.gif", Place: "a.gif"}, "a_x.png"},
		{Input{Path: "a.png", Place: "a.png", Format: imagefile.GIF, Several: true}, "a_x.png"},
	} {
		out, err := namer.Output(c.in)
		if err != nil || out.Path != c.want || imagefile.NamedFormat(c.want) != out.Format {
			t.Errorf("%+v: %v, %v, expected %s", c.in, out, err, c.want)
		}
	}
	for _, want := range []Naming{{Template: "{stem}_x", Format: "webp"}, {Template: "{stem}_x.webp"}} {
		namer := must.Get(NewNamer(want, true))(t)
		if out, err := namer.Output(Input{Path: "a.jpg", Place: "a.jpg"}); err != nil || out.Path != "a_x.webp" {
			t.Errorf("%v: %v, %v", want, out, err)
		}
	}
}
