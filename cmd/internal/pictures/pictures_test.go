package pictures

import (
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres"
)

func TestFilter(t *testing.T) {
	places := []string{"a.jpg", "b.png", "old/a.jpg", "old/deep/c.png", "new/a.JPG"}
	for _, c := range []struct{ include, exclude, want string }{
		{"", "", "a.jpg b.png old/a.jpg old/deep/c.png new/a.JPG"},
		{"*.jpg", "", "a.jpg old/a.jpg"},
		{"*.jpg *.JPG", "", "a.jpg old/a.jpg new/a.JPG"},
		{"[ab].???", "", "a.jpg b.png old/a.jpg new/a.JPG"},
		{"/a.jpg", "", "a.jpg"},
		{"old/*", "", "old/a.jpg"},
		{"old/**", "", "old/a.jpg old/deep/c.png"},
		{"**/deep/**", "", "old/deep/c.png"},
		{"**/a.*", "", "a.jpg old/a.jpg new/a.JPG"},
		{"**", "", "a.jpg b.png old/a.jpg old/deep/c.png new/a.JPG"},
		{"", "old", "a.jpg b.png new/a.JPG"},
		{"", "old/", "a.jpg b.png new/a.JPG"},
		{"", "deep/", "a.jpg b.png old/a.jpg new/a.JPG"},
		{"", "old/deep", "a.jpg b.png old/a.jpg new/a.JPG"},
		{"", "*/deep", "a.jpg b.png old/a.jpg new/a.JPG"},
		{"", "a.jpg/", "a.jpg b.png old/a.jpg old/deep/c.png new/a.JPG"},
		{"*.png", "b.*", "old/deep/c.png"},
	} {
		f := Filter{Include: strings.Fields(c.include), Exclude: strings.Fields(c.exclude)}
		var got []string
		for _, p := range places {
			taken := f.takes(p)
			for dir := filepath.Dir(p); dir != "."; dir = filepath.Dir(dir) {
				taken = taken && f.enters(dir)
			}
			if taken {
				got = append(got, p)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("include %q, exclude %q: %v", c.include, c.exclude, got)
		}
	}
}

func TestNames(t *testing.T) {
	scale := superres.Options{Scale: 1.5}
	for _, c := range []struct {
		template string
		opt      superres.Options
		want     string // name of the output for sub/a.b.JPG; empty: an error
	}{
		{"{stem}_{size}{ext}", scale, "a.b_1.5x.JPG"},
		{"{stem}_{scale}x", scale, "a.b_1.5x.JPG"},
		{"{stem}_{scale}x.{ext}", scale, "a.b_1.5x.JPG"},
		{"{stem}{ext}_{size}", scale, "a.bJPG_1.5x.JPG"},
		{"{stem}{ext}", scale, "a.b.JPG"},
		{"{model}-{stem}", scale, "mine-a.b.JPG"},
		{"fixed", scale, "fixed.JPG"},
		{"{stem}_{size}", superres.Options{Width: 800}, "a.b_800w.JPG"},
		{"{stem}_{size}", superres.Options{Height: 600}, "a.b_600h.JPG"},
		{"{stem}_{size}", superres.Options{Width: 800, Height: 600, Fit: true}, "a.b_800x600.JPG"},
		{"{ext}", scale, ""}, // no name at all
		{"x/{stem}", scale, ""},
		{"..", scale, "...JPG"},
	} {
		n := must.Get(NewNamer(Naming{Out: "out", Template: c.template, Size: c.opt, Model: "mine"}, false))(t)
		j, err := n.Output(Input{Path: "in/sub/a.b.JPG", Place: "sub/a.b.JPG", Root: "in"})
		if c.want == "" {
			if err == nil {
				t.Errorf("%s: %s", c.template, j.Path)
			}
			continue
		}
		sized := Input{Path: "in/sub/a.b.JPG", Place: "sub/a.b.JPG", Root: "in", Width: 90, Height: 60}
		want := strings.NewReplacer("800w", "90x60", "600h", "90x60", "800x600", "90x60").Replace(c.want)
		if got, err := n.Output(sized); err != nil || filepath.Base(got.Path) != want {
			t.Errorf("%s of 90×60: %s, expected %s (%v)", c.template, got.Path, want, err)
		}
		if want := filepath.Join("out", "sub", c.want); err != nil || j.Path != want || j.Format != "jpeg" {
			t.Errorf("%s: %s (%s), expected %s (%v)", c.template, j.Path, j.Format, want, err)
		}
	}
}
