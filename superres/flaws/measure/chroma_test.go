package measure

import (
	"image"
	"path/filepath"
	"testing"

	"superres/internal/chroma"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/superres/resample"
	"superres/superres/score"

	"github.com/disintegration/imaging"
)

func halvedOf(img image.Image) bool {
	is, _ := isSubsampled([]Area{{picture.Split(img)}})
	return is
}

// Of tells colour that a JPEG file kept at half the resolution, at any quality, from colour at full resolution,
// also when the picture was cropped afterwards.
func TestHalved(t *testing.T) {
	img := photograph(t)
	if halvedOf(img) || halvedOf(imaging.Resize(img, 300, 0, imaging.CatmullRom)) {
		t.Error("colour that was not halved")
	}
	for _, quality := range []int{60, 75, 90, 98} {
		file := must.Get(resample.ThroughJPEG(img, quality))(t)
		shown := imaging.Clone(chroma.Smooth(file))
		for _, cut := range []image.Rectangle{shown.Bounds(), image.Rect(3, 0, 128, 128), image.Rect(0, 1, 120, 128)} {
			if !halvedOf(shown.SubImage(cut)) {
				t.Errorf("quality %d, %v: halved colour is not found", quality, cut)
			}
		}
		if f := measured(shown.SubImage(image.Rect(3, 0, 128, 128)), 0); !f.Subsampled && quality < 90 {
			t.Errorf("quality %d: cropped, halved colour with traces of the file counts for nothing", quality)
		}
		if halvedOf(imaging.Resize(shown, 80, 0, imaging.CatmullRom)) {
			t.Errorf("quality %d: what was reduced since is taken for halved", quality)
		}
	}
}

// So it is of many pictures, where they are at hand, without SUPERRES_FULL of a third of them.
func TestHalvedPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	every := 3
	if golden.InFull() {
		every = 1
	}
	count, missed := 0, 0
	for _, f := range append(golden.Pictures(t, "open-valid", every), golden.Pictures(t, "t91", every)...) {
		low := must.Get(score.Reduce(golden.Open(t, f), 2, resample.Cubic))(t)
		if picture.IsGrey(low) {
			continue
		}
		count++
		if halvedOf(low) {
			t.Errorf("%s is taken for halved", filepath.Base(f))
		}
		for _, quality := range []int{60, 90} {
			if !halvedOf(chroma.Smooth(must.Get(resample.ThroughJPEG(low, quality))(t))) {
				missed++
			}
		}
	}
	t.Logf("of %d halved pictures %d are missed", 2*count, missed)
	if missed > count {
		t.Errorf("%d of %d are missed", missed, 2*count)
	}
}
