package flaws

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

func halvedOf(img image.Image) bool { return isSubsampled([]picture.Picture{picture.Split(img)}) }

// Colour that a JPEG file kept at half the resolution is told from what no file has halved, of
// any quality, and wherever the picture was cut.
func TestHalved(t *testing.T) {
	img := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
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
		if halvedOf(imaging.Resize(shown, 80, 0, imaging.CatmullRom)) {
			t.Errorf("quality %d: what was reduced since is taken for halved", quality)
		}
	}
}

// So it is of many pictures, where they are at hand.
func TestHalvedPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	count, missed, wrong := 0, 0, 0
	for _, set := range []string{"open-valid", "t91"} {
		files, err := filepath.Glob(filepath.Join(golden.Data(t, set), "*.png"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no pictures of %s (%v)", set, err)
		}
		for _, f := range files {
			low := must.Get(score.Reduce(golden.Open(t, f), 2, resample.Cubic))(t)
			if picture.IsGrey(low) {
				continue
			}
			count++
			if halvedOf(low) {
				wrong++
				t.Errorf("%s is taken for halved", filepath.Base(f))
			}
			for _, quality := range []int{60, 90} {
				file := must.Get(resample.ThroughJPEG(low, quality))(t)
				if !halvedOf(chroma.Smooth(file)) {
					missed++
				}
			}
		}
	}
	t.Logf("of %d pictures %d are taken for halved, of %d halved ones %d are missed", count, wrong, 2*count, missed)
	if missed > count {
		t.Errorf("%d of %d are missed", missed, 2*count)
	}
}
