package imagefile

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"superres/internal/must"
)

// Of the fixtures, JPEG 4:2:0 and lossy WebP keep colour at half the resolution.
func TestSubsampled(t *testing.T) {
	files := must.Get(filepath.Glob("testdata/*.*"))(t)
	seen := 0
	for _, name := range files {
		pic := must.Get(Open(t.Context(), name, Limits{}))(t)
		want := slices.Contains([]string{"2x2.jpg", "lossy.webp", "alpha.webp"}, filepath.Base(name))
		if pic.Subsampled != want {
			t.Errorf("%s: %v", name, pic.Subsampled)
		}
		if want {
			seen++
		}
		// cwebp -q 90 has indices of about 9.
		if want := filepath.Ext(name) == ".webp" && pic.Subsampled; want != (pic.Quantiser > 5 && pic.Quantiser < 12) {
			t.Errorf("%s: index %g", name, pic.Quantiser)
		}
		data := must.Get(os.ReadFile(name))(t)
		for n := range min(len(data), 400) { // cut off anywhere
			src, pic := onDisk(bytes.NewReader(data[:n]), int64(n)), &Picture{}
			describeJPEG(&source{ctx: t.Context(), file: src, size: src.size}, pic)
			describeWebP(&source{ctx: t.Context(), file: src, size: src.size}, pic)
		}
	}
	if seen != 3 {
		t.Errorf("%d files, expected 3", seen)
	}
}
