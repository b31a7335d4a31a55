package superres

import (
	"image"
	"math"
	"testing"

	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage/stagetest"
)

// The agreement that a report tells compares the picture with the result, reduced as a whole. It is the same however
// many rows a band has, with transparency or not, at any scale and strength.
func TestReport(t *testing.T) {
	colour := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 19, 43)), true)
	half := 0.5
	for _, c := range []struct {
		model *Model
		img   image.Image
		opt   Options
	}{
		{blurModel(t, stagetest.Blur{Factor: 4, Planes: 3, Radius: 2}, 0), colour, Options{}},
		{blurModel(t, stagetest.Blur{Factor: 4, Planes: 3, Radius: 9}, 0), colour, Options{Scale: 2.7}},
		{blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 3), colour, Options{Scale: 2, Strength: &half}},
		{blurModel(t, stagetest.Blur{Factor: 3, Planes: 1, Radius: 1}, 0), grain(19, 43, 3), Options{Scale: 5}},
		{blurModel(t, stagetest.Blur{Factor: 1, Planes: 3, Radius: 1}, 0), colour, Options{}},
		{blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 0), testimage.Drawing(20, 17, 1), Options{}},
		{builtin(t, "bicubic"), grain(19, 43, 4), Options{Scale: 3}},
	} {
		var first Report
		for _, rows := range []int{0, 1, 13} {
			var got Report
			c.opt.BandRows, c.opt.Report, c.opt.Depth = rows, &got, 16
			result := picture.Split(upscaleWith(t, c.model, c.img, c.opt)).Luma()
			truth := picture.Split(c.img).Luma()
			sum := 0.0
			for i, v := range resample.Resize(result, truth.W, truth.H, resample.Bicubic).Pix {
				sum += float64((v - truth.Pix[i]) * (v - truth.Pix[i]))
			}
			want := -10 * math.Log10(sum/float64(len(truth.Pix)))
			if math.Abs(got.LRPSNR-want) > 0.01 {
				t.Errorf("×%d: an agreement of %.3f dB, expected %.3f", c.model.Scale, got.LRPSNR, want)
			}
			if rows == 0 {
				first = got
			}
			if got != first {
				t.Errorf("×%d, bands of %d: %+v, expected %+v", c.model.Scale, rows, got, first)
			}
		}
	}
}

// A result that agrees with its picture has the greatest agreement.
func TestReportOfAgreement(t *testing.T) {
	m := blurModel(t, stagetest.Blur{Factor: 1, Planes: 3}, 0)
	var got Report
	upscaleWith(t, m, testimage.Drawing(9, 9, 1), Options{Report: &got})
	if got.LRPSNR != MaxLRPSNR {
		t.Errorf("an agreement of %g dB of a picture with itself", got.LRPSNR)
	}
}
