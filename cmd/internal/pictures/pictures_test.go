package pictures

import (
	"path/filepath"
	"strings"
	"testing"
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
